# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-tile-run: results, saved arrays, and bad arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tool_command import KERNELS, SCALE, Command

from cuda_tile.cli import run as tool

ADD = KERNELS / "13.4" / "vadd_i32_8.tileirbc"
ARRAYS = ("arange:i32[16]", "ones:i32[16]", "zeros:i32[16]")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("executor", ["interp", "emulator"])
def test_out_arrays_are_saved(command: Command, folder: Path, executor: str):
    np.save("a.npy", np.arange(16, dtype=np.int32))
    words = ("a.npy", "arange:i32[16]", "out:c.npy:i32[16]", f"--on={executor}")
    assert command(tool, ADD, "--grid", "2", *words).code == 0
    assert np.load("c.npy").tolist() == list(range(0, 32, 2))
    assert np.load("a.npy").tolist() == list(range(16))
    assert sorted(path.name for path in folder.iterdir()) == ["a.npy", "c.npy"]


@pytest.mark.parametrize("words", [(), ("--on=emulator", "--seed=1")])
def test_what_a_preceding_grid_writes_is_waited_for(
    command: Command, words: tuple[str, ...]
):
    done = command(tool, ADD, "--grid", "2", *ARRAYS, "--preceding", "0,1", *words)
    assert done.code == 1
    assert "preceding grid" in done.err


def test_shapes_and_strides_may_be_given(command: Command):
    words = [word for array in ARRAYS for word in (array, "16", "1")]
    assert "1 to 16" in command(tool, ADD, "--grid", "2", *words).out


def test_negative_numbers_are_arguments(command: Command):
    words = ("arange:f32[16]", "zeros:f32[16]", "-2", "--grid", "1")
    assert "argument 1: float32[16] -30 to -0" in command(tool, SCALE, *words).out


def test_nothing_changed_is_said(command: Command):
    words = ("zeros:f32[16]", "zeros:f32[16]", "2", "--grid", "1")
    assert "no argument was changed" in command(tool, SCALE, *words).out


def test_nan_is_counted(command: Command):
    words = ("zeros:f32[16]", "zeros:f32[16]", "nan", "--grid", "1")
    assert "float32[16] all NaN" in command(tool, SCALE, *words).out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (ARRAYS, "required: --grid"),
        ((*ARRAYS, "--grid", "x"), "expected --grid with integers"),
        ((*ARRAYS, "--grid", "1,1,1,1"), "expected a grid of 1 to 3"),
        ((*ARRAYS, "--grid", "0"), "expected a grid of 1 to 3 positive"),
        ((*ARRAYS[:2], "--grid", "2"), "expected 9 parameters, got 6 of 2 arguments"),
        (
            (*ARRAYS[:2], "zeros:f32[16]", "--grid", "2"),
            "argument 2: expected an array",
        ),
        ((*ARRAYS[:2], "7", "--grid", "2"), "argument 2: int becomes 1 parameter; exp"),
        ((*ARRAYS, "--grid", "2", "--kernel", "f"), "it has: vadd_i32_8"),
        (
            (*ARRAYS, "--grid", "2", "--print", "3"),
            "--print of arguments 0 to 2, got 3",
        ),
        ((*ARRAYS, "--grid", "2", "--gpu", "sm_1", "--on=emulator"), "got 'sm_1'"),
        ((*ARRAYS, "--grid", "2", "--trace", "--on=gpu"), "--on=interp with --trace"),
        ((*ARRAYS[:2], "no.npy", "--grid", "2"), "cannot read 'no.npy'"),
        ((*ARRAYS[:2], "zeros:i99[2]", "--grid", "2"), "got 'i99'"),
        ((*ARRAYS[:2], "what", "--grid", "2"), "got 'what'"),
        ((*ARRAYS[:2], "out:x/c.npy:i32[16]", "--grid", "2"), "cannot write 'x/c.npy'"),
    ],
)
def test_bad_command_line(
    command: Command, folder: Path, words: tuple[str, ...], expected: str
):
    assert expected in command(tool, ADD, *words).sentence
    assert not list(folder.iterdir())


