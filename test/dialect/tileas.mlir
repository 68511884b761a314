// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

// CHECK: #[[A:.*]] = #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>
// CHECK: #[[B:.*]] = #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>
// CHECK: #[[BUF:.*]] = #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@0+16@0)>
#a = #cute.layout<((), (1@0, 2@0, 4@0, 8@0, 16@0), (), ())>
#b = #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>
#buf = #cute.layout<(1@0, 2@0, 4@0, 8@0, 1@0 + 16@0)>
!buf = !tileas.buffer<32xi32, #buf>

cuda_tile.module @tileas {
  // CHECK-LABEL: entry @shared
  entry @shared(%i: tile<i32>) {
    // CHECK: %[[X:.*]] = iota
    %x = iota : tile<32xi32, #a>
    // CHECK: tileas.convert_layout %[[X]] : tile<32xi32, #[[A]]> -> tile<32xi32, #[[B]]>
    %y = tileas.convert_layout %x : tile<32xi32, #a> -> tile<32xi32, #b>
    // CHECK: tileas.alloc_shared : !tileas.buffer<32xi32, #[[BUF]]>
    %b0 = tileas.alloc_shared : !buf
    // CHECK: %[[S:.*]] = tileas.alloc_shared offset = 128 : !tileas.buffer<32xi32, #[[BUF]]>
    %b1 = tileas.alloc_shared offset = 128 : !buf
    // CHECK: tileas.store_shared %[[X]], %[[S]] : tile<32xi32, #[[A]]>, !tileas.buffer<32xi32, #[[BUF]]>
    tileas.store_shared %x, %b1 : tile<32xi32, #a>, !buf
    // CHECK: tileas.barrier
    tileas.barrier
    // CHECK: tileas.load_shared %[[S]][16] : !tileas.buffer<32xi32, #[[BUF]]> -> tile<16xi32>
    %z = tileas.load_shared %b1[16] : !buf -> tile<16xi32>
    // CHECK: tileas.load_part %[[S]][%{{.*}}] : !tileas.buffer<32xi32, #[[BUF]]> -> tile<16xi32>
    %w = tileas.load_part %b1[%i] : !buf -> tile<16xi32>
    return
  }

  // CHECK-LABEL: entry @mma_sync
  entry @mma_sync() {
    %a = constant <f16: 1.0> : tile<16x16xf16>
    %b = constant <f16: 1.0> : tile<16x8xf16>
    %c = constant <f32: 0.0> : tile<16x8xf32>
    // CHECK: tileas.mma_sync %{{.*}}, %{{.*}}, %{{.*}} atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    %r = tileas.mma_sync %a, %b, %c atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<16x1xf8E8M0FNU>
    %t = constant <f8E8M0FNU: 1.0> : tile<1x8xf8E8M0FNU>
    // CHECK: tileas.mma_sync %{{.*}}, %{{.*}}, %{{.*}} scales(%{{.*}}, %{{.*}} : tile<16x1xf8E8M0FNU>, tile<1x8xf8E8M0FNU>) atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    %u = tileas.mma_sync %a, %b, %c scales(%s, %t : tile<16x1xf8E8M0FNU>, tile<1x8xf8E8M0FNU>) atom = "m16n8k16" : tile<16x16xf16>, tile<16x8xf16>, tile<16x8xf32>
    %d = constant <i8: 1> : tile<2x1x32xi8>
    %e = constant <i8: 1> : tile<2x32x4xi8>
    %f = constant <i32: 0> : tile<2x1x4xi32>
    // CHECK: tileas.mma_sync %{{.*}}, %{{.*}}, %{{.*}} atom = "m16n8k32" {signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>} : tile<2x1x32xi8>, tile<2x32x4xi8>, tile<2x1x4xi32>
    %v = tileas.mma_sync %d, %e, %f atom = "m16n8k32" {signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>} : tile<2x1x32xi8>, tile<2x32x4xi8>, tile<2x1x4xi32>
    return
  }
}
