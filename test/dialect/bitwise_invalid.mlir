// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// andi
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @andi_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.andi"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @andi_float(%a: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %r = andi %a, %a : tile<f32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// ori
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @ori_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.ori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @ori_float(%a: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %r = ori %a, %a : tile<f32>
    return
  }
}

// -----

//===----------------------------------------------------------------------===//
// xori
//===----------------------------------------------------------------------===//

cuda_tile.module @m {
  entry @xori_types(%a: tile<i32>, %b: tile<i64>) {
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.xori"(%a, %b) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @xori_float(%a: tile<f32>) {
    // expected-error @below {{operand #0 must be tile of i1 or i8 or i16 or i32 or i64 values, but got '!cuda_tile.tile<f32>'}}
    %r = xori %a, %a : tile<f32>
    return
  }
}
