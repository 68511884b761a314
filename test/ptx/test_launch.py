"""Launching: arguments, dimensions, entries; each mistake is one clear sentence."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import LaunchError, TensorMap, launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.runtime.memory import GlobalMemory

TEXT = module("""
.visible .entry k(
    .param .u64 dst, .param .u32 n, .param .f32 f, .param .s16 s,
    .param .align 2 .b8 h[2], .param .u8 b
)
.maxntid 64
{
    .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .b64 %q; .reg .f32 %f;
    ld.param.u64 %q, [dst];
    ld.param.u32 %r0, [n];
    ld.param.f32 %f, [f];
    ld.param.s16 %r1, [s];
    ld.param.b16 %h0, [h];
    cvt.u32.u16 %r2, %h0;
    ld.param.u8 %r3, [b];
    st.global.u32 [%q], %r0;
    st.global.f32 [%q+4], %f;
    st.global.u32 [%q+8], %r1;
    st.global.u32 [%q+12], %r2;
    st.global.u32 [%q+16], %r3;
    ret;
}
""")


def arguments(**changes: Any) -> list[Any]:
    values: dict[str, Any] = {
        "dst": np.zeros(8, np.uint32),
        "n": 7,
        "f": 1.5,
        "s": -2,
        "h": np.float16(1),
        "b": True,
    }
    return list((values | changes).values())


def run(args, **options):
    settings: dict[str, Any] = {"grid": 1, "block": 32, "args": args}
    return launch(TEXT, **(settings | options))


def test_every_kind_of_argument_arrives() -> None:
    args = arguments()
    run(args)
    assert args[0].tolist() == [7, 0x3FC00000, 0xFFFFFFFE, 0x3C00, 1, 0, 0, 0]


def test_numpy_scalars_must_have_the_size_of_the_parameter() -> None:
    run(arguments(n=np.int32(-1), f=np.float32(2)))
    with pytest.raises(LaunchError, match=r"n: expected a value of \.u32, got int64"):
        run(arguments(n=np.int64(1)))


MISTAKES = {
    "too few": (arguments()[:-1], {}, "expected 6 arguments, got 5"),
    "array for a number": (
        arguments(n=np.zeros(1)),
        {},
        "n: expected a value of .u32, got an array",
    ),
    "float for an integer": (arguments(n=1.5), {}, r"n: expected a value of \.u32"),
    "text": (arguments(f="x"), {}, "f: expected"),
    "too large": (arguments(n=1 << 33), {}, "n: expected"),
    "number for bytes": (arguments(h=1.0), {}, "h: expected a value of 2 bytes"),
    "double for a single": (arguments(f=np.float64(1)), {}, "f: expected"),
    "no threads": (arguments(), {"block": 0}, "positive extents of the block"),
    "too many threads": (arguments(), {"block": 2048}, "at most 1024 threads"),
    "above maxntid": (arguments(), {"block": 128}, "at most 64 threads"),
    "unknown mode": (
        arguments(),
        {"mode": "slow"},
        "expected mode fast or adversarial",
    ),
    "four dimensions": (arguments(), {"grid": (1, 1, 1, 1)}, "extents of the grid"),
    "wrong entry": (
        arguments(),
        {"entry": "x"},
        "expected entry 'x', the module has k",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    args, options, message = MISTAKES[name]
    with pytest.raises(LaunchError, match=message):
        run(args, **options)


def test_the_entry_must_be_named_where_there_are_two() -> None:
    text = module(".entry a() { ret; }\n.entry b() { ret; }")
    launch(text, "b", grid=1, block=1, args=[])
    with pytest.raises(LaunchError, match="expected one entry, the module has a, b"):
        launch(text, grid=1, block=1, args=[])


INDEX = module("""
.visible .entry k(.param .u64 dst, .param .u32 width)
{
    .reg .b32 %r<16>; .reg .b64 %q;
    mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ctaid.z;
    mov.u32 %r6, %ntid.x; mov.u32 %r7, %ntid.y; mov.u32 %r8, %ntid.z;
    mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;
    mad.lo.u32 %r11, %r5, %r10, %r4;
    mad.lo.u32 %r11, %r11, %r9, %r3;
    mad.lo.u32 %r11, %r11, %r8, %r2;
    mad.lo.u32 %r11, %r11, %r7, %r1;
    mad.lo.u32 %r11, %r11, %r6, %r0;
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %r11, 4, %q;
    add.u32 %r12, %r11, 1;
    st.global.u32 [%q], %r12;
    ret;
}
""")


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
@pytest.mark.parametrize("block", [(5, 3, 2), (32, 4, 1), (7, 1, 1)], ids=str)
@pytest.mark.parametrize("grid", [(3, 2, 2), (11, 1, 1), (1, 1, 1)], ids=str)
def test_every_thread_of_every_cta_runs_once(mode: Mode, block, grid) -> None:
    count = int(np.prod(block) * np.prod(grid))
    result = np.zeros(count, np.uint32)
    launch(INDEX, grid=grid, block=block, args=[result, 0], mode=mode)
    assert result.tolist() == list(range(1, count + 1))


def test_memory_may_be_filled_beforehand() -> None:
    memory = GlobalMemory()
    base = memory.allocate("result", 4 * 64)
    launch(INDEX, grid=1, block=64, args=[base, 0], memory=memory)
    where = np.arange(base, base + 256, 4, dtype=np.uint64)
    found = memory.load(where, 4).view(np.uint32)[:, 0]
    assert found.tolist() == list(range(1, 65))


DYNAMIC = module("""
.extern .shared .align 16 .b8 pool[];
.visible .entry k(.param .u64 dst)
{
    .reg .b32 %i, %s; .reg .b64 %q;
    mov.u32 %i, %tid.x;
    mov.u32 %s, pool;
    mad.lo.u32 %s, %i, 4, %s;
    st.shared.u32 [%s], %i;
    ld.shared.u32 %i, [%s];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    st.global.u32 [%q], %i;
    ret;
}
""")


def test_dynamic_shared_memory() -> None:
    result = np.zeros(64, np.uint32)
    launch(DYNAMIC, grid=1, block=64, args=[result], shared_bytes=256)
    assert result.tolist() == list(range(64))
    with pytest.raises(LaunchError, match="expected shared_bytes > 0"):
        launch(DYNAMIC, grid=1, block=64, args=[result])


def test_the_signature() -> None:
    """What users of the emulator alone rely on."""
    found = inspect.signature(launch).parameters
    assert list(found)[:2] == ["ptx", "entry"]
    defaults = {
        name: p.default for name, p in found.items() if p.kind == p.KEYWORD_ONLY
    }
    none = inspect.Parameter.empty
    wanted = {"grid": none, "block": none, "args": none, "shared_bytes": 0}
    wanted |= {"cluster": (1, 1, 1), "mode": "fast", "seed": 0, "limit": None}
    assert wanted.items() <= defaults.items()
    assert defaults["on_finding"] == "raise"
    assert list(inspect.signature(TensorMap).parameters)[:3] == [
        "array",
        "box",
        "swizzle_bytes",
    ]
