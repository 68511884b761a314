// Forms that neither real producers write nor their compiler takes.
// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @return_in_for(%n: tile<i32>, %c: tile<i1>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        // expected-error @below {{must be used within a cuda_tile.testing$func, cuda_tile.entry, or cuda_tile.if operation}}
        return
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @break_in_for(%n: tile<i32>, %c: tile<i1>) {
    // expected-note @below {{see unexpected ancestor operation}}
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        // expected-error @below {{can only be nested within a ancestor chain of 'cuda_tile.loop', 'cuda_tile.if' operations}}
        break
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @same_type(%x: tile<f32>) {
    // expected-error @below {{converting tiles must not be a no-op}}
    %0 = ftof %x : tile<f32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scope(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'memory_scope' [tl_blk, device, sys]}}
    %0, %t = atomic_rmw_tko relaxed %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @weak(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{memory ordering semantics must be one of: relaxed, acquire, release, acq_rel}}
    %0, %t = atomic_rmw_tko weak device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @weak_scope(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{weak store must not have memory scope}}
    %t = store_ptr_tko weak sys %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @relaxed_scope(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // expected-error @below {{memory scope is required for relaxed store}}
    %t = store_ptr_tko relaxed %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @acq_rel_load(%p: tile<ptr<i32>>) {
    // expected-error @below {{expect one of: weak, relaxed, or acquire, but got: acq_rel}}
    %x, %t = load_ptr_tko acq_rel sys %p : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @division_in_reduce() {
    %x = constant <i32: 1> : tile<8xi32>
    %r = reduce %x dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
    (%a: tile<i32>, %b: tile<i32>) {
      %two = constant <i32: 2> : tile<i32>
      // expected-error @below {{only pure operations are allowed inside 'cuda_tile.reduce'}}
      %s = divi %a, %two signed : tile<i32>
      yield %s : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @branch_in_reduce(%c: tile<i1>) {
    %x = constant <i32: 1> : tile<8xi32>
    %r = reduce %x dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
    (%a: tile<i32>, %b: tile<i32>) {
      // expected-error @below {{only pure operations are allowed inside 'cuda_tile.reduce'}}
      %s = if %c -> (tile<i32>) {
        yield %a : tile<i32>
      } else {
        yield %b : tile<i32>
      }
      yield %s : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @print_in_scan() {
    %x = constant <i32: 1> : tile<8xi32>
    %r = scan %x dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
    (%a: tile<i32>, %b: tile<i32>) {
      // expected-error @below {{only pure operations are allowed inside 'cuda_tile.scan'}}
      %t = print_tko "x" -> token
      yield %a : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @scalar_condition(%c: tile<i1>) {
    %x = constant <i32: 1> : tile<8xi32>
    // expected-error @below {{failed to verify that all of {cond, val_if_true, val_if_false, result} have same shape}}
    %r = select %c, %x, %x : tile<i1>, tile<8xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @format(%n: tile<i32>) {
    // expected-error @below {{found unterminated format expression}}
    %t = print_tko "%z %q", %n : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{entry op must have scalar types (rank 0 !cuda_tile.tile)}}
  entry @tile_argument(%x: tile<8xi8>) {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divisor_zero(%p: tile<ptr<f32>>) {
    // expected-error @below {{divisor must be a power of 2}}
    %0 = assume div_by<0>, %p : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @divisor_three(%p: tile<ptr<f32>>) {
    // expected-error @below {{divisor must be a power of 2}}
    %0 = assume div_by<3>, %p : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{failed to verify 'pointeeType': f16 or bf16 or f32 or tf32 or f64 or f8E4M3FN or f8E5M2 or f8E8M0FNU or f4E2M1FN or i1 or i8 or i16 or i32 or i64}}
  entry @pointee(%p: tile<ptr<i4>>) {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @three() {
    // expected-error @below {{all dimensions must be powers of two, got 3}}
    %0 = constant <f32: 1.0> : tile<3xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @too_many() {
    // expected-error @below {{tile would exceed the maximum of 16777216 elements}}
    %0 = constant <f32: 1.0> : tile<4096x8192xf32>
    return
  }
}
