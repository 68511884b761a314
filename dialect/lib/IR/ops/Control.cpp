//===- Control.cpp - Control flow: verifiers ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Syntax.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// break, continue
//===----------------------------------------------------------------------===//

/// The op of one of `Loops` that `op` leaves, through any number of `if`s; null
/// after an error that lists `chain`, the legal ancestors of `op`.
template <typename... Loops>
static Operation *findLoop(Operation *op, StringRef chain) {
  Operation *ancestor = op->getParentOp();
  while (isa_and_present<IfOp>(ancestor))
    ancestor = ancestor->getParentOp();
  if (isa_and_present<Loops...>(ancestor))
    return ancestor;
  InFlightDiagnostic error =
      op->emitOpError("can only be nested within a ancestor chain of ")
      << chain
      << " operations; early-exit must be enclosed by a compatible loop or for";
  if (ancestor)
    error.attachNote(ancestor->getLoc()) << "see unexpected ancestor operation";
  return nullptr;
}

constexpr static StringLiteral kContract =
    "; early-exit operand types must match the enclosing region contract";

LogicalResult BreakOp::verify() {
  Operation *loop =
      findLoop<LoopOp>(*this, "'cuda_tile.loop', 'cuda_tile.if'"); // C1
  if (!loop)
    return failure();
  if (getOperandTypes() == loop->getResultTypes()) // C2
    return success();
  return emitOpError("operand types must correspond to the parent loop result "
                     "types: (")
         << getOperandTypes() << ") vs (" << loop->getResultTypes() << ")"
         << kContract;
}

LogicalResult ContinueOp::verify() {
  Operation *parent = findLoop<LoopOp, ForOp>(
      *this, "'cuda_tile.for', 'cuda_tile.loop', 'cuda_tile.if'"); // C1
  if (!parent)
    return failure();
  bool isLoop = isa<LoopOp>(parent);
  TypeRange carried = isLoop ? TypeRange(parent->getOperandTypes())
                             : TypeRange(parent->getResultTypes());
  if (TypeRange(getOperandTypes()) == carried) // C2
    return success();
  return emitOpError(isLoop ? "`loop`" : "`for`")
         << " is missing a valid terminator. `continue` op should have operand "
            "types that match the parent loop "
         << (isLoop ? "iter_values" : "return types") << ": (" << carried
         << "), but found: (" << getOperandTypes() << ")" << kContract;
}

//===----------------------------------------------------------------------===//
// for, loop, if
//===----------------------------------------------------------------------===//

/// Views cannot be forwarded out of a region or into the next iteration. `what`
/// is the kind of op.
static LogicalResult verifyNoViews(Operation *op, StringRef role,
                                   TypeRange types, StringRef what) {
  for (auto [i, type] : llvm::enumerate(types)) {
    bool isTensorView = isa<TensorViewType>(type);
    if (!isTensorView && !isa<TileView>(type))
      continue;
    return op->emitOpError(role) << " " << i << " is a "
                                 << (isTensorView ? "tensor_view" : "tile view")
                                 << ", which is not supported; view-typed "
                                 << what << " results are not permitted";
  }
  return success();
}

/// The block arguments of a body have the types of the initial values.
static LogicalResult verifyIterValues(Operation *op, OperandRange inits,
                                      Block::BlockArgListType values) {
  if (values.size() != inits.size())
    return op->emitOpError("mismatch in number of region iterator values and "
                           "loop iterator inits: ")
           << values.size() << " vs " << inits.size();
  for (auto [i, init, value] : llvm::enumerate(inits, values))
    if (init.getType() != value.getType())
      return op->emitOpError("init value ")
             << i << " and region iter_value " << i
             << " have different type: " << init.getType()
             << " != " << value.getType()
             << "; for init values must match region iter-arg types";
  return success();
}

LogicalResult ForOp::verify() {
  return verifyNoViews(*this, "loop-carried value", // C2
                       getInitValues().getTypes(), "for");
}

