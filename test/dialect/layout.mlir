// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

// Each layout is named once, in front of the module.
// CHECK: #[[ROW:.*]] = #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>
// CHECK: #[[MMA:.*]] = #cute.layout<((1@1, 8@0), (2@1, 4@1, 1@0, 2@0, 4@0), (), ())>
// CHECK: #[[COL:.*]] = #cute.layout<((1@0, 8@1), (2@0, 4@0, 1@1, 2@1, 4@1), (), ())>
// CHECK: #[[SCALAR:.*]] = #cute.layout<((), (0, 0, 0, 0, 0), (0, 0), ())>

#row = #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>
#mma = #cute.layout<((1@1, 8@0), (2@1, 4@1, 1@0, 2@0, 4@0), (), ())>
#scalar = #cute.layout<((), (0, 0, 0, 0, 0), (0, 0), ())>

cuda_tile.module @layout {
  // CHECK-LABEL: entry @placed
  entry @placed(%p: tile<ptr<f32>>) {
    // CHECK: %[[I:.*]] = iota : tile<32xi32, #[[ROW]]>
    %i = iota : tile<32xi32, #row>
    // CHECK: addi %[[I]], %[[I]] : tile<32xi32, #[[ROW]]>
    %a = addi %i, %i : tile<32xi32, #row>
    // A constant's value has no layout, its result may.
    // CHECK: %[[C:.*]] = constant <f32: 1.000000e+00> : tile<16x8xf32, #[[MMA]]>
    %c = constant <f32: 1.0> : tile<16x8xf32, #mma>
    // CHECK: permute %[[C]] [1, 0] : tile<16x8xf32, #[[MMA]]> -> tile<8x16xf32, #[[COL]]>
    %t = permute %c [1, 0] : tile<16x8xf32, #mma> -> tile<8x16xf32, #cute.layout<((1@0, 8@1), (2@0, 4@0, 1@1, 2@1, 4@1), (), ())>>
    // The booleans of a comparison may lie elsewhere.
    // CHECK: cmpi equal %[[I]], %[[I]], signed : tile<32xi32, #[[ROW]]> -> tile<32xi1>
    %e = cmpi equal %i, %i, signed : tile<32xi32, #row> -> tile<32xi1>
    // CHECK: exti %[[I]] signed : tile<32xi32, #[[ROW]]> -> tile<32xi64, #[[ROW]]>
    %x = exti %i signed : tile<32xi32, #row> -> tile<32xi64, #row>
    return
  }

  // CHECK-LABEL: entry @views
  entry @views(%p: tile<ptr<f32>, #scalar>, %n: tile<i32, #scalar>) {
    // The base's type is named where it has a layout.
    // CHECK: make_tensor_view %arg0, shape = [%arg1], strides = [1] : tile<ptr<f32>, #[[SCALAR]]>, tile<i32, #[[SCALAR]]> -> tensor_view<?xf32, strides=[1]>
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<ptr<f32>, #scalar>, tile<i32, #scalar> -> tensor_view<?xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>
    // CHECK: load_view_tko weak %pview[%arg1] : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32, #[[SCALAR]]> -> tile<32xf32, #[[ROW]]>, token
    %x, %k = load_view_tko weak %v[%n] : partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32, #scalar> -> tile<32xf32, #row>, token
    // CHECK: store_view_tko weak %tile, %pview[%arg1] : tile<32xf32, #[[ROW]]>
    %l = store_view_tko weak %x, %v[%n] : tile<32xf32, #row>, partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>, tile<i32, #scalar> -> token
    // CHECK: reduce %tile dim=0 identities=[0.000000e+00 : f32] : tile<32xf32, #[[ROW]]> -> tile<f32, #[[SCALAR]]>
    // CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %r = reduce %x dim=0 identities=[0.0 : f32] : tile<32xf32, #row> -> tile<f32, #scalar>
    (%a: tile<f32>, %b: tile<f32>) {
      yield %a : tile<f32>
    }
    // CHECK: for %loopIdx in (%arg1 to %arg1, step %arg1) : tile<i32, #[[SCALAR]]> iter_values(%iterArg0 = %tile) -> (tile<32xf32, #[[ROW]]>) {
    %f = for %i in (%n to %n, step %n) : tile<i32, #scalar> iter_values(%a = %x) -> (tile<32xf32, #row>) {
      continue %a : tile<32xf32, #row>
    }
    return
  }

  // Shapes and strides are attributes of their own.
  // CHECK-LABEL: entry @tuples
  // CHECK: } {cute.shape = #cute.shape<(128@0, 64@1)>, cute.stride = #cute.stride<(1@0, 128@1)>}
  entry @tuples() attributes {cute.shape = #cute.shape<(128@0, 64@1)>, cute.stride = #cute.stride<(1@0, 128@1)>} {
    return
  }
}
