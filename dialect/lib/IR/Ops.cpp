//===- Ops.cpp - What TableGen makes of the ops ---------------------------===//

#include "IR/Syntax.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace cuda_tile;

#define GET_OP_CLASSES
#include "cuda_tile/IR/CudaTileOps.cpp.inc"
