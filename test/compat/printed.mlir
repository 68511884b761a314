// RUN: cuda-tile-opt %s -split-input-file -allow-unregistered-dialect | FileCheck %s
// RUN: cuda-tile-opt %s -split-input-file -allow-unregistered-dialect | cuda-tile-opt -split-input-file -allow-unregistered-dialect | FileCheck %s
// RUN: cuda-tile-opt %s -split-input-file -allow-unregistered-dialect -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Spellings that are read, and the one that is printed. `row` names the row of rows.txt.

// row 3.1: each attribute of an enumeration, in each spelling
// CHECK: #cuda_tile.signedness<signed>, #cuda_tile.signedness<unsigned>, #cuda_tile.signedness<signed>
"x.y"() {a = [#cuda_tile.signedness<signed>, #cuda_tile<signedness<unsigned>>, #cuda_tile<signedness signed>]} : () -> ()
// CHECK: #cuda_tile.rounding<zero>, #cuda_tile.rounding<approx>
"x.y"() {a = [#cuda_tile.rounding<zero>, #cuda_tile<rounding<approx>>]} : () -> ()
// CHECK: #cuda_tile.overflow<no_wrap>, #cuda_tile.overflow<none>
"x.y"() {a = [#cuda_tile.overflow<no_wrap>, #cuda_tile<overflow<none>>]} : () -> ()
// CHECK: #cuda_tile.comparison_predicate<less_than>, #cuda_tile.comparison_predicate<equal>
"x.y"() {a = [#cuda_tile.comparison_predicate<less_than>, #cuda_tile<comparison_predicate<equal>>]} : () -> ()
// CHECK: #cuda_tile.comparison_ordering<ordered>, #cuda_tile.comparison_ordering<unordered>
"x.y"() {a = [#cuda_tile.comparison_ordering<ordered>, #cuda_tile<comparison_ordering unordered>]} : () -> ()
// CHECK: #cuda_tile.symbol_visibility<private>, #cuda_tile.symbol_visibility<public>
"x.y"() {a = [#cuda_tile.symbol_visibility<private>, #cuda_tile<symbol_visibility public>]} : () -> ()
// row 3.2
// CHECK: #cuda_tile<padding_value zero>, #cuda_tile<padding_value neg_zero>, #cuda_tile<padding_value nan>, #cuda_tile<padding_value pos_inf>, #cuda_tile<padding_value neg_inf>
"x.y"() {a = [#cuda_tile<padding_value zero>, #cuda_tile<padding_value neg_zero>, #cuda_tile<padding_value nan>, #cuda_tile<padding_value pos_inf>, #cuda_tile<padding_value neg_inf>]} : () -> ()

// -----

cuda_tile.module @m {
  // row 3.4
  // CHECK-LABEL: entry @atomics
  // CHECK: atomic_rmw_tko relaxed device %{{.*}}, add, %{{.*}} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // CHECK-NEXT: atomic_rmw_tko acq_rel sys %{{.*}}, xchg, %{{.*}} : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  // GENERIC: "cuda_tile.atomic_rmw_tko"(%{{.*}}, %{{.*}}) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
  entry @atomics(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %r:2 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
    %s:2 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<acq_rel>, memory_scope = #cuda_tile<memory_scope sys>, mode = #cuda_tile.atomic_rmw_mode<xchg>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
  }
  // row 3.5
  // CHECK-LABEL: entry @no_attributes() {
  "cuda_tile.entry"() <{arg_attrs = [], function_type = () -> (), sym_name = "no_attributes"}> ({
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
  // CHECK-LABEL: entry @empty_attributes(%{{.*}}: tile<i32>) {
  "cuda_tile.entry"() <{arg_attrs = [{}], function_type = (!cuda_tile.tile<i32>) -> (), sym_name = "empty_attributes"}> ({
  ^bb0(%x: !cuda_tile.tile<i32>):
    "cuda_tile.return"() : () -> ()
  }) : () -> ()
  // row 3.6
  // CHECK-LABEL: entry @no_hints() {
  entry @no_hints() optimization_hints=<> {
  }
  // row 5.1
  // CHECK-LABEL: entry @extra
  // CHECK: for
  // CHECK: } {my.a = 1 : i64}
  // CHECK: loop {
  // CHECK: } {my.a = 2 : i64}
  // CHECK: if %
  // CHECK: } else {
  // CHECK: } {my.a = 3 : i64}
  // CHECK: return
  // CHECK: } {my.a = 4 : i64}
  entry @extra(%n: tile<i32>, %c: tile<i1>) {
    for %i in (%n to %n, step %n) : tile<i32> {
    } {my.a = 1}
    loop {
      break
    } {my.a = 2}
    if %c {
    } else {
      %x = constant <i32: 1> : tile<i32>
    } {my.a = 3}
  } {my.a = 4}
  // CHECK: testing$func @function
  // CHECK: } {my.a = 5 : i64}
  testing$func @function() {
  } {my.a = 5}
  // CHECK-LABEL: entry @in_front
  // CHECK: } {my.a = 1 : i64}
  entry @in_front(%n: tile<i32>) attributes {my.b = 4} {
    for %i in (%n to %n, step %n) : tile<i32> attributes {my.a = 1} {
    }
  }
  // row 5.2
  // CHECK-LABEL: entry @loops
  // CHECK: loop : tile<f32>, tile<i32> {
  // CHECK: loop iter_values(%{{.*}} = %{{.*}}) : tile<f32> -> tile<i32> {
  entry @loops(%a: tile<f32>, %b: tile<i32>) {
    %r:2 = loop : tile<f32>, tile<i32> {
      break %a, %b : tile<f32>, tile<i32>
    }
    %s = loop iter_values(%x = %a) : tile<f32> -> tile<i32> {
      break %b : tile<i32>
    }
  }
  // row 5.3
  // CHECK-LABEL: entry @rank_0
  // CHECK: make_tensor_view %{{.*}}, shape = [], strides = [] : tensor_view<f32>
  entry @rank_0(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  }
  // row 1.5.6
  // CHECK-LABEL: entry @wraps
  // CHECK: constant <i64: -1> : tile<i64>
  // CHECK: constant <i64: -9223372036854775808> : tile<i64>
  entry @wraps() {
    %a = constant <i64: 18446744073709551615> : tile<i64>
    %b = constant <i64: 9223372036854775808> : tile<i64>
  }
  // row 5.4
  // CHECK-LABEL: entry @names
  // CHECK: %cst_0_f32 = constant <f32: 0.000000e+00>
  // CHECK: %cst_f32 = constant <f32: -1.000000e+00>
  // CHECK: %cst_f32{{_[0-9]+}} = constant <f32: 1.500000e+00>
  // CHECK: %cst_2_f16 = constant
  entry @names() {
    %a = constant <f32: 0.0> : tile<f32>
    %b = constant <f32: -1.0> : tile<f32>
    %c = constant <f32: 1.5> : tile<f32>
    %d = constant <f16: 2.0> : tile<f16>
  }
}

// -----

// row 5.5
// CHECK: cuda_tile.module @attributed attributes {my.a = 1 : i64} {
cuda_tile.module @attributed attributes {my.a = 1} {
  // row 5.6
  // CHECK: global @g <i32: [1, 2]> : tile<2xi32> {my.b = 2 : i64}
  global @g <i32: [1, 2]> : tile<2xi32> {my.b = 2}
}

// -----

// row 4.1: optional keys, in any order
// CHECK-DAG: #cuda_tile.di_subprogram<file = #{{.*}}, line = 1, name = "f", linkageName = "f", compileUnit = #{{[a-z_]+[0-9]*}}>
// CHECK-DAG: #cuda_tile.di_lexical_block<scope = #{{.*}}, file = #{{.*}}, line = 2>
#file = #cuda_tile.di_file<"k.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
#f = #cuda_tile.di_subprogram<compileUnit = #unit, linkageName = "f", name = "f", line = 1, file = #file, scopeLine = 0>
#block = #cuda_tile.di_lexical_block<line = 2, file = #file, scope = #f, column = 0>
"x.y"() {a = #f, b = #block} : () -> ()
