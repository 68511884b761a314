// Copies that run by themselves, rings, products of warpgroups and in tensor memory, roles: what is printed
// reads back, also through the generic form and through MLIR's bytecode.
// RUN: cuda-tile-opt %s -o %t.mlir
// RUN: cuda-tile-opt %t.mlir | diff %t.mlir -
// RUN: cuda-tile-opt %t.mlir --mlir-print-op-generic | cuda-tile-opt | diff %t.mlir -
// RUN: cuda-tile-opt %t.mlir --emit-bytecode | cuda-tile-opt | diff %t.mlir -
// RUN: FileCheck %s --input-file %t.mlir

#flat = #cute.layout<(1@0, 2@0)>
!buf = !tileas.buffer<4xf32, #flat>
!ring = !tileas.ring<3, !buf, !buf>
!a = !tileas.buffer<64x16xf16, #cute.layout<(1@1, 2@1, 4@1, 8@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0)>>
!b = !tileas.buffer<16x8xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1)>>
!wide = !tileas.buffer<16x16xf16, #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@1, 2@1, 4@1, 8@1)>>
!acc = !tileas.pending<tile<64x8xf32>>

cuda_tile.module @m {
  // CHECK-LABEL: entry @copies
  entry @copies(%p: tile<ptr<f32>>, %n: tile<i32>, %ptrs: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>
    %buf = tileas.alloc_shared : !buf
    // CHECK: %[[TOK:.*]] = tileas.copy_in %{{.*}}[%{{.*}}] to %[[BUF:.*]] engine = "cp_async" : partition_view<{{.*}}>[tile<i32>] to !tileas.buffer<4xf32, #{{.*}}>
    %tok = tileas.copy_in %v[%n] to %buf engine = "cp_async" : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>] to !buf
    // CHECK: tileas.copy_in %{{.*}}[%{{.*}}] token = %[[TOK]] to %[[BUF]] engine = "tma" map = 1 :
    %tok1 = tileas.copy_in %v[%n] token = %tok to %buf engine = "tma" map = 1 : partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>] to !buf
    %i = constant <i64: 0> : tile<4xi64>
    %q = int_to_ptr %i : tile<4xi64> -> tile<4xptr<f32>>
    %m = constant <i1: false> : tile<4xi1>
    // CHECK: tileas.gather_in %[[Q:.*]] to %[[BUF]] : tile<4xptr<f32>> to !tileas.buffer
    %tok2 = tileas.gather_in %q to %buf : tile<4xptr<f32>> to !buf
    // CHECK: tileas.gather_in %[[Q]] mask(%{{.*}} : tile<4xi1>) token = %{{.*}} to %[[BUF]] : tile<4xptr<f32>> to !tileas.buffer
    %tok3 = tileas.gather_in %q mask(%m : tile<4xi1>) token = %tok2 to %buf : tile<4xptr<f32>> to !buf
    // CHECK: tileas.copy_out %[[BUF]] to %{{.*}}[%{{.*}}] token = %{{.*}} engine = "tma" map = 0 : !tileas.buffer<{{.*}}> to partition_view<{{.*}}>[tile<i32>]
    %tok4 = tileas.copy_out %buf to %v[%n] token = %tok3 engine = "tma" map = 0 : !buf to partition_view<tile=(4), padding_value = zero, tensor_view<64xf32, strides=[1]>>[tile<i32>]
    // CHECK: tileas.await_copies read groups = 1
    tileas.await_copies read groups = 1
    // CHECK: tileas.await_copies{{$}}
    tileas.await_copies
    // CHECK: tileas.barrier async
    tileas.barrier async
    // CHECK: tileas.reinterpret %{{.*}} : !tileas.buffer<4xf32, #{{.*}}> -> !tileas.buffer<2x2xf32, #{{.*}}>
    %square = tileas.reinterpret %buf : !buf -> !tileas.buffer<2x2xf32, #cute.layout<(1@0, 1@1)>>
    return
  }

  // CHECK-LABEL: entry @iterations
  entry @iterations(%n: tile<i32>) {
    // CHECK: %[[R:.*]] = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" offset = 1024 : !tileas.ring<3, !tileas.buffer<4xf32, #[[FLAT:.*]]>, !tileas.buffer<4xf32, #[[FLAT]]>>
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" offset = 1024 : !ring
    // CHECK: tileas.tiles (%{{.*}}, %{{.*}}, %{{.*}}) iter_values(%[[U:.*]] = %{{.*}}) -> (tile<i32>) {
    %last = tileas.tiles (%x, %y, %z) iter_values(%u = %n) -> (tile<i32>) {
      // CHECK: tileas.acquire %[[R]][%[[U]]] : !tileas.ring
      %b:2 = tileas.acquire %r[%u] : !ring
      // CHECK: tileas.publish %[[R]][%[[U]]] : !tileas.ring
      tileas.publish %r[%u] : !ring
      // CHECK: tileas.take %[[R]][%[[U]]] groups = 2 : !tileas.ring
      %c:2 = tileas.take %r[%u] groups = 2 : !ring
      // CHECK: tileas.release %[[R]][%[[U]]] : !tileas.ring
      tileas.release %r[%u] : !ring
      // CHECK: tileas.next_tile %[[U]] : tile<i32>
      tileas.next_tile %u : tile<i32>
    }
    // CHECK: tileas.tiles (%{{.*}}, %{{.*}}, %{{.*}}) {
    tileas.tiles (%x, %y, %z) {
    }
    return
  }

  // CHECK-LABEL: entry @products
  entry @products(%n: tile<i32>) {
    %r = tileas.ring fill = "tma" drain = "wgmma" sync = "mbarriers" : !tileas.ring<2, !a, !b>
    // CHECK: tileas.roles role "work" warps = 4 threads = 128 registers = 232 {
    tileas.roles role "work" warps = 4 threads = 128 registers = 232 {
      %zero = constant <f32: 0.0> : tile<64x8xf32>
      // CHECK: %[[P:.*]] = tileas.settled %{{.*}} : tile<64x8xf32>
      %p = tileas.settled %zero : tile<64x8xf32>
      %a, %b = tileas.take %r[%n] : !tileas.ring<2, !a, !b>
      // CHECK: %[[Q:.*]] = tileas.wgmma %{{.*}}, %{{.*}}, %[[P]] atom = "m64n8k16" : !tileas.buffer<64x16xf16, #{{.*}}>, !tileas.buffer<16x8xf16, #{{.*}}>, !tileas.pending<tile<64x8xf32>>
      %q = tileas.wgmma %a, %b, %p atom = "m64n8k16" : !a, !b, !acc
      %regs = constant <f16: 1.0> : tile<64x16xf16>
      // CHECK: tileas.wgmma %{{.*}}, %{{.*}}, %[[Q]] atom = "m64n8k16" : tile<64x16xf16>, !tileas.buffer
      %q2 = tileas.wgmma %regs, %b, %q atom = "m64n8k16" : tile<64x16xf16>, !b, !acc
      // CHECK: tileas.release %{{.*}}[%{{.*}}] after(%[[Q]] : !tileas.pending<tile<64x8xf32>>) groups = 1 : !tileas.ring
      tileas.release %r[%n] after(%q : !acc) groups = 1 : !tileas.ring<2, !a, !b>
      // CHECK: %{{.*}}:2 = tileas.await %[[Q]], %{{.*}} groups = 0 : !tileas.pending<tile<64x8xf32>>, !tileas.pending<tile<64x8xf32>>
      %done:2 = tileas.await %q, %q2 groups = 0 : !acc, !acc
    // CHECK: } role "load" warps = 4 threads = 1 registers = 40 {
    } role "load" warps = 4 threads = 1 registers = 40 {
      %a, %b = tileas.acquire %r[%n] : !tileas.ring<2, !a, !b>
      tileas.publish %r[%n] : !tileas.ring<2, !a, !b>
      tileas.done
    }
    return
  }

  // CHECK-LABEL: entry @tensor_memory
  entry @tensor_memory() {
    %a = tileas.alloc_shared : !a
    %b = tileas.alloc_shared : !wide
    %zero = constant <f32: 0.0> : tile<64x16xf32>
    // CHECK: %[[SUM:.*]] = tileas.settled
    %p = tileas.settled %zero : tile<64x16xf32>
    // CHECK: %[[Q:.*]] = tileas.tcgen05 %{{.*}}, %{{.*}}, %[[SUM]] atom = "tcgen05.m64n16k16" : !tileas.buffer<64x16xf16, #{{.*}}>, !tileas.buffer<16x16xf16, #{{.*}}>, !tileas.pending<tile<64x16xf32>>
    %q = tileas.tcgen05 %a, %b, %p atom = "tcgen05.m64n16k16" : !a, !wide, !tileas.pending<tile<64x16xf32>>
    // CHECK: tileas.await %[[Q]] : !tileas.pending<tile<64x16xf32>>
    %done = tileas.await %q : !tileas.pending<tile<64x16xf32>>
    return
  }

  // Scale factors are tiles.
  // CHECK-LABEL: entry @scale_factors
  entry @scale_factors() {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %zero = constant <f32: 0.0> : tile<128x16xf32>
    // CHECK: %[[S:.*]] = constant <f8E8M0FNU: 1.000000e+00> : tile<128x1xf8E8M0FNU>
    %s = constant <f8E8M0FNU: 1.0> : tile<128x1xf8E8M0FNU>
    // CHECK: %[[T:.*]] = constant <f8E8M0FNU: 1.000000e+00> : tile<1x16xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x16xf8E8M0FNU>
    %p = tileas.settled %zero : tile<128x16xf32>
    // CHECK: tileas.tcgen05 %{{.*}}, %{{.*}}, %{{.*}} scales(%[[S]], %[[T]] : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf8" :
    %q = tileas.tcgen05 %a, %b, %p scales(%s, %t : tile<128x1xf8E8M0FNU>, tile<1x16xf8E8M0FNU>) atom = "tcgen05.m128n16k32.mxf8" : !tileas.buffer<128x32xf8E5M2, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xf8E5M2, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    %done = tileas.await %q : !tileas.pending<tile<128x16xf32>>
    return
  }

  // Bytes have two elements of 4 bits each.
  // CHECK-LABEL: entry @elements_of_bytes
  entry @elements_of_bytes() {
    %a = tileas.alloc_shared : !tileas.buffer<128x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>
    %b = tileas.alloc_shared : !tileas.buffer<32x16xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>
    %zero = constant <f32: 0.0> : tile<128x16xf32>
    %s = constant <f8E4M3FN: 1.0> : tile<128x4xf8E4M3FN>
    %t = constant <f8E4M3FN: 1.0> : tile<4x16xf8E4M3FN>
    %p = tileas.settled %zero : tile<128x16xf32>
    // CHECK: tileas.tcgen05 {{.*}} atom = "tcgen05.m128n16k64.nvf4" : !tileas.buffer<128x32xi8
    %q = tileas.tcgen05 %a, %b, %p scales(%s, %t : tile<128x4xf8E4M3FN>, tile<4x16xf8E4M3FN>) atom = "tcgen05.m128n16k64.nvf4" : !tileas.buffer<128x32xi8, #cute.layout<(1@1, 2@1, 4@1, 8@1, 16@1, 1@0, 2@0, 4@0, 8@0, 16@0, 32@0, 64@0)>>, !tileas.buffer<32x16xi8, #cute.layout<(1@0, 2@0, 4@0, 8@0, 16@0, 1@1, 2@1, 4@1, 8@1)>>, !tileas.pending<tile<128x16xf32>>
    %done = tileas.await %q : !tileas.pending<tile<128x16xf32>>
    return
  }

  // A sum is a slot that products fill and threads take.
  // CHECK-LABEL: entry @deposit
  entry @deposit(%n: tile<i32>) {
    // CHECK: %[[R:.*]] = tileas.ring fill = "tcgen05" drain = "threads" sync = "mbarriers"
    %r = tileas.ring fill = "tcgen05" drain = "threads" sync = "mbarriers" : !tileas.ring<1, !buf>
    // CHECK: %[[B:.*]] = tileas.acquire %[[R]]
    %b = tileas.acquire %r[%n] : !tileas.ring<1, !buf>
    %c = constant <f32: 0.0> : tile<4xf32>
    // CHECK: %[[S:.*]] = tileas.settled
    %s = tileas.settled %c : tile<4xf32>
    // CHECK: tileas.deposit %[[S]] to %[[B]] : !tileas.pending<tile<4xf32>>, !tileas.buffer<4xf32
    tileas.deposit %s to %b : !tileas.pending<tile<4xf32>>, !buf
    tileas.publish %r[%n] : !tileas.ring<1, !buf>
    return
  }
}
