// Tokens become barriers only between accesses that different threads may make to one
// element, at least one of them a store.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// A second run adds nothing.
// RUN: cuda-tile-opt %t.mlir --cuda-tile-order | diff %t.mlir -

!view = !cuda_tile.partition_view<tile=(64), !cuda_tile.tensor_view<256xf32, strides=[1]>>

cuda_tile.module @kernels {
  // CHECK-LABEL: entry @store_then_load
  // CHECK: store_view_tko
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view_tko
  // CHECK-NOT: barrier
  // CHECK: return
  entry @store_then_load(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x = constant <f32: 1.0> : tile<64xf32>
    %a = store_view_tko weak %x, %v[%i] : tile<64xf32>, !view, tile<i32> -> token
    %y, %b = load_view_tko weak %v[%j] token = %a : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // CHECK-LABEL: entry @load_then_store
  // CHECK: load_view_tko
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: store_view_tko
  entry @load_then_store(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %y, %a = load_view_tko weak %v[%i] : !view, tile<i32> -> tile<64xf32>, token
    %b = store_view_tko weak %y, %v[%j] token = %a : tile<64xf32>, !view, tile<i32> -> token
    return
  }

  // The barrier that the exchange through shared memory needs is this one.
  // CHECK-LABEL: entry @transpose
  // CHECK: load_view_tko
  // CHECK: tileas.store_shared
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: tileas.load_shared
  // CHECK-NOT: barrier
  // CHECK: store_view_tko
  entry @transpose(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>
    %x, %a = load_view_tko weak %v[%i, %i] : partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<32x32xf32>, token
    %y = permute %x [1, 0] : tile<32x32xf32> -> tile<32x32xf32>
    %b = store_view_tko weak %y, %v[%i, %j] token = %a : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: entry @load_then_load
  // CHECK-NOT: barrier
  // CHECK: return
  entry @load_then_load(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x, %a = load_view_tko weak %v[%i] : !view, tile<i32> -> tile<64xf32>, token
    %y, %b = load_view_tko weak %v[%i] token = %a : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // No token, no order.
  // CHECK-LABEL: entry @unordered
  // CHECK-NOT: barrier
  // CHECK: return
  entry @unordered(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x = constant <f32: 1.0> : tile<64xf32>
    %a = store_view_tko weak %x, %v[%i] : tile<64xf32>, !view, tile<i32> -> token
    %y, %b = load_view_tko weak %v[%j] : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // Tokens that were joined: the store among them counts.
  // CHECK-LABEL: entry @joined
  // CHECK: join_tokens
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view_tko
  entry @joined(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x = constant <f32: 1.0> : tile<64xf32>
    %a = store_view_tko weak %x, %v[%i] : tile<64xf32>, !view, tile<i32> -> token
    %y, %b = load_view_tko weak %v[%j] : !view, tile<i32> -> tile<64xf32>, token
    %c = join_tokens %a, %b : token
    %z, %d = load_view_tko weak %v[%j] token = %c : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // Round a loop: the store of one iteration comes before the load of the next, and before
  // the load after the loop.
  // CHECK-LABEL: entry @loop
  // CHECK: for
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: load_view_tko
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: store_view_tko
  // CHECK-NEXT: continue
  // CHECK: tileas.barrier
  // CHECK-NEXT: load_view_tko
  // CHECK-NEXT: return
  entry @loop(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %first = make_token : token
    %last = for %i in (%z to %n, step %one) : tile<i32> iter_values(%tok = %first) -> (token) {
      %x, %a = load_view_tko weak %v[%i] token = %tok : !view, tile<i32> -> tile<64xf32>, token
      %b = store_view_tko weak %x, %v[%z] token = %a : tile<64xf32>, !view, tile<i32> -> token
      continue %b : token
    }
    %y, %c = load_view_tko weak %v[%one] token = %last : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // A loop that only loads needs none.
  // CHECK-LABEL: entry @loading_loop
  // CHECK-NOT: barrier
  // CHECK: return
  entry @loading_loop(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %first = make_token : token
    %last = for %i in (%z to %n, step %one) : tile<i32> iter_values(%tok = %first) -> (token) {
      %x, %a = load_view_tko weak %v[%i] token = %tok : !view, tile<i32> -> tile<64xf32>, token
      continue %a : token
    }
    return
  }

  // Through the same pointers each thread meets only what it stored itself.
  // CHECK-LABEL: entry @own_elements
  // CHECK-NOT: barrier
  // CHECK: return
  entry @own_elements(%p: tile<ptr<f32>>) {
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p64 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %i = iota : tile<64xi32>
    %q = offset %p64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %x, %a = load_ptr_tko weak %q : tile<64xptr<f32>> -> tile<64xf32>, token
    %b = store_ptr_tko weak %q, %x token=%a : tile<64xptr<f32>>, tile<64xf32> -> token
    return
  }

  // So it is through one view, at one index, whatever the padding.
  // CHECK-LABEL: entry @in_place
  // CHECK-NOT: barrier
  // CHECK: return
  entry @in_place(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %u = make_partition_view %t : partition_view<tile=(1024), padding_value = zero, tensor_view<4096xf32, strides=[1]>>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>
    %x, %a = load_view_tko weak %u[%i] : partition_view<tile=(1024), padding_value = zero, tensor_view<4096xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %y = addf %x, %x : tile<1024xf32>
    %b = store_view_tko weak %y, %v[%i] token = %a : tile<1024xf32>, partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // A store waits for every load behind its token, not only for the nearest.
  // CHECK-LABEL: entry @load_load_store
  // CHECK: load_ptr_tko
  // CHECK-NEXT: load_ptr_tko
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: store_ptr_tko
  // CHECK-NEXT: return
  entry @load_load_store(%p: tile<ptr<f32>>) {
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p64 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %i = iota : tile<64xi32>
    %one = constant <i32: 1> : tile<64xi32>
    %j = xori %i, %one : tile<64xi32>
    %q = offset %p64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %r = offset %p64, %j : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %x, %a = load_ptr_tko weak %r : tile<64xptr<f32>> -> tile<64xf32>, token
    %y, %b = load_ptr_tko weak %q token=%a : tile<64xptr<f32>> -> tile<64xf32>, token
    %c = store_ptr_tko weak %q, %y token=%b : tile<64xptr<f32>>, tile<64xf32> -> token
    return
  }

  // Pointers that each iteration makes anew are other pointers in the next iteration; without a
  // carried token nothing orders the iterations.
  // CHECK-LABEL: entry @repointed
  // CHECK: for
  // CHECK: tileas.barrier
  // CHECK-NEXT: load_ptr_tko
  // CHECK-NEXT: store_ptr_tko
  // CHECK-NEXT: continue
  // CHECK: for
  // CHECK-NOT: barrier
  // CHECK: return
  entry @repointed(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %i = iota : tile<64xi32>
    %first = make_token : token
    %last = for %k in (%z to %n, step %one) : tile<i32> iter_values(%t = %first) -> (token) {
      %at = offset %p, %k : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %p1 = reshape %at : tile<ptr<f32>> -> tile<1xptr<f32>>
      %p64 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %q = offset %p64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      %x, %a = load_ptr_tko weak %q token=%t : tile<64xptr<f32>> -> tile<64xf32>, token
      %b = store_ptr_tko weak %q, %x token=%a : tile<64xptr<f32>>, tile<64xf32> -> token
      continue %b : token
    }
    for %k in (%z to %n, step %one) : tile<i32> {
      %at = offset %p, %k : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %p1 = reshape %at : tile<ptr<f32>> -> tile<1xptr<f32>>
      %p64 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %q = offset %p64, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      %x, %a = load_ptr_tko weak %q : tile<64xptr<f32>> -> tile<64xf32>, token
      %b = store_ptr_tko weak %q, %x token=%a : tile<64xptr<f32>>, tile<64xf32> -> token
      continue
    }
    return
  }

  // A branch may have stored; the way around it has not, so the wait stands behind both.
  // CHECK-LABEL: entry @branches
  // CHECK: if
  // CHECK-NOT: barrier
  // CHECK: yield
  // CHECK: tileas.barrier
  // CHECK-NEXT: load_view_tko
  // CHECK-NEXT: return
  entry @branches(%p: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>, %c: tile<i1>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %v = make_partition_view %t : !view
    %x = constant <f32: 1.0> : tile<64xf32>
    %first = make_token : token
    %k = if %c -> (token) {
      %a = store_view_tko weak %x, %v[%i] token = %first : tile<64xf32>, !view, tile<i32> -> token
      yield %a : token
    } else {
      yield %first : token
    }
    %y, %b = load_view_tko weak %v[%j] token = %k : !view, tile<i32> -> tile<64xf32>, token
    return
  }

  // The atomic of an iteration touches other elements than the load of the next one,
  // though both have the same pointers by name.
  // CHECK-LABEL: entry @atomic_of_an_earlier_iteration
  // CHECK: {{%.*}} = for
  // CHECK: tileas.barrier
  // CHECK-NEXT: load_ptr_tko
  // CHECK-NEXT: tileas.barrier
  // CHECK-NEXT: atomic_rmw_tko
  entry @atomic_of_an_earlier_iteration(%p: tile<ptr<i32>>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %4 = constant <i32: 4> : tile<i32>
    %ones = constant <i32: 1> : tile<128xi32>
    %i = iota : tile<128xi32>
    %flat = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %base = broadcast %flat : tile<1xptr<i32>> -> tile<128xptr<i32>>
    %t0 = make_token : token
    %end = for %k in (%0 to %4, step %1) : tile<i32> iter_values(%t = %t0) -> (token) {
      %k1 = reshape %k : tile<i32> -> tile<1xi32>
      %kk = broadcast %k1 : tile<1xi32> -> tile<128xi32>
      %o = addi %i, %kk : tile<128xi32>
      %q = offset %base, %o : tile<128xptr<i32>>, tile<128xi32> -> tile<128xptr<i32>>
      %x, %tl = load_ptr_tko weak %q token=%t : tile<128xptr<i32>> -> tile<128xi32>, token
      %old, %ta = atomic_rmw_tko relaxed device %q, add, %x token=%tl : tile<128xptr<i32>>, tile<128xi32> -> tile<128xi32>, token
      continue %ta : token
    }
    return
  }
}
