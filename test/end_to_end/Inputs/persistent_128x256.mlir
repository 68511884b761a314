// The ordinary persistent product: its epilogue goes through shared memory beside the rings.
cuda_tile.module @kernels {
  entry @matmul_persist_f16_128x256x64(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
    %0 = make_token : token
    %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
    %assume_0 = assume div_by<16>, %arg1 : tile<i32>
    %assume_1 = assume div_by<16>, %arg2 : tile<i32>
    %assume_2 = assume div_by<8>, %arg3 : tile<i32>
    %assume_3 = assume div_by<16>, %arg5 : tile<ptr<f16>>
    %assume_4 = assume div_by<16>, %arg6 : tile<i32>
    %assume_5 = assume div_by<16>, %arg7 : tile<i32>
    %assume_6 = assume div_by<8>, %arg8 : tile<i32>
    %assume_7 = assume div_by<16>, %arg10 : tile<ptr<f16>>
    %assume_8 = assume div_by<16>, %arg11 : tile<i32>
    %assume_9 = assume div_by<16>, %arg12 : tile<i32>
    %assume_10 = assume div_by<8>, %arg13 : tile<i32>
    %cst_1_i32 = constant <i32: 1> : tile<i32>
    %cst_1_i32_11 = constant <i32: 1> : tile<i32>
    %cst_1_i32_12 = constant <i32: 1> : tile<i32>
    %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
    %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
    %assume_assume_13 = assume bounded<0, ?>, %assume_1 : tile<i32>
    %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
    %assume_assume_15 = assume bounded<0, ?>, %assume_2 : tile<i32>
    %assume_assume_assume_16 = assume div_by<8>, %assume_assume_15 : tile<i32>
    %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_14], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %assume_assume_17 = assume bounded<0, ?>, %assume_4 : tile<i32>
    %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
    %assume_assume_19 = assume bounded<0, ?>, %assume_5 : tile<i32>
    %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
    %assume_assume_21 = assume bounded<0, ?>, %assume_6 : tile<i32>
    %assume_assume_assume_22 = assume div_by<8>, %assume_assume_21 : tile<i32>
    %tview_23 = make_tensor_view %assume_3, shape = [%assume_assume_assume_18, %assume_assume_assume_20], strides = [%assume_assume_assume_22, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %assume_assume_24 = assume bounded<0, ?>, %assume_8 : tile<i32>
    %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
    %assume_assume_26 = assume bounded<0, ?>, %assume_9 : tile<i32>
    %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
    %assume_assume_28 = assume bounded<0, ?>, %assume_10 : tile<i32>
    %assume_assume_assume_29 = assume div_by<8>, %assume_assume_28 : tile<i32>
    %tview_30 = make_tensor_view %assume_7, shape = [%assume_assume_assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %cst_128_i32 = constant <i32: 128> : tile<i32>
    %cst_256_i32 = constant <i32: 256> : tile<i32>
    %pview = make_partition_view %tview : partition_view<tile=(128x64), tensor_view<?x?xf16, strides=[?,1]>>
    %1:2 = get_index_space_shape %pview : partition_view<tile=(128x64), tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %2 = divi %assume_assume_assume, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
    %3 = divi %assume_assume_assume_20, %cst_256_i32 signed rounding<positive_inf> : tile<i32>
    %4 = muli %2, %3 : tile<i32>
    %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x256xf32>
    %cst_8_i32 = constant <i32: 8> : tile<i32>
    %5 = divi %assume_assume_assume, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
    %6 = divi %assume_assume_assume_20, %cst_256_i32 signed rounding<positive_inf> : tile<i32>
    %7 = muli %cst_8_i32, %6 : tile<i32>
    %cst_0_i32 = constant <i32: 0> : tile<i32>
    %cst_0_i32_31 = constant <i32: 0> : tile<i32>
    %8 = cmpi less_than %7, %cst_0_i32_31, signed : tile<i32> -> tile<i1>
    %cst_0_i32_32 = constant <i32: 0> : tile<i32>
    %cst_1_i32_33 = constant <i32: 1> : tile<i32>
    %pview_34 = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pview_35 = make_partition_view %tview_23 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %pview_36 = make_partition_view %tview_30 : partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>
    %for = for %loopIdx in (%blockId_x to %4, step %gridSize_x) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
      %9 = divi %loopIdx, %7 signed rounding<negative_inf> : tile<i32>
      %10 = muli %9, %cst_8_i32 : tile<i32>
      %11 = subi %5, %10 : tile<i32>
      %12 = mini %11, %cst_8_i32 signed : tile<i32>
      %13 = remi %loopIdx, %12 signed : tile<i32>
      %14 = cmpi less_than %13, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %15 = cmpi less_than %12, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %16 = xori %14, %15 : tile<i1>
      %17 = cmpi not_equal %13, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %18 = andi %16, %17 : tile<i1>
      %19 = addi %13, %12 : tile<i32>
      %20 = select %18, %19, %13 : tile<i1>, tile<i32>
      %21 = addi %10, %20 : tile<i32>
      %22 = remi %loopIdx, %7 signed : tile<i32>
      %23 = cmpi less_than %22, %cst_0_i32_31, signed : tile<i32> -> tile<i1>
      %24 = xori %23, %8 : tile<i1>
      %25 = cmpi not_equal %22, %cst_0_i32_31, signed : tile<i32> -> tile<i1>
      %26 = andi %24, %25 : tile<i1>
      %27 = addi %22, %7 : tile<i32>
      %28 = select %26, %27, %22 : tile<i1>, tile<i32>
      %29 = divi %28, %12 signed rounding<negative_inf> : tile<i32>
      %for_37 = for %loopIdx_38 in (%cst_0_i32_32 to %1#1, step %cst_1_i32_33) : tile<i32> iter_values(%iterArg0_39 = %cst_0_f32) -> (tile<128x256xf32>) {
        %tile, %result_token = load_view_tko weak %pview_34[%21, %loopIdx_38] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
        %tile_40, %result_token_41 = load_view_tko weak %pview_35[%loopIdx_38, %29] token = %0 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x256xf16>, token
        %32 = mmaf %tile, %tile_40, %iterArg0_39 : tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
        continue %32 : tile<128x256xf32>
      }
      %30 = ftof %for_37  : tile<128x256xf32> -> tile<128x256xf16>
      %31 = store_view_tko weak %30, %pview_36[%21, %29] token = %iterArg0 : tile<128x256xf16>, partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
      continue %31 : token
    }
    return
  }
}
