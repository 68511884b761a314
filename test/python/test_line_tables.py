# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a cubin says of lines and inlined calls, read by other people's programs."""

from __future__ import annotations

import io
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.dwarf.structs import DWARFStructs
from elftools.elf.elffile import ELFFile

import cuda_tile
from cuda_tile import Options
from cuda_tile.emulator import FindingError
from cuda_tile.machine.disassembler import find_nvdisasm

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
PLAIN = Options(line_info=False)
CALLER = '"src/k.py":12:1'
OUTER = f'callsite("f"("lib/h.py":5:7) at {CALLER})'
INNER = f'callsite("g"("lib/g.py":25:7) at callsite("f"("lib/h.py":6:7) at {CALLER}))'


def kernel(first: str, second: str = '"src/k.py":13:1') -> Any:
    """A kernel with an addition and a multiplication at these locations."""
    text = f"""
cuda_tile.module @kernels {{
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>) {{
    %a = addf %x, %x : tile<f32> loc({first})
    %b = mulf %a, %x : tile<f32> loc({second})
    %t = store_ptr_tko weak %p, %b
        : tile<ptr<f32>>, tile<f32> -> token loc("src/k.py":15:3)
    return loc("src/k.py":16:3)
  }} loc("src/k.py":9:1)
}} loc(unknown)
"""
    return cuda_tile.load(text.encode())


def sections(cubin: bytes) -> dict[str, bytes]:
    """The sections of an ELF image by name."""
    file = ELFFile(io.BytesIO(cubin))
    return {section.name: section.data() for section in file.iter_sections()}


def machine_code(cubin: bytes) -> dict[str, bytes]:
    """The machine code of each kernel."""
    found = sections(cubin)
    return {name: found[name] for name in found if name.startswith(".text")}


def line_rows(cubin: bytes) -> set[tuple[str, int]]:
    """File and line of the rows of `.debug_line`."""
    dwarf = ELFFile(io.BytesIO(cubin)).get_dwarf_info(relocate_dwarf_sections=False)
    structs = DWARFStructs(True, 32, 8, dwarf_version=2)
    program = dwarf._parse_line_program_at_offset(0, structs)
    names = [entry.name.decode() for entry in program.header.file_entry]
    states = [entry.state for entry in program.get_entries()]
    return {(names[s.file - 1], s.line) for s in states if s is not None}


def places(cubin: bytes) -> list[str]:
    """What `nvdisasm` writes above the instructions, inlined calls included."""
    program = find_nvdisasm()
    if program is None:
        pytest.skip("needs nvdisasm: pip install nvidia-cuda-nvdisasm==13.5.37")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "k.cubin")
        path.write_bytes(cubin)
        said = subprocess.run(
            [program, "-gi", path], capture_output=True, text=True, check=True
        ).stdout
    return re.findall(r"^\s*//## (.*)$", said, re.MULTILINE)


def test_nvdisasm_shows_the_call_site_of_inlined_code() -> None:
    found = places(cuda_tile.compile(kernel(OUTER)).cubin)
    at = found.index('File "lib/h.py", line 5 inlined at "src/k.py", line 12')
    assert found[at + 1] == 'File "src/k.py", line 12'
    assert 'File "src/k.py", line 13' in found


def test_nvdisasm_shows_calls_in_calls() -> None:
    found = places(cuda_tile.compile(kernel(OUTER, INNER)).cubin)
    at = found.index('File "lib/g.py", line 25 inlined at "lib/h.py", line 6')
    assert found[at + 1 : at + 3] == [
        'File "lib/h.py", line 6 inlined at "src/k.py", line 12',
        'File "src/k.py", line 12',
    ]


def test_one_function_at_two_call_sites_is_told_apart() -> None:
    second = 'callsite("f"("lib/h.py":5:7) at "src/k.py":14:1)'
    ptx = cuda_tile.compile(kernel(OUTER, second), cubin=False).ptx
    for line, instruction in ((12, "add"), (14, "mul")):
        place = rf"\.loc\t2 5 7, function_name \S+, inlined_at 1 {line} 1"
        assert re.search(rf"{place}\n\t{instruction}\.rn\.f32", ptx)


def test_the_elf_sections_say_the_same() -> None:
    cubin = cuda_tile.compile(kernel(OUTER, INNER)).cubin
    assert line_rows(cubin) >= {("h.py", 5), ("g.py", 25), ("k.py", 15), ("k.py", 16)}
    # The names of the functions that were inlined.
    assert {b"f", b"g"} <= set(sections(cubin)[".debug_str"].split(b"\0"))


