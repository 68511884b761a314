# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions": mov, ld, st and addresses."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import AddressOf, Builder
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.addresses import CLUSTER_SHIFT, RANK_MASK, rank_bits
from cuda_tile.emulator.memory.spaces import WINDOWS, Addresses, Spaces
from cuda_tile.emulator.ordering.memory_order import MemoryOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Operand,
    Register,
    Sink,
    Special,
    SymbolAddress,
    Variable,
    Vector,
)
from cuda_tile.emulator.ptx.types import B64, PRED, TYPES, Array, Bool, Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Data Movement and Conversion Instructions")

_MOV = ("pred", "b16", "b32", "b64", "b128", "u16", "u32", "u64")
_MOV_TYPES = (*_MOV, "s16", "s32", "s64", "f32", "f64")
_MEMORY = ("b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64")
MEMORY_TYPES = (*_MEMORY, "s8", "s16", "s32", "s64", "f32", "f64")
SCOPES = ("cta", "cluster", "gpu", "sys")
SPACES = {
    "global": "global",
    "const": "const",
    "shared": "shared",
    "shared::cta": "shared",
    "shared::cluster": "shared",
    "local": "local",
    "param": "param",
    "param::entry": "param",
    "param::func": "param",
}
_CACHE = ("ca", "cg", "cs", "lu", "cv", "wb", "wt")
_ORDERS = ("weak", "volatile", "mmio", "relaxed", "acquire", "release")
_PREFETCH = ("L2::64B", "L2::128B", "L2::256B")
WIDTHS = {"v2": 2, "v4": 4, "v8": 8}
_EVICT = ("evict_normal", "evict_unchanged", "evict_first", "evict_last", "no_allocate")


@CHAPTER.instruction("mov")
def mov(form: Form, b: Builder) -> Compiled:
    """Data Movement mov: copies, packs and unpacks; special registers, addresses."""
    width = WIDTHS.get(form.option("v2", "v4"), 1)
    ty = form.type(*_MOV_TYPES)
    d, x = form.operands(2)
    if width > 1:
        return _copy(form, b, ty, width, d, x)
    if isinstance(d, Vector):
        return _unpack(form, b, ty, d, x)
    if isinstance(x, Vector):
        return _pack(form, b, ty, d, x)
    source = b.value(x, ty)
    dst = b.dst(d, ty)
    if ty is PRED:
        return b.elementwise(np.logical_or, dst, source, source)
    word = TYPES[f"b{ty.bits}"].dtype
    return b.elementwise(np.positive, dst.view(word), source.view(word))


def _copy(
    form: Form, b: Builder, ty: Type, width: int, d: Operand, x: Operand
) -> Compiled:
    """`mov.v4.u32 d, %tid` or `mov.v2.f32 d, a`: element by element."""
    if ty is PRED or width * ty.bits > 128:
        form.error(f"expected a vector of at most 128 bits, got .v{width} {ty}")
    if isinstance(x, Special):
        if width != 4:
            form.error(f"expected '.v4' for {x}, got '.v{width}'")
        x = Vector(tuple(Special(f"{x.name}.{letter}") for letter in "xyzw"))
    sources = [b.src(e, ty) for e in form.vector(x, width)]
    targets = [b.dst(e, ty) for e in form.vector(d, width)]

    def run(lanes: Lanes) -> None:
        # All are read before the first is written: a vector may be its own source.
        found = [source[lanes.index].copy() for source in sources]
        for target, values in zip(targets, found, strict=True):
            target[lanes.index] = values

    return b.step(run)


def _part(form: Form, ty: Type, count: int) -> Type:
    if ty.kind != "b" or count not in (2, 4) or ty.bits // count < 8:
        form.error(f"expected {ty} to split into {count} parts")
    return TYPES[f"b{ty.bits // count}"]


def _rows(values: Array, part: Type) -> Array:
    """Looks at registers as rows of smaller parts, low part first."""
    return np.ascontiguousarray(values).view(part.dtype).reshape(len(values), -1)


