// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected one of 'tileas.abi', 'tileas.again', 'tileas.choice', 'tileas.cluster', 'tileas.done', 'tileas.estimate', 'tileas.facts', 'tileas.halved', 'tileas.hoist', 'tileas.launch', 'tileas.maps', 'tileas.may_flush', 'tileas.mbarriers', 'tileas.never_positive', 'tileas.pair', 'tileas.plan', 'tileas.remarks', 'tileas.reuse', 'tileas.scratch', 'tileas.shared_bytes', 'tileas.target', 'tileas.tensor', got 'tileas.plna'; did you mean 'tileas.plan'?}}
  entry @misspelt() attributes {tileas.plna = {num_warps = 4 : i64}} {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{got 'tileas.occupancy'}}
  entry @like_no_other() attributes {tileas.occupancy = 2 : i64} {
    return
  }
}

// -----

cuda_tile.module @m {
  entry @misplaced() {
    // expected-error @below {{expected 'tileas.target' on 'cuda_tile.entry', got it on 'cuda_tile.make_token'}}
    %t = make_token {tileas.target = "sm_80"} : token
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected 'tileas.never_positive' on 'cuda_tile.exp', got it on 'cuda_tile.entry'}}
  entry @misplaced_on_entry() attributes {tileas.never_positive} {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected 64-bit signless integer attribute as 'tileas.shared_bytes', got 8 : i32}}
  entry @mistyped_number() attributes {tileas.shared_bytes = 8 : i32} {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected string array attribute as 'tileas.remarks', got ["a", 1]}}
  entry @mistyped_array() attributes {tileas.remarks = ["a", 1 : i64]} {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{expected no attribute of 'tileas' on an argument, got 'tileas.plan' on argument 1}}
  entry @on_argument(%p: tile<ptr<f32>>, %n: tile<i32> {tileas.plan = {}}) {
    return
  }
}

// -----

// expected-error @below {{expected 'tileas.done' on 'builtin.module', got it on 'cuda_tile.module'}}
cuda_tile.module @m attributes {tileas.done = ["planned"]} {
}
