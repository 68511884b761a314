# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of 8 bits, four to a word: every code, on all judges and NumPy."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cuda_tile
from cuda_tile.options import Options

COUNT = 256
BYTES = f"tile<{COUNT}xi8>"
CODES = np.arange(COUNT, dtype=np.uint8)
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}


def shifts() -> dict[str, tuple[str, str, np.ndarray[Any, Any]]]:
    """Per name an op, its result type, and what it gives of every code."""
    signed = CODES.view(np.int8)
    found: dict[str, tuple[str, str, np.ndarray[Any, Any]]] = {}
    for n in range(8):
        amount = f"%x, %c{n} "
        found[f"l{n}"] = (f"shli {amount}: {BYTES}", "i8", (CODES << n).view(np.int8))
        found[f"a{n}"] = (f"shri {amount}signed : {BYTES}", "i8", signed >> n)
        right = (CODES >> n).view(np.int8)
        found[f"r{n}"] = (f"shri {amount}unsigned : {BYTES}", "i8", right)
    for op, apply in (
        ("andi", np.bitwise_and),
        ("ori", np.bitwise_or),
        ("xori", np.bitwise_xor),
    ):
        found[op] = (f"{op} %x, %c5 : {BYTES}", "i8", apply(signed, np.int8(5)))
        found[f"{op}x"] = (f"{op} %x, %l3 : {BYTES}", "i8", apply(signed, signed << 3))
    for kind, dtype in FLOATS.items():
        for sign, values in (("signed", signed), ("unsigned", CODES)):
            op = f"itof %x {sign} : {BYTES} -> tile<{COUNT}x{kind}>"
            found[f"{kind}{sign}"] = (op, kind, values.astype(dtype))
    return found


OPS = shifts()


def kernel() -> str:
    params = ", ".join(
        f"%p{name}: tile<ptr<{kind}>>" for name, (_, kind, _) in OPS.items()
    )
    lines = [
        "%zero = constant <i32: 0> : tile<i32>",
        f"%size = constant <i32: {COUNT}> : tile<i32>",
    ]
    lines += [_load("in", "i8", "%x")]
    lines += [f"%c{n} = constant <i8: {n}> : {BYTES}" for n in range(8)]
    for name, (op, kind, _) in OPS.items():
        lines += [f"%{name} = {op}", _store(name, kind)]
    body = "\n    ".join(lines)
    return f"""cuda_tile.module @m {{
  entry @k(%pin: tile<ptr<i8>>, {params}) {{
    {body}
    return
  }}
}}
"""


def _view(name: str, kind: str) -> tuple[str, str]:
    tensor = f"tensor_view<?x{kind}, strides=[1]>"
    part = f"partition_view<tile=({COUNT}), {tensor}>"
    return part, (
        f"%q{name} = assume div_by<16>, %p{name} : tile<ptr<{kind}>>\n    "
        f"%t{name} = make_tensor_view %q{name}, shape = [%size], strides = [1] "
        f": tile<i32> -> {tensor}\n    "
        f"%v{name} = make_partition_view %t{name} : {part}\n    "
    )


def _load(name: str, kind: str, to: str) -> str:
    part, text = _view(name, kind)
    return (
        f"{text}{to}, %k{name} = load_view_tko weak %v{name}[%zero] : {part}, tile<i32>"
        f" -> {BYTES}, token"
    )


def _store(name: str, kind: str) -> str:
    part, text = _view(name, kind)
    return (
        f"{text}%s{name} = store_view_tko weak %{name}, %v{name}[%zero] : "
        f"tile<{COUNT}x{kind}>, {part}, tile<i32> -> token"
    )


@pytest.mark.parametrize("chip", ["", "sm_80", "sm_90"])
@pytest.mark.parametrize("warps", [1, 4])
def test_every_code(chip: str, warps: int) -> None:
    """With one warp four codes and more of a thread are words; with four, pairs."""
    module = cuda_tile.load(kernel().encode())
    results = [np.zeros_like(expected) for _, _, expected in OPS.values()]
    how: dict[str, Any] = {}
    if chip:
        options = Options(num_warps=warps)
        compiled = cuda_tile.compile(module, chip, options=options, cubin=False)
        assert not re.search(r"cvt\.rn\.b?f16\.s", compiled.ptx)
        how = {"on": "emulator", "gpu": chip, "compiled": compiled}
        how["mode"] = "adversarial"
    args = [CODES.view(np.int8), *results]
    cuda_tile.run(module, grid=(1,), args=args, **how)
    for (name, (_, _, expected)), got in zip(OPS.items(), results, strict=True):
        np.testing.assert_array_equal(got, expected, name)
