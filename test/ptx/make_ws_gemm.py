# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes programs/ws_gemm.ptx: a warp-specialised GEMM as MLIR's NVVM ops make it.

C[M, N] = A[M, K] B[N, K]^T in bf16, 128 x 64 tiles. Warpgroup 0 copies tiles of A and B
with TMA into a ring of three stages; warpgroups 1 and 2 multiply 64 rows each with
wgmma, and store their rows with stmatrix and TMA.

Run `python make_ws_gemm.py FOLDER_OF_LLVM_TOOLS`; needs mlir-opt, mlir-translate, opt
and llc of LLVM 22.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TILE_N, TILE_K, STAGES, CONSUMERS = 64, 64, 3, 2
TILE_M = 64 * CONSUMERS
A_BYTES, B_BYTES = TILE_M * TILE_K * 2, TILE_N * TILE_K * 2
BARRIERS = STAGES * (A_BYTES + B_BYTES)
SHARED_BYTES = BARRIERS + 16 * STAGES
REGISTERS = TILE_N // 2
STRUCT = f"!llvm.struct<({', '.join(['f32'] * REGISTERS)})>"
SHARED = "!llvm.ptr<3>"
MAP = "{llvm.byval = !llvm.array<16 x i64>, llvm.align = 64 : i64, nvvm.grid_constant}"
# K-major, swizzle of 128 bytes, 8 rows in 1024 bytes.
DESCRIPTOR = 1 << 62 | 64 << 32 | 1 << 16


class Kernel:
    """The text of the function so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names = 0

    def add(self, text: str) -> None:
        """Adds lines."""
        self.lines += [line.strip() for line in text.strip().splitlines()]

    def name(self) -> str:
        """A new value's name."""
        self._names += 1
        return f"%v{self._names}"

    def let(self, expression: str) -> str:
        """Adds `value = expression`; returns the value."""
        name = self.name()
        self.lines.append(f"{name} = {expression}")
        return name

    def const(self, value: int, kind: str = "i32") -> str:
        """A constant."""
        return self.let(f"llvm.mlir.constant({value} : {kind}) : {kind}")

    def op(self, name: str, left: str, right: str | int, kind: str = "i32") -> str:
        """A binary operation; a number becomes a constant."""
        other = self.const(right, kind) if isinstance(right, int) else right
        return self.let(f"llvm.{name} {left}, {other} : {kind}")

    def equal(self, left: str, right: int) -> str:
        """Compares with a constant."""
        return self.let(f'llvm.icmp "eq" {left}, {self.const(right)} : i32')

    def at(self, offset: str | int) -> str:
        """A pointer into shared memory."""
        if isinstance(offset, int):
            index, types = f"[{offset}]", f"({SHARED})"
        else:
            index, types = f"[{offset}]", f"({SHARED}, i32)"
        return self.let(f"llvm.getelementptr %sm{index} : {types} -> {SHARED}, i8")

    def wait(self, label: str, barrier: str, parity: str) -> None:
        """Loops until a phase is over."""
        self.add(f"llvm.br ^{label}\n^{label}:")
        done = self.let(
            f"nvvm.mbarrier.try_wait {barrier}, {parity} : {SHARED}, i32 -> i1"
        )
        self.add(f"llvm.cond_br {done}, ^{label}done, ^{label}\n^{label}done:")

    def advance(self, stage: str, parity: str) -> tuple[str, str]:
        """The next stage of the ring and its parity."""
        following = self.op("add", stage, 1)
        wraps = self.equal(following, STAGES)
        flipped = self.op("xor", parity, 1)
        zero = self.const(0)
        return (
            self.let(f"llvm.select {wraps}, {zero}, {following} : i1, i32"),
            self.let(f"llvm.select {wraps}, {flipped}, {parity} : i1, i32"),
        )


def prologue(k: Kernel) -> None:
    """Barriers, roles."""
    k.add(f"""
        %sm = llvm.mlir.addressof @smem : {SHARED}
        %tid = nvvm.read.ptx.sreg.tid.x : i32
        %bx = nvvm.read.ptx.sreg.ctaid.x : i32
        %by = nvvm.read.ptx.sreg.ctaid.y : i32
        %zero = llvm.mlir.constant(0 : i32) : i32
        %all = llvm.mlir.constant(-1 : i32) : i32
        %last = llvm.mlir.constant(31 : i32) : i32
    """)
    row, column = k.op("mul", "%bx", TILE_M), k.op("mul", "%by", TILE_N)
    k.add(f"%row = llvm.add {row}, %zero : i32\n%col = llvm.add {column}, %zero : i32")
    group = k.op("lshr", "%tid", 7)
    k.add(f"%wg = nvvm.shfl.sync idx %all, {group}, %zero, %last : i32 -> i32")
    k.add(f"%lt = llvm.add {k.op('and', '%tid', 127)}, %zero : i32")
    k.add(f"llvm.cond_br {k.equal('%tid', 0)}, ^init, ^roles\n^init:")
    one, many = k.const(1), k.const(CONSUMERS)
    for stage in range(STAGES):
        full, empty = k.at(BARRIERS + 16 * stage), k.at(BARRIERS + 16 * stage + 8)
        k.add(f"nvvm.mbarrier.init {full}, {one} : {SHARED}, i32")
        k.add(f"nvvm.mbarrier.init {empty}, {many} : {SHARED}, i32")
    k.add("nvvm.fence.mbarrier.init\nllvm.br ^roles\n^roles:\nnvvm.barrier0")
    k.add(f"llvm.cond_br {k.equal('%wg', 0)}, ^producer, ^consumer")


