//===- Ring.cpp - Rings of shared-memory slots ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tileas/Syntax.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile;
using namespace cuda_tile::tileas;

ParseResult
cuda_tile::tileas::parseRingOfBuffers(OpAsmParser &parser, Type &ring,
                                      SmallVectorImpl<Type> &buffers) {
  RingType type;
  if (parser.parseType(type))
    return failure();
  ring = type;
  llvm::append_range(buffers, type.getBuffers());
  return success();
}

void cuda_tile::tileas::printRingOfBuffers(OpAsmPrinter &printer, Operation *,
                                           Type ring, TypeRange) {
  printer << ring;
}

static LogicalResult verifyName(RingOp op, StringRef what, StringRef name,
                                ArrayRef<StringRef> names) {
  if (llvm::is_contained(names, name))
    return success();
  return op.emitOpError("expected ")
         << what << " to be one of " << llvm::join(names, ", ") << ", got '"
         << name << "'";
}

/// Whether a name is that of an op which starts a product.
static bool isProduct(RingOp op, StringRef stem) {
  std::string product = ("tileas." + stem).str();
  auto name = RegisteredOperationName::lookup(product, op.getContext());
  return name && name->hasInterface<AsyncProduct>();
}

/// Threads read the slots, or the products that an op starts.
static LogicalResult verifyDrain(RingOp op) {
  if (op.getDrain() == "threads" || isProduct(op, op.getDrain()))
    return success();
  return op.emitOpError("expected drain to be threads, or a product that runs "
                        "by itself such as wgmma, got '")
         << op.getDrain() << "'";
}

LogicalResult RingOp::verify() {
  if ((!isProduct(*this, getFill()) &&
       failed(verifyName(*this, "fill", getFill(),
                         {"tma", "cp_async", "threads"}))) || // C1
      failed(verifyDrain(*this)) ||
      failed(verifyName(*this, "sync", getSync(), {"groups", "mbarriers"})))
    return failure();
  if (getSync() == "groups" && getFill() != "cp_async") // C2
    return emitOpError("expected sync of a ring that is filled by '")
           << getFill() << "' to be mbarriers, got 'groups'";
  return success();
}

/// The results are the buffers of a slot.
template <typename Op> static LogicalResult verifySlot(Op op) {
  ArrayRef<BufferType> buffers = op.getRing().getType().getBuffers();
  if (llvm::equal(op.getBuffers().getTypes(), buffers)) // C1
    return success();
  return op.emitOpError("expected results of the types of the ring's buffers, ")
         << buffers << ", got " << op.getBuffers().getTypes();
}

LogicalResult AcquireOp::verify() { return verifySlot(*this); }

LogicalResult TakeOp::verify() { return verifySlot(*this); }
