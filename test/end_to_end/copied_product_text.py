# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in a loop whose operands may be copied: their text, inputs and results.

Inputs are small whole numbers, so that every sum is exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from op_case import ARRAY_TYPES, Array


@dataclass(frozen=True)
class Case:
    """C = A @ B in a loop over K, one tile of C per tile block.

    Attributes:
        operand: Element type of A and B.
        result: Of C and of the sums.
        tile: Rows, columns and depth.
        sizes: Of the arrays.
        transposed: Which of A and B lie transposed in memory.
        divisor: What is known to divide strides and extents.
        gathers: Whether A is loaded through pointers, row by row of an index.
        batched: Whether the views have a leading dimension that is dropped.
        twice: Whether B, transposed, is A too.
        stored: Element type of the arrays A and B, if tiles are converted.
        stores_b: Element type of the array B alone, if only its tiles are converted.
        engines: Per chip, who loads A.
    """

    operand: str = "f16"
    result: str = "f32"
    tile: tuple[int, int, int] = (64, 64, 32)
    sizes: tuple[int, int, int] = (128, 64, 96)
    transposed: tuple[bool, bool] = (False, False)
    divisor: int = 16
    gathers: bool = False
    batched: bool = False
    twice: bool = False
    stored: str = ""
    stores_b: str = ""
    engines: tuple[str, str] = ("cp_async", "tma")


def stored_type(case: Case, name: str) -> str:
    """Element type of the array A or B."""
    return (case.stores_b if name == "b" else "") or case.stored or case.operand


def view(
    case: Case, name: str, dims: tuple[str, str], tile: tuple[int, int]
) -> tuple[str, str]:
    """Text that makes a view of tiles of parameter `%p`, and its type."""
    index = "abc".index(name)
    element = case.result if name == "c" else stored_type(case, name)
    is_transposed = name != "c" and case.transposed[index]
    rows, columns = dims[::-1] if is_transposed else dims
    lead, tiles = ("1x", (1, *tile)) if case.batched else ("", tile)
    rank = len(tiles)
    dynamic = "?x" * rank
    strides = ",".join("?" * (rank - 1) + "1")
    order = [*range(rank - 2), rank - 1, rank - 2]
    tensor = f"tensor_view<{dynamic}{element}, strides=[{strides}]>"
    dim_map = f", dim_map={order}" if is_transposed else ""
    part = (
        f"partition_view<tile=({lead}{tile[0]}x{tile[1]}), padding_value = zero, "
        f"{tensor}{dim_map}>"
    )
    shape = f"%one, %{rows}, %{columns}" if case.batched else f"%{rows}, %{columns}"
    steps = f"%{columns}, %{columns}, 1" if case.batched else f"%{columns}, 1"
    text = f"""
    %v{name} = make_tensor_view %q{name}, shape = [{shape}], strides = [{steps}] :
      tile<i32> -> {tensor}
    %w{name} = make_partition_view %v{name} : {part}"""
    return text, part


def load(case: Case, name: str, index: str, tile: tuple[int, int], part: str) -> str:
    """Text that loads a tile of A or B."""
    stored = stored_type(case, name)
    if stored != case.operand:
        plain = replace(case, operand=stored, stored="", stores_b="")
        text = load(plain, name, index, tile, part)
        text = text.replace(f"%{name},", f"%{name}1,")
        kinds = [f"tile<{tile[0]}x{tile[1]}x{e}>" for e in (stored, case.operand)]
        cast = f"%{name} = ftof %{name}1"
        if stored == "i8":
            cast = f"%{name} = itof %{name}1 signed"
        return f"{text}\n      {cast} : {kinds[0]} -> {kinds[1]}"
    shape = f"{tile[0]}x{tile[1]}x{case.operand}"
    lead = "1x" if case.batched else ""
    index = f"%z, {index}" if case.batched else index
    text = f"""
      %{name}0, %t{name} = load_view_tko weak %w{name}[{index}] : {part}, tile<i32>
        -> tile<{lead}{shape}>, token"""
    if case.batched:
        return f"""{text}
      %{name} = reshape %{name}0 : tile<1x{shape}> -> tile<{shape}>"""
    return text.replace(f"%{name}0", f"%{name}")


