//===- Hints.cpp - Checks of optimization hints ---------------------------===//

#include "cuda_tile/IR/Hints.h"
#include "IR/Verify.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuda_tile;

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

namespace {
struct HintFlags {
  llvm::cl::opt<bool> warn{
      "Wunsupported-hints",
      llvm::cl::desc("Warn about optimization hints that are not supported")};
  llvm::cl::opt<bool> fail{
      "Werr-hints",
      llvm::cl::desc("Fail on optimization hints that are not supported")};
};
} // namespace

// Like MLIR's own flags, created on request, so that the library has none.
static llvm::ManagedStatic<HintFlags> hintFlags;

void cuda_tile::registerHintFlags() { *hintFlags; }

HintCheck cuda_tile::getHintCheckOfFlags() {
  if (!hintFlags.isConstructed())
    return HintCheck::Silent;
  if (hintFlags->fail)
    return HintCheck::Error;
  return hintFlags->warn ? HintCheck::Warning : HintCheck::Silent;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kArchitectures[] = {
    "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",  "sm_90",
    "sm_100", "sm_103", "sm_110", "sm_120", "sm_121", "default"};

static constexpr StringLiteral kClusterSize = "num_cta_in_cga";
static constexpr StringLiteral kWarps = "num_worker_warps_per_cta";
static constexpr StringLiteral kOccupancy = "occupancy";
static constexpr StringLiteral kLatency = "latency";
static constexpr StringLiteral kAllowTma = "allow_tma";

static bool isKnown(StringRef hint) {
  return llvm::is_contained(
      {kClusterSize, kWarps, kOccupancy, kLatency, kAllowTma}, hint);
}

static bool isKnown(StringRef hint, HintedOp op) {
  switch (op) {
  case HintedOp::Entry:
    return llvm::is_contained({kClusterSize, kWarps, kOccupancy}, hint);
  case HintedOp::ViewAccess:
    return hint == kLatency || hint == kAllowTma;
  case HintedOp::PointerAccess:
    return hint == kLatency;
  }
  llvm_unreachable("all enumerators are above");
}

/// The rule for integers that `value` violates, or an empty text.
static std::string findWrongNumber(StringRef arch, StringRef hint,
                                   int64_t value) {
  std::string name = (arch + "." + hint).str();
  auto isOutside = [&](int64_t most) { return value < 1 || value > most; };
  auto range = [&](int64_t most) {
    return "integer value in the range [1, " + std::to_string(most) +
           "] is expected for " + name;
  };
  auto power = [&](int64_t most) {
    return "expected power-of-two ≤ " + std::to_string(most) + " for " + name;
  };
  bool isPower = value > 0 && llvm::isPowerOf2_64(value);
  if (hint == kLatency && isOutside(10))
    return range(10);
  if (hint == kOccupancy && isOutside(32))
    return range(32);
  // Clusters came with sm_90.
  if (hint == kClusterSize && arch.starts_with("sm_8") && value != 1)
    return "expected 1 for " + name;
  if (hint == kClusterSize && (!isPower || value > 16))
    return power(16);
  if (hint == kWarps && (!isPower || value > 32))
    return power(32);
  return {};
}

/// Why `op` cannot take the hint, or an empty text.
static std::string findFault(HintedOp op, StringRef arch, NamedAttribute hint) {
  StringRef name = hint.getName().getValue();
  if (!isKnown(name))
    return ("unknown param " + name + " for " + arch).str();
  if (!isKnown(name, op))
    return (name + " is not known hint for current Operation").str();
  if (name == kAllowTma)
    return isa<BoolAttr>(hint.getValue())
               ? std::string()
               : ("boolean value expected for " + arch + "." + name).str();
  auto number = dyn_cast<IntegerAttr>(hint.getValue());
  if (!number || isa<BoolAttr>(hint.getValue()) ||
      number.getValue().getSignificantBits() > 64)
    return ("integer value expected for " + arch + "." + name).str();
  return findWrongNumber(arch, name, number.getValue().getSExtValue());
}

/// Calls `report` with each fault until it fails.
static LogicalResult
forEachFault(HintedOp op, OptimizationHintsAttr hints,
             function_ref<LogicalResult(const Twine &)> report) {
  for (NamedAttribute entry : hints.getValue()) {
    StringRef arch = entry.getName().getValue();
    if (!llvm::is_contained(kArchitectures, arch)) {
      if (failed(report("unknown hint key " + arch)))
        return failure();
      continue;
    }
    for (NamedAttribute hint : cast<DictionaryAttr>(entry.getValue())) {
      std::string fault = findFault(op, arch, hint);
      if (!fault.empty() && failed(report(fault)))
        return failure();
    }
  }
  return success();
}

LogicalResult cuda_tile::verifyHints(Operation *op, HintedOp kind,
                                     OptimizationHintsAttr hints) {
  auto *dialect = op->getContext()->getLoadedDialect<CudaTileDialect>();
  HintCheck check = dialect->getHintCheck();
  if (!hints || check == HintCheck::Silent)
    return success();
  auto report = [&](const Twine &fault) -> LogicalResult {
    if (check == HintCheck::Warning) {
      // Reporting at the op itself would print it, which verifies it again.
      emitWarning(op->getLoc(), fault);
      return success();
    }
    return op->emitOpError(fault) << "; Optimization hints verification failed";
  };
  return forEachFault(kind, hints, report);
}
