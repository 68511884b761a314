// On sm_100: a release waits for a product that the next iteration awaits again: two
// waits, one commit.
// differential: seed=26953 grid=1 warps=4
// differential: scalar i32 0x9a
// differential: array 3 f16 size=2560 start=0 shape=2560 strides=1 values=whole
// differential: scalar i32 0x5
module {
  cuda_tile.module @m {
    entry @k(%arg0: tile<i32>, %arg1: tile<ptr<f16>>, %arg2: tile<i32>) {
      %assume = assume bounded<0, ?>, %arg0 : tile<i32>
      %assume_0 = assume div_by<16>, %arg1 : tile<ptr<f16>>
      %tview = make_tensor_view %assume_0, shape = [16, %assume], strides = [160, 1] : tile<i32> -> tensor_view<16x?xf16, strides=[160,1]>
      %pview = make_partition_view %tview : partition_view<tile=(16x16), padding_value = zero, tensor_view<16x?xf16, strides=[160,1]>>
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x16xf32>
      %cst_0_f32_1 = constant <f32: 0.000000e+00> : tile<64x16xf32>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %cst_1_i32 = constant <i32: 1> : tile<i32>
      %for:2 = for %loopIdx in (%cst_0_i32 to %arg2, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_0_f32_1) -> (tile<64x16xf32>, tile<64x16xf32>) {
        %cst_0_f16 = constant <f16: 0.000000e+00> : tile<16x16xf16>
        %cst_0_i32_2 = constant <i32: 0> : tile<i32>
        %tile, %result_token = load_view_tko weak %pview[%cst_0_i32_2, %loopIdx] : partition_view<tile=(16x16), padding_value = zero, tensor_view<16x?xf16, strides=[160,1]>>, tile<i32> -> tile<16x16xf16>, token
        %cst_0_f16_3 = constant <f16: 0.000000e+00> : tile<16x64xf16>
        %cst_0_f32_4 = constant <f32: 0.000000e+00> : tile<16x64xf32>
        %0 = mmaf %cst_0_f16, %cst_0_f16_3, %cst_0_f32_4 : tile<16x16xf16>, tile<16x64xf16>, tile<16x64xf32>
        %cst_0_f16_5 = constant <f16: 0.000000e+00> : tile<16x64xf16>
        %cst_0_f32_6 = constant <f32: 0.000000e+00> : tile<16x64xf32>
        %1 = mmaf %tile, %cst_0_f16_5, %cst_0_f32_6 : tile<16x16xf16>, tile<16x64xf16>, tile<16x64xf32>
        %2 = mulf %0, %1  : tile<16x64xf32>
        %3 = ftof %0  : tile<16x64xf32> -> tile<16x64xf16>
        %4 = ftof %2  : tile<16x64xf32> -> tile<16x64xf16>
        %5 = permute %4 [1, 0] : tile<16x64xf16> -> tile<64x16xf16>
        %6 = permute %3 [1, 0] : tile<16x64xf16> -> tile<64x16xf16>
        %7 = mmaf %5, %cst_0_f16, %iterArg0 : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
        %8 = mmaf %6, %tile, %iterArg1 : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
        continue %7, %8 : tile<64x16xf32>, tile<64x16xf32>
      }
      return
    }
  }
}
