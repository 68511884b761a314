//===- Analysis.cpp - What analyses ask of an op --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow and memory effects as ODS and the interfaces declare them, so
// that no analysis written in Python keeps a second list of ops.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/IR/ControlFlow.h"
#include "cuda_tile/IR/Nesting.h"
#include "cuda_tile/Tileas/Tileas.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace cuda_tile::python;

namespace {

/// A ControlEdge by numbers, so that Python makes only the values it asks for.
struct Edge {
  nb::typed<nb::object, py::PyOperation> target;
  std::optional<unsigned> region;
  unsigned firstOperand;
  unsigned firstInput;
  unsigned count;
};

/// The position of `values` among the operands of the op that passes them on.
unsigned firstOf(mlir::OperandRange values) {
  return values.empty() ? 0 : values.getBeginOperandIndex();
}

/// The position of `values` among the arguments of a region or the results of
/// an op.
unsigned firstOf(mlir::ValueRange values) {
  if (values.empty())
    return 0;
  mlir::Value first = values.front();
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(first))
    return argument.getArgNumber();
  return llvm::cast<mlir::OpResult>(first).getResultNumber();
}

std::optional<std::vector<Edge>> controlEdges(nb::handle object) {
  mlir::Operation *op = operationOf(object);
  llvm::SmallVector<cuda_tile::ControlEdge> edges;
  if (failed(cuda_tile::getControlEdges(op, edges)))
    return std::nullopt;
  std::vector<Edge> result;
  for (const cuda_tile::ControlEdge &edge : edges) {
    std::optional<unsigned> region;
    if (edge.region)
      region = edge.region->getRegionNumber();
    result.push_back(
        {nb::typed<nb::object, py::PyOperation>(wrapOperation(edge.target)),
         region, firstOf(edge.operands), firstOf(edge.inputs),
         static_cast<unsigned>(edge.inputs.size())});
  }
  return result;
}

using BufferAccess = std::tuple<unsigned, bool, bool>;

/// An op that says nothing of its effects may do anything with its buffers; a
/// terminator hands them on.
std::vector<BufferAccess> bufferAccesses(nb::handle object) {
  mlir::Operation *op = operationOf(object);
  auto declared = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(op);
  std::vector<BufferAccess> accesses;
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return accesses;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    if (!llvm::isa<cuda_tile::tileas::BufferType>(operand.get().getType()))
      continue;
    bool isRead = !declared, isWritten = !declared;
    llvm::SmallVector<mlir::MemoryEffects::EffectInstance> effects;
    if (declared)
      declared.getEffects(effects);
    for (const mlir::MemoryEffects::EffectInstance &effect : effects)
      if (effect.getEffectValue<mlir::OpOperand *>() == &operand) {
        isRead |= llvm::isa<mlir::MemoryEffects::Read>(effect.getEffect());
        isWritten |= llvm::isa<mlir::MemoryEffects::Write>(effect.getEffect());
      }
    if (isRead || isWritten)
      accesses.emplace_back(operand.getOperandNumber(), isRead, isWritten);
  }
  return accesses;
}

std::optional<std::string> productCompletion(nb::handle object) {
  auto product =
      llvm::dyn_cast<cuda_tile::tileas::AsyncProduct>(operationOf(object));
  if (!product)
    return std::nullopt;
  return product.getCompletion().str();
}

std::optional<unsigned> productSum(nb::handle object) {
  auto product =
      llvm::dyn_cast<cuda_tile::tileas::AsyncProduct>(operationOf(object));
  if (!product)
    return std::nullopt;
  return product.getSumOperand().getOperandNumber();
}

bool isLoop(nb::handle object) {
  return llvm::isa<mlir::LoopLikeOpInterface>(operationOf(object));
}

std::optional<size_t> deepText(nb::bytes text) {
  return cuda_tile::findDeepText(llvm::StringRef(text.c_str(), text.size()));
}

nb::object deepOp(nb::handle module) {
  mlir::Operation *op = cuda_tile::findDeepOp(operationOf(module));
  return op ? wrapOperation(op) : nb::none();
}

} // namespace

void cuda_tile::python::populateAnalysis(nb::module_ &m) {
  nb::class_<Edge>(m, "ControlEdge",
                   "One successor of an op with regions or of a terminator. "
                   "`count` operands of the source, from `first_operand` on, "
                   "become as many arguments of region `region` of `target`, "
                   "or results of `target` where that is None, from "
                   "`first_input` on.")
      .def_ro("target", &Edge::target)
      .def_ro("region", &Edge::region)
      .def_ro("first_operand", &Edge::firstOperand)
      .def_ro("first_input", &Edge::firstInput)
      .def_ro("count", &Edge::count);
  m.def("control_edges", &controlEdges, nb::arg("op"),
        nb::sig("def control_edges(op: cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> list[ControlEdge] | None"),
        "The successors of an op with regions or of a terminator; no other op "
        "has any. None where nothing is known of the op's control flow.");
  m.def("buffer_accesses", &bufferAccesses, nb::arg("op"),
        nb::sig("def buffer_accesses(op: cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> list[tuple[int, bool, bool]]"),
        "What an op without regions does to buffers in shared memory: the "
        "number of the operand, whether it reads it, whether it writes it.");
  m.def("product_completion", &productCompletion, nb::arg("op"),
        nb::sig("def product_completion(op: cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> str | None"),
        "How a product that runs by itself completes: 'group' or 'mbarrier'. "
        "None for any other op.");
  m.def("product_sum", &productSum, nb::arg("op"),
        nb::sig("def product_sum(op: cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> int | None"),
        "The number of the operand that a product that runs by itself is added "
        "to. None for any other op.");
  m.def("is_loop", &isLoop, nb::arg("op"),
        nb::sig("def is_loop(op: cuda_tile._mlir.ir.Operation | "
                "cuda_tile._mlir.ir.OpView) -> bool"),
        "Whether the op's regions may run several times in a row, as those of "
        "`for` and `loop` do.");
  m.def("find_deep_text", &deepText, nb::arg("text"),
        nb::sig("def find_deep_text(text: bytes) -> int | None"),
        "Where a text nests so deep that the parser may overflow its stack.");
  m.def("find_deep_op", &deepOp, nb::arg("module"),
        nb::sig("def find_deep_op(module: cuda_tile._mlir.ir.Module | "
                "cuda_tile._mlir.ir.Operation | cuda_tile._mlir.ir.OpView) -> "
                "cuda_tile._mlir.ir.Operation | None"),
        "An op with a region that nests too deep, if there is one.");
  m.def("nesting_message", &cuda_tile::getNestingMessage,
        nb::sig("def nesting_message() -> str"),
        "What to say of what find_deep_text and find_deep_op find.");
}
