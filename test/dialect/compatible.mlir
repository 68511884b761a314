// RUN: cuda-tile-opt %s -allow-unregistered-dialect -mlir-print-debuginfo | FileCheck %s
// RUN: cuda-tile-opt %s -allow-unregistered-dialect -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// What is read in several spellings is printed in the one that compatible tools read.

#file = #cuda_tile.di_file<"k.py" in "/">
#unit = #cuda_tile.di_compile_unit<file = #file>
// Lines and columns that are 0 are optional, and keys come in any order.
#f = #cuda_tile.di_subprogram<name = "spellings", linkageName = "spellings", file = #file, compileUnit = #unit, line = 1>
#block = #cuda_tile.di_lexical_block<file = #file, line = 2, scope = #f>

cuda_tile.module @m {
  // CHECK: entry @spellings(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
  // GENERIC: memory_ordering_semantics = 1 : i32, memory_scope = 2 : i32
  entry @spellings(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<> attributes {my.a = 1} {
    // CHECK: make_tensor_view %arg0, shape = [], strides = [] : tensor_view<f32>
    %t = make_tensor_view %p : tensor_view<f32>
    // CHECK: %cst_2_f32 = constant
    %two = constant <f32: 2.0> : tile<f32>
    // CHECK: %cst_f32 = constant
    %minus = constant <f32: -2.0> : tile<f32>
    // CHECK: %cst_9999999980506447872_f32 = constant
    %large = constant <f32: 1.0e19> : tile<f32>
    // CHECK: loop : tile<f32> {
    %a = loop -> tile<f32> {
      break %two : tile<f32>
    }
    // CHECK: loop : tile<f32> {
    %b = loop : tile<f32> {
      break %two : tile<f32>
    }
    // CHECK: loop iter_values(%{{.*}} = %cst_2_f32) : tile<f32> -> tile<f32> {
    %c = loop iter_values(%x = %two) : tile<f32> -> tile<f32> {
      break %x : tile<f32>
    // CHECK: } {my.b = 2 : i64}
    } {my.b = 2 : i64}
    // CHECK: load_ptr_tko relaxed sys %arg0
    %v, %k = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 1 : i32, memory_scope = 2 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    // CHECK: load_ptr_tko relaxed sys %arg0
    %w, %l = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<relaxed>, memory_scope = #cuda_tile<memory_scope sys>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
    // CHECK: maxi %arg1, %arg1 signed
    // GENERIC: "cuda_tile.maxi"(%{{.*}}, %{{.*}}) <{signedness = #cuda_tile.signedness<signed>}>
    %m = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile<signedness signed>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // CHECK: maxi %arg1, %arg1 signed
    %o = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile<signedness<signed>>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    // CHECK: negi %arg1 overflow<no_wrap>
    %q = negi %n overflow<no_wrap> : tile<i32>
    // CHECK: alloca num_elem = 4, alignment = 2 : tile<ptr<tf32>>
    %r = alloca num_elem = 4, alignment = 2 : tile<ptr<tf32>>
    return loc(#cuda_tile.di_loc<loc("k.py":3:4) in #block>)
  // CHECK: } {my.a = 1 : i64}
  } loc(#cuda_tile.di_loc<loc("k.py":1:1) in #f>)
}
// CHECK: #cuda_tile.di_subprogram<file = #{{.*}}, line = 1, name = "spellings", linkageName = "spellings", compileUnit = #{{[a-z_]*}}>
// CHECK: #cuda_tile.di_lexical_block<scope = #{{.*}}, file = #{{.*}}, line = 2>
