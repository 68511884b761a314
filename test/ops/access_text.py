# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces of kernels that access memory through tiles of pointers."""

from __future__ import annotations

from collections.abc import Sequence


def shape_text(shape: Sequence[int]) -> str:
    """The extents as a type begins with them: `4x8x` for (4, 8), nothing for ()."""
    return "".join(f"{extent}x" for extent in shape)


def tile(shape: Sequence[int], element: str) -> str:
    """A tile type."""
    return f"tile<{shape_text(shape)}{element}>"


def pointers(
    name: str, base: str, index: str, shape: Sequence[int], element: str
) -> str:
    """Defines `%name`, pointers at `%base` plus the i32 tile `%index`."""
    ptr = f"ptr<{element}>"
    if not shape:
        return (
            f"    %{name} = offset %{base}, %{index} : tile<{ptr}>, tile<i32>"
            f" -> tile<{ptr}>\n"
        )
    ones = [1] * len(shape)
    return f"""
    %{name}_r = reshape %{base} : tile<{ptr}> -> {tile(ones, ptr)}
    %{name}_b = broadcast %{name}_r : {tile(ones, ptr)} -> {tile(shape, ptr)}
    %{name} = offset %{name}_b, %{index} : {tile(shape, ptr)}, {tile(shape, "i32")}
      -> {tile(shape, ptr)}
"""


def load(value: str, pointer: str, shape: Sequence[int], element: str) -> str:
    """Defines `%value` and its token `%value_t`, a weak load."""
    return f"""
    %{value}, %{value}_t = load_ptr_tko weak %{pointer}
      : {tile(shape, f"ptr<{element}>")} -> {tile(shape, element)}, token
"""


def store(value: str, pointer: str, shape: Sequence[int], element: str) -> str:
    """A weak store of `%value`."""
    return f"""
    %{pointer}_t = store_ptr_tko weak %{pointer}, %{value}
      : {tile(shape, f"ptr<{element}>")}, {tile(shape, element)} -> token
"""


def kernel(parameters: dict[str, str], body: str, entry: str = "k") -> str:
    """A module with one entry; parameters map names to element types of pointers.

    A type in brackets, such as `(i32)`, is a scalar instead.
    """
    types = {
        name: f"tile<{ty[1:-1]}>" if ty.startswith("(") else f"tile<ptr<{ty}>>"
        for name, ty in parameters.items()
    }
    args = ", ".join(f"%{name}: {ty}" for name, ty in types.items())
    return (
        f"cuda_tile.module @m {{ entry @{entry}({args}) {{\n{body}\n    return\n}} }}"
    )


def numbers(shape: Sequence[int], name: str = "i") -> str:
    """Defines `%name`, the row-major number of each element as i32."""
    if not shape:
        return f"    %{name} = constant <i32: 0> : tile<i32>\n"
    count = 1
    for extent in shape:
        count *= extent
    return f"""
    %{name}_0 = iota : tile<{count}xi32>
    %{name} = reshape %{name}_0 : tile<{count}xi32> -> {tile(shape, "i32")}
"""
