# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tools/ecosystem`: our kernels beside themselves, and beside planted faults."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ecosystem
import kernel_records.__main__ as command_module
import pytest
from compiler_mutants import BARRIERS, Mutant
from kernel_records.compare import Limits, changes, table
from kernel_records.own import CHIPS, differences, gone, own_files, own_tasks, rows_at
from kernel_records.record import Row, Task, Wish, files_of, record
from kernel_records.states import (
    ROOT,
    Rows,
    read_rows,
    rows_of_state,
    without_times,
    write_rows,
)
from tool_command import Command

from cuda_tile.errors import UserError

KERNELS = ROOT / "test" / "kernels" / "13.4"
NAMES = ("vadd_f32_1024", "softmax_f32_1024")
FILES = [KERNELS / f"{name}.tileirbc" for name in NAMES]
PACKAGE = Path("python", "cuda_tile")


def planted(folder: Path, mutant: Mutant) -> Path:
    """A checkout with a change in one module."""
    skipped = shutil.ignore_patterns("_mlir", "__pycache__")
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=skipped)
    (folder / PACKAGE / "_mlir").symlink_to((ROOT / PACKAGE / "_mlir").resolve())
    path = folder / PACKAGE / f"{mutant.module.replace('.', '/')}.py"
    path.write_text(mutant.applied(path.read_text()))
    return folder


