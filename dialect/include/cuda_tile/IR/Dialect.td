//===- Dialect.td - The cuda_tile dialect and its base classes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ODS is the only list of ops. Everything else (bytecode records, bindings,
// coverage tables, documentation) is generated from, or checked against, the
// fields that the base classes below add to upstream's.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TILE_IR_DIALECT_TD
#define CUDA_TILE_IR_DIALECT_TD

include "cuda_tile/IR/Traits.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"

def CudaTile_Dialect : Dialect {
  let name = "cuda_tile";
  let summary = "Tile IR: kernels as programs over tiles";
  let description = [{
    One program instance (a tile block) computes on tiles: arrays whose extents are
    powers of two and that have no address. Memory is accessed through tiles of
    pointers or through views; tokens order the accesses.
  }];
  let cppNamespace = "::cuda_tile";
  let dependentDialects = ["::cuda_tile::cute::CuteDialect"];
  // Types and attributes are written without `!cuda_tile.` and `#cuda_tile.`
  // inside ops of this dialect, so that one parser serves both spellings.
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook>
    getParseOperationHook(::llvm::StringRef name) const override;

    /// How verifiers treat unknown optimization hints; the initial value comes
    /// from the command line.
    HintCheck getHintCheck() const { return hintCheck; }
    void setHintCheck(HintCheck check) { hintCheck = check; }

  private:
    void registerTypes();
    void registerAttributes();
    void addFolder();
    void addInliner();
    void addEffects();
    void addBranches();

    HintCheck hintCheck = getHintCheckOfFlags();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Versions of arguments
//===----------------------------------------------------------------------===//

// An argument or result that bytecode has since `version`. Without this wrapper,
// an argument is as old as its op.
class CudaTile_Since<string version, Constraint constraint, string desc = "">
    : Arg<constraint, desc> {
  string since = version;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// `stem`    family of the op: the name of the file that has its rule, in every stage.
// `wire`    opcode in bytecode.
// `version` first bytecode version that has the op.
class CudaTile_Op<string mnemonic, string stem, int wire, string version,
                  list<Trait> traits = []>
    : Op<CudaTile_Dialect, mnemonic, traits> {
  string family = stem;
  int opcode = wire;
  string since = version;

  // Complete snippets; each parses as the body of
  //   cuda_tile.module @m { entry @f(%p: tile<ptr<f32>>, %n: tile<i32>) { ... } }
  // before the closing `return`. A snippet that begins with `cuda_tile.module` is
  // a whole file instead, and one that begins with `entry` the body of a module.
  list<string> examples = [];
}

// The op suggests names for its results in the printed form.
def CudaTile_NamesResults
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

#endif // CUDA_TILE_IR_DIALECT_TD
