# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How cuTile kernels are run: what command, pytest plugin and `install` take."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass
from typing import Any, get_args

from cuda_tile.errors import UserError
from cuda_tile.running import Executor
from cuda_tile.runtime.options import RunOptions, add_options, read_flags
from cuda_tile.targets import DEFAULT_GPU, find_target

VARIABLE = "CUDA_TILE_CUTILE"
"""Environment variable by which Python processes that a program starts inherit this."""

EXECUTORS = get_args(Executor)


@dataclass(frozen=True)
class Settings(RunOptions):
    """How kernels are run: `RunOptions`, and where.

    The mode is `hardware` on the interpreter if none is given (see
    python/cuda_tile/interp/README.md).

    Attributes:
        on: `interp` runs the tiles, `emulator` the PTX that this compiler makes, `gpu`
            its cubin on the machine's GPU.
        gpu: The chip that programs see and that is compiled for.
        record: Folder for bytecode, grid and arguments of each launch, or None.

    Raises:
        UserError: A value is not one of those that there are.
    """

    on: Executor = "interp"
    gpu: str = DEFAULT_GPU
    record: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.on not in EXECUTORS:
            known = ", ".join(EXECUTORS)
            raise UserError(f"expected on to be one of {known}, got {self.on!r}")
        self.given(self.on)
        find_target(self.gpu)

    @property
    def choices(self) -> dict[str, Any]:
        """The executor's own options, for `cuda_tile.run`."""
        usual = {"mode": "hardware"} if self.on == "interp" else {}
        return usual | self.given(self.on)

    def to_environment(self) -> str:
        """The value of `VARIABLE`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Settings | None:
        """What a parent process left, or None."""
        text = os.environ.get(VARIABLE)
        return cls(**json.loads(text)) if text else None


def add_settings(parser: ArgumentParser | Any, prefix: str = "") -> None:
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
    add_options(parser, prefix)
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
    run = vars(read_flags(words, prefix))
    own = ("on", "gpu", "record")
    given = {n: getattr(words, f"{prefix}{n}".replace("-", "_")) for n in own}
    return Settings(**run, **{n: v for n, v in given.items() if v is not None})
