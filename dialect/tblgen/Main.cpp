//===- Main.cpp - cuda-tile-tblgen ----------------------------------------===//

#include "llvm/TableGen/Main.h"
#include "BytecodeGen.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

enum class Action { OpRecords };

static llvm::cl::opt<Action> action(
    llvm::cl::desc("What to generate:"), llvm::cl::Required,
    llvm::cl::values(clEnumValN(Action::OpRecords, "gen-bytecode-op-records",
                                "tables of bytecode op records")));

static bool generate(llvm::raw_ostream &os, const llvm::RecordKeeper &records) {
  switch (action) {
  case Action::OpRecords:
    return cuda_tile::tblgen::emitOpRecords(records, os);
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialization(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv);
  return llvm::TableGenMain(argv[0], &generate);
}
