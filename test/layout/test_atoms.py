# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of matrix instructions and the verifier of `tileas.mma_sync` agree."""

from __future__ import annotations

import itertools

import pytest

from cuda_tile import UserError, load
from cuda_tile.layout.atoms import MMA_ATOMS, find_types

ELEMENTS = (
    *("f16", "bf16", "f32", "tf32", "f64", "i8", "i32"),
    *("f8E4M3FN", "f8E5M2", "f4E2M1FN"),
)


def product(atom: str, operand: str, accumulator: str, extents: tuple[int, ...]) -> str:
    """A module with one `mma_sync` of arguments of those types."""
    m, n, k = extents
    tiles = [f"{m}x{k}x{operand}", f"{k}x{n}x{operand}", f"{m}x{n}x{accumulator}"]
    types = ", ".join(f"tile<{tile}>" for tile in tiles)
    signed = "#cuda_tile<signedness signed>"
    signs = f" {{signedness_lhs = {signed}, signedness_rhs = {signed}}}"
    if operand[0] != "i":
        signs = ""
    values = "\n".join(
        f"%{name}0 = constant <{zero(tile)}> : tile<{tile}>"
        for name, tile in zip("abc", tiles, strict=True)
    )
    return (
        f"cuda_tile.module @m {{ entry @e() {{\n{values}\n"
        f'%r = tileas.mma_sync %a0, %b0, %c0 atom = "{atom}"{signs} : {types}\n'
        "return } }"
    )


def zero(tile: str) -> str:
    """A zero of the element type at the end of a tile's type."""
    element = tile.split("x")[-1]
    return f"{element}: {'0' if element.startswith('i') else '0.0'}"


def verifies(text: str) -> bool:
    try:
        load(text.encode())
    except UserError:
        return False
    return True


@pytest.mark.parametrize("name", MMA_ATOMS)
def test_the_verifier_takes_the_element_types_of_the_row(name: str) -> None:
    atom = MMA_ATOMS[name]
    for operand, accumulator in itertools.product(ELEMENTS, ELEMENTS):
        text = product(name, operand, accumulator, atom.shape)
        assert verifies(text) == (
            find_types(atom.types, operand, accumulator) is not None
        )


@pytest.mark.parametrize("name", MMA_ATOMS)
def test_the_verifier_takes_any_extents(name: str) -> None:
    row = MMA_ATOMS[name].types[0]
    least = 2 if row.operand.startswith("f4") else 1  # tiles fill bytes
    for extents in itertools.product((least, 8, 64), repeat=3):
        text = product(name, row.operand, row.accumulator, extents)
        assert verifies(text), text
