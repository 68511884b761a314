# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Parallel Synchronization ...": shfl, vote, match, redux, activemask, elect.

Rows are warps: values are laid out [n_warps, 32], whatever lanes run.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.floating import extreme
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Negated
from cuda_tile.emulator.ptx.types import B32, PRED, U32, Array, Bool, Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Parallel Synchronization and Communication Instructions: warps")

Fn = Callable[..., Array]

_LANE = np.arange(32)
_BIT = np.uint32(1) << np.arange(32, dtype=np.uint32)


def _sources(mode: str, b: Array, c: Array) -> tuple[Array, Bool]:
    """Returns the lane each lane reads and whether it is in range, as the ISA's code.

    Args:
        mode: up, down, bfly or idx.
        b: Lane offset or index per lane, [..., 32].
        c: Clamp (bits 0-4) and segment mask (bits 8-12) per lane.
    """
    offset = (b & np.uint32(31)).astype(np.intp)
    clamp = (c & np.uint32(31)).astype(np.intp)
    segment = ((c >> np.uint32(8)) & np.uint32(31)).astype(np.intp)
    last = (_LANE & segment) | (clamp & ~segment)
    if mode == "up":
        lane = _LANE - offset
        valid = lane >= last
    elif mode == "down":
        lane = _LANE + offset
        valid = lane <= last
    elif mode == "bfly":
        lane = _LANE ^ offset
        valid = lane <= last
    else:
        lane = (_LANE & segment) | (offset & ~segment)
        valid = lane <= last
    return np.where(valid, lane, _LANE), valid


def _synchronised(form: Form) -> None:
    """Takes `.sync`; without it the instruction is that of chips before sm_70."""
    if not form.flag("sync"):
        form.error("without '.sync' is not in the ISA from sm_70 on")


@CHAPTER.instruction("shfl")
def shfl(form: Form, b: Builder) -> Compiled:
    """shfl.sync: `.up`, `.down`, `.bfly`, `.idx`, with the optional range predicate.

    The value read from a lane that does not take part is undefined.
    """
    _synchronised(form)
    mode = form.choice("up", "down", "bfly", "idx")
    ty = form.type("b32")
    d, x, offset, clamp, mask = form.operands(5)
    d, p = b.pair(d)
    source, dst = b.src(x, ty), b.dst(d, ty)
    offsets, clamps = b.src(offset, U32), b.src(clamp, U32)
    flag = b.dst(p, PRED) if p is not None else None
    fixed = None
    if not offsets.flags.writeable and not clamps.flags.writeable:
        fixed = _sources(mode, offsets[:32], clamps[:32])

    def place(lanes: Lanes) -> tuple[Array, Array]:
        if fixed is not None:
            shape = (len(lanes.warps), 32)
            return np.broadcast_to(fixed[0], shape), np.broadcast_to(fixed[1], shape)
        return _sources(mode, lanes.by_warp(offsets), lanes.by_warp(clamps))

    def run(lanes: Lanes) -> None:
        lane, valid = place(lanes)
        lanes.put(dst, np.take_along_axis(lanes.by_warp(source), lane, axis=1))
        if flag is not None:
            lanes.put(flag, valid)

    def full() -> None:
        assert fixed is not None, "only used where offsets are constant"
        dst.reshape(-1, 32)[...] = source.reshape(-1, 32)[:, fixed[0]]

    def flow(flags: Bool, lanes: Lanes) -> Bool:
        here = lanes.spread(flags)
        if lanes.active is not None:
            here = here & lanes.active
        return lanes.pick(np.take_along_axis(here, place(lanes)[0], axis=1))

    step = b.step(run, full if fixed is not None and flag is None else None)
    step.convergence = b.src(mask, U32)
    step.flow = flow
    return step


def whole_warp(flags: Bool, lanes: Lanes) -> Bool:
    """A result that depends on all lanes of the warp is defined where all are."""
    rows = np.logical_and.reduce(lanes.spread(flags), axis=1, keepdims=True)
    return lanes.pick(np.broadcast_to(rows, (len(lanes.warps), 32)))


def _ballot(lanes: Lanes, values: Bool) -> Array:
    """Collects one bit of each lane that runs; uint32[n_warps]."""
    rows = lanes.spread(values)
    if lanes.active is not None:
        rows = rows & lanes.active
    return np.where(rows, _BIT, np.uint32(0)).sum(axis=1, dtype=np.uint32)


@CHAPTER.instruction("vote")
def vote(form: Form, b: Builder) -> Compiled:
    """vote.sync: `.all`, `.any`, `.uni`, `.ballot`, over the member mask."""
    _synchronised(form)
    mode = form.choice("all", "any", "uni", "ballot")
    ty = form.type("b32" if mode == "ballot" else "pred")
    d, x, mask = form.operands(3)
    source, negated = b.pred(x), isinstance(x, Negated)
    dst, masks = b.dst(d, ty), b.src(mask, U32)

    def run(lanes: Lanes) -> None:
        members = lanes.spread(masks[lanes.index])
        votes = _ballot(lanes, source[lanes.index] ^ negated)[:, None] & members
        if mode == "all":
            result = votes == members
        elif mode == "any":
            result = votes != 0
        elif mode == "uni":
            result = (votes == 0) | (votes == members)
        else:
            result = votes
        lanes.put(dst, result)

    step = b.step(run)
    step.convergence = masks
    step.flow = whole_warp
    return step


