# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wide loads and stores, vector atomics, the stack, zero fill, discarded lines."""

from __future__ import annotations

from itertools import permutations, product

import ml_dtypes
import numpy as np
import pytest
from ptx_arrays import placed
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.launch import Mode

FRAME = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{{
    .reg .b32 %i, %s, %r<16>; .reg .b64 %q, %d, %l<16>; .reg .b16 %h<16>; .reg .pred %p;
    {declare}
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    ld.param.u64 %d, [dst];
    {body}
    ret;
}}
"""


def kernel(body: str, target: str = "sm_100", declare: str = "") -> str:
    text = module(FRAME.format(body=body, declare=declare), target)
    assert assemble(text, target) == ""
    return text


WIDE = {
    "v8.b32": "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}",
    "v8.f32": "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}",
    "v4.b64": "{%l0, %l1, %l2, %l3}",
    "v4.u64": "{%l0, %l1, %l2, %l3}",
}


@pytest.mark.parametrize("name", WIDE)
def test_32_bytes_at_once(name: str) -> None:
    text = kernel(
        f"""mad.wide.u32 %q, %i, 32, %q;
    mad.wide.u32 %d, %i, 32, %d;
    ld.global.{name} {WIDE[name]}, [%q];
    st.global.{name} [%d], {WIDE[name]};"""
    )
    source = placed(np.random.default_rng(0).integers(0, 2**32, (64, 8), np.uint32))
    found = placed(np.zeros_like(source))
    launch(text, grid=1, block=64, args=[source, found])
    assert np.array_equal(found, source)


def test_a_wide_store_leaves_out_sinks() -> None:
    text = kernel(
        """mad.wide.u32 %q, %i, 32, %q;
    mad.wide.u32 %d, %i, 32, %d;
    ld.global.v8.b32 {%r0, %r1, _, %r3, %r4, %r5, %r6, _}, [%q];
    st.global.v8.b32 [%d], {%r0, _, _, %r3, %r4, %r5, _, %r0};"""
    )
    source = placed(np.random.default_rng(0).integers(0, 2**32, (32, 8), np.uint32))
    found = placed(np.full_like(source, 7))
    launch(text, grid=1, block=32, args=[source, found], mode="adversarial")
    wanted = source.copy()
    wanted[:, [1, 2, 6]] = 7
    wanted[:, 7] = source[:, 0]
    assert np.array_equal(found, wanted)


def test_a_misaligned_wide_load_is_a_finding() -> None:
    text = kernel(f"ld.global.v8.b32 {WIDE['v8.b32']}, [%q+16];")
    arrays = [placed(np.zeros(64, np.uint32)), np.zeros(8, np.uint32)]
    with pytest.raises(FindingError, match="misaligned"):
        launch(text, grid=1, block=1, args=arrays)


# Vector atomics ----------------------------------------------------------------------

HALF_DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


def vector(letter: str, count: int, start: int = 0) -> str:
    return "{" + ", ".join(f"%{letter}{start + i}" for i in range(count)) + "}"


VECTORS = [
    *(("add", "f32", width) for width in (2, 4)),
    *product(("add", "min", "max"), ("f16", "bf16"), (2, 4, 8)),
    *product(("add", "min", "max"), ("f16x2", "bf16x2"), (2, 4)),
]


@pytest.mark.parametrize(("operation", "ty", "width"), VECTORS)
@pytest.mark.parametrize("returns", [True, False])
def test_vector_atomic(operation: str, ty: str, width: int, returns: bool) -> None:
    letter = "h" if ty in HALF_DTYPES else "r"
    dtype = np.dtype(HALF_DTYPES.get(ty.removesuffix("x2"), np.float32))
    count = width * (2 if ty.endswith("x2") else 1)
    size = count * dtype.itemsize
    bits = size // width * 8
    loads = "".join(
        f"ld.global.b{bits} %{letter}{8 + n}, [%q+{n * bits // 8}];"
        for n in range(width)
    )
    flags = "" if ty == "f32" else ".noftz"
    name = f"{operation}{flags}.v{width}.{ty}"
    new = vector(letter, width, 8)
    update = f"red.global.{name} [%d], {new};"
    if returns:
        update = f"atom.global.{name} {vector(letter, width)}, [%d], {new};"
    text = kernel(f"mad.wide.u32 %q, %i, {size}, %q; {loads} {update}", "sm_90")
    rng = np.random.default_rng(3)
    source = rng.integers(-8, 9, (32, count)).astype(dtype)
    cell = rng.integers(-8, 9, count).astype(dtype)
    fold = {"add": np.sum, "min": np.min, "max": np.max}[operation]
    everything = np.concatenate([cell[None], source]).astype(np.float64)
    launch(
        text,
        grid=1,
        block=32,
        args=[source.view(f"u{dtype.itemsize}"), cell.view(f"u{dtype.itemsize}")],
        mode="adversarial",
    )
    assert np.array_equal(cell.astype(np.float64), fold(everything, axis=0))


def test_qualifiers_stand_in_any_order() -> None:
    for order in permutations(["global", "relaxed", "gpu", "add"]):
        if order.index("gpu") < order.index("relaxed"):
            continue
        text = kernel(f"red.{'.'.join(order)}.u32 [%d], 1;", "sm_90")
        cell = np.zeros(1, np.uint32)
        launch(text, grid=1, block=32, args=[cell, cell])
        assert cell[0] == 32


def test_vectors_are_of_global_memory() -> None:
    text = module(
        FRAME.format(
            body="red.shared.add.v2.f32 [%s], {%r0, %r1};",
            declare=".shared .b32 x[2]; mov.u32 %s, x;",
        ),
        "sm_90",
    )
    with pytest.raises(PtxError, match="expected global memory for a vector"):
        launch(text, grid=1, block=1, args=[np.zeros(1), np.zeros(1)])


# Shared memory, the stack, caches ---------------------------------------------------


def test_bulk_store_fills_with_zeros() -> None:
    text = kernel(
        """mov.u32 %s, x;
    mad.lo.u32 %s, %i, 8, %s;
    st.shared.u64 [%s], -1;
    bar.sync 0;
    setp.eq.u32 %p, %i, 3;
    mov.u64 %l0, 40;
    @%p st.bulk.weak.shared::cta [%s], %l0, 0;
    bar.sync 0;
    ld.shared.u64 %l1, [%s];
    mad.wide.u32 %d, %i, 8, %d;
    st.global.u64 [%d], %l1;""",
        declare=".shared .align 8 .b8 x[256];",
    )
    for mode in ("fast", "adversarial"):
        found = np.zeros(32, np.int64)
        launch(text, grid=1, block=32, args=[found, found], mode=mode)
        assert found.tolist() == [0 if 3 <= i < 8 else -1 for i in range(32)]


STACK = """
    cvt.u64.u32 %l0, %i;
    mul.lo.u64 %l0, %l0, 8;
    add.u64 %l0, %l0, 8;
    stacksave.u64 %l5;
    alloca.u64 %l1, %l0;
    alloca.u64 %l2, 16, 16;
    st.local.u64 [%l1], %l0;
    st.local.u64 [%l2+8], 99;
    and.b64 %l6, %l2, 15;
    stackrestore.u64 %l5;
    alloca.u64 %l3, 64;
    setp.eq.u64 %p, %l3, %l1;
    selp.u64 %l7, 1, 0, %p;
    ld.local.u64 %l4, [%l3];
    mad.wide.u32 %d, %i, 32, %d;
    st.global.u64 [%d], %l4;
    st.global.u64 [%d+8], %l6;
    st.global.u64 [%d+16], %l7;
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_the_stack_grows_and_shrinks(mode: Mode) -> None:
    text = kernel(STACK, "sm_90")
    found = np.zeros((32, 4), np.uint64)
    launch(text, grid=1, block=32, args=[found, found], mode=mode)
    assert found[:, 0].tolist() == [8 * i + 8 for i in range(32)]
    assert (found[:, 1] == 0).all()
    assert (found[:, 2] == 1).all()


