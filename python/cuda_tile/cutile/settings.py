# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How cuTile kernels are run: what command, pytest plugin and `install` take."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass
from typing import Any, get_args

from cuda_tile.api import Executor
from cuda_tile.errors import UserError
from cuda_tile.interp.alarms import MODE_NAMES, Unspecified
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
        mode: Mode of the interpreter: what undefined behaviour does, see
            python/cuda_tile/interp/README.md.
        unspecified: What elements are that nothing specifies, as those of a load that
            reaches past its array without a padding mode: `pattern`, or `zero`.
        seed: Draws what the language leaves open; None is program order.
        record: Folder for bytecode, grid and arguments of each launch, or None.

    Raises:
        UserError: A value is not one of those that there are.
    """

    on: Executor = "interp"
    gpu: str = DEFAULT_GPU
    mode: str = "hardware"
    unspecified: str = "pattern"
    seed: int | None = None
    record: str | None = None

    def __post_init__(self) -> None:
        for name, known in (
            ("on", EXECUTORS),
            ("mode", tuple(MODE_NAMES)),
            ("unspecified", get_args(Unspecified)),
        ):
            if getattr(self, name) not in known:
                raise UserError(
                    f"expected {name} to be one of {', '.join(known)}, got "
                    f"{getattr(self, name)!r}"
                )
        if self.seed is not None and self.seed < 0:
            raise UserError(f"expected a seed of 0 or more, got {self.seed}")
        if self.seed is not None and self.on == "gpu":
            raise UserError(
                "expected on='interp' or on='emulator' with a seed, got gpu"
            )
        find_target(self.gpu)

    @property
    def choices(self) -> dict[str, Any]:
        """The executor's own options, for `cuda_tile.run`."""
        if self.on == "interp":
            names = ("mode", "seed", "unspecified")
            return {name: getattr(self, name) for name in names}
        if self.on == "emulator" and self.seed is not None:
            return {"seed": self.seed}
        return {}

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
        "likely gives (permissive)",
        choices=tuple(MODE_NAMES),
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
