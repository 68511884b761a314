# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-tile-as: the command line, exit codes and messages that producers know."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from bytecode_wire import File, varint
from tool_command import KERNELS, Command

import cuda_tile
from cuda_tile.cli import assembler as tool
from cuda_tile.cli.assembler import message_lines
from cuda_tile.cli.remarks import remarks_of, to_text, to_yaml
from cuda_tile.codegen import build_id
from cuda_tile.errors import InternalError, UserError
from cuda_tile.locations import Place
from cuda_tile.remarks import Remark
from cuda_tile.report import KernelReport

VADD = KERNELS / "13.4" / "vadd_f32_1024.tileirbc"
MATMUL = KERNELS / "13.4" / "matmul_f16_64x64x64.tileirbc"
ELF_MAGIC = b"\x7fELF"
EMPTY = b"cuda_tile.module @kernels {}"
RETURN, I32 = b"\x5c\0\0", 3
"""An op and a type as bytecode has them."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bytecode(text: bytes, version: str = "13.3") -> bytes:
    return cuda_tile.save(cuda_tile.load(text), version=version)


def cutile(*extra: str) -> list[str]:
    return ["-o", "k.cubin", "--gpu-name", "sm_90", "-O3", "--lineinfo", *extra]


NO_FOLDER = ("--remarks-output-file", "no/r.yaml")
PRODUCERS: dict[str, tuple[Path, list[str]]] = {
    "cuTile Python 13.1": (KERNELS / "13.1" / VADD.name, cutile()),
    "cuTile Python 13.3": (KERNELS / "13.3" / MATMUL.name, cutile("--preview=simt")),
    "cuTile Python 13.4": (
        MATMUL,
        cutile("--remark-format=yaml", "--remarks=all", "--remarks-output-file=r.yaml"),
    ),
    "nvcc": (KERNELS / "tilecpp" / "softmax.tilebc", cutile()),
    "cutile-rs": (VADD, ["--gpu-name", "sm_120", "-o", "k.cubin", "--opt-level", "3"]),
    "Triton": (VADD, ["--gpu-name=sm_100", "--opt-level=3", "-o", "k.cubin"]),
    "cuTile.jl": (VADD, ["-o", "k.cubin", "--gpu-name", "sm_100", "-O3", "--lineinfo"]),
    "debug build": (VADD, [*cutile("--device-debug"), "-O0"]),
    "short names": (VADD, ["-arch=sm_90", "-o=k.cubin", "-opt-level=1"]),
}


@pytest.mark.parametrize("name", PRODUCERS)
def test_call_lines_of_producers(command: Command, folder: Path, name: str) -> None:
    file, words = PRODUCERS[name]
    result = command(tool, file, *words)
    assert (result.code, result.out) == (0, "")
    assert "error" not in result.err
    assert (folder / "k.cubin").read_bytes().startswith(ELF_MAGIC)


@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3", "13.4", "13.5"])
def test_the_empty_module_that_probes_a_version(
    command: Command, folder: Path, version: str
) -> None:
    (folder / "probe").write_bytes(bytecode(EMPTY, version))
    for gpu in ("sm_120", "sm_100"):
        words = ("probe", "-o", f"{gpu}.cubin", "--gpu-name", gpu)
        result = command(tool, *words)
        assert (result.code, result.out, result.err) == (0, "", "")
        assert (folder / f"{gpu}.cubin").read_bytes().startswith(ELF_MAGIC)


def test_without_a_name_the_output_is_elf_o(command: Command, folder: Path) -> None:
    assert command(tool, VADD, "--gpu-name", "sm_90").code == 0
    assert [path.name for path in folder.iterdir()] == ["elf.o"]
    assert command(tool, VADD, "--gpu-name", "sm_90", "-o", "/dev/null").code == 0


def test_lines_of_the_source_and_the_ptx_are_kept(
    command: Command, folder: Path
) -> None:
    for words, has_lines in ((["--lineinfo"], True), ([], False)):
        words += [VADD, "--gpu-name", "sm_90", "-o", "k.cubin"]
        assert command(tool, *words).code == 0
        cubin = (folder / "k.cubin").read_bytes()
        # cuTile.jl reads the PTX from there.
        assert (b".nv_debug_ptx_txt" in cubin) == has_lines
        assert (b".debug_line" in cubin) == has_lines


def test_version_is_of_this_build(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = command(tool, "--version")
    assert first.code == 0
    words = first.out.split()
    # cuTile.jl takes the first V1.2.3, mistral.rs the first word with V.
    (version,) = [word for word in words if word.startswith("V")]
    assert re.fullmatch(r"V13\.5\.\d+", version)
    assert "release 13.5," in first.out
    assert build_id.build_id() in first.out
    assert command(tool, VADD, "--version").out == first.out
    monkeypatch.setattr(tool, "build_id", lambda: "ab" * 32)
    assert command(tool, "--version").out != first.out


def test_the_build_is_that_of_code_and_ptxas(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_id, "PACKAGE", folder)
    monkeypatch.setattr(build_id, "ptxas_version", lambda: "V1")
    seen: set[str] = set()

    def check() -> None:
        build_id.build_id.cache_clear()
        assert build_id.build_id() not in seen
        seen.add(build_id.build_id())

    check()
    (folder / "a.py").write_text("x = 1")
    check()
    (folder / "a.py").rename(folder / "b.py")
    check()
    (folder / "ext.so").write_bytes(b"\x7fELF")
    check()
    monkeypatch.setattr(build_id, "ptxas_version", lambda: "V2")
    check()
    build_id.build_id.cache_clear()


def test_versions_of_bytecode(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(tool, "--list-versions").out.split() == [
        *("13.1", "13.2", "13.3", "13.4", "13.5")
    ]
    monkeypatch.setenv(tool.RELEASE_VARIABLE, "13.4")
    assert command(tool, "--list-versions").out.split()[-1] == "13.4"
    assert " V13.4." in command(tool, "--version").out
    monkeypatch.setenv(tool.RELEASE_VARIABLE, "12.9")
    result = command(tool, "--version")
    assert (result.code, result.out) == (1, "")
    assert "CUDA_TILE_AS_RELEASE of 13.1, " in result.err


def test_help_lists_the_chips(command: Command) -> None:
    result = command(tool, "--help")
    assert result.code == 0
    found = re.findall(r"^ +=(\w+)", result.out, re.MULTILINE)
    assert found == [*("sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121")]


WRONG: dict[str, tuple[list[Any], int, str]] = {
    "no file": ([], 1, "no input file provided; see cuda-tile-as --help"),
    "missing file": (["x", "--gpu-name", "sm_90"], 1, "unable to read input file 'x'"),
    "a folder": ([".", "--gpu-name", "sm_90"], 1, "file '.': Is a directory"),
    "missing file first": (["x"], 1, "unable to read input file 'x': No such file"),
    "unknown option": ([VADD, "--bogus"], 1, "unrecognized option --bogus"),
    "two files": ([VADD, VADD, "--gpu-name", "sm_90"], 1, "unrecognized arguments"),
    "unknown chip": ([VADD, "--gpu-name", "sm_9"], 1, "known gpu name, got 'sm_9'"),
    "level is a word": ([VADD, "-Ofast"], 1, "--opt-level of 0, 1, 2 or 3, got 'fast'"),
    "unknown preview": ([VADD, "--preview=a"], 1, "unknown preview feature 'a'; known"),
    "no value": ([VADD, "--gpu-name"], 1, "expected one argument"),
    "unknown remarks": ([VADD, "--remarks=speed"], 1, "invalid choice: 'speed'"),
    "no chip": ([VADD], 2, "expected --gpu-name, got none"),
    "level": ([VADD, "--gpu-name", "sm_90", "-O4"], 2, "expected 0 to 3, got 4"),
    "debug": (
        [VADD, "--gpu-name", "sm_90", "-g"],
        2,
        "-O0 with --device-debug, got -O",
    ),
    "old chip": ([VADD, "--gpu-name", "sm_80"], 2, "sm_90 or later, got sm_80: its"),
    "sanitizer": (
        [VADD, "--gpu-name", "sm_90", "--sanitize=memcheck"],
        *(2, "cuda-tile-run --on=emulator checks every access"),
    ),
    "controls": (
        [VADD, "--gpu-name", "sm_90", "--apply-controls", "f"],
        *(2, "give them to ptxas with the PTX of cuda-tile-compile"),
    ),
    "output": (
        [VADD, "--gpu-name", "sm_90", "-o", "no/k.cubin"],
        *(2, "cannot write 'no/k.cubin': No such file or directory"),
    ),
    "remarks": (
        [VADD, *cutile("--remarks=all", "--remark-format=yaml", *NO_FOLDER)],
        *(2, "cannot write 'no/r.yaml': No such file or directory"),
    ),
    "library": ([VADD, "--gpu-name", "sm_90", "-l", "f"], 5, "-l f: libraries of func"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_has_its_exit_code(
    command: Command, folder: Path, name: str
) -> None:
    words, code, said = WRONG[name]
    result = command(tool, *words)
    assert (result.code, result.out) == (code, "")
    (line,) = result.err.splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert not list(folder.iterdir())


def addf_of_integers() -> bytes:
    file = File((13, 1))
    scalar = file.tile(I32)
    return file.entry(varint(0x02, 1, 0, 0, 0, 0) + RETURN, (scalar,)).data()


def damaged() -> Iterator[tuple[str, bytes, str]]:
    data = VADD.read_bytes()
    yield "text", EMPTY, "expected it to begin with b'\\x7fTileIR\\x00', got b'cuda_t"
    yield "nothing", b"", "does not correspond to Tile IR bytecode"
    yield "cut off", data[:100], "exceeds remaining data size"
    yield "version", data[:9] + b"\x20" + data[10:], "unsupported Tile version 13.32"
    yield "verifier", addf_of_integers(), "operand #0 must be tile of f16 or bf16"


@pytest.mark.parametrize("case", list(damaged()), ids=lambda case: case[0])
def test_bad_bytecode(
    command: Command, folder: Path, case: tuple[str, bytes, str]
) -> None:
    (folder / "k.bc").write_bytes(case[1])
    result = command(tool, "k.bc", "--gpu-name", "sm_90")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith("error: ")
    assert case[2] in result.err
    assert "Traceback" not in result.err


def test_a_kernel_that_cannot_be_compiled(command: Command) -> None:
    file = KERNELS / "13.4" / "matmul_f16_128x128x64.tileirbc"
    result = command(tool, file, "--gpu-name", "sm_100f")
    assert (result.code, result.out) == (5, "")
    said = (
        r'loc\("[^"]*kernels\.py":\d+:\d+\): error: expected at most 49152 bytes .*\n'
    )
    assert re.fullmatch(said, result.err)


def test_bugs_are_those_of_the_back_end(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (InternalError("broken"), ZeroDivisionError("none")):

        def fail(*_: Any, error: Exception = error, **__: Any) -> None:
            raise error

        monkeypatch.setattr(tool.api, "compile", fail)
        result = command(tool, VADD, "--gpu-name", "sm_90")
        assert result.code == 5
        assert result.err.startswith("error: internal error: ")


def test_a_missing_ptxas_is_told(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTXAS", "/nowhere/ptxas")
    result = command(tool, VADD, "--gpu-name", "sm_90")
    assert result.code == 5
    assert result.err.startswith("error: expected PTXAS to name a ptxas program")


@pytest.mark.parametrize(
    ("location", "lines"),
    [
        (None, ["error: wrong"]),
        ("unknown location", ["error: wrong"]),
        ("a.py:3:4", ['loc("a.py":3:4): error: wrong']),
        ("k.bc", ["error: wrong"]),
        (
            "a.py:3:4, called from b.py:5:6, called from c.py:7:8",
            [
                'loc("a.py":3:4): error: wrong',
                'loc("b.py":5:6): note: called from here',
                'loc("c.py":7:8): note: called from here',
            ],
        ),
    ],
)
def test_form_of_messages(location: str | None, lines: list[str]) -> None:
    assert message_lines(UserError("wrong", location)) == lines
    if location is not None:
        # Errors of the reader have their places in the message.
        assert message_lines(UserError(f"{location}: error: wrong")) == lines


def test_ptxas_speaks_below_the_first_line() -> None:
    said = message_lines(UserError("ptxas failed:\nline 3\nptxas fatal"))
    assert said == ["error: ptxas failed:", "line 3", "ptxas fatal"]


def test_options_without_a_meaning_warn(command: Command) -> None:
    words = ("--preview=simt", "--host-arch=x86_64", "--host-os=linux")
    result = command(tool, VADD, "--gpu-name", "sm_90", *words)
    assert result.code == 0
    lines = result.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("warning: --") for line in lines)


def test_remarks_in_a_file(command: Command, folder: Path) -> None:
    words = cutile("--remark-format=yaml", "--remarks=all")
    assert command(tool, MATMUL, *words).code == 0
    text = (folder / "tileir_remarks.yaml").read_text()
    assert text.startswith("--- !Missed\nPass:            Memory\n")
    found = [document(part) for part in text.split("--- !")[1:]]
    load = found[0]
    assert load["DebugLoc"]["File"].endswith("kernels.py")
    assert load["DebugLoc"]["Line"] == 121
    assert load["Function"] == MATMUL.stem
    assert load["Args"][0] == {"RemarkId": 1}
    assert "load by cp.async instead of TMA" in load["Args"][1]["Remark"]
    assert found[-1]["Name"] == "Resources"
    assert {"SpilledBytes": "0"} in found[-1]["Args"]


def document(text: str) -> Any:
    """What a YAML reader makes of one record, without its tag."""
    return yaml.safe_load(text.partition("\n")[2].removesuffix("...\n"))


def test_remarks_of_a_category(command: Command, folder: Path) -> None:
    words = (MATMUL, "--gpu-name", "sm_90")
    said = command(tool, *words, "--remarks=memory").out
    assert "category: Memory" in said
    assert 'kernels.py":121:' in said
    assert "category: Plan" not in said
    said = command(tool, *words, "--remarks-analysis=all").out
    assert "remark[analysis]: uses " in said
    assert "remark[missed]" not in said
    assert not command(tool, *words, "--remarks=tensorcore").out
    assert not command(tool, *words, "--remark-format=yaml").out
    assert [path.name for path in folder.iterdir()] == ["elf.o"]


def test_where_a_remark_is() -> None:
    kernel = KernelReport(
        *("k", "sm_90", "sm_90a", 128, 32, 0, 0, 1.0, ""),
        remarks=(
            "a b.py:1:2, called from c.py:3:4: load by threads: it's odd",
            "product by fma: no instruction",
            "wanted 2 CTAs",
        ),
    )
    *missed, resources = remarks_of(kernel)
    assert [(r.category, r.place) for r in missed] == [
        ("memory", Place("a b.py", 1, 2)),
        ("tensorcore", None),
        ("plan", None),
    ]
    assert resources.kind == "analysis"
    (first,) = [document(part) for part in to_yaml(missed[:1]).split("--- !")[1:]]
    assert first["Args"][1]["Remark"] == "load by threads: it's odd"
    assert '--> "a b.py":1:2' in to_text(missed)


def test_a_line_break_in_a_remark_ends_no_record() -> None:
    remark = Remark("missed", "plan", "N", "k", "two\n--- lines")
    assert document(to_yaml([remark]))["Args"][1]["Remark"] == "two --- lines"


def test_as_a_program_of_another_name(folder: Path) -> None:
    """As Triton calls it: a file `tileiras` in a folder, here a link."""
    program = Path(sys.executable).parent / "cuda-tile-as"
    (folder / "bin").mkdir()
    (folder / "bin" / "tileiras").symlink_to(program)
    words = [VADD, "--gpu-name=sm_100", "--opt-level=3", "-o", "k.cubin"]
    run = subprocess.run(
        [folder / "bin" / "tileiras", *words],
        env={"PATH": os.defpath, "CUDA_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert (folder / "k.cubin").read_bytes().startswith(ELF_MAGIC)


def version_to(stream: int) -> tuple[int, bytes]:
    run = "import sys; from cuda_tile.cli.assembler import main; sys.exit(main())"
    command = [sys.executable, "-c", run, "--version"]
    done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, check=False)
    os.close(stream)
    return done.returncode, done.stderr


def test_a_reader_that_has_left_is_no_bug() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert version_to(writing) == (1, b"")


def test_a_full_disk_is_no_bug() -> None:
    code, said = version_to(os.open("/dev/full", os.O_WRONLY))
    assert code == 1
    assert b"No space left on device" in said
    assert b"internal error" not in said
