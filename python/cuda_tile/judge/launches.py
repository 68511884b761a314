# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that come as Tile IR or PTX: how they are launched, and who runs them.

A kernel has no host. So the reference, which is trusted, says how it is launched; what
the kernel must be called, and which parameters it has, is part of the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import cuda_tile
from cuda_tile import emulator
from cuda_tile.emulator.ptx.syntax import Special
from cuda_tile.errors import UserError
from cuda_tile.judge.device import MOST_OPS
from cuda_tile.judge.exactly import unlawful
from cuda_tile.judge.verdict import Word
from cuda_tile.runtime.elements import Array

_LAWFUL = frozenset(
    {"add", "sub", "mul", "fma", "mad", "neg", "mov", "ld", "st", "selp", "atom", "red"}
)
"""Instructions on f32 and f64 that exact numbers have laws for."""
_WIDE = frozenset({"f32", "f64"})
_FLOATS = frozenset(
    {*_WIDE, "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32x2", "e4m3", "e5m2"}
    | {"e4m3x2", "e5m2x2"}
)
_MOODS = ("%clock", "%globaltimer", "%smid", "%nsmid", "%warpid", "%gridid", "%pm")
"""Special registers that tell a run from another one (PTX ISA, "Special Registers")."""
MOST_STEPS = 50_000_000
"""Instructions of warps in one launch of PTX until it counts as endless."""
TILE_SUFFIXES = (".tileirbc", ".mlir")
SUFFIXES = (*TILE_SUFFIXES, ".ptx")
"""Names of files with kernels end so."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel of a candidate's file.

    Attributes:
        grid: Tile blocks of Tile IR, CTAs of PTX, along x, y, z.
        args: The parameters in order: arrays for pointers, numbers. A Tile IR kernel
            that has a pointer, extents and strides of an array takes the array.
        outputs: The arrays with what the reference returns, in its order.
        kernel: The entry's name; None for the only one.
        block: Threads of a CTA of PTX that has no `.reqntid`.
        shared_bytes: Dynamic shared memory of a CTA of PTX.
    """

    grid: int | Sequence[int]
    args: Sequence[Any]
    outputs: Sequence[Array] = ()
    kernel: str | None = None
    block: int | Sequence[int] = 1
    shared_bytes: int = 0


class Kernel(Protocol):
    """A candidate's file.

    Attributes:
        differs: What another result in an adversarial order makes of it.
        differs_exactly: The same of another one in exact numbers.
    """

    differs: Word
    differs_exactly: Word

    def unlawful(self) -> str:
        """What it does that exact numbers have no law for; nothing if all is lawful."""
        ...

    def moods(self) -> list[str]:
        """What it reads that differs from run to run on a chip, and not here."""
        ...

    def run_exactly(self, launch: Launch) -> None:
        """Runs a launch in exact numbers, of which its arrays are.

        Raises:
            CudaTileError: It cannot be.
        """
        ...

    def run(self, launch: Launch, mode: str) -> int:
        """Runs a launch with what is quick; gives how much it did.

        Raises:
            CudaTileError: It did what it must not, or took too many steps.
        """
        ...

    def emulate(self, launch: Launch, seed: int) -> int:
        """Runs a launch as a chip would, in an adversarial order; gives instructions.

        Raises:
            CudaTileError: It did what it must not.
        """
        ...


class TileKernel:
    """Tile IR: the interpreter runs it, the emulator what we make of it.

    Args:
        path: Bytecode or text.
        gpu: The chip that is emulated.

    Raises:
        UserError: It is no valid module.
    """

    differs: Word = "unknown"
    differs_exactly: Word = "wrong"

    def __init__(self, path: Path, gpu: str) -> None:
        self._module = cuda_tile.load(path)
        self._gpu = gpu

    def unlawful(self) -> str:
        """See `Kernel`."""
        return unlawful(self._module)

    def moods(self) -> list[str]:
        """See `Kernel`: Tile IR has nothing of the kind."""
        return []

    def run_exactly(self, launch: Launch) -> None:
        """See `Kernel`."""
        self._interpret(launch, numbers="exact")

    @cached_property
    def _compiled(self) -> cuda_tile.Compiled:
        return cuda_tile.compile(self._module, self._gpu, cubin=False)

    def run(self, launch: Launch, mode: str) -> int:
        """See `Kernel`."""
        return self._interpret(launch, mode=mode)

    def _interpret(self, launch: Launch, **choices: Any) -> int:
        report = cuda_tile.run(
            self._module,
            launch.kernel,
            grid=launch.grid,
            args=launch.args,
            on="interp",
            limit=MOST_OPS,
            **choices,
        )
        return report.steps

    def emulate(self, launch: Launch, seed: int) -> int:
        """See `Kernel`."""
        report = cuda_tile.run(
            self._module,
            launch.kernel,
            grid=launch.grid,
            args=launch.args,
            on="emulator",
            gpu=self._gpu,
            compiled=self._compiled,
            seed=seed,
        )
        return report.totals["warps"]


class PtxKernel:
    """PTX of any origin, on the emulator.

    Args:
        path: The text.

    Raises:
        UserError: It is no PTX.
    """

    differs: Word = "faulty"
    # Threads may do with the bits of floats what no instruction names.
    differs_exactly: Word = "unknown"

    def __init__(self, path: Path) -> None:
        try:
            self._module = emulator.parse(path.read_text())
        except UnicodeDecodeError:
            raise UserError("expected PTX text, got bytes that are no text") from None

    def run(self, launch: Launch, mode: str) -> int:
        """See `Kernel`; the order is that of all warps in step."""
        return self._launch(launch, mode="fast")

    def emulate(self, launch: Launch, seed: int) -> int:
        """See `Kernel`."""
        return self._launch(launch, mode="adversarial", seed=seed)

    def unlawful(self) -> str:
        """See `Kernel`."""
        for function in self._module.functions.values():
            for instruction in function.code:
                kinds = _FLOATS.intersection(instruction.modifiers)
                is_lawful = instruction.opcode in _LAWFUL and kinds <= _WIDE
                if kinds and not is_lawful:
                    return f"'{instruction.mnemonic}'"
        return ""

    def moods(self) -> list[str]:
        """See `Kernel`."""
        operands = (
            operand
            for function in self._module.functions.values()
            for instruction in function.code
            for operand in instruction.operands
        )
        names = {each.name for each in operands if isinstance(each, Special)}
        return sorted(name for name in names if name.startswith(_MOODS))

    def run_exactly(self, launch: Launch) -> None:
        """See `Kernel`."""
        self._launch(launch, mode="fast", numbers="exact")

    def _launch(self, launch: Launch, **order: Any) -> int:
        report = emulator.launch(
            self._module,
            launch.kernel,
            grid=launch.grid,
            block=launch.block,
            args=launch.args,
            shared_bytes=launch.shared_bytes,
            limit=MOST_STEPS,
            **order,
        )
        return report.totals["warps"]


def load_kernel(path: Path, gpu: str) -> Kernel:
    """The kernel of a file.

    Args:
        path: Its name ends as one of `SUFFIXES`.
        gpu: The chip that is emulated for Tile IR.

    Raises:
        UserError: It cannot be read.
    """
    return PtxKernel(path) if path.suffix == ".ptx" else TileKernel(path, gpu)
