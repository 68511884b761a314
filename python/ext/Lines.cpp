//===- Lines.cpp - Line tables: from source locations to LLVM's scopes ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM takes a position only inside a scope: a subprogram, with the file and
// the compile unit that it belongs to. A kernel is one subprogram; a function
// that the producer inlined is another, and a call site connects the two. A
// position in another file than its subprogram's has a scope for that file.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "cuda_tile/IR/CudaTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace cuda_tile::python;

namespace {

using mlir::FileLineColLoc;
using mlir::LocationAttr;
using mlir::StringAttr;
namespace LLVM = mlir::LLVM;

/// The scopes of one module. `kernel` stands for code of the kernel itself; a
/// null subprogram for code of a function that was inlined.
class LineTables {
public:
  LineTables(mlir::MLIRContext *context, bool isFull)
      : context(context), isFull(isFull) {}

  void addTo(LLVM::LLVMFuncOp function);

private:
  LLVM::DISubprogramAttr startOf(LLVM::LLVMFuncOp function,
                                 FileLineColLoc first);
  LLVM::DIFileAttr fileOf(FileLineColLoc position);
  LLVM::DISubprogramAttr subprogram(StringAttr name, StringAttr linkageName,
                                    LLVM::DIFileAttr file, unsigned line,
                                    unsigned scopeLine);
  LLVM::DISubprogramAttr inlined(cuda_tile::DISubprogramAttr source);
  LLVM::DISubprogramAttr inlined(FileLineColLoc position, StringAttr name);

  /// `loc` with scopes; null if it has no position.
  LocationAttr convert(LocationAttr loc, LLVM::DISubprogramAttr kernel,
                       StringAttr name = {});
  LocationAttr convertCall(mlir::CallSiteLoc call,
                           LLVM::DISubprogramAttr kernel);
  LocationAttr scoped(FileLineColLoc position, LLVM::DISubprogramAttr scope);

  StringAttr text(llvm::StringRef value) {
    return StringAttr::get(context, value);
  }

  mlir::MLIRContext *context;
  bool isFull;
  LLVM::DICompileUnitAttr unit;
  llvm::DenseMap<mlir::Attribute, LLVM::DIFileAttr> files;
  llvm::DenseMap<mlir::Attribute, LLVM::DISubprogramAttr> functions;
};

/// A path as PTX can hold it: in ASCII, without quotes and escapes, not empty.
std::string plainPath(llvm::StringRef path) {
  std::string plain;
  for (unsigned char character : path)
    if (character == '\\')
      plain += '/';
    else if (character == '"' || character < ' ')
      plain += '_';
    else if (character < 0x7f)
      plain += character;
    else if ((character & 0xc0) != 0x80) // one for a whole character in UTF-8
      plain += '_';
  return plain.empty() ? "<unknown>" : plain;
}

LLVM::DIFileAttr LineTables::fileOf(FileLineColLoc position) {
  LLVM::DIFileAttr &file = files[position.getFilename()];
  if (!file) {
    std::string path = plainPath(position.getFilename().getValue());
    file = LLVM::DIFileAttr::get(context, text(llvm::sys::path::filename(path)),
                                 text(llvm::sys::path::parent_path(path)));
  }
  return file;
}

LLVM::DISubprogramAttr LineTables::subprogram(StringAttr name,
                                              StringAttr linkageName,
                                              LLVM::DIFileAttr file,
                                              unsigned line,
                                              unsigned scopeLine) {
  auto distinct = [&] {
    return mlir::DistinctAttr::create(mlir::UnitAttr::get(context));
  };
  // `.loc` and `.file` alone leave the code as it is; with full debug info
  // LLVM writes `.target sm_XY, debug`, which ptxas does not optimise.
  if (!unit)
    unit = LLVM::DICompileUnitAttr::get(
        distinct(), llvm::dwarf::DW_LANG_C, file, text("cuda-tile"),
        /*isOptimized=*/!isFull,
        isFull ? LLVM::DIEmissionKind::Full
               : LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto flags = LLVM::DISubprogramFlags::Definition;
  if (!isFull)
    flags = flags | LLVM::DISubprogramFlags::Optimized;
  return LLVM::DISubprogramAttr::get(
      context, distinct(), unit, file, name, linkageName, file, line, scopeLine,
      flags, LLVM::DISubroutineTypeAttr::get(context, {}), {}, {});
}

/// The subprogram of a kernel, by what the producer says of it, else by the
/// first position in it.
LLVM::DISubprogramAttr LineTables::startOf(LLVM::LLVMFuncOp function,
                                           FileLineColLoc first) {
  StringAttr symbol = function.getSymNameAttr();
  StringAttr name = symbol;
  if (cuda_tile::DILocalScopeAttr scope =
          cuda_tile::findScope(function.getLoc()))
    name = scope.getSubprogram().getName();
  return subprogram(name, symbol, fileOf(first), first.getLine(),
                    first.getLine());
}

LLVM::DISubprogramAttr LineTables::inlined(cuda_tile::DISubprogramAttr source) {
  LLVM::DISubprogramAttr &known = functions[source];
  if (!known) {
    cuda_tile::DIFileAttr file = source.getFile();
    llvm::SmallString<128> path = file.getDirectory().getValue();
    llvm::sys::path::append(path, file.getName().getValue());
    auto start = FileLineColLoc::get(text(path), source.getLine(), 0);
    known = subprogram(source.getName(), source.getLinkageName(), fileOf(start),
                       source.getLine(), source.getScopeLine());
  }
  return known;
}

/// A function of which only a position is known, and perhaps a name: else it
/// has that of its file.
LLVM::DISubprogramAttr LineTables::inlined(FileLineColLoc position,
                                           StringAttr name) {
  LLVM::DIFileAttr file = fileOf(position);
  if (!name)
    name = file.getName();
  mlir::Attribute key = mlir::ArrayAttr::get(context, {file, name});
  LLVM::DISubprogramAttr &known = functions[key];
  if (!known)
    known =
        subprogram(name, name, file, position.getLine(), position.getLine());
  return known;
}

LocationAttr LineTables::scoped(FileLineColLoc position,
                                LLVM::DISubprogramAttr scope) {
  LLVM::DIFileAttr file = fileOf(position);
  mlir::Attribute inner = scope;
  if (file != scope.getFile())
    inner = LLVM::DILexicalBlockFileAttr::get(context, scope, file,
                                              /*discriminator=*/0);
  return mlir::FusedLoc::get(context, {mlir::Location(position)}, inner);
}

LocationAttr LineTables::convertCall(mlir::CallSiteLoc call,
                                     LLVM::DISubprogramAttr kernel) {
  LocationAttr caller = convert(call.getCaller(), kernel);
  if (!caller)
    return convert(call.getCallee(), kernel);
  LocationAttr callee = convert(call.getCallee(), {});
  if (!callee)
    return caller;
  return mlir::CallSiteLoc::get(mlir::Location(callee), mlir::Location(caller));
}

LocationAttr LineTables::convert(LocationAttr loc,
                                 LLVM::DISubprogramAttr kernel,
                                 StringAttr name) {
  if (auto position = mlir::dyn_cast<cuda_tile::DILocAttr>(loc))
    return scoped(position.getSourceLoc(),
                  kernel ? kernel
                         : inlined(position.getScope().getSubprogram()));
  if (auto position = mlir::dyn_cast<FileLineColLoc>(loc))
    return scoped(position, kernel ? kernel : inlined(position, name));
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(loc))
    return convert(named.getChildLoc(), kernel, named.getName());
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(loc))
    return convertCall(call, kernel);
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(loc))
    for (mlir::Location part : fused.getLocations())
      if (LocationAttr found = convert(part, kernel, name))
        return found;
  return {};
}

