//===- Bitwise.td - Bitwise operations -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_IR_OPS_BITWISE_TD
#define CUDA_TILE_IR_OPS_BITWISE_TD

include "cuda_tile/IR/Attrs.td"
include "cuda_tile/IR/Enums.td"
include "cuda_tile/IR/Types.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_BitwiseOp<string mnemonic, int wire>
    : CudaTile_Op<mnemonic, "bitwise", wire, "13.1",
        [Pure, CudaTile_Elementwise, CudaTile_Commutes,
         AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs);
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<CudaTileType>(type($result))
  }];
  let examples = ["%r = " # mnemonic # " %n, %n : tile<i32>"];
}

def CudaTile_AndIOp : CudaTile_BitwiseOp<"andi", 0x4> {
  let summary = "Bitwise and";
  let description = [{
    (C1) Operands and result have the same integer type, of any width.
  }];
}

def CudaTile_OrIOp : CudaTile_BitwiseOp<"ori", 0x52> {
  let summary = "Bitwise or";
  let description = [{
    (C1) Operands and result have the same integer type, of any width.
  }];
}

def CudaTile_XOrIOp : CudaTile_BitwiseOp<"xori", 0x6C> {
  let summary = "Bitwise exclusive or";
  let description = [{
    If one operand has all bits set, the result is the complement of the other.
    (C1) Operands and result have the same integer type, of any width.
  }];
}

#endif // CUDA_TILE_IR_OPS_BITWISE_TD
