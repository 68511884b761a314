// Versions 250.0 and 250.1, which builds for tests have, show what becomes of new
// things in files of an old version.

// RUN: split-file %s %t
// RUN: cuda-tile-translate %t/both.mlir -test-cudatile-roundtrip -bytecode-version=250.1 -no-implicit-module | FileCheck %t/both.mlir
// RUN: cuda-tile-translate %t/both.mlir -test-cudatile-roundtrip -bytecode-version=250.0 -no-implicit-module | FileCheck %t/both.mlir
// RUN: cuda-tile-translate %t/new.mlir -test-cudatile-roundtrip -bytecode-version=250.1 -no-implicit-module | FileCheck %t/new.mlir
// RUN: cuda-tile-translate %t/refused.mlir -mlir-to-cudatilebc -bytecode-version=250.0 -no-implicit-module -split-input-file -verify-diagnostics -o /dev/null
// RUN: cuda-tile-translate %t/ops.mlir -mlir-to-cudatilebc -bytecode-version=13.1 -no-implicit-module -split-input-file -verify-diagnostics -o /dev/null
// RUN: cuda-tile-translate %t/newer.mlir -mlir-to-cudatilebc -bytecode-version=250.1 -no-implicit-module -split-input-file -verify-diagnostics -o /dev/null
// RUN: cuda-tile-translate %t/func.mlir -test-cudatile-roundtrip -no-implicit-module | FileCheck %t/func.mlir
// RUN: cuda-tile-translate %t/func.mlir -test-cudatile-roundtrip -bytecode-version=13.1 -no-implicit-module | FileCheck %t/func.mlir
// RUN: not cuda-tile-translate %t/func.mlir -mlir-to-cudatilebc -bytecode-version=13.5 -no-implicit-module -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATEST
// RUN: cuda-tile-opt %t/invalid.mlir -split-input-file -verify-diagnostics
// RUN: cuda-tile-opt %t/new.mlir -mlir-print-op-generic | cuda-tile-opt | FileCheck %t/new.mlir
// RUN: not cuda-tile-translate %t/both.mlir -mlir-to-cudatilebc -bytecode-version=250.2 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: cuda-tile-translate %t/both.mlir -mlir-to-cudatilebc -bytecode-version=250.0 -no-implicit-module -o %t/old.tileirbc
// RUN: cuda-tile-translate --dump %t/old.tileirbc | FileCheck %s --check-prefix=HEADER

// VERSION: Invalid argument '250.2': the supported versions are [13.1 - 13.3]
// LATEST: operation 'cuda_tile.testing$func' is not available in bytecode version 13.5
// HEADER: fa{{.*}}major version: 250

//--- both.mlir
cuda_tile.module @m {
  // CHECK-LABEL: entry @f
  entry @f(%x: tile<i32>, %y: tile<i8>) {
    // What is absent, or at its default, is as it was in 250.0.
    // CHECK: testing$bytecode_test_new_attribute{{$}}
    testing$bytecode_test_new_attribute
    // CHECK: testing$bytecode_test_new_attribute{{$}}
    testing$bytecode_test_new_attribute new_param = 42
    // CHECK: %{{.*}} = testing$bytecode_test_evolution(%arg0, %arg1 : !cuda_tile.tile<i32>, !cuda_tile.tile<i8>) -> token
    %t = testing$bytecode_test_evolution (%x, %y : !cuda_tile.tile<i32>, !cuda_tile.tile<i8>) -> token
    // CHECK: testing$bytecode_test_evolution(%arg0 : !cuda_tile.tile<i32>) priority = <low> -> token
    %u = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) priority = <low> -> token
    // CHECK: testing$bytecode_test_evolution(%arg0 : !cuda_tile.tile<i32>) priority = <normal> -> token
    %v = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) priority = <normal> -> !cuda_tile.token
    return
  }
  // CHECK: testing$func @g(%arg0: testing$bytecode_test_evolved<i32>) {
  testing$func @g(%x: !cuda_tile.testing$bytecode_test_evolved<i32>) {
  }
}

//--- new.mlir
cuda_tile.module @m {
  // CHECK-LABEL: entry @f
  entry @f(%x: tile<i32>) {
    // CHECK: testing$bytecode_test_new_attribute new_flag{{$}}
    testing$bytecode_test_new_attribute new_flag
    // CHECK: testing$bytecode_test_new_attribute new_param = -7{{$}}
    testing$bytecode_test_new_attribute new_param = -7
    // CHECK: testing$bytecode_test_new_attribute new_flag new_param = 100{{$}}
    testing$bytecode_test_new_attribute new_flag new_param = 100
    %t = make_token : token
    // CHECK: %[[T:.*]] = testing$bytecode_test_evolution(%arg0 : !cuda_tile.tile<i32>) new_attr = 9 token = %{{.*}} : token priority = <high> test_attr = <-300> -> token
    %u = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) new_attr = 9 token = %t : token priority = <high> test_attr = <-300> -> token
    // CHECK: testing$bytecode_test_evolution(%arg0 : !cuda_tile.tile<i32>) token = %[[T]] : token -> token
    %v = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) token = %u : token -> token
    return
  }
  // CHECK: testing$func @g(%arg0: testing$bytecode_test_evolved<i32, f32, zero, tile<f64>>, %arg1: testing$bytecode_test_evolved<f16, i8>, %arg2: testing$bytecode_test_evolved<i1, nan>, %arg3: testing$bytecode_test_evolved<i1, neg_inf, token>) {
  testing$func @g(%a: testing$bytecode_test_evolved<i32, f32, zero, tile<f64>>, %b: !cuda_tile.testing$bytecode_test_evolved<f16, i8>,
                  %c: testing$bytecode_test_evolved<i1, nan>, %d: testing$bytecode_test_evolved<i1, neg_inf, token>) {
    return
  }
}