def gather(case: Case, tile: tuple[int, int]) -> str:
    """Text that loads a tile of A through pointers, with a mask at the edges."""
    (m, k), e = tile, case.operand
    shape = f"{m}x{k}"
    return f"""
      %km = muli %k, %depth : tile<i32>
      %r0 = reshape %km : tile<i32> -> tile<1x1xi32>
      %r1 = broadcast %r0 : tile<1x1xi32> -> tile<1x{k}xi32>
      %r2 = iota : tile<{k}xi32>
      %r3 = reshape %r2 : tile<{k}xi32> -> tile<1x{k}xi32>
      %r4 = addi %r1, %r3 : tile<1x{k}xi32>
      %r5 = broadcast %r4 : tile<1x{k}xi32> -> tile<{shape}xi32>
      %r6 = addi %rowstart, %r5 : tile<{shape}xi32>
      %r7 = offset %base, %r6 : tile<{shape}xptr<{e}>>, tile<{shape}xi32>
        -> tile<{shape}xptr<{e}>>
      %e0 = reshape %sk : tile<i32> -> tile<1x1xi32>
      %e1 = broadcast %e0 : tile<1x1xi32> -> tile<{shape}xi32>
      %mk = cmpi less_than %r5, %e1, signed : tile<{shape}xi32> -> tile<{shape}xi1>
      %mask = andi %mk, %rowmask : tile<{shape}xi1>
      %pad = constant <{e}: 0.0> : tile<{shape}x{e}>
      %a, %ta = load_ptr_tko weak %r7, %mask, %pad : tile<{shape}xptr<{e}>>,
        tile<{shape}xi1>, tile<{shape}x{e}> -> tile<{shape}x{e}>, token"""


def gather_rows(case: Case, tile: tuple[int, int]) -> str:
    """Text that computes what the rows of a gathered tile share."""
    (m, k), e = tile, case.operand
    shape = f"{m}x{k}"
    return f"""
    %depth = constant <i32: {k}> : tile<i32>
    %height = constant <i32: {m}> : tile<i32>
    %b0 = reshape %qa : tile<ptr<{e}>> -> tile<1x1xptr<{e}>>
    %base = broadcast %b0 : tile<1x1xptr<{e}>> -> tile<{shape}xptr<{e}>>
    %i0 = muli %bx, %height : tile<i32>
    %i1 = reshape %i0 : tile<i32> -> tile<1xi32>
    %i2 = broadcast %i1 : tile<1xi32> -> tile<{m}xi32>
    %i3 = iota : tile<{m}xi32>
    %i4 = addi %i2, %i3 : tile<{m}xi32>
    %i5 = reshape %i4 : tile<{m}xi32> -> tile<{m}x1xi32>
    %i6 = broadcast %i5 : tile<{m}x1xi32> -> tile<{shape}xi32>
    %s0 = reshape %sk : tile<i32> -> tile<1x1xi32>
    %s1 = broadcast %s0 : tile<1x1xi32> -> tile<{shape}xi32>
    %rowstart = muli %i6, %s1 : tile<{shape}xi32>
    %h0 = reshape %sm : tile<i32> -> tile<1x1xi32>
    %h1 = broadcast %h0 : tile<1x1xi32> -> tile<{shape}xi32>
    %rowmask = cmpi less_than %i6, %h1, signed : tile<{shape}xi32>
      -> tile<{shape}xi1>"""


