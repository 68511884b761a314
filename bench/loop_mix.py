# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the inner loop of a cubin of ours consists of, by nvdisasm.

nvdisasm is the package nvidia-cuda-nvdisasm on PyPI, the extra `bench` of this project.
It is for machine code that ptxas made of our PTX only; other compilers' output is not
disassembled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cuda_tile.machine.disassembler import disassemble, find_nvdisasm

_LINE = re.compile(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);")
_LABEL = re.compile(r"(\.L_x_\d+):")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")
_PRODUCTS = (
    *("HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA"),
    *("UTCHMMA", "UTCIMMA", "UTCQMMA"),
)


@dataclass(frozen=True)
class LoopMix:
    """The instructions of one warp in one iteration of a loop.

    Attributes:
        mnemonics: How often each stands in the loop, without what follows the dot.
    """

    mnemonics: Counter[str]

    @property
    def instructions(self) -> int:
        """All of them."""
        return self.mnemonics.total()

    @property
    def products(self) -> int:
        """Matrix instructions: HMMA, HGMMA and their like."""
        return sum(self.mnemonics[name] for name in _PRODUCTS)

    def of(self, *names: str) -> int:
        """How many there are of some mnemonics."""
        return sum(self.mnemonics[name] for name in names)


def loop_mix(cubin: bytes) -> LoopMix | None:
    """The loop of a cubin with one kernel that does most matrix instructions.

    Of nested loops with equally many it is the inner one. None without nvdisasm, or if
    no loop has a matrix instruction.
    """
    found = product_loops(cubin)
    return max(found or (), key=_weight, default=None)


def product_loops(cubin: bytes) -> list[LoopMix] | None:
    """The loops of a cubin with matrix instructions, in the order of their ends.

    None without nvdisasm.
    """
    if find_nvdisasm() is None:
        return None
    return read_loops(disassemble(cubin).splitlines())


def hottest_loop(lines: Sequence[str]) -> LoopMix | None:
    """The loop that `loop_mix` takes, from what nvdisasm printed."""
    return max(read_loops(lines), key=_weight, default=None)


def _weight(loop: LoopMix) -> tuple[int, int]:
    return loop.products, -loop.instructions


def read_loops(lines: Sequence[str]) -> list[LoopMix]:
    """The loops with matrix instructions, from what nvdisasm printed.

    Where a wait must be tried again, ptxas puts the retry behind the kernel's end: a
    jump back from there is no loop. For sm_80 it leaves some loops by a `CALL` of a
    label of the kernel itself, from which nothing returns: a jump.
    """
    names: list[str] = []
    labels: dict[str, int] = {}
    loops: list[LoopMix] = []
    for line in lines:
        if found := _LABEL.match(line):
            labels[found[1]] = len(names)
        elif found := _LINE.match(line):
            target = _TARGET.search(found[2])
            name = found[1].split(".")[0]
            names.append("BRA" if target and name == "CALL" else name)
            if target and target[1] in labels:
                loops.append(LoopMix(Counter(names[labels[target[1]] :])))
    return [loop for loop in loops if loop.products and not loop.of("EXIT")]
