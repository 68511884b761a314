// Layouts: each access in its own best one, conversions only where two of them meet,
// and none for what costs nothing to make again.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_89},cuda-tile-place)' | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_89},cuda-tile-place)' -o %t.mlir
// RUN: cuda-tile-opt %t.mlir -o /dev/null
// RUN: not cuda-tile-opt %s --cuda-tile-place 2>&1 | FileCheck %s --check-prefix=NOPLAN

// NOPLAN: place.mlir:{{[0-9]+}}:{{[0-9]+}}: error: expected a module that is planned for cuda-tile-place; run cuda-tile-plan first
// NOPLAN-NOT: Traceback

!line = !cuda_tile.tensor_view<?xf32, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(1024), !cuda_tile.tensor_view<?xf32, strides=[1]>>
!square = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>>
!transposed = !cuda_tile.partition_view<tile=(64x64), !cuda_tile.tensor_view<64x64xf32, strides=[64,1]>, dim_map=[1, 0]>

// Four registers, then lanes, then warps side by side: 16 bytes per thread.
// CHECK-DAG: #[[LINE:.*]] = #cute.layout<((1@0, 2@0, 512@0), (4@0, 8@0, 16@0, 32@0, 64@0), (128@0, 256@0), ())>
// Rows are read and columns written, each with neighbours in neighbouring lanes.
// CHECK-DAG: #[[ROWS:.*]] = #cute.layout<((1@1, 2@1, {{.*}}), (4@1, 8@1, 16@1, 32@1, 1@0), {{.*}})>
// CHECK-DAG: #[[COLUMNS:.*]] = #cute.layout<((1@0, 2@0, {{.*}}), (4@0, 8@0, 16@0, 32@0, 1@1), {{.*}})>

cuda_tile.module @kernels {
  // Everything agrees: no conversion, constants have the layout of their use.
  // CHECK-LABEL: entry @stream
  // CHECK: constant <f32: 2.0{{.*}}> : tile<1024xf32, #[[LINE]]>
  // CHECK-NOT: convert_layout
  // CHECK: mulf {{.*}} : tile<1024xf32, #[[LINE]]>
  // CHECK-NOT: convert_layout
  // CHECK: return
  entry @stream(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %size = assume div_by<16>, %n : tile<i32>
    %t = make_tensor_view %base, shape = [%size], strides = [1] : tile<i32> -> !line
    %v = make_partition_view %t : !tiles
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %r = load_view_tko weak %v[%i] : !tiles, tile<i32> -> tile<1024xf32>, token
    %two = constant <f32: 2.0> : tile<1024xf32>
    %y = mulf %x, %two : tile<1024xf32>
    %w = store_view_tko weak %y, %v[%i] token = %r : tile<1024xf32>, !tiles, tile<i32> -> token
    return
  }

  // A difference to the maximum of its row is nowhere positive, nor is less than a
  // square; one to the next row's may be.
  // CHECK-LABEL: entry @below
  // CHECK: exp {{.*}} {tileas.never_positive} :
  // CHECK: negf
  // CHECK: exp {{.*}} {tileas.never_positive} :
  // CHECK: exp
  // CHECK-NOT: never_positive
  // CHECK: return
  entry @below(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [2, 64], strides = [64, 1] : tensor_view<2x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %x, %r = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
    %y, %q = load_view_tko weak %v[%one, %zero] : partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
    %most = reduce %x dim=1 identities=[0xFF800000 : f32] : tile<1x64xf32> -> tile<1xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %row = reshape %most : tile<1xf32> -> tile<1x1xf32>
    %all = broadcast %row : tile<1x1xf32> -> tile<1x64xf32>
    %own = subf %x, %all : tile<1x64xf32>
    %other = subf %y, %all : tile<1x64xf32>
    %c = exp %own : tile<1x64xf32>
    %square = mulf %y, %y : tile<1x64xf32>
    %less = negf %square : tile<1x64xf32>
    %e = exp %less : tile<1x64xf32>
    %d = exp %other : tile<1x64xf32>
    %part = addf %c, %e : tile<1x64xf32>
    %sum = addf %part, %d : tile<1x64xf32>
    %s = store_view_tko weak %sum, %v[%zero, %zero] : tile<1x64xf32>, partition_view<tile=(1x64), tensor_view<2x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }

  // A transposition converts once, between the layouts of its two accesses.
  // CHECK-LABEL: entry @transpose
  // CHECK: load_view_tko {{.*}} -> tile<64x64xf32, #[[ROWS]]>, token
  // CHECK: convert_layout {{.*}} -> tile<64x64xf32, #[[COLUMNS]]>
  // CHECK-NOT: convert_layout
  // CHECK: store_view_tko {{.*}} : tile<64x64xf32, #[[COLUMNS]]>
  entry @transpose(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %b = assume div_by<16>, %q : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %u = make_tensor_view %b, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : !square
    %w = make_partition_view %u : !transposed
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z, %z] : !square, tile<i32> -> tile<64x64xf32>, token
    %s = store_view_tko weak %x, %w[%z, %z] : tile<64x64xf32>, !transposed, tile<i32> -> token
    return
  }

  // One constant for two tiles of different layouts is made twice, never moved.
  // CHECK-LABEL: entry @rematerialised
  // CHECK-DAG: constant <f32: 1.0{{.*}}> : tile<64x64xf32, #[[ROWS]]>
  // CHECK-DAG: constant <f32: 1.0{{.*}}> : tile<64x64xf32, #[[COLUMNS]]>
  // CHECK-NOT: convert_layout
  // CHECK: return
  entry @rematerialised(%p: tile<ptr<f32>>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %t = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : !square
    %w = make_partition_view %t : !transposed
    %z = constant <i32: 0> : tile<i32>
    %one = constant <f32: 1.0> : tile<64x64xf32>
    %r = store_view_tko weak %one, %v[%z, %z] : tile<64x64xf32>, !square, tile<i32> -> token
    %s = store_view_tko weak %one, %w[%z, %z] token = %r : tile<64x64xf32>, !transposed, tile<i32> -> token
    return
  }

  // What a loop carries keeps one layout: the accumulator's, fragments of mma.
  // CHECK-LABEL: entry @product
  // CHECK: for {{.*}} -> (tile<64x64xf32, #[[ACC:.*]]>) {
  // CHECK: convert_layout {{.*}}xf16
  // CHECK: convert_layout {{.*}}xf16
  // CHECK: mmaf {{.*}}, tile<64x64xf32, #[[ACC]]>
  // CHECK-NOT: convert_layout
  // CHECK: continue
  entry @product(%p: tile<ptr<f16>>, %q: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf16, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(64x64), tensor_view<64x64xf16, strides=[64,1]>>
    %u = make_tensor_view %q, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %u : !square
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <f32: 0.0> : tile<64x64xf32>
    %sum = for %i in (%z to %one, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
      %a, %r = load_view_tko weak %v[%i, %z] : partition_view<tile=(64x64), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
      %b, %s = load_view_tko weak %v[%z, %i] : partition_view<tile=(64x64), tensor_view<64x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
      %next = mmaf %a, %b, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %s = store_view_tko weak %sum, %w[%z, %z] : tile<64x64xf32>, !square, tile<i32> -> token
    return
  }
}
