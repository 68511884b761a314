//===- Interfaces.td - Interfaces of the tileas dialect --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CUDA_TILE_TILEAS_INTERFACES_TD
#define CUDA_TILE_TILEAS_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tileas_AsyncProduct : OpInterface<"AsyncProduct"> {
  let cppNamespace = "::cuda_tile::tileas";
  let description = [{
    A matrix product that an engine computes by itself after the op that starts it.
    Until it is done it reads the buffers that the op has a read effect on, and nothing
    may touch the registers that it was given.
  }];
  let methods = [
    StaticInterfaceMethod<[{
      How its end is known: `group`, a wait for all but the youngest groups, or
      `mbarrier`.
    }], "::llvm::StringRef", "getCompletion">,
    InterfaceMethod<"The operand that it is added to.",
      "::mlir::OpOperand &", "getSumOperand", (ins), "",
      "return $_op.getAccMutable();">,
  ];
}

#endif // CUDA_TILE_TILEAS_INTERFACES_TD
