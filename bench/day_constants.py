# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that measure the constants of the model of clocks (chip_clocks.py).

Each is PTX of one warp, or one CTA for a barrier. It runs a chain of instructions that
need each other's results once, then twice as long, and stores the clock before, between
and after: the difference of both is the chain without what is around it. As ptxas moves
what has no effects, a chain begins with what the clock before it gave, and a jump that
needs its result stands before the clock behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

CHAIN = 64
"""Instructions of the shorter chain."""
SPIN_CLOCKS = 4_000_000
PTX_VERSION = "8.8"

_TEXT = """\
.version {version}
.target {target}
.address_size 64
.visible .entry probe(.param .u64 out, .param .u64 cell)
{{
  .reg .b64 %zero, %pin, %out, %cell, %t0, %t1, %t2, %p, %state;
  .reg .b32 %lane, %a, %b, %c, %d, %m; .reg .f32 %f, %f0, %f1, %f2, %f3; .reg .pred %q;
  .shared .align 16 .b8 data[16];
  .shared .align 8 .b64 bar;
  ld.param.u64 %out, [out];
  ld.param.u64 %cell, [cell];
  ld.global.u64 %zero, [%cell+8];
  mov.u32 %lane, %tid.x;
{setup}
  bar.sync 0;
  mov.u64 %t0, %clock64;
{first}
{once}
{known}
  mov.u64 %t1, %clock64;
{second}
{twice}
{known}
  mov.u64 %t2, %clock64;
  setp.ne.u32 %q, %lane, 0;
  @%q bra END;
  st.global.u64 [%out], %t0;
  st.global.u64 [%out+8], %t1;
  st.global.u64 [%out+16], %t2;
{kept}
END:
  ret;
}}
"""
_SPIN = """\
.version {version}
.target {target}
.address_size 64
.visible .entry probe(.param .u64 out, .param .u64 cell)
{{
  .reg .b64 %out, %t0, %t1, %n0, %n1, %d; .reg .pred %q;
  ld.param.u64 %out, [out];
  mov.u64 %n0, %globaltimer;
  mov.u64 %t0, %clock64;
MORE:
  mov.u64 %t1, %clock64;
  sub.u64 %d, %t1, %t0;
  setp.lt.u64 %q, %d, {spin};
  @%q bra MORE;
  mov.u64 %n1, %globaltimer;
  sub.u64 %n1, %n1, %n0;
  st.global.u64 [%out], %d;
  st.global.u64 [%out+8], %n1;
  ret;
}}
"""
_MATRIX = """\
  ld.global.b32 %a, [%cell]; mov.b32 %b, %a;
  mov.b32 %f, %a; mov.b32 %f1, %a; mov.b32 %f2, %a; mov.b32 %f3, %a;"""
_BARRIER = """\
  setp.ne.u32 %q, %lane, 0;
  @%q bra READY;
  mov.u32 %m, bar;
  mbarrier.init.shared.b64 [%m], 1;
  fence.mbarrier_init.release.cluster;
READY:
  mov.u32 %m, bar; mov.u32 %a, data;"""


@dataclass(frozen=True)
class Value:
    """What goes through a chain.

    Attributes:
        name: Its register.
        bits: Of the register.
        load: Lines that give it its first value.
    """

    name: str
    bits: int
    load: str

    def pinned(self, clock: str) -> str:
        """Lines that change nothing, but need a clock: `zero` is 0 in memory."""
        return f"""\
  and.b64 %pin, {clock}, %zero;
  cvt.u{self.bits}.u64 %{"d" if self.bits == 32 else "state"}, %pin;
{self._mixed()}"""

    def _mixed(self) -> str:
        if self.bits == 64:
            return f"  xor.b64 {self.name}, {self.name}, %state;"
        word = "%c"
        return f"""\
  mov.b32 {word}, {self.name};
  xor.b32 {word}, {word}, %d;
  mov.b32 {self.name}, {word};"""

    @property
    def known(self) -> str:
        """Lines that jump if it is what it never is."""
        kind = {"%f": "f32", "%a": "b32"}.get(self.name, "b64")
        never = "0f40400000" if kind == "f32" else "12345"
        return f"  setp.eq.{kind} %q, {self.name}, {never};\n  @%q bra END;"

    @property
    def kept(self) -> str:
        """Lines that store it, so that the chain is not removed."""
        return f"  st.global.b{self.bits} [%cell], {self.name};"


