# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A value of any type for any argument of the public functions.

It works, or a `UserError` says in a sentence what the argument takes: no assertion, no
error from the inside.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import cuda_tile
from cuda_tile import UserError

MODULE = cuda_tile.load(
    b"cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) { return } }"
)
COMPILED = cuda_tile.compile(MODULE, "sm_80", cubin=False)
ARRAY = np.zeros(4, np.float32)
OBJECT = object()
VALUES: dict[str, Any] = {
    "None": None,
    "int": 3,
    "negative": -1,
    "float": 2.5,
    "str": "x",
    "list": [1],
    "list of str": ["a"],
    "dict": {"a": 1},
    "object": OBJECT,
    "bytes": b"x",
    "array": np.zeros(3),
    "bool": True,
    "module": MODULE,
    "compiled": COMPILED,
}
COMPILING: dict[str, Any] = {
    "module": MODULE,
    "gpu": "sm_80",
    "options": None,
    "before": None,
    "after": None,
    "observe": None,
}
RUNNING: dict[str, Any] = {"module": MODULE, "kernel": "k", "grid": 1, "args": [ARRAY]}
GOOD: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "load": (cuda_tile.load, {"source": b"", "context": None}),
    "save": (
        cuda_tile.save,
        {"module": MODULE, "file": io.BytesIO(), "version": "13.3"},
    ),
    "compile": (cuda_tile.compile, {**COMPILING, "cubin": False}),
    "lower": (cuda_tile.lower, {**COMPILING, "until": "plan", "timings": None}),
    "list_plans": (
        cuda_tile.list_plans,
        {"module": MODULE, "gpu": "sm_80", "options": None},
    ),
    "translate": (
        cuda_tile.translate,
        {"module": MODULE, "form": "ptx", "gpu": "sm_80"},
    ),
    "run on interp": (
        cuda_tile.run,
        {
            **RUNNING,
            **dict.fromkeys(("seed", "order", "limit", "memory", "trace")),
            "on_block": None,
            "mode": "strict",
            "on": "interp",
            "compiled": None,
        },
    ),
    "run on emulator": (
        cuda_tile.run,
        {
            **RUNNING,
            "on": "emulator",
            "compiled": COMPILED,
            "mode": "fast",
            "seed": 1,
            "limit": None,
            "memory": None,
        },
    ),
    "launch": (
        cuda_tile.launch,
        {
            "compiled": cuda_tile.Compiled(
                COMPILED.ptx, b"x", COMPILED.report, COMPILED.launch
            ),
            "grid": 1,
            "args": [ARRAY],
            "stream": None,
            "kernel": "k",
        },
    ),
    "array_args": (cuda_tile.array_args, {"array": ARRAY, "index_bits": 32}),
    "list_args": (cuda_tile.list_args, {"arrays": [ARRAY], "index_bits": 32}),
    "register_pass": (cuda_tile.register_pass, {"name": "a-b", "summary": ""}),
    "decorator": (cuda_tile.register_pass("a-b"), {"function": lambda _: None}),
    "Options": (
        cuda_tile.Options,
        dict.fromkeys(cuda_tile.Options.__dataclass_fields__),
    ),
}
CASES = [(name, argument) for name, (_, good) in GOOD.items() for argument in good]
FILES = (("load", "source"), ("save", "file"))
"""Arguments that take a name: here the file is missing, or would be written."""


@pytest.mark.parametrize(("name", "argument"), CASES)
def test_each_type_for_each_argument(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, good = GOOD[name]
    refused: dict[str, str] = {}
    for kind, value in VALUES.items():
        given = {**good, argument: value}
        if name == "Options":  # the other fields keep their defaults
            given = {argument: value}
        try:
            function(**given)
        except UserError as error:
            refused[kind] = str(error)
    assert len(refused) >= 5, f"only {refused} of {len(VALUES)} values were refused"
    for kind, said in refused.items():
        assert "expected" in said or (name, argument) in FILES, (kind, said)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cuda_tile.load(3), "expected source to be a path or a file's bytes, "),  # pyright: ignore[reportArgumentType]
        (
            lambda: cuda_tile.save(cast(Any, b"x")),
            "expected module to be a module, as cuda_tile.lo",
        ),  # pyright: ignore[reportArgumentType]
        (lambda: cuda_tile.array_args([1]), "expected array to be a NumPy array, got"),  # pyright: ignore[reportArgumentType]
        (
            lambda: cuda_tile.run("k.mlir", grid=1, args=[]),  # pyright: ignore[reportArgumentType]
            "expected module to be a module, as cuda_tile.load gives it, got 'k.mlir'",
        ),
        (
            lambda: cuda_tile.run(MODULE, grid=1, args=[ARRAY], seed="x"),
            "expected seed to be a whole number of 0 or more, got 'x'",
        ),
    ],
)
def test_the_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UserError) as raised:
        call()
    assert str(raised.value).startswith(said)
