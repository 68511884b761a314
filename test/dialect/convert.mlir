// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @convert {
  // CHECK-LABEL: entry @integers
  entry @integers(%n: tile<i32>, %b: tile<i1>) {
    // CHECK: bitcast %arg0 : tile<i32> -> tile<f32>
    %0 = bitcast %n : tile<i32> -> tile<f32>
    // CHECK: exti %arg0 signed : tile<i32> -> tile<i64>
    %1 = exti %n signed : tile<i32> -> tile<i64>
    // CHECK: exti %arg1 unsigned : tile<i1> -> tile<i32>
    %2 = exti %b unsigned : tile<i1> -> tile<i32>
    // CHECK: itof %arg0 signed  : tile<i32> -> tile<f16>
    %3 = itof %n signed : tile<i32> -> tile<f16>
    // CHECK: trunci %arg0 : tile<i32> -> tile<i16>
    %4 = trunci %n : tile<i32> -> tile<i16>
    // CHECK: trunci %arg0 overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    %5 = trunci %n overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    return
  }

  // CHECK-LABEL: entry @floats
  entry @floats(%a: tile<f32>, %h: tile<f16>) {
    // CHECK: ftof %arg0  : tile<f32> -> tile<tf32>
    %0 = ftof %a : tile<f32> -> tile<tf32>
    // Types of one width are not the same type.
    // CHECK: ftof %arg1  : tile<f16> -> tile<bf16>
    %1 = ftof %h : tile<f16> -> tile<bf16>
    // CHECK: ftof %arg0 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    %2 = ftof %a rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    // CHECK: ftof %arg0 rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>
    %3 = ftof %a rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>
    // CHECK: ftof %arg0 rounding<nearest_away> : tile<f32> -> tile<tf32>
    %away = ftof %a rounding<nearest_away> : tile<f32> -> tile<tf32>
    // CHECK: ftof %arg0 rounding<zero> : tile<f32> -> tile<f16>
    %cut = ftof %a rounding<zero> : tile<f32> -> tile<f16>
    // CHECK: ftof %arg0 : tile<f32> -> tile<f64>
    %exact = ftof %a : tile<f32> -> tile<f64>
    // CHECK: ftof %{{.*}} rounding<positive_inf> : tile<f64> -> tile<f32>
    %up = ftof %exact rounding<positive_inf> : tile<f64> -> tile<f32>
    // CHECK: ftoi %arg0 signed  : tile<f32> -> tile<i32>
    %4 = ftoi %a signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>
    // CHECK: ftoi %arg0 unsigned  saturating : tile<f32> -> tile<i8>
    %5 = ftoi %a unsigned saturating : tile<f32> -> tile<i8>
    return
  }

  // CHECK-LABEL: entry @pointers
  entry @pointers(%p: tile<ptr<f32>>) {
    // CHECK: %0 = ptr_to_int %arg0 : tile<ptr<f32>> -> tile<i64>
    %0 = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
    // CHECK: %1 = int_to_ptr %0 : tile<i64> -> tile<ptr<i8>>
    %1 = int_to_ptr %0 : tile<i64> -> tile<ptr<i8>>
    // CHECK: ptr_to_ptr %1 : tile<ptr<i8>> -> tile<ptr<f32>>
    %2 = ptr_to_ptr %1 : tile<ptr<i8>> -> tile<ptr<f32>>
    return
  }
}
