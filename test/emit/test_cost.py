# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a warm compilation does not do twice: parse per instruction, seek modules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from real_kernels import kernel_path

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.codegen import ptx


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any) -> list[str]:
    """The texts that `owner.parse` is given from now on."""
    parse: Callable[..., Any] = owner.parse
    texts: list[str] = []

    def note(text: str, *rest: Any, **named: Any) -> Any:
        texts.append(text)
        return parse(text, *rest, **named)

    monkeypatch.setattr(owner, "parse", staticmethod(note))
    return texts


def test_more_instructions_parse_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [counted(monkeypatch, owner) for owner in (ir.Attribute, ir.Type)]
    counts: list[int] = []
    lengths: list[int] = []
    for kernel in ("matmul_f16_64x64x64", "matmul_f16_128x128x64"):
        module = cuda_tile.load(kernel_path(kernel))
        cuda_tile.lower(module, "sm_80")
        before = sum(map(len, kinds))
        lowered = cuda_tile.lower(module, "sm_80")
        counts.append(sum(map(len, kinds)) - before)
        lengths.append(len(str(lowered).splitlines()))
    assert lengths[1] > 1.5 * lengths[0]
    assert counts[1] == counts[0] < 100


def test_no_import_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[str] = []

    class Spy:
        """Stands last in the list, so it is asked for what nobody else has."""

        def find_spec(self, name: str, *_: Any) -> None:
            looked_for.append(name)

    module = cuda_tile.load(kernel_path("matmul_f16_64x64x64"))
    cuda_tile.lower(module, "sm_80")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Spy()])
    cuda_tile.lower(module, "sm_80")
    assert not looked_for


def test_huge_kernels_are_not_optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM's passes would take minutes for a tile of 16 million elements."""
    module = cuda_tile.load(kernel_path("softmax_f32_1024"))
    plain = cuda_tile.compile(
        module, "sm_80", cubin=False, options=cuda_tile.Options(llvm_opt_level=0)
    )
    monkeypatch.setattr(ptx, "MAX_OPTIMISED_OPS", 10)
    assert cuda_tile.compile(module, "sm_80", cubin=False).ptx == plain.ptx
