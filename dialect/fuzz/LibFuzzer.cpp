//===- LibFuzzer.cpp - Inputs that coverage chooses -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "Mutator.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstdlib>

using namespace cuda_tile::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr unsigned inputsPerContext = 256;
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned count = 0;
  if (count++ % inputsPerContext == 0)
    context = makeContext();
  Outcome outcome = check({data, size}, *context);
  if (outcome.problem.empty())
    return 0;
  llvm::errs() << "problem: " << outcome.problem << "\n";
  std::abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  llvm::ArrayRef<uint8_t> file(data, size);
  Bytes changed = Mutator(seed).mutate(file, file);
  size_t newSize = std::min(changed.size(), maxSize);
  std::copy_n(changed.begin(), newSize, data);
  return newSize;
}
