//===- InlinedCode.h - Call sites in the line tables of PTX -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_PYTHON_EXT_INLINEDCODE_H
#define CUDA_TILE_PYTHON_EXT_INLINEDCODE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace llvm {
class DILocation;
class Module;
} // namespace llvm

namespace cuda_tile::python {

/// Writes `.loc F L C, function_name N, inlined_at F L C` for inlined code (PTX
/// ISA "Debugging Directives: .loc"). LLVM 22 leaves the call site out. So
/// before code generation inlined code gets a file of its own per call site,
/// and these files are replaced in the text.
class InlinedCode {
public:
  /// Gives inlined code its marks; the module then serves code generation only.
  void mark(llvm::Module &module);

  /// Replaces the marks in a PTX text.
  void spell(llvm::SmallVectorImpl<char> &text);

private:
  /// Code that was inlined from one function at one call site.
  struct Site {
    const llvm::DILocation *code;
    const llvm::DILocation *caller;
  };

  void readFiles(llvm::StringRef text);
  unsigned fileNumber(llvm::StringRef path);
  unsigned nameNumber(llvm::StringRef function);
  std::string position(const llvm::DILocation *location);
  std::string directive(std::string where, llvm::StringRef function,
                        const llvm::DILocation *caller);
  void addCallers(std::string &result, const llvm::DILocation *caller);
  bool spellPlace(std::string &result, llvm::StringRef line);
  void addFiles(std::string &result) const;
  void addNames(std::string &result) const;

  std::vector<Site> sites;
  std::vector<std::string> fileOfNumber; // as LLVM numbers them, marks included
  std::vector<std::string> files;        // numbered anew: readers want no gaps
  std::vector<std::string> names;        // of inlined functions
  llvm::StringMap<bool> seen;            // `.loc` lines of the current function
};

} // namespace cuda_tile::python

#endif // CUDA_TILE_PYTHON_EXT_INLINEDCODE_H
