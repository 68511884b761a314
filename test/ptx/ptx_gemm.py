# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the PTX of a matrix product: cp.async, ldmatrix, mma.sync, one or two stages.

C[M, N] = A[M, K] B[K, N], A and B f16 row-major, C f32 row-major. A CTA of
`warps_m * warps_n` warps makes one `tile_m x tile_n` tile; K is a multiple of 64.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TILE_K = 64


@dataclass
class Gemm:
    """Parameters of the kernel, and its text so far.

    Attributes:
        tile_m, tile_n: Rows and columns of a CTA's tile.
        warps_m, warps_n: How warps share the tile.
        stages: 1 waits for each copy, 2 copies the next block meanwhile.
        swizzles: Whether 16-byte chunks are permuted within each row of shared memory.
    """

    tile_m: int = 64
    tile_n: int = 64
    warps_m: int = 2
    warps_n: int = 2
    stages: int = 1
    swizzles: bool = True
    lines: list[str] = field(default_factory=list[str])

    @property
    def threads(self) -> int:
        """Threads per CTA."""
        return 32 * self.warps_m * self.warps_n

    @property
    def stage_bytes(self) -> int:
        """Shared memory of one stage."""
        return (self.tile_m + self.tile_n) * TILE_K * 2

    @property
    def shared_bytes(self) -> int:
        """Shared memory of all stages."""
        return self.stages * self.stage_bytes

    def emit(self, text: str) -> None:
        """Adds instructions, one per line of `text`."""
        self.lines += [line.strip() for line in text.strip().splitlines()]

    def text(self) -> str:
        """Returns the module."""
        self.lines = []
        self._prologue()
        self._main_loop()
        self._epilogue()
        body = "\n".join(f"\t{line}" for line in self.lines)
        return f"""
.version 8.3
.target sm_80
.address_size 64

.visible .entry gemm(
	.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 k
)
.reqntid {self.threads}
{{
	.reg .pred %p<4>;
	.reg .b32 %r<64>;
	.reg .b32 %a<{4 * self._rows}>;
	.reg .b32 %b<{2 * self._columns}>;
	.reg .f32 %c<{4 * self._rows * self._columns}>;
	.reg .b64 %rd<32>;
	.shared .align 128 .b8 tiles[{self.shared_bytes}];
{body}
}}
"""

    @property
    def _rows(self) -> int:
        """16-row blocks of a warp."""
        return self.tile_m // self.warps_m // 16

    @property
    def _columns(self) -> int:
        """8-column blocks of a warp."""
        return self.tile_n // self.warps_n // 8

    def _prologue(self) -> None:
        self.emit(f"""
            ld.param.u64 %rd0, [a];
            ld.param.u64 %rd1, [b];
            ld.param.u64 %rd2, [c];
            ld.param.u32 %r0, [n];
            ld.param.u32 %r1, [k];
            cvta.to.global.u64 %rd0, %rd0;
            cvta.to.global.u64 %rd1, %rd1;
            cvta.to.global.u64 %rd2, %rd2;
            mov.u32 %r2, %tid.x;
            and.b32 %r3, %r2, 31;
            shr.u32 %r4, %r2, 5;
            mov.u32 %r5, %ctaid.x;
            mov.u32 %r6, %ctaid.y;
            mul.lo.u32 %r5, %r5, {self.tile_n};
            mul.lo.u32 %r6, %r6, {self.tile_m};
            mov.u32 %r7, tiles;
            rem.u32 %r8, %r4, {self.warps_n};
            div.u32 %r9, %r4, {self.warps_n};
            mul.lo.u32 %r8, %r8, {self.tile_n // self.warps_n};
            mul.lo.u32 %r9, %r9, {self.tile_m // self.warps_m};
            and.b32 %r10, %r3, 15;
            shr.u32 %r11, %r3, 4;
            and.b32 %r12, %r3, 7;
        """)
        for number in range(4 * self._rows * self._columns):
            self.emit(f"mov.f32 %c{number}, 0f00000000;")
        if self.stages == 2:
            self.emit("mov.u32 %r13, 0;\nmov.u32 %r14, %r7;")
            self._copy()
        self.emit("mov.u32 %r13, 0;\nmov.u32 %r14, %r7;")

    def _copy(self) -> None:
        """Copies the blocks at K offset %r13 to the stage at %r14."""
        self._copy_tile("%rd0", "%r6", "%r1", self.tile_m, TILE_K, along_k=True)
        offset = self.tile_m * TILE_K * 2
        self.emit(f"add.u32 %r14, %r14, {offset};")
        self._copy_tile("%rd1", "%r13", "%r0", TILE_K, self.tile_n, along_k=False)
        self.emit(f"sub.u32 %r14, %r14, {offset};")
        self.emit("cp.async.commit_group;")

    def _copy_tile(
        self, base: str, row: str, pitch: str, rows: int, columns: int, *, along_k: bool
    ) -> None:
        chunks = columns // 8
        start = "%r13" if along_k else "%r5"
        for part in range(rows * chunks // self.threads):
            swizzle = (
                "and.b32 %r22, %r20, 7;\nxor.b32 %r22, %r22, %r21;"
                if self.swizzles
                else "mov.u32 %r22, %r21;"
            )
            self.emit(f"""
                add.u32 %r19, %r2, {part * self.threads};
                div.u32 %r20, %r19, {chunks};
                rem.u32 %r21, %r19, {chunks};
                {swizzle}
                mad.lo.u32 %r23, %r20, {columns * 2}, %r14;
                mad.lo.u32 %r23, %r22, 16, %r23;
                add.u32 %r24, %r20, {row};
                mad.lo.u32 %r25, %r21, 8, {start};
                mad.lo.u32 %r26, %r24, {pitch}, %r25;
                mad.wide.u32 %rd4, %r26, 2, {base};
                cp.async.cg.shared.global [%r23], [%rd4], 16;
            """)

    def _main_loop(self) -> None:
        self.emit("LOOP:")
        if self.stages == 2:
            self.emit(f"""
                mov.u32 %r15, %r14;
                add.u32 %r13, %r13, {TILE_K};
                sub.u32 %r14, %r14, %r7;
                xor.b32 %r14, %r14, {self.stage_bytes};
                add.u32 %r14, %r14, %r7;
                setp.ge.u32 %p0, %r13, %r1;
                @%p0 bra LAST;
            """)
            self._copy()
            self.emit("cp.async.wait_group 1;\nbra.uni READY;\nLAST:")
            self.emit("cp.async.wait_group 0;\nREADY:")
        else:
            self.emit("mov.u32 %r15, %r14;")
            self._copy()
            self.emit(f"add.u32 %r13, %r13, {TILE_K};\ncp.async.wait_group 0;")
        self.emit("bar.sync 0;")
        for step in range(TILE_K // 16):
            self._multiply(step)
        self.emit("""
            bar.sync 0;
            setp.lt.u32 %p1, %r13, %r1;
            @%p1 bra LOOP;
        """)

    def _multiply(self, step: int) -> None:
        for row in range(self._rows):
            self.emit(f"""
                add.u32 %r30, %r9, {16 * row};
                add.u32 %r30, %r30, %r10;
                add.u32 %r31, %r11, {2 * step};
            """)
            self._address(TILE_K)
            regs = ", ".join(f"%a{4 * row + i}" for i in range(4))
            self.emit(f"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{regs}}}, [%r32];")
        for pair in range(self._columns // 2):
            self.emit(f"""
                add.u32 %r30, %r10, {16 * step};
                add.u32 %r31, %r8, {16 * pair};
                shr.u32 %r31, %r31, 3;
                add.u32 %r31, %r31, %r11;
            """)
            self._address(self.tile_n)
            regs = ", ".join(f"%b{4 * pair + i}" for i in range(4))
            offset = self.tile_m * TILE_K * 2
            self.emit(
                f"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{{regs}}}, "
                f"[%r32+{offset}];"
            )
        for row in range(self._rows):
            for column in range(self._columns):
                first = 4 * (row * self._columns + column)
                c = ", ".join(f"%c{first + i}" for i in range(4))
                a = ", ".join(f"%a{4 * row + i}" for i in range(4))
                b = ", ".join(f"%b{2 * column + i}" for i in range(2))
                self.emit(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                    f"{{{c}}}, {{{a}}}, {{{b}}}, {{{c}}};"
                )

    def _address(self, columns: int) -> None:
        """%r32 = address of row %r30, 16-byte chunk %r31 of the stage at %r15."""
        if self.swizzles:
            self.emit("xor.b32 %r31, %r31, %r12;")
        self.emit(f"""
            mad.lo.u32 %r32, %r30, {columns * 2}, %r15;
            mad.lo.u32 %r32, %r31, 16, %r32;
        """)

    def _epilogue(self) -> None:
        self.emit("""
            shr.u32 %r40, %r3, 2;
            and.b32 %r41, %r3, 3;
            shl.b32 %r41, %r41, 1;
            add.u32 %r40, %r40, %r9;
            add.u32 %r40, %r40, %r6;
            add.u32 %r41, %r41, %r8;
            add.u32 %r41, %r41, %r5;
        """)
        for row in range(2 * self._rows):
            for column in range(self._columns):
                first = 4 * (row // 2 * self._columns + column) + 2 * (row % 2)
                self.emit(f"""
                    add.u32 %r42, %r40, {8 * row};
                    add.u32 %r43, %r41, {8 * column};
                    mad.lo.u32 %r44, %r42, %r0, %r43;
                    mad.wide.u32 %rd5, %r44, 4, %rd2;
                    st.global.v2.f32 [%rd5], {{%c{first}, %c{first + 1}}};
                """)
        self.emit("ret;")
