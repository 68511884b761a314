module {
  cuda_tile.module @all {
    global @lut <f32: [1.500000e+00, 2.500000e+00]> : tile<2xf32>
    global private constant @tab alignment = 128 <i32: [1, 2, 3, 4]> : tile<4xi32>
    entry @k(%arg0: tile<ptr<f32>> {cuda_tile.note = "multicast", cuda_tile.size = 8 : i32}, %arg1: tile<ptr<i32>>, %arg2: tile<i32>, %arg3: tile<i64>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
      %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
      %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
      %cst_f32 = constant <f32: 5.000000e-01> : tile<8x8xf32>
      %cst_3_i32 = constant <i32: 3> : tile<8x8xi32>
      %cst_1_i8 = constant <i8: 1> : tile<8x8xi8>
      %cst_1_f16 = constant <f16: 1.000000e+00> : tile<8x8xf16>
      %true = constant <i1: true> : tile<8x8xi1>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %cst_1_i32 = constant <i32: 1> : tile<i32>
      %true_0 = constant <i1: true> : tile<i1>
      %0 = iota : tile<8xi32>
      %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
      %bcast = broadcast %reshape : tile<1x1xptr<f32>> -> tile<8x8xptr<f32>>
      %reshape_1 = reshape %arg1 : tile<ptr<i32>> -> tile<1x1xptr<i32>>
      %bcast_2 = broadcast %reshape_1 : tile<1x1xptr<i32>> -> tile<8x8xptr<i32>>
      %1 = cat %cst_f32, %cst_f32 dim = 1 : tile<8x8xf32>, tile<8x8xf32> -> tile<8x16xf32>
      %2 = extract %1[%cst_0_i32, %cst_1_i32] : tile<8x16xf32> -> tile<8x8xf32>
      %3 = permute %cst_f32 [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
      %4 = offset %bcast, %cst_3_i32 : tile<8x8xptr<f32>>, tile<8x8xi32> -> tile<8x8xptr<f32>>
      %5 = select %true, %cst_f32, %3 : tile<8x8xi1>, tile<8x8xf32>
      %6 = get_global @lut : tile<ptr<f32>>
      %7 = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
      %8 = absi %cst_3_i32 : tile<8x8xi32>
      %9 = addi %cst_3_i32, %8 overflow<no_signed_wrap> : tile<8x8xi32>
      %10 = subi %cst_3_i32, %8 : tile<8x8xi32>
      %11 = muli %cst_3_i32, %8 overflow<no_wrap> : tile<8x8xi32>
      %12 = mulhii %cst_3_i32, %8 : tile<8x8xi32>
      %13 = divi %cst_3_i32, %8 signed rounding<negative_inf> : tile<8x8xi32>
      %14 = remi %cst_3_i32, %8 unsigned : tile<8x8xi32>
      %15 = maxi %cst_3_i32, %8 signed : tile<8x8xi32>
      %16 = mini %cst_3_i32, %8 unsigned : tile<8x8xi32>
      %17 = negi %cst_3_i32 overflow<no_signed_wrap> : tile<8x8xi32>
      %18 = shli %cst_3_i32, %8 overflow<no_unsigned_wrap> : tile<8x8xi32>
      %19 = shri %cst_3_i32, %8 signed : tile<8x8xi32>
      %20 = andi %cst_3_i32, %8 : tile<8x8xi32>
      %21 = ori %cst_3_i32, %8 : tile<8x8xi32>
      %22 = xori %cst_3_i32, %8 : tile<8x8xi32>
      %23 = cmpi less_than_or_equal %cst_3_i32, %8, signed : tile<8x8xi32> -> tile<8x8xi1>
      %24 = absf %cst_f32 : tile<8x8xf32>
      %25 = addf %cst_f32, %24 rounding<zero> flush_to_zero : tile<8x8xf32>
      %26 = subf %cst_f32, %24  : tile<8x8xf32>
      %27 = mulf %cst_f32, %24 rounding<positive_inf> : tile<8x8xf32>
      %28 = divf %cst_f32, %24 rounding<approx> flush_to_zero : tile<8x8xf32>
      %29 = remf %cst_f32, %24 : tile<8x8xf32>
      %30 = fma %cst_f32, %24, %25  : tile<8x8xf32>
      %31 = maxf %cst_f32, %24 flush_to_zero propagate_nan : tile<8x8xf32>
      %32 = minf %cst_f32, %24 : tile<8x8xf32>
      %33 = negf %cst_f32 : tile<8x8xf32>
      %34 = ceil %cst_f32 : tile<8x8xf32>
      %35 = floor %cst_f32 : tile<8x8xf32>
      %36 = sqrt %cst_f32 rounding<approx> flush_to_zero : tile<8x8xf32>
      %37 = rsqrt %cst_f32 flush_to_zero : tile<8x8xf32>
      %38 = exp %cst_f32 rounding<approx> : tile<8x8xf32>
      %39 = exp2 %cst_f32 flush_to_zero : tile<8x8xf32>
      %40 = log %cst_f32 : tile<8x8xf32>
      %41 = log2 %cst_f32 : tile<8x8xf32>
      %42 = pow %cst_f32, %24 : tile<8x8xf32>
      %43 = sin %cst_f32 : tile<8x8xf32>
      %44 = cos %cst_f32 : tile<8x8xf32>
      %45 = tan %cst_f32 : tile<8x8xf32>
      %46 = sinh %cst_f32 : tile<8x8xf32>
      %47 = cosh %cst_f32 : tile<8x8xf32>
      %48 = tanh %cst_f32 rounding<approx> : tile<8x8xf32>
      %49 = atan2 %cst_f32, %24 : tile<8x8xf32>
      %50 = cmpf greater_than ordered %cst_f32, %24 : tile<8x8xf32> -> tile<8x8xi1>
      %51 = exti %cst_3_i32 signed : tile<8x8xi32> -> tile<8x8xi64>
      %52 = trunci %cst_3_i32 overflow<no_signed_wrap> : tile<8x8xi32> -> tile<8x8xi16>
      %53 = ftof %cst_f32  : tile<8x8xf32> -> tile<8x8xf16>
      %54 = ftoi %cst_f32 signed  : tile<8x8xf32> -> tile<8x8xi32>
      %55 = itof %cst_3_i32 unsigned  : tile<8x8xi32> -> tile<8x8xf32>
      %56 = bitcast %cst_3_i32 : tile<8x8xi32> -> tile<8x8xf32>
      %57 = ptr_to_int %arg0 : tile<ptr<f32>> -> tile<i64>
      %58 = int_to_ptr %57 : tile<i64> -> tile<ptr<i8>>
      %59 = ptr_to_ptr %58 : tile<ptr<i8>> -> tile<ptr<f32>>
      %cst_7_i8 = constant <i8: 7> : tile<64xi8>
      %60 = unpack %cst_7_i8 : tile<64xi8> -> tile<128xf4E2M1FN>
      %61 = pack %60 : tile<128xf4E2M1FN> -> tile<64xi8>
      %62 = mmaf %cst_1_f16, %cst_1_f16, %cst_f32 : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xf32>
      %63 = mmai %cst_1_i8, %cst_1_i8, %cst_3_i32 signed unsigned : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
      %cst_1_f8E4M3FN = constant <f8E4M3FN: 1.000000e+00> : tile<32x64xf8E4M3FN>
      %cst_1_f8E4M3FN_3 = constant <f8E4M3FN: 1.000000e+00> : tile<64x32xf8E4M3FN>
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<32x32xf32>
      %cst_1_f8E8M0FNU = constant <f8E8M0FNU: 1.000000e+00> : tile<32x2xf8E8M0FNU>
      %cst_1_f8E8M0FNU_4 = constant <f8E8M0FNU: 1.000000e+00> : tile<2x32xf8E8M0FNU>
      %64 = mmaf_scaled %cst_1_f8E4M3FN, %cst_1_f8E4M3FN_3, %cst_0_f32, %cst_1_f8E8M0FNU, %cst_1_f8E8M0FNU_4 : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
      %reduce = reduce %cst_f32 dim=0 identities=[0.000000e+00 : f32] : tile<8x8xf32> -> tile<8xf32> 
      (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
        %87 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
        yield %87 : tile<f32>
      }
      %65 = scan %cst_3_i32 dim=1 reverse=false identities=[0 : i32] : tile<8x8xi32> -> tile<8x8xi32> 
      (%arg4: tile<i32>, %arg5: tile<i32>) {
        %87 = addi %arg4, %arg5 : tile<i32>
        yield %87 : tile<i32>
      }
      %for = for unsigned %loopIdx in (%cst_0_i32 to %arg2, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<i32>) {
        %87 = addi %iterArg0, %loopIdx : tile<i32>
        continue %87 : tile<i32>
      }
      %66 = loop iter_values(%arg4 = %cst_0_i32) : tile<i32> -> tile<f32> {
        %87 = cmpi greater_than %arg4, %arg2, signed : tile<i32> -> tile<i1>
        if %87 {
          %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
          break %cst_1_f32 : tile<f32>
        }
        %88 = addi %arg4, %cst_1_i32 : tile<i32>
        continue %88 : tile<i32>
      }
      %67 = if %true_0 -> (tile<i32>) {
        yield %cst_0_i32 : tile<i32>
      } else {
        yield %cst_1_i32 : tile<i32>
      }
      assert %true_0, "must hold" : tile<i1>
      %assume = assume div_by<16>, %arg2 : tile<i32>
      %assume_assume = assume bounded<0, ?>, %assume : tile<i32>
      %assume_cst_3_i32 = assume same_elements<[2, 4]>, %cst_3_i32 : tile<8x8xi32>
      %68 = make_token : token
      %result, %result_token = load_ptr_tko weak %bcast token=%68 : tile<8x8xptr<f32>> -> tile<8x8xf32>, token
      %result_5, %result_token_6 = load_ptr_tko acquire device %bcast, %true, %cst_f32 token=%result_token optimization_hints = <sm_100 = {latency = 4}> : tile<8x8xptr<f32>>, tile<8x8xi1>, tile<8x8xf32> -> tile<8x8xf32>, token
      %69 = store_ptr_tko release sys %bcast, %result_5, %true token=%result_token_6 : tile<8x8xptr<f32>>, tile<8x8xf32>, tile<8x8xi1> -> token
      %70 = join_tokens %result_token, %69 : token
      %result_7, %result_token_8 = atomic_rmw_tko relaxed device %bcast_2, umax, %cst_3_i32, %true token=%70 : tile<8x8xptr<i32>>, tile<8x8xi32>, tile<8x8xi1> -> tile<8x8xi32>, token
      %result_9, %result_token_10 = atomic_cas_tko acq_rel tl_blk %bcast_2, %cst_3_i32, %8 token=%result_token_8 : tile<8x8xptr<i32>>, tile<8x8xi32> -> tile<8x8xi32>, token
      %71 = print_tko "n = %i", %arg2 token=%result_token_10 : tile<i32> -> token
      %tview = make_tensor_view %arg0, shape = [%arg2, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
      %pview = make_partition_view %tview : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
      %sview = make_strided_view %tview : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>
      %gsview = make_gather_scatter_view %tview : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
      %72:2 = get_tensor_shape %tview : tensor_view<?x64xf32, strides=[64,1]> -> tile<i32>
      %73:2 = get_index_space_shape %pview : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
      %tile, %result_token_11 = load_view_tko weak %pview[%blockId_x, %blockId_y] token = %71 optimization_hints = <sm_90 = {allow_tma = false, latency = 2}> : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
      %tile_12, %result_token_13 = load_view_tko relaxed device %gsview[%0, %cst_0_i32] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
      %74 = store_view_tko weak %tile, %sview[%blockId_x, %blockId_y] token = %result_token_11 : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
      %pview_14 = make_partition_view %tview : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
      %75 = atomic_red_view_tko relaxed device %pview_14[%blockId_x, %blockId_y], addf, %cst_f32 token = %74 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
      %76 = gdc_wait_tko token=%75 : token
      %77 = insert %cst_f32, %1[%cst_0_i32, %cst_1_i32] : tile<8x8xf32>, tile<8x16xf32> -> tile<8x16xf32>
      %78 = fpowi %cst_f32, %cst_3_i32 : tile<8x8xf32>, tile<8x8xi32>
      %79 = memory_fence_alias_tko token=%75 : token
      %80 = ftoi %cst_f32 signed  saturating : tile<8x8xf32> -> tile<8x8xi32>
      %tile_15, %result_token_16 = load_view_tko weak %pview[%blockId_x, %blockId_y] token = %79 inbounds = [true, false] : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
      %81 = gdc_launch_dependents_tko token=%result_token_16 : token
      %82 = atomic_red_view_tko relaxed device %pview_14[%blockId_x, %blockId_y], addf, %cst_f32 token = %81 inbounds = [true, true] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
      %83 = ptr_to_ptr %arg0 : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
      %tview_17 = make_tensor_view %83, shape = [%arg2, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
      %pview_18 = make_partition_view %tview_17 : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
      %cst_fnv8E5M3FNU = constant <fnv8E5M3FNU: 1.500000e+00> : tile<8x8xfnv8E5M3FNU>
      %tile_19, %result_token_20 = multimem_load_reduce_view_tko relaxed sys %pview_18[%blockId_x, %blockId_y], add token = %82 inbounds = [false, true] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x8xf32>, token
      %tile_21, %result_token_22 = multimem_load_reduce_view_tko weak %pview_18[%blockId_x, %blockId_y], add : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x8xf32>, token
      %84 = multimem_reduce_view_tko release sys %pview_18[%blockId_x, %blockId_y], add, %tile_19 token = %result_token_22 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
      %85 = multimem_store_view_tko release device %pview_18[%blockId_x, %blockId_y], %tile_21 token = %84 inbounds = [true, false] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
      %86 = multimem_store_view_tko weak %pview_18[%blockId_x, %blockId_y], %tile_21 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
      return
    }
  }
}