def producer(k: Kernel) -> None:
    """Fills the ring."""
    k.add("^producer:\nnvvm.setmaxregister decrease 40")
    one = k.const(1)
    k.add(f"llvm.cond_br {k.equal('%lt', 0)}, ^fill, ^end\n^fill:")
    k.add(f"llvm.br ^loop(%zero, %zero, {one} : i32, i32, i32)")
    k.add("^loop(%pk: i32, %ps: i32, %pp: i32):")
    more = k.let('llvm.icmp "slt" %pk, %K : i32')
    k.add(f"llvm.cond_br {more}, ^body, ^end\n^body:")
    slot = k.op("add", k.op("mul", "%ps", 16), BARRIERS)
    full, empty = k.at(slot), k.at(k.op("add", slot, 8))
    k.wait("room", empty, "%pp")
    size = k.const(A_BYTES + B_BYTES)
    k.add(f"nvvm.mbarrier.arrive.expect_tx {full}, {size} : {SHARED}, i32")
    a = k.at(k.op("mul", "%ps", A_BYTES))
    b = k.at(k.op("add", k.op("mul", "%ps", B_BYTES), STAGES * A_BYTES))
    for target, tensor, row in ((a, "%tA", "%row"), (b, "%tB", "%col")):
        k.add(
            f"nvvm.cp.async.bulk.tensor.shared.cluster.global {target}, {tensor}, "
            f"{full}, box[%pk,{row}] {{isCTAOnly=true}} : {SHARED}, !llvm.ptr"
        )
    following = k.op("add", "%pk", TILE_K)
    stage, parity = k.advance("%ps", "%pp")
    k.add(f"llvm.br ^loop({following}, {stage}, {parity} : i32, i32, i32)")


