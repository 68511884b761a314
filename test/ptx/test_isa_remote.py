# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores to remote shared memory, bulk reductions, and their waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

MODES: tuple[tuple[Mode, int], ...] = (
    ("fast", 0),
    *(("adversarial", seed) for seed in range(4)),
)

# Two CTAs; each thread of rank 0 sends to the buffer of rank 1, which waits for the
# bytes and writes them out.
SEND = """
.visible .entry k(.param .u64 src, .param .u64 dst) .reqnctapercluster 2, 1, 1
{{
    .reg .b32 %i, %rank, %buf, %bar, %far, %farbar, %v<4>, %n; .reg .b64 %q, %l<2>;
    .reg .pred %p, %done;
    .shared .align 16 .b8 buffer[1024];
    .shared .align 8 .b64 bar;
    mov.u32 %i, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    mov.u32 %bar, bar;
    mov.u32 %buf, buffer;
    mad.lo.u32 %n, %i, {size}, %buf;
    {start}
    setp.eq.u32 %p, %i, 0;
    @%p mbarrier.init.shared.b64 [%bar], 1;
    @%p mbarrier.arrive.expect_tx.shared.b64 _, [%bar], {expected};
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    setp.eq.u32 %p, %rank, 1;
    @%p bra RECEIVE;
    mapa.shared::cluster.u32 %far, {target}, 1;
    mapa.shared::cluster.u32 %farbar, %bar, 1;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, {size}, %q;
    {send}
    bra END;
RECEIVE:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%bar], 0;
    @!%done bra RECEIVE;
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, {size}, %q;
    ld.shared.b{bits} {first}, [%n];
    st.global.b{bits} [%q], {first};
END:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
}}
"""


def send(
    code: str,
    size: int,
    *,
    start: str = "",
    together: bool = False,
    expected: int | None = None,
) -> str:
    wide = size == 8
    text = SEND.format(
        size=size,
        bits=8 * size,
        first="%l0" if wide else "%v0",
        start=start,
        send=code,
        target="%buf" if together else "%n",
        expected=32 * size if expected is None else expected,
    )
    return module(text, "sm_90")


ST_ASYNC = {
    4: "ld.global.b32 %v0, [%q]; st.async.weak.shared::cluster."
    "mbarrier::complete_tx::bytes.b32 [%far], %v0, [%farbar];",
    8: "ld.global.v2.b32 {%v0, %v1}, [%q]; st.async.shared::cluster."
    "mbarrier::complete_tx::bytes.v2.b32 [%far], {%v0, %v1}, [%farbar];",
}


@pytest.mark.parametrize(("mode", "seed"), MODES)
@pytest.mark.parametrize("size", ST_ASYNC)
def test_st_async(size: int, mode: Mode, seed: int) -> None:
    text = send(ST_ASYNC[size], size)
    assert assemble(text, "sm_90") == ""
    source = np.random.default_rng(1).integers(0, 256, (32, size)).astype(np.uint8)
    found = np.zeros_like(source)
    launch(
        text,
        grid=2,
        block=32,
        cluster=(2, 1, 1),
        args=[source, found],
        mode=mode,
        seed=seed,
    )
    assert np.array_equal(found, source)


def test_a_load_before_the_wait_of_st_async_is_found() -> None:
    text = send(ST_ASYNC[4], 4)
    text = text.replace("@!%done bra RECEIVE;", "")
    kinds: set[str] = set()
    for seed in range(12):
        source, found = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)
        try:
            launch(
                text,
                grid=2,
                block=32,
                cluster=(2, 1, 1),
                args=[source, found],
                mode="adversarial",
                seed=seed,
            )
        except FindingError as error:
            kinds.add(error.finding.kind)
    assert kinds & {"copy in flight", "race", "uninitialised"}


