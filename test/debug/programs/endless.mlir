// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cuda_tile.module @m {
  entry @endless() {
    loop {
      %one = constant <i32: 1> : tile<i32>
      continue
    }
    return
  }
}
