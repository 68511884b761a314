// The second reduction yields a number from outside, which its exchange moves up with.
// differential: seed=3 grid=1 warps=4
// differential: scalar i32 0x26
// differential: array 0 f64 size=64 start=0 shape=64 strides=1
// differential: array 1 i1 size=2048 start=0 shape=32x64 strides=64,1
cuda_tile.module @m {
  entry @k(%v19: tile<i32>, %v110: tile<ptr<f64>>, %v116: tile<ptr<i1>>) {
    %v0 = constant <i32: 0> : tile<i32>
    %v12 = constant <i1: false> : tile<32x32xi1>
    %v16 = reduce %v12 dim=0 identities=[false] : tile<32x32xi1> -> tile<32xi1> (%v13: tile<i1>, %v14: tile<i1>) {
      %v15 = constant <i1: false> : tile<i1>
      yield %v15 : tile<i1>
    }
    %v17 = reshape %v16 : tile<32xi1> -> tile<1x32xi1>
    %v18 = broadcast %v17 : tile<1x32xi1> -> tile<32x32xi1>
    %v20 = assume bounded<38, 39>, %v19 : tile<i32>
    %v23 = constant <i32: 0> : tile<4x1x16xi32>
    %v24 = constant <f64: 0.0> : tile<4x1x16xf64>
    %v32, %v33 = reduce %v23, %v24 dim=0 identities=[0 : i32, 0x7FF8000000000000 : f64] : tile<4x1x16xi32>, tile<4x1x16xf64> -> tile<1x16xi32>, tile<1x16xf64> (%v25: tile<i32>, %v26: tile<i32>, %v27: tile<f64>, %v28: tile<f64>) {
      %v31 = constant <f64: 0.0> : tile<f64>
      yield %v20, %v31 : tile<i32>, tile<f64>
    }
    %v111 = constant <i32: 2> : tile<i32>
    %v112 = make_tensor_view %v110, shape = [%v111, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf64, strides=[16,1]>
    %v113 = make_partition_view %v112 : partition_view<tile=(1x16), tensor_view<?x16xf64, strides=[16,1]>, dim_map=[0, 1]>
    %v114 = constant <i32: 0> : tile<i32>
    %v115 = store_view_tko weak %v33, %v113[%v0, %v114] : tile<1x16xf64>, partition_view<tile=(1x16), tensor_view<?x16xf64, strides=[16,1]>, dim_map=[0, 1]>, tile<i32>, tile<i32> -> token
    %v117 = make_tensor_view %v116, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xi1, strides=[64,1]>
    %v118 = make_partition_view %v117 : partition_view<tile=(32x32), tensor_view<32x64xi1, strides=[64,1]>, dim_map=[0, 1]>
    %v119 = constant <i32: 0> : tile<i32>
    %v120 = store_view_tko weak %v18, %v118[%v119, %v0] inbounds = [true, true] : tile<32x32xi1>, partition_view<tile=(32x32), tensor_view<32x64xi1, strides=[64,1]>, dim_map=[0, 1]>, tile<i32>, tile<i32> -> token
    return
  }
}
