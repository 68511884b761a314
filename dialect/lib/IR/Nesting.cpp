//===- Nesting.cpp - How deep regions may nest ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile/IR/Nesting.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace cuda_tile {

std::string getNestingMessage() {
  return "expected regions nested at most " + std::to_string(kMaxRegionDepth) +
         " deep";
}

/// What encloses a kernel's body (two modules, the kernel), and room for
/// attributes in its innermost region. Lists and types also nest, a little.
static constexpr unsigned kMaxBraces = kMaxRegionDepth + 64;
static constexpr unsigned kMaxOthers = 4 * kMaxRegionDepth;

static constexpr char kQuote = '\x22';

/// The position behind a string or a comment that begins at `at`, or `at`.
static size_t skipText(StringRef text, size_t at) {
  if (text.substr(at, 2) == "//")
    return std::min(text.find('\n', at), text.size());
  if (text[at] != kQuote)
    return at;
  for (++at; at < text.size() && text[at] != kQuote; ++at)
    at += text[at] == '\\';
  return std::min(at + 1, text.size());
}

std::optional<size_t> findDeepText(StringRef text) {
  constexpr StringLiteral opening = "{([<", closing = "})]>";
  unsigned depths[4] = {};
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t behind = skipText(text, at); behind != at) {
      at = behind - 1;
      continue;
    }
    bool isArrow = text[at] == '>' && at && text[at - 1] == '-';
    if (size_t kind = opening.find(text[at]); kind != StringRef::npos) {
      if (++depths[kind] > (kind ? kMaxOthers : kMaxBraces))
        return at;
    } else if (kind = closing.find(text[at]);
               kind != StringRef::npos && depths[kind] && !isArrow) {
      --depths[kind];
    }
  }
  return std::nullopt;
}

Operation *findDeepOp(Operation *module) {
  SmallVector<std::pair<Operation *, unsigned>> left{{module, 0}};
  while (!left.empty()) {
    auto [op, depth] = left.pop_back_val();
    if (depth > kMaxRegionDepth)
      return op;
    // Only what a function contains counts.
    bool isCounted = depth > 0 || isa<FunctionOpInterface>(op);
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        if (inner.getNumRegions())
          left.emplace_back(&inner, depth + isCounted);
  }
  return nullptr;
}

} // namespace cuda_tile
