// a branch leads nowhere
// differential: seed=51669 grid=1 warps=2
// differential: scalar i32 0xfffffff9
// differential: scalar i1 0x0
// differential: array 0 i32 size=512 start=0 shape=512 strides=1
// differential: array 1 i32 size=440 start=8 shape=432 strides=1
cuda_tile.module @m {
  entry @k(%s1: tile<i32>, %s4: tile<i1>, %p23: tile<ptr<i32>>, %p54: tile<ptr<i32>>) {
    %v2 = reshape %s1 : tile<i32> -> tile<1x1xi32>
    %v3 = broadcast %v2 : tile<1x1xi32> -> tile<16x32xi32>
    if %s4 {
      yield
    } else {
      %v5 = iota : tile<16xi32>
      %v6 = reshape %v5 : tile<16xi32> -> tile<1x16xi32>
      %v7 = broadcast %v6 : tile<1x16xi32> -> tile<32x16xi32>
      %v8 = constant <i32: 1> : tile<32x16xi32>
      %v9 = iota : tile<32xi32>
      %v10 = reshape %v9 : tile<32xi32> -> tile<32x1xi32>
      %v11 = broadcast %v10 : tile<32x1xi32> -> tile<32x16xi32>
      %v12 = constant <i32: 16> : tile<32x16xi32>
      %v13 = muli %v11, %v12 : tile<32x16xi32>
      %v14 = addi %v7, %v13 : tile<32x16xi32>
      %v15 = constant <i32: 512> : tile<i32>
      %b16, %b17, %b18 = get_tile_block_id : tile<i32>
      %v19 = muli %b16, %v15 : tile<i32>
      %v20 = reshape %v19 : tile<i32> -> tile<1x1xi32>
      %v21 = broadcast %v20 : tile<1x1xi32> -> tile<32x16xi32>
      %v22 = addi %v21, %v14 : tile<32x16xi32>
      %v24 = assume div_by<256>, %p23 : tile<ptr<i32>>
      %v25 = reshape %v24 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
      %v26 = broadcast %v25 : tile<1x1xptr<i32>> -> tile<32x16xptr<i32>>
      %v27 = offset %v26, %v22 : tile<32x16xptr<i32>>, tile<32x16xi32> -> tile<32x16xptr<i32>>
      %v28, %k29 = load_ptr_tko weak %v27 : tile<32x16xptr<i32>> -> tile<32x16xi32>, token
      %v30 = permute %v28 [1, 0] : tile<32x16xi32> -> tile<16x32xi32>
      %v31 = subi %v3, %v30 : tile<16x32xi32>
      yield
    }
    %v32 = reduce %v3 dim=0 identities=[0 : i32] : tile<16x32xi32> -> tile<32xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      %r = addi %a, %b : tile<i32>
      yield %r : tile<i32>
    }
    %v33 = reshape %v32 : tile<32xi32> -> tile<1x32xi32>
    %v34 = broadcast %v33 : tile<1x32xi32> -> tile<16x32xi32>
    %v35 = xori %v3, %v34 : tile<16x32xi32>
    %v36 = iota : tile<16xi32>
    %v37 = reshape %v36 : tile<16xi32> -> tile<16x1xi32>
    %v38 = broadcast %v37 : tile<16x1xi32> -> tile<16x32xi32>
    %v39 = constant <i32: 1> : tile<16x32xi32>
    %v40 = iota : tile<32xi32>
    %v41 = reshape %v40 : tile<32xi32> -> tile<1x32xi32>
    %v42 = broadcast %v41 : tile<1x32xi32> -> tile<16x32xi32>
    %v43 = constant <i32: 16> : tile<16x32xi32>
    %v44 = muli %v42, %v43 : tile<16x32xi32>
    %v45 = addi %v38, %v44 : tile<16x32xi32>
    %v46 = constant <i32: 512> : tile<i32>
    %b47, %b48, %b49 = get_tile_block_id : tile<i32>
    %v50 = muli %b47, %v46 : tile<i32>
    %v51 = reshape %v50 : tile<i32> -> tile<1x1xi32>
    %v52 = broadcast %v51 : tile<1x1xi32> -> tile<16x32xi32>
    %v53 = addi %v52, %v45 : tile<16x32xi32>
    %v55 = assume div_by<16>, %p54 : tile<ptr<i32>>
    %v56 = reshape %v55 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %v57 = broadcast %v56 : tile<1x1xptr<i32>> -> tile<16x32xptr<i32>>
    %v58 = offset %v57, %v53 : tile<16x32xptr<i32>>, tile<16x32xi32> -> tile<16x32xptr<i32>>
    %v59 = constant <i32: 432> : tile<16x32xi32>
    %v60 = cmpi greater_than %v59, %v53, signed : tile<16x32xi32> -> tile<16x32xi1>
    %k61 = store_ptr_tko weak %v58, %v35, %v60 : tile<16x32xptr<i32>>, tile<16x32xi32>, tile<16x32xi1> -> token
    return
  }
}
