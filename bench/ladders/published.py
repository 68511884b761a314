# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speeds that others published, with their sources, and how each kernel is had here.

Half of each ladder is kept apart: whoever changes the model looks at the open half
only. The halves are by parity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Half = Literal["open", "apart"]

FAST_CU = "pranjalssh/fast.cu, README and worklog, H100 SXM, bf16, N = 4096; 2026-11-23"
TILELANG = "tile-ai/tilelang, issue 1787, H100 80GB HBM3 and B200, bf16; 2026-11-28"
TILUS = "NVIDIA/tilus, pull request 66 (matmul v3), B200, f16; 2026-11-28"
FLASH_3 = (
    "Shah et al., FlashAttention-3, arXiv 2407.08608, forward, head 128, 16 k tokens, "
    "H100 SXM5; read from its chart by others; 2026-11-28"
)


@dataclass(frozen=True)
class Step:
    """One kernel of a ladder.

    Attributes:
        ladder: Whose kernels.
        name: Which of them.
        gpu: The chip.
        size: Rows, columns and depth of a product, or heads, queries and keys.
        tflops: What was published.
        kernel: How it is had here: `fast.cu N` from its source, or one of our kernels
            of the same tile: `product M N K TYPE`, `attention DEPTH KEYS`.
        half: Which half of the ladder it is in.
        source: Where it was published, and when that was read.
    """

    ladder: str
    name: str
    gpu: str
    size: tuple[int, int, int]
    tflops: float
    kernel: str
    half: Half
    source: str

    @property
    def is_same(self) -> bool:
        """Whether it is the very kernel, not one of ours of the same form."""
        return self.kernel.startswith("fast.cu")

    @property
    def operations(self) -> float:
        """Multiplications and additions."""
        a, b, c = self.size
        if self.kernel.startswith("attention"):
            return 4.0 * a * b * c * int(self.kernel.split()[1])
        return 2.0 * a * b * c


def _half(number: int) -> Half:
    return "open" if number % 2 else "apart"


_FAST_CU_SPEEDS = (32, 317, 423, 498, 610, 660, 704, 734, 747, 758, 764, 772)


def _square(size: int) -> tuple[int, int, int]:
    return size, size, size


def _product(
    ladder: str, gpu: str, size: tuple[int, int, int], speed: float, number: int
) -> Step:
    source = TILUS if ladder.startswith("Tilus") else TILELANG
    kind = "f16" if source is TILUS else "bf16"
    name = " x ".join(map(str, size))
    kernel = f"product 128 256 64 {kind}"
    return Step(ladder, name, gpu, size, speed, kernel, _half(number), source)


STEPS: tuple[Step, ...] = (
    *(
        Step(
            *("fast.cu", f"kernel {n}", "sm_90", _square(4096), speed),
            *(f"fast.cu {n}", _half(n), FAST_CU),
        )
        for n, speed in enumerate(_FAST_CU_SPEEDS, 1)
    ),
    _product("TileLang on H100", "sm_90", _square(4096), 625.4, 1),
    _product("TileLang on H100", "sm_90", _square(8192), 636.1, 2),
    _product("Triton on B200", "sm_100", _square(4096), 885.9, 1),
    _product("Triton on B200", "sm_100", _square(8192), 1075.8, 2),
    _product("Tilus on B200", "sm_100", _square(4096), 766.96, 1),
    _product("Tilus on B200", "sm_100", (4096, 4096, 14336), 972.72, 2),
    _product("Tilus on B200", "sm_100", _square(8192), 1075.83, 3),
    _product("Tilus on B200", "sm_100", _square(10240), 1075.42, 4),
    Step(
        *("FlashAttention 3", "Triton", "sm_90", (16, 16384, 16384), 395),
        *("attention 128 64", "open", FLASH_3),
    ),
    Step(
        *("FlashAttention 3", "FlashAttention 3", "sm_90", (16, 16384, 16384), 648),
        *("attention 128 128", "apart", FLASH_3),
    ),
)