FLOAT = Value("%f", 32, "  ld.global.f32 %f, [%cell];")
WORD = Value("%a", 32, "  ld.global.b32 %a, [%cell];")
LONG = Value("%p", 64, "")


@dataclass(frozen=True)
class Probe:
    """A program for one constant.

    Attributes:
        constant: Its name in `ChipClocks`.
        line: One instruction of the chain; `{n}` stands for its number.
        value: What goes through the chain; None for barriers, which ptxas leaves.
        setup: Lines before the clock, if not the value's.
        threads: Threads of the CTA.
        since: First chip that has it.
    """

    constant: str
    line: str
    value: Value | None = None
    setup: str = ""
    threads: int = 32
    since: int = 80

    def text(self, target: str) -> str:
        """The PTX for a target such as `sm_90a`."""
        words = {"version": PTX_VERSION, "target": target}
        if self.constant == "boost_ghz":
            return _SPIN.format(**words, spin=SPIN_CLOCKS)
        value = self.value
        return _TEXT.format(
            **words,
            setup=self.setup or (value.load if value else ""),
            first=value.pinned("%t0") if value else "",
            second=value.pinned("%t1") if value else "",
            once=self._chain(0, CHAIN),
            twice=self._chain(CHAIN, 2 * CHAIN),
            known=value.known if value else "",
            kept=value.kept if value else "",
        )

    def _chain(self, first: int, count: int) -> str:
        return "\n".join(self.line.format(n=first + n) for n in range(count))


_WAIT = """\
W{n}:
  mbarrier.try_wait.shared.b64 %q, [%m], %state;
  @!%q bra W{n};"""
PROBES = (
    Probe("alu", "  fma.rn.f32 %f, %f, %f, %f;", FLOAT),
    Probe("special", "  ex2.approx.ftz.f32 %f, %f;", FLOAT),
    Probe(
        "matrix",
        "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f,%f1,%f2,%f3}}, "
        "{{%a,%a,%a,%a}}, {{%b,%b}}, {{%f,%f1,%f2,%f3}};",
        FLOAT,
        _MATRIX,
    ),
    Probe(
        "shared",
        "  ld.volatile.shared.u32 %a, [%a];",
        WORD,
        "  mov.u32 %a, data; st.volatile.shared.u32 [%a], %a;",
    ),
    Probe(
        "shuffle",
        "  shfl.sync.idx.b32 %a, %a, %a, 31, -1;",
        WORD,
        # What is the same in all lanes needs no shuffle, and ptxas knows it.
        "  ld.global.b32 %a, [%cell]; xor.b32 %a, %a, %lane;",
    ),
    Probe(
        "l2",
        "  ld.relaxed.gpu.global.u64 %p, [%p];",
        LONG,
        "  st.global.u64 [%cell], %cell; membar.gl; mov.u64 %p, %cell;",
    ),
    Probe("barrier", "  bar.sync 0;", threads=128),
    Probe(
        "mbarrier",
        "  mbarrier.arrive.shared.b64 %state, [%m];\n" + _WAIT,
        setup=_BARRIER,
        threads=1,
        since=90,
    ),
    Probe(
        "bulk",
        "  mbarrier.arrive.expect_tx.shared.b64 %state, [%m], 16;\n"
        "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%a], [%cell], 16, [%m];\n" + _WAIT,
        setup=_BARRIER,
        threads=1,
        since=90,
    ),
    Probe("boost_ghz", "", threads=1),
)
UNMEASURED = {
    "dram": "needs a chase through more than L2 holds",
    "dram_bytes": "part of the times of softmax",
    "l2_bytes": "needs all multiprocessors at once",
    "request": "needs warps of all four schedulers that load at once",
    "bulk_line": "needs a ring of tensor maps; part of the products' times",
    "jump": "hidden by what is fetched ahead",
    "drain": "part of the products' times",
    "matrix_share": "part of the products' times",
    "matrix_slower": "part of the products' times",
    "loaded_ghz": "the clock beside the products' times",
    "launch_us": "part of small launches' times",
}
"""Constants that no program here measures, and why or by what they show."""
