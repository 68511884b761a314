# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every door takes the same options, and refuses the same values in the same words."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import cuda_tile
from cuda_tile import debug_adapter, emulator, interp
from cuda_tile.cli import run as run_command
from cuda_tile.cutile import __main__ as cutile_command
from cuda_tile.cutile.settings import Settings, add_settings, from_options
from cuda_tile.emulator import __main__ as emulator_command
from cuda_tile.errors import UserError
from cuda_tile.judge import __main__ as judge_command
from cuda_tile.runtime.options import (
    JUDGES,
    MODES,
    NAMES,
    ORDERS,
    Judge,
    RunOptions,
    read,
)

TEXT = "cuda_tile.module @m { entry @k() { return } }"
PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }"
Options = dict[str, Any]
Door = Callable[[Judge, Options], object]


def words_of(options: Options, prefix: str = "") -> list[str]:
    """Options as a shell has them."""
    return [
        f"--{prefix}{name}" if value is True else f"--{prefix}{name}={value}"
        for name, value in options.items()
        if value is not False
    ]


def call_run(on: Judge, options: Options) -> object:
    module = cuda_tile.load(TEXT.encode())
    return cuda_tile.run(module, grid=1, args=[], on=on, **options)


def call_judge(on: Judge, options: Options) -> object:
    if on == "interp":
        module = cuda_tile.load(TEXT.encode())
        return interp.run(module, grid=1, args=[], **options)
    return emulator.launch(PTX, grid=1, block=32, args=[], **options)


def call_settings(on: Judge, options: Options) -> object:
    return Settings(on=on, **options).choices


def command_run(on: Judge, options: Options) -> object:
    words = ["k.mlir", "--grid=1", f"--on={on}", *words_of(options)]
    return run_command.read_request(run_command.build_parser().parse_args(words))


def command_cutile(on: Judge, options: Options) -> object:
    words = [f"--on={on}", *words_of(options), "program.py"]
    return from_options(cutile_command.build_parser().parse_args(words))


def plugin_of_pytest(on: Judge, options: Options) -> object:
    parser = argparse.ArgumentParser()
    add_settings(parser, "cutile-")
    words = [f"--cutile-on={on}", *words_of(options, "cutile-")]
    return from_options(parser.parse_args(words), "cutile-")


def editor(on: Judge, options: Options) -> object:
    asked: Options = {"program": "k.mlir", "grid": 1, "on": on, **options}
    return debug_adapter.prepare(asked, cast(Any, None))


BOTH: list[Door] = [
    *(call_run, call_judge, call_settings, command_run, command_cutile),
    *(plugin_of_pytest, editor),
]
TEXTS = [command_run, command_cutile, plugin_of_pytest, editor]
"""Doors to which numbers come as text, and a flag without a value."""


def each_option(on: Judge) -> Iterator[Options]:
    """Every value that a word may have, some numbers, and all together."""
    for mode in MODES:
        yield {"mode": mode}
    for order in ORDERS[on]:
        yield {"order": order}
    yield from ({"seed": 0}, {"limit": 9}, {"collect": True}, {"collect": False})
    yield from ({"numbers": "floats"}, {"numbers": "exact"})
    whole = {"mode": "strict", "seed": 3, "order": ORDERS[on][0], "limit": 9}
    if on == "interp":
        yield from ({"unspecified": "zero"}, {"unspecified": "pattern"})
        whole["unspecified"] = "zero"
    yield {**whole, "numbers": "exact", "collect": True}


@pytest.mark.parametrize("on", JUDGES)
@pytest.mark.parametrize("door", BOTH, ids=lambda each: each.__name__)
def test_each_door_takes_all(door: Door, on: Judge) -> None:
    for options in each_option(on):
        door(on, options)


