# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How cuTile kernels are run: what command, pytest plugin and `install` take."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass
from typing import Any, get_args

from cuda_tile.errors import UserError
from cuda_tile.interp.alarms import Unspecified
from cuda_tile.running import Executor
from cuda_tile.runtime.report import MODES
from cuda_tile.targets import DEFAULT_GPU, find_target

VARIABLE = "CUDA_TILE_CUTILE"
"""Environment variable by which Python processes that a program starts inherit this."""

EXECUTORS = get_args(Executor)


@dataclass(frozen=True)
class Settings:
    """How kernels are run.

    Attributes:
        on: `interp` runs the tiles, `emulator` the PTX that this compiler makes, `gpu`
            its cubin on the machine's GPU.
        gpu: The chip that programs see and that is compiled for.
        mode: What is looked for, a name of `cuda_tile.runtime.report.MODES`; None for
            `hardware` on the interpreter (see python/cuda_tile/interp/README.md), for
            what fits the launch on the emulator.
        unspecified: What elements are that nothing specifies, as those of a load that
            reaches past its array without a padding mode: `pattern`, or `zero`.
        seed: Draws what the language leaves open; None is program order.
        record: Folder for bytecode, grid and arguments of each launch, or None.

    Raises:
        UserError: A value is not one of those that there are.
    """

    on: Executor = "interp"
    gpu: str = DEFAULT_GPU
    mode: str | None = None
    unspecified: str = "pattern"
    seed: int | None = None
    record: str | None = None

    def __post_init__(self) -> None:
        for name, known in (
            ("on", EXECUTORS),
            ("mode", (None, *MODES)),
            ("unspecified", get_args(Unspecified)),
        ):
            if getattr(self, name) not in known:
                words = ", ".join(word for word in known if word is not None)
                got = repr(getattr(self, name))
                raise UserError(f"expected {name} to be one of {words}, got {got}")
        if self.seed is not None and self.seed < 0:
            raise UserError(f"expected a seed of 0 or more, got {self.seed}")
        for name in ("mode", "seed"):
            if getattr(self, name) is not None and self.on == "gpu":
                raise UserError(
                    f"expected on='interp' or on='emulator' with a {name}, got gpu"
                )
        find_target(self.gpu)

    @property
    def choices(self) -> dict[str, Any]:
        """The executor's own options, for `cuda_tile.run`."""
        if self.on == "gpu":
            return {}
        given = {"mode": self.mode, "seed": self.seed}
        found = {name: value for name, value in given.items() if value is not None}
        if self.on == "interp":
            return {"mode": "hardware", "unspecified": self.unspecified} | found
        return found

    def to_environment(self) -> str:
        """The value of `VARIABLE`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Settings | None:
        """What a parent process left, or None."""
        text = os.environ.get(VARIABLE)
        return cls(**json.loads(text)) if text else None


def add_options(parser: ArgumentParser | Any, prefix: str = "") -> None:
    """Adds the options to a parser, argparse's or a group of pytest's.

    Args:
        parser: Where to; `addoption` is pytest's name of `add_argument`.
        prefix: Put before each name, as `cutile-`.
    """
    add = getattr(parser, "addoption", None) or parser.add_argument

    def option(name: str, text: str, **words: Any) -> None:
        destination = f"{prefix}{name}".replace("-", "_")
        add(f"--{prefix}{name}", dest=destination, help=text, **words)

    option(
        "on",
        "run kernels on the interpreter, the emulator or the GPU of the machine",
        choices=EXECUTORS,
    )
    option("gpu", f"the chip that the program sees ({DEFAULT_GPU})", metavar="SM")
    option(
        "mode",
        "interp: undefined behaviour is an error (strict), a warning where hardware "
        "runs it all the same (hardware, the default), or gives what hardware most "
        "likely gives (permissive); emulator: random order and all checks "
        "(adversarial, the default where the launch is small), or all warps in step "
        "(fast); each takes the other's names",
        choices=tuple(MODES),
    )
    option(
        "unspecified",
        "interp: what elements are that nothing specifies, such as those outside of a "
        "load without padding mode: a pattern that shows in results (pattern, the "
        "default), or zero, as hardware often has it",
        choices=get_args(Unspecified),
    )
    option(
        "seed",
        "choose every order that the language leaves open at random",
        metavar="N",
        type=int,
    )
    option(
        "record",
        "write bytecode, grid and arguments of every launch here, for cuda-tile-run",
        metavar="DIR",
    )


def from_options(words: Namespace, prefix: str = "") -> Settings:
    """The settings of a parsed command line; what was not given is the default.

    Raises:
        UserError: A value is not one of those that there are.
    """
    given = {
        name: getattr(words, f"{prefix}{name}".replace("-", "_"))
        for name in Settings.__dataclass_fields__
    }
    return Settings(
        **{name: value for name, value in given.items() if value is not None}
    )