@pytest.mark.parametrize("expected", [32 * 4 + 4, 32 * 4 - 4])
def test_wrong_bytes_of_st_async_are_found(expected: int) -> None:
    text = send(ST_ASYNC[4], 4, expected=expected)
    source, found = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)
    with pytest.raises(FindingError, match="mbarrier"):
        launch(
            text,
            grid=2,
            block=32,
            cluster=(2, 1, 1),
            args=[source, found],
            mode="adversarial",
        )


Fold = Callable[[int, list[int]], int]


def folded(fn: Callable[[int, int], int]) -> Fold:
    def fold(start: int, values: list[int]) -> int:
        for value in values:
            start = fn(start, value)
        return start

    return fold


RED_ASYNC: dict[str, tuple[str, int, Fold]] = {
    "add.u32": ("uint32", 5, lambda s, v: (s + sum(v)) % 2**32),
    "add.s32": ("int32", -5, lambda s, v: (s + sum(v) + 2**31) % 2**32 - 2**31),
    "add.u64": ("uint64", 5, lambda s, v: (s + sum(v)) % 2**64),
    "min.u32": ("uint32", 2**31, lambda s, v: min(s, *v)),
    "max.u32": ("uint32", 0, lambda s, v: max(s, *v)),
    "min.s32": ("int32", 0, lambda s, v: min(s, *v)),
    "max.s32": ("int32", 0, lambda s, v: max(s, *v)),
    "and.b32": ("uint32", 2**32 - 1, folded(lambda s, v: s & v)),
    "or.b32": ("uint32", 0, folded(lambda s, v: s | v)),
    "xor.b32": ("uint32", 1, folded(lambda s, v: s ^ v)),
    "inc.u32": ("uint32", 3, folded(lambda s, v: 0 if s >= v else s + 1)),
    "dec.u32": ("uint32", 3, folded(lambda s, v: v if s == 0 or s > v else s - 1)),
}


@pytest.mark.parametrize(("mode", "seed"), MODES[:3])
@pytest.mark.parametrize("name", RED_ASYNC)
def test_red_async(name: str, mode: Mode, seed: int) -> None:
    kind, start, fold = RED_ASYNC[name]
    size = np.dtype(kind).itemsize
    register = "%l0" if size == 8 else "%v0"
    begin = (
        f"mov.b{8 * size} {register}, {start}; st.shared.b{8 * size} [%n], {register};"
    )
    code = (
        f"ld.global.b{8 * size} {register}, [%q]; red.async.relaxed.cluster."
        f"shared::cluster.mbarrier::complete_tx::bytes.{name} "
        f"[%far], {register}, [%farbar];"
    )
    text = send(code, size, start=begin, together=True)
    assert assemble(text, "sm_90") == ""
    drawn = np.random.default_rng(2).integers(0, 256, (32, size)).astype(np.uint8)
    values = drawn.view(kind)[:, 0]
    if name[:3] in ("inc", "dec"):
        values = np.full(32, 9, np.uint32)
    found = np.zeros(32, kind)
    launch(
        text,
        grid=2,
        block=32,
        cluster=(2, 1, 1),
        args=[values, found],
        mode=mode,
        seed=seed,
    )
    assert int(found[0]) == fold(start, values.tolist())
    assert (found[1:] == np.array(start).astype(kind)).all()


# Bulk reductions to global memory -----------------------------------------------------

