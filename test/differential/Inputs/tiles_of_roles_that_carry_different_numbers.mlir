// On sm_100: loops over tiles carry two numbers in a role and three in another one; the
// checker of rings took them for loops that run differently often.
// differential: seed=18245 grid=1 warps=4
// differential: scalar i32 0x40
// differential: array 1 tf32 size=8192 start=0 shape=8192 strides=1 values=whole
// differential: scalar i32 0x7f
// differential: array 2 tf32 size=8568 start=0 shape=8568 strides=1 values=whole
// differential: scalar i32 0x3f
// differential: array 4 tf32 size=4032 start=0 shape=4032 strides=1 values=whole
// differential: array 6 tf32 size=8128 start=0 shape=8128 strides=1 values=whole
// differential: scalar i32 0x2
module {
  cuda_tile.module @m {
    entry @k(%arg0: tile<i32>, %arg1: tile<ptr<tf32>>, %arg2: tile<i32>, %arg3: tile<ptr<tf32>>, %arg4: tile<i32>, %arg5: tile<ptr<tf32>>, %arg6: tile<ptr<tf32>>, %arg7: tile<i32>) {
      %assume = assume bounded<0, ?>, %arg0 : tile<i32>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %assume_0 = assume div_by<16>, %arg1 : tile<ptr<tf32>>
      %tview = make_tensor_view %assume_0, shape = [1, %assume, 125], strides = [8192, 128, 1] : tile<i32> -> tensor_view<1x?x125xtf32, strides=[8192,128,1]>
      %pview = make_partition_view %tview : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<1x?x125xtf32, strides=[8192,128,1]>>
      %assume_1 = assume bounded<0, ?>, %arg2 : tile<i32>
      %assume_2 = assume div_by<16>, %arg3 : tile<ptr<tf32>>
      %tview_3 = make_tensor_view %assume_2, shape = [63, %assume_1], strides = [136, 1] : tile<i32> -> tensor_view<63x?xtf32, strides=[136,1]>
      %pview_4 = make_partition_view %tview_3 : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x?xtf32, strides=[136,1]>, dim_map=[1, 0]>
      %assume_5 = assume bounded<0, ?>, %arg4 : tile<i32>
      %assume_6 = assume div_by<16>, %arg5 : tile<ptr<tf32>>
      %tview_7 = make_tensor_view %assume_6, shape = [2, %assume_5, 29], strides = [2016, 32, 1] : tile<i32> -> tensor_view<2x?x29xtf32, strides=[2016,32,1]>
      %pview_8 = make_partition_view %tview_7 : partition_view<tile=(1x64x4), padding_value = zero, tensor_view<2x?x29xtf32, strides=[2016,32,1]>>
      %assume_9 = assume div_by<16>, %arg6 : tile<ptr<tf32>>
      %tview_10 = make_tensor_view %assume_9, shape = [127, 61], strides = [64, 1] : tensor_view<127x61xtf32, strides=[64,1]>
      %pview_11 = make_partition_view %tview_10 : partition_view<tile=(64x64), padding_value = zero, tensor_view<127x61xtf32, strides=[64,1]>>
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32>
      %cst_0_f32_12 = constant <f32: 0.000000e+00> : tile<64x4xf32>
      %cst_0_f32_13 = constant <f32: 0.000000e+00> : tile<64x64xf32>
      %cst_0_i32_14 = constant <i32: 0> : tile<i32>
      %cst_1_i32 = constant <i32: 1> : tile<i32>
      %for:3 = for %loopIdx in (%cst_0_i32_14 to %arg7, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_0_f32_12, %iterArg2 = %cst_0_f32_13) -> (tile<64x64xf32>, tile<64x4xf32>, tile<64x64xf32>) {
        %cst_0_i32_15 = constant <i32: 0> : tile<i32>
        %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32_15, %loopIdx] : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<1x?x125xtf32, strides=[8192,128,1]>>, tile<i32> -> tile<1x64x64xtf32>, token
        %reshape = reshape %tile : tile<1x64x64xtf32> -> tile<64x64xtf32>
        %cst_0_i32_16 = constant <i32: 0> : tile<i32>
        %tile_17, %result_token_18 = load_view_tko weak %pview_4[%loopIdx, %cst_0_i32_16] : partition_view<tile=(64x64), padding_value = zero, tensor_view<63x?xtf32, strides=[136,1]>, dim_map=[1, 0]>, tile<i32> -> tile<64x64xtf32>, token
        %0 = mmaf %reshape, %tile_17, %iterArg0 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
        %cst_0_tf32 = constant <tf32: 0.000000e+00> : tile<64x64xtf32>
        %cst_0_i32_19 = constant <i32: 0> : tile<i32>
        %tile_20, %result_token_21 = load_view_tko weak %pview_8[%loopIdx, %cst_0_i32_19, %cst_0_i32_19] : partition_view<tile=(1x64x4), padding_value = zero, tensor_view<2x?x29xtf32, strides=[2016,32,1]>>, tile<i32> -> tile<1x64x4xtf32>, token
        %reshape_22 = reshape %tile_20 : tile<1x64x4xtf32> -> tile<64x4xtf32>
        %1 = mmaf %cst_0_tf32, %reshape_22, %iterArg1 : tile<64x64xtf32>, tile<64x4xtf32>, tile<64x4xf32>
        %cst_0_tf32_23 = constant <tf32: 0.000000e+00> : tile<64x64xtf32>
        %cst_0_i32_24 = constant <i32: 0> : tile<i32>
        %tile_25, %result_token_26 = load_view_tko weak %pview_11[%loopIdx, %cst_0_i32_24] : partition_view<tile=(64x64), padding_value = zero, tensor_view<127x61xtf32, strides=[64,1]>>, tile<i32> -> tile<64x64xtf32>, token
        %2 = mmaf %cst_0_tf32_23, %tile_25, %iterArg2 : tile<64x64xtf32>, tile<64x64xtf32>, tile<64x64xf32>
        continue %0, %1, %2 : tile<64x64xf32>, tile<64x4xf32>, tile<64x64xf32>
      }
      return
    }
  }
}

