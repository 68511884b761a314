//===- DebugInfo.td - Debug information: source positions and scopes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A location is a position in a file and the enclosing scope. Scopes nest up to the
// subprogram, which is that of an entry; the rules are in DebugInfo.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_DEBUGINFO_TD
#define CUDA_TILE_IR_DEBUGINFO_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"

// The value is that of the record in bytecode.
def CudaTile_SubprogramFlags : CudaTile_Enum<
    "SubprogramFlags", "flags of a subprogram", [
  I32EnumAttrCase<"none", 0, "none">,
  I32EnumAttrCase<"declaration", 1, "declaration">,
]>;

class CudaTile_DIAttr<string name, string attrMnemonic,
                      string base = "::mlir::Attribute">
    : AttrDef<CudaTile_Dialect, name, [], base> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
  let genMnemonicAlias = 1;
}

def CudaTile_DIFileAttr : CudaTile_DIAttr<"DIFile", "di_file"> {
  let summary = "source file";
  let description = [{
    Source file of a kernel, in debug information: name and folder.
    `#cuda_tile.di_file<"kernel.py" in "/home/ada">`.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::StringAttr":$directory
  );
  let assemblyFormat = "`<` $name `in` $directory `>`";
}

def CudaTile_DICompileUnitAttr
    : CudaTile_DIAttr<"DICompileUnit", "di_compile_unit"> {
  let summary = "compilation unit";
  let description = [{
    What a front end has translated at a time, in debug information: the root of all
    scopes. `#cuda_tile.di_compile_unit<file = #file>`.
  }];
  let parameters = (ins "::cuda_tile::DIFileAttr":$file);
}

def CudaTile_DILexicalBlockAttr
    : CudaTile_DIAttr<"DILexicalBlock", "di_lexical_block",
                      "::cuda_tile::DILocalScopeAttr"> {
  let summary = "block within another scope";
  let description = [{
    Block of statements within a function or another block, in debug information.
    `#cuda_tile.di_lexical_block<scope = #subprogram, file = #file, line = 2,
    column = 3>`; a column of 0 is left out.
  }];
  let parameters = (ins
    "::cuda_tile::DILocalScopeAttr":$scope,
    "::cuda_tile::DIFileAttr":$file,
    "unsigned":$line,
    DefaultValuedParameter<"unsigned", "0">:$column
  );
}

def CudaTile_DISubprogramAttr
    : CudaTile_DIAttr<"DISubprogram", "di_subprogram",
                      "::cuda_tile::DILocalScopeAttr"> {
  let summary = "scope of a function";
  let description = [{
    Function of the source program, in debug information. An entry has the one whose
    `linkageName` is its name; others are functions that were inlined into it.

    `#cuda_tile.di_subprogram<file = #file, line = 1, name = "f", linkageName =
    "f", compileUnit = #unit, scopeLine = 1>`; a `scopeLine` of 0 is left out.
    `flags = declaration` stands last since 13.5.
  }];
  let parameters = (ins
    "::cuda_tile::DIFileAttr":$file,
    "unsigned":$line,
    "::mlir::StringAttr":$name,
    "::mlir::StringAttr":$linkageName,
    "::cuda_tile::DICompileUnitAttr":$compileUnit,
    DefaultValuedParameter<"unsigned", "0">:$scopeLine,
    DefaultValuedParameter<"::cuda_tile::SubprogramFlags",
                           "::cuda_tile::SubprogramFlags::none">:$flags
  );
}

def CudaTile_DILocAttr : LocationAttrDef<CudaTile_Dialect, "DILoc"> {
  let summary = "position in a file, and the enclosing scope";
  let description = [{
    Location of an op: position in a file, and the scope around it. Errors name this
    line, and line tables of the cubin have it.
    `loc(#cuda_tile.di_loc<loc("k.py":1:2) in #subprogram>)`.
  }];
  let mnemonic = "di_loc";
  let parameters = (ins
    "::mlir::FileLineColLoc":$sourceLoc,
    "::cuda_tile::DILocalScopeAttr":$scope
  );
  let assemblyFormat = "`<` $sourceLoc `in` $scope `>`";
}

#endif // CUDA_TILE_IR_DEBUGINFO_TD
