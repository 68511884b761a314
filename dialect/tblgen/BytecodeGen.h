//===- BytecodeGen.h - Bytecode op records from ODS -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TBLGEN_BYTECODEGEN_H
#define CUDA_TILE_TBLGEN_BYTECODEGEN_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace cuda_tile::tblgen {

/// Writes the tables of dialect/lib/Bytecode/OpRecord.h for every op that has
/// an `opcode`. Returns true after an error, as TableGen's backends do.
bool emitOpRecords(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// Writes `enum class Opcode`, one enumerator per op that has an `opcode`.
bool emitOpCodes(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// Writes the bytecode format of each op as text: its opcode and version, then
/// a line per attribute, operand and result in the order of the record.
bool emitOpSpec(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

} // namespace cuda_tile::tblgen

#endif // CUDA_TILE_TBLGEN_BYTECODEGEN_H
