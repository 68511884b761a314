# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, moves, address conversions, atomics, asynchronous copies."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import Case, assemble, check, check_legal, module, run_case, samples

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.launch import Mode

PACKS = [
    Case(
        "{{.reg .b16 %x, %y; mov.b32 {{%x, %y}}, {a}; mov.b32 {d}, {{%y, %x}};}}",
        ("b32",),
        "b32",
        lambda a: (a >> 16) | (a & 0xFFFF) << 16,
    ),
    Case(
        "{{.reg .b16 %x, %y; mov.b32 {{_, %y}}, {a}; mov.b32 {d}, {{%y, %y}};}}",
        ("b32",),
        "b32",
        lambda a: (a >> 16) | (a >> 16) << 16,
    ),
    Case("mov.b64 {d}, {{{a}, {b}}};", ("b32", "b32"), "b64", lambda a, b: a | b << 32),
    Case(
        "{{.reg .b16 %x, %y, %z, %v; mov.b64 {{%x, %y, %z, %v}}, {a};"
        " mov.b64 {d}, {{%v, %z, %y, %x}};}}",
        ("b64",),
        "b64",
        lambda a: sum((a >> 16 * i & 0xFFFF) << 16 * (3 - i) for i in range(4)),
    ),
    Case("mov.b32 {d}, 0f3F800000;", ("b32",), "b32", lambda a: 0x3F800000),
    Case("mov.f32 {d}, 1.5;", ("b32",), "f32", lambda a: 0x3FC00000),
    Case("mov.u32 {d}, -1;", ("b32",), "b32", lambda a: 0xFFFFFFFF),
    Case("mov.b32 {d}, %laneid;", ("b32",), "b32", lambda a: a & 31),
    Case("mov.u32 {d}, %ntid.x;", ("b32",), "b32", lambda a: 64),
    Case("mov.u32 {d}, %lanemask_lt;", ("b32",), "b32", lambda a: (1 << (a & 31)) - 1),
    Case("mov.u32 {d}, WARP_SZ;", ("b32",), "b32", lambda a: 32),
]


@pytest.mark.parametrize("case", PACKS, ids=lambda case: case.code)
def test_mov(case: Case) -> None:
    sources = [samples(ty, 128, seed) for seed, ty in enumerate(case.sources)]
    if "%l" in case.code:
        sources[0] = np.arange(128, dtype=np.uint32)
    check(case, sources)
    check_legal([case])


