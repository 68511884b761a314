# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantisation to narrow types with a scale per block, and back, on every kind of chip.

int8 and f8E4M3FN with f32 scales, f8E4M3FN in blocks of 32 with f8E8M0FNU scales
(MXFP8) and f4E2M1FN in blocks of 16 with f8E4M3FN scales (NVFP4). Each kernel stores
codes, scales and what dequantising gives; all is as NumPy has it, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import cuda_tile

pytestmark = pytest.mark.sampled(2)

Array = NDArray[Any]
ROWS, COLUMNS = 40, 256
TILE = (16, 64)
GRID = (3, 4)
CHIPS = ("sm_80", "sm_90", "sm_100", "sm_120")


def view(name: str, element: str, columns: int, width: int) -> str:
    """A partition view `%NAME_v` of an argument, in tiles of `width` columns."""
    tensor = f"tensor_view<{ROWS}x{columns}x{element}, strides=[{columns},1]>"
    kind = f"partition_view<tile=({TILE[0]}x{width}), padding_value = zero, {tensor}>"
    return f"""
    %{name}_t = make_tensor_view %{name}, shape = [{ROWS}, {columns}],
      strides = [{columns}, 1] : {tensor}
    %{name}_v = make_partition_view %{name}_t : {kind}"""


def kind(element: str, columns: int, width: int) -> str:
    """The type of that view."""
    tensor = f"tensor_view<{ROWS}x{columns}x{element}, strides=[{columns},1]>"
    return f"partition_view<tile=({TILE[0]}x{width}), padding_value = zero, {tensor}>"


