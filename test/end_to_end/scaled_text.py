# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-scaled products in a loop: their text, inputs and results.

Operands are small whole numbers and factors powers of two near 1, so that every sum is
exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
from op_case import ARRAY_TYPES, Array

import cuda_tile
from cuda_tile._mlir import ir

POWERS = "f8E8M0FNU"
FOUR = "f4E2M1FN"


@dataclass(frozen=True)
class Scaled:
    """C = A @ B in a loop over K, with a factor for each block along K.

    Attributes:
        operand: Element type of A and B.
        scale: That of the factors.
        block: Elements along K that share one.
        tile: Rows, columns and depth.
        sizes: Of the arrays.
        along_k: Whether B and its factors lie along K in memory.
        start: What sums begin with.
        body: Ops between the product `%p` and what the loop carries, `%d`.
        twice: Whether a second loop goes on with the sum.
        as_bytes: Whether the program itself loads bytes and takes them apart.
        in_blocks: Whether factors lie in blocks of 512 bytes: those of 128 rows and
            four blocks along K, 32 rows of 16 bytes (cuBLAS, "Block scaling factors
            layout").
        factors_divide: What the factors of a row are known to be a multiple of.
    """

    operand: str = "f8E4M3FN"
    scale: str = POWERS
    block: int = 32
    tile: tuple[int, int, int] = (128, 64, 128)
    sizes: tuple[int, int, int] = (256, 128, 256)
    along_k: bool = True
    start: str = "0.0"
    body: str = ""
    twice: bool = False
    as_bytes: bool = False
    in_blocks: bool = False
    factors_divide: int = 1

    @property
    def acc(self) -> str:
        """The type of the sum."""
        return f"tile<{self.tile[0]}x{self.tile[1]}xf32>"


@dataclass(frozen=True)
class _Array:
    """A parameter: its tile, elements, extents' names, and where a tile is."""

    tile: tuple[int, int]
    element: str
    extents: str
    index: str = ""
    is_flipped: bool = False
    is_right: bool = False

    @property
    def type(self) -> str:
        """The type of its tile."""
        return f"tile<{self.tile[0]}x{self.tile[1]}x{self.element}>"

    @property
    def tensor(self) -> str:
        """The type of its tensor view."""
        return f"tensor_view<?x?x{self.element}, strides=[?,1]>"

    @property
    def part(self) -> str:
        """The type of its view of tiles."""
        order = ", dim_map=[1, 0]" if self.is_flipped else ""
        shape = f"tile=({self.tile[0]}x{self.tile[1]}), padding_value = zero"
        return f"partition_view<{shape}, {self.tensor}{order}>"

    def view(self, name: str) -> str:
        """Makes `%wNAME`."""
        rows, columns = self.extents[::-1] if self.is_flipped else self.extents
        return f"""
    %p{name} = assume div_by<16>, %q{name}0 : tile<ptr<{self.element}>>
    %v{name} = make_tensor_view %p{name}, shape = [%{rows}, %{columns}],
      strides = [%{columns}, 1] : tile<i32> -> {self.tensor}
    %w{name} = make_partition_view %v{name} : {self.part}"""

    def load(self, name: str, into: str = "") -> str:
        """Loads `%NAME`, of which `%INTO` is made later."""
        into = into or name
        return f"""
      %{into}, %t{name} = load_view_tko weak %w{name}[{self.index}] : {self.part},
        tile<i32> -> {self.type}, token"""


