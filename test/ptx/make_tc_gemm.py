# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes programs/tc_gemm.ptx and tc_gemm_pair.ptx: a GEMM with tensor memory.

C[M, N] = A[M, K] B[N, K]^T of f16 with f32 results, for sm_100a. A CTA, or a pair of
them, goes over some tiles of 128 (256) x 32. Warp 0 copies A and B with TMA into a ring
of three stages, swizzled by 128 bytes; warp 1 multiplies with tcgen05.mma into one of
two accumulators in tensor memory; warps 2 to 5 bring the other accumulator to registers
and store it. In a pair each CTA has half the rows of A and half the columns of B; the
first CTA multiplies for both.

Run `python make_tc_gemm.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROWS, TILE_N, TILE_K, STAGES = 128, 32, 64, 3
COLUMNS = 2 * TILE_N
A_BYTES = ROWS * TILE_K * 2
THREADS = 192
# tcgen05 fences order what they must across relaxed synchronisation.
RELAXED = ".relaxed.cluster"
# K-major, swizzle of 128 bytes, 8 rows in 1024 bytes.
DESCRIPTOR = 2 << 61 | 1 << 46 | 64 << 32 | 1 << 16


@dataclass(frozen=True)
class TensorGemm:
    """The kernel of one CTA, or of a pair.

    Attributes:
        group: CTAs that multiply together, 1 or 2.
    """

    group: int = 1

    @property
    def name(self) -> str:
        """Name of the entry and of the file."""
        return "tc_gemm_pair" if self.group == 2 else "tc_gemm"

    @property
    def b_bytes(self) -> int:
        """One CTA's part of a tile of B."""
        return TILE_N // self.group * TILE_K * 2

    @property
    def stage_bytes(self) -> int:
        """Distance of the stages in shared memory."""
        return A_BYTES + -(-self.b_bytes // 1024) * 1024

    @property
    def idesc(self) -> int:
        """Instruction descriptor: f16 to f32, both K-major."""
        return 1 << 4 | TILE_N >> 3 << 17 | ROWS * self.group >> 4 << 24

    def meet(self) -> str:
        """All threads of the CTA, or of the pair, meet."""
        if self.group == 1:
            return "bar.sync 0;"
        return "barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;"

    def wait(self, label: str, barrier: str, parity: str, order: str = "") -> str:
        """Loops until a phase is over; `order` where the default is too much."""
        if self.group == 2 and not order:
            order = ".acquire.cluster"
        return f"""
{label}:
    mbarrier.try_wait.parity{order}.shared::cta.b64 %done, [{barrier}], {parity};
    @!%done bra {label};"""

    def commit(self, barrier: str) -> str:
        """What this thread started arrives at a barrier, of both CTAs in a pair."""
        head = f"@%one tcgen05.commit.cta_group::{self.group}.mbarrier::arrive::one"
        if self.group == 1:
            return f"{head}.shared::cluster.b64 [{barrier}];"
        return f"{head}.shared::cluster.multicast::cluster.b64 [{barrier}], %both;"

    def setup(self) -> str:
        """mbarriers, tensor memory, roles."""
        stages = "\n    ".join(
            f"@%init mbarrier.init.shared::cta.b64 [{name}+{8 * i}], {count};"
            for name, number, count in (
                ("full", STAGES, 1),
                ("empty", STAGES, 1),
                ("ready", 2, 1),
                ("drained", 2, 4 * self.group),
            )
            for i in range(number)
        )
        group = f"cta_group::{self.group}"
        # The peer must have started before the pair allocates.
        meeting = "barrier.cluster.arrive.relaxed.aligned;\n    "
        meeting += "barrier.cluster.wait.aligned;\n    "
        started = meeting * (self.group - 1)
        return f"""
    mov.u32 %thread, %tid.x;
    shr.u32 %warp, %thread, 5;
    and.b32 %lane, %thread, 31;
    mov.u32 %rank, %cluster_ctarank;
    mov.u32 %row, %ctaid.x;
    mul.lo.u32 %row, %row, {ROWS};
    ld.param.u32 %tiles, [tiles];
    ld.param.u32 %steps, [steps];
    setp.eq.u32 %one, %lane, 0;
    setp.eq.u32 %init, %thread, 0;
    mov.u32 %ring, ring;
    mov.u32 %full, full;
    mov.u32 %empty, empty;
    mov.u32 %ready, ready;
    mov.u32 %drained, drained;
    {stages}
    @%init fence.mbarrier_init.release.cluster;
    {started}setp.ne.u32 %p, %warp, 1;
    @%p bra MADE;
    tcgen05.alloc.{group}.sync.aligned.shared::cta.b32 [slot], {COLUMNS};
    tcgen05.relinquish_alloc_permit.{group}.sync.aligned;
MADE:
    {self.meet()}
    ld.shared.b32 %base, [slot];
    mov.u32 %tile, 0;
    mov.u32 %stage, 0;
    setp.eq.u32 %p, %warp, 1;
    @%p bra MULTIPLY;
    setp.gt.u32 %p, %warp, 1;
    @%p bra STORE;"""

    def advance(self) -> str:
        """The next stage of the ring and its parity."""
        return f"""
    add.u32 %stage, %stage, 1;
    setp.eq.u32 %p, %stage, {STAGES};
    @%p mov.u32 %stage, 0;
    @%p xor.b32 %parity, %parity, 1;"""

    def producer(self) -> str:
        """Warp 0 fills the ring; in a pair all bytes count at the first CTA."""
        size = (A_BYTES + self.b_bytes) * self.group
        expect = "@%one"
        remote = ""
        suffix = ""
        column = "%col"
        if self.group == 2:
            expect = "@%lead"
            suffix = ".cta_group::2"
            remote = "mapa.shared::cluster.u32 %far, %fullk, 0;"
            column = "%half"
        target = "%far" if self.group == 2 else "%fullk"
        halves = f"mad.lo.u32 %half, %rank, {TILE_N // 2}, %col;" * (self.group - 1)
        copies = "\n    ".join(
            f"@%one cp.async.bulk.tensor.2d.shared::cluster.global"
            f".mbarrier::complete_tx::bytes{suffix} [{place}], "
            f"[{tensor}, {{%k, {row}}}], [{target}];"
            for place, tensor, row in (("%a", "%ta", "%row"), ("%b", "%tb", column))
        )
        return f"""
    setp.eq.and.u32 %lead, %rank, 0, %one;
    mov.b64 %ta, ta;
    cvta.param.u64 %ta, %ta;
    mov.b64 %tb, tb;
    cvta.param.u64 %tb, %tb;
    mov.u32 %parity, 1;
LOADTILE:
    setp.ge.u32 %p, %tile, %tiles;
    @%p bra END;
    mul.lo.u32 %col, %tile, {TILE_N};
    {halves}
    mov.u32 %step, 0;
LOADSTEP:
    mad.lo.u32 %emptyk, %stage, 8, %empty;
    mad.lo.u32 %fullk, %stage, 8, %full;
    {remote}{self.wait("ROOM", "%emptyk", "%parity")}
    {expect} mbarrier.arrive.expect_tx.shared::cta.b64 _, [%fullk], {size};
    mad.lo.u32 %a, %stage, {self.stage_bytes}, %ring;
    add.u32 %b, %a, {A_BYTES};
    mul.lo.u32 %k, %step, {TILE_K};
    {copies}{self.advance()}
    add.u32 %step, %step, 1;
    setp.lt.u32 %p, %step, %steps;
    @%p bra LOADSTEP;
    add.u32 %tile, %tile, 1;
    bra LOADTILE;"""

    def multiplier(self) -> str:
        """Warp 1 multiplies, of the first CTA in a pair."""
        products = "\n    ".join(
            f"add.u64 %da, %dak, {2 * i};\n    add.u64 %db, %dbk, {2 * i};\n    "
            f"@%one tcgen05.mma.cta_group::{self.group}.kind::f16 [%d], %da, %db, "
            f"%idesc, {'%keeps' if i == 0 else '%yes'};"
            for i in range(TILE_K // 16)
        )
        skip = "setp.ne.u32 %p, %rank, 0;\n    @%p bra END;" * (self.group - 1)
        return f"""
MULTIPLY:
    {skip}
    mov.u32 %idesc, {self.idesc};
    mov.u16 %both, 3;
    setp.eq.u32 %yes, 0, 0;
    mov.u32 %parity, 0;
NEXTTILE:
    setp.ge.u32 %p, %tile, %tiles;
    @%p bra END;
    and.b32 %which, %tile, 1;
    mad.lo.u32 %d, %which, {TILE_N}, %base;
    mad.lo.u32 %readyk, %which, 8, %ready;
    mad.lo.u32 %drainedk, %which, 8, %drained;
    shr.u32 %turn, %tile, 1;
    and.b32 %turn, %turn, 1;
    xor.b32 %turn, %turn, 1;{self.wait("DRAIN", "%drainedk", "%turn", RELAXED)}
    tcgen05.fence::after_thread_sync;
    mov.u32 %step, 0;
MULSTEP:
    mad.lo.u32 %emptyk, %stage, 8, %empty;
    mad.lo.u32 %fullk, %stage, 8, %full;{self.wait("DATA", "%fullk", "%parity")}
    mad.lo.u32 %a, %stage, {self.stage_bytes}, %ring;
    shr.u32 %a, %a, 4;
    cvt.u64.u32 %dak, %a;
    add.u64 %dak, %dak, {DESCRIPTOR};
    add.u64 %dbk, %dak, {A_BYTES >> 4};
    setp.ne.u32 %keeps, %step, 0;
    {products}
    {self.commit("%emptyk")}{self.advance()}
    add.u32 %step, %step, 1;
    setp.lt.u32 %p, %step, %steps;
    @%p bra MULSTEP;
    {self.commit("%readyk")}
    add.u32 %tile, %tile, 1;
    bra NEXTTILE;"""

    def storer(self) -> str:
        """Warps 2 to 5 store what is ready, 32 rows each."""
        names = [f"%c{i}" for i in range(TILE_N)]
        stores = "\n    ".join(
            f"st.global.v4.b32 [%out+{4 * i}], {{{', '.join(names[i : i + 4])}}};"
            for i in range(0, TILE_N, 4)
        )
        arrive = "@%one mbarrier.arrive.relaxed.cluster"
        remote = ""
        if self.group == 2:
            remote = "mapa.shared::cluster.u32 %drainedk, %drainedk, 0;"
            arrive += ".shared::cluster.b64 _, [%drainedk];"
        else:
            arrive += ".shared::cta.b64 _, [%drainedk];"
        return f"""
STORE:
    and.b32 %part, %warp, 3;
    shl.b32 %place, %part, 21;
    add.u32 %base, %base, %place;
    mad.lo.u32 %row, %part, 32, %row;
    add.u32 %row, %row, %lane;
    ld.param.u64 %out, [result];
    mul.lo.u32 %place, %tiles, {TILE_N * 4};
    mad.wide.u32 %out, %row, %place, %out;
STORETILE:
    setp.ge.u32 %p, %tile, %tiles;
    @%p bra END;
    and.b32 %which, %tile, 1;
    mad.lo.u32 %d, %which, {TILE_N}, %base;
    mad.lo.u32 %readyk, %which, 8, %ready;
    mad.lo.u32 %drainedk, %which, 8, %drained;
    {remote}
    shr.u32 %turn, %tile, 1;
    and.b32 %turn, %turn, 1;{self.wait("SUM", "%readyk", "%turn", RELAXED)}
    tcgen05.fence::after_thread_sync;
    tcgen05.ld.sync.aligned.32x32b.x{TILE_N}.b32 {{{", ".join(names)}}}, [%d];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.fence::before_thread_sync;
    {arrive}
    {stores}
    add.u64 %out, %out, {4 * TILE_N};
    add.u32 %tile, %tile, 1;
    bra STORETILE;"""

    def text(self) -> str:
        """The PTX."""
        cluster = ".reqnctapercluster 2, 1, 1\n" if self.group == 2 else ""
        numbers = "thread warp lane rank row tiles steps ring full empty ready drained "
        numbers += "base tile stage parity step col half a b k fullk emptyk readyk "
        numbers += "drainedk far d idesc which turn part place"
        declared = ", ".join(f"%{name}" for name in numbers.split())
        body = "".join(
            [self.setup(), self.producer(), self.multiplier(), self.storer()]
        )
        lines = [line.rstrip() for line in body.splitlines() if line.strip()]
        return f"""// Made by make_tc_gemm.py.
.version 8.6
.target sm_100a
.address_size 64

.visible .entry {self.name}(
    .param .align 64 .b8 ta[128],
    .param .align 64 .b8 tb[128],
    .param .u64 result,
    .param .u32 tiles,
    .param .u32 steps
)
.reqntid {THREADS}
{cluster}{{
    .reg .b32 {declared};
    .reg .b32 %c<{TILE_N}>;
    .reg .b64 %da, %db, %dak, %dbk, %out, %ta, %tb;
    .reg .b16 %both;
    .reg .pred %p, %one, %init, %lead, %done, %keeps, %yes;
    .shared .align 1024 .b8 ring[{STAGES * self.stage_bytes}];
    .shared .align 8 .b64 full[{STAGES}];   // a stage has its bytes
    .shared .align 8 .b64 empty[{STAGES}];  // a stage was multiplied
    .shared .align 8 .b64 ready[2];  // an accumulator is complete
    .shared .align 8 .b64 drained[2];  // an accumulator was stored
    .shared .align 4 .b32 slot;
{chr(10).join(lines)}
END:
    {self.meet()}
    setp.ne.u32 %p, %warp, 1;
    @%p bra LEAVE;
    tcgen05.dealloc.cta_group::{self.group}.sync.aligned.b32 %base, {COLUMNS};
LEAVE:
    ret;
}}
"""


if __name__ == "__main__":
    for kernel in (TensorGemm(1), TensorGemm(2)):
        path = Path(__file__).parent / "programs" / f"{kernel.name}.ptx"
        path.write_text(kernel.text())
