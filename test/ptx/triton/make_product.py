# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles products with Triton: python make_product.py OUT SPEC ...

`bench/products.py` calls this, with the Python of an environment that has Triton. A
SPEC is `f16:f16:128x128x64:80:4:3`: types of operands and result, tile, compute
capability, warps and stages. The kernels are those of this folder: by pointers up to
sm_89, by tensor descriptors (TMA) from sm_90 on.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import triton.language as tl
from builds import Build
from kernels_dot import matmul
from kernels_tma import boxes, tma_matmul
from make_ptx import make

NAMES = {
    **{"f16": "fp16", "bf16": "bf16", "tf32": "fp32", "f32": "fp32", "f64": "fp64"},
    **{"i8": "i8", "i32": "i32", "f8E4M3FN": "fp8e4nv"},
}
SUMS = {"i8": tl.int32, "f64": tl.float64}


@dataclass(frozen=True)
class Divisible(Build):
    """A build whose integers, too, are multiples of 16, as Triton's launcher finds."""

    @property
    def attributes(self) -> dict[tuple[int], list[list[Any]]]:
        """What Triton may rely on."""
        return {
            (place,): [["tt.divisibility", 16]]
            for place, ty in enumerate(self.signature.values())
            if ty.startswith("*") or ty == "i32"
        }


def build(spec: str) -> tuple[Build, int]:
    """The build of a SPEC, and its target."""
    operand, result, tile, target, warps, stages = spec.split(":")
    sizes = tuple(map(int, tile.split("x")))
    m, n, k = sizes
    constants: dict[str, Any] = dict(zip(("BM", "BN", "BK"), sizes, strict=True))
    options = {"num_warps": int(warps), "num_stages": int(stages)}
    a, c, gpu = NAMES[operand], NAMES[result], int(target)
    if gpu >= 90:
        types = f"{boxes(a, (m, k), (k, n))} {boxes(c, (m, n))} i32"
        constants |= {"TRANSPOSED": False, "SPECIALIZED": False}
        return Divisible(tma_matmul, types, (gpu,), constants, options), gpu
    types = f"*{a} *{a} *{c} i32 i32 i32"
    constants |= {"PRECISION": "tf32", "TYPE": SUMS.get(operand, tl.float32)}
    return Divisible(matmul, types, (gpu,), constants, options), gpu


def main() -> None:
    """Writes a file for each SPEC, with `-` in place of `:`; empty if it fails."""
    folder = Path(sys.argv[1])
    for spec in sys.argv[2:]:
        try:
            text = make(*build(spec))
        except Exception as error:
            print(f"{spec}: {error}", file=sys.stderr)
            text = ""
        (folder / f"{spec.replace(':', '-')}.ptx").write_text(text)


if __name__ == "__main__":
    main()