def consumer(k: Kernel) -> str:
    """Multiplies; returns the number of the warpgroup among the consumers."""
    k.add("^consumer:\nnvvm.setmaxregister increase 232")
    mine, first = k.op("sub", "%wg", 1), k.equal("%lt", 0)
    k.add(f"%base = llvm.ptrtoint %sm : {SHARED} to i32")
    base = k.op("lshr", "%base", 4)
    head = k.const(DESCRIPTOR, "i64")
    value = k.let("llvm.mlir.constant(0.0 : f32) : f32")
    acc = k.let(f"llvm.mlir.undef : {STRUCT}")
    for i in range(REGISTERS):
        acc = k.let(f"llvm.insertvalue {value}, {acc}[{i}] : {STRUCT}")
    kinds = f"i32, i32, i32, i32, {STRUCT}"
    k.add(f"llvm.br ^mul(%zero, %zero, %zero, %zero, {acc} : {kinds})")
    k.add(f"^mul(%k: i32, %s: i32, %p: i32, %prev: i32, %acc: {STRUCT}):")
    more = k.let('llvm.icmp "slt" %k, %K : i32')
    k.add(f"llvm.cond_br {more}, ^step, ^epilogue\n^step:")
    k.wait("data", k.at(k.op("add", k.op("mul", "%s", 16), BARRIERS)), "%p")
    a = k.op("add", k.op("mul", "%s", A_BYTES // 16), k.op("mul", mine, 512))
    b = k.op("add", k.op("mul", "%s", B_BYTES // 16), STAGES * A_BYTES // 16)
    parts = [
        k.let(f"llvm.zext {k.op('add', part, base)} : i32 to i64") for part in (a, b)
    ]
    descriptors = [k.op("or", part, head, "i64") for part in parts]
    k.add("nvvm.wgmma.fence.aligned")
    acc = "%acc"
    for step in range(TILE_K // 16):
        left, right = (k.op("add", d, 2 * step, "i64") for d in descriptors)
        acc = k.let(
            f"nvvm.wgmma.mma_async {left}, {right}, {acc}, "
            f"<m = 64, n = {TILE_N}, k = 16>, D [<f32>, #nvvm.wgmma_scale_out<one>], "
            "A [<bf16>, #nvvm.wgmma_scale_in<one>, <row>], "
            "B [<bf16>, #nvvm.wgmma_scale_in<one>, <col>] "
            f": {STRUCT} -> {STRUCT}"
        )
    k.add("nvvm.wgmma.commit.group.sync.aligned\nnvvm.wgmma.wait.group.sync.aligned 1")
    started = k.let('llvm.icmp "ne" %k, %zero : i32')
    release = k.let(f"llvm.and {started}, {first} : i1")
    k.add(f"llvm.cond_br {release}, ^release, ^next\n^release:")
    empty = k.at(k.op("add", k.op("mul", "%prev", 16), BARRIERS + 8))
    k.let(f"nvvm.mbarrier.arrive {empty} : {SHARED} -> i64")
    k.add("llvm.br ^next\n^next:")
    following = k.op("add", "%k", TILE_K)
    stage, parity = k.advance("%s", "%p")
    k.add(f"llvm.br ^mul({following}, {stage}, {parity}, %s, {acc} : {kinds})")
    return mine


def epilogue(k: Kernel, mine: str) -> None:
    """Rounds, stores to shared memory, copies out."""
    k.add("^epilogue:\nnvvm.wgmma.wait.group.sync.aligned 0")
    # The buffer takes the place of rows of A that only this warpgroup reads.
    lane, warp = k.op("and", "%lt", 31), k.op("lshr", "%lt", 5)
    inside = k.op("add", k.op("and", lane, 15), k.op("mul", warp, 16))
    place = k.op("mul", inside, 2 * TILE_N)
    place = k.op("add", place, k.op("mul", k.op("lshr", lane, 4), 16))
    buffer = k.op("mul", mine, 64 * TILE_N * 2)
    place = k.op("add", place, buffer)
    for quad in range(REGISTERS // 8):
        words: list[str] = []
        for pair in range(4):
            i = 8 * quad + 2 * pair
            low, high = (
                k.let(f"llvm.extractvalue %acc[{i + j}] : {STRUCT}") for j in (0, 1)
            )
            vector = k.let("llvm.mlir.undef : vector<2xf32>")
            for index, value in enumerate((low, high)):
                vector = k.let(
                    f"llvm.insertelement {value}, {vector}[{k.const(index)} : i32] "
                    ": vector<2xf32>"
                )
            half = k.let(f"llvm.fptrunc {vector} : vector<2xf32> to vector<2xbf16>")
            words.append(k.let(f"llvm.bitcast {half} : vector<2xbf16> to i32"))
        target = k.at(k.op("add", place, 32 * quad))
        k.add(
            f"nvvm.stmatrix {target}, {', '.join(words)} "
            "{layout=#nvvm.mma_layout<row>, shape=#nvvm.ld_st_matrix_shape<m=8,n=8>, "
            f"eltType=#nvvm.ld_st_matrix_elt_type<b16>}} : {SHARED}, i32, i32, i32, i32"
        )
    k.add(
        "nvvm.fence.proxy "
        "{kind=#nvvm.proxy_kind<async.shared>, space=#nvvm.shared_space<cta>}"
    )
    k.add(f"nvvm.barrier id = %wg number_of_threads = {k.const(128)}")
    k.add(f"llvm.cond_br {k.equal('%lt', 0)}, ^out, ^end\n^out:")
    row = k.op("add", "%row", k.op("mul", mine, 64))
    k.add(f"""
        nvvm.cp.async.bulk.tensor.global.shared.cta %tC, {k.at(buffer)}, \
box[%col,{row}] : !llvm.ptr, {SHARED}
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0 {{read}}
        llvm.br ^end
        ^end:
        llvm.return
    """)


def module() -> str:
    """The whole MLIR text."""
    k = Kernel()
    prologue(k)
    producer(k)
    epilogue(k, consumer(k))
    maps = ", ".join(f"%t{name}: !llvm.ptr {MAP}" for name in "ABC")
    limits = (
        f"nvvm.kernel, nvvm.maxntid = array<i32: {128 * (CONSUMERS + 1)}>, "
        "nvvm.minctasm = 1 : i32"
    )
    body = "\n".join(k.lines)
    return f"""module {{
llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}} \
: !llvm.array<0 x i8>
llvm.func @ws_gemm({maps}, %K: i32) attributes {{{limits}}} {{
{body}
}}
}}
"""


def compile_text(text: str, tools: Path) -> str:
    """Runs the text through LLVM's tools; returns PTX."""
    chip = ["-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90a", "--nvptx-short-ptr"]
    for command in (
        ["mlir-opt", "--convert-nvvm-to-llvm", "--reconcile-unrealized-casts"],
        ["mlir-translate", "--mlir-to-llvmir"],
        ["opt", "-O3", "-S", *chip],
        ["llc", "-O3", "-mattr=+ptx88", *chip],
    ):
        done = subprocess.run(
            [tools / command[0], *command[1:]],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(done.stderr[:2000])
        text = done.stdout
    return text


if __name__ == "__main__":
    target = Path(__file__).parent / "programs" / "ws_gemm.ptx"
    target.write_text(compile_text(module(), Path(sys.argv[1])))
