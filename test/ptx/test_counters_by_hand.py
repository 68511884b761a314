# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts against numbers derived by hand, with the derivation.

CUDA C++ Programming Guide, "Shared Memory": 32 banks of 4 bytes; successive words lie
in successive banks, and threads that read the same word share it. 128-bit accesses go
by quarter warps, so that 32 of them need 4 wavefronts at least. Global memory is
fetched in sectors of 32 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

import make_tc_gemm as tc
import numpy as np
import pytest
from ptx_arrays import aligned
from ptx_harness import module
from ptx_programs import FOLDER, PROGRAMS

from cuda_tile.emulator import Report, TensorMap, launch
from cuda_tile.targets import find_target


def counts_of(report: Report, mnemonic: str) -> Mapping[str, int | str]:
    """The counts of the only instruction of a mnemonic."""
    (found,) = [i for i in report.by_instruction() if i["mnemonic"] == mnemonic]
    return found


@pytest.mark.parametrize(("pitch", "ways"), [(33, 1), (32, 32), (34, 2), (36, 4)])
def test_transpose_through_shared_memory(pitch: int, ways: int) -> None:
    """A warp writes 32 words side by side, and reads 32 words `pitch` words apart.

    Lane i reads bank `pitch * i % 32`: for a pitch of 33 all banks once, for 32 one
    bank 32 times, for 34 each even bank twice, for 36 every fourth bank 4 times.
    3 x 3 CTAs of 8 warps with 4 rounds each make 288 accesses of a warp.
    """
    text = (FOLDER / "transpose.ptx").read_text()
    text = text.replace(", 33, ", f", {pitch}, ").replace("4224", str(32 * 4 * pitch))
    x, y = aligned((96, 96), np.float32), aligned((96, 96), np.float32)
    x[...] = np.arange(96 * 96).reshape(96, 96)
    report = launch(text, grid=(3, 3), block=(32, 8), args=[x, y, 96])
    assert (y == x.T).all()
    accesses = 3 * 3 * 8 * 4
    store, load = (counts_of(report, f"{op}.shared.f32") for op in ("st", "ld"))
    assert (store["warps"], store["wavefronts"]) == (accesses, accesses)
    assert (load["wavefronts"], load["bank_conflicts"]) == (
        accesses * ways,
        accesses * (ways - 1),
    )
    # A row of a tile is 32 * 4 bytes, 4 sectors, in both directions.
    assert report.totals["sectors"] == report.totals["min_sectors"] == 2 * accesses * 4


ROWS = """
.visible .entry k(.param .u64 y)
{
	.reg .b32 %i, %row, %part, %at, %v<4>;
	.reg .b64 %q;
	.shared .align 128 .b8 cells[4608];
	mov.u32 %i, %tid.x;
	mov.u32 %at, cells;
	mad.lo.u32 %at, %i, 16, %at;
	mov.u32 %v0, 0;
	FILL
	bar.sync 0;
	and.b32 %row, %i, 7;
	shr.u32 %part, %i, 3;
	ADDRESS
	mov.u32 %v1, cells;
	add.u32 %at, %at, %v1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%v0, %v1, %v2, %v3}, [%at];
	ret;
}
"""
FILL = "".join(
    f"st.shared.v4.b32 [%at+{512 * n}], {{%v0, %v0, %v0, %v0}};\n\t" for n in range(9)
)
# Lane 8 * part + row gives the address of a row of 16 bytes of matrix `part`.
ADDRESSES = {
    # Rows 128 bytes apart: all 8 of a matrix in the same 4 banks, one after another.
    "plain": ("shl.b32 %at, %row, 7; mad.lo.u32 %at, %part, 16, %at;", 4 * 8),
    # 144 bytes apart: row r in banks 4 * (9 * r) % 32, which are all different.
    "padded": ("mul.lo.u32 %at, %row, 144; mad.lo.u32 %at, %part, 16, %at;", 4),
    # 128 bytes apart, the 16-byte chunk number xor the row: again all different.
    "swizzled": (
        "xor.b32 %part, %part, %row; shl.b32 %at, %row, 7; "
        "mad.lo.u32 %at, %part, 16, %at;",
        4,
    ),
    # Rows side by side: 8 rows of 16 bytes are all 32 banks.
    "dense": ("shl.b32 %at, %part, 7; mad.lo.u32 %at, %row, 16, %at;", 4),
    # All matrices the same row: 4 banks, the words of which are shared by all rows.
    "one row": ("mov.u32 %at, 0;", 4),
}


@pytest.mark.parametrize("layout", ADDRESSES)
def test_ldmatrix(layout: str) -> None:
    """Each of the four matrices of 8 rows of 16 bytes takes at least a wavefront."""
    address, wavefronts = ADDRESSES[layout]
    text = module(ROWS.replace("FILL", FILL).replace("ADDRESS", address))
    found = counts_of(
        launch(text, grid=1, block=32, args=[None]),
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    )
    assert found["wavefronts"] == wavefronts
    assert found["bank_conflicts"] == wavefronts - 4
    assert found["bytes_shared_load"] == 32 * 16