@CHAPTER.instruction("activemask")
def activemask(form: Form, b: Builder) -> Compiled:
    """activemask: the lanes that run this instruction now."""
    ty = form.type("b32")
    (d,) = form.operands(1)
    dst = b.dst(d, ty)

    def run(lanes: Lanes) -> None:
        rows = np.broadcast_to(lanes.members()[:, None], (len(lanes.warps), 32))
        lanes.put(dst, rows)

    return b.step(run, defines=True)


def _members(lanes: Lanes, masks: Array) -> Bool:
    """Whether lane k is in the member mask of lane j, bool[n_warps, 32, 32]."""
    rows = lanes.spread(masks[lanes.index])
    return (rows[:, :, None] & _BIT) != 0


@CHAPTER.instruction("match")
def match(form: Form, b: Builder) -> Compiled:
    """match.sync: `.any` gives the lanes of equal value, `.all` whether all are."""
    mode = form.choice("any", "all")
    form.require("sync")
    ty = form.type("b32", "b64")
    d, x, mask = form.operands(3)
    d, p = b.pair(d)
    if p is not None and mode == "any":
        form.error("expected no predicate result after '.any'")
    source, dst, masks = b.src(x, ty), b.dst(d, B32), b.src(mask, U32)
    flag = b.dst(p, PRED) if p is not None else None

    def run(lanes: Lanes) -> None:
        values = lanes.spread(source[lanes.index])
        members = _members(lanes, masks)
        equal = (values[:, :, None] == values[:, None, :]) & members
        bits = np.where(equal, _BIT, np.uint32(0)).sum(axis=2, dtype=np.uint32)
        if mode == "all":
            everybody = lanes.spread(masks[lanes.index])
            agree = bits == everybody
            bits = np.where(agree, everybody, np.uint32(0))
            if flag is not None:
                lanes.put(flag, agree)
        lanes.put(dst, bits)

    step = b.step(run)
    step.convergence = masks
    step.flow = whole_warp
    return step


_REDUX: dict[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _identity(operation: str, dtype: np.dtype[np.generic]) -> int:
    if operation in ("min", "max"):
        info = np.iinfo(np.dtype(dtype.str))
        return int(info.max if operation == "min" else info.min)
    return -1 if operation == "and" else 0


@CHAPTER.instruction("redux")
def redux(form: Form, b: Builder) -> Compiled:
    """redux.sync: reduces over the member mask; f32 min and max as well."""
    form.require("sync")
    operation = form.choice(*_REDUX)
    is_abs, nan = form.flag("abs"), form.flag("NaN")
    bitwise = operation in ("and", "or", "xor")
    ty = form.type("b32") if bitwise else form.type("u32", "s32", "f32")
    d, x, mask = form.operands(3)
    source, dst, masks = b.src(x, ty), b.dst(d, ty), b.src(mask, U32)
    if ty.name == "f32":
        if operation not in ("min", "max"):
            form.error("expected '.min' or '.max' for f32")
        pick = extreme(is_max=operation == "max", nan=nan, xorsign=False)
        absolute: Fn = np.abs if is_abs else np.positive
        if b.algebra:
            pick = exact.function(b.algebra, operation, pick)
            absolute = b.algebra.function("abs", np.abs) if is_abs else absolute
            absolute = exact.on_elements(b, absolute, [x])
        finish = np.asarray if b.algebra else numerics.canonical
        reduce_ = _float_reduction(pick, absolute, finish)
    else:
        reduce_ = _integer_reduction(operation, ty)

    def run(lanes: Lanes) -> None:
        values = lanes.spread(source[lanes.index])
        lanes.put(dst, reduce_(values, _members(lanes, masks)))

    step = b.step(run)
    step.convergence = masks
    step.flow = whole_warp
    return step


def _integer_reduction(operation: str, ty: Type) -> Callable[[Array, Bool], Array]:
    fill = np.array(_identity(operation, ty.dtype)).astype(ty.dtype)
    ufunc = _REDUX[operation]

    def reduce_(values: Array, members: Bool) -> Array:
        spread = np.where(members, values[:, None, :], fill)
        return ufunc.reduce(spread, axis=2, dtype=ty.dtype)

    return reduce_


def _float_reduction(
    pick: Fn, absolute: Fn, finish: Fn
) -> Callable[[Array, Bool], Array]:
    def reduce_(values: Array, members: Bool) -> Array:
        values = absolute(values)
        result = np.broadcast_to(values[:, :1], values.shape)
        started = np.zeros(values.shape, np.bool_)
        for lane in range(32):
            value = np.broadcast_to(values[:, lane : lane + 1], values.shape)
            joined = np.where(started, pick(result, value), value)
            result = np.where(members[:, :, lane], joined, result)
            started |= members[:, :, lane]
        return finish(result.astype(np.float32))

    return reduce_


@CHAPTER.instruction("elect")
def elect(form: Form, b: Builder) -> Compiled:
    """elect.sync: one leader of the member mask; here its lowest lane."""
    form.require("sync")
    d, mask = form.operands(2)
    d, p = b.pair(d)
    if p is None:
        form.error("expected a predicate result, d|p")
    dst, flag, masks = b.dst(d, U32), b.dst(p, PRED), b.src(mask, U32)

    def run(lanes: Lanes) -> None:
        members = masks[lanes.index]
        lowest = members & (~members + np.uint32(1))
        leader = np.bitwise_count(lowest - np.uint32(1)).astype(np.uint32)
        dst[lanes.index] = leader
        flag[lanes.index] = (lanes.numbers & 31) == leader

    step = b.step(run)
    step.convergence = masks
    return step