void LineTables::addTo(LLVM::LLVMFuncOp function) {
  FileLineColLoc first = cuda_tile::findPosition(function.getLoc());
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!first)
      first = cuda_tile::findPosition(op->getLoc());
    return first ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (!first)
    return;
  LLVM::DISubprogramAttr kernel = startOf(function, first);
  LocationAttr unknown = mlir::UnknownLoc::get(context);
  llvm::DenseMap<mlir::Attribute, LocationAttr> known;
  function.getBody().walk([&](mlir::Operation *op) {
    auto [entry, isNew] = known.try_emplace(op->getLoc());
    if (isNew) {
      LocationAttr found = convert(op->getLoc(), kernel);
      entry->second = found ? found : unknown;
    }
    op->setLoc(entry->second);
  });
  function->setLoc(mlir::Location(scoped(first, kernel)));
}

/// Replaces positions in scopes by the positions alone.
mlir::AttrTypeReplacer scopeDropper() {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](cuda_tile::DILocAttr scoped) -> mlir::Attribute {
    return scoped.getSourceLoc();
  });
  return replacer;
}

MlirLocation withoutScopes(MlirLocation location) {
  mlir::AttrTypeReplacer replacer = scopeDropper();
  return wrap(mlir::Location(mlir::cast<mlir::LocationAttr>(
      replacer.replace(mlir::LocationAttr(unwrap(location))))));
}

void dropScopesIn(mlir::Operation *op) {
  scopeDropper().recursivelyReplaceElementsIn(op, /*replaceAttrs=*/false,
                                              /*replaceLocs=*/true,
                                              /*replaceTypes=*/false);
}

void dropScopes(nb::handle op) { dropScopesIn(operationOf(op)); }

/// Scopes for kernels; everywhere else what LLVM does not know is dropped.
void addLineTables(nb::handle object, bool isFull) {
  mlir::Operation *root = operationOf(object);
  LineTables tables(root->getContext(), isFull);
  root->walk([&](LLVM::LLVMFuncOp function) {
    if (function->hasAttr("nvvm.kernel") && !function.isExternal())
      tables.addTo(function);
  });
  dropScopesIn(root);
}

} // namespace

void cuda_tile::python::populateLines(nb::module_ &m) {
  m.def("without_scopes", &withoutScopes, nb::arg("location"),
        nb::sig("def without_scopes(location: cuda_tile._mlir.ir.Location) -> "
                "cuda_tile._mlir.ir.Location"),
        "The positions of a location without the scopes around them, which are "
        "long and say nothing to the reader of an error.");
  m.def("drop_scopes", &dropScopes, nb::arg("op"),
        "Drops the scopes from the locations of an operation and of all in it: "
        "MLIR's translation to LLVM IR does not know them.");
  m.def("add_line_tables", &addLineTables, nb::arg("op"),
        nb::arg("full") = false,
        "Gives every position in the kernels of a module at level P the scope "
        "that LLVM asks for, call sites of inlined functions included, and "
        "drops the scopes of the tile dialect.\n\n"
        "Args:\n"
        "  op: The module; a kernel without positions stays as it is.\n"
        "  full: Whether LLVM writes all debug info, for code that is not "
        "optimised, instead of lines alone.");
}
