//===- Attributes.cpp - Attributes that passes put on ops -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever misspells an attribute learns of it, instead of having it ignored.
//
//===----------------------------------------------------------------------===//

#include "cuda_tile/Tileas/Tileas.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuda_tile::tileas;

namespace {

/// A `Tileas_Attribute` of ODS. Any op may have it if `hosts` is empty.
struct DeclaredAttribute {
  StringRef name;
  StringRef kind;
  bool (*isOfKind)(Attribute);
  std::vector<StringRef> hosts;
};

} // namespace

static ArrayRef<DeclaredAttribute> getDeclared() {
  static const DeclaredAttribute declared[] = {
#include "cuda_tile/Tileas/TileasAttributes.cpp.inc"
  };
  return declared;
}

static std::string quoted(ArrayRef<StringRef> names) {
  auto quote = [](StringRef name) { return ("'" + name + "'").str(); };
  return llvm::join(llvm::map_range(names, quote), ", ");
}

static std::string quotedNames() {
  SmallVector<std::string> names;
  for (const DeclaredAttribute &each : getDeclared())
    names.push_back(("'tileas." + each.name + "'").str());
  return llvm::join(names, ", ");
}

/// Says that no attribute has this name, and which one may have been meant.
static LogicalResult emitUnknown(Operation *op, StringRef name) {
  auto distance = [&](const DeclaredAttribute &each) {
    return name.edit_distance(each.name);
  };
  const DeclaredAttribute &nearest = *llvm::min_element(
      getDeclared(), [&](const auto &left, const auto &right) {
        return distance(left) < distance(right);
      });
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected one of " << quotedNames()
                                  << ", got 'tileas." << name << "'";
  if (distance(nearest) <= 2)
    diagnostic << "; did you mean 'tileas." << nearest.name << "'?";
  return diagnostic;
}

LogicalResult TileasDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  StringRef name = named.getName().strref().substr(strlen("tileas."));
  const auto *found =
      llvm::find_if(getDeclared(), [&](const DeclaredAttribute &each) {
        return each.name == name;
      });
  if (found == getDeclared().end())
    return emitUnknown(op, name);
  StringRef host = op->getName().getStringRef();
  if (!found->hosts.empty() && !llvm::is_contained(found->hosts, host))
    return op->emitOpError()
           << "expected 'tileas." << name << "' on " << quoted(found->hosts)
           << ", got it on '" << host << "'";
  if (!found->isOfKind(named.getValue()))
    return op->emitOpError() << "expected " << found->kind << " as 'tileas."
                             << name << "', got " << named.getValue();
  return success();
}

LogicalResult TileasDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned number,
                                                      NamedAttribute named) {
  return op->emitOpError()
         << "expected no attribute of 'tileas' on an argument, got '"
         << named.getName().getValue() << "' on argument " << number;
}