LogicalResult ForOp::verifyRegions() {
  if (getRegion().getNumArguments() == 0) // C1
    return emitOpError(
        "expected at least one block argument for induction variable");
  Type index = getInductionVar().getType(), bound = getLowerBound().getType();
  if (index != bound) // C1
    return emitOpError("expected induction variable to be same type as bounds "
                       "and step: ")
           << index << " vs " << bound
           << "; for induction, lower, upper, and step must share an integer "
              "type";
  return verifyIterValues(*this, getInitValues(), getIterValues()); // C2
}

LogicalResult LoopOp::verify() {
  if (failed(verifyNoViews(*this, "loop-carried value", // C2
                           getInitValues().getTypes(), "loop")))
    return failure();
  return verifyNoViews(*this, "result type", getResultTypes(), "loop");
}

LogicalResult LoopOp::verifyRegions() {
  return verifyIterValues(*this, getInitValues(), getIterValues()); // C1
}

/// The yielded values have the types of the results; other terminators leave
/// the op.
static LogicalResult verifyBranch(IfOp op, Region &branch, StringRef name) {
  if (branch.empty())
    return success();
  auto yield = dyn_cast<YieldOp>(branch.front().back());
  if (!yield)
    return success();
  TypeRange yielded = yield->getOperandTypes(), wanted = op.getResultTypes();
  if (yielded == wanted)
    return success();
  if (yielded.empty())
    return op.emitOpError("has return type of ")
           << wanted << " but " << name << " branch does not yield anything";
  if (wanted.empty())
    return op.emitOpError("does not return a value, but ")
           << name << " branch yields " << yielded;
  return op.emitOpError("type does not match yield type, ")
         << name << " branch yields " << yielded << " but op result type is "
         << wanted;
}

LogicalResult IfOp::verify() {
  if (getThenRegion().empty()) // C1
    return emitOpError("region #0 ('thenRegion') failed to verify constraint: "
                       "region with 1 blocks; must define then branch; if "
                       "requires a then-region");
  if (failed(verifyNoViews(*this, "result type", getResultTypes(), // C3
                           "if")))
    return failure();
  if (getNumResults() == 0 || !getElseRegion().empty())
    return success();
  // What the first branch lacks is said before that there is no second one.
  Block &then = getThenRegion().front();
  auto yield = then.empty() ? YieldOp() : dyn_cast<YieldOp>(then.back());
  if (yield && yield->getNumOperands() == 0)
    return verifyBranch(*this, getThenRegion(), "then");
  return emitOpError(
      "has non-empty return type, must define else branch; if " // C1
      "with results requires an else-region");
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyBranch(*this, getThenRegion(), "then"))) // C2
    return failure();
  return verifyBranch(*this, getElseRegion(), "else");
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

#ifdef CUDA_TILE_TESTING
constexpr static StringLiteral kTestFunction = "cuda_tile.testing$func, ";
#else
constexpr static StringLiteral kTestFunction = "";
#endif // CUDA_TILE_TESTING

LogicalResult ReturnOp::verify() {
  Operation *ancestor = (*this)->getParentOp();
  while (isa_and_present<IfOp>(ancestor))
    ancestor = ancestor->getParentOp();
  auto function = dyn_cast_if_present<FunctionOpInterface>(ancestor);
  if (!function) // C1
    return emitOpError("must be used within a ")
           << kTestFunction
           << "cuda_tile.entry, or cuda_tile.if operation; early-exit must be "
              "enclosed by a compatible loop or for";
  if (isa<EntryOp>(ancestor)) { // C2
    if (getNumOperands() == 0)
      return success();
    return emitOpError("has ") << getNumOperands()
                               << " operands, but entry function must return 0 "
                                  "operands"
                               << kContract;
  }
  ArrayRef<Type> results = function.getResultTypes();
  if (getNumOperands() != results.size()) // C2
    return emitOpError("has ")
           << getNumOperands() << " operands, but enclosing function (@"
           << function.getName() << ") returns " << results.size() << kContract;
  for (auto [i, type, wanted] : llvm::enumerate(getOperandTypes(), results))
    if (type != wanted) // C2
      return emitOpError("type of return operand ")
             << i << " (" << type << ") doesn't match function result type ("
             << wanted << ") in function @" << function.getName() << kContract;
  return success();
}
