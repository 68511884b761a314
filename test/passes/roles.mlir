// Copies and what they need become a role of one thread; the rest is another one, without
// what only the copies needed. Each computes its scalars itself, and only those it needs.

// RUN: cuda-tile-opt %s --cuda-tile-roles -o %t.roles
// RUN: FileCheck %s < %t.roles
// RUN: cuda-tile-run %s --grid 3 randn:f32[1536] out:%t.serial.npy:zeros:f32[1536] 1536 4
// RUN: cuda-tile-run %t.roles --grid 3 --seed 1 randn:f32[1536] out:%t.roles.npy:zeros:f32[1536] 1536 4
// RUN: cmp %t.serial.npy %t.roles.npy

// CHECK-LABEL: entry @k
// CHECK: %[[RING:.*]] = tileas.ring
// CHECK-NEXT: tileas.roles role "work" warps = 4 threads = 128 registers = 240 {
// CHECK-NEXT: %[[ZERO:.*]] = constant
// CHECK-NOT: muli
// CHECK: for {{.*}} iter_values(%{{.*}} = %[[ZERO]], %[[T:.*]] = %{{.*}}) ->
// CHECK-NEXT: %[[B:.*]] = tileas.take %[[RING]][%[[T]]]
// CHECK-NEXT: tileas.load_shared %[[B]]
// CHECK-NEXT: tileas.release %[[RING]][%[[T]]]
// CHECK-NEXT: addf
// CHECK-NEXT: addi %[[T]]
// CHECK-NEXT: continue
// CHECK-NEXT: }
// CHECK-NEXT: store_view_tko
// CHECK-NEXT: } role "load" warps = 4 threads = 1 registers = 40 {
// CHECK: %[[START:.*]] = muli
// CHECK-NEXT: for {{.*}} iter_values(%[[ROW:.*]] = %[[START]], %[[T:.*]] = %{{.*}}, %{{.*}}) ->
// CHECK-NEXT: %[[A:.*]] = tileas.acquire %[[RING]][%[[T]]]
// CHECK-NEXT: tileas.copy_in %{{.*}}[%[[ROW]]] token = %{{.*}} to %[[A]]
// CHECK-NEXT: tileas.publish %[[RING]][%[[T]]]
// CHECK-NEXT: addi %[[ROW]]
// CHECK-NEXT: addi %[[T]]
// CHECK-NEXT: continue
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return

!row = !tileas.buffer<128xf32, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
!ring = !tileas.ring<2, !row>
!tile = !cuda_tile.tile<128xf32, #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (32@0, 64@0), ())>>
!in = !cuda_tile.partition_view<tile=(128), padding_value = zero, !cuda_tile.tensor_view<?xf32, strides=[1]>>
!out = !cuda_tile.partition_view<tile=(128), !cuda_tile.tensor_view<?xf32, strides=[1]>>
!i = !cuda_tile.tile<i32>
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: !i, %rows: !i) attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 4 : i64, roles = "load", registers = 240 : i64, load_registers = 40 : i64}} {
    %zero = constant <f32: 0.0> : !tile
    %c0 = constant <i32: 0> : !i
    %c1 = constant <i32: 1> : !i
    %c2 = constant <i32: 2> : !i
    %tok = make_token : token
    %bx, %by, %bz = get_tile_block_id : !i
    %tv = make_tensor_view %p, shape = [%n], strides = [1] : !i -> tensor_view<?xf32, strides=[1]>
    %v = make_partition_view %tv : !in
    %ov = make_tensor_view %o, shape = [%n], strides = [1] : !i -> tensor_view<?xf32, strides=[1]>
    %w = make_partition_view %ov : !out
    %r = tileas.ring fill = "tma" drain = "threads" sync = "mbarriers" : !ring
    %start = muli %bx, %rows : !i
    %f:4 = for %k in (%c0 to %rows, step %c1) : !i iter_values(%acc = %zero, %where = %start, %t = %c0, %t0 = %tok) -> (!tile, !i, !i, token) {
      %a = tileas.acquire %r[%t] : !ring
      %t1 = tileas.copy_in %v[%where] token = %t0 to %a engine = "tma" map = 0 : !in[!i] to !row
      tileas.publish %r[%t] : !ring
      %b = tileas.take %r[%t] : !ring
      %x = tileas.load_shared %b[0] : !row -> !tile
      tileas.release %r[%t] : !ring
      %s = addf %acc, %x : !tile
      %next = addi %where, %c1 : !i
      %tn = addi %t, %c1 : !i
      continue %s, %next, %tn, %t1 : !tile, !i, !i, token
    }
    %z = store_view_tko weak %f#0, %w[%bx] token = %tok : !tile, !out, !i -> token
    return
  }
}
