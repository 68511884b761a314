
cuda_tile.module @all {
  global @lut <f32: [1.5, 2.5]> : tile<2xf32>
  global private constant @tab alignment = 128 <i32: [1, 2, 3, 4]> : tile<4xi32>
  entry @k(%p: tile<ptr<f32>> {cuda_tile.note = "multicast", cuda_tile.size = 8 : i32}, %q: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i64>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %cf = constant <f32: 0.5> : tile<8x8xf32>
    %ci = constant <i32: 3> : tile<8x8xi32>
    %c8 = constant <i8: 1> : tile<8x8xi8>
    %ch = constant <f16: 1.0> : tile<8x8xf16>
    %cb = constant <i1: true> : tile<8x8xi1>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = constant <i1: true> : tile<i1>
    %io = iota : tile<8xi32>
    %r = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %b = broadcast %r : tile<1x1xptr<f32>> -> tile<8x8xptr<f32>>
    %qr = reshape %q : tile<ptr<i32>> -> tile<1x1xptr<i32>>
    %qb = broadcast %qr : tile<1x1xptr<i32>> -> tile<8x8xptr<i32>>
    %ct = cat %cf, %cf dim = 1 : tile<8x8xf32>, tile<8x8xf32> -> tile<8x16xf32>
    %ex = extract %ct[%z, %one] : tile<8x16xf32> -> tile<8x8xf32>
    %pm = permute %cf [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
    %of = offset %b, %ci : tile<8x8xptr<f32>>, tile<8x8xi32> -> tile<8x8xptr<f32>>
    %se = select %cb, %cf, %pm : tile<8x8xi1>, tile<8x8xf32>
    %gg = get_global @lut : tile<ptr<f32>>
    %al = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %i1 = absi %ci : tile<8x8xi32>
    %i2 = addi %ci, %i1 overflow<no_signed_wrap> : tile<8x8xi32>
    %i3 = subi %ci, %i1 : tile<8x8xi32>
    %i4 = muli %ci, %i1 overflow<no_wrap> : tile<8x8xi32>
    %i5 = mulhii %ci, %i1 : tile<8x8xi32>
    %i6 = divi %ci, %i1 signed rounding<negative_inf> : tile<8x8xi32>
    %i7 = remi %ci, %i1 unsigned : tile<8x8xi32>
    %i8 = maxi %ci, %i1 signed : tile<8x8xi32>
    %i9 = mini %ci, %i1 unsigned : tile<8x8xi32>
    %i10 = negi %ci overflow<no_signed_wrap> : tile<8x8xi32>
    %i11 = shli %ci, %i1 overflow<no_unsigned_wrap> : tile<8x8xi32>
    %i12 = shri %ci, %i1 signed : tile<8x8xi32>
    %i13 = andi %ci, %i1 : tile<8x8xi32>
    %i14 = ori %ci, %i1 : tile<8x8xi32>
    %i15 = xori %ci, %i1 : tile<8x8xi32>
    %i16 = cmpi less_than_or_equal %ci, %i1, signed : tile<8x8xi32> -> tile<8x8xi1>
    %f1 = absf %cf : tile<8x8xf32>
    %f2 = addf %cf, %f1 rounding<zero> flush_to_zero : tile<8x8xf32>
    %f3 = subf %cf, %f1 : tile<8x8xf32>
    %f4 = mulf %cf, %f1 rounding<positive_inf> : tile<8x8xf32>
    %f5 = divf %cf, %f1 rounding<approx> flush_to_zero : tile<8x8xf32>
    %f6 = remf %cf, %f1 : tile<8x8xf32>
    %f7 = fma %cf, %f1, %f2 : tile<8x8xf32>
    %f8 = maxf %cf, %f1 flush_to_zero propagate_nan : tile<8x8xf32>
    %f9 = minf %cf, %f1 : tile<8x8xf32>
    %f10 = negf %cf : tile<8x8xf32>
    %f11 = ceil %cf : tile<8x8xf32>
    %f12 = floor %cf : tile<8x8xf32>
    %f13 = sqrt %cf rounding<approx> flush_to_zero : tile<8x8xf32>
    %f14 = rsqrt %cf flush_to_zero : tile<8x8xf32>
    %f15 = exp %cf rounding<approx> : tile<8x8xf32>
    %f16 = exp2 %cf flush_to_zero : tile<8x8xf32>
    %f17 = log %cf : tile<8x8xf32>
    %f18 = log2 %cf : tile<8x8xf32>
    %f19 = pow %cf, %f1 : tile<8x8xf32>
    %f20 = sin %cf : tile<8x8xf32>
    %f21 = cos %cf : tile<8x8xf32>
    %f22 = tan %cf : tile<8x8xf32>
    %f23 = sinh %cf : tile<8x8xf32>
    %f24 = cosh %cf : tile<8x8xf32>
    %f25 = tanh %cf rounding<approx> : tile<8x8xf32>
    %f26 = atan2 %cf, %f1 : tile<8x8xf32>
    %f27 = cmpf greater_than ordered %cf, %f1 : tile<8x8xf32> -> tile<8x8xi1>
    %v1 = exti %ci signed : tile<8x8xi32> -> tile<8x8xi64>
    %v2 = trunci %ci overflow<no_signed_wrap> : tile<8x8xi32> -> tile<8x8xi16>
    %v3 = ftof %cf : tile<8x8xf32> -> tile<8x8xf16>
    %v4 = ftoi %cf signed : tile<8x8xf32> -> tile<8x8xi32>
    %v5 = itof %ci unsigned : tile<8x8xi32> -> tile<8x8xf32>
    %v6 = bitcast %ci : tile<8x8xi32> -> tile<8x8xf32>
    %v7 = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
    %v8 = int_to_ptr %v7 : tile<i64> -> tile<ptr<i8>>
    %v9 = ptr_to_ptr %v8 : tile<ptr<i8>> -> tile<ptr<f32>>
    %v10 = constant <i8: 7> : tile<64xi8>
    %v11 = unpack %v10 : tile<64xi8> -> tile<128xf4E2M1FN>
    %v12 = pack %v11 : tile<128xf4E2M1FN> -> tile<64xi8>
    %a0 = mmaf %ch, %ch, %cf : tile<8x8xf16>, tile<8x8xf16>, tile<8x8xf32>
    %a1 = mmai %c8, %c8, %ci signed unsigned : tile<8x8xi8>, tile<8x8xi8>, tile<8x8xi32>
    %la = constant <f8E4M3FN: 1.0> : tile<32x64xf8E4M3FN>
    %lb = constant <f8E4M3FN: 1.0> : tile<64x32xf8E4M3FN>
    %lc = constant <f32: 0.0> : tile<32x32xf32>
    %sa = constant <f8E8M0FNU: 1.0> : tile<32x2xf8E8M0FNU>
    %sb = constant <f8E8M0FNU: 1.0> : tile<2x32xf8E8M0FNU>
    %a2 = mmaf_scaled %la, %lb, %lc, %sa, %sb : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
    %rd = reduce %cf dim=0 identities=[0.0 : f32] : tile<8x8xf32> -> tile<8xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %s = addf %x, %y : tile<f32>
      yield %s : tile<f32>
    }
    %sc = scan %ci dim=1 reverse=false identities=[0 : i32] : tile<8x8xi32> -> tile<8x8xi32>
    (%x: tile<i32>, %y: tile<i32>) {
      %s = addi %x, %y : tile<i32>
      yield %s : tile<i32>
    }
    %li = for unsigned %iv in (%z to %n, step %one) : tile<i32> iter_values(%acc = %z) -> (tile<i32>) {
      %s = addi %acc, %iv : tile<i32>
      continue %s : tile<i32>
    }
    %lo = loop iter_values(%it = %z) : tile<i32> -> tile<f32> {
      %d = cmpi greater_than %it, %n, signed : tile<i32> -> tile<i1>
      if %d {
        %k0 = constant <f32: 1.0> : tile<f32>
        break %k0 : tile<f32>
      }
      %nx = addi %it, %one : tile<i32>
      continue %nx : tile<i32>
    }
    %if = if %t -> (tile<i32>) {
      yield %z : tile<i32>
    } else {
      yield %one : tile<i32>
    }
    assert %t, "must hold" : tile<i1>
    %as = assume div_by<16>, %n : tile<i32>
    %as2 = assume bounded<0, ?>, %as : tile<i32>
    %as3 = assume same_elements<[2, 4]>, %ci : tile<8x8xi32>
    %k1 = make_token : token
    %l0, %k2 = load_ptr_tko weak %b token=%k1 : tile<8x8xptr<f32>> -> tile<8x8xf32>, token
    %l1, %k3 = load_ptr_tko acquire device %b, %cb, %cf token=%k2 optimization_hints = <sm_100 = {latency = 4}> : tile<8x8xptr<f32>>, tile<8x8xi1>, tile<8x8xf32> -> tile<8x8xf32>, token
    %k4 = store_ptr_tko release sys %b, %l1, %cb token=%k3 : tile<8x8xptr<f32>>, tile<8x8xf32>, tile<8x8xi1> -> token
    %k5 = join_tokens %k2, %k4 : token
    %o0, %k6 = atomic_rmw_tko relaxed device %qb, umax, %ci, %cb token=%k5 : tile<8x8xptr<i32>>, tile<8x8xi32>, tile<8x8xi1> -> tile<8x8xi32>, token
    %o1, %k7 = atomic_cas_tko acq_rel tl_blk %qb, %ci, %i1 token=%k6 : tile<8x8xptr<i32>>, tile<8x8xi32> -> tile<8x8xi32>, token
    %k8 = print_tko "n = %i", %n token=%k7 : tile<i32> -> token
    %tv = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %pv = make_partition_view %tv : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %sv = make_strided_view %tv : strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>
    %gv = make_gather_scatter_view %tv : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>
    %d0:2 = get_tensor_shape %tv : tensor_view<?x64xf32, strides=[64,1]> -> tile<i32>
    %e0:2 = get_index_space_shape %pv : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>> -> tile<i32>
    %w0, %k9 = load_view_tko weak %pv[%bx, %by] token = %k8 optimization_hints = <sm_90 = {allow_tma = false, latency = 2}> : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
    %w1, %k10 = load_view_tko relaxed device %gv[%io, %z] : gather_scatter_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>, sparse_dim=0>, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
    %k11 = store_view_tko weak %w0, %sv[%bx, %by] token = %k9 : tile<8x8xf32>, strided_view<tile=(8x8), traversal_strides=[4,8], tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %pw = make_partition_view %tv : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>
    %k12 = atomic_red_view_tko relaxed device %pw[%bx, %by], addf, %cf token = %k11 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %ga = gdc_wait_tko token=%k12 : token
    %in = insert %cf, %ct[%z, %one] : tile<8x8xf32>, tile<8x16xf32> -> tile<8x16xf32>
    %fp = fpowi %cf, %ci : tile<8x8xf32>, tile<8x8xi32>
    %fe = memory_fence_alias_tko token=%k12 : token
    %sat = ftoi %cf signed saturating : tile<8x8xf32> -> tile<8x8xi32>
    %w2, %k13 = load_view_tko weak %pv[%bx, %by] token = %fe inbounds = [true, false] : partition_view<tile=(8x8), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x8xf32>, token
    %gl = gdc_launch_dependents_tko token=%k13 : token
    %k14 = atomic_red_view_tko relaxed device %pw[%bx, %by], addf, %cf token = %gl inbounds = [true, true] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> token
    %mcp = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<f32, <multicast>>>
    %mct = make_tensor_view %mcp, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %mcv = make_partition_view %mct : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>
    %e5 = constant <fnv8E5M3FNU: 1.5> : tile<8x8xfnv8E5M3FNU>
    %w3, %k15 = multimem_load_reduce_view_tko relaxed sys %mcv[%bx, %by], add token = %k14 inbounds = [false, true] : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x8xf32>, token
    %w4, %k16 = multimem_load_reduce_view_tko weak %mcv[%bx, %by], add : partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<8x8xf32>, token
    %k17 = multimem_reduce_view_tko release sys %mcv[%bx, %by], add, %w3 token = %k16 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    %k18 = multimem_store_view_tko release device %mcv[%bx, %by], %w4 token = %k17 inbounds = [true, false] : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    %k19 = multimem_store_view_tko weak %mcv[%bx, %by], %w4 : tile<8x8xf32>, partition_view<tile=(8x8), tensor_view<?x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
    return
  }
}
