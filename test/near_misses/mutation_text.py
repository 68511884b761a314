# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutations of a program's text: types, extents, constants; and of its launch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from differential_case import ArrayArgument, ScalarArgument
from differential_values import VALUES
from emit_data import BITS, DTYPES
from mutation import Draft, mutation

from cuda_tile.builder.keywords import PaddingValue

FLOATS = ("f16", "bf16", "f32", "f64")
NARROW = ("f8E4M3FN", "f8E5M2", "tf32")
INTEGERS = ("i8", "i16", "i32", "i64")
_CONSTANT = re.compile(r"constant <(\w+): ([^\[\]>]+)>")
_NUMBER = re.compile(
    r"(0x[0-9A-Fa-f]+) : (\w+)(?=[\],])|(?<=<)(\w+): (0x[0-9A-Fa-f]+)>"
)
_IDS = re.compile(
    r"^( *)([^=]*) = (get_\w+_blocks?(?:_id)?) : tile<\w+>$", re.MULTILINE
)
_VIEW = re.compile(r"(partition_view<tile=\([^)]*\), )(padding_value = \w+, )?(tensor)")
_TENSOR = re.compile(
    r"shape = \[([^]]*)\], strides = \[([^]]*)\] : (tile<\w+> -> )?"
    r"tensor_view<([^,]*), (strides=\[[^]]*\]>)"
)
_ASSUME = re.compile(r"assume \w+<(\d+)")
_EXTENT = re.compile(
    r"(?:(?<![\w.%])|(?<=\dx))\d+(?=x)|(?<=\dx)\d+(?=\))|(?<=[\[(, ])\d+(?=[,\])])"
)


@mutation("type: of elements")
def element_type(draft: Draft) -> str | None:
    """Every tile and array of one element type gets another."""
    text = str(draft.module)
    used = [name for name in (*FLOATS, *INTEGERS) if _of_type(name).search(text)]
    if not used:
        return None
    old = draft.random.choice(used)
    kinds = FLOATS if old in (*FLOATS, *NARROW) else INTEGERS
    new = draft.random.choice([name for name in kinds if name != old])
    text = _NUMBER.sub(lambda m: _converted(m, old, new), text)
    text = _of_type(old).sub(new, text)
    draft.load(_IDS.sub(lambda m: _ids(m, old, new), text))
    for number in range(len(draft.case.args)):
        _retype(draft, number, old, new)
    return f"{old} -> {new}"


def _of_type(element: str) -> re.Pattern[str]:
    """Where a text names an element type."""
    return re.compile(rf"(?<![\w%.]){element}(?=[>:,\]])|(?<=\dx){element}(?=[>,])")


def _ids(match: re.Match[str], old: str, new: str) -> str:
    """Ids of tile blocks, which are i32, converted if all i32 became another type."""
    if old != "i32":
        return match[0]
    cast = "exti {} signed" if new == "i64" else "trunci {}"
    names = [name.strip() for name in match[2].split(",")]
    before = ", ".join(f"{name}_32" for name in names)
    lines = [f"{match[1]}{before} = {match[3]} : tile<i32>"]
    for name in names:
        how = cast.format(f"{name}_32")
        lines.append(f"{match[1]}{name} = {how} : tile<i32> -> tile<{new}>")
    return "\n".join(lines)


def _retype(draft: Draft, number: int, old: str, new: str) -> None:
    argument = draft.case.args[number]
    if argument.element != old:
        return
    if isinstance(argument, ScalarArgument):
        value = argument.value().astype(DTYPES[new])
        bits = int(np.asarray(value).view(f"u{DTYPES[new].itemsize}"))
        draft.set_argument(number, ScalarArgument(new, bits % 2 ** BITS[new]))
    else:
        draft.set_argument(number, replace(argument, element=new))


def _converted(match: re.Match[str], old: str, new: str) -> str:
    """A number in another type: hexadecimal text holds the bits of the old one."""
    element, digits = (match[2], match[1]) if match[1] else (match[3], match[4])
    if element != old:
        return match[0]
    word = np.array(int(digits, 16), f"u{DTYPES[old].itemsize}")
    with np.errstate(all="ignore"):
        value = word.view(DTYPES[old]).astype(DTYPES[new])
    bits = int(np.asarray(value).view(f"u{DTYPES[new].itemsize}"))
    return match[0].replace(digits, f"{bits:#x}")