GLOBAL = """
.visible .entry k(.param .u64 x)
{
	.reg .b32 %i, %v<8>;
	.reg .b64 %q, %p;
	.reg .f32 %f;
	.reg .pred %even, %low;
	.shared .align 16 .b8 cells[1024];
	mov.u32 %i, %tid.x;
	setp.lt.u32 %low, %i, 8;
	ld.param.u64 %q, [x];
	mov.u32 %v0, 1;
	mov.u32 %v1, cells;
	mad.lo.u32 %v2, %i, 16, %v1;
	LINE
	ret;
}
"""
# The instruction with its address, and what a warp of 32 lanes asks for: sectors, the
# least number of sectors for as many bytes, bytes.
ACCESSES = {
    # 32 * 4 bytes side by side: 4 sectors.
    "words": ("mad.wide.u32 %p, %i, 4, %q;", "ld.global.u32 %v3, [%p];", 4, 4, 128),
    # Every second word: 8 sectors, of which half would do.
    "every second": (
        "mad.wide.u32 %p, %i, 8, %q;",
        "ld.global.u32 %v3, [%p];",
        *(8, 4, 128),
    ),
    # A column of a matrix with rows of 128 bytes: a sector for each lane.
    "a column": (
        "mad.wide.u32 %p, %i, 128, %q;",
        "ld.global.u32 %v3, [%p];",
        *(32, 4, 128),
    ),
    # One word for all lanes: one sector.
    "one word": ("mov.u64 %p, %q;", "ld.global.u32 %v3, [%p];", 1, 1, 128),
    # Bytes: 32 of them are a sector.
    "bytes": ("mad.wide.u32 %p, %i, 1, %q;", "ld.global.u8 %v3, [%p];", 1, 1, 32),
    # Four words a lane: 512 bytes, 16 sectors.
    "vectors": (
        "mad.wide.u32 %p, %i, 16, %q;",
        "ld.global.v4.u32 {%v3, %v4, %v5, %v6}, [%p];",
        *(16, 16, 512),
    ),
    # Of 32 lanes only 8 load.
    "eight lanes": (
        "mad.wide.u32 %p, %i, 4, %q;",
        "@%low ld.global.u32 %v3, [%p];",
        *(1, 1, 32),
    ),
    # Shifted by a word, 32 words lie in 5 sectors.
    "shifted": (
        "mad.wide.u32 %p, %i, 4, %q; add.u64 %p, %p, 4;",
        "st.global.u32 [%p], %v0;",
        *(5, 4, 128),
    ),
    "atomics": (
        "mad.wide.u32 %p, %i, 4, %q;",
        "atom.global.add.u32 %v3, [%p], %v0;",
        *(4, 4, 128),
    ),
    "atomics on one word": (
        "mov.u64 %p, %q;",
        "red.global.add.u32 [%p], %v0;",
        *(1, 1, 128),
    ),
    "copies": (
        "mad.wide.u32 %p, %i, 16, %q;",
        "cp.async.cg.shared.global [%v2], [%p], 16;",
        *(16, 16, 512),
    ),
}
PATHS = {
    "ld": "bytes_global_load",
    "st": "bytes_global_store",
    "atom": "bytes_global_atomic",
    "red": "bytes_global_atomic",
    "cp": "bytes_copy_in",
}


@pytest.mark.parametrize("name", ACCESSES)
def test_global_memory(name: str) -> None:
    address, line, sectors, least, size = ACCESSES[name]
    text = module(GLOBAL.replace("LINE", f"{address}\n\t{line}"))
    report = launch(text, grid=1, block=32, args=[aligned((1024,), np.uint32)])
    mnemonic = line.removeprefix("@%low ").split()[0]
    found = counts_of(report, mnemonic)
    assert (found["requests"], found["warps"]) == (1, 1)
    assert (found["sectors"], found["min_sectors"]) == (sectors, least)
    assert found["bytes"] == found[PATHS[mnemonic.split(".")[0]]] == size
    assert report.totals["sectors"] == sectors


TENSOR = """
.visible .entry k(.param .align 64 .b8 map[128], .param .u32 column)
{
	.reg .b32 %c, %zero;
	.reg .b64 %m, %state;
	.reg .pred %first, %done;
	.shared .align 128 .b8 box[4096];
	.shared .align 8 .b64 bar;
	mov.u32 %c, %tid.x;
	setp.eq.u32 %first, %c, 0;
	mov.u64 %m, map;
	cvta.param.u64 %m, %m;
	ld.param.u32 %c, [column];
	mov.u32 %zero, 0;
	@%first mbarrier.init.shared.b64 [bar], 1;
	@%first fence.proxy.async.shared::cta;
	bar.sync 0;
	@!%first bra WAIT;
	mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 4096;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
		[box], [%m, {%c, %zero}], [bar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;
	@!%done bra WAIT;
	ret;
}
"""