ROUND_TRIP = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %w<8>; .reg .b64 %q, %v, %g, %d<4>; .reg .b16 %h<8>;
    SPACE
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 16, %q;
    BODY
    ret;
}
"""

VECTORS = {
    "v4.b32": "{%w0, %w1, %w2, %w3}",
    "v2.b64": "{%d0, %d1}",
    "v4.f32": "{%w0, %w1, %w2, %w3}",
}


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize(
    "space", ["shared", "local", "generic shared", "generic local"]
)
def test_sixteen_bytes_through_every_space(vector: str, space: str) -> None:
    registers = VECTORS[vector]
    name = space.split()[-1]
    pitch = 16 if name == "shared" else 0
    dot = "" if space.startswith("generic") else f".{name}"
    cvta = f"cvta.{name}.u64 %v, %v;" if not dot else ""
    body = f"""
    ld.global.{vector} {registers}, [%q];
    mov.u64 %v, cells;
    mad.wide.u32 %v, %i, {pitch}, %v;
    {cvta}
    st{dot}.{vector} [%v], {registers};
    ld{dot}.{vector} {registers}, [%v];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 16, %q;
    st.global.{vector} [%q], {registers};
    """
    declaration = f".{name} .align 16 .b8 cells[{16 * 64 if pitch else 16}];"
    text = module(ROUND_TRIP.replace("BODY", body).replace("SPACE", declaration))
    assert assemble(text, "sm_80") == ""
    source = np.arange(64 * 4, dtype=np.uint32)
    result = np.zeros_like(source)
    launch(text, grid=1, block=64, args=[source, result])
    assert np.array_equal(result, source)


LOADS = {
    "u8": (np.uint8, 200),
    "s8": (np.int8, -100),
    "u16": (np.uint16, 60000),
    "s16": (np.int16, -30000),
    "b8": (np.uint8, 200),
}


@pytest.mark.parametrize("name", LOADS)
def test_narrow_loads_are_extended_by_their_type(name: str) -> None:
    dtype, value = LOADS[name]
    code = f"{{{{.reg .b64 %z; ld.param.u64 %z, [p0]; ld.global.{name} {{d}}, [%z];}}}}"
    case = Case(code, (name,), "s32", lambda a: a)
    result = run_case(case, [np.array([value], dtype)])
    assert result[0] == value


QUALIFIERS = [
    "ld.global.nc.b32",
    "ld.global.ca.b32",
    "ld.global.cg.b32",
    "ld.global.L1::evict_last.b32",
    "ld.global.L1::no_allocate.L2::128B.b32",
    "ld.global.nc.L1::evict_first.L2::256B.b32",
    "ld.volatile.global.b32",
    "ld.relaxed.gpu.global.b32",
    "ld.acquire.sys.global.b32",
    "ld.weak.global.b32",
    "ld.b32",
    "ldu.global.b32",
]


@pytest.mark.parametrize("name", QUALIFIERS)
def test_qualifiers_of_loads(name: str) -> None:
    code = f"{{{{.reg .b64 %z; ld.param.u64 %z, [p0]; {name} {{d}}, [%z+4];}}}}"
    case = Case(code, ("b32",), "b32", lambda a: a, "sm_90")
    check_legal([case])
    assert run_case(case, [np.arange(64, dtype=np.uint32)])[0] == 1


STORES = ["st.global.wb.b32", "st.volatile.global.b32", "st.release.gpu.global.b32"]


@pytest.mark.parametrize("name", STORES)
def test_qualifiers_of_stores(name: str) -> None:
    code = (
        f"{{{{.reg .b64 %z; ld.param.u64 %z, [p1]; mad.wide.u32 %z, %i, 4, %z;"
        f" {name} [%z], {{a}}; ld.global.b32 {{d}}, [%z];}}}}"
    )
    case = Case(code, ("b32",), "b32", lambda a: a)
    check(case, [samples("b32", 64, 0)])
    check_legal([case])


ISSPACE = """
.shared .align 4 .b8 room[16];
.visible .entry k(.param .u64 dst)
{
    .reg .b64 %a, %q; .reg .b32 %x, %y, %i; .reg .pred %p;
    mov.u64 %a, room;
    cvta.shared.u64 %a, %a;
    isspacep.shared %p, %a;
    selp.b32 %x, 1, 0, %p;
    ld.param.u64 %q, [dst];
    isspacep.global %p, %q;
    selp.b32 %y, 2, 0, %p;
    or.b32 %x, %x, %y;
    cvta.to.shared.u64 %a, %a;
    isspacep.shared %p, %q;
    selp.b32 %y, 4, 0, %p;
    or.b32 %x, %x, %y;
    st.global.b32 [%q], %x;
    ret;
}
"""


def test_isspacep_tells_windows_apart() -> None:
    text = module(ISSPACE)
    assert assemble(text, "sm_80") == ""
    result = np.zeros(1, np.uint32)
    launch(text, grid=1, block=1, args=[result])
    assert result[0] == 3


CONSTANTS = """
.const .align 4 .f32 table[4] = {1.0, 0f40000000, 3.0, 4.0};
.global .align 4 .u32 cell[2] = {7, 8};
.global .align 8 .u64 where[2] = {cell, generic(cell)+4};
.visible .entry k(.param .u64 dst)
{
    .reg .b64 %q, %a; .reg .b32 %x<4>;
    ld.param.u64 %q, [dst];
    ld.const.b32 %x0, [table+8];
    ld.global.u64 %a, [where+8];
    ld.b32 %x1, [%a];
    st.global.v2.b32 [%q], {%x0, %x1};
    ret;
}
"""


def test_initial_values_of_variables() -> None:
    text = module(CONSTANTS)
    assert assemble(text, "sm_80") == ""
    result = np.zeros(2, np.uint32)
    launch(text, grid=1, block=1, args=[result])
    assert result.tolist() == [0x40400000, 8]


ATOMICS = {
    "add.u32": ("u32", lambda v: int(v.astype(np.uint64).sum()) % 2**32),
    "add.s32": (
        "s32",
        lambda v: int(v.astype(np.uint32).sum(dtype=np.uint32).view(np.int32)),
    ),
    "add.u64": ("u64", lambda v: sum(int(x) for x in v) % 2**64),
    "min.s32": ("s32", lambda v: min(0, int(v.min()))),
    "max.s32": ("s32", lambda v: max(0, int(v.max()))),
    "min.u64": ("u64", lambda v: 0),
    "max.u64": ("u64", lambda v: int(v.max())),
    "or.b32": ("b32", lambda v: int(np.bitwise_or.reduce(v))),
    "and.b32": ("b32", lambda v: 0),
    "xor.b32": ("b32", lambda v: int(np.bitwise_xor.reduce(v))),
}


@pytest.mark.parametrize("name", ATOMICS)
@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_red_of_all_threads(name: str, space: str, mode: Mode) -> None:
    ty, combine = ATOMICS[name]
    bits = int(ty[1:])
    target = "[%c]" if space == "global" else "[cell]"
    copy = f"ld.shared.b{bits} %v, [cell];\nst.global.b{bits} [%c], %v;"
    copy = "" if space == "global" else copy
    text = module(f"""
