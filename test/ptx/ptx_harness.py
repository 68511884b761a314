# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds kernels for single instructions, runs them, checks them with ptxas.

A case is an instruction on registers `{a}`, `{b}`, `{c}` with a result `{d}`; its
kernel loads the sources of one element per thread and stores the result.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator import launch

Array = NDArray[Any]

_LETTERS = "abcefgh"
_WIDTHS = {"pred": 32, "f16x2": 32, "bf16x2": 32, "bf16": 16, "u16x2": 32, "s16x2": 32}


def bits_of(name: str) -> int:
    """Width of a type in memory."""
    return _WIDTHS.get(name) or int("".join(c for c in name if c.isdigit()))


def dtype_of(name: str) -> np.dtype[Any]:
    """How an array of a type is passed: raw bits for what NumPy lacks."""
    if name in _WIDTHS or name[0] == "b":
        return np.dtype(f"uint{bits_of(name)}")
    kind = {"u": "uint", "s": "int", "f": "float"}[name[0]]
    return np.dtype(f"{kind}{bits_of(name)}")


@dataclass(frozen=True)
class Case:
    """One instruction to test.

    Attributes:
        code: PTX with `{a}`, `{b}`, `{c}` for sources and `{d}` for the result.
        sources: Types of the sources.
        result: Type of the result.
        expected: From one element's sources (Python integers: the values for integer
            types, the bits for floats) to the result in the same form.
        target: The oldest target that has the instruction, and its PTX version.
        registers: Further declarations.
    """

    code: str
    sources: tuple[str, ...]
    result: str
    expected: Callable[..., int]
    target: str = "sm_80"
    registers: str = ""

    def __str__(self) -> str:
        return self.code.split(";")[-2].split("{")[0].strip()


def unchecked(*bits: int) -> int:
    """Stands for `Case.expected` where a test compares whole arrays."""
    raise AssertionError("expected whole arrays to be compared")


def kernel(case: Case, name: str = "k") -> str:
    """Returns the entry of a case."""
    params = [f".param .u64 p{i}" for i in range(len(case.sources) + 1)]
    lines = [
        "mov.u32 %i, %tid.x;",
        "mov.u32 %j, %ctaid.x;",
        "mov.u32 %w, %ntid.x;",
        "mad.lo.u32 %i, %j, %w, %i;",
    ]
    names: dict[str, str] = {}
    for place, ty in enumerate(case.sources):
        letter = _LETTERS[place]
        names[letter] = f"%{letter}"
        lines += _pointer(place, ty) + _load(f"%{letter}", ty)
    names["d"] = "%d"
    lines.append(case.code.format(**names))
    lines += _pointer(len(case.sources), case.result) + _store(case.result)
    declared = [_declare(f"%{_LETTERS[i]}", ty) for i, ty in enumerate(case.sources)]
    declared.append(_declare("%d", case.result))
    body = "\n\t".join([*declared, case.registers, *lines, "ret;"])
    return f"""
.visible .entry {name}({", ".join(params)})
{{
	.reg .b32 %i, %j, %w, %t;
	.reg .pred %p;
	.reg .b64 %q;
	{body}
}}
"""


def _declare(name: str, ty: str) -> str:
    if ty == "pred":
        return f".reg .pred {name};"
    return f".reg .b{max(bits_of(ty), 16)} {name};"


def _pointer(place: int, ty: str) -> list[str]:
    return [
        f"ld.param.u64 %q, [p{place}];",
        f"mad.wide.u32 %q, %i, {bits_of(ty) // 8}, %q;",
    ]


def _load(register: str, ty: str) -> list[str]:
    if ty == "pred":
        return ["ld.global.b32 %t, [%q];", f"setp.ne.b32 {register}, %t, 0;"]
    return [f"ld.global.b{bits_of(ty)} {register}, [%q];"]


def _store(ty: str) -> list[str]:
    if ty == "pred":
        return ["selp.b32 %t, 1, 0, %d;", "st.global.b32 [%q], %t;"]
    return [f"st.global.b{bits_of(ty)} [%q], %d;"]


_VERSIONS = {
    "sm_80": "7.8",
    "sm_89": "8.4",
    "sm_90": "8.7",
    "sm_100": "9.2",
    "sm_103": "8.8",
    "sm_120": "9.1",
}