//--- func.mlir
cuda_tile.module @m {
  // CHECK: testing$func @returns(%arg0: tile<4x8xf32>, %arg1: token) -> (tile<4x8xf32>, token) {
  testing$func @returns(%x: tile<4x8xf32>, %t: token) -> (tile<4x8xf32>, token) {
    // CHECK: return %arg0, %arg1 : tile<4x8xf32>, token
    return %x, %t : tile<4x8xf32>, token
  }
  // CHECK: entry @kernel
  entry @kernel() {
  }
  // CHECK: testing$func private @hidden() {
  testing$func private @hidden() {
  }
}

//--- refused.mlir
cuda_tile.module @m {
  entry @default() {
    // expected-error @below {{attribute 'new_param' requires bytecode version 250.1+, but targeting 250.0}}
    testing$bytecode_test_new_attribute new_param = 7
    return
  }
}

// -----

cuda_tile.module @m {
  entry @flag() {
    // expected-error @below {{optional attribute 'new_flag' is provided but requires bytecode version 250.1, targeting 250.0}}
    testing$bytecode_test_new_attribute new_flag
    return
  }
}

// -----

cuda_tile.module @m {
  entry @optional(%x: tile<i32>) {
    // expected-error @below {{optional attribute 'new_attr' is provided but requires bytecode version 250.1, targeting 250.0}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) new_attr = 1 -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @own_attribute(%x: tile<i32>) {
    // expected-error @below {{optional attribute 'test_attr' is provided but requires bytecode version 250.1, targeting 250.0}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) test_attr = <1> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @operand(%x: tile<i32>) {
    %k = make_token : token
    // expected-error @below {{optional operand 'optional_token' is provided but requires bytecode version 250.1, targeting 250.0}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) token = %k : token -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @case(%x: tile<i32>) {
    // expected-error @below {{enum value for attribute 'priority' is not available in bytecode version 250.0}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) priority = <high> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @result(%x: tile<i32>) {
    // expected-error @below {{result 'result_token' requires bytecode version 250.1 but is being used and targeting 250.0. Cannot serialize to older bytecode version when newer features are used.}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) -> token
    %j = join_tokens %t, %t : token
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @unknown {{parameter 'newType' requires bytecode version 250.1+, but targeting 250.0}}
  testing$func @parameter(%x: testing$bytecode_test_evolved<i32, f32>) {
    return
  }
}

//--- ops.mlir
cuda_tile.module @m {
  entry @op() {
    // expected-error @below {{operation 'cuda_tile.testing$bytecode_test_new_attribute' is not available in bytecode version 13.1}}
    testing$bytecode_test_new_attribute
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @unknown {{type 'BytecodeTestEvolvedType' requires bytecode version 250.0+, targeting 13.1}}
  testing$func @type(%x: testing$bytecode_test_evolved<i32>) {
    return
  }
}

//--- newer.mlir
// They add to 13.3: what 13.4 brought is not in them.
cuda_tile.module @m {
  // expected-error @unknown {{type 'Float8E5M3FNU' requires bytecode version 13.4+, targeting 250.1}}
  entry @element(%x: tile<f8E5M3FNU>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @unknown {{unsupported type in bytecode writer; got '!cuda_tile.string'}}
  testing$func @string(%x: string) {
    return
  }
}

//--- invalid.mlir
cuda_tile.module @m {
  entry @inputs() {
    // expected-error @below {{expected 1 or more operands, but found 0}}
    %t = "cuda_tile.testing$bytecode_test_evolution"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> !cuda_tile.token
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected '>'}}
  testing$func @parameter(%x: testing$bytecode_test_evolved<i32, zero, f32, f64>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "cuda_tile.testing$func"() <{function_type = () -> (), sym_name = "f"}> ({
  }) : () -> ()
}

// -----

cuda_tile.module @m {
  entry @priority(%x: tile<i32>) {
    // expected-error @below {{expected ::mlir::cuda_tile::BytecodeTestPriority to be one of: low, normal, high}}
    // expected-error @below {{failed to parse CudaTile_BytecodeTestPriorityAttr parameter 'value'}}
    %t = testing$bytecode_test_evolution (%x : !cuda_tile.tile<i32>) priority = <urgent> -> token
    return
  }
}
