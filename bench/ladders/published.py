# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speeds that others published, with their sources, and how each kernel is had here.

Half of each ladder is kept apart: whoever changes the model looks at the open half
only. The halves are by parity. Ladders of learn-cuda were blind: the model predicted
them (blind.json, in a commit of its own) before anybody here looked at their figures,
but for attention's, which a search had shown. The model was changed by what they
showed, so that they are seen now. SGEMM_CUDA's figures are widely known; the model
predicted them before its page was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Half = Literal["open", "apart", "seen"]

FAST_CU = "pranjalssh/fast.cu, README and worklog, H100 SXM, bf16, N = 4096; 2026-11-23"
TILELANG = "tile-ai/tilelang, issue 1787, H100 80GB HBM3 and B200, bf16; 2026-11-28"
TILUS = "NVIDIA/tilus, pull request 66 (matmul v3), B200, f16; 2026-11-28"
LEARN = "gau-nernst/learn-cuda, READMEs at commit 1454f8b, bf16; 2026-11-29"
SGEMM = "siboehm/SGEMM_CUDA, README at commit 60cba6f, RTX A6000, f32; 2026-11-29"
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
            of the same tile: `product M N K TYPE`, `attention DEPTH KEYS`; or
            `learn-cuda` or `sgemm` and the name of one of its sources.
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
        return self.kernel.startswith(("fast.cu", "learn-cuda", "sgemm"))

    @property
    def operations(self) -> float:
        """Multiplications and additions."""
        a, b, c = self.size
        if self.kernel.startswith("attention"):
            return 4.0 * a * b * c * int(self.kernel.split()[1])
        if self.kernel.startswith("learn-cuda attention"):
            return 4.0 * a * b * c * _DEPTH
        return 2.0 * a * b * c


_DEPTH = 128
"""The heads of learn-cuda's attention."""


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


_F32_MILLISECONDS = {
    **{"v1": 56.21, "v2": 48.14, "v3": 39.03, "v4": 8.92, "v5": 8.75},
    **{"v6a": 5.72, "v6b": 5.16},
}
"""Products of f32 of 4096 by threads, on a RTX 4070 Ti SUPER."""
_LEARN_SPEEDS: dict[tuple[str, str, str], dict[str, float]] = {
    ("learn-cuda on A100", "sm_80", "sm80"): {
        **{"v1": 59.92, "v2": 64.94, "v3": 166.78, "v4": 190.94, "v5": 160.42},
        **{"v6": 220.77, "v6b": 220.66},
    },
    ("learn-cuda on RTX 5090", "sm_120", "sm80"): {
        **{"v1": 140.66, "v2": 152.91, "v3": 160.47, "v4": 177.42, "v5": 177.60},
        **{"v6": 177.66, "v6b": 177.40},
    },
    ("learn-cuda with TMA on RTX 5090", "sm_120", "sm120"): {
        **{"v0": 164.01, "v1": 171.24, "v2": 173.07},
    },
    ("learn-cuda on B200", "sm_100", "sm100"): {
        **{"v0": 409.06, "v1a": 255.73, "v1b": 254.37, "v2a": 699.39, "v2b": 721.02},
        **{"v3": 914.42, "v4": 1053.61, "v5": 1169.65, "v6": 1273.32, "v7a": 1293.38},
    },
    ("learn-cuda's attention on RTX 5090", "sm_120", "attention"): {
        **{"v1": 142.87, "v2": 181.11, "v3": 189.84, "v4": 194.33, "v5": 197.74},
    },
    ("learn-cuda's f32 on RTX 4070 Ti SUPER", "sm_89", "simt"): {
        name: 2 * 4096**3 / ms / 1e9 for name, ms in _F32_MILLISECONDS.items()
    },
}
"""TFLOP/s by ladder, chip and kind of source; the RTX 5090 is held at 400 W."""


def _learn_cuda() -> Iterator[Step]:
    for (ladder, gpu, kind), speeds in _LEARN_SPEEDS.items():
        size = (8, 4096, 8192) if kind == "attention" else _square(4096)
        for name, speed in speeds.items():
            kernel = f"learn-cuda {kind} {name}"
            yield Step(ladder, name, gpu, size, speed, kernel, "seen", LEARN)


_SGEMM_GFLOPS = {
    **{"1": 309.0, "2": 1986.5, "3": 2980.3, "4": 8474.7, "5": 15971.7, "6": 18237.3},
    **{"7": 16213.4, "8": 16459.2, "9": 19721.0, "10": 21779.3, "11": 17278.3},
}
"""Products of f32 of 4096 by threads, by the number that the page gives them."""


def _sgemm() -> Iterator[Step]:
    ladder, gpu = "SGEMM_CUDA on RTX A6000", "sm_86"
    for name, speed in _SGEMM_GFLOPS.items():
        kernel, title = f"sgemm {name}", f"kernel {name}"
        size = _square(4096)
        yield Step(ladder, title, gpu, size, speed / 1e3, kernel, "seen", SGEMM)


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
    *_learn_cuda(),
    *_sgemm(),
)
