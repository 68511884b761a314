// Files outlive compilers: no hint is an error unless asked for.
// RUN: cuda-tile-opt %s -Werr-hints 2>&1 | FileCheck %s
// RUN: cuda-tile-opt %s 2>&1 | FileCheck %s
// CHECK-NOT: warning
// CHECK: optimization_hints=<sm_42 = {num_cta_in_cga = 3}, sm_90 = {speed = 2}>
cuda_tile.module @m {
  entry @unknown() optimization_hints=<sm_42 = {num_cta_in_cga = 3}, sm_90 = {speed = 2}> {
    return
  }
}
