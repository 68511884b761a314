// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @roles_c1_none(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected a name, warps, threads and registers for each of 0 regions, at least one}}
    tileas.roles
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c1_names(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected roles of different names, got 'a' twice}}
    tileas.roles role "a" warps = 4 threads = 128 registers = 0 {  } role "a" warps = 4 threads = 128 registers = 0 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c1_warps(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected role 'a' to have 1 to 32 warps, got 0}}
    tileas.roles role "a" warps = 0 threads = 0 registers = 0 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c1_threads(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected 1 or 128 threads of the 4 warps of role 'a', got 64}}
    tileas.roles role "a" warps = 4 threads = 64 registers = 0 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c1_total(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected roles to have at most 32 warps, got 36}}
    tileas.roles role "a" warps = 32 threads = 1024 registers = 0 {  } role "b" warps = 4 threads = 128 registers = 0 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected registers of all roles to be 0, or multiples of 8 from 24 to 256 of warps in fours, got 0 registers of 4 warps}}
    tileas.roles role "a" warps = 4 threads = 128 registers = 40 {  } role "b" warps = 4 threads = 128 registers = 0 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c2_total(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected roles to use at most 65536 registers, got 98304}}
    tileas.roles role "a" warps = 8 threads = 256 registers = 256 {  } role "b" warps = 4 threads = 128 registers = 256 {  }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c5(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected roles not to be nested}}
    tileas.roles role "a" warps = 4 threads = 128 registers = 0 { tileas.roles role "b" warps = 1 threads = 32 registers = 0 {} }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c3(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %c = constant <f32: 0.0> : tile<64x8xf32>
    tileas.roles role "a" warps = 4 threads = 128 registers = 0 {
      // expected-error @below {{expected a role to use scalars, views, rings and buffers from outside only, got a value of type '!cuda_tile.tile<64x8xf32>'}}
      %q = tileas.settled %c : tile<64x8xf32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c4(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    tileas.roles role "a" warps = 4 threads = 128 registers = 0 {
      tileas.publish %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    } role "b" warps = 4 threads = 128 registers = 0 {
      // expected-error @below {{expected a ring to be filled in one role, got two}}
      tileas.publish %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @roles_c4_drain(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %r = tileas.ring fill = "cp_async" drain = "threads" sync = "groups" : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    tileas.roles role "a" warps = 4 threads = 128 registers = 0 {
      tileas.release %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    } role "b" warps = 4 threads = 128 registers = 0 {
      // expected-error @below {{expected a ring to be drained in one role, got two}}
      tileas.release %r[%n] : !tileas.ring<3, !tileas.buffer<4xf32, #cute.layout<(1@0, 2@0)>>>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tiles_arguments(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected three arguments for the block's number, got 2}}
    tileas.tiles (%x, %y) {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tiles_types(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected as many types as carried values, 1, got 2}}
    %q:2 = tileas.tiles (%x, %y, %z) iter_values(%u = %n) -> (tile<i32>, tile<i32>) {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tiles_c1(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{expected three arguments of type '!cuda_tile.tile<i32>' and 0 carried ones, got types}}
    "tileas.tiles"() ({
    ^bb0(%x: !cuda_tile.tile<i64>, %y: !cuda_tile.tile<i32>, %z: !cuda_tile.tile<i32>):
      "tileas.next_tile"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @tiles_c2(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // expected-error @below {{successor operand type #0 '!cuda_tile.tile<i64>' should match successor input type #0 '!cuda_tile.tile<i32>'}}
    %q = tileas.tiles (%x, %y, %z) iter_values(%u = %n) -> (tile<i32>) {
      %w = exti %u signed : tile<i32> -> tile<i64>
      // expected-note @below {{region branch point}}
      tileas.next_tile %w : tile<i64>
    }
    return
  }
}
