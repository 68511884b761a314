# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proofs of PTX: what has no race is proved, what has one never is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from indigo import PROGRAMS, Program
from ptx_mutation import mutants

from cuda_tile.emulator import __main__ as command
from cuda_tile.emulator import launch, parse
from cuda_tile.emulator.errors import FindingError
from cuda_tile.emulator.proof.kernel import Kernel
from cuda_tile.emulator.proof.search import Search
from cuda_tile.emulator.proof.step import Step
from cuda_tile.emulator.proof.values import Value
from cuda_tile.emulator.proof.verdict import Verdict, verdict_of
from cuda_tile.emulator.ptx.syntax import Register

FOLDER = Path(__file__).parent
FAULTS = FOLDER.parent / "faults"
COPIES = next(p for p in PROGRAMS if p.name == "copies 1 of 128" and not p.is_racy)

THREADS = {"reduction": 256, "scan": 128}
"""Programs of `programs/` that are proved, and threads of their CTAs."""


def verdict(text: str, threads: int) -> Verdict:
    """What is proved of the kernel of a text."""
    module = parse(text)
    (entry,) = (f for f in module.functions.values() if f.is_entry)
    return verdict_of(module, entry, (threads,))


def is_proved(text: str, threads: int) -> bool:
    """Whether all is."""
    found = verdict(text, threads)
    return not found.block and not found.grid


@pytest.mark.parametrize("pattern", dict.fromkeys(p.name.split()[0] for p in PROGRAMS))
def test_patterns(pattern: str) -> None:
    """A hundred programs: those that are racy, and no others, are not proved."""
    own = [p for p in PROGRAMS if p.name.startswith(f"{pattern} ")]
    assert len(own) == 10
    for program in own:
        assert is_proved(program.text, program.threads) is not program.is_racy


@pytest.mark.sampled(10)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.name} {p.is_racy}")
def test_the_emulator_says_the_same(program: Program) -> None:
    """What is called racy has a schedule that shows it, what is not has none."""
    n = program.threads
    found = False
    for seed in range(4 if program.is_racy else 1):
        if found:
            break
        data = (np.arange(2 * n + 64) % 7).astype(np.int32)
        args = [data, np.zeros(16 * n, np.int32), 3]
        try:
            launch(
                parse(program.text),
                "k",
                grid=(2,),
                block=(n,),
                args=args if "bounded" not in program.name else [*args[:2], 2 * n - 5],
                mode="adversarial",
                seed=seed,
            )
        except FindingError:
            found = True
    assert found is program.is_racy


@pytest.mark.parametrize("name", [*THREADS, "copies"])
def test_no_worse_mutant_is_proved(name: str) -> None:
    """Of programs that are: each barrier, wait and commit is needed."""
    if name == "copies":
        text, threads = COPIES.text, COPIES.threads
    else:
        text = (FOLDER / "programs" / f"{name}.ptx").read_text(encoding="utf-8")
        threads = THREADS[name]
    assert not verdict(text, threads).block
    found = list(mutants(text))
    assert found
    for mutant in found:
        if (mutant.kind, mutant.change) == ("group count", "-1"):
            continue  # which waits for more than is needed
        assert verdict(mutant.text, threads).block, str(mutant)


NOT_JUDGED = {
    *("trap", "misaligned", "out_of_bounds"),
    *("uninitialised_register", "uninitialised_shared_memory"),
}
"""Faults of values, bounds and alignment, of which a proof says nothing."""


@pytest.mark.parametrize("file", sorted(FAULTS.glob("*.ptx")), ids=lambda f: f.stem)
def test_no_fault_is_proved(file: Path) -> None:
    """Each kind of fault of the catalogue that is one of order."""
    text = file.read_text(encoding="utf-8")
    threads = 64 if "--block 64" in text else 32
    if file.stem not in NOT_JUDGED:
        assert not is_proved(text, threads)


