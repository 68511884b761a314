# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that store one tile of 64 elements, for `index_space`: their text."""

from __future__ import annotations

LINE = "tensor_view<?xf32, strides=[1]>"
FIXED = "tensor_view<256xf32, strides=[1]>"
NATURAL = "bounded<0, ?>"
EXTENDED = "%e64 = exti %n unsigned : tile<i32> -> tile<i64>"
LARGE = "%large = assume bounded<256, ?>, %e : tile<i32>"


def kernel(
    index: str,
    at: str,
    tensor: str,
    before: str = "",
    after: str = "",
    extent: str = "%e i32",
) -> str:
    """Stores a tile of 64 elements.

    `%n` is the extent and `%e` the same number, of which nobody says that it is
    natural; `%m` and `%y` are any other numbers likewise.

    Args:
        index: Ops that make the tile's number.
        at: Its name, and its type where it is not i32.
        tensor: The tensor's type.
        before: Ops before those, such as the head of a loop.
        after: Ops behind the store.
        extent: Name and type of what the tensor is made with.
    """
    name, _, element = at.partition(" ")
    element = element or "i32"
    shape, _, wide = extent.partition(" ")
    shape = shape if tensor == LINE else "256"
    operand = f"tile<{wide}> -> " if tensor == LINE else ""
    kind = f"partition_view<tile=(64), {tensor}>"
    return f"""cuda_tile.module @k {{
      entry @k(%p: tile<ptr<f32>>, %x: tile<i32>, %y: tile<i32>) {{
        %e = assume div_by<64>, %x : tile<i32>
        %n = assume {NATURAL}, %e : tile<i32>
        %m = assume {NATURAL}, %y : tile<i32>
        {EXTENDED if shape == "%e64" else ""}
        {LARGE if shape == "%large" else ""}
        %c0 = constant <i32: 0> : tile<i32>
        %c1 = constant <i32: 1> : tile<i32>
        %c4 = constant <i32: 4> : tile<i32>
        %c2 = constant <i32: 2> : tile<i32>
        %c32 = constant <i32: 32> : tile<i32>
        %c63 = constant <i32: 63> : tile<i32>
        %c64 = constant <i32: 64> : tile<i32>
        %c128 = constant <i32: 128> : tile<i32>
        %b, %by, %bz = get_tile_block_id : tile<i32>
        %t = make_tensor_view %p, shape = [{shape}], strides = [1] : {operand}{tensor}
        %v = make_partition_view %t : {kind}
        %tiles = divi %n, %c64 signed rounding<positive_inf> : tile<i32>
        {before}
        {index}
        %f1 = constant <f32: 1.0> : tile<64xf32>
        %k = store_view_tko weak %f1, %v[{name}] : tile<64xf32>, {kind}, tile<{element}>
          -> token
        {after}
        return
      }}
    }}"""


def loop(upper: str, lower: str = "%c0", sign: str = "", step: str = "%c1") -> str:
    return f"for {sign}%i in ({lower} to {upper}, step {step}) : tile<i32> {{"


def unsigned(upper: str, step: str = "%c1") -> str:
    return loop(upper, sign="unsigned ", step=step)


def wide_loop(upper: str, sign: str = "") -> str:
    """A loop that counts in i64."""
    numbers = "".join(f"%w{n} = constant <i64: {n}> : tile<i64>\n" for n in range(2))
    return f"{numbers}for {sign}%i in (%w0 to {upper}, step %w1) : tile<i64> {{"


def binary(
    op: str, x: str, y: str, tail: str = "", name: str = "%r", kind: str = "i32"
) -> str:
    return f"{name} = {op} {x}, {y}{tail} : tile<{kind}>\n"


def over(x: str, y: str = "%c64", mode: str = "signed", name: str = "%r") -> str:
    """A quotient, rounded to zero; `mode` may end in `up`."""
    sign, _, up = mode.partition(" ")
    tail = f" {sign} rounding<positive_inf>" if up else f" {sign}"
    return binary("divi", x, y, tail, name)


def resized(op: str, x: str, kinds: str, sign: str = "", name: str = "%r") -> str:
    """`exti` or `trunci`; the two types as `i32 i64`."""
    source, _, result = kinds.partition(" ")
    tail = f" {sign}" if sign else ""
    return f"{name} = {op} {x}{tail} : tile<{source}> -> tile<{result}>\n"


def more(number: int, of: str = "%n", name: str = "%u") -> str:
    """A sum with a constant."""
    constant = f"%k{number} = constant <i32: {number}> : tile<i32>\n"
    return constant.replace("-", "m").replace("<i32: m", "<i32: -") + binary(
        "addi", of, f"%k{number}".replace("-", "m"), name=name
    )


def other_tensor(extent: str, tensor: str = LINE, name: str = "%t2") -> str:
    """Another tensor, and the view of its tiles."""
    operand = "tile<i32> -> " if tensor == LINE else ""
    kind = f"partition_view<tile=(64), {tensor}>"
    return f"""{name} = make_tensor_view %p, shape = [{extent}], strides = [1] :
      {operand}{tensor}
    %v2 = make_partition_view {name} : {kind}
    %s2 = get_index_space_shape %v2 : {kind} -> tile<i32>
    %l2 = get_tensor_shape {name} : {tensor} -> tile<i32>\n"""


def chosen(x: str, y: str, name: str = "%r") -> str:
    """One of two numbers, by the block."""
    test = "%f = cmpi less_than %b, %c4, signed : tile<i32> -> tile<i1>\n"
    return f"{test}{name} = select %f, {x}, {y} : tile<i1>, tile<i32>\n"


def end_of(before: str) -> str:
    """What closes the loop that `before` opens, if any."""
    if "iter_values" in before:
        return "continue %c : tile<i32> }"
    return "continue }" if before.count("{") else ""
