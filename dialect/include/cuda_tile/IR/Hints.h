//===- Hints.h - How strictly optimization hints are read -------*- C++ -*-===//

#ifndef CUDA_TILE_IR_HINTS_H
#define CUDA_TILE_IR_HINTS_H

namespace cuda_tile {

/// What becomes of a hint that this compiler does not know or cannot take.
/// Files outlive compilers, so usually it is ignored.
enum class HintCheck { Silent, Warning, Error };

/// Adds -Wunsupported-hints and -Werr-hints to the command line of a tool.
void registerHintFlags();

/// What the flags say; Silent in a program without them.
HintCheck getHintCheckOfFlags();

} // namespace cuda_tile

#endif // CUDA_TILE_IR_HINTS_H
