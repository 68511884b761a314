// RUN: cuda-tile-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @layout_flat() {
    // expected-error @below {{expected a tile's layout to have 4 groups of bases (register, lane, warp, block), got a flat layout}}
    %i = iota : tile<32xi32, #cute.layout<(1@0, 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_three_groups() {
    // expected-error @below {{expected a tile's layout to have 4 groups of bases (register, lane, warp, block), got 3}}
    %i = iota : tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_lanes() {
    // expected-error @below {{expected 5 lane bases in a tile's layout, got 4}}
    %i = iota : tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_dimension() {
    // expected-error @below {{expected dimensions of the layout below rank 1, got 1}}
    %i = iota : tile<32xi32, #cute.layout<((1@1), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_extent() {
    // expected-error @below {{expected strides along dimension 0 of the layout below its extent 32, got 32}}
    %i = iota : tile<32xi32, #cute.layout<((32@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_not_surjective() {
    // expected-error @below {{expected the layout to reach all 32 elements, got 16}}
    %i = iota : tile<32xi32, #cute.layout<((2@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_not_surjective_sum() {
    // expected-error @below {{expected the layout to reach all 32 elements, got 16}}
    %i = iota : tile<32xi32, #cute.layout<((6@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_zero_stride() {
    // expected-error @below {{expected a positive stride in layout, got 0}}
    %i = iota : tile<32xi32, #cute.layout<((0@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_negative_stride() {
    // expected-error @below {{expected a positive stride in layout, got -1}}
    %i = iota : tile<32xi32, #cute.layout<((-1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_zero_in_sum() {
    // expected-error @below {{expected a positive stride in layout, got 0}}
    %i = iota : tile<32xi32, #cute.layout<((1@0+0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_negative_dimension() {
    // expected-error @below {{expected a dimension of at least 0 in layout, got -1}}
    %i = iota : tile<32xi32, #cute.layout<((1@-1), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_no_dimension() {
    // expected-error @below {{expected '@' in basis notation}}
    %i = iota : tile<32xi32, #cute.layout<((1), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_no_number() {
    // expected-error @below {{expected a number in basis notation}}
    %i = iota : tile<32xi32, #cute.layout<((x@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_mixed() {
    // expected-error @below {{expected '(' in basis notation}}
    %i = iota : tile<32xi32, #cute.layout<((1@0), 2@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layout_open() {
    // expected-error @below {{unbalanced '(' character in pretty dialect name}}
    %i = iota : tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ()>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cute_mnemonic() {
    // expected-error @below {{expected layout, shape or stride, got 'swizzle'}}
    %i = iota : tile<32xi32, #cute.swizzle<x>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cute_no_layout() {
    // expected-error @below {{invalid kind of attribute specified}}
    %i = iota : tile<32xi32, #cute.shape<(32@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cute_shape_zero() {
    // expected-error @below {{expected a positive stride in layout, got 0}}
    %i = iota : tile<32xi32, #cute.shape<(0@0)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @cute_shape_sum() {
    // expected-error @below {{expected one value@dimension per entry}}
    %i = iota : tile<32xi32, #cute.shape<(1@0+2@1)>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @layouts_differ() {
    %a = iota : tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>
    %b = iota : tile<32xi32>
    // expected-error @below {{failed to verify that all of {lhs, rhs, result} have same type}}
    %r = "cuda_tile.addi"(%a, %b) : (!cuda_tile.tile<32xi32, #cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 0), (), ())>>, !cuda_tile.tile<32xi32>) -> !cuda_tile.tile<32xi32>
    return
  }
}
