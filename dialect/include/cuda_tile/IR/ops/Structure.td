//===- Structure.td - Modules, kernels and grid coordinates -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_STRUCTURE_TD
#define CUDA_TILE_IR_OPS_STRUCTURE_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

class CudaTile_StructureOp<string mnemonic, int wire, string version,
                           list<Trait> traits = []>
    : CudaTile_Op<mnemonic, "structure", wire, version, traits>;

def CudaTile_ModuleOp : CudaTile_StructureOp<"module", 0x4B, "13.1",
    [IsolatedFromAbove, NoRegionArguments, SingleBlock, SymbolTable,
     NoTerminator, RegionKindInterface, HasOnlyGraphRegion, Symbol,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Contains the kernels and globals of one file";
  let description = [{
    Bytecode does not store the name: a module read from bytecode is `@kernels`.
    (C1) The locations of globals have no debug scope.
  }];
  let examples = [[{
    cuda_tile.module @kernels attributes {producer = "hand"} {
      entry @nothing() {
        return
      }
    }
  }]];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    CudaTile_Since<"13.3", OptionalAttr<StrAttr>>:$producer
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1; // C1
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
}

def CudaTile_GlobalOp : CudaTile_StructureOp<"global", 0x31, "13.1",
    [DeclareOpInterfaceMethods<Symbol, ["getVisibility", "setVisibility"]>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Global variable";
  let description = [{
    Its memory lives as long as the loaded module and is initialised with `value`
    when the module is loaded. Kernels must not write to a `constant` one. The host
    can look up those that are not `private`. `alignment` is in bytes; 0 means that
    of the elements.
    (C1) The value has rank 1.
  }];
  let examples = [
    [{
      cuda_tile.module @m {
        global @lut <f32: [1.5, 2.5]> : tile<2xf32>
        global private constant @tab alignment = 128 <i32: [1, 2]> : tile<2xi32>
      }
    }],
  ];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    CudaTile_DenseElementsAttr:$value,
    DefaultValuedAttr<I64Attr, "0">:$alignment,
    CudaTile_Since<"13.3", UnitAttr>:$constant,
    CudaTile_Since<"13.3",
      DefaultValuedAttr<CudaTile_SymbolVisibilityAttr,
        "::cuda_tile::SymbolVisibility::PUBLIC">>:$symbol_visibility
  );
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1
}

def CudaTile_GetGlobalOp : CudaTile_StructureOp<"get_global", 0x2C, "13.1",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Pointer to the first element of a global variable";
  let description = [{
    (C1) The module has a global of this name.
    (C2) The pointee type of the result is the element type of the global.
  }];
  let examples = [[{
    cuda_tile.module @m {
      global @lut <f32: [1.5, 2.5]> : tile<2xf32>
      entry @f() {
        %p = get_global @lut : tile<ptr<f32>>
        return
      }
    }
  }]];
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs CudaTile_PointerScalar:$result);
  let assemblyFormat = [{
    $name attr-dict `:` custom<CudaTileType>(type($result))
  }];
}

def CudaTile_EntryOp : CudaTile_StructureOp<"entry", 0x16, "13.1",
    [FunctionOpInterface, IsolatedFromAbove, SingleBlock,
     SingleBlockImplicitTerminator<"ReturnOp">,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getDefaultDialect"]>]> {
  let summary = "Kernel: the body runs once for each tile block of the grid";
  let description = [{
    (C1) There are no results.
    (C2) Arguments that are tiles are scalars: the numbers and pointers that the
         launch passes.
    (C3) The compiler knows the hints; checked only if the command line asks for it
         (-Wunsupported-hints, -Werr-hints).
    (C4) The debug scope of the location, if it has one, is a di_subprogram whose
         linkage name is the entry's name. Scopes of ops in the body are nested in it.
    (C5) The entry is public.
  }];
  let examples = [[{
    entry @scale(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
      return
    }
  }]];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints
  );
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1; // C1, C2, C3, C5
  let hasRegionVerifier = 1; // C4
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>,
  ];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
}

def CudaTile_GetTileBlockIdOp
    : CudaTile_StructureOp<"get_tile_block_id", 0x30, "13.1",
        [Pure, AllTypesMatch<["blockId_x", "blockId_y", "blockId_z"]>,
         CudaTile_NamesResults]> {
  let summary = "Coordinates of the tile block in the grid";
  let description = [{
    Each is less than the extent of the grid in that dimension, which is below 2^24.
  }];
  let examples = ["%x, %y, %z = get_tile_block_id : tile<i32>"];
  let results = (outs
    CudaTile_I32Scalar:$blockId_x,
    CudaTile_I32Scalar:$blockId_y,
    CudaTile_I32Scalar:$blockId_z
  );
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($blockId_x))";
}

def CudaTile_GetNumTileBlocksOp
    : CudaTile_StructureOp<"get_num_tile_blocks", 0x2E, "13.1",
        [Pure, AllTypesMatch<["gridSize_x", "gridSize_y", "gridSize_z"]>,
         CudaTile_NamesResults]> {
  let summary = "Extents of the grid, in tile blocks";
  let description = [{
    They do not depend on how many CTAs execute one tile block.
  }];
  let examples = ["%x, %y, %z = get_num_tile_blocks : tile<i32>"];
  let results = (outs
    CudaTile_I32Scalar:$gridSize_x,
    CudaTile_I32Scalar:$gridSize_y,
    CudaTile_I32Scalar:$gridSize_z
  );
  let assemblyFormat = "attr-dict `:` custom<CudaTileType>(type($gridSize_x))";
}

#endif // CUDA_TILE_IR_OPS_STRUCTURE_TD
