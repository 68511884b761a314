// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*===- cuda_tile-c/DebugInfo.h - Debug information in C -----------*- C -*-===*/

#ifndef CUDA_TILE_C_DEBUGINFO_H
#define CUDA_TILE_C_DEBUGINFO_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* A scope is a subprogram or a lexical block. Getters want attributes of the *|
|* kinds that they name.                                                      *|
\*===----------------------------------------------------------------------===*/

/// `di_file<"kernel.py" in "/home/ada">`.
MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADIFileAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDIFileAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileDIFileAttrGet(
    MlirContext context, MlirStringRef name, MlirStringRef directory);
MLIR_CAPI_EXPORTED MlirStringRef
mlirCudaTileDIFileAttrGetName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirStringRef
mlirCudaTileDIFileAttrGetDirectory(MlirAttribute attribute);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADICompileUnitAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDICompileUnitAttrGetTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDICompileUnitAttrGet(MlirAttribute file);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDICompileUnitAttrGetFile(MlirAttribute attribute);

/// Whether the attribute is a subprogram or a lexical block.
MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADILocalScope(MlirAttribute attribute);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADILexicalBlockAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDILexicalBlockAttrGetTypeID(void);
/// A block in another scope; a column of 0 is unknown.
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileDILexicalBlockAttrGet(
    MlirAttribute scope, MlirAttribute file, unsigned line, unsigned column);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDILexicalBlockAttrGetScope(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDILexicalBlockAttrGetFile(MlirAttribute attribute);
MLIR_CAPI_EXPORTED unsigned
mlirCudaTileDILexicalBlockAttrGetLine(MlirAttribute attribute);
MLIR_CAPI_EXPORTED unsigned
mlirCudaTileDILexicalBlockAttrGetColumn(MlirAttribute attribute);

MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADISubprogramAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDISubprogramAttrGetTypeID(void);
/// The scope of a function. `isDeclaration` is the flag of bytecode 13.5.
MLIR_CAPI_EXPORTED MlirAttribute mlirCudaTileDISubprogramAttrGet(
    MlirAttribute file, unsigned line, MlirStringRef name,
    MlirStringRef linkageName, MlirAttribute compileUnit, unsigned scopeLine,
    bool isDeclaration);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDISubprogramAttrGetFile(MlirAttribute attribute);
MLIR_CAPI_EXPORTED unsigned
mlirCudaTileDISubprogramAttrGetLine(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirStringRef
mlirCudaTileDISubprogramAttrGetName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirStringRef
mlirCudaTileDISubprogramAttrGetLinkageName(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDISubprogramAttrGetCompileUnit(MlirAttribute attribute);
MLIR_CAPI_EXPORTED unsigned
mlirCudaTileDISubprogramAttrGetScopeLine(MlirAttribute attribute);
/// Whether the `flags` say that it is only declared.
MLIR_CAPI_EXPORTED bool
mlirCudaTileDISubprogramAttrGetFlags(MlirAttribute attribute);

/// A position and its scope; a location as an attribute
/// (`mlirLocationFromAttribute`, `mlirLocationGetAttribute`).
MLIR_CAPI_EXPORTED bool
mlirCudaTileAttributeIsADILocAttr(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirTypeID mlirCudaTileDILocAttrGetTypeID(void);
/// `sourceLoc` must be a file, line and column.
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDILocAttrGet(MlirLocation sourceLoc, MlirAttribute scope);
MLIR_CAPI_EXPORTED MlirLocation
mlirCudaTileDILocAttrGetSourceLoc(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute
mlirCudaTileDILocAttrGetScope(MlirAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif /* CUDA_TILE_C_DEBUGINFO_H */