def module(entries: str, target: str = "sm_80") -> str:
    """Returns a module around entries."""
    number = _VERSIONS[target.rstrip("af")]
    return f".version {number}\n.target {target}\n.address_size 64\n{entries}"


def run_case(case: Case, sources: Sequence[Array], *, block: int = 64) -> Array:
    """Runs a case on arrays of one length; returns the result array."""
    count = len(sources[0])
    padded = -(-count // block) * block
    arrays = [np.resize(source, padded) for source in sources]
    result = np.zeros(padded, dtype_of(case.result))
    text = module(kernel(case), case.target)
    launch(text, grid=padded // block, block=block, args=[*arrays, result])
    return result[:count]


def raw(values: Array) -> list[int]:
    """Array elements as a case's `expected` takes them."""
    if values.dtype.kind == "f":
        values = values.view(f"u{values.dtype.itemsize}")
    return [int(value) for value in values]


def check(case: Case, sources: Sequence[Array]) -> None:
    """Runs a case and compares each element with its expectation."""
    result = raw(run_case(case, sources))
    columns = [raw(source) for source in sources]
    for place, values in enumerate(zip(*columns, strict=True)):
        wanted = case.expected(*values)
        if result[place] != wanted and not _both_nan(case, result[place], wanted):
            shown = ", ".join(hex(v) if v >= 0 else str(v) for v in values)
            raise AssertionError(
                f"{case.code} of {shown}: expected {wanted:#x}, got {result[place]:#x}"
            )


def _both_nan(case: Case, first: int, second: int) -> bool:
    """PTX names no canonical NaN for double precision."""
    if case.result != "f64":
        return False
    pair = np.array([first, second], np.uint64).view(np.float64)
    return bool(np.isnan(pair).all())


def assemble(text: str, target: str) -> str:
    """Runs ptxas; returns its complaints, empty if there are none."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "k.ptx")
        source.write_text(text)
        command = [str(find_ptxas()), f"-arch={target}", str(source), "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def find_ptxas() -> Path:
    """Returns the ptxas of the pinned wheel."""
    import nvidia

    for folder in nvidia.__path__:
        for found in sorted(Path(folder).glob("*/bin/ptxas")):
            return found
    raise FileNotFoundError("expected ptxas from nvidia-cuda-nvcc beside this Python")


def check_legal(cases: Iterable[Case]) -> None:
    """Asserts that ptxas takes the kernels of all cases."""
    by_target: dict[str, list[str]] = {}
    for number, case in enumerate(cases):
        texts = by_target.setdefault(case.target, [])
        texts.append(kernel(case, f"k{number}"))
    for target, texts in by_target.items():
        complaint = assemble(module("\n".join(texts), target), target)
        assert not complaint, complaint


def samples(ty: str, count: int, seed: int) -> Array:
    """Returns special and random values of a type."""
    rng = np.random.default_rng(seed)
    bits = bits_of(ty)
    if ty == "pred":
        return rng.integers(0, 2, count).astype(np.uint32)
    special = _special_floats(ty) if ty in _FLOATS else _special_integers(bits)
    noise = rng.integers(0, 256, (count, bits // 8), np.uint8).view(f"u{bits // 8}")
    values = noise[:, 0].copy()
    chosen = rng.random(count) < 0.5
    picks = np.array(special, np.uint64).astype(values.dtype)
    values[chosen] = rng.choice(picks, int(chosen.sum()))
    return values.view(dtype_of(ty))


_FLOATS = ("f16", "bf16", "f32", "f64")


def _special_integers(bits: int) -> list[int]:
    top = 1 << bits
    return [0, 1, 2, 3, 7, 31, 32, 33, top // 2 - 1, top // 2, top - 1, top - 2]


def _special_floats(ty: str) -> list[int]:
    from ptx_exact import FORMATS, infinity, nan, to_bits

    fmt = FORMATS[ty]
    values = [0.0, 1.0, 1.5, 2.0, 0.5, 3.0, 100.0, 0.1, 1 / 3, 65504.0, 2.5, 3.5]
    bits = [to_bits(v, fmt) for v in values]
    tiny = 1 << (fmt.precision - 1)
    bits += [1, 2, tiny - 1, tiny, tiny + 1, infinity(fmt, negative=False), nan(fmt)]
    bits += [infinity(fmt, negative=False) - 1, nan(fmt) - 5]
    return bits + [b | 1 << (fmt.bits - 1) for b in bits]
