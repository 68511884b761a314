//===- OpRecord.cpp - The generated tables --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpRecord.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

namespace cuda_tile::bytecode {

#include "cuda_tile/Bytecode/OpRecords.inc"

const OpRecord *findOpRecord(uint64_t opcode) {
  const OpRecord *record = llvm::partition_point(
      llvm::ArrayRef(kOpRecords),
      [&](const OpRecord &candidate) { return candidate.opcode < opcode; });
  bool found = record != std::end(kOpRecords) && record->opcode == opcode;
  return found ? record : nullptr;
}

llvm::ArrayRef<OpRecord> getOpRecords() { return kOpRecords; }

mlir::LogicalResult checkRounding(mlir::Operation *op, Version version,
                                  llvm::StringRef file) {
  auto conversion = llvm::dyn_cast<FToFOp>(op);
  if (!conversion || version >= kConversionRoundingVersion ||
      conversion.getRoundingMode() == RoundingMode::NEAREST_AWAY ||
      conversion.isRoundingOfEveryVersion())
    return mlir::success();
  return op->emitError("rounding mode '")
         << stringifyRoundingMode(conversion.getRoundingMode())
         << "' of a conversion requires bytecode version "
         << kConversionRoundingVersion.str() << "+, " << file << " "
         << version.str();
}

} // namespace cuda_tile::bytecode