@pytest.mark.parametrize(("column", "inside"), [(0, 32), (32, 32), (48, 16)])
def test_tensor_copies(column: int, inside: int) -> None:
    """A box of 32 rows of 32 floats: rows of 128 bytes, 4 sectors each.

    Of a box that leaves an array of 64 columns only what lies inside is fetched, but
    shared memory gets all 4096 bytes.
    """
    x = aligned((96, 64), np.float32)
    args = [TensorMap(x, (32, 32)), column]
    report = launch(module(TENSOR, "sm_90"), grid=1, block=32, args=args)
    totals = report.totals
    assert totals["bytes_copy_in"] == 32 * 32 * 4
    assert totals["sectors"] == totals["min_sectors"] == 32 * inside * 4 // 32


@pytest.mark.parametrize(("columns", "lines"), [(4, 1), (32, 1), (64, 2)])
def test_each_row_of_a_box_has_lines_of_its_own(columns: int, lines: int) -> None:
    """Rows of 16, 128 and 256 bytes; the bytes are those of the first."""
    x = aligned((1024, 64), np.float32)
    rows = 4096 // (4 * columns)
    report = launch(
        module(TENSOR, "sm_90"),
        grid=1,
        block=32,
        args=[TensorMap(x, (rows, columns)), 0],
        bounds=find_target("sm_90"),
    )
    assert report.bounds is not None
    assert report.bounds.grid.bulk_lines == rows * lines


PRODUCT = """
.visible .entry k()
{
	.reg .b32 %i, %a<8>;
	.reg .f32 %d<4>;
	.reg .pred %p;
	mov.b32 %a0, 0; mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, 0;
	mov.b32 %a4, 0; mov.b32 %a5, 0;
	mov.f32 %d0, 0f00000000; mov.f32 %d1, 0f00000000;
	mov.f32 %d2, 0f00000000; mov.f32 %d3, 0f00000000;
	mov.u32 %i, 0;
AGAIN:
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
		{%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a4, %a5}, {%d0, %d1, %d2, %d3};
	mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
		{%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a4, %a5}, {%d0, %d1, %d2, %d3};
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 3;
	@%p bra AGAIN;
	ret;
}
"""


def test_operations_of_matrix_products() -> None:
    """2 M N K for each warp: two CTAs of four warps go round three times."""
    report = launch(module(PRODUCT), grid=2, block=128, args=[])
    warps = 2 * 4 * 3
    assert report.totals["flops"] == warps * 2 * 16 * 8 * (16 + 8)
    (loop,) = report.loops()
    assert loop.rounds == warps
    assert loop.instruction_mix == {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32": warps,
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32": warps,
        "add.u32": warps,
        "setp.lt.u32": warps,
        "bra": warps,
    }


@pytest.mark.parametrize(("name", "ctas"), [("tc_gemm", 1), ("tc_gemm_pair", 2)])
def test_operations_of_tensor_memory_products(name: str, ctas: int) -> None:
    """Four tiles of 128 rows by TILE_N columns for each CTA, two blocks along K."""
    totals = PROGRAMS[name].run("fast").totals
    assert totals["flops"] == ctas * 2 * tc.ROWS * 4 * tc.TILE_N * 2 * tc.TILE_K
    # Each CTA copies its rows of A, and its part of those of B, for every tile.
    columns = tc.TILE_N // ctas
    copied = ctas * 4 * 2 * tc.TILE_K * (tc.ROWS + columns) * 2
    assert totals["bytes_copy_in"] == copied
    assert totals["bytes_global_store"] == ctas * tc.ROWS * 4 * tc.TILE_N * 4


MEETING = """
.visible .entry k(.param .u64 y)
{
	.reg .b32 %i, %n, %v<4>, %sum;
	.reg .b64 %q;
	.reg .pred %p, %more;
	.shared .align 128 .b8 cells[512];
	mov.u32 %i, %tid.x;
	mov.u32 %n, 0;
	mov.u32 %sum, 0;
	mov.u32 %v0, cells;
	mad.lo.u32 %v1, %i, 16, %v0;
	st.shared.v4.b32 [%v1], {%i, %i, %i, %i};
	setp.eq.u32 %p, %i, 0;
$round:
	@%p bra $one;
$all:
	add.u32 %n, %n, 1;
	ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v2}, [%v0];
	xor.b32 %sum, %sum, %v2;
	setp.lt.u32 %more, %n, 5;
	@%more bra $round;
	ret;
$one:
	not.b32 %sum, %sum;
	bra.uni $all;
}
"""


def test_lanes_that_wait_for_others_have_not_run_what_comes_behind() -> None:
    """Lane 0 comes alone in each of five rounds, and the warp goes on as one."""
    report = launch(
        module(MEETING), grid=2, block=32, args=[np.zeros(1, np.uint32)], limit=10_000
    )
    rounds = 2 * 5
    found = {op: counts_of(report, op)["warps"] for op in ("add.u32", "xor.b32")}
    assert found == {"add.u32": 2 * rounds, "xor.b32": rounds}
    assert counts_of(report, "not.b32")["warps"] == rounds
    assert counts_of(report, "setp.lt.u32")["warps"] == rounds
    name = "ldmatrix.sync.aligned.m8n8.x1.shared.b16"
    assert counts_of(report, name)["warps"] == rounds
