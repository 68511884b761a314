//===- View.cpp - Access through views: verifiers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Verify.h"
#include "IR/ops/ViewAccess.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// get_index_space_shape, get_tensor_shape
//===----------------------------------------------------------------------===//

LogicalResult GetIndexSpaceShapeOp::verify() {
  int64_t rank = getSrc().getType().getViewIndexRank();
  if (static_cast<int64_t>(getNumResults()) != rank) // C1
    return emitOpError("expected ")
           << rank << " results due to view index space rank, but got "
           << getNumResults();
  return success();
}

LogicalResult GetTensorShapeOp::verify() {
  int64_t rank = getSrc().getType().getRank();
  if (static_cast<int64_t>(getNumResults()) != rank) // C1
    return emitOpError("expected ")
           << rank << " results due to tensor rank, but got "
           << getNumResults();
  return success();
}

//===----------------------------------------------------------------------===//
// load_view_tko, store_view_tko
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyViewAccess(Op op, Access access) {
  if (failed(verifyMemoryModel(op, access, op.getMemoryOrderingSemantics(),
                               op.getMemoryScope()))) // C1
    return failure();
  if (failed(verifyTileOfView(op))) // C2, C3, C4
    return failure();
  return verifyHints(op, HintedOp::ViewAccess, // C5
                     op.getOptimizationHintsAttr());
}

LogicalResult LoadViewTkoOp::verify() {
  if (TensorViewType tensor = getTensorView(getView().getType()))
    if (isMulticast(tensor.getPtrAttr())) // C6
      return emitOpError("multicast ptr_attr is not allowed");
  return verifyViewAccess(*this, Access::Load);
}

LogicalResult StoreViewTkoOp::verify() {
  return verifyViewAccess(*this, Access::Store);
}

//===----------------------------------------------------------------------===//
// make_partition_view, make_strided_view, make_gather_scatter_view
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyMakeView(Op op) {
  TensorViewType given = op.getTensorView().getType();
  TensorViewType named = op.getResult().getType().getTensorView();
  if (given != named) // C1
    return op.emitOpError(
               "expected the type of the provided tensor_view value (")
           << given << ") to be the same as the view's tensor_view type ("
           << named << ")";
  return success();
}

void MakePartitionViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "pview");
}

LogicalResult MakePartitionViewOp::verify() { return verifyMakeView(*this); }

void MakeStridedViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "sview");
}

LogicalResult MakeStridedViewOp::verify() { return verifyMakeView(*this); }

void MakeGatherScatterViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "gsview");
}

LogicalResult MakeGatherScatterViewOp::verify() {
  return verifyMakeView(*this);
}

//===----------------------------------------------------------------------===//
// make_tensor_view
//===----------------------------------------------------------------------===//

void MakeTensorViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "tview");
}

/// One operand per `?`, all of the same type.
static LogicalResult verifyDynamic(MakeTensorViewOp op, StringRef what,
                                   OperandRange values, int64_t expected,
                                   Type common) {
  if (static_cast<int64_t>(values.size()) != expected)
    return op.emitOpError("expected ") << expected << " dynamic " << what
                                       << " operands, got " << values.size();
  for (auto [i, value] : llvm::enumerate(values))
    if (value.getType() != common)
      return op.emitOpError("expected dynamic ")
             << what << " index " << i
             << " to be of the same type as the other dynamic values ("
             << common << "), got " << value.getType();
  return success();
}

/// The view has the attribute of its base pointer.
static LogicalResult verifyPointerKinds(MakeTensorViewOp op,
                                        PointerKindAttr base,
                                        PointerKindAttr view) {
  if (base == view)
    return success();
  if (!base)
    return op.emitOpError("pointer base without ptr_attr cannot produce "
                          "tensor_view with ptr_attr; got ")
           << Attribute(view);
  if (!view)
    return op.emitOpError("tensor_view must preserve ptr_attr from base "
                          "pointer (")
           << Attribute(base) << ")";
  return op.emitOpError("ptr_attr mismatch between base pointer (")
         << Attribute(base) << ") and result tensor_view (" << Attribute(view)
         << ")";
}

LogicalResult MakeTensorViewOp::verify() {
  TensorViewType type = getResult().getType();
  auto pointer = cast<PointerType>(getBase().getType().getElementType());
  if (pointer.getPointeeType() != type.getElementType()) // C1
    return emitOpError("expected pointer to ")
           << type.getElementType()
           << " to build tensor_view of this type, got "
           << pointer.getPointeeType();
  if (failed(verifyPointerKinds(*this, pointer.getPtrAttr(), // C4
                                type.getPtrAttr())))
    return failure();
  Type common;
  if (!getDynamicShape().empty())
    common = getDynamicShape().front().getType();
  else if (!getDynamicStrides().empty())
    common = getDynamicStrides().front().getType();
  if (failed(verifyDynamic(*this, "shape", getDynamicShape(), // C2, C3
                           type.getNumDynamicDims(), common)))
    return failure();
  return verifyDynamic(*this, "stride", getDynamicStrides(),
                       type.getNumDynamicStrides(), common);
}