def _arrays(case: Scaled) -> dict[str, _Array]:
    m, n, k = case.tile
    s, flip = k // case.block, case.along_k
    if case.as_bytes:
        return {
            **_arrays(replace(case, as_bytes=False)),
            "a": _Array((m, k // 2), "i8", "mh", "%bx, %i"),
            "b": _Array((n, k // 2), "i8", "nh", "%by, %i"),
        }
    return {
        "a": _Array((m, k), case.operand, "mk", "%bx, %i"),
        "b": _Array((k, n), case.operand, "kn", "%i, %by", flip),
        "x": _Array((m, s), case.scale, "ms", "%bx, %i"),
        "y": _Array((s, n), case.scale, "sn", "%i, %by", flip, is_right=True),
        "c": _Array((m, n), "f32", "mn"),
    }


_HALF = """
    %two = constant <i32: 2> : tile<i32>
    %h0 = divi %k, %two signed : tile<i32>
    %h1 = assume div_by<16>, %h0 : tile<i32>
    %h = assume bounded<0, ?>, %h1 : tile<i32>"""


def _block_view(name: str, array: _Array, rows: str) -> str:
    """Makes `%wNAME` of an array in blocks."""
    tensor = f"tensor_view<?x?x32x16x{array.element}, strides=[?,512,16,1]>"
    return f"""
    %p{name} = assume div_by<16>, %q{name}0 : tile<ptr<{array.element}>>
    %v{name} = make_tensor_view %p{name}, shape = [%{rows}b, %sb, 32, 16],
      strides = [%sl, 512, 16, 1] : tile<i32> -> {tensor}
    %w{name} = make_partition_view %v{name} : {_block_part(array)}"""


def _block_part(array: _Array) -> str:
    tensor = f"tensor_view<?x?x32x16x{array.element}, strides=[?,512,16,1]>"
    rows, factors = array.tile[::-1] if array.is_right else array.tile
    tile = f"tile=({rows // 128}x{factors // 4}x32x16), padding_value = zero"
    return f"partition_view<{tile}, {tensor}>"


def _load_blocks(name: str, array: _Array) -> str:
    """Loads `%NAME` from blocks."""
    rows, factors = array.tile[::-1] if array.is_right else array.tile
    m, s, e = rows // 128, factors // 4, array.element
    index = "%by, %i" if array.is_right else "%bx, %i"
    loaded, apart = f"tile<{m}x{s}x32x16x{e}>", f"tile<{m}x{s}x32x4x4x{e}>"
    moved, whole = f"tile<{m}x4x32x{s}x4x{e}>", f"tile<{rows}x{factors}x{e}>"
    end = f"""
      %{name} = permute %{name}w [1, 0] : {whole} -> {array.type}"""
    last = f"{name}w" if array.is_right else name
    return f"""
      %{name}l, %t{name} = load_view_tko weak %w{name}[{index}, %z, %z] :
        {_block_part(array)}, tile<i32> -> {loaded}, token
      %{name}a = reshape %{name}l : {loaded} -> {apart}
      %{name}m = permute %{name}a [0, 3, 2, 1, 4] : {apart} -> {moved}
      %{last} = reshape %{name}m : {moved} -> {whole}{end if array.is_right else ""}"""


_BLOCKS = """
    %c128 = constant <i32: 128> : tile<i32>
    %c4 = constant <i32: 4> : tile<i32>
    %c512 = constant <i32: 512> : tile<i32>
    %mb0 = divi %m, %c128 signed rounding<positive_inf> : tile<i32>
    %mb = assume bounded<0, 65535>, %mb0 : tile<i32>
    %nb0 = divi %n, %c128 signed rounding<positive_inf> : tile<i32>
    %nb = assume bounded<0, 65535>, %nb0 : tile<i32>
    %sb0 = divi %s, %c4 signed rounding<positive_inf> : tile<i32>
    %sb = assume bounded<0, 65535>, %sb0 : tile<i32>
    %sl0 = muli %sb, %c512 : tile<i32>
    %sl1 = assume div_by<512>, %sl0 : tile<i32>
    %sl = assume bounded<0, ?>, %sl1 : tile<i32>"""


def _taken_apart(case: Scaled) -> str:
    """`%a` and `%b` of the bytes `%ai` and `%bi`."""
    (m, n, k), e = case.tile, case.operand
    found = ""
    for name, rows, result in (("a", m, "a"), ("b", n, "bt")):
        half, whole = rows * k // 2, rows * k
        found += f"""
      %{name}f = reshape %{name}i : tile<{rows}x{k // 2}xi8> -> tile<{half}xi8>
      %{name}u = unpack %{name}f : tile<{half}xi8> -> tile<{whole}x{e}>
      %{result} = reshape %{name}u : tile<{whole}x{e}> -> tile<{rows}x{k}x{e}>"""
    return f"""{found}
      %b = permute %bt [1, 0] : tile<{n}x{k}x{e}> -> tile<{k}x{n}x{e}>"""


def kernel(case: Scaled) -> str:
    """The kernel of a case; its plan is the search's."""
    arrays, whole = _arrays(case), _arrays(replace(case, as_bytes=False))
    into = {"a": "ai", "b": "bi"} if case.as_bytes else {}
    loads = "".join(
        _load_blocks(name, arrays[name])
        if case.in_blocks and name in "xy"
        else arrays[name].load(name, into.get(name, ""))
        for name in "abxy"
    )
    loads += _taken_apart(case) if case.as_bytes else ""
    types = ", ".join(whole[name].type for name in "abcxy")
    given = "%d" if case.body else "%p"

    def loop(first: str, result: str) -> str:
        return f"""
    {result} = for %i in (%z to %turns, step %one) : tile<i32>
        iter_values(%acc = {first}) -> ({case.acc}) {{{loads}
      %p = mmaf_scaled %a, %b, %acc, %x, %y : {types}
      {case.body}
      continue {given} : {case.acc}
    }}"""

    loops = loop("%begin", "%f") + (loop("%f", "%g") if case.twice else "")
    last = "%g" if case.twice else "%f"
    rows = {"x": "m", "y": "n"} if case.in_blocks else {}
    views = (
        _block_view(x, a, rows[x]) if x in rows else a.view(x)
        for x, a in arrays.items()
    )
    pointers = ", ".join(f"%q{x}0: tile<ptr<{a.element}>>" for x, a in arrays.items())
    numbers = ", ".join(f"%q{x}: tile<i32>" for x in "mnks")
    by = 32 if case.operand == FOUR else 16
    sizes = "".join(
        f"""
    %{x}1 = assume div_by<{by}>, %q{x} : tile<i32>
    %{x} = assume bounded<0, ?>, %{x}1 : tile<i32>"""
        for x, by in (("m", 16), ("n", 16), ("k", by), ("s", case.factors_divide))
    )
    sizes += _HALF if case.as_bytes else ""
    sizes += _BLOCKS if case.in_blocks else ""
    return f"""cuda_tile.module @m {{
  entry @k({pointers}, {numbers}) {{{sizes}
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %depth = constant <i32: {case.tile[2]}> : tile<i32>
    %begin = constant <f32: {case.start}> : {case.acc}
    %ones = constant <f32: 1.0> : {case.acc}
    %turns = divi %k, %depth signed rounding<positive_inf> : tile<i32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>{"".join(views)}{loops}
    %s0 = store_view_tko weak {last}, %wc[%bx, %by] : {case.acc}, {arrays["c"].part},
      tile<i32> -> token
    return
  }}
}}"""


def in_bytes(values: Array) -> Array:
    """Numbers as f4E2M1FN, two to a byte, the first in the low half."""
    codes = values.astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return codes[..., ::2] | codes[..., 1::2] << 4


def blocks_of(factors: Array) -> Array:
    """Factors of rows, M x S, in blocks of 128 rows and four along K.

    Args:
        factors: Whose extents these numbers divide.
    """
    m, s = factors.shape
    apart = factors.reshape(m // 128, 4, 32, s // 4, 4)
    return np.ascontiguousarray(apart.transpose(0, 3, 2, 1, 4)).reshape(
        m // 128, s // 4, 32, 16
    )


def problem(case: Scaled, seed: int = 0) -> tuple[list[Any], Array, tuple[int, int]]:
    """Arguments, what the product alone must be, and the grid."""
    rng = np.random.default_rng(seed)
    m, n, k = case.sizes
    s = k // case.block
    a, b = (rng.integers(-3, 4, shape) for shape in ((m, k), (k, n)))
    x, y = (2.0 ** rng.integers(-2, 3, shape) for shape in ((m, s), (s, n)))
    exact = (a * np.repeat(x, case.block, 1)) @ (b * np.repeat(y, case.block, 0))
    narrow, scale = ARRAY_TYPES.get(case.operand), ARRAY_TYPES[case.scale]

    def laid(values: Array, element: Any, flip: bool) -> Array:
        lying = np.ascontiguousarray(values.T if flip else values)
        return lying.astype(element) if element else in_bytes(lying)

    args = [
        laid(a, narrow, False),
        laid(b, narrow, case.along_k),
        blocks_of(x).astype(scale) if case.in_blocks else laid(x, scale, False),
        blocks_of(y.T).astype(scale)
        if case.in_blocks
        else laid(y, scale, case.along_k),
        np.full((m, n), np.nan, np.float32),
        *case.sizes,
        s,
    ]
    grid = -(-m // case.tile[0]), -(-n // case.tile[1])
    return args, exact.astype(np.float32), grid


def wanted(case: Scaled, exact: Any) -> Any:
    """What a case stores, whose exact product is given."""
    turns = -(-case.sizes[2] // case.tile[2])
    added = turns if case.body else 0
    return float(case.start) + exact * (2 if case.twice else 1) + added


def run(case: Scaled, module: ir.Module, **how: Any) -> None:
    """Runs a kernel; its result is exact."""
    args, exact, grid = problem(case)
    cuda_tile.run(module, grid=grid, args=args, **how)
    assert np.array_equal(args[4], wanted(case, exact))
