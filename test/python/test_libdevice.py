# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library of functions: found where it is needed, and only there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.codegen import libdevice
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.errors import UserError


def kernels(function: str, *names: str) -> bytes:
    entries = [
        f"""entry @{name}(%p: tile<ptr<f32>>, %x: tile<f32>) {{
          %a = {function} %x : tile<f32>
          %s = store_ptr_tko weak %p, %a : tile<ptr<f32>>, tile<f32> -> token
          return
        }}"""
        for name in names
    ]
    return f"cuda_tile.module @m {{ {' '.join(entries)} }}".encode()


def ptx(function: str, *names: str, **options: Any) -> str:
    module = cuda_tile.load(kernels(function, *(names or ("k",))))
    chosen = cuda_tile.Options(**options)
    return cuda_tile.compile(module, options=chosen, cubin=False).ptx


def test_the_package_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBDEVICE", raising=False)
    assert libdevice.find_libdevice().name == libdevice.FILE_NAME
    assert ".entry k" in ptx("sin")


def test_two_kernels_share_a_function() -> None:
    text = ptx("sin", "first", "second", llvm_opt_level=0)
    assert text.count("call.uni") >= 2
    assert ".extern" not in text
    assert not assemble(text, "sm_90a").warnings


def test_lines_of_calls() -> None:
    assert ".loc" in ptx("cos", line_info=True)


def test_functions_may_stay_calls() -> None:
    """In PTX, for the emulator; a cubin needs them."""
    assert "__nv_sinf" not in ptx("sin")
    assert "__nv_sinf, (param0)" in ptx("sin", libdevice=False)
    calls = cuda_tile.Options(libdevice=False)
    assert cuda_tile.compile(cuda_tile.load(kernels("exp", "k")), options=calls).cubin
    with pytest.raises(UserError, match="libdevice=True for a cubin of a kernel that"):
        cuda_tile.compile(cuda_tile.load(kernels("sin", "k")), options=calls)


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBDEVICE", "/no/such/file.bc")
    assert "ex2.approx" in ptx("exp")
    with pytest.raises(UserError, match="LIBDEVICE to name a bitcode file"):
        ptx("sin")


def test_no_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LIBDEVICE", raising=False)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    with pytest.raises(UserError, match="pip install nvidia-nvvm"):
        ptx("tan")


def test_a_file_that_is_no_bitcode(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "no.bc"
    path.write_text("nothing")
    monkeypatch.setenv("LIBDEVICE", str(path))
    with pytest.raises(UserError, match="LIBDEVICE to name a bitcode file"):
        ptx("sin")


def test_a_damaged_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "short.bc"
    path.write_bytes(libdevice.find_libdevice().read_bytes()[:1000])
    monkeypatch.setenv("LIBDEVICE", str(path))
    with pytest.raises(ir.MLIRError, match="cannot read the library"):
        ptx("sin")
