//===- AttributeGen.h - Attributes on ops from ODS --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TBLGEN_ATTRIBUTEGEN_H
#define CUDA_TILE_TBLGEN_ATTRIBUTEGEN_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace cuda_tile::tblgen {

/// Writes the entries of the table of dialect/lib/Tileas/Attributes.cpp, one
/// for every `Tileas_Attribute`. Returns true after an error, as TableGen's
/// backends do.
bool emitAttributes(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

} // namespace cuda_tile::tblgen

#endif // CUDA_TILE_TBLGEN_ATTRIBUTEGEN_H
