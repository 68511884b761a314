//===- F8E5M3FNU.h - Values of fnv8E5M3FNU ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits eeeeefff without a sign: 2^(e-15) * (1 + f/8), for e = 0 2^-14 * f/8;
// 0xFF is NaN. LLVM has no such format, so literals are read and printed as
// f64.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_LIB_IR_F8E5M3FNU_H
#define CUDA_TILE_LIB_IR_F8E5M3FNU_H

#include "llvm/ADT/APFloat.h"

namespace cuda_tile {

/// The value of `bits`, as an f64.
llvm::APFloat decodeF8E5M3FNU(uint8_t bits);

/// The nearest value, ties to even; NaN for a NaN. Numbers beyond the largest
/// become the largest, negative ones 0.
uint8_t encodeF8E5M3FNU(const llvm::APFloat &value);

} // namespace cuda_tile

#endif // CUDA_TILE_LIB_IR_F8E5M3FNU_H
