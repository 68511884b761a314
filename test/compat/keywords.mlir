// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Words where the syntax wants one of a list. `row` names the row of rows.txt.

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = divi %x, %x : tile<i32>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = maxi %x, %x other : tile<i32>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = cmpi equal %x, %x, : tile<i32> -> tile<i1>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = exti %x : tile<i32> -> tile<i64>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = itof %x : tile<i32> -> tile<f32>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = ftoi %x : tile<f32> -> tile<i32>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = shri %x, %x : tile<i32>
  }
}

// -----

// row 1.3.1
cuda_tile.module @m {
  entry @f() {
    %x = constant <i8: 1> : tile<2x2xi8>
    %c = constant <i32: 1> : tile<2x2xi32>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected signedness to be one of: {'signed', 'unsigned'}}}
    %r = mmai %x, %x, %c : tile<2x2xi8>, tile<2x2xi8>, tile<2x2xi32>
  }
}

// -----

// row 1.3.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
    %r = cmpf same ordered %x, %x : tile<f32> -> tile<i1>
  }
}

// -----

// row 1.3.2
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected 'comparison_predicate' to be one of: {'equal', 'not_equal', 'less_than', 'less_than_or_equal', 'greater_than', 'greater_than_or_equal'}}}
    %r = cmpi "equal" %x, %x, signed : tile<i32> -> tile<i1>
  }
}

// -----

// row 1.3.3
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected 'comparison_ordering' to be one of: {'ordered', 'unordered'}}}
    %r = cmpf equal other %x, %x : tile<f32> -> tile<i1>
  }
}

// -----

// row 1.3.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "" but expect one of: weak, relaxed, acquire, release, acq_rel}}
    %tok = store_view_tko %x, %v[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  }
}

// -----

// row 1.3.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{invalid memory_ordering_semantics attribute specification. Got "other" but expect one of: weak, relaxed, acquire, release, acq_rel}}
    %x, %tok = load_view_tko other %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  }
}

// -----

// row 1.3.4
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{invalid memory_scope attribute specification. Got "other" but expect one of: tl_blk, device, sys}}
    %x, %tok = load_view_tko relaxed other %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
  }
}

// -----

// row 1.3.5
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected attribute name}}
    %r = assume %x, div_by<8> : tile<i32>
  }
}

// -----

// row 1.3.5
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{unknown assume predicate attribute: other (expected 'div_by', 'same_elements', or 'bounded')}}
    %r = assume other<8>, %x : tile<i32>
  }
}

// -----

// row 1.3.6
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{expected valid keyword}}
    // expected-error @below {{expected index type after comma}}
    %x, %tok = load_view_tko weak %v[%i] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, -> tile<8xf32>, token
  }
}

// -----

// row 1.3.7
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected valid keyword}}
    %r = mulf %x, %x rounding<"zero"> : tile<f32>
  }
}

// -----

// row 1.3.7
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected valid keyword}}
    %r = exp %x rounding<> : tile<f32>
  }
}

// -----

// row 1.3.8
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %x, %tok = load_ptr_tko other %p : tile<ptr<f32>> -> tile<f32>, token
  }
}

// -----

// row 1.3.8
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %x: tile<f32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %tok = store_ptr_tko %p, %x : tile<ptr<f32>>, tile<f32> -> token
  }
}

// -----

// row 1.3.8
cuda_tile.module @m {
  entry @f(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_ordering_semantics' [weak, relaxed, acquire, release, acq_rel]}}
    %r, %tok = atomic_rmw_tko other device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  }
}

// -----

// row 1.3.9
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %x: tile<f32>) {
    // expected-error @below {{expected SSA operand}}
    %tok = store_ptr_tko weak other %p, %x : tile<ptr<f32>>, tile<f32> -> token
  }
}

// -----

// row 1.3.10
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x = constant <f32: 1.0> : tile<8xf32>
    // expected-error @below {{operation specifies weak memory ordering semantics, but then provides "device" scope, expected no memory scope.}}
    %tok = store_view_tko weak device %x, %v[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  }
}

// -----

// row 1.4.1
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'foo'}}
    %r = addf %x, %x rounding<foo> : tile<f32>
  }
}

// -----