ORDERINGS = "tree, left, swapped, shuffle"
WORDS = "strict, hardware, permissive, adversarial, fast"
REFUSED: list[tuple[Options, str]] = [
    ({"mode": "loose"}, f"expected mode to be one of {WORDS}, got 'loose'"),
    (
        {"mode": "checked"},
        f"expected mode to be one of {WORDS}, got 'checked'; it is called strict now",
    ),
    ({"seed": -1}, "expected seed to be a whole number of 0 or more, got -1"),
    ({"seed": "--1"}, "expected seed to be a whole number of 0 or more, got '--1'"),
    ({"seed": "x"}, "expected seed to be a whole number of 0 or more, got 'x'"),
    ({"limit": 0}, "expected limit to be a whole number of 1 or more, got 0"),
    (
        {"order": "up"},
        f"expected order to be one of {ORDERINGS}, isa, issue, got 'up'",
    ),
    ({"numbers": "reals"}, "expected numbers to be one of floats, exact, got 'reals'"),
    (
        {"unspecified": "one"},
        "expected unspecified to be one of pattern, zero, got 'one'",
    ),
]
REFUSED_ON: dict[Judge, list[tuple[Options, str]]] = {
    "interp": [
        (
            {"order": "issue"},
            f"expected order to be one of {ORDERINGS} with on='interp', got 'issue'",
        ),
    ],
    "emulator": [
        (
            {"order": "left"},
            "expected order to be one of isa, issue with on='emulator', got 'left'",
        ),
        (
            {"unspecified": "zero"},
            "expected on='interp' with unspecified, got on='emulator'",
        ),
    ],
}


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(UserError) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize("on", JUDGES)
@pytest.mark.parametrize("door", BOTH, ids=lambda each: each.__name__)
def test_each_door_refuses_in_the_same_words(door: Door, on: Judge) -> None:
    for options, said in [*REFUSED, *REFUSED_ON[on]]:
        assert refusal(partial(door, on, options)) == said
    if door not in TEXTS:
        said = "expected collect to be true or false, got 'log'"
        assert refusal(lambda: door(on, {"collect": "log"})) == said


@pytest.mark.parametrize("door", [call_run, call_judge])
@pytest.mark.parametrize("on", JUDGES)
def test_former_names_have_a_hint(door: Door, on: Judge) -> None:
    for former, now in (("on_finding", "collect=True"), ("reduce_order", "order")):
        said = refusal(lambda former=former: door(on, {former: "raise"}))
        known = ", ".join(NAMES)
        assert said == (
            f"expected an option of {known}, got '{former}'; it is called {now} now"
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_gpu_takes_none(name: str) -> None:
    value = {"seed": 0, "limit": 1, "collect": True, "mode": "fast", "order": "isa"}
    given: Options = {name: value.get(name, "exact" if name == "numbers" else "zero")}
    said = refusal(lambda: read(given).given("gpu"))
    assert said.endswith(f" with {name}, got on='gpu'")
    assert refusal(lambda: Settings(on=cast(Any, "gpu"), **given)) == said
    words = ["k.mlir", "--grid=1", "--on=gpu", *words_of(given)]
    parsed = run_command.build_parser().parse_args(words)
    assert refusal(lambda: run_command.read_request(parsed)) == said


def test_the_command_of_the_emulator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(PTX)
    call = [str(path), "--grid=1", "--block=32"]
    for options in each_option("emulator"):
        assert emulator_command.main([*call, *words_of(options)]) == 0
    for options, said in [*REFUSED, *REFUSED_ON["emulator"]]:
        assert emulator_command.main([*call, *words_of(options)]) == 1
        assert capsys.readouterr().err == f"error: {said}\n"


def test_the_judge_leaves_mode_and_seed_to_its_user() -> None:
    def judged(options: Options) -> object:
        words = ["x.py", "--against=y.py", *words_of(options)]
        return [
            *judge_command.judge_all(judge_command.build_parser().parse_args(words))
        ]

    for options, said in REFUSED:
        (name,) = options
        its = said if name in ("mode", "seed") else f"unrecognized option --{name}; "
        assert refusal(partial(judged, options)).startswith(its)


@pytest.mark.parametrize("function", [interp.run, emulator.launch])
def test_signatures_show_the_options(function: Callable[..., object]) -> None:
    found = inspect.signature(function).parameters
    assert set(NAMES) <= set(found)
    assert not any(each.kind == each.VAR_KEYWORD for each in found.values())


def test_what_each_judge_makes_of_them() -> None:
    def found(on: Judge, **options: Any) -> tuple[object, ...]:
        made = RunOptions(**options).for_judge(on)
        return made.mode, made.seed, made.order

    assert found("interp") == ("strict", None, "tree")
    assert found("interp", mode="adversarial") == ("strict", 0, "shuffle")
    assert found("interp", seed=3, order="left") == ("strict", 3, "left")
    assert found("emulator") == ("fast", None, "isa")
    assert found("emulator", mode="strict", seed=3) == ("adversarial", 3, "isa")
    assert found("emulator", seed=np.int32(2)) == ("adversarial", 2, "isa")
    assert found("emulator", seed=2, mode="permissive") == ("fast", 2, "isa")
