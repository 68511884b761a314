# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The levels that tests run are all that differ, each as `lower` alone gives it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from lowered_levels import TILE_LEVELS, lowered_levels
from real_kernels import kernel_path

import cuda_tile
from cuda_tile._mlir import ir


def essence(module: Any) -> str:
    """The text of a module without what passes note of themselves."""
    text = re.sub(r"tileas\.done = \[[^\]]*\](, )?", "", str(module))
    return text.replace(" attributes {}", "")


@pytest.mark.parametrize(
    ("name", "gpu"), [("softmax_f32_1024", "sm_80"), ("matmul_f16_64x64x64", "sm_90")]
)
def test_a_level_that_is_left_out_has_the_text_of_the_one_before(
    name: str, gpu: str
) -> None:
    module = cuda_tile.load(kernel_path(name))
    found = dict(lowered_levels(module, gpu))
    assert {"simplify", "plan", "place", "barriers"} <= set(found) < set(TILE_LEVELS)
    shown = ""
    for level in TILE_LEVELS:
        alone = cuda_tile.lower(module, gpu, until=level)
        if level in found:
            assert str(found[level]) == str(alone)
            shown = essence(alone)
        assert essence(alone) == shown, level


def test_only_the_levels_that_are_asked_for() -> None:
    module = cuda_tile.load(kernel_path("softmax_f32_1024"))
    levels = ("plan", "order", "barriers")
    assert [name for name, _ in lowered_levels(module, "sm_80", levels)] == [*levels]


def test_functions_between_passes_count() -> None:
    module = cuda_tile.load(kernel_path("softmax_f32_1024"))

    def mark(level: Any) -> None:
        level.attributes["test.mark"] = ir.UnitAttr.get()

    hooks = {"order": mark}
    levels = ("stage", "order", "ring")
    found = dict(lowered_levels(module, "sm_80", levels, after=hooks))
    assert list(found) == ["stage", "order"]