@pytest.mark.parametrize("executor", ["interp", "emulator"])
def test_store_outside_every_array(command: Command, folder: Path, executor: str):
    arrays = ("ones:i32[16]", "16", "1", "ones:i32[16]", "16", "1")
    words = (*arrays, "out:c.npy:i32[8]", "16", "1", "--grid", "2")
    sentence = command(tool, ADD, *words, f"--on={executor}").sentence
    assert "outside every array" in sentence
    assert "vadd_i32_8" in sentence
    assert not list(folder.iterdir())


def test_no_gpu_is_said(command: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ctypes.CDLL", _no_library)
    words = (*ARRAYS, "--grid", "2", "--on=gpu")
    assert "cannot run on a GPU" in command(tool, ADD, *words).sentence


def _no_library(*_: object, **__: object) -> None:
    raise OSError("no such library")


CUMSUM = KERNELS / "13.4" / "cumsum_f32_1024.tileirbc"
SUMS = ("randn:f32[16,64]", "zeros:f32[16,64]", "--grid", "16")


def test_permissive_mode(command: Command):
    assert "outside the index space" in command(tool, ADD, "--grid", "3", *ARRAYS).err
    words = (*ARRAYS, "--grid", "3", "--mode", "permissive")
    assert "1 to 16" in command(tool, ADD, *words).out


def test_a_limit_of_operations(command: Command):
    done = command(tool, ADD, *ARRAYS, "--grid", "2", "--limit", "30")
    assert done.code == 1
    assert "tile block (1, 0, 0): 'cuda_tile.assume': more than 30 ops ran" in done.err


@pytest.mark.parametrize("on", ["interp", "emulator"])
def test_findings_are_collected(command: Command, on: str):
    Path("k.mlir").write_text(RACE)
    words = ("zeros:i32[4]", f"--on={on}", "--collect", "--mode", "adversarial")
    assert command(tool, "k.mlir", *words, "--grid", "1").code == 0
    done = command(tool, "k.mlir", *words, "--grid", "2")
    assert done.code == 1
    assert "finding: k: " in done.out
    assert not done.err


RACE = """cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>) {
  %i, %j, %l = get_tile_block_id : tile<i32>
  %t = store_ptr_tko weak %p, %i : tile<ptr<i32>>, tile<i32> -> token
  return
} }"""


BAD_PARAMETER = "cuda_tile.module @m { entry @k(%a: i32) { return } }"
BAD_GLOBAL = """cuda_tile.module @m {
  global @g alignment = 1975239246281627091 <i32: 0> : tile<1xi32>
  entry @k() { return }
}"""


@pytest.mark.parametrize("on", ["interp", "emulator"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            BAD_PARAMETER,
            "expected parameters that are tiles, such as tile<i32>, got",
        ),
        (BAD_GLOBAL, "expected an alignment that is a power of two up to"),
    ],
    ids=["parameter", "global"],
)
def test_what_the_fuzz_found(command: Command, text: str, message: str, on: str):
    """Both are valid for the verifier, and were internal errors."""
    Path("k.mlir").write_text(text)
    assert message in command(tool, "k.mlir", "--grid", "1", f"--on={on}").sentence


FAILS = """
cuda_tile.module @m { entry @k(%n: tile<i32>) {
  %t = print_tko "n is %d", %n : tile<i32> -> token
  CHECK
  return
} }
"""


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("%q = divi %n, %n signed : tile<i32>", "division by zero"),
        ('%c = trunci %n : tile<i32> -> tile<i1>\nassert %c, "odd" : tile<i1>', "odd"),
    ],
    ids=["error", "assert"],
)
def test_what_was_printed_before_an_error(command: Command, check: str, message: str):
    Path("k.mlir").write_text(FAILS.replace("CHECK", check))
    done = command(tool, "k.mlir", "--grid", "1", "0")
    assert (done.code, done.out) == (1, "n is 0\n")
    assert message in done.err


