// On sm_100: a release stood behind the await of a sum that each iteration begins
// anew; the await went as the sum became a slot.
// differential: seed=34655 grid=1 warps=4
// differential: scalar i32 0x3a
// differential: array 2 bf16 size=18288 start=0 shape=18288 strides=1 values=whole
// differential: array 3 bf16 size=9216 start=0 shape=9216 strides=1 values=whole
// differential: scalar i32 0x0
module {
  cuda_tile.module @m {
    entry @k(%arg0: tile<i32>, %arg1: tile<ptr<bf16>>, %arg2: tile<ptr<bf16>>, %arg3: tile<i32>) {
      %assume = assume bounded<0, ?>, %arg0 : tile<i32>
      %assume_0 = assume div_by<16>, %arg1 : tile<ptr<bf16>>
      %tview = make_tensor_view %assume_0, shape = [2, 127, %assume], strides = [9144, 72, 1] : tile<i32> -> tensor_view<2x127x?xbf16, strides=[9144,72,1]>
      %pview = make_partition_view %tview : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<2x127x?xbf16, strides=[9144,72,1]>>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %cst_0_i32_1 = constant <i32: 0> : tile<i32>
      %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_1, %cst_0_i32_1] : partition_view<tile=(1x128x64), padding_value = zero, tensor_view<2x127x?xbf16, strides=[9144,72,1]>>, tile<i32> -> tile<1x128x64xbf16>, token
      %reshape = reshape %tile : tile<1x128x64xbf16> -> tile<128x64xbf16>
      %cst_0_i32_2 = constant <i32: 0> : tile<i32>
      %assume_3 = assume div_by<16>, %arg2 : tile<ptr<bf16>>
      %tview_4 = make_tensor_view %assume_3, shape = [2, 64, 64], strides = [4608, 72, 1] : tensor_view<2x64x64xbf16, strides=[4608,72,1]>
      %pview_5 = make_partition_view %tview_4 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<2x64x64xbf16, strides=[4608,72,1]>>
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x1xf32>
      %cst_0_i32_6 = constant <i32: 0> : tile<i32>
      %cst_1_i32 = constant <i32: 1> : tile<i32>
      %for = for %loopIdx in (%cst_0_i32_6 to %arg3, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<128x1xf32>) {
        %cst_0_i32_7 = constant <i32: 0> : tile<i32>
        %tile_8, %result_token_9 = load_view_tko weak %pview_5[%cst_0_i32_2, %cst_0_i32_7, %loopIdx] : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<2x64x64xbf16, strides=[4608,72,1]>>, tile<i32> -> tile<1x64x64xbf16>, token
        %reshape_10 = reshape %tile_8 : tile<1x64x64xbf16> -> tile<64x64xbf16>
        %cst_0_f32_11 = constant <f32: 0.000000e+00> : tile<128x64xf32>
        %0 = mmaf %reshape, %reshape_10, %cst_0_f32_11 : tile<128x64xbf16>, tile<64x64xbf16>, tile<128x64xf32>
        %reduce = reduce %0 dim=1 identities=[-1.024000e+03 : f32] : tile<128x64xf32> -> tile<128xf32> 
        (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
          yield %reduce_lhs : tile<f32>
        }
        %reshape_12 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
        %1 = maxf %iterArg0, %reshape_12 : tile<128x1xf32>
        continue %1 : tile<128x1xf32>
      }
      return
    }
  }
}

