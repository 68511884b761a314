// Level P: a gpu.module of the tile module's name with one llvm.func per entry; each
// parameter is one of the entry's, i1 as a byte.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-stage,cuda-tile-order,cuda-tile-ring,cuda-tile-roles,cuda-tile-skew,cuda-tile-count,cuda-tile-allocate,cuda-tile-barriers,cuda-tile-emit)' | FileCheck %s
// RUN: not cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90},cuda-tile-place,cuda-tile-emit)' 2>&1 | FileCheck %s --check-prefix=EARLY

// EARLY: expected a module that is synchronised for cuda-tile-emit; run cuda-tile-stage to cuda-tile-barriers first
// EARLY-NOT: Traceback

// CHECK-NOT: cuda_tile
// CHECK: gpu.module @kernels
cuda_tile.module @kernels {
  // CHECK: llvm.func @parameters(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i8, %{{.*}}: f16, %{{.*}}: bf16)
  // CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>
  entry @parameters(%p: tile<ptr<f32>>, %n: tile<i64>, %b: tile<i1>, %h: tile<f16>, %g: tile<bf16>) {
    return
  }

  // What is assumed before a branch is told of the parameter, the narrower of two bounds.
  // CHECK: llvm.func @assumed(%{{.*}}: i32 {llvm.range = #llvm.constant_range<i32, 0, 65>}, %{{.*}}: i16 {llvm.range = #llvm.constant_range<i16, -3, -32768>})
  entry @assumed(%n: tile<i32>, %m: tile<i16>) {
    %a = assume div_by<16>, %n : tile<i32>
    %b = assume bounded<0, ?>, %a : tile<i32>
    %c = assume bounded<-5, 64>, %n : tile<i32>
    %d = assume bounded<-3, 32767>, %m : tile<i16>
    return
  }

  // Near misses: behind a branch that may leave, of a sum, and of a factor.
  // CHECK: llvm.func @not_assumed(%{{[^:]*}}: i32, %{{[^:]*}}: i8, %{{[^:]*}}: i32)
  // CHECK-NOT: llvm.range
  entry @not_assumed(%n: tile<i32>, %leaves: tile<i1>, %stride: tile<i32>) {
    %s = assume bounded<0, ?>, %stride : tile<i32>
    %long = exti %s signed : tile<i32> -> tile<i64>
    %product = muli %long, %long : tile<i64>
    %sum = addi %n, %n : tile<i32>
    %a = assume bounded<0, ?>, %sum : tile<i32>
    if %leaves {
      return
    }
    %b = assume bounded<0, ?>, %n : tile<i32>
    return
  }

  // A near miss: the assertion must still fail where the assumption is wrong.
  // CHECK: llvm.func @asserted(%{{[^:]*}}: i32)
  entry @asserted(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %holds = cmpi greater_than_or_equal %n, %zero, signed : tile<i32> -> tile<i1>
    assert %holds, "n is negative" : tile<i1>
    %a = assume bounded<0, ?>, %n : tile<i32>
    return
  }

  // CHECK: llvm.func @planned()
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
  entry @planned() attributes {tileas.plan = {num_warps = 8 : i64, min_ctas = 2 : i64}} {
    return
  }

  // What does not depend on the loop is made once, before it.
  // CHECK: llvm.func @loop
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.cond_br
  // CHECK-NOT: nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.return
  entry @loop(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %t = make_tensor_view %p, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%z to %n, step %one) : tile<i32> {
      %x = iota : tile<64xi32>
      %s = store_view_tko weak %x, %v[%i] : tile<64xi32>, partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token
    }
    return
  }
}
