# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching: arguments, dimensions, entries, and the error messages."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import module

from cuda_tile.emulator import FindingError, LaunchError, TensorMap, launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.errors import UserError
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
    "too many threads": (arguments(), {"block": (64, 32)}, "at most 1024 threads"),
    "above maxntid": (arguments(), {"block": 128}, "at most 64 threads"),
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
    wanted |= {"cluster": (1, 1, 1), "mode": None, "seed": None, "limit": None}
    assert wanted.items() <= defaults.items()
    assert defaults["collect"] is False
    assert list(inspect.signature(TensorMap).parameters)[:3] == [
        "array",
        "box",
        "swizzle_bytes",
    ]


class Strange:
    """Nothing that a kernel could take."""


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a fraction of a grid": ({"grid": 1.5}, "1 to 3 positive extents of the grid"),
    "no grid": ({"grid": None}, "1 to 3 positive extents of the grid, got None"),
    "grid of text": ({"grid": "3"}, "1 to 3 positive extents of the grid, got '3'"),
    "grid too high": ({"grid": (1, 70000)}, r"at most \(2147483647, 65535\), got"),
    "block too deep": ({"block": (1, 1, 65)}, r"at most \(1024, 1024, 64\), got"),
    "parts of clusters": ({"grid": 4, "cluster": 3}, "a grid of whole clusters"),
    "large cluster": ({"grid": 32, "cluster": 32}, r"cluster of at most \(16,\)"),
    "text of shared bytes": ({"shared_bytes": "1k"}, "shared_bytes to be an integer"),
    "negative shared bytes": ({"shared_bytes": -1}, "integer >= 0, got -1"),
    "all of shared memory": ({"shared_bytes": 300_000}, "at most 232448 bytes of"),
    "no limit at all": ({"limit": 0}, "a whole number of 1 or more, got 0"),
    "a seed in words": ({"seed": "1"}, "number of 0 or more, got '1'"),
    "negative seed": ({"seed": -1}, "a whole number of 0 or more, got -1"),
    "unknown mode": ({"mode": "slow"}, "expected mode to be one of strict, hardware"),
    "unknown handling": ({"collect": "log"}, "collect to be true or false"),
    "no memory": ({"memory": {}}, "a GlobalMemory, got dict"),
    "no list": ({"args": 3}, "k: expected a list of arguments, got int"),
    "bits of a float": ({"args": arguments(n=1.5)}, r"pass np\.float32\(1\.5\)"),
    "too large for a float": ({"args": arguments(f=10**400)}, "beyond every float"),
    "objects": (
        {"args": arguments(dst=np.zeros(8, object))},
        "dst: expected an array of plain data, got object",
    ),
    "something": ({"args": arguments(dst=Strange())}, "dst: .* got Strange"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_wrong_options(name: str) -> None:
    options, message = OPTIONS[name]
    args = options.get("args", arguments())
    before = [np.copy(arg) for arg in args] if isinstance(args, list) else []
    with pytest.raises(UserError, match=message):
        run(**({"args": args} | options))
    if before and before[0].dtype != object:
        assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True))


@pytest.mark.parametrize("ptx", [None, 3, TEXT.encode(), [TEXT]], ids=repr)
def test_what_is_no_text(ptx: Any) -> None:
    got = type(ptx).__name__
    with pytest.raises(LaunchError, match=f"expected PTX text .*, got {got}"):
        launch(ptx, grid=1, block=32, args=arguments())


def test_integers_of_numpy_are_extents() -> None:
    args = arguments()
    run(args, grid=np.array([1, 1]), block=np.int64(32), seed=np.uint8(3))
    assert args[0][0] == 7


def test_the_most_ctas_of_a_cluster() -> None:
    text = TEXT.replace(".maxntid 64", ".maxclusterrank 2")
    launch(text, grid=4, block=32, cluster=2, args=arguments())
    with pytest.raises(LaunchError, match=r"at most 2 CTAs \(.maxclusterrank\)"):
        launch(text, grid=4, block=32, cluster=4, args=arguments())


def test_a_read_only_array_may_be_read_only() -> None:
    shut = np.zeros(8, np.uint32)
    shut.flags.writeable = False
    with pytest.raises(FindingError, match="which is read-only"):
        run(arguments(dst=shut))