def test_a_schedule_refutes(capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, and shows the fault again."""
    file = str(FAULTS / "race_between_ctas.ptx")
    launched = [file, "--grid", "2", "--block", "32", "zeros:i32[64]"]
    assert command.main([*launched, "--prove"]) == 1
    said = capsys.readouterr().out
    assert "k: refuted by --mode adversarial --seed 0: k: ptx line 22" in said
    assert command.main([*launched, "--mode", "adversarial", "--seed", "0"]) == 1


def test_what_is_proved_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a launch."""
    file = str(FOLDER / "programs" / "reduction.ptx")
    assert command.main([file, "--prove", "--block", "256"]) == 0
    assert capsys.readouterr().out == (
        "reduction: block proved\nreduction: grid proved: of one CTA along y and z\n"
    )


TWO_DIMENSIONS = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 more)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [out];
	ld.param.u64 %rd1, [more];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.COORDINATE;
	mad.lo.s32 %r3, %r1, 32, %r0;
	mad.lo.s32 %r4, %r2, 32, %r0;
	mad.wide.s32 %rd2, %r3, 4, %rd0;
	mad.wide.s32 %rd3, %r4, 4, %rd1;
	st.global.u32 [%rd2], %r0;
	st.global.u32 [%rd3], %r0;
	ret;
}
"""


@pytest.mark.parametrize("coordinate", "xy")
def test_one_coordinate_tells_ctas_apart(coordinate: str) -> None:
    """In all stores: else two CTAs meet in one of them, whatever the grid."""
    text = TWO_DIMENSIONS.replace("COORDINATE", coordinate)
    assert is_proved(text, 32) is (coordinate == "x")


def test_a_launch_needs_a_grid(capsys: pytest.CaptureFixture[str]) -> None:
    """Unless it is to be proved."""
    with pytest.raises(SystemExit):
        command.main(["k.ptx"])
    assert "arguments are required: --grid" in capsys.readouterr().err


BINARY = [
    *("add.s32", "sub.s32", "mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "and.b32"),
    *("or.b32", "xor.b32", "min.s32", "max.s32", "min.u32", "max.u32"),
]
STEPS = [
    *(f"{op} {{}}, %r1, %r2;" for op in BINARY),
    *(f"{op} {{}}, %r1, %r3;" for op in ("shl.b32", "shr.u32", "shr.s32")),
    *(f"{op} {{}}, %r0, 7;" for op in ("div.u32", "rem.u32", "div.s32", "rem.s32")),
    *(f"{op} {{}}, %r1;" for op in ("not.b32", "neg.s32", "abs.s32")),
    *(f"bfe.{t}32 {{}}, %r1, {a}, {b};" for t in "us" for a, b in ((3, 5), (30, 9))),
    *("bfe.s32 {}, %r1, %r3, 4;", "lop3.b32 {}, %r1, %r2, %r0, 0x6a;"),
    *("mad.lo.s32 {}, %r1, %r2, %r0;", "mad.lo.u32 {}, %r0, 12, %r2;"),
    *(
        f"setp.{compare}.{kind} %p1, %r1, %r2; selp.b32 {{}}, 5, 9, %p1;"
        for compare in ("lt", "le", "gt", "ge", "eq", "ne")
        for kind in ("s32", "u32")
    ),
    *(
        f"{wide} %rd1, %r1, {other}; shr.u64 %rd1, %rd1, {by}; cvt.u32.u64 {{}}, %rd1;"
        for wide, other in (("mul.wide.s32", "%r2"), ("mul.wide.u32", "%r0"))
        for by in (0, 7)
    ),
    "cvt.s64.s32 %rd1, %r1; shl.b64 %rd1, %rd1, 3; cvt.u32.u64 {}, %rd1;",
    "cvt.u16.u32 %h1, %r1; cvt.u32.u16 {}, %h1;",
    "cvt.u16.u32 %h1, %r1; cvt.s32.s16 {}, %h1;",
    "setp.lt.s32 %p1, %r1, 0; not.pred %p2, %p1; selp.b32 {}, %r1, %r2, %p2;",
]
"""Instructions that a proof follows, on numbers of all signs and sizes."""


@pytest.mark.parametrize("step", STEPS)
def test_numbers_are_those_of_the_emulator(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each thread, wherever they are known."""
    text = f""".version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
	.reg .pred %p<4>;
	.reg .b16 %h<4>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [out];
	mov.u32 %r0, %tid.x;
	mul.lo.s32 %r1, %r0, 0x9e3779b1;
	sub.s32 %r2, %r0, 31;
	mul.lo.s32 %r2, %r2, 0x3456789;
	and.b32 %r3, %r0, 31;
	{step.format("%r9")}
	mul.lo.s32 %r10, %r9, 0;
	add.s32 %r10, %r10, %r0;
	mad.wide.u32 %rd2, %r10, 4, %rd0;
	st.global.u32 [%rd2], %r9;
	ret;
}}
"""
    module = parse(text)
    out = np.zeros(64, np.uint32)
    launch(module, "k", grid=(1,), block=(64,), args=[out], mode="fast")
    search = Search(Kernel.of(module, module.functions["k"], (64, 1, 1), 0))
    noted: list[Value] = []
    value = next(r for r in search.kernel.followed if r.name == "%r9")
    write = Step.write

    def note(step: Step, register: Register, found: Value, **more: bool) -> None:
        noted.extend([found] if register is value else [])
        write(step, register, found, **more)

    monkeypatch.setattr(Step, "write", note)
    search.run()
    (found,) = noted
    numbers = found.numbers
    if numbers is not None:
        np.testing.assert_array_equal(numbers, out)


BARRIER_OF_ONE_WAY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 z, .param .u32 n)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    .shared .align 4 .b8 cells[256];
    ld.param.u64 %d1, [z];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, cells;
    mad.lo.s32 %r4, %r2, 4, %r3;
    st.shared.b32 [%r4], %r2;
    setp.eq.s32 %p1, %r1, 0;
    not.pred %p2, %p1;
    {first} bra ONE;
    bar.sync 0;
ONE:
    {second} bra TWO;
    bar.sync 0;
TWO:
    xor.b32 %r5, %r2, 32;
    mad.lo.s32 %r6, %r5, 4, %r3;
    ld.shared.b32 %r7, [%r6];
    mad.wide.u32 %d2, %r2, 4, %d1;
    st.global.b32 [%d2], %r7;
    ret;
}}
"""


@pytest.mark.parametrize("first", ["@%p1", "@!%p1", "@%p2", "@!%p2"])
@pytest.mark.parametrize("second", ["@%p1", "@!%p1", "@%p2", "@!%p2"])
def test_a_negated_condition_is_the_other_one(first: str, second: str) -> None:
    """Threads meet on every path if the second jump is taken where the first is not."""
    text = BARRIER_OF_ONE_WAY.format(first=first, second=second)
    holds = [jump in ("@%p1", "@!%p2") for jump in (first, second)]
    assert (not verdict(text, 64).block) is (holds[0] is not holds[1])
