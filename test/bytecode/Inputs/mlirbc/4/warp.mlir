#layout = #cute.layout<((1@1, 8@0, 8@1, 16@1, 16@0), (2@1, 4@1, 1@0, 2@0, 4@0), (32@0, 32@1), ())>
#layout1 = #cute.layout<((1@1, 2@1, 4@1, 16@0, 32@0), (8@1, 16@1, 32@1, 1@0, 2@0), (4@0, 8@0), ())>
#layout2 = #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 32@1, 1@0+8@1, 2@0+16@1, 4@0+32@1, 8@0, 16@0, 32@0)>
#layout3 = #cute.layout<((1@1, 8@0, 8@1, 16@0), (2@1, 4@1, 1@0, 2@0, 4@0), (32@0, 0), ())>
#layout4 = #cute.layout<((1@0, 8@0, 8@1, 16@1), (2@0, 4@0, 1@1, 2@1, 4@1), (0, 32@1), ())>
#layout5 = #cute.layout<(1@1, 16@0, 8@0, 2@1, 4@1, 1@0, 2@0, 4@0, 32@0, 34@1, 12@1, 8@0+16@1)>
#layout6 = #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>
#layout7 = #cute.layout<(1@0, 2@0, 4@0)>
#layout8 = #cute.layout<(1@0, 2@0)>
#layout9 = #cute.layout<(1@0, 1@1)>
#layout10 = #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>
#layout11 = #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>
module {
  cuda_tile.module @kernels {
    entry @matmul_f16_64x64x64(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> attributes {tileas.plan = {mma = "m16n8k16", num_warps = 4 : i64, warps_m = 2 : i64, warps_n = 2 : i64}, tileas.shared_bytes = 16384 : i64, tileas.target = "sm_90"} {
      %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32, #layout>
      %cst_0_i32 = constant <i32: 0> : tile<i32>
      %cst_8_i32 = constant <i32: 8> : tile<i32>
      %cst_64_i32 = constant <i32: 64> : tile<i32>
      %cst_1_i32 = constant <i32: 1> : tile<i32>
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
      %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
      %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
      %assume_assume_11 = assume bounded<0, ?>, %assume_1 : tile<i32>
      %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
      %assume_assume_13 = assume bounded<0, ?>, %assume_2 : tile<i32>
      %assume_assume_assume_14 = assume div_by<8>, %assume_assume_13 : tile<i32>
      %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_12], strides = [%assume_assume_assume_14, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
      %assume_assume_15 = assume bounded<0, ?>, %assume_4 : tile<i32>
      %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
      %assume_assume_17 = assume bounded<0, ?>, %assume_5 : tile<i32>
      %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
      %assume_assume_19 = assume bounded<0, ?>, %assume_6 : tile<i32>
      %assume_assume_assume_20 = assume div_by<8>, %assume_assume_19 : tile<i32>
      %tview_21 = make_tensor_view %assume_3, shape = [%assume_assume_assume_16, %assume_assume_assume_18], strides = [%assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
      %assume_assume_22 = assume bounded<0, ?>, %assume_8 : tile<i32>
      %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
      %assume_assume_24 = assume bounded<0, ?>, %assume_9 : tile<i32>
      %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
      %assume_assume_26 = assume bounded<0, ?>, %assume_10 : tile<i32>
      %assume_assume_assume_27 = assume div_by<8>, %assume_assume_26 : tile<i32>
      %tview_28 = make_tensor_view %assume_7, shape = [%assume_assume_assume_23, %assume_assume_assume_25], strides = [%assume_assume_assume_27, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
      %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
      %1 = divi %assume_assume_assume, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
      %2 = divi %assume_assume_assume_18, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
      %3 = muli %cst_8_i32, %2 : tile<i32>
      %4 = divi %blockId_x, %3 signed rounding<negative_inf> : tile<i32>
      %5 = muli %4, %cst_8_i32 : tile<i32>
      %6 = subi %1, %5 : tile<i32>
      %7 = mini %6, %cst_8_i32 signed : tile<i32>
      %8 = remi %blockId_x, %7 signed : tile<i32>
      %9 = cmpi less_than %8, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %10 = cmpi less_than %7, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %11 = xori %9, %10 : tile<i1>
      %12 = cmpi not_equal %8, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %13 = andi %11, %12 : tile<i1>
      %14 = addi %8, %7 : tile<i32>
      %15 = select %13, %14, %8 : tile<i1>, tile<i32>
      %16 = addi %5, %15 : tile<i32>
      %17 = remi %blockId_x, %3 signed : tile<i32>
      %18 = cmpi less_than %17, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %19 = cmpi less_than %3, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %20 = xori %18, %19 : tile<i1>
      %21 = cmpi not_equal %17, %cst_0_i32, signed : tile<i32> -> tile<i1>
      %22 = andi %20, %21 : tile<i1>
      %23 = addi %17, %3 : tile<i32>
      %24 = select %22, %23, %17 : tile<i1>, tile<i32>
      %25 = divi %24, %7 signed rounding<negative_inf> : tile<i32>
      %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>
      %26:2 = get_index_space_shape %pview : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
      %pview_29 = make_partition_view %tview : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
      %pview_30 = make_partition_view %tview_21 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
      %for = for %loopIdx in (%cst_0_i32 to %26#1, step %cst_1_i32) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<64x64xf32, #layout>) {
        %tile, %result_token = load_view_tko weak %pview_29[%16, %loopIdx] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16, #layout1>, token
        %tile_32, %result_token_33 = load_view_tko weak %pview_30[%loopIdx, %25] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x64xf16, #layout1>, token
        %31 = tileas.alloc_shared offset = 0 : !tileas.buffer<64x64xf16, #layout2>
        tileas.barrier
        tileas.store_shared %tile, %31 : tile<64x64xf16, #layout1>, !tileas.buffer<64x64xf16, #layout2>
        %32 = tileas.alloc_shared offset = 8192 : !tileas.buffer<64x64xf16, #layout2>
        tileas.store_shared %tile_32, %32 : tile<64x64xf16, #layout1>, !tileas.buffer<64x64xf16, #layout2>
        tileas.barrier
        %33 = tileas.load_shared %31[0, 0] : !tileas.buffer<64x64xf16, #layout2> -> tile<64x16xf16, #layout3>
        %34 = tileas.load_shared %32[0, 0] : !tileas.buffer<64x64xf16, #layout2> -> tile<16x64xf16, #layout4>
        %35 = tileas.mma_sync %33, %34, %iterArg0 atom = "m16n8k16" : tile<64x16xf16, #layout3>, tile<16x64xf16, #layout4>, tile<64x64xf32, #layout>
        %36 = tileas.load_shared %31[0, 16] : !tileas.buffer<64x64xf16, #layout2> -> tile<64x16xf16, #layout3>
        %37 = tileas.load_shared %32[16, 0] : !tileas.buffer<64x64xf16, #layout2> -> tile<16x64xf16, #layout4>
        %38 = tileas.mma_sync %36, %37, %35 atom = "m16n8k16" : tile<64x16xf16, #layout3>, tile<16x64xf16, #layout4>, tile<64x64xf32, #layout>
        %39 = tileas.load_shared %31[0, 32] : !tileas.buffer<64x64xf16, #layout2> -> tile<64x16xf16, #layout3>
        %40 = tileas.load_shared %32[32, 0] : !tileas.buffer<64x64xf16, #layout2> -> tile<16x64xf16, #layout4>
        %41 = tileas.mma_sync %39, %40, %38 atom = "m16n8k16" : tile<64x16xf16, #layout3>, tile<16x64xf16, #layout4>, tile<64x64xf32, #layout>
        %42 = tileas.load_shared %31[0, 48] : !tileas.buffer<64x64xf16, #layout2> -> tile<64x16xf16, #layout3>
        %43 = tileas.load_shared %32[48, 0] : !tileas.buffer<64x64xf16, #layout2> -> tile<16x64xf16, #layout4>
        %44 = tileas.mma_sync %42, %43, %41 atom = "m16n8k16" : tile<64x16xf16, #layout3>, tile<16x64xf16, #layout4>, tile<64x64xf32, #layout>
        continue %44 : tile<64x64xf32, #layout>
      }
      %27 = ftof %for  : tile<64x64xf32, #layout> -> tile<64x64xf16, #layout>
      %28 = tileas.alloc_shared offset = 0 : !tileas.buffer<64x64xf16, #layout5>
      tileas.barrier
      tileas.store_shared %27, %28 : tile<64x64xf16, #layout>, !tileas.buffer<64x64xf16, #layout5>
      tileas.barrier
      %29 = tileas.load_shared %28[0, 0] : !tileas.buffer<64x64xf16, #layout5> -> tile<64x64xf16, #layout1>
      %pview_31 = make_partition_view %tview_28 : partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>
      %30 = store_view_tko weak %29, %pview_31[%16, %25] token = %0 : tile<64x64xf16, #layout1>, partition_view<tile=(64x64), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
      return
    }
  }
  cuda_tile.module @parts {
    entry @part_of_a_tile() {
      %0 = iota : tile<32xi32, #layout6>
      %1 = tileas.alloc_shared : !tileas.buffer<8xi32, #layout7>
      tileas.store_shared %0 at [24], %1 : tile<32xi32, #layout6>, !tileas.buffer<8xi32, #layout7>
      %2 = tileas.load_shared %1[24] into %0 : tile<32xi32, #layout6> : !tileas.buffer<8xi32, #layout7> -> tile<32xi32, #layout6>
      return
    }
  }
  cuda_tile.module @rings {
    entry @copies(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<ptr<f32>>) {
      %tview = make_tensor_view %arg0, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      %pview = make_partition_view %tview : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>
      %0 = tileas.alloc_shared : !tileas.buffer<4xf32, #layout8>
      %1 = tileas.copy_in %pview[%arg1] to %0 engine = "cp_async" : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #layout8>
      %2 = tileas.copy_in %pview[%arg1] token = %1 to %0 engine = "tma" map = 1 : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>] to !tileas.buffer<4xf32, #layout8>
      %cst_0_i64 = constant <i64: 0> : tile<4xi64>
      %3 = int_to_ptr %cst_0_i64 : tile<4xi64> -> tile<4xptr<f32>>
      %false = constant <i1: false> : tile<4xi1>
      %4 = tileas.gather_in %3 to %0 : tile<4xptr<f32>> to !tileas.buffer<4xf32, #layout8>
      %5 = tileas.gather_in %3 mask(%false : tile<4xi1>) token = %4 to %0 : tile<4xptr<f32>> to !tileas.buffer<4xf32, #layout8>
      %6 = tileas.copy_out %0 to %pview[%arg1] token = %5 engine = "tma" map = 0 : !tileas.buffer<4xf32, #layout8> to partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>]
      tileas.await_copies read groups = 1
      tileas.await_copies
      tileas.barrier async
      %7 = tileas.reinterpret %0 : !tileas.buffer<4xf32, #layout8> -> !tileas.buffer<2x2xf32, #layout9>
      return
    }
    entry @turns(%arg0: tile<i32>) {
      %0 = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" offset = 1024 : !tileas.ring<3, !tileas.buffer<4xf32, #layout8>, !tileas.buffer<4xf32, #layout8>>
      %1 = tileas.tiles (%arg1, %arg2, %arg3) iter_values(%arg4 = %arg0) -> (tile<i32>) {
        %2:2 = tileas.acquire %0[%arg4] : !tileas.ring<3, !tileas.buffer<4xf32, #layout8>, !tileas.buffer<4xf32, #layout8>>
        tileas.publish %0[%arg4] : !tileas.ring<3, !tileas.buffer<4xf32, #layout8>, !tileas.buffer<4xf32, #layout8>>
        %3:2 = tileas.take %0[%arg4] groups = 2 : !tileas.ring<3, !tileas.buffer<4xf32, #layout8>, !tileas.buffer<4xf32, #layout8>>
        tileas.release %0[%arg4] : !tileas.ring<3, !tileas.buffer<4xf32, #layout8>, !tileas.buffer<4xf32, #layout8>>
        tileas.next_tile %arg4 : tile<i32>
      }
      tileas.tiles (%arg1, %arg2, %arg3) {
      }
      return
    }
    entry @products(%arg0: tile<i32>) {
      %0 = tileas.ring fill = "tma" drain = "wgmma" sync = "mbarriers" : !tileas.ring<2, !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>>
      tileas.roles role "work" warps = 4 threads = 128 registers = 232 {
        %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x8xf32>
        %1 = tileas.settled %cst_0_f32 : tile<64x8xf32>
        %2:2 = tileas.take %0[%arg0] : !tileas.ring<2, !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>>
        %3 = tileas.wgmma %2#0, %2#1, %1 atom = "m64n8k16" : !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>, !tileas.pending<tile<64x8xf32>>
        %cst_1_f16 = constant <f16: 1.000000e+00> : tile<64x16xf16>
        %4 = tileas.wgmma %cst_1_f16, %2#1, %3 atom = "m64n8k16" : tile<64x16xf16>, !tileas.buffer<16x8xf16, #layout11>, !tileas.pending<tile<64x8xf32>>
        tileas.release %0[%arg0] after(%3 : !tileas.pending<tile<64x8xf32>>) groups = 1 : !tileas.ring<2, !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>>
        %5:2 = tileas.await %3, %4 groups = 0 : !tileas.pending<tile<64x8xf32>>, !tileas.pending<tile<64x8xf32>>
      } role "load" warps = 4 threads = 1 registers = 40 {
        %1:2 = tileas.acquire %0[%arg0] : !tileas.ring<2, !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>>
        tileas.publish %0[%arg0] : !tileas.ring<2, !tileas.buffer<64x16xf16, #layout10>, !tileas.buffer<16x8xf16, #layout11>>
      }
      return
    }
  }
}

