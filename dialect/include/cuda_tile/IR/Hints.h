//===- Hints.h - How strictly optimization hints are read -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_HINTS_H
#define CUDA_TILE_IR_HINTS_H

namespace cuda_tile {

/// How to treat a hint that this compiler does not know or cannot apply. The
/// default is to ignore it, so that older compilers accept newer files.
enum class HintCheck { Silent, Warning, Error };

/// Adds -Wunsupported-hints and -Werr-hints to the command line of a tool.
void registerHintFlags();

/// The value of these flags; Silent in a program that has not added them.
HintCheck getHintCheckOfFlags();

} // namespace cuda_tile

#endif // CUDA_TILE_IR_HINTS_H
