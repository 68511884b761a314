# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted faults: what a broken compiler might stumble over, in kernels of the tests.

Each fault is a form in the program; a reducer must leave little beside that form. No
compiler runs, so that the search alone is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cuda_tile.reducer import Source, read_source

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"


@dataclass(frozen=True)
class Planted:
    """A fault.

    Attributes:
        kernel: A kernel that has it.
        form: Regular expressions, all of which a text with the fault matches.
        most: Operations that are enough for it.
    """

    kernel: str
    form: tuple[str, ...]
    most: int

    def source(self) -> Source:
        """The kernel, as text."""
        data = (KERNELS / f"{self.kernel}.tileirbc").read_bytes()
        return read_source(data, "text")

    def is_in(self, text: str) -> bool:
        """Whether a text has the fault."""
        return all(re.search(each, text, re.DOTALL) for each in self.form)


def _planted() -> Iterator[Planted]:
    yield Planted("matmul_f16_64x64x64", (r"mmaf",), 7)
    yield Planted("matmul_f16_64x64x64", (r"for .*mmaf.*continue",), 12)
    yield Planted("matmul_f16_64x64x64", (r"load_view_tko.*mmaf",), 12)
    yield Planted("matmul_bf16_128x128x64", (r"mmaf", r"store_view_tko"), 13)
    yield Planted("matmul_i8_128x128x64", (r"mmai",), 7)
    yield Planted("matmul_tf32_128x128x32", (r"tf32.*mmaf",), 7)
    yield Planted("softmax_f32_1024", (r"reduce.*maxf",), 6)
    yield Planted("softmax_f32_1024", (r"exp ",), 5)
    yield Planted("softmax_f32_1024", (r"reduce.*reduce",), 9)
    yield Planted("softmax_f16_4096", (r"divf",), 6)
    yield Planted("layernorm_f16_1024", (r"rsqrt",), 5)
    yield Planted("layernorm_f16_1024", (r"reduce.*rsqrt.*store_view_tko",), 14)
    yield Planted("cumsum_f32_1024", (r"scan",), 6)
    yield Planted("argmax_f32_4x1024", (r"reduce.*select",), 9)
    yield Planted("histogram_i32_1024", (r"atomic_rmw",), 9)
    yield Planted("gather_rows_f16_64x128", (r"load_ptr_tko",), 12)
    yield Planted("fmha_causal_f16_d64_128x64", (r"for .*mmaf.*exp.*mmaf",), 20)
    yield Planted("fmha_causal_f16_d128_128x64", (r"iota.*select",), 9)
    yield Planted("transpose_f32_64x64", (r"permute",), 5)
    yield Planted("control_f32_256", (r"loop.*break",), 12)


PLANTED = tuple(_planted())