BULK = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{{
    .reg .b32 %i, %s, %v<4>; .reg .b64 %q, %d; .reg .pred %p; .reg .b16 %mask;
    .shared .align 128 .b8 buffer[512];
    mov.u32 %i, %tid.x;
    mov.u32 %s, buffer;
    mad.lo.u32 %s, %i, 16, %s;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 16, %q;
    ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%q];
    st.shared.v4.b32 [%s], {{%v0, %v1, %v2, %v3}};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p, %i, 0;
    @%p bra END;
    ld.param.u64 %d, [dst];
    mov.b16 %mask, 0x5A0F;
    {code}
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
END:
    ret;
}}
"""
WRAP = {"u32": 2**32, "s32": 2**32, "u64": 2**64}


def reduced(name: str, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Element by element in Python integers, or floats as NumPy adds them."""
    operation, ty = name.split(".")[0], name.split(".")[-1]
    if operation in ("and", "or", "xor"):
        return {"and": old & new, "or": old | new, "xor": old ^ new}[operation]
    if operation == "add" and ty in WRAP:
        bits = np.dtype(f"uint{8 * old.itemsize}")
        total = [
            (int(x) + int(y)) % WRAP[ty]
            for x, y in zip(old.view(bits), new.view(bits), strict=True)
        ]
        return np.array(total, bits).view(old.dtype)
    if operation == "add":
        return (old.astype(np.float64) + new.astype(np.float64)).astype(old.dtype)
    if operation == "inc":
        return np.array([0 if x >= y else x + 1 for x, y in zip(old, new, strict=True)])
    if operation == "dec":
        pairs = zip(old.tolist(), new.tolist(), strict=True)
        return np.array([y if x == 0 or x > y else x - 1 for x, y in pairs])
    best = min if operation == "min" else max
    return np.array([best(x, y) for x, y in zip(old, new, strict=True)], old.dtype)


DTYPES = {
    **{"b32": "uint32", "b64": "uint64", "f16": "float16", "f32": "float32"},
    **{"u32": "uint32", "s32": "int32", "u64": "uint64", "s64": "int64"},
    "f64": "float64",
}
TO_GLOBAL = [
    *("and.b32", "and.b64", "or.b32", "or.b64", "xor.b32", "xor.b64"),
    *("add.u32", "add.s32", "add.u64", "add.f32", "add.f64", "add.noftz.f16"),
    *("min.u32", "min.s32", "min.u64", "min.s64", "max.u32", "max.s64"),
    *("min.f16", "max.f16", "inc.u32", "dec.u32"),
]


@pytest.mark.parametrize("name", TO_GLOBAL)
def test_bulk_reduction_to_global_memory(name: str) -> None:
    code = (
        f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{name} "
        "[%d], [buffer], 512;"
    )
    text = module(BULK.format(code=code), "sm_90")
    assert assemble(text, "sm_90") == ""
    dtype = np.dtype(DTYPES[name.split(".")[-1]])
    rng = np.random.default_rng(4)
    count = 512 // dtype.itemsize
    if dtype.kind == "f":
        old, new = (rng.integers(-99, 99, count).astype(dtype) for _ in range(2))
    else:
        drawn = rng.integers(0, 256, (2, 512)).astype(np.uint8)
        old, new = (row.copy().view(dtype) for row in drawn)
    if name[:3] in ("inc", "dec"):
        old %= 8
        new %= 8
    wanted = reduced(name, old, new)
    for mode, seed in MODES[:3]:
        found = old.copy()
        launch(text, grid=1, block=32, args=[new, found], mode=mode, seed=seed)
        assert np.array_equal(found, wanted.astype(dtype))


def test_bulk_reductions_of_many_blocks_all_count() -> None:
    code = (
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
        "[%d], [buffer], 512;"
    )
    text = module(BULK.format(code=code), "sm_90")
    source, total = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    launch(text, grid=6, block=32, args=[source, total], mode="adversarial", seed=2)
    assert np.array_equal(total, 6 * source)


def test_a_mask_chooses_bytes() -> None:
    code = (
        "cp.async.bulk.global.shared::cta.bulk_group.cp_mask "
        "[%d], [buffer], 512, %mask;"
    )
    text = module(BULK.format(code=code), "sm_100")
    assert assemble(text, "sm_100") == ""
    source = np.random.default_rng(6).integers(0, 256, 512).astype(np.uint8)
    found = np.zeros(512, np.uint8)
    launch(text, grid=1, block=32, args=[source, found])
    kept = np.array([0x5A0F >> i & 1 for i in range(16)] * 32, np.bool_)
    assert np.array_equal(found, np.where(kept, source, 0))


# Bulk reductions to a CTA of the cluster ----------------------------------------------

TO_CTA = [
    *("and.b32", "or.b32", "xor.b32", "add.u32", "add.s32", "add.u64"),
    *("min.u32", "min.s32", "max.u32", "max.s32", "inc.u32", "dec.u32"),
]


