//===- Hints.cpp - Checks of optimization hints ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
/// When hints that are not supported are errors.
enum class FailOnHints { Never, WithWarnings, Always };

struct HintFlags {
  llvm::cl::opt<bool> warn{
      "Wunsupported-hints",
      llvm::cl::desc("Warn about optimization hints that are not supported")};
  llvm::cl::opt<FailOnHints> fail{
      "Werr-hints", llvm::cl::ValueOptional, llvm::cl::init(FailOnHints::Never),
      llvm::cl::desc("Fail on optimization hints that are not supported"),
      llvm::cl::values(clEnumValN(FailOnHints::WithWarnings, "",
                                  "if -Wunsupported-hints warns of them"),
                       clEnumValN(FailOnHints::Always, "always",
                                  "without -Wunsupported-hints too"))};
};
} // namespace

// Like MLIR's own flags, created on request, so that the library has none.
static llvm::ManagedStatic<HintFlags> hintFlags;

void cuda_tile::registerHintFlags() { *hintFlags; }

HintCheck cuda_tile::getHintCheckOfFlags() {
  if (!hintFlags.isConstructed())
    return HintCheck::Silent;
  if (hintFlags->fail == FailOnHints::Always)
    return HintCheck::Error;
  if (!hintFlags->warn)
    return HintCheck::Silent;
  return hintFlags->fail == FailOnHints::WithWarnings ? HintCheck::Error
                                                      : HintCheck::Warning;
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

/// The faults of the hints for one GPU.
static SmallVector<std::string> findFaults(HintedOp op, NamedAttribute entry) {
  StringRef arch = entry.getName().getValue();
  if (!llvm::is_contained(kArchitectures, arch))
    return {("unknown hint key " + arch).str()};
  SmallVector<std::string> faults;
  for (NamedAttribute hint : cast<DictionaryAttr>(entry.getValue())) {
    std::string fault = findFault(op, arch, hint);
    if (!fault.empty())
      faults.push_back(std::move(fault));
  }
  return faults;
}

/// Each fault is a warning; if faults are errors, one error follows those of
/// the first GPU that has any.
LogicalResult cuda_tile::verifyHints(Operation *op, HintedOp kind,
                                     OptimizationHintsAttr hints) {
  auto *dialect = op->getContext()->getLoadedDialect<CudaTileDialect>();
  HintCheck check = dialect->getHintCheck();
  if (!hints || check == HintCheck::Silent)
    return success();
  for (NamedAttribute entry : hints.getValue()) {
    SmallVector<std::string> faults = findFaults(kind, entry);
    // Reporting at the op itself would print it, which verifies it again.
    for (const std::string &fault : faults)
      emitWarning(op->getLoc(), fault);
    if (!faults.empty() && check == HintCheck::Error)
      return emitError(op->getLoc(), "Optimization hints verification failed");
  }
  return success();
}