def test_a_call_whose_end_is_unknown_is_the_other_end() -> None:
    first = f"callsite(unknown at {CALLER})"
    second = 'callsite("lib/h.py":7:1 at unknown)'
    rows = line_rows(cuda_tile.compile(kernel(first, second)).cubin)
    assert rows >= {("k.py", 12), ("h.py", 7)}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (r"a\22b.py", "a_b.py"),
        (r"a\0Ab.py", "a_b.py"),
        ("dür/a b.py", "d_r/a b.py"),
        (r"C:\\k.py", "C:/k.py"),
    ],
)
def test_file_names_that_ptx_cannot_hold(name: str, shown: str) -> None:
    for first in (f'"{name}":3:4', f'callsite("{name}":3:4 at "{name}":5:6)'):
        compiled = cuda_tile.compile(kernel(first))
        assert f'"{shown}"' in compiled.ptx
        assert machine_code(compiled.cubin)


def instructions(ptx: str) -> list[str]:
    """PTX without what only says where lines come from."""
    body, _, _ = ptx.partition("\t.file")
    kept = (line.strip() for line in body.splitlines())
    names = (".loc", ".section", "$L__tmp", "$L__func", "$L__debug")
    return [line for line in kept if line.strip("{}") and not line.startswith(names)]


def opcodes(cubin: bytes) -> dict[str, list[int]]:
    """How often each instruction stands in each function, in whatever order."""
    return {
        name: sorted(
            int.from_bytes(code[at : at + 2], "little") & 0xFFF
            for at in range(0, len(code), 16)
        )
        for name, code in machine_code(cubin).items()
    }


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize(
    "name", ["13.4/matmul_f16_64x64x64", "13.4/argmax_f32_4x1024", "tilecpp/layernorm"]
)
def test_the_machine_code_is_the_same_without_lines(name: str, gpu: str) -> None:
    path = next(KERNELS.glob(f"{name}.*"))
    lines = cuda_tile.compile(cuda_tile.load(path), gpu)
    plain = cuda_tile.compile(cuda_tile.load(path), gpu, options=PLAIN)
    assert instructions(lines.ptx) == instructions(plain.ptx)
    if "tcgen05" in plain.ptx:  # ptxas 13.5.37 orders some of these otherwise
        assert opcodes(lines.cubin) == opcodes(plain.cubin)
    else:
        assert machine_code(lines.cubin) == machine_code(plain.cubin)
    assert len(line_rows(lines.cubin)) > 3
    assert ".debug_line" not in sections(plain.cubin)


def test_inlined_helper_of_a_producers_kernel() -> None:
    path = KERNELS / "13.4/matmul_f16_64x64x64.tileirbc"
    found = places(cuda_tile.compile(cuda_tile.load(path)).cubin)
    file = '"test/kernels/kernels.py"'
    assert f"File {file}, line 110 inlined at {file}, line 116" in found


def test_device_debug_describes_kernels_and_does_not_optimise() -> None:
    module = cuda_tile.load(KERNELS / "13.4/vadd_f32_1024.tileirbc")
    compiled = cuda_tile.compile(module, options=Options(device_debug=True))
    assert ".target sm_90a, debug" in compiled.ptx
    assert ".debug_info" in sections(compiled.cubin)
    optimised = cuda_tile.compile(module, options=PLAIN)
    assert machine_code(compiled.cubin) != machine_code(optimised.cubin)
    x, y = np.arange(1024, dtype=np.float32), np.ones(1024, np.float32)
    out = np.zeros(1024, np.float32)
    args = cuda_tile.array_args(x) + cuda_tile.array_args(y) + cuda_tile.array_args(out)
    cuda_tile.run(module, grid=(1,), args=args, on="emulator", compiled=compiled)
    assert np.array_equal(out, x + y)


def test_a_finding_of_the_emulator_has_the_source_line() -> None:
    module = kernel(OUTER)
    out = np.zeros(0, np.float32)  # the store is outside
    with pytest.raises(FindingError) as raised:
        cuda_tile.run(module, grid=(1,), args=[out, 1.0], on="emulator")
    assert raised.value.finding.source == "k.py:15"
    assert "k: k.py:15: ptx line" in str(raised.value)


def test_the_place_of_inlined_code_names_its_call_sites() -> None:
    from cuda_tile.emulator.ptx.source import source_places

    ptx = cuda_tile.compile(kernel(OUTER, INNER), cubin=False).ptx
    lines = ptx.splitlines()
    found = source_places(lines)
    at = next(n for n, line in enumerate(lines) if "mul" in line)
    assert found[at] == "g.py:25 inlined at h.py:6 inlined at k.py:12"
    assert found[-1] == ""