def test_a_state_beside_itself_has_no_change(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "now.json"
    words = [*FILES, "--before", ROOT, "-o", out]
    result = command(command_module, *words)
    assert result.code == 0, result.err
    assert result.out == "no change\n2 kernels, 0 changes, 0 for the worse\n"
    rows = read_rows(out)
    assert [row["outcome"] for row in rows] == ["compiled"] * 2
    assert all(row["registers"] > 0 and row["executed"] > 100 for row in rows)
    assert not any(row["finding"] or row["spill_bytes"] for row in rows)
    again = command(command_module, "--before", out, "--after", out)
    assert (again.code, again.out) == (0, result.out)


REFUSING = Mutant(
    "additions are refused",
    "emit.float",
    '_LLVM = {\n    "addf": "llvm.fadd",\n',
    "_LLVM = {\n",
)
RACING = next(m for m in BARRIERS if m.name.startswith("a shared read after a write"))
BROKEN = Mutant(
    "it cannot be imported", "errors", "from __future__", "import nowhere #"
)


@pytest.mark.parametrize(
    ("mutant", "worse"),
    [
        (REFUSING, ["vadd_f32_1024", "outcome", "compiled", "internal error"]),
        (RACING, ["softmax_f32_1024", "finding", "-", "race"]),
    ],
    ids=lambda each: each.name.replace(" ", "-") if isinstance(each, Mutant) else "",
)
def test_planted_states_are_worse(
    command: Command, tmp_path: Path, mutant: Mutant, worse: Sequence[str]
) -> None:
    state = planted(tmp_path / "other", mutant)
    words = [*FILES, "--before", ROOT, "--after", state]
    result = command(command_module, *words)
    assert result.code == command_module.WORSE, result.err
    lines = [line for line in result.out.splitlines() if line.startswith("worse")]
    assert any(all(word in line for word in worse) for line in lines), result.out
    back = command(command_module, *FILES, "--before", state, "--after", ROOT)
    assert back.code == 0, back.out
    assert worse[0] in back.out


def test_what_is_no_state(command: Command, tmp_path: Path) -> None:
    broken = planted(tmp_path / "broken", BROKEN)
    with pytest.raises(UserError, match="its Python failed"):
        rows_of_state(str(broken), Wish((("file", str(FILES[0])),)))
    with pytest.raises(UserError, match="expected a record, a checkout or a revision"):
        rows_of_state("no-such-revision", Wish(()))
    (tmp_path / "odd.json").write_text("{}")
    with pytest.raises(UserError, match="expected a record in"):
        rows_of_state(str(tmp_path / "odd.json"), Wish(()))


def test_kernels_are_needed(command: Command, tmp_path: Path) -> None:
    result = command(command_module, tmp_path / "nothing", "--before", ROOT)
    assert "expected kernels to record" in result.sentence


def test_a_kernel_that_does_not_compile_has_a_row(tmp_path: Path) -> None:
    path = tmp_path / "odd.mlir"
    path.write_text("nothing")
    (row,) = record(Wish((("odd", str(path)),), runs=False, cubin=False))
    assert (row.kernel, row.outcome) == ("odd", "refused")
    assert row.message.startswith("UserError: ")


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.mlir").write_text("nothing")
    names = [name for name, _ in files_of([tmp_path])]
    assert names == ["new/k", "old/k"]


def test_what_did_not_compile_before_is_no_worse() -> None:
    refused = asdict(Row("file", "sm_90", "refused", "one"))
    for other in ({"message": "another"}, {"outcome": "internal error"}):
        for rows in ((refused, {**refused, **other}), ({**refused, **other}, refused)):
            (*found,) = changes([rows[0]], [rows[1]], Limits())
            assert found
            assert not any(each.is_worse for each in found)


def test_seconds_are_of_what_both_have() -> None:
    row = asdict(BEFORE)
    more = [{**row, "kernel": f"file{n} entry"} for n in range(9)]
    assert not [*changes([row], [row, *more], Limits())]


BEFORE = Row("file entry", "sm_90", "compiled", "", 64, 0, 1000, 500, 900, "", 1.0)


@pytest.mark.parametrize(
    ("change", "is_worse"),
    [
        ({"registers": 70}, False),
        ({"registers": 80}, True),
        ({"spill_bytes": 4}, True),
        ({"shared_bytes": 1050}, False),
        ({"shared_bytes": 1200}, True),
        ({"ptx": 505}, False),
        ({"ptx": 600}, True),
        ({"ptx": 100}, False),
        ({"executed": 1000}, True),
        ({"executed": None, "finding": "FindingError: race"}, True),
        ({"kernel": "file", "outcome": "refused", "message": "no"}, True),
        ({"kernel": "file", "outcome": "died (-11)"}, True),
        ({"seconds": 2.9}, None),
        ({"seconds": 3.1}, True),
        ({"kernel": "other entry"}, None),
        ({}, None),
    ],
)
def test_changes(change: dict[str, Any], is_worse: bool | None) -> None:
    before = asdict(BEFORE)
    found = list(changes([before], [{**before, **change}], Limits()))
    assert bool(found) == (is_worse is not None)
    assert any(each.is_worse for each in found) == bool(is_worse)
    back = list(changes([{**before, **change}], [before], Limits()))
    if change.get("outcome"):
        assert back
    if is_worse and not change.get("finding"):
        assert not any(each.is_worse for each in back)


def test_the_table_has_the_worst_first() -> None:
    before = asdict(BEFORE)
    after = {**before, "registers": 60, "spill_bytes": 8, "ptx": 250}
    lines = table(list(changes([before], [after], Limits()))).splitlines()
    assert lines[1].split()[0] == "worse"
    assert lines[1].split()[-3:] == ["spill_bytes", "0", "8"]
    assert lines[3].endswith("-50.0 %")


def committed() -> Rows:
    return rows_at(str(ROOT))


def test_the_sample_has_each_kernel_on_one_chip_and_moves() -> None:
    whole = own_tasks(None)
    assert len(whole) == len(own_files()) * len(CHIPS)
    seen: set[Task] = set()
    for salt in map(str, range(40)):
        tasks = own_tasks(salt)
        assert [file for file, _ in tasks] == own_files()
        seen.update(tasks)
    assert seen == set(whole)


def test_the_committed_record_is_of_our_kernels() -> None:
    rows = committed()
    assert not gone(rows)
    assert {row["kernel"].partition(" ")[0] for row in rows} == {
        n for n, _ in own_files()
    }
    assert {row["gpu"] for row in rows} == set(CHIPS)
    assert all(row["outcome"] == "compiled" and row["executed"] for row in rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"registers": 255}, "for the worse"),
        ({"registers": 1}, "registers"),
        ({"ptx": 1}, "ptx"),
        ({"finding": "race", "executed": None}, "for the worse"),
        ({"kernel": "13.4/another another"}, "compiled"),
        ({"gpu": "sm_75"}, "sm_75"),
    ],
    ids=str,
)
def test_a_stale_record_fails(
    change: dict[str, Any],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    now = committed()
    summary = tmp_path / "summary.md"
    monkeypatch.setenv(ecosystem.SUMMARY, str(summary))
    assert ecosystem.compare(now) == 0
    assert "our kernels since" in summary.read_text() or "not compared" in (
        summary.read_text()
    )
    assert "stale" not in capsys.readouterr().out
    now[0] = {**now[0], **change}
    assert ecosystem.compare(now) == 1
    out = capsys.readouterr().out
    assert ecosystem.WRITE in out
    assert said in out
    assert summary.read_text().count("### Our kernels") == 2


def test_a_file_that_is_refused_now_has_no_row_of_its_own() -> None:
    before = [
        row for row in committed() if row["kernel"].startswith("tilecpp/softmax ")
    ]
    name, gpu = "tilecpp/softmax", before[0]["gpu"]
    found = differences(before, [asdict(Row(name, gpu, "refused", "no"))], Limits())
    outcomes = [each for each in found if each.what == "outcome"]
    assert [each.is_worse for each in outcomes] == [True, True]
    assert all(each.kernel.startswith(f"{name} ") for each in outcomes)


def test_a_kernel_that_is_gone_is_in_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    files = own_files()[1:]
    monkeypatch.setattr("kernel_records.own.own_files", lambda: files)
    assert {change.gpu for change in gone(committed())} == set(CHIPS)


def test_records_of_revisions_are_read_from_git(command: Command) -> None:
    result = command(command_module, "--before", "HEAD", "--after", "HEAD")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("no change\n")
    result = command(command_module, "--before", "no-such-revision")
    assert "expected a revision with bench/ecosystem.json" in result.sentence


def test_a_record_leaves_out_what_is_usual(tmp_path: Path) -> None:
    path, row = tmp_path / "record.json", asdict(Row("file entry", "sm_90", ptx=9))
    write_rows(path, [row])
    assert json.loads(path.read_text())["rows"] == [
        {"kernel": "file entry", "gpu": "sm_90", "ptx": 9}
    ]
    assert read_rows(path) == [row]
    later = {**row, "seconds": 99.0}
    assert without_times([later]) == [row]
    assert not [*changes([row], [later], Limits())], "a record without times"
