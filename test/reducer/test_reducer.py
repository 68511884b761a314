# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reducer: what it leaves of a program, and that it always leaves the fault."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from planted_faults import PLANTED, Planted

import cuda_tile
from cuda_tile import UserError
from cuda_tile.reducer import Check, Kind, Progress, read_source, reduce_text

WORDS = """cuda_tile.module @m {
  entry @first() { return }
  entry @second(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %ten = constant <i32: 10> : tile<i32>
    %sum, %old = for %i in (%zero to %n, step %ten) : tile<i32>
        iter_values(%s = %zero, %o = %ten) -> (tile<i32>, tile<i32>) {
      %next = addi %s, %i : tile<i32>
      continue %next, %s : tile<i32>, tile<i32>
    }
    %many = iota : tile<64xi32>
    %is = cmpi equal %sum, %old, signed : tile<i32> -> tile<i1>
    if %is {
      %t = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
    }
    return
  }
}"""
RACE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) // stores
{
  .reg .pred %q; .reg .b32 %r<6>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x; add.u32 %r2,
      %r1, 40;
  setp.lt.u32 %q, %r1, 32;
  @%q bra END;
  st.global.u32 [%d1], %r2;
END:
  ret;
}
"""


def reduced(text: str, form: str, jobs: int = 1) -> str:
    """What is left of Tile IR or PTX that a form must stand in."""
    source = read_source(text.encode())

    def has_form(tried: str) -> bool:
        return re.search(form, tried, re.DOTALL) is not None

    return reduce_text(source.text, source.kinds, has_form, jobs=jobs)


def body(text: str) -> list[str]:
    """The operations of a text, without their numbers and types."""
    return re.findall(r"^ {6,}(?:%.* = )?(\w+)", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("form", "left"),
    [
        ("return", ["return"]),
        ("store_ptr_tko", ["constant", "store_ptr_tko", "return"]),
        ("cmpi", ["constant", "constant", "cmpi", "return"]),
        ("for ", ["constant", "constant", "for", "return"]),
    ],
)
def test_what_is_left(form: str, left: list[str]) -> None:
    made = reduced(WORDS, form)
    assert sorted(set(body(made))) == sorted(set(left)), made
    assert len(body(made)) <= len(left), made
    assert made.count("entry @") == 1


def test_loops_carry_only_what_is_needed() -> None:
    made = reduced(WORDS, r"for .*addi")
    assert "iter_values" not in made


def test_parameters_go() -> None:
    assert "()" in reduced(WORDS, "iota")


def test_extents_and_constants_shrink() -> None:
    assert "tile<1xi32>" in reduced(WORDS, "iota")
    assert "64" not in reduced(WORDS, "iota")
    assert "<i32: 1>" in reduced(WORDS, r"constant <i32: [1-9]")


def test_statements_of_ptx_go() -> None:
    made = reduced(RACE, r"st\.global")
    assert [line.split()[0] for line in made.splitlines() if line.endswith(";")] == [
        ".reg",
        ".reg",
        "st.global.u32",
    ]


def test_what_nobody_reads_loses_lines_and_bytes() -> None:
    data = b"\x7fTileIR\x00\xff one\ntwo three\nfour"
    source = read_source(data, "raw")
    assert source.encode(source.text) == data
    left = reduce_text(source.text, source.kinds, lambda text: "\xff" in text)
    assert source.encode(left) == b"\xff"
    two = reduce_text(source.text, source.kinds, lambda text: {*"ow"} <= {*text})
    assert {*two} - {"\n"} == {*"ow"}


@pytest.mark.parametrize("text", [WORDS, RACE])
def test_jobs_change_nothing(text: str) -> None:
    form = "add"
    assert reduced(text, form) == reduced(text, form, jobs=3)


def test_one_job_is_checked_by_the_thread_that_searches() -> None:
    """Only the main thread may set a timer that ends a check."""
    threads = set[threading.Thread]()

    def shows_fault(text: str) -> bool:
        threads.add(threading.current_thread())
        return "ow" in text

    source = read_source(b"one\ntwo\nfour low", "raw")
    assert reduce_text(source.text, source.kinds, shows_fault) == "ow"
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("planted", PLANTED[::5], ids=lambda p: p.kernel)
def test_planted_faults(planted: Planted) -> None:
    source = planted.source()
    left = reduce_text(source.text, source.kinds, planted.is_in)
    assert planted.is_in(left)
    assert (
        int(source.size(left).split()[0]) <= planted.most + 3
    )  # modules, entry, return
    cuda_tile.load(left.encode())


def test_time_ends_a_search() -> None:
    seen: list[Progress] = []
    kinds = [Kind("cut", len, lambda text, places: text[: -len(places)] or None)]
    left = reduce_text(
        "x" * 64, kinds, lambda text: True, is_over=lambda: len(seen) > 2,
        watch=seen.append,
    )  # fmt: skip
    assert 0 < len(left) < 64


@pytest.mark.parametrize(
    ("command", "wanted", "says", "is_met"),
    [
        ("true", "0", None, True),
        ("false", "0", None, False),
        ("false", "1", None, True),
        ("false", "nonzero", None, True),
        ("exit 70 #", "70", None, True),
        ("kill -SEGV $$ #", "signal", None, True),
        ("sleep 9 #", "timeout", None, True),
        ("sleep 9 #", "nonzero", None, False),
        ("cat", "0", "ent.y @k", True),
        ("cat {} >&2; false #", "any", "entry", True),
        ("cat", "any", "no such", False),
    ],
)
def test_checks(command: str, wanted: str, says: str | None, is_met: bool) -> None:
    check = Check(command, wanted, says, limit_s=0.5 if "sleep" in command else 20)
    assert check.shows_fault(b"entry @k") == is_met


def test_commands_leave_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    check = Check(f"(sleep 1; touch {mark}) & echo {{}} > {tmp_path / 'name'}; true #")
    assert check.shows_fault(b"")
    assert not Path((tmp_path / "name").read_text().strip()).exists()
    assert not mark.exists()


@pytest.mark.parametrize(
    ("wanted", "says", "message"),
    [
        ("never", None, "expected an exit status or one of any, nonzero"),
        ("0", "(", "expected a regular expression, got '\\('"),
    ],
)
def test_wrong_conditions(wanted: str, says: str | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Check("true", wanted, says)


def test_wrong_files() -> None:
    with pytest.raises(UserError, match="got a cubin"):
        read_source(b"\x7fELF")
    with pytest.raises(UserError, match="got PTX"):
        read_source(RACE.encode(), "bytecode")