@dataclass(frozen=True)
class Scheme:
    """One way to quantise.

    Attributes:
        name: What the test is called.
        code: Element type of the codes.
        block: Elements along a row that share a scale.
        scale: Element type of the scales.
        statements: From `%y`, the elements over their scale, `?x?xf32` in blocks, to
            `%codes`, and from these back to `%z`; `TILE` is the tile's shape.
        limit: The largest code, which the largest element of a block becomes.
        reference: Codes as f32, of elements over their scale.
    """

    name: str
    code: str
    block: int
    scale: str
    statements: str
    limit: float
    reference: Callable[[Array], Array]

    @property
    def text(self) -> str:
        """The module."""
        rows, columns = TILE
        blocks = columns // self.block
        wide = f"tile<{rows}x{blocks}x{self.block}xf32>"
        scales = f"tile<{rows}x{blocks}xf32>"
        flat = f"tile<{rows}x{columns}xf32>"
        is_nibble = self.code == "f4E2M1FN"
        stored, width = ("i8", columns // 2) if is_nibble else (self.code, columns)
        total = COLUMNS // 2 if is_nibble else COLUMNS
        n_scales = COLUMNS // self.block
        return f"""cuda_tile.module @m {{
  entry @quantise(%x: tile<ptr<f32>>, %q: tile<ptr<{stored}>>,
                  %s: tile<ptr<{self.scale}>>, %o: tile<ptr<f32>>) {{
    {view("x", "f32", COLUMNS, columns)}
    {view("q", stored, total, width)}
    {view("s", self.scale, n_scales, blocks)}
    {view("o", "f32", COLUMNS, columns)}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %a, %t0 = load_view_tko weak %x_v[%i, %j]
      : {kind("f32", COLUMNS, columns)}, tile<i32> -> {flat}, token
    %b = reshape %a : {flat} -> {wide}
    %c = absf %b : {wide}
    %top = reduce %c dim=2 identities=[0.0 : f32] : {wide} -> {scales}
      (%l: tile<f32>, %r: tile<f32>) {{
        %m = maxf %l, %r : tile<f32>
        yield %m : tile<f32>
      }}
    %limit = constant <f32: {self.limit}> : {scales}
    %ratio = divf %top, %limit : {scales}
    %least = constant <f32: 0.03125> : {scales}
    %wish = maxf %ratio, %least : {scales}
    {self._scale(scales)}
    %s3 = reshape %scale32 : {scales} -> tile<{rows}x{blocks}x1xf32>
    %s4 = broadcast %s3 : tile<{rows}x{blocks}x1xf32> -> {wide}
    %y = divf %b, %s4 : {wide}
    {
            self.statements.replace("BLOCKS", f"{rows}x{blocks}x{self.block}")
            .replace("TILE", f"{rows}x{columns}")
            .replace("ALL", str(rows * columns))
            .replace("HALF", str(rows * columns // 2))
            .replace("BYTES", f"{rows}x{width}")
        }
    %w = mulf %z, %s4 : {wide}
    %v = reshape %w : {wide} -> {flat}
    %t1 = store_view_tko weak %codes, %q_v[%i, %j]
      : tile<{rows}x{width}x{stored}>, {kind(stored, total, width)}, tile<i32> -> token
    %t2 = store_view_tko weak %scale, %s_v[%i, %j]
      : tile<{rows}x{blocks}x{self.scale}>, {kind(self.scale, n_scales, blocks)},
        tile<i32> -> token
    %t3 = store_view_tko weak %v, %o_v[%i, %j]
      : {flat}, {kind("f32", COLUMNS, columns)}, tile<i32> -> token
    return
  }}
}}"""

    def _scale(self, scales: str) -> str:
        """The scale in its own type, and in f32."""
        if self.scale == "f32":
            zero = f"%none = constant <f32: 0.0> : {scales}"
            return f"""{zero}
    %scale = maxf %wish, %none : {scales}
    %scale32 = maxf %scale, %none : {scales}"""
        rounding = " rounding<positive_inf>" * (self.scale == "f8E8M0FNU")
        narrow = scales.replace("f32", self.scale)
        return f"""%scale = ftof %wish{rounding} : {scales} -> {narrow}
    %scale32 = ftof %scale : {narrow} -> {scales}"""


def _floats(code: str) -> str:
    return f"""
    %n = ftof %y : tile<BLOCKSxf32> -> tile<BLOCKSx{code}>
    %codes = reshape %n : tile<BLOCKSx{code}> -> tile<TILEx{code}>
    %z = ftof %n : tile<BLOCKSx{code}> -> tile<BLOCKSxf32>"""


_INT8 = """
    %half = constant <f32: 0.5> : tile<BLOCKSxf32>
    %sum = addf %y, %half : tile<BLOCKSxf32>
    %down = floor %sum : tile<BLOCKSxf32>
    %n = ftoi %down signed saturating : tile<BLOCKSxf32> -> tile<BLOCKSxi8>
    %codes = reshape %n : tile<BLOCKSxi8> -> tile<TILExi8>
    %z = itof %n signed : tile<BLOCKSxi8> -> tile<BLOCKSxf32>"""
_NVFP4 = """
    %n = ftof %y : tile<BLOCKSxf32> -> tile<BLOCKSxf4E2M1FN>
    %row = reshape %n : tile<BLOCKSxf4E2M1FN> -> tile<ALLxf4E2M1FN>
    %bytes = pack %row : tile<ALLxf4E2M1FN> -> tile<HALFxi8>
    %codes = reshape %bytes : tile<HALFxi8> -> tile<BYTESxi8>
    %again = unpack %bytes : tile<HALFxi8> -> tile<ALLxf4E2M1FN>
    %back = reshape %again : tile<ALLxf4E2M1FN> -> tile<BLOCKSxf4E2M1FN>
    %z = ftof %back : tile<BLOCKSxf4E2M1FN> -> tile<BLOCKSxf32>"""


def _rounded(dtype: Any, limit: float) -> Callable[[Array], Array]:
    def apply(y: Array) -> Array:
        return y.clip(-limit, limit).astype(dtype).astype(np.float32)

    return apply


E4M3, E8M0 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
F4 = ml_dtypes.float4_e2m1fn
SCHEMES = (
    Scheme(
        *("int8", "i8", 64, "f32", _INT8, 127.0),
        lambda y: np.floor(y + np.float32(0.5)).clip(-128, 127),
    ),
    Scheme(
        "fp8", "f8E4M3FN", 64, "f32", _floats("f8E4M3FN"), 448.0, _rounded(E4M3, 448)
    ),
    Scheme(
        *("mxfp8", "f8E4M3FN", 32, "f8E8M0FNU", _floats("f8E4M3FN"), 448.0),
        _rounded(E4M3, 448),
    ),
    Scheme("nvfp4", "f4E2M1FN", 16, "f8E4M3FN", _NVFP4, 6.0, _rounded(F4, 6)),
)


def expected(scheme: Scheme, x: Array) -> tuple[Array, Array, Array]:
    """Codes, scales and dequantised elements of NumPy; codes as f32."""
    blocks = x.reshape(ROWS, -1, scheme.block)
    wish = np.abs(blocks).max(axis=2) / np.float32(scheme.limit)
    wish = np.maximum(wish, np.float32(0.03125))
    if scheme.scale == "f8E8M0FNU":
        scale = np.exp2(np.ceil(np.log2(wish.astype(np.float64)))).astype(np.float32)
    elif scheme.scale == "f8E4M3FN":
        scale = wish.clip(-448, 448).astype(E4M3).astype(np.float32)
    else:
        scale = wish
    codes = scheme.reference(blocks / scale[:, :, None])
    return codes.reshape(x.shape), scale, (codes * scale[:, :, None]).reshape(x.shape)


def outputs(scheme: Scheme) -> list[Array]:
    """Arrays for codes, scales and elements."""
    dtypes: dict[str, Any] = {"i8": np.int8, "f32": np.float32, "f8E4M3FN": E4M3}
    dtypes["f8E8M0FNU"] = E8M0
    is_nibble = scheme.code == "f4E2M1FN"
    codes = np.zeros((ROWS, COLUMNS // 2), np.int8)
    if not is_nibble:
        codes = np.zeros((ROWS, COLUMNS), dtypes[scheme.code])
    scales = np.zeros((ROWS, COLUMNS // scheme.block), dtypes[scheme.scale])
    return [codes, scales, np.zeros((ROWS, COLUMNS), np.float32)]


def as_numbers(scheme: Scheme, codes: Array) -> Array:
    """Stored codes as f32."""
    if scheme.code != "f4E2M1FN":
        return codes.astype(np.float32)
    raw = codes.view(np.uint8)
    halves = np.stack([raw & 15, raw >> 4], axis=2).reshape(ROWS, COLUMNS)
    return halves.astype(np.uint8).view(F4).astype(np.float32)


@pytest.mark.parametrize("where", ["interp", *CHIPS])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_quantise(scheme: Scheme, where: str) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((ROWS, COLUMNS)) * 2.0 ** rng.integers(-9, 9, (ROWS, 1))
    x = x.astype(np.float32)
    x[0, :16], x[1, 3], x[2, 64:96] = 0.0, 1e6, -0.0
    arrays = [x, *outputs(scheme)]
    how: dict[str, Any] = {"on": "interp"}
    if where != "interp":
        how = {"on": "emulator", "gpu": where, "mode": "adversarial"}
    module = cuda_tile.load(scheme.text.encode())
    cuda_tile.run(module, grid=GRID, args=arrays, **how)
    codes, scales, numbers = expected(scheme, x)
    np.testing.assert_array_equal(as_numbers(scheme, arrays[1]), codes)
    np.testing.assert_array_equal(arrays[2].astype(np.float32), scales)
    np.testing.assert_array_equal(arrays[3], numbers)
    if where != "interp":
        assert not cuda_tile.compile(module, where).report.warnings
