# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels of test/kernels with Triton: python make_table.py SPEC FILE ...

`bench/table.py` calls this, with the Python of an environment that has Triton. A SPEC
is `softmax_f16_4096:90`: the name of a kernel in the table, and a compute capability.
The kernels are in table_kernels.py and table_cpp_kernels.py; products and attention
have scripts of their own.
"""

from dataclasses import dataclass
from typing import Any

import table_cpp_kernels
import table_kernels
from builds import Build
from make_ptx import write_specs

KERNELS = table_kernels.KERNELS | table_cpp_kernels.KERNELS
PROMISES = table_kernels.PROMISES | table_cpp_kernels.PROMISES
WARPS = {"softmax_f16_4096": 8}
"""Where Triton's tutorials take more than 4."""


@dataclass(frozen=True)
class Promised(Build):
    """A build that relies on what our kernel was told, and on nothing else.

    Attributes:
        divisible: Parameters that 16 divides.
    """

    divisible: tuple[str, ...] = ()

    @property
    def attributes(self) -> dict[tuple[int], list[list[Any]]]:
        """What Triton may rely on."""
        names = enumerate(self.signature)
        promise = [["tt.divisibility", 16]]
        return {(place,): promise for place, name in names if name in self.divisible}


def build(spec: str) -> Build:
    """The build of a SPEC."""
    name, _, gpu = spec.rpartition(":")
    target = int(gpu)
    fn, types, sizes = KERNELS[name]
    options = {"num_warps": WARPS.get(name, 4)}
    whole = Promised(fn, types, (target,), sizes, options)
    whole_numbers = [n for n, ty in whole.signature.items() if ty[0] in "*i"]
    divisible = PROMISES[name].split() if name in PROMISES else whole_numbers
    return Promised(fn, types, (target,), sizes, options, divisible=tuple(divisible))


if __name__ == "__main__":
    write_specs(build)
