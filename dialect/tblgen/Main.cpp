//===- Main.cpp - cuda-tile-tblgen ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/TableGen/Main.h"
#include "AttributeGen.h"
#include "BytecodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

enum class Action { OpRecords, OpCodes, OpSpec, Attributes };

// The names that begin with gen-cuda-tile are those of other tools for this
// dialect. Reader and writer share one set of tables here, so two of the names
// have the same effect.
static llvm::cl::opt<Action>
    action(llvm::cl::desc("What to generate:"), llvm::cl::Required,
           llvm::cl::values(
               clEnumValN(Action::OpRecords, "gen-bytecode-op-records",
                          "tables of bytecode op records"),
               clEnumValN(Action::OpRecords, "gen-cuda-tile-bytecode",
                          "the same tables, for the writer"),
               clEnumValN(Action::OpRecords, "gen-cuda-tile-bytecode-reader",
                          "the same tables, for the reader"),
               clEnumValN(Action::OpCodes, "gen-cuda-tile-opcodes",
                          "an enumeration of the ops' numbers in bytecode"),
               clEnumValN(Action::OpSpec, "gen-op-spec",
                          "a line per op and argument: number, since-version"),
               clEnumValN(Action::Attributes, "gen-attributes",
                          "a table of the attributes that passes put on ops")));

static bool generate(llvm::raw_ostream &os, const llvm::RecordKeeper &records) {
  switch (action) {
  case Action::OpRecords:
    return cuda_tile::tblgen::emitOpRecords(records, os);
  case Action::OpCodes:
    return cuda_tile::tblgen::emitOpCodes(records, os);
  case Action::OpSpec:
    return cuda_tile::tblgen::emitOpSpec(records, os);
  case Action::Attributes:
    return cuda_tile::tblgen::emitAttributes(records, os);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialization(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv);
  return llvm::TableGenMain(argv[0], &generate);
}
