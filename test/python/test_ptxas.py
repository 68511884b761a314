# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finding ptxas, running it, and parsing its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_tile import UserError
from cuda_tile.codegen import ptxas

EMPTY = """
.version 8.3
.target sm_80
.address_size 64
.visible .entry k() { ret; }
"""
SPILLS = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    16 bytes stack frame, 24 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 8192 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
ptxas warning : Registers are spilled to local memory in function 'first'
"""


def program(folder: Path, text: str) -> Path:
    """A shell script that stands for ptxas."""
    path = folder / "ptxas"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_pinned_package_is_found() -> None:
    assert ptxas.find_ptxas().name == "ptxas"


def test_the_environment_chooses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = program(tmp_path, "exit 0")
    monkeypatch.setenv("PTXAS", str(path))
    assert ptxas.find_ptxas() == path


def test_a_wrong_choice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXAS", "/no/such/ptxas")
    with pytest.raises(
        UserError, match="expected PTXAS to name a ptxas program, got '/no/such/ptxas'"
    ):
        ptxas.assemble(EMPTY, "sm_80")


def test_none_at_all_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PTXAS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(UserError, match="pip install nvidia-cuda-nvcc"):
        ptxas.find_ptxas()


def test_one_on_the_path_will_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = program(tmp_path, "exit 0")
    monkeypatch.delenv("PTXAS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.path", [str(tmp_path / "no")])
    assert ptxas.find_ptxas() == path


def test_a_kernel_is_assembled() -> None:
    assembled = ptxas.assemble(EMPTY, "sm_80")
    assert assembled.cubin.startswith(b"\x7fELF")
    assert assembled.warnings == ()
    assert assembled.resources["k"].registers > 0
    assert assembled.resources["k"].spill_load_bytes == 0


def test_a_refusal_carries_its_words_and_the_command() -> None:
    with pytest.raises(UserError) as caught:
        ptxas.assemble(EMPTY.replace("ret", "no_such_instruction"), "sm_80")
    message = str(caught.value)
    assert "ptxas failed with exit code" in message
    assert "no_such_instruction" in message
    assert "-arch=sm_80" in message


def test_a_program_that_dies_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PTXAS", str(program(tmp_path, "echo out of luck >&2; exit 7")))
    with pytest.raises(UserError, match="exit code 7 for sm_80:\nout of luck"):
        ptxas.assemble(EMPTY, "sm_80")


def test_a_file_that_is_no_program_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "ptxas"
    path.write_text("just text")
    monkeypatch.setenv("PTXAS", str(path))
    with pytest.raises(UserError, match="ptxas"):
        ptxas.assemble(EMPTY, "sm_80")


def test_resources_are_read_per_kernel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "said").write_text(SPILLS)
    # Writes the output file that follows -o, as the real one does.
    text = f"""cat {tmp_path}/said >&2
while [ $# -gt 0 ]; do [ "$1" = -o ] && echo cubin > "$2"; shift; done"""
    monkeypatch.setenv("PTXAS", str(program(tmp_path, text)))
    assembled = ptxas.assemble(EMPTY, "sm_90")
    first, second = assembled.resources["first"], assembled.resources["second"]
    assert (first.registers, first.stack_bytes) == (255, 16)
    assert (first.spill_store_bytes, first.spill_load_bytes) == (24, 32)
    assert first.static_shared_bytes == 8192
    assert (second.registers, second.spill_load_bytes) == (8, 0)
    assert second.static_shared_bytes == 0
    assert len(assembled.warnings) == 1
    assert "spilled" in assembled.warnings[0]