def _unpack(form: Form, b: Builder, ty: Type, d: Vector, x: Operand) -> Compiled:
    part = _part(form, ty, len(d.elements))
    source = b.src(x, ty)
    targets = [
        None if isinstance(element, Sink) else b.dst(element, part)
        for element in d.elements
    ]

    def run(lanes: Lanes) -> None:
        rows = _rows(source[lanes.index], part).copy()
        for place, target in enumerate(targets):
            if target is not None:
                target[lanes.index] = rows[:, place]

    return b.step(run)


def _pack(form: Form, b: Builder, ty: Type, d: Operand, x: Vector) -> Compiled:
    part = _part(form, ty, len(x.elements))
    sources = [b.src(element, part) for element in x.elements]
    target = b.dst(d, ty)

    def run(lanes: Lanes) -> None:
        rows = np.empty((lanes.count, len(sources)), part.dtype)
        for place, source in enumerate(sources):
            rows[:, place] = source[lanes.index]
        packed = rows.view(ty.dtype)
        target[lanes.index] = packed if ty.bits == 128 else packed[:, 0]

    return b.step(run, merges=True)


def _order(form: Form) -> MemoryOrder | None:
    """Takes `.weak`, `.volatile`, `.relaxed.scope`, `.acquire.scope` and the like.

    One machine runs everything in order, so they do not change values here; they say
    which accesses race.
    """
    order = form.option(*_ORDERS)
    scope = ""
    if order == "mmio":
        form.require("relaxed")
    if order in ("relaxed", "acquire", "release", "mmio"):
        scope = form.choice(*SCOPES)
    return MemoryOrder.of(order, scope)


def take_cache_hints(form: Form) -> bool:
    """Takes cache and eviction hints; returns whether a policy operand follows."""
    form.option(*_CACHE)
    form.flag("nc")
    form.option(*(f"L1::{name}" for name in _EVICT))
    form.option(*(f"L2::{name}" for name in _EVICT))
    has_policy = form.flag("L2::cache_hint")
    form.option(*_PREFETCH)
    return has_policy


def take_space(form: Form) -> str:
    """Takes a state space; empty for generic addresses."""
    return SPACES.get(form.option(*SPACES), "")


def memory_operand(
    form: Form, b: Builder, operand: Operand, space: str
) -> tuple[str, AddressOf]:
    """Returns the space and address of `[...]`; params of calls are local memory."""
    base = operand.base if isinstance(operand, Address) else None
    if space == "param" and isinstance(base, Variable):
        address = b.address(operand, space)
        is_entry = b.machine.symbols.is_entry_param(base)
        return ("param" if is_entry else "local"), address
    if space == "" and isinstance(base, Variable):
        form.error(f"expected a state space for the variable {base.name!r}")
    return space, b.address(operand, space)


def _width(form: Form) -> int:
    return WIDTHS.get(form.option(*WIDTHS), 1)


def operands_before_policy(
    form: Form, b: Builder, count: int, *, has_policy: bool
) -> list[Operand]:
    """Returns `count` operands; a cache policy after them has no effect on values."""
    operands = list(form.operands(count + has_policy))
    if has_policy:
        b.src(operands.pop(), B64)
    return operands


@CHAPTER.instruction("ld")
def ld(form: Form, b: Builder) -> Compiled:
    """Data Movement ld: every state space, vectors, order and cache qualifiers."""
    return _load(form, b)


@CHAPTER.instruction("ldu")
def ldu(form: Form, b: Builder) -> Compiled:
    """Data Movement ldu: like ld, for addresses equal over the warp."""
    others = [name for name in SPACES if name != "global"]
    if any(name in form.instruction.modifiers for name in others):
        form.error("expected '.global' or a generic address")
    return _load(form, b)


def _arrange(form: Form) -> None:
    hints = (*(f"L2::{name}" for name in _EVICT), "L2::cache_hint", *_PREFETCH)
    levels = ("nc", *(f"L1::{name}" for name in _EVICT))
    form.arrange(_ORDERS, SCOPES, SPACES, _CACHE, levels, hints, WIDTHS)


