# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an instruction becomes once it is compiled for a machine.

A `Step` is a plain instruction: one call makes all given lanes run it. A `Control`
changes where lanes go next, so it closes a straight run of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from cuda_tile.emulator.ptx.syntax import Register, Variable
from cuda_tile.emulator.ptx.types import Array, Bool
from cuda_tile.emulator.threads.lanes import Lanes

Convergence = Literal["warp", "warpgroup"] | Array | None


@dataclass(slots=True)
class Step:
    """A plain instruction.

    Attributes:
        run: Executes it for some lanes.
        full: Executes it for all lanes, faster than `run`; None where there is no
            faster way.
        convergence: Which lanes must execute it together: "warp" for all live lanes of
            a warp (`.aligned`), "warpgroup" for those of four warps, an array of member
            masks (uint32 per lane), or None where lanes are independent.
        reads: Registers whose values flow into the written ones.
        demands: Registers that must hold a defined value (addresses, stored values).
        writes: Registers it writes.
        defines: Whether the written registers are defined whatever was read.
        merges: Whether one defined source is enough: of a register packed from several,
            some may never be used (LLVM pairs 16-bit values so).
        flow: Where lanes exchange values: given which lanes' sources are defined
            (bool[count]), returns whose results are.
        found: For loads, asked afterwards: per register of `writes` which lanes got a
            defined value; None where all did.
    """

    run: Callable[[Lanes], object]
    full: Callable[[], object] | None = None
    convergence: Convergence = None
    reads: list[Register] = field(default_factory=list[Register])
    demands: list[Register] = field(default_factory=list[Register])
    writes: list[Register] = field(default_factory=list[Register])
    defines: bool = False
    merges: bool = False
    flow: Callable[[Bool, Lanes], Bool] | None = None
    found: Callable[[Lanes], list[Bool] | None] | None = None


@dataclass(slots=True)
class Branch:
    """`bra`: lanes whose guard holds go to `target`, the others to the next."""

    target: int
    guard: Bool | None = None
    negated: bool = False


@dataclass(slots=True)
class IndexedBranch:
    """`brx.idx`: each lane goes to `targets[index]`."""

    index: Array
    targets: tuple[int, ...]


@dataclass(slots=True)
class Exit:
    """`exit`, and `ret` in an entry function: the lanes end."""


@dataclass(slots=True)
class Return:
    """`ret`: the lanes go on after their call."""


@dataclass(slots=True)
class Call:
    """`call` of a function; arguments and results are variables of the caller."""

    function: str
    arguments: tuple[Variable, ...]
    results: tuple[Variable, ...]


@dataclass(slots=True)
class IndirectCall:
    """`call` of the function at an address that each lane has.

    Attributes:
        target: The addresses.
        reaches: From an address to the call of the function there.
    """

    target: Array
    reaches: Callable[[int], Call]


@dataclass(slots=True)
class Barrier:
    """`bar` and `barrier`: arrive at a barrier of the CTA, and perhaps wait.

    Attributes:
        number: The barrier, per lane.
        threads: How many threads take part, per lane; None for all of the CTA.
        waits: False for `arrive`.
        is_aligned: Whether the warp must arrive as one.
        finish: For `barrier.red`: given the lanes of the whole barrier, writes the
            reduction's result; None else.
    """

    number: Array
    threads: Array | None
    waits: bool
    is_aligned: bool
    finish: Callable[[Lanes], None] | None = None


@dataclass(slots=True)
class Wait:
    """Waiting for other threads or asynchronous operations.

    Attributes:
        poll: Returns which lanes may go on. Takes the lanes, and whether all operations
            in flight must complete first.
        finish: Completes the instruction for some lanes, with its result.
        words: Describes what lanes wait for.
        may_fail: Whether the instruction may time out and return false.
        is_aligned: Whether the warp must be converged.
    """

    poll: Callable[[Lanes, bool], Bool]
    finish: Callable[[Lanes, bool], None]
    words: Callable[[Lanes], str]
    may_fail: bool = False
    is_aligned: bool = False


Control = Branch | IndexedBranch | Exit | Return | Call | IndirectCall | Barrier | Wait
Compiled = Step | Control
