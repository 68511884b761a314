//===- DebugInfo.cpp - Debug information in C -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda_tile-c/DebugInfo.h"
#include "cuda_tile/IR/CudaTile.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace cuda_tile;

template <typename Cpp> static Cpp as(MlirAttribute attribute) {
  return llvm::cast<Cpp>(unwrap(attribute));
}

static MlirAttribute wrapped(Attribute attribute) { return wrap(attribute); }

static StringAttr text(MLIRContext *context, MlirStringRef value) {
  return StringAttr::get(context, unwrap(value));
}

static MlirStringRef characters(StringAttr text) {
  return wrap(text.getValue());
}

#define DEFINE_ATTRIBUTE(Name)                                                 \
  bool mlirCudaTileAttributeIsA##Name##Attr(MlirAttribute attribute) {         \
    return llvm::isa<Name##Attr>(unwrap(attribute));                           \
  }                                                                            \
  MlirTypeID mlirCudaTile##Name##AttrGetTypeID(void) {                         \
    return wrap(Name##Attr::getTypeID());                                      \
  }

/// A getter of `Name`; `convert` makes a C value of what C++ gives.
#define DEFINE_GETTER(Name, Field, Result, convert)                            \
  Result mlirCudaTile##Name##AttrGet##Field(MlirAttribute attribute) {         \
    return convert(as<Name##Attr>(attribute).get##Field());                    \
  }

DEFINE_ATTRIBUTE(DIFile)
DEFINE_GETTER(DIFile, Name, MlirStringRef, characters)
DEFINE_GETTER(DIFile, Directory, MlirStringRef, characters)

MlirAttribute mlirCudaTileDIFileAttrGet(MlirContext context, MlirStringRef name,
                                        MlirStringRef directory) {
  MLIRContext *cpp = unwrap(context);
  return wrapped(DIFileAttr::get(cpp, text(cpp, name), text(cpp, directory)));
}

DEFINE_ATTRIBUTE(DICompileUnit)
DEFINE_GETTER(DICompileUnit, File, MlirAttribute, wrapped)

MlirAttribute mlirCudaTileDICompileUnitAttrGet(MlirAttribute file) {
  return wrapped(
      DICompileUnitAttr::get(unwrap(file).getContext(), as<DIFileAttr>(file)));
}

bool mlirCudaTileAttributeIsADILocalScope(MlirAttribute attribute) {
  return llvm::isa<DILocalScopeAttr>(unwrap(attribute));
}

DEFINE_ATTRIBUTE(DILexicalBlock)
DEFINE_GETTER(DILexicalBlock, Scope, MlirAttribute, wrapped)
DEFINE_GETTER(DILexicalBlock, File, MlirAttribute, wrapped)
DEFINE_GETTER(DILexicalBlock, Line, unsigned, )
DEFINE_GETTER(DILexicalBlock, Column, unsigned, )

MlirAttribute mlirCudaTileDILexicalBlockAttrGet(MlirAttribute scope,
                                                MlirAttribute file,
                                                unsigned line,
                                                unsigned column) {
  return wrapped(DILexicalBlockAttr::get(unwrap(scope).getContext(),
                                         as<DILocalScopeAttr>(scope),
                                         as<DIFileAttr>(file), line, column));
}

DEFINE_ATTRIBUTE(DISubprogram)
DEFINE_GETTER(DISubprogram, File, MlirAttribute, wrapped)
DEFINE_GETTER(DISubprogram, Line, unsigned, )
DEFINE_GETTER(DISubprogram, Name, MlirStringRef, characters)
DEFINE_GETTER(DISubprogram, LinkageName, MlirStringRef, characters)
DEFINE_GETTER(DISubprogram, CompileUnit, MlirAttribute, wrapped)
DEFINE_GETTER(DISubprogram, ScopeLine, unsigned, )

bool mlirCudaTileDISubprogramAttrGetFlags(MlirAttribute attribute) {
  return as<DISubprogramAttr>(attribute).getFlags() ==
         SubprogramFlags::declaration;
}

MlirAttribute mlirCudaTileDISubprogramAttrGet(MlirAttribute file, unsigned line,
                                              MlirStringRef name,
                                              MlirStringRef linkageName,
                                              MlirAttribute compileUnit,
                                              unsigned scopeLine,
                                              bool isDeclaration) {
  MLIRContext *context = unwrap(file).getContext();
  return wrapped(DISubprogramAttr::get(
      context, as<DIFileAttr>(file), line, text(context, name),
      text(context, linkageName), as<DICompileUnitAttr>(compileUnit), scopeLine,
      isDeclaration ? SubprogramFlags::declaration : SubprogramFlags::none));
}

DEFINE_ATTRIBUTE(DILoc)
DEFINE_GETTER(DILoc, Scope, MlirAttribute, wrapped)

MlirAttribute mlirCudaTileDILocAttrGet(MlirLocation sourceLoc,
                                       MlirAttribute scope) {
  return wrapped(DILocAttr::get(
      unwrap(scope).getContext(),
      llvm::cast<FileLineColLoc>(LocationAttr(unwrap(sourceLoc))),
      as<DILocalScopeAttr>(scope)));
}

MlirLocation mlirCudaTileDILocAttrGetSourceLoc(MlirAttribute attribute) {
  return wrap(Location(as<DILocAttr>(attribute).getSourceLoc()));
}
