// an if takes its first branch
// differential: seed=51669 grid=1 warps=4
// differential: scalar i8 0xc6
// differential: scalar i1 0x0
// differential: array 0 i8 size=224 start=8 shape=216 strides=1
cuda_tile.module @m {
  entry @k(%s1: tile<i8>, %s4: tile<i1>, %p27: tile<ptr<i8>>) {
    %v2 = reshape %s1 : tile<i8> -> tile<1x1xi8>
    %v3 = broadcast %v2 : tile<1x1xi8> -> tile<4x64xi8>
    if %s4 {
      return
    }
    %v5 = reduce %v3 dim=0 identities=[0 : i8] : tile<4x64xi8> -> tile<64xi8>
    (%a: tile<i8>, %b: tile<i8>) {
      %r = addi %a, %b : tile<i8>
      yield %r : tile<i8>
    }
    %v6 = reshape %v5 : tile<64xi8> -> tile<1x64xi8>
    %v7 = broadcast %v6 : tile<1x64xi8> -> tile<4x64xi8>
    %v8 = xori %v3, %v7 : tile<4x64xi8>
    %v9 = iota : tile<4xi32>
    %v10 = reshape %v9 : tile<4xi32> -> tile<4x1xi32>
    %v11 = broadcast %v10 : tile<4x1xi32> -> tile<4x64xi32>
    %v12 = constant <i32: 1> : tile<4x64xi32>
    %v13 = iota : tile<64xi32>
    %v14 = reshape %v13 : tile<64xi32> -> tile<1x64xi32>
    %v15 = broadcast %v14 : tile<1x64xi32> -> tile<4x64xi32>
    %v16 = constant <i32: 4> : tile<4x64xi32>
    %v17 = muli %v15, %v16 : tile<4x64xi32>
    %v18 = addi %v11, %v17 : tile<4x64xi32>
    %v19 = constant <i32: 256> : tile<i32>
    %b20, %b21, %b22 = get_tile_block_id : tile<i32>
    %v23 = muli %b20, %v19 : tile<i32>
    %v24 = reshape %v23 : tile<i32> -> tile<1x1xi32>
    %v25 = broadcast %v24 : tile<1x1xi32> -> tile<4x64xi32>
    %v26 = addi %v25, %v18 : tile<4x64xi32>
    %v28 = assume div_by<4>, %p27 : tile<ptr<i8>>
    %v29 = reshape %v28 : tile<ptr<i8>> -> tile<1x1xptr<i8>>
    %v30 = broadcast %v29 : tile<1x1xptr<i8>> -> tile<4x64xptr<i8>>
    %v31 = offset %v30, %v26 : tile<4x64xptr<i8>>, tile<4x64xi32> -> tile<4x64xptr<i8>>
    %v32 = constant <i32: 216> : tile<4x64xi32>
    %v33 = cmpi greater_than %v32, %v26, signed : tile<4x64xi32> -> tile<4x64xi1>
    %k34 = store_ptr_tko weak %v31, %v8, %v33 : tile<4x64xptr<i8>>, tile<4x64xi8>, tile<4x64xi1> -> token
    return
  }
}
