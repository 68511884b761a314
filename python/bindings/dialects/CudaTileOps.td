// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated Python classes of the cuda_tile ops.
include "cuda_tile/IR/Ops.td"
