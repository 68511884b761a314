//===- Memory.cpp - Memory access through pointers, and tokens ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// alloca
//===----------------------------------------------------------------------===//

LogicalResult AllocaOp::verify() {
  uint64_t alignment = getAlignment();
  if (!llvm::isPowerOf2_64(alignment)) // C1
    return emitOpError("'alignment' must be power of two");
  auto pointer = cast<PointerType>(getResult().getType().getElementType());
  Type type = pointer.getPointeeType();
  uint64_t size = type.getIntOrFloatBitWidth() / 8;
  if (alignment < size) // C2
    return emitOpError("'alignment' (")
           << alignment << ") must be at least the natural size (" << size
           << " bytes) for element type " << type;
  return success();
}

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
  auto pointer = cast<PointerType>(getSource().getType().getElementType());
  if (isMulticast(pointer.getPtrAttr())) // C6
    return emitOpError("multicast pointer is not allowed");
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