def test_too_much_stack_is_a_finding() -> None:
    text = kernel("alloca.u64 %l1, 5000;", "sm_90")
    args = [np.zeros(1), np.zeros(1)]
    with pytest.raises(FindingError, match="expected at most 4096 bytes of stack"):
        launch(text, grid=1, block=1, args=args, stack_bytes=4096)
    launch(text, grid=1, block=1, args=args, stack_bytes=5000)


CALLEE = """
.func (.param .b64 out) pushes()
{
    .reg .b64 %p;
    alloca.u64 %p, 1024;
    st.param.b64 [out], %p;
    ret;
}
"""


def test_a_function_frees_its_stack() -> None:
    """Five calls of 1024 bytes each fit into 4096."""
    call = "{ .param .b64 o; call (o), pushes; ld.param.b64 %l1, [o]; }"
    frame = FRAME.format(body=f"{call * 5} st.global.u64 [%d], %l1;", declare="")
    text = module(CALLEE + frame, "sm_90")
    assert assemble(text, "sm_90") == ""
    found = np.zeros(1, np.uint64)
    launch(text, grid=1, block=1, args=[found, found])


def test_a_discarded_line_holds_anything() -> None:
    text = kernel("mad.wide.u32 %d, %i, 128, %d; discard.global.L2 [%d], 128;", "sm_90")
    lines = placed(np.zeros(3 * 128, np.uint8))
    launch(text, grid=1, block=2, args=[lines, lines])
    assert not lines.any()
    launch(text, grid=1, block=2, args=[lines, lines], mode="adversarial")
    assert lines[:256].any()
    assert not lines[256:].any()