def _load(form: Form, b: Builder) -> Compiled:
    _arrange(form)
    order = _order(form)
    if order is None and form.instruction in b.compared:
        order = MemoryOrder.of("relaxed", "sys")
    space = take_space(form)
    if "nc" in form.instruction.modifiers and space != "global":
        form.error("expected '.global' with '.nc'")
    has_policy = take_cache_hints(form)
    width = _width(form)
    ty = form.type(*MEMORY_TYPES)
    operands = operands_before_policy(form, b, 2, has_policy=has_policy)
    space, address = memory_operand(form, b, operands[1], space)
    targets = [
        None if isinstance(element, Sink) else _wide_dst(b, element, ty)
        for element in form.registers(operands[0], width)
    ]
    size, at, spaces = ty.bytes * width, b.at, b.spaces
    if size > 32:
        form.error(f"expected at most 32 bytes, got {size}")

    def run(lanes: Lanes) -> None:
        data = spaces.load(at, space, lanes, address(lanes), size, order)
        values = data.view(ty.dtype)
        if ty.bits == 128:
            values = values.reshape(lanes.count, width, 2)
        for place, target in enumerate(targets):
            if target is not None:
                target[lanes.index] = values[:, place]

    step = b.step(run, defines=True)
    if space in ("", "local"):
        kept = [place for place, target in enumerate(targets) if target is not None]
        step.found = lambda lanes: spaces.written_elements(lanes, ty.bytes, kept)
    return step


def _wide_dst(b: Builder, operand: Operand, ty: Type) -> Array:
    """A destination that may be wider: the value is extended by its type's sign."""
    if isinstance(operand, Register) and 64 >= operand.type.bits > ty.bits:
        kind = "s" if ty.kind == "s" else "b"
        if operand.type.kind == "f":
            return b.dst(operand, ty)
        return b.dst(operand, TYPES[f"{kind}{operand.type.bits}"])
    return b.dst(operand, ty)


@CHAPTER.instruction("st")
def st(form: Form, b: Builder) -> Compiled:
    """Data Movement st: every state space, vectors, order and cache qualifiers."""
    _arrange(form)
    order, machine = _order(form), b.machine
    space = take_space(form)
    has_policy = take_cache_hints(form)
    width = _width(form)
    ty = form.type(*MEMORY_TYPES)
    operands = operands_before_policy(form, b, 2, has_policy=has_policy)
    space, address = memory_operand(form, b, operands[0], space)
    elements = form.registers(operands[1], width)
    if any(isinstance(element, Sink) for element in elements):
        return _partial_store(form, b, elements, ty, (space, address), order)
    is_local = space in ("", "local")
    take = b.src if is_local else b.stored
    sources = [take(e, ty, wider=True) for e in elements]
    at, spaces = b.at, b.spaces
    cells = 2 if ty.bits == 128 else 1
    copied = elements if is_local and machine.is_adversarial else ()

    def run(lanes: Lanes) -> None:
        data = np.empty((lanes.count, width * cells), ty.dtype)
        for place, source in enumerate(sources):
            values = source[lanes.index]
            data[:, place * cells : (place + 1) * cells] = values.reshape(-1, cells)
        machine.progress += 1
        where, octets = address(lanes), data.view(np.uint8)
        written = _written(b.machine, lanes, copied, ty)
        if written is not None:
            _check_stored(spaces, lanes, where, space, copied)
        spaces.store(at, space, lanes, where, octets, order, written)

    return b.step(run)


def _written(
    machine: Machine, lanes: Lanes, elements: tuple[Operand, ...], ty: Type
) -> Bool | None:
    """Which bytes of stored elements hold defined values; None for all of them."""
    flags = [
        machine.defined[element][lanes.index]
        if isinstance(element, Register)
        else np.ones(lanes.count, np.bool_)
        for element in elements
    ]
    if all(flag.all() for flag in flags):
        return None
    return np.repeat(np.stack(flags, axis=1), ty.bytes, axis=1)


def _check_stored(
    spaces: Spaces,
    lanes: Lanes,
    where: Addresses,
    space: str,
    elements: tuple[Operand, ...],
) -> None:
    """Undefined values go nowhere but to local memory.

    There they may be copied, as the padding of a structure is.
    """
    outside = np.zeros(lanes.count, np.bool_)
    if space == "":
        outside = (where >> np.uint64(56)) != np.uint64(WINDOWS["local"] >> 56)
    for element in elements:
        if outside.any() and isinstance(element, Register):
            spaces.check_defined(element, lanes, outside)


