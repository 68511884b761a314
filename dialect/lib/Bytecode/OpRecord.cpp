//===- OpRecord.cpp - The generated tables --------------------------------===//

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

} // namespace cuda_tile::bytecode
