//===- AttributeGen.cpp - Attributes on ops from ODS ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttributeGen.h"
#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/Format.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/TableGenBackend.h"

namespace cuda_tile::tblgen {

/// The names of the ops that an attribute may stand on.
static std::vector<std::string> getHosts(const llvm::Record &attribute) {
  std::vector<std::string> hosts;
  for (const llvm::Record *op : attribute.getValueAsListOfDefs("hosts"))
    hosts.push_back(mlir::tblgen::Operator(*op).getOperationName());
  for (llvm::StringRef name : attribute.getValueAsListOfStrings("otherHosts"))
    hosts.push_back(name.str());
  return hosts;
}

bool emitAttributes(const llvm::RecordKeeper &keeper, llvm::raw_ostream &os) {
  llvm::emitSourceFileHeader("Attributes on ops", os, keeper);
  for (const llvm::Record *def :
       keeper.getAllDerivedDefinitions("Tileas_Attribute")) {
    mlir::tblgen::Attribute kind(def->getValueAsDef("kind"));
    mlir::tblgen::FmtContext context;
    context.withSelf("value");
    std::string test =
        mlir::tblgen::tgfmt(kind.getConditionTemplate(), &context).str();
    os << llvm::formatv("    {{\"{0}\", \"{1}\",\n"
                        "     [](::mlir::Attribute value) -> bool {{\n"
                        "       return {2};\n"
                        "     },\n     {{",
                        def->getValueAsString("name"), kind.getSummary(), test);
    for (const std::string &host : getHosts(*def))
      os << '"' << host << "\", ";
    os << "}},\n";
  }
  return false;
}

} // namespace cuda_tile::tblgen
