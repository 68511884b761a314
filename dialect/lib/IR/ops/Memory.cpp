//===- Memory.cpp - Access through pointers, order of accesses ------------===//

#include "IR/Verify.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// join_tokens
//===----------------------------------------------------------------------===//

LogicalResult JoinTokensOp::verify() {
  if (getTokens().size() < 2) // C1
    return emitOpError("expect two or more tokens");
  return success();
}

//===----------------------------------------------------------------------===//
// load_ptr_tko
//===----------------------------------------------------------------------===//

LogicalResult LoadPtrTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Load, // C4
                               getMemoryOrderingSemantics(), getMemoryScope())))
    return failure();
  return verifyHints(*this, HintedOp::PointerAccess, // C5
                     getOptimizationHintsAttr());
}

//===----------------------------------------------------------------------===//
// store_ptr_tko
//===----------------------------------------------------------------------===//

LogicalResult StorePtrTkoOp::verify() {
  if (failed(verifyMemoryModel(*this, Access::Store, // C3
                               getMemoryOrderingSemantics(), getMemoryScope())))
    return failure();
  return verifyHints(*this, HintedOp::PointerAccess, // C4
                     getOptimizationHintsAttr());
}