def kernel(case: Case) -> str:
    """The kernel of a case."""
    m, n, k = case.tile
    texts: list[str] = []
    parts: dict[str, str] = {}
    for name, dims, tile in (
        ("a", "mk", (m, k)),
        ("b", "kn", (k, n)),
        ("c", "mn", (m, n)),
    ):
        sizes = (f"s{dims[0]}", f"s{dims[1]}")
        text, parts[name] = view(case, name, sizes, tile)
        texts.append(text)
    acc, e = f"tile<{m}x{n}x{case.result}>", case.operand
    p, pb = stored_type(case, "a"), stored_type(case, "b")
    zero = "0" if case.result == "i32" else "0.0"
    op, signs = ("mmai", " signed signed") if e == "i8" else ("mmaf", "")
    loads = (
        gather(case, (m, k))
        if case.gathers
        else load(case, "a", "%bx, %k", (m, k), parts["a"])
    )
    if case.twice:
        loads += (
            f"\n      %b = permute %a [1, 0] : tile<{m}x{k}x{e}> -> tile<{k}x{n}x{e}>"
        )
    else:
        loads += load(case, "b", "%k, %by", (k, n), parts["b"])
    lead = "1x" if case.batched else ""
    out = f"tile<{lead}{m}x{n}x{case.result}>"
    store = f"%o = reshape %f : {acc} -> {out}" if case.batched else ""
    shown, at = ("%o", "%z, %bx, %by") if case.batched else ("%f", "%bx, %by")
    known = "".join(
        f"""
    %u{d} = assume div_by<{case.divisor}>, %x{d} : tile<i32>
    %s{d} = assume bounded<0, ?>, %u{d} : tile<i32>"""
        for d in "mnk"
    )
    return f"""cuda_tile.module @m {{
  entry @k(%pa: tile<ptr<{p}>>, %pb: tile<ptr<{pb}>>, %pc: tile<ptr<{case.result}>>,
      %xm: tile<i32>, %xn: tile<i32>, %xk: tile<i32>) {{
    %qa = assume div_by<16>, %pa : tile<ptr<{p}>>
    %qb = assume div_by<16>, %pb : tile<ptr<{pb}>>
    %qc = assume div_by<16>, %pc : tile<ptr<{case.result}>>{known}
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %kt = constant <i32: {k}> : tile<i32>
    %iterations = divi %sk, %kt signed rounding<positive_inf> : tile<i32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>{"".join(texts)}
    {gather_rows(case, (m, k)) if case.gathers else ""}
    %zero = constant <{case.result}: {zero}> : {acc}
    %f = for %k in (%z to %iterations, step %one) : tile<i32>
        iter_values(%acc = %zero) -> ({acc}) {{{loads}
      %d = {op} %a, %b, %acc{signs} : tile<{m}x{k}x{e}>, tile<{k}x{n}x{e}>, {acc}
      continue %d : {acc}
    }}
    {store}
    %tc = store_view_tko weak {shown}, %wc[{at}] : {out}, {parts["c"]}, tile<i32>
      -> token
    return
  }}
}}
"""


def problem(case: Case) -> tuple[list[Any], Array, tuple[int, int]]:
    """Arguments, the expected C, and the grid."""
    rng = np.random.default_rng(7)
    m, n, k = case.sizes
    stored = (stored_type(case, "a"), stored_type(case, "b"))
    kinds = [ARRAY_TYPES[t] for t in (*stored, case.result)]
    a, b = (rng.integers(-3, 4, shape).astype(np.int64) for shape in ((m, k), (k, n)))
    if case.twice:
        b = a.T
    arrays = [x.T if t else x for x, t in zip((a, b), case.transposed, strict=True)]
    args = [
        np.ascontiguousarray(x).astype(t) for x, t in zip(arrays, kinds, strict=False)
    ]
    c = np.full((m, n), 99, kinds[2])
    expected = (a @ b).astype(kinds[2])
    grid = (-(-m // case.tile[0]), -(-n // case.tile[1]))
    return [*args, c, *map(np.int32, case.sizes)], expected, grid
