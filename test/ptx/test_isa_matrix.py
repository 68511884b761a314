# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions: fragments, transposes, products."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch

LANES = np.arange(32)
GROUP, IN_GROUP = LANES // 4, LANES % 4


def ldmatrix_kernel(count: int, trans: str) -> str:
    registers = ", ".join(f"%m{i}" for i in range(count))
    stores = "\n".join(f"st.global.b32 [%q+{128 * i}], %m{i};" for i in range(count))
    return module(f"""
.visible .entry k(.param .u64 src, .param .u64 rows, .param .u64 dst)
{{
    .reg .b32 %i, %a, %m<4>; .reg .b64 %q;
    .shared .align 16 .b8 tile[1024];
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 32, %q;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %i, 32, %a;
    ld.global.v4.b32 {{%m0, %m1, %m2, %m3}}, [%q];
    st.shared.v4.b32 [%a], {{%m0, %m1, %m2, %m3}};
    ld.global.v4.b32 {{%m0, %m1, %m2, %m3}}, [%q+16];
    st.shared.v4.b32 [%a+16], {{%m0, %m1, %m2, %m3}};
    bar.sync 0;
    ld.param.u64 %q, [rows];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.u32 %a, [%q];
    ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%a];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    {stores}
    ret;
}}
""")


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", ["", ".trans"])
def test_ldmatrix(count: int, trans: str) -> None:
    text = ldmatrix_kernel(count, trans)
    assert assemble(text, "sm_80") == ""
    source = np.arange(512, dtype=np.uint16)
    rng = np.random.default_rng(0)
    rows = (rng.permutation(64)[:32] * 16).astype(np.uint32)
    result = np.zeros((count, 32, 2), np.uint16)
    launch(text, grid=1, block=32, args=[source, rows, result.view(np.uint32)])
    table = source.reshape(64, 8)
    for number in range(count):
        matrix = table[rows[8 * number : 8 * number + 8] // 16]
        matrix = matrix.T if trans else matrix
        assert np.array_equal(result[number], matrix.reshape(32, 2))


MOVE = module("""
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %a; .reg .b64 %q;
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.b32 %a, [%q];
    movmatrix.sync.aligned.m8n8.trans.b16 %a, %a;
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    st.global.b32 [%q], %a;
    ret;
}
""")


def test_movmatrix_transposes() -> None:
    assert assemble(MOVE, "sm_80") == ""
    source, result = np.arange(64, dtype=np.uint16), np.zeros(64, np.uint16)
    launch(MOVE, grid=1, block=32, args=[source, result])
    assert np.array_equal(result.reshape(8, 8), source.reshape(8, 8).T)


STORE = module(
    """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %a, %s, %m<4>; .reg .b64 %q;
    .shared .align 16 .b8 tile[512];
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 16, %q;
    ld.global.v4.b32 {%m0, %m1, %m2, %m3}, [%q];
    mov.u32 %s, tile;
    mad.lo.u32 %a, %i, 16, %s;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a], {%m0, %m1, %m2, %m3};
    bar.warp.sync -1;
    ld.shared.v4.b32 {%m0, %m1, %m2, %m3}, [%a];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 16, %q;
    st.global.v4.b32 [%q], {%m0, %m1, %m2, %m3};
    ret;
}
""",
    "sm_90",
)


def test_stmatrix_is_the_inverse_of_ldmatrix() -> None:
    assert assemble(STORE, "sm_90") == ""
    fragments = np.arange(256, dtype=np.uint16).reshape(32, 4, 2)
    result = np.zeros((4, 8, 8), np.uint16)
    launch(STORE, grid=1, block=32, args=[fragments, result])
    for number in range(4):
        assert np.array_equal(result[number].reshape(32, 2), fragments[:, number])


BYTES = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{{
    .reg .b32 %i, %a, %m<4>; .reg .b64 %q;
    .shared .align 16 .b8 tile[512];
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 16, %q;
    ld.global.v4.b32 {{%m0, %m1, %m2, %m3}}, [%q];
    mov.u32 %a, tile;
    mad.lo.u32 %a, %i, 16, %a;
    {before}
    {code}
    {after}
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 16, %q;
    st.global.v4.b32 [%q], {{%m0, %m1, %m2, %m3}};
    ret;
}}
"""
NAMES = {1: "{%m0}", 2: "{%m0, %m1}", 4: "{%m0, %m1, %m2, %m3}"}


def bit_fields(row: np.ndarray, bits: int) -> list[int]:
    """The 16 elements that 16 bytes begin with, lowest first."""
    whole = int.from_bytes(row.tobytes(), "little")
    return [whole >> bits * i & (1 << bits) - 1 for i in range(16)]


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize(("name", "bits"), [("b6x16_p32", 6), ("b4x16_p64", 4)])
def test_ldmatrix_widens_to_bytes(name: str, bits: int, count: int) -> None:
    """Lane 4 r + c gets columns 4 c to 4 c + 3 of row r."""
    text = module(
        BYTES.format(
            before="st.shared.v4.b32 [%a], {%m0, %m1, %m2, %m3}; bar.warp.sync -1;",
            code=f"ldmatrix.sync.aligned.m8n16.x{count}.shared.b8x16.{name} "
            f"{NAMES[count]}, [%a];",
            after="",
        ),
        "sm_100a",
    )
    assert assemble(text, "sm_100a") == ""
    source = np.random.default_rng(1).integers(0, 256, (32, 16)).astype(np.uint8)
    found = np.zeros((32, 16), np.uint8)
    launch(text, grid=1, block=32, args=[source, found])
    registers = found.reshape(32, 4, 4)
    for number, lane in np.ndindex(count, 32):
        row = bit_fields(source[8 * number + lane // 4], bits)
        start = 4 * (lane % 4)
        assert registers[lane, number].tolist() == row[start : start + 4]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("name", "bits"), [("b8", 8), ("b8x16.b6x16_p32", 6), ("b8x16.b4x16_p64", 4)]
)
def test_ldmatrix_transposes_bytes(name: str, bits: int, count: int) -> None:
    """Lane 4 g + t gets columns 4 t to 4 t + 3 of rows g and g + 8."""
    text = module(
        BYTES.format(
            before="st.shared.v4.b32 [%a], {%m0, %m1, %m2, %m3}; bar.warp.sync -1;",
            code=f"ldmatrix.sync.aligned.m16n16.x{count}.trans.shared.{name} "
            f"{NAMES[2 * count]}, [%a];",
            after="",
        ),
        "sm_100a",
    )
    assert assemble(text, "sm_100a") == ""
    source = np.random.default_rng(1).integers(0, 256, (32, 16)).astype(np.uint8)
    found = np.zeros((32, 16), np.uint8)
    launch(text, grid=1, block=32, args=[source, found])
    registers = found.reshape(32, 4, 4)
    columns = [bit_fields(column, bits) for column in source]
    for matrix, upper, lane in np.ndindex(count, 2, 32):
        row, first = lane // 4 + 8 * upper, 16 * matrix + 4 * (lane % 4)
        wanted = [columns[first + place][row] for place in range(4)]
        assert registers[lane, 2 * matrix + upper].tolist() == wanted


@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix_of_bytes(count: int) -> None:
    """Lane 4 g + t holds columns 2 t and 2 t + 1 of rows g and g + 8."""
    text = module(
        BYTES.format(
            before="st.shared.v4.b32 [%a], {%i, %i, %i, %i}; bar.warp.sync -1;",
            code=f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 "
            f"[%a], {NAMES[count]};",
            after="bar.warp.sync -1; ld.shared.v4.b32 {%m0, %m1, %m2, %m3}, [%a];",
        ),
        "sm_100a",
    )
    assert assemble(text, "sm_100a") == ""
    source = np.random.default_rng(1).integers(0, 256, (32, 4, 4)).astype(np.uint8)
    found = np.zeros((32, 16), np.uint8)
    launch(text, grid=1, block=32, args=[source, found])
    for number, lane in np.ndindex(count, 32):
        g, t = lane // 4, lane % 4
        columns = found[8 * number : 8 * number + 8]  # one column in 16 bytes
        for byte, (row, column) in enumerate(
            [(g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1)]
        ):
            assert columns[column, row] == source[lane, number, byte]


def a_places(k: int, e: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each lane's elements of A, [32, registers, e]."""
    count = 16 * k // 32 // e
    r, i = np.arange(count)[None, :, None], np.arange(e)[None, None, :]
    g, t = GROUP[:, None, None], IN_GROUP[:, None, None]
    return g + 8 * (r % 2) + 0 * i, t * e + 4 * e * (r // 2) + i


def b_places(k: int, e: int) -> tuple[np.ndarray, np.ndarray]:
    count = 8 * k // 32 // e
    r, i = np.arange(count)[None, :, None], np.arange(e)[None, None, :]
    g, t = GROUP[:, None, None], IN_GROUP[:, None, None]
    return t * e + 4 * e * r + i, g + 0 * r + 0 * i


def c_places() -> tuple[np.ndarray, np.ndarray]:
    r = np.arange(4)[None, :]
    return GROUP[:, None] + 8 * (r // 2), 2 * IN_GROUP[:, None] + r % 2


def mma_kernel(name: str, n_a: int, n_b: int, n_c: int, target: str) -> str:
    def loads(letter: str, count: int) -> str:
        lines = [
            f"ld.param.u64 %q, [{letter}];",
            f"mad.wide.u32 %q, %i, {4 * count}, %q;",
        ]
        lines += [f"ld.global.b32 %{letter}{i}, [%q+{4 * i}];" for i in range(count)]
        return "\n".join(lines)

    def group(letter: str, count: int) -> str:
        return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"

    stores = "\n".join(f"st.global.b32 [%q+{4 * i}], %c{i};" for i in range(n_c))
    c = group("c", n_c)
    return module(
        f"""
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{{
    .reg .b32 %i, %a<8>, %b<8>, %c<8>; .reg .b64 %q;
    mov.u32 %i, %tid.x;
    {loads("a", n_a)}
    {loads("b", n_b)}
    {loads("c", n_c)}
    mma.sync.aligned.{name} {c}, {group("a", n_a)}, {group("b", n_b)}, {c};
    {stores}
    ret;
}}
""",
        target,
    )


FLOATS = [
    ("m16n8k16", "f16", np.float16, "sm_80"),
    ("m16n8k8", "f16", np.float16, "sm_80"),
    ("m16n8k16", "bf16", ml_dtypes.bfloat16, "sm_80"),
    ("m16n8k8", "bf16", ml_dtypes.bfloat16, "sm_80"),
    ("m16n8k8", "tf32", np.float32, "sm_80"),
    ("m16n8k4", "tf32", np.float32, "sm_80"),
    ("m16n8k32", "e4m3", ml_dtypes.float8_e4m3fn, "sm_89"),
    ("m16n8k32", "e5m2", ml_dtypes.float8_e5m2, "sm_89"),
]


@pytest.mark.parametrize(("shape", "name", "dtype", "target"), FLOATS)
@pytest.mark.parametrize("warps", [1, 3])
def test_mma_of_floats(
    shape: str, name: str, dtype: type, target: str, warps: int
) -> None:
    k = int(shape.rpartition("k")[2])
    e = 4 // np.dtype(dtype).itemsize
    rng = np.random.default_rng(k)
    a = rng.integers(-8, 9, (warps, 16, k)).astype(np.float32).astype(dtype)
    b = rng.integers(-8, 9, (warps, k, 8)).astype(np.float32).astype(dtype)
    c = rng.standard_normal((warps, 16, 8)).astype(np.float32)
    if e == 4:  # sums of 8-bit floats have 14 bits: of whole numbers they are exact
        c = np.rint(16 * c)
    n_a, n_b = 16 * k // 32 // e, 8 * k // 32 // e
    text = mma_kernel(f"{shape}.row.col.f32.{name}.{name}.f32", n_a, n_b, 4, target)
    assert assemble(text, target) == ""
    fa = np.ascontiguousarray(a[:, *a_places(k, e)]).view(np.uint32)
    fb = np.ascontiguousarray(b[:, *b_places(k, e)]).view(np.uint32)
    fc = np.ascontiguousarray(c[:, *c_places()])
    launch(text, grid=1, block=32 * warps, args=[fa, fb, fc.view(np.uint32)])
    d = a.astype(np.float64) @ b.astype(np.float64) + c
    assert np.array_equal(fc, d.astype(np.float32)[:, *c_places()])


def test_mma_with_half_accumulators() -> None:
    rng = np.random.default_rng(7)
    a = rng.integers(-4, 5, (16, 16)).astype(np.float16)
    b = rng.integers(-4, 5, (16, 8)).astype(np.float16)
    c = rng.integers(-4, 5, (16, 8)).astype(np.float16)
    text = mma_kernel("m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "sm_80")
    assert assemble(text, "sm_80") == ""
    fa = np.ascontiguousarray(a[a_places(16, 2)]).view(np.uint32)
    fb = np.ascontiguousarray(b[b_places(16, 2)]).view(np.uint32)
    fc = np.ascontiguousarray(c[c_places()])
    launch(text, grid=1, block=32, args=[fa, fb, fc.view(np.uint32)])
    assert np.array_equal(fc, (a.astype(int) @ b + c).astype(np.float16)[c_places()])


@pytest.mark.parametrize("k", [16, 32])
@pytest.mark.parametrize(("left", "right"), [("s8", "s8"), ("u8", "s8"), ("u8", "u8")])
def test_mma_of_integers(k: int, left: str, right: str) -> None:
    rng = np.random.default_rng(k)
    kinds = {"s8": np.int8, "u8": np.uint8}
    a = rng.integers(0, 256, (16, k)).astype(np.uint8).view(kinds[left])
    b = rng.integers(0, 256, (k, 8)).astype(np.uint8).view(kinds[right])
    c = rng.integers(-(2**31), 2**31, (16, 8)).astype(np.int32)
    name = f"m16n8k{k}.row.col.s32.{left}.{right}.s32"
    text = mma_kernel(name, k // 8, k // 16, 4, "sm_80")
    assert assemble(text, "sm_80") == ""
    fa = np.ascontiguousarray(a[a_places(k, 4)]).view(np.uint32)
    fb = np.ascontiguousarray(b[b_places(k, 4)]).view(np.uint32)
    fc = np.ascontiguousarray(c[c_places()])
    launch(text, grid=1, block=32, args=[fa, fb, fc.view(np.uint32)])
    exact = a.astype(np.int64) @ b.astype(np.int64) + c
    assert np.array_equal(fc, exact.astype(np.int32)[c_places()])


def test_mma_counts_its_operations() -> None:
    text = mma_kernel("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "sm_80")
    zeros = [np.zeros((32, n), np.uint32) for n in (4, 2, 4)]
    report = launch(
        text, grid=3, block=64, args=[np.resize(z, (64, z.shape[1])) for z in zeros]
    )
    assert report.totals["flops"] == 3 * 2 * 2 * 16 * 8 * 16


def test_mma_of_half_a_warp_is_a_finding() -> None:
    text = mma_kernel("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "sm_80")
    text = text.replace(
        "mov.u32 %i, %tid.x;",
        "mov.u32 %i, %tid.x;\n.reg .pred %p;\nsetp.lt.u32 %p, %i, 16;",
    )
    text = text.replace("mma.sync", "@%p mma.sync")
    zeros = [np.zeros((32, n), np.uint32) for n in (4, 2, 4)]
    with pytest.raises(FindingError, match="divergence"):
        launch(text, grid=1, block=32, args=zeros)