def test_errors_name_the_argument_of_the_command(command: Command):
    done = command(tool, CUMSUM, *SUMS, "--shuffle", "1")
    assert "seed 0: argument 5: " in done.err
    note = "argument 5 of the kernel is argument 1 that was passed, float32[16,64]"
    assert done.err.splitlines()[-1] == note
    words = [word for array in ARRAYS[:2] for word in (array, "16", "1")]
    done = command(tool, ADD, *words, "zeros:i32[8]", "16", "1", "--grid", "2")
    assert "nearest is argument 6: int32[8]" in done.sentence  # as it was written


def test_an_interrupt_says_where_it_was(
    command: Command, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object, **__: object) -> None:
        error = KeyboardInterrupt()
        error.add_note("k stood here")
        raise error

    monkeypatch.setattr("cuda_tile.running.run", interrupted)
    done = command(tool, ADD, *ARRAYS, "--grid", "2")
    assert (done.code, done.err) == (130, "k stood here\n")


def test_a_trace_names_the_block(command: Command):
    lines = command(tool, ADD, *ARRAYS, "--grid", "2", "--trace").out.splitlines()
    second = lines.index("tile block (1, 0, 0)")
    assert lines[0] == "tile block (0, 0, 0)"
    sums = [line for line in lines[second:] if ": addi -> " in line]
    assert [line.split("-> ")[1] for line in sums] == [
        "tile<8xi32> 9..16: 9 10 11 12 ..."
    ]


def test_what_the_order_changes(command: Command):
    done = command(tool, CUMSUM, *SUMS, "--shuffle", "2")
    assert done.code == 1
    assert "cumsum_f32_1024 depends on the order:\nseed 0: argument 5: " in done.err
    done = command(tool, CUMSUM, *SUMS, "--shuffle", "2", "--atol", "1e-4")
    assert done.code == 0
    assert "cumsum_f32_1024: the same under 2 seeds\n" in done.out
    assert "argument 1: float32[16,64]" in done.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--limit", "0"), "expected limit to be a whole number of 1 or more, got 0"),
        (("--shuffle", "-1"), "expected --shuffle above 0, got -1"),
        (("--mode", "loose"), "expected mode to be one of strict, hardware"),
        (("--shuffle", "2", "--trace"), "expected --shuffle without --trace"),
        (("--shuffle", "2", "--seed", "1"), "expected --shuffle without --trace"),
        (("--preceding", "3"), "expected --preceding of arguments 0 to 2, got 3"),
        (("--preceding", "x"), "expected --preceding with integers such as"),
        (("--preceding", "0", "--on=gpu"), "expected --on=interp or --on=emulator"),
        (("--order", "issue"), "of tree, left, swapped, shuffle with on='interp'"),
        (("--mode", "fast", "--on=gpu"), "or on='emulator' with mode, got on='gpu'"),
        (("--collect", "--on=gpu"), "or on='emulator' with collect, got on='gpu'"),
        (("--seed", "0", "--on=gpu"), "or on='emulator' with seed, got on='gpu'"),
    ],
)
def test_options_of_the_interpreter(
    command: Command, words: tuple[str, ...], expected: str
):
    done = command(tool, ADD, *ARRAYS, "--grid", "2", *words)
    assert done.code != 0
    assert expected in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gird", "1"], "unrecognized option --gird; did you mean --grid?"),
        (["--grid=1", "--sead=3"], "unrecognized option --sead; did you mean --seed?"),
        (["--qqqqq"], "unrecognized option --qqqqq; see cuda-tile-run --help"),
    ],
)
def test_a_misspelled_option(command: Command, words: list[str], said: str):
    assert said in command(tool, ADD, *words).sentence