@mutation("extent: everywhere")
def extent(draft: Draft) -> str | None:
    """An extent of tiles and tensors is half, twice or four times as large, or 1."""
    text = str(draft.module)
    found = sorted({m[0] for m in _EXTENT.finditer(text)} - {"0", "1"})
    if not found:
        return None
    old = draft.random.choice(found)
    choices = sorted({int(old) // 2, 2 * int(old), 4 * int(old), 1} - {int(old)})
    new = str(draft.random.choice(choices))
    draft.load(_EXTENT.sub(lambda m: new if m[0] == old else m[0], text))
    _resize(draft, int(old), int(new))
    return f"{old} -> {new}"


@mutation("extent: of a tensor")
def tensor_extent(draft: Draft) -> str | None:
    """A tensor has one row or column more or less, half as many, or one."""
    text = str(draft.module)
    found = [m for m in _TENSOR.finditer(text) if re.search(r"\b\d", m[1])]
    if not found:
        return None
    place = draft.random.choice(found)
    extents, shape = place[4].split("x"), place[1].split(", ")
    known = [n for n, extent in enumerate(extents[:-1]) if extent.isdigit()]
    index = draft.random.choice(known)
    old, new = extents[index], draft.random.choice(_near(int(extents[index])))
    extents[index] = shape[index] = new
    line = place[0].replace(f"[{place[1]}]", f"[{', '.join(shape)}]", 1)
    text = text.replace(place[0], line)
    kind = f"tensor_view<{place[4]}, {place[5]}"
    draft.load(text.replace(kind, f"tensor_view<{'x'.join(extents)}, {place[5]}"))
    _resize(draft, int(old), int(new))
    return f"{old} -> {new}"


def _near(count: int) -> Sequence[str]:
    """Extents instead of one: its neighbours, half and twice as many, 1."""
    near = {count - 1, count + 1, count // 2, 2 * count, 1, count + 8} - {count, 0}
    return [str(n) for n in sorted(near) if n > 0]


def _resize(draft: Draft, old: int, new: int) -> None:
    """Makes arrays large enough for other extents."""
    for number in draft.arrays():
        argument = draft.case.args[number]
        assert isinstance(argument, ArrayArgument)
        factor = max(1, -(-new // old)) ** 2
        extents = tuple(new if n == old else n for n in argument.shape)
        draft.set_argument(
            number, replace(argument, size=argument.size * factor, shape=extents)
        )


@mutation("constant")
def constant(draft: Draft) -> str | None:
    """A constant has another value: 0, 1, one more or less, an end of its type."""
    text = str(draft.module)
    found = list(_CONSTANT.finditer(text))
    if not found:
        return None
    place = draft.random.choice(found)
    choices = _numbers(place[1], place[2])
    if not choices:
        return None
    new = draft.random.choice(choices)
    made = f"constant <{place[1]}: {new}>"
    draft.load(text[: place.start()] + made + text[place.end() :])
    return f"{place[2]} -> {new} ({place[1]})"


def _numbers(element: str, old: str) -> list[str]:
    """Other values of a constant, as text."""
    if element in INTEGERS:
        value, top = int(old, 0), 2 ** (BITS[element] - 1)
        found = {0, 1, -1, 2, 3, value + 1, value - 1, -value, 2 * value, top - 1, -top}
        found.add(top - value)
        return [str(n) for n in sorted(found - {value}) if -top <= n < top]
    if element == "i1":
        return ["true" if old == "false" else "false"]
    if element not in ("f16", "bf16", "f32", "f64"):
        return []
    dtype = DTYPES[element]
    special = [np.inf, -np.inf, np.nan, float(np.finfo(np.float32).min), -0.0, 1e-40]
    with np.errstate(all="ignore"):
        words = np.array(special).astype(dtype).view(f"u{dtype.itemsize}")
    return ["0.0", "1.0", "-1.0", "0.5", "3.0", *(f"{int(w):#x}" for w in words)]


# Launch -------------------------------------------------------------------------------


@mutation("values: of an array")
def array_values(draft: Draft) -> str | None:
    """An array holds other values: infinities, the lowest number, signed zeros ..."""
    arrays = draft.arrays()
    if not arrays:
        return None
    number = draft.random.choice(arrays)
    argument = draft.case.args[number]
    assert isinstance(argument, ArrayArgument)
    kind = draft.random.choice([kind for kind in VALUES if kind != argument.values])
    if argument.element in INTEGERS and kind not in ("any", "ends", "places", "whole"):
        kind = "whole"
    for other in arrays:  # arguments of one number share its contents
        same = draft.case.args[other]
        if isinstance(same, ArrayArgument) and same.number == argument.number:
            draft.set_argument(other, replace(same, values=kind))
    return f"argument {number}: {kind}"


@mutation("values: of a scalar")
def scalar_value(draft: Draft) -> str | None:
    """A number among the arguments is another one."""
    scalars = draft.scalars()
    if not scalars:
        return None
    number = draft.random.choice(scalars)
    argument = draft.case.args[number]
    assert isinstance(argument, ScalarArgument)
    value = _scalar(draft, argument)
    draft.set_argument(
        number, replace(argument, bits=value % 2 ** BITS[argument.element])
    )
    return f"argument {number}: {argument.bits:#x} -> {value:#x}"


def _scalar(draft: Draft, argument: ScalarArgument) -> int:
    if argument.element in INTEGERS:
        near = (0, 1, 2, 3, argument.bits + 1, argument.bits - 1, 2 * argument.bits, -1)
        return draft.random.choice(near)
    values = np.array([0.0, 1.0, -1.0, np.inf, np.nan, 1e30, 1e-40, -0.0])
    dtype = DTYPES[argument.element]
    if dtype.kind == "b":
        return 1 - argument.bits
    with np.errstate(all="ignore"):
        made = values.astype(dtype).view(f"u{dtype.itemsize}")
    return int(draft.random.choice(list(made)))


@mutation("launch")
def launch(draft: Draft) -> str | None:
    """Another grid, another number of warps, or another seed and so other plans."""
    kind = draft.random.choice(("grid", "warps", "seed"))
    if kind == "grid":
        grid = draft.random.choice([n for n in (1, 2, 3) if n != draft.case.grid])
        draft.case = replace(draft.case, grid=grid)
        return f"grid = {grid}"
    if kind == "warps":
        warps = draft.random.choice([None, 1, 2, 4, 8])
        draft.case = replace(draft.case, num_warps=warps)
        return f"warps = {warps}"
    draft.case = replace(draft.case, seed=draft.random.randrange(1000))
    return f"seed = {draft.case.seed}"


@mutation("loop: unsigned or signed")
def unsigned(draft: Draft) -> str | None:
    """A loop compares its bounds as unsigned numbers, or no longer."""
    text = str(draft.module)
    found = list(re.finditer(r"= for( unsigned)? ", text))
    if not found:
        return None
    place = draft.random.choice(found)
    made = "= for " if place[1] else "= for unsigned "
    draft.load(text[: place.start()] + made + text[place.end() :])
    return made.removeprefix("= ").strip()


@mutation("padding: of a view")
def padding(draft: Draft) -> str | None:
    """A view gives another value for what lies outside of its tensor, or none."""
    text = str(draft.module)
    found = list(_VIEW.finditer(text))
    if not found:
        return None
    view = draft.random.choice(found)
    words = ["", *(f"padding_value = {word}, " for word in PaddingValue)]
    new = draft.random.choice([word for word in words if word != view[2]])
    draft.load(text.replace(view[0], f"{view[1]}{new}{view[3]}"))
    return f"{view[2] or 'none'} -> {new or 'none'}"


@mutation("extent: as an argument")
def dynamic(draft: Draft) -> str | None:
    """An extent or stride of a tensor is an argument instead of a part of its type."""
    text = str(draft.module)
    found = [m for m in _TENSOR.finditer(text) if re.search(r"\b\d", m[1] + m[2])]
    if not found:
        return None
    place = draft.random.choice(found)
    lists = [re.findall(r"[%\w]+", place[n]) for n in (1, 2)]
    known = [(n, i) for n in (0, 1) for i, p in enumerate(lists[n]) if p.isdigit()]
    number, index = draft.random.choice(known)
    count = int(lists[number][index])
    scalar = place[3] or f"tile<{draft.random.choice(('i32', 'i64'))}> -> "
    lists[number][index] = "%near"
    shape, strides = (", ".join(names) for names in lists)
    extents = "x".join(n if n.isdigit() else "?" for n in lists[0])
    steps = ",".join(n if n.isdigit() else "?" for n in lists[1])
    element = re.sub(r"^[\dx?]*x", "", place[4])
    kind = f"tensor_view<{extents}x{element}, strides=[{steps}]>"
    line = f"shape = [{shape}], strides = [{strides}] : {scalar}"
    text = text.replace(place[0], f"{line}tensor_view<{place[4]}, {place[5]}")
    text = text.replace(f"tensor_view<{place[4]}, {place[5]}", kind)
    name = re.sub(r"\W|tile|>", "", scalar)
    text = re.sub(r"(entry @k\([^{]*)\)", rf"\1, %near: tile<{name}>)", text, count=1)
    draft.load(text)
    args = (*draft.case.args, ScalarArgument(name, count))
    draft.case = replace(draft.case, args=args)
    return f"{count} as {name}"


@mutation("assume")
def assumed(draft: Draft) -> str | None:
    """A promise about a value is another one, or gone."""
    text = str(draft.module)
    found = list(_ASSUME.finditer(text))
    if not found:
        return None
    place = draft.random.choice(found)
    old, number = place[0], int(place[1])
    choices = {1, 2, 4, 8, 16, 2 * number} - {number, 0}
    new = str(draft.random.choice(sorted(choices)))
    start, end = place.span(1)
    draft.load(text[:start] + new + text[end:])
    return f"{old} -> {new}"
