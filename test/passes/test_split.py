# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`split` keeps what a loop does, also where bounds, steps and masks wrap around.

Loops over i8 with random masks run on the interpreter before and after the pass, with
numbers at the ends of the range; each iteration adds its index and its mask to numbers
that depend on the order.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import numpy as np

import cuda_tile
from cuda_tile import interp
from cuda_tile._mlir import ir

COMPARISONS = (
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)
EDGES = (-128, -127, -30, -1, 0, 3, 19, 126, 127)
SHAPE = "4x8x"
PROGRAMS = 12
RUNS = 20


def side(rng: Random, name: str, *, moves: bool) -> list[str]:
    """A tile of i8: sums of the index, a parameter and places, some of them scaled."""
    tile = f"tile<{SHAPE}i8>"
    lines: list[str] = []
    parts: list[str] = []

    def scaled(source: str, kind: str) -> str:
        factor = rng.choice((1, 1, 2, 3, 5, -1, -4))
        number = f"%{name}{len(lines)}"
        if factor == 1:
            return source
        lines.append(f"{number}c = constant <i8: {factor}> : {kind}")
        lines.append(f"{number} = muli {source}, {number}c : {kind}")
        return number

    def spread(source: str, shape: str) -> None:
        number = f"%{name}{len(lines)}"
        lines.append(f"{number}r = reshape {source} : {shape}i8> -> tile<1x1xi8>")
        lines.append(f"{number} = broadcast {number}r : tile<1x1xi8> -> {tile}")
        parts.append(number)

    if moves:
        spread(scaled("%i", "tile<i8>"), "tile<")
    if rng.random() < 0.7:
        spread(scaled(rng.choice(("%a", "%b")), "tile<i8>"), "tile<")
    for extent, shape in ((4, "4x1"), (8, "1x8")):
        if rng.random() < 0.6:
            number = f"%{name}{len(lines)}"
            lines.append(f"{number}i = iota : tile<{extent}xi8>")
            found = scaled(f"{number}i", f"tile<{extent}xi8>")
            lines.append(
                f"{number}r = reshape {found} : tile<{extent}xi8> -> tile<{shape}xi8>"
            )
            lines.append(f"{number} = broadcast {number}r : tile<{shape}xi8> -> {tile}")
            parts.append(number)
    total = parts.pop() if parts else "%none"
    for part in parts:
        number = f"%{name}{len(lines)}"
        lines.append(
            f"{number} = {rng.choice(('addi', 'subi'))} {total}, {part} : {tile}"
        )
        total = number
    return [*lines, f"%{name} = assume bounded<?, ?>, {total} : {tile}"]


def text(rng: Random) -> str:
    """A loop with one or two masks."""
    tile, wide = f"tile<{SHAPE}i8>", f"tile<{SHAPE}i32>"
    flags = f"tile<{SHAPE}i1>"
    masks: list[str] = []
    count = rng.choice((1, 1, 2))
    for n in range(count):
        masks += side(rng, f"x{n}", moves=True)
        masks += side(rng, f"y{n}", moves=rng.random() < 0.3)
        sign = rng.choice(("signed", "signed", "unsigned"))
        masks.append(
            f"%m{n} = cmpi {rng.choice(COMPARISONS)} %x{n}, %y{n}, {sign} : {tile} -> "
            f"{flags}"
        )
    joined = "%m0"
    if count == 2:
        masks.append(f"%m = {rng.choice(('andi', 'ori'))} %m0, %m1 : {flags}")
        joined = "%m"
    one, zero = rng.sample(("%ones", "%zeros"), 2)
    lower = rng.choice(("%lower", "%lower", "%start"))
    step = rng.choice((1, 1, 2, 3, 50, 127))
    return f"""cuda_tile.module @m {{
  entry @k(%lower: tile<i8>, %upper: tile<i8>, %a: tile<i8>, %b: tile<i8>,
           %out: tile<ptr<i32>>) {{
    %step = constant <i8: {step}> : tile<i8>
    %start = constant <i8: {rng.choice((-128, 0, 1))}> : tile<i8>
    %none = constant <i8: 0> : {tile}
    %seven = constant <i32: 7> : {wide}
    %ones = constant <i32: 1> : {wide}
    %zeros = constant <i32: 0> : {wide}
    %l = constant <i8: 1> : tile<4x4xi8>
    %r = constant <i8: 1> : tile<4x8xi8>
    %v = for %i in ({lower} to %upper, step %step) : tile<i8>
        iter_values(%old = %zeros) -> ({wide}) {{
      {chr(10).join(masks)}
      %n = select {joined}, {one}, {zero} : {flags}, {wide}
      %n1 = mmai %l, %r, %n signed signed : tile<4x4xi8>, tile<4x8xi8>, {wide}
      %w = exti %i signed : tile<i8> -> tile<i32>
      %w1 = reshape %w : tile<i32> -> tile<1x1xi32>
      %w2 = broadcast %w1 : tile<1x1xi32> -> {wide}
      %p = muli %old, %seven : {wide}
      %q = addi %p, %n1 : {wide}
      %new = addi %q, %w2 : {wide}
      continue %new : {wide}
    }}
    %t = make_tensor_view %out, shape = [4, 8], strides = [8, 1]
      : tensor_view<4x8xi32, strides=[8,1]>
    %view = make_partition_view %t : partition_view<tile=(4x8),
      tensor_view<4x8xi32, strides=[8,1]>>
    %z = constant <i32: 0> : tile<i32>
    %done = store_view_tko weak %v, %view[%z, %z] : {wide},
      partition_view<tile=(4x8), tensor_view<4x8xi32, strides=[8,1]>>, tile<i32>
      -> token
    return
  }}
}}"""


def result(module: ir.Module, numbers: tuple[int, ...]) -> list[int]:
    """What the kernel stores."""
    out = np.zeros((4, 8), np.int32)
    interp.run(module, grid=(1,), args=[*map(np.int8, numbers), out])
    return out.ravel().tolist()


def loops(module: ir.Module) -> int:
    """How many there are."""
    return str(module).count("= for ")


def test_values_stay() -> None:
    found: Counter[int] = Counter()
    for seed in range(PROGRAMS):
        rng = Random(seed)
        module = cuda_tile.load(text(rng).encode())
        after = cuda_tile.lower(module, "sm_80", until="split")
        found[loops(after)] += 1
        for numbers in rng.sample(list(product(EDGES, repeat=4)), RUNS):
            expected = result(module, numbers)
            assert result(after, numbers) == expected, (seed, numbers)
    assert set(found) == {2, 3}, found
