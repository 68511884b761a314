// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated Python classes of the tileas ops.
include "cuda_tile/Tileas/Tileas.td"