@pytest.mark.parametrize("name", TO_CTA)
def test_bulk_reduction_to_another_cta(name: str) -> None:
    dtype = np.dtype(DTYPES[name.split(".")[-1]])
    size = dtype.itemsize
    register = "%l0" if size == 8 else "%v0"
    bits = 8 * size
    # Both CTAs fill their buffers from the array, then rank 0 sends its whole buffer.
    begin = (
        "mov.u32 %v1, %cluster_ctarank; ld.param.u64 %q, [src];"
        f"mad.lo.u32 %v1, %v1, 32, %i; mad.wide.u32 %q, %v1, {size}, %q;"
        f"ld.global.b{bits} {register}, [%q]; st.shared.b{bits} [%n], {register};"
        "fence.proxy.async;"
    )
    code = (
        "setp.eq.u32 %p, %i, 0;"
        "@%p cp.reduce.async.bulk.shared::cluster.shared::cta."
        f"mbarrier::complete_tx::bytes.{name} [%far], [%buf], {32 * size}, [%farbar];"
    )
    text = send(code, size, start=begin, together=True)
    assert assemble(text, "sm_90") == ""
    drawn = np.random.default_rng(8).integers(0, 256, (2, 32 * size)).astype(np.uint8)
    new, old = (row.copy().view(dtype) for row in drawn)
    if name[:3] in ("inc", "dec"):
        old %= 8
        new %= 8
    wanted = reduced(name, old, new).astype(dtype)
    for mode, seed in MODES[:3]:
        found = np.zeros(32, dtype)
        launch(
            text,
            grid=2,
            block=32,
            cluster=(2, 1, 1),
            args=[np.concatenate([new, old]), found],
            mode=mode,
            seed=seed,
        )
        assert np.array_equal(found, wanted)


# Of two CTAs the first fills the array and raises a flag, which the other waits for.
RELEASED = """
.visible .entry k(.param .u64 x, .param .u64 y) .reqntid 32
{{
    .reg .b32 %t, %n, %v; .reg .b64 %x, %y, %q; .reg .pred %p, %one, %first;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
    mov.u32 %n, %ctaid.x;
    setp.eq.u32 %first, %n, 0;
    setp.eq.u32 %one, %t, 0;
    mad.wide.u32 %q, %t, 4, %x;
    @!%first bra WAIT;
    st.global.u32 [%q+4], %t;
    bar.sync 0;
    mov.u32 %v, 1;
    @%one {flag} [%x], %v;
    ret;
WAIT:
    ld.acquire.gpu.global.u32 %v, [%x];
    setp.eq.u32 %p, %v, 1;
    @!%p bra WAIT;
    ld.global.u32 %v, [%q+4];
    mad.wide.u32 %q, %t, 4, %y;
    st.global.u32 [%q], %v;
    ret;
}}
"""
FLAGS = (
    "st.async.mmio.release.sys.global.b32",
    "st.async.release.gpu.global.u32",
    "red.async.mmio.release.sys.global.add.u32",
    "red.async.release.gpu.global.xor.b32",
)


@pytest.mark.parametrize("flag", FLAGS)
def test_released_stores_order_what_came_before(flag: str) -> None:
    text = module(RELEASED.format(flag=flag), "sm_100a")
    assert not assemble(text, "sm_100a")
    for mode, seed in MODES:
        x, y = np.zeros(33, np.uint32), np.zeros(32, np.uint32)
        launch(text, grid=2, block=32, args=[x, y], mode=mode, seed=seed)
        assert (y == np.arange(32)).all()
        assert x[0] == 1


def test_a_plain_flag_orders_nothing() -> None:
    text = module(RELEASED.format(flag="st.global.u32"), "sm_100a")
    args = [np.zeros(33, np.uint32), np.zeros(32, np.uint32)]
    with pytest.raises(FindingError, match="race"):
        launch(text, grid=2, block=32, args=args, mode="adversarial")