.visible .entry k(.param .u64 src, .param .u64 dst)
{{
    .reg .b32 %i; .reg .b64 %q, %c; .reg .b{bits} %v; .reg .pred %p;
    .shared .align 8 .b8 cell[8];
    mov.u32 %i, %tid.x;
    setp.ne.u32 %p, %i, 0;
    mov.b{bits} %v, 0;
    @!%p st.shared.b{bits} [cell], %v;
    bar.sync 0;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, {bits // 8}, %q;
    ld.global.b{bits} %v, [%q];
    ld.param.u64 %c, [dst];
    red.{space}.{name} {target}, %v;
    bar.sync 0;
    @%p bra END;
    {copy}
END:
    ret;
}}
""")
    assert assemble(text, "sm_80") == ""
    values = samples(ty, 96, 5)
    result = np.zeros(1, values.dtype)
    launch(text, grid=1, block=96, args=[values, result], mode=mode)
    assert int(result[0]) == combine(values)


OLD = """
.visible .entry k(.param .u64 cell, .param .u64 dst)
{
    .reg .b32 %i, %o; .reg .b64 %q, %c;
    mov.u32 %i, %tid.x;
    ld.param.u64 %c, [cell];
    ATOM
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    st.global.b32 [%q], %o;
    ret;
}
"""


@pytest.mark.parametrize(
    ("atom", "start", "end"),
    [
        ("atom.global.add.u32 %o, [%c], 1;", 5, 69),
        ("atom.add.acq_rel.gpu.u32 %o, [%c], 1;", 5, 69),
        ("atom.acq_rel.gpu.global.add.u32 %o, [%c], 1;", 5, 69),
        ("atom.global.inc.u32 %o, [%c], 9;", 0, 4),
        ("atom.global.dec.u32 %o, [%c], 9;", 3, 9),
    ],
)
def test_atom_returns_every_old_value_once(atom: str, start: int, end: int) -> None:
    text = module(OLD.replace("ATOM", atom))
    cell, old = np.array([start], np.uint32), np.zeros(64, np.uint32)
    assert assemble(text, "sm_80") == ""
    launch(text, grid=1, block=64, args=[cell, old])
    assert cell[0] == end
    if "add" in atom:
        assert sorted(old) == list(range(start, start + 64))


def test_cas_lets_one_thread_win() -> None:
    text = module(OLD.replace("ATOM", "atom.global.cas.b32 %o, [%c], 5, %i;"))
    assert assemble(text, "sm_80") == ""
    cell, old = np.array([5], np.uint32), np.zeros(64, np.uint32)
    launch(text, grid=1, block=64, args=[cell, old], mode="adversarial", seed=3)
    winner = int(cell[0])
    assert old[winner] == 5
    assert (np.delete(old, winner) != 5).sum() >= 62


COPY = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %s, %w<4>, %n; .reg .b64 %q; .reg .pred %p;
    .shared .align 16 .b8 cells[1024];
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 16, %q;
    mov.u32 %s, cells;
    mad.lo.u32 %s, %i, 16, %s;
    and.b32 %n, %i, 15;
    setp.lt.u32 %p, %i, 32;
    COPY
    ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%s];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 16, %q;
    st.global.v4.b32 [%q], {%w0, %w1, %w2, %w3};
    ret;
}
"""

COPIES = {
    "cp.async.cg.shared.global [%s], [%q], 16;": lambda i: 16,
    "cp.async.ca.shared.global.L2::128B [%s], [%q], 16;": lambda i: 16,
    "cp.async.cg.shared.global [%s], [%q], 16, 8;": lambda i: 8,
    "cp.async.cg.shared.global [%s], [%q], 16, %n;": lambda i: i & 15,
    "cp.async.cg.shared.global [%s], [%q], 16, %p;": lambda i: 0 if i < 32 else 16,
    "cp.async.cg.shared.global [%s], [%q], 16, 0;": lambda i: 0,
}


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize(
    "wait", ["cp.async.commit_group; cp.async.wait_group 0;", "cp.async.wait_all;"]
)
def test_cp_async_fills_with_zeros(copy: str, wait: str) -> None:
    text = module(COPY.replace("COPY", copy + wait))
    assert assemble(text, "sm_80") == ""
    source = np.arange(1, 1025, dtype=np.uint32).view(np.uint8)[:1024].reshape(64, 16)
    result = np.zeros_like(source)
    launch(text, grid=1, block=64, args=[source, result])
    keep = np.array([[k < COPIES[copy](i) for k in range(16)] for i in range(64)])
    assert np.array_equal(result, np.where(keep, source, 0))


def test_reading_before_the_wait_is_a_finding() -> None:
    copy = "cp.async.cg.shared.global [%s], [%q], 16; cp.async.commit_group;"
    text = module(COPY.replace("COPY", copy + "cp.async.wait_group 1;"))
    with pytest.raises(FindingError, match=r"uninitialised|in flight"):
        launch(text, grid=1, block=64, args=[np.zeros((64, 16), np.uint8)] * 2)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("timer", ["%clock64", "%globaltimer"])
def test_time_passes(timer: str, mode: Mode) -> None:
    """A loop that waits for time to pass ends; time never goes back."""
    text = module(f"""
.visible .entry k(.param .u64 x)
{{
    .reg .b64 %q<6>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %q0, [x];
    mov.u64 %q1, {timer};
    mov.u32 %r1, %clock_hi;
AGAIN:
    mov.u64 %q2, {timer};
    sub.u64 %q3, %q2, %q1;
    setp.lt.u64 %p, %q3, 1000;
    @%p bra AGAIN;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %q4, %r0, 8;
    add.u64 %q4, %q4, %q0;
    st.global.u64 [%q4], %q3;
    ret;
}}
""")
    passed = np.zeros(64, np.uint64)
    launch(text, grid=1, block=64, args=[passed], mode=mode)
    assert (passed >= 1000).all()
    assert (passed < 10_000).all()