def _partial_store(
    form: Form,
    b: Builder,
    elements: tuple[Operand, ...],
    ty: Type,
    target: tuple[str, AddressOf],
    order: MemoryOrder | None,
) -> Compiled:
    """A store of 32 bytes that leaves out what `_` stands for."""
    space, address = target
    size = ty.bytes * len(elements)
    if size != 32:
        form.error("expected '_' only in a store of 32 bytes")
    sources = {
        place * ty.bytes: b.stored(element, ty, wider=True)
        for place, element in enumerate(elements)
        if not isinstance(element, Sink)
    }
    at, spaces = b.at, b.spaces

    def run(lanes: Lanes) -> None:
        where = address(lanes)
        spaces.check_alignment(lanes, where, size)
        b.machine.progress += 1
        for offset, source in sources.items():
            data = source[lanes.index].reshape(-1, 1).view(np.uint8)
            place = where + np.uint64(offset)
            spaces.store(at, space, lanes, place, data, order)

    return b.step(run)


@CHAPTER.instruction("cvta")
def cvta(form: Form, b: Builder) -> Compiled:
    """Data Movement cvta: between a state space's addresses and generic ones."""
    is_to = form.flag("to")
    space = SPACES[form.choice(*SPACES)]
    ty = form.type("u32", "u64")
    d, x = form.operands(2)
    if isinstance(x, SymbolAddress) and x.variable.space != space:
        form.error(f"expected a .{space} variable, got {x.variable.name!r}")
    dst, source = b.dst(d, ty), b.value(x, ty)
    window = WINDOWS.get(space, 0) if ty.bits == 64 else 0
    sign = -window if is_to else window
    shift = b.machine.constant(sign & (2**ty.bits - 1), ty.dtype)
    return b.elementwise(np.add, dst, source, shift)


@CHAPTER.instruction("isspacep")
def isspacep(form: Form, b: Builder) -> Compiled:
    """Data Movement isspacep: whether a generic address is in a window."""
    space = SPACES[form.choice(*SPACES)]
    p, x = form.operands(2)
    source, dst = b.src(x, B64), b.dst(p, PRED)
    windows = [window >> 56 for window in WINDOWS.values()]
    wanted = WINDOWS.get(space, 0) >> 56

    def fn(address: Array) -> Array:
        top = (address >> np.uint64(56)).astype(np.int64)
        return top == wanted if wanted else ~np.isin(top, windows)

    return b.elementwise(fn, dst, source)


@CHAPTER.instruction("mapa")
def mapa(form: Form, b: Builder) -> Compiled:
    """Data Movement mapa: the address of a variable in another CTA of the cluster."""
    space = form.option("shared::cluster")
    ty = form.type("u32", "u64")
    d, x, rank = form.operands(3)
    dst, source, ranks = b.dst(d, ty), b.value(x, ty), b.src(rank, TYPES["u32"])
    size = b.machine.geometry.cluster_size
    low = ty.dtype.type((1 << CLUSTER_SHIFT) - 1)
    window = ty.dtype.type(0 if space or ty.bits == 32 else WINDOWS["shared"])
    if not space and ty.bits == 32:
        form.error("expected '.shared::cluster' for a 32-bit address")

    def run(lanes: Lanes) -> None:
        mine = ranks[lanes.index]
        if int(mine.max()) >= size:
            raise Fault(
                "cluster", f"expected a rank below {size}, got {int(mine.max())}"
            )
        above = rank_bits(mine).astype(ty.dtype)
        dst[lanes.index] = (source[lanes.index] & low) | above | window

    return b.step(run)


@CHAPTER.instruction("getctarank")
def getctarank(form: Form, b: Builder) -> Compiled:
    """Data Movement getctarank: the CTA that a shared::cluster address lies in."""
    form.option("shared::cluster")
    ty = form.type("u32", "u64")
    d, x = form.operands(2)
    dst, source = b.dst(d, TYPES["u32"]), b.value(x, ty)
    machine = b.machine
    shift, bits = ty.dtype.type(CLUSTER_SHIFT), ty.dtype.type(0xFF)

    def run(lanes: Lanes) -> None:
        rank = ((source[lanes.index] >> shift) & bits).astype(np.uint32)
        own = machine.rank[lanes.index]
        there = np.where(rank == 0, own, rank & np.uint32(RANK_MASK))
        dst[lanes.index] = there

    return b.step(run)