# CUDA Driver API, cuTensorMapEncodeTiled, and what NumPy adds to go wrong.
MAPS: dict[str, tuple[tuple[Any, ...], str]] = {
    "a list": (([1, 2], (4,)), "an array, got list"),
    "a box of one number": ((aligned((8, 8)), 8), "a box of integers.*, got 8"),
    "fractions": ((aligned((8, 8)), (4.5, 8)), "a box of integers"),
    "other rank": ((aligned((8, 8)), (8,)), "a box of as many, got an array of 2 and"),
    "six dimensions": ((aligned((1,) * 6), (1,) * 6), "1 to 5 dimensions"),
    "no rows": ((aligned((8, 8)), (0, 8)), "box extents from 1 to 256"),
    "many rows": ((aligned((512, 8)), (257, 8)), "box extents from 1 to 256"),
    "12 bytes": ((aligned((8, 8)), (8, 3)), "a multiple of 16 bytes in a row, got 12"),
    "36 bytes": ((aligned((8, 9)), (8, 8)), "strides that are multiples of 16"),
    "unaligned": (
        (aligned((8, 8), skip_bytes=4), (8, 8)),
        "an array at a multiple of 16",
    ),
    "columns": ((aligned((8, 8)).T, (8, 8)), "a contiguous last dimension"),
    "backwards": ((aligned((8, 8))[::-1], (8, 8)), "strides that are multiples"),
    "empty": ((aligned((0, 8)), (8, 8)), "extents above 0"),
    "swizzle": ((aligned((8, 8)), (8, 8), 48), "swizzle of 0, 32, 64 or 128, got 48"),
    "text": ((aligned((8, 8)), (8, 8), "32"), "swizzle of 0, 32, 64 or 128, got '32'"),
    "wide rows": ((aligned((8, 64)), (8, 64), 128), "within the swizzle of 128"),
    "objects": ((np.zeros((8, 8), object), (8, 8)), "real numbers, got object"),
    "complex": ((aligned((8, 8), np.complex64), (8, 8)), "real numbers, got complex64"),
    "big end": ((aligned((8, 8), ">f4"), (8, 8)), "this machine's byte order"),
    "fill": ((aligned((8, 8)), (8, 8), 0, "one"), "fill 'zero' or 'nan', got 'one'"),
    "NaN of an integer": ((aligned((8, 8), np.int32), (8, 8), 0, "nan"), "floats for"),
}


@pytest.mark.parametrize("name", MAPS)
def test_illegal_tensor_maps(name: str) -> None:
    args, message = MAPS[name]
    with pytest.raises(LaunchError, match=f"^tensor map: expected .*{message}"):
        TensorMap(*args)


CLUSTERS = module(
    """
.visible .entry k(.param .u64 dst)
.blocksareclusters
.reqntid 64
.reqnctapercluster 2
{
    .reg .b32 %r<6>; .reg .b64 %q<2>; .reg .pred %p;
    ld.param.u64 %q0, [dst];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %clusterid.x;
    mov.u32 %r3, %nctaid.x;
    mad.lo.u32 %r4, %r0, 64, %r1;
    mad.lo.u32 %r5, %r2, 1000, %r3;
    mad.wide.u32 %q1, %r4, 4, %q0;
    st.global.u32 [%q1], %r5;
    ret;
}
""",
    "sm_90",
).replace(".version 8.3", ".version 9.0")


def test_a_grid_of_clusters() -> None:
    expected = np.repeat(np.arange(3) * 1000 + 6, 128)
    for block, cluster in ((1, 1), (64, 2)):
        out = np.zeros(384, np.uint32)
        launch(CLUSTERS, grid=3, block=block, cluster=cluster, args=[out])
        assert (out == expected).all()


def test_a_grid_of_clusters_takes_no_other_extents() -> None:
    out = np.zeros(384, np.uint32)
    with pytest.raises(LaunchError, match=r"expected a block of \(1, 1, 1\) or"):
        launch(CLUSTERS, grid=3, block=32, args=[out])
    text = CLUSTERS.replace(".reqntid 64", "")
    with pytest.raises(LaunchError, match=r"expected \.reqntid with"):
        launch(text, grid=3, block=1, args=[out])
