"""`python -m cuda_tile.emulator`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cuda_tile.emulator.__main__ import main

PROGRAM = str(Path(__file__).parent / "programs" / "reduction.ptx")
LAUNCH = ["--grid", "2", "--block", "256"]


def test_it_runs_saves_and_counts(tmp_path: Path, capsys) -> None:
    target = tmp_path / "sums.npy"
    args = [PROGRAM, *LAUNCH, "ones:f32[512]", f"out:{target}:f32[2]"]
    assert main(args) == 0
    assert np.load(target).tolist() == [256, 256]
    assert capsys.readouterr().out.startswith("reduction")


def test_json_and_listing(capsys) -> None:
    args = [PROGRAM, *LAUNCH, "ones:f32[512]", "zeros:f32[2]"]
    assert main([*args, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "reduction"
    assert main([*args, "--listing", "--mode", "adversarial"]) == 0
    assert "bar.sync" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([*LAUNCH, "ones:f32[512]"], "expected 2 arguments, got 1"),
        (["--grid", "2", "--block", "64", "ones:f32[8]", "1"], "expected a block"),
        ([*LAUNCH, "ones:f32[300]", "zeros:f32[2]"], "out of bounds"),
        ([*LAUNCH, "what", "zeros:f32[2]"], "expected a number"),
    ],
)
def test_mistakes_are_one_sentence(args: list[str], message: str, capsys) -> None:
    assert main([PROGRAM, *args]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_a_missing_file(capsys) -> None:
    assert main(["none.ptx", *LAUNCH]) == 1
    assert "none.ptx" in capsys.readouterr().err


def test_findings_can_be_collected(tmp_path: Path, capsys) -> None:
    text = Path(PROGRAM).read_text().replace("bar.sync 0;", "", 1)
    path = tmp_path / "racy.ptx"
    path.write_text(text)
    args = [str(path), *LAUNCH, "--collect", "ones:f32[512]", "zeros:f32[2]"]
    assert main(args) == 1
    assert "finding: reduction: ptx line" in capsys.readouterr().err