// row 1.4.1
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'approx'}}
    %r = fma %x, %x, %x rounding<approx> : tile<f32>
  }
}

// -----

// row 1.4.1
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'full'}}
    %r = itof %x signed rounding<full> : tile<i32> -> tile<f32>
  }
}

// -----

// row 1.4.1
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', got: 'nearest_int_to_zero'}}
    %r = ftof %x rounding<nearest_int_to_zero> : tile<f32> -> tile<f16>
  }
}

// -----

// row 1.4.2
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx', 'full', got: 'foo'}}
    %r = divf %x, %x rounding<foo> : tile<f32>
  }
}

// -----

// row 1.4.3
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_even', 'zero', 'negative_inf', 'positive_inf', 'approx'}}
    %r = sqrt %x rounding<foo> : tile<f32>
  }
}

// -----

// row 1.4.3
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]}}
    %r = sqrt %x rounding<full> : tile<f32>
  }
}

// -----

// row 1.4.3
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [nearest_even, zero, negative_inf, positive_inf, approx]}}
    %r = sqrt %x rounding<nearest_int_to_zero> : tile<f32>
  }
}

// -----

// row 1.4.4
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'approx', 'full'}}
    %r = exp %x rounding<foo> : tile<f32>
  }
}

// -----

// row 1.4.4
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
    %r = exp %x rounding<nearest_even> : tile<f32>
  }
}

// -----

// row 1.4.4
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [approx, full]}}
    %r = tanh %x rounding<zero> : tile<f32>
  }
}

// -----

// row 1.4.5
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{invalid rounding mode specified, expect one of [zero, negative_inf, positive_inf]}}
    %r = divi %x, %x signed rounding<approx> : tile<i32>
  }
}

// -----

// row 1.4.6
cuda_tile.module @m {
  entry @f(%x: tile<f32>) {
    // expected-error @below {{expected rounding mode to be one of: 'nearest_int_to_zero', got: 'foo'}}
    %r = ftoi %x signed rounding<foo> : tile<f32> -> tile<i32>
  }
}

// -----

// row 1.4.7
cuda_tile.module @m {
  entry @f(%x: tile<f16>) {
    // expected-error @below {{invalid rounding mode specified. Only 'nearest_even' is supported}}
    %r = ftof %x rounding<zero> : tile<f16> -> tile<f32>
  }
}

// -----

// row 1.4.8
cuda_tile.module @m {
  entry @f(%x: tile<f64>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'f64'}}
    %r = sqrt %x rounding<approx> flush_to_zero : tile<f64>
  }
}

// -----

// row 1.4.8
cuda_tile.module @m {
  entry @f(%x: tile<bf16>) {
    // expected-error @below {{flush_to_zero modifier only supported for f32 data type, but got: 'bf16'}}
    %r = divf %x, %x rounding<full> flush_to_zero : tile<bf16>
  }
}

// -----

// row 1.5.1
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got 'tensor<f32>'}}
    %r = constant <f32: 1.0> : tensor<f32>
  }
}

// -----

// row 1.5.1
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got 'i32'}}
    %r = constant <i32: 1> : i32
  }
}

// -----

// row 1.5.1
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{result #0 must be tile of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.token'}}
    %r = constant <i32: 1> : token
  }
}

// -----

// row 1.5.2
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{expected integer value}}
    %r = constant <i8: [true, false]> : tile<2xi8>
  }
}

// -----

// row 1.5.3
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{unknown type: pluto}}
    // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '<<NULL TYPE>>'}}
    %r = constant <pluto: 1> : tile<i32>
  }
}

// -----

// row 1.5.4
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{expect element type to be one of i1 or i8 or i16 or i32 or i64 or f16 or bf16 or f32 or f64 or tf32 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN values, but got '!cuda_tile.ptr<f32>'}}
    %r = constant <ptr<f32>: 1> : tile<i32>
  }
}

// -----

// row 1.5.5
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{expected integer value; dense attribute cannot be empty}}
    %r = constant <i32: []> : tile<1xi32>
  }
}

// -----

// row 1.5.7
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{tensor literal is invalid; ranks are not consistent between elements}}
    %r = constant <i32: [1, [2]]> : tile<2xi32>
  }
}
