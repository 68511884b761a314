// Versions 250.0 and 250.1, which builds for tests have, show what becomes of new
// things in files of an old version.

// RUN: split-file %s %t
// RUN: cuda-tile-translate %t/both.mlir -test-cudatile-roundtrip -bytecode-version=250.1 -no-implicit-module | FileCheck %t/both.mlir
// RUN: cuda-tile-translate %t/both.mlir -test-cudatile-roundtrip -bytecode-version=250.0 -no-implicit-module | FileCheck %t/both.mlir
// RUN: cuda-tile-translate %t/new.mlir -test-cudatile-roundtrip -bytecode-version=250.1 -no-implicit-module | FileCheck %t/new.mlir
// RUN: cuda-tile-translate %t/refused.mlir -mlir-to-cudatilebc -bytecode-version=250.0 -no-implicit-module -split-input-file -verify-diagnostics -o /dev/null
// RUN: cuda-tile-translate %t/ops.mlir -mlir-to-cudatilebc -bytecode-version=13.3 -no-implicit-module -split-input-file -verify-diagnostics -o /dev/null
// RUN: not cuda-tile-translate %t/both.mlir -mlir-to-cudatilebc -bytecode-version=250.2 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: cuda-tile-translate %t/both.mlir -mlir-to-cudatilebc -bytecode-version=250.0 -no-implicit-module -o %t/old.tileirbc
// RUN: cuda-tile-translate --dump %t/old.tileirbc | FileCheck %s --check-prefix=HEADER

// VERSION: Invalid argument '250.2': the supported versions are [13.1 - 13.
// HEADER: fa{{.*}}major version: 250

//--- both.mlir
cuda_tile.module @m {
  // CHECK-LABEL: entry @f
  entry @f(%x: tile<f32>, %y: tile<i8>) {
    // What is as it was in 250.0 may be written there.
    // CHECK: testing$bytecode_test_evolution %arg0, %arg1 : tile<f32>, tile<i8> -> tile<f32>, token
    %r, %t = testing$bytecode_test_evolution %x, %y : tile<f32>, tile<i8> -> tile<f32>, token
    // CHECK: testing$bytecode_test_evolution -> tile<4xi8>, token
    %s, %u = testing$bytecode_test_evolution -> tile<4xi8>, token
    // CHECK: testing$bytecode_test_attribute <300> : tile<i1>
    %a = testing$bytecode_test_attribute <300> : tile<i1>
    // CHECK: testing$bytecode_test_type : token
    %b = testing$bytecode_test_type : token
    return
  }
}

//--- new.mlir
cuda_tile.module @m {
  // CHECK-LABEL: entry @f
  entry @f(%x: tile<f32>) {
    // CHECK: testing$bytecode_test_evolution %arg0 {flag, note = "text", number = 7 : i64} : tile<f32> -> tile<f32>, token
    %r, %t = testing$bytecode_test_evolution %x {flag, note = "text", number = 7 : i64} : tile<f32> -> tile<f32>, token
    // CHECK: testing$bytecode_test_evolution %arg0 token = %result_token : tile<f32> -> tile<f32>, token
    %s, %u = testing$bytecode_test_evolution %x token = %t : tile<f32> -> tile<f32>, token
    // CHECK: testing$bytecode_test_new_op : tile<8xf32>
    %a = testing$bytecode_test_new_op : tile<8xf32>
    // CHECK: testing$bytecode_test_type : bytecode_test
    %b = testing$bytecode_test_type : bytecode_test
    return
  }
}

//--- refused.mlir
cuda_tile.module @m {
  entry @default(%x: tile<f32>) {
    // expected-error @below {{attribute 'number' requires bytecode version 250.1+, but targeting 250.0}}
    %r, %t = testing$bytecode_test_evolution %x {number = 7 : i64} : tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @optional(%x: tile<f32>) {
    // expected-error @below {{optional attribute 'note' is provided but requires bytecode version 250.1, targeting 250.0}}
    %r, %t = testing$bytecode_test_evolution %x {note = "a"} : tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @flag(%x: tile<f32>) {
    // expected-error @below {{optional attribute 'flag' is provided but requires bytecode version 250.1, targeting 250.0}}
    %r, %t = testing$bytecode_test_evolution %x {flag} : tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @operand(%x: tile<f32>) {
    %k = make_token : token
    // expected-error @below {{optional operand 'token' is provided but requires bytecode version 250.1, targeting 250.0}}
    %r, %t = testing$bytecode_test_evolution %x token = %k : tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @result(%x: tile<f32>) {
    // expected-error @below {{result 'result_token' requires bytecode version 250.1 but is being used and targeting 250.0. Cannot serialize to older bytecode version when newer features are used.}}
    %r, %t = testing$bytecode_test_evolution %x : tile<f32> -> tile<f32>, token
    %j = join_tokens %t, %t : token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @op() {
    // expected-error @below {{operation 'cuda_tile.testing$bytecode_test_new_op' is not available in bytecode version 250.0}}
    %r = testing$bytecode_test_new_op : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @type() {
    // expected-error @unknown {{type 'bytecode_test' requires bytecode version 250.1+, targeting 250.0}}
    %r = testing$bytecode_test_type : bytecode_test
    return
  }
}

// -----

// expected-error @below {{only function and global ops are allowed in the body}}
cuda_tile.module @m {
  // expected-remark @below {{invalid op: cuda_tile.testing$func}}
  testing$func @not_an_entry() {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @string() {
    // expected-error @unknown {{unsupported type in bytecode writer; got '!cuda_tile.string'}}
    %r = testing$bytecode_test_type : string
    return
  }
}

//--- ops.mlir
cuda_tile.module @m {
  entry @op() {
    // expected-error @below {{operation 'cuda_tile.testing$bytecode_test_attribute' is not available in bytecode version 13.3}}
    %r = testing$bytecode_test_attribute <1> : tile<f32>
    return
  }
}
