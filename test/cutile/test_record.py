# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded launches run again by `cuda-tile-run` and give the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from cutile_command import cutile, python
from json_schemas import fitting

PROGRAM = """
import cuda.tile as ct, cupy as cp, ml_dtypes

@ct.kernel
def scale(a, b, factor, T: ct.Constant[int]):
    i = ct.bid(0)
    x = ct.load(a, index=(i, 0), shape=(T, T))
    ct.store(b, index=(0, i), tile=(ct.transpose(x) * factor).astype(b.dtype))

for dtype in (cp.float32, ml_dtypes.bfloat16):
    a = cp.arange(16 * 24).reshape(16, 24)[:, ::2].astype(dtype)
    b = cp.zeros((8, 48), dtype)[:, ::3]
    ct.launch(0, (2,), scale, (a[:, :8], b, 3.0, 8))
"""


def replay(folder: Path) -> None:
    """Runs the recorded command and compares what it wrote with what was recorded."""
    environment_path = Path(sys.executable).parent
    subprocess.run(
        ["sh", folder / "run.sh"],
        check=True,
        env={"PATH": f"{environment_path}:/usr/bin:/bin"},
        capture_output=True,
    )
    again = sorted(folder.glob("*.again*.npy"))
    assert again
    for file in again:
        place, _, *number = file.stem.split(".")
        after = folder / ".".join([place, *number, "after.npy"])
        assert np.load(file).tobytes() == np.load(after).tobytes()


def test_recorded_launches_run_again(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    cutile("--record=launches", "program.py", folder=tmp_path)
    folders = sorted((tmp_path / "launches").iterdir())
    assert [folder.name for folder in folders] == ["0001-scale", "0002-scale"]
    for folder in folders:
        facts = fitting((folder / "launch.json").read_text(), "recorded")
        assert (facts["kernel"], facts["grid"]) == ("scale", [2, 1, 1])
        before, after = np.load(folder / "5.npy"), np.load(folder / "5.after.npy")
        assert before.tobytes() != after.tobytes()
        replay(folder)


LISTS = """
import cuda.tile as ct, cupy as cp, ml_dtypes

@ct.kernel
def shift(arrays, n):
    for i in range(len(arrays)):
        x = ct.load(arrays[i], index=(0, 0), shape=(4, 4))
        ct.store(arrays[i], index=(0, 0), tile=ct.transpose(x) + n)

for dtype in (cp.float32, ml_dtypes.bfloat16):
    arrays = [cp.arange(32).reshape(4, 8).astype(dtype)[:, ::2] for _ in range(3)]
    ct.launch(0, (1,), shift, (arrays, 2))
"""


def test_lists_of_arrays_run_again(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LISTS)
    cutile("--record=launches", "program.py", folder=tmp_path)
    for folder in sorted((tmp_path / "launches").iterdir()):
        before, after = np.load(folder / "0.1.npy"), np.load(folder / "0.1.after.npy")
        assert before.tobytes() != after.tobytes()
        replay(folder)
        assert len(list(folder.glob("*.again.*.npy"))) == 3


def test_record_in_a_program(tmp_path: Path) -> None:
    text = PROGRAM.replace("\nfor dtype", "\nfrom cuda_tile import cutile\nfor dtype")
    text = text.replace("    ct.launch", "    with cutile.record('here'): ct.launch")
    (tmp_path / "program.py").write_text(text)
    python("program.py", folder=tmp_path, code=1)  # without install there is no CuPy
    text = text.replace(
        "import cuda.tile",
        "import cuda_tile.cutile\ncuda_tile.cutile.install()\nimport cuda.tile",
    )
    (tmp_path / "program.py").write_text(text)
    python("program.py", folder=tmp_path)
    assert len(list((tmp_path / "here").iterdir())) == 2


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "launches").write_text("a file")
    done = cutile("--record=launches", "program.py", folder=tmp_path, code=1)
    assert "cannot record a launch in 'launches'" in done.stderr
