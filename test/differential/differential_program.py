# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random program as a tree of steps, and the kernel while its text is written.

A program is a `Recipe`: a tree of `Step`s, each with a seed of its own. Writing a
recipe down is a function of it alone, and a step chooses its operands by keys that
do not depend on other steps. So a step that
is added changes no other one.

The steps for single ops are those of `test/emit`; memory, control flow and
exchanges between threads have files of their own here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

from emit_program import Program, Value

if TYPE_CHECKING:
    from differential_memory import Access, Chain

T = TypeVar("T")
_NAME = re.compile(r"%\w+")


@dataclass(frozen=True)
class Step:
    """One step of a recipe.

    Attributes:
        kind: Its name in `differential_steps.STEPS`.
        seed: Decides everything the step chooses.
        bodies: The steps of each of its regions.
    """

    kind: str
    seed: int
    bodies: tuple[tuple[Step, ...], ...] = ()

    def __str__(self) -> str:
        inner = "".join(f"({' '.join(map(str, body))})" for body in self.bodies)
        return f"{self.kind}:{self.seed}{inner}"


@dataclass(frozen=True)
class Recipe:
    """What a program is made from.

    Attributes:
        name: The kind of program and its seed, for messages.
        seed: Seed of the arrays' contents and of the program's shape.
        grid: Tile blocks along x.
        num_warps: Warps per CTA, or None to let the compiler choose.
        steps: Its steps in order.
    """

    name: str
    seed: int
    grid: int
    num_warps: int | None
    steps: tuple[Step, ...]

    @property
    def case_seed(self) -> int:
        """The seed of the finished case."""
        return self.seed & 0xFFFF


@dataclass
class Frame:
    """A region op that is being written.

    Attributes:
        kind: `for`, `loop` or `if`.
        carried: What `continue` passes on, tokens apart.
        results: What `break` passes on, tokens apart.
        chains: The chains whose tokens come after these values.
        outside: Values of the pool that were made before it.
        may_continue: Whether a branch may go on with the next iteration.
        left: Accesses of branches that leave it.
        make_next: Gives the operands of its `continue`.
    """

    kind: str
    carried: list[Value] = field(default_factory=list[Value])
    results: list[Value] = field(default_factory=list[Value])
    chains: list[Chain] = field(default_factory=list["Chain"])
    outside: int = 0
    may_continue: bool = True
    left: list[tuple[Chain, Access]] = field(
        default_factory=list["tuple[Chain, Access]"]
    )
    make_next: Callable[[], list[str]] = list


def _mix(*numbers: int) -> int:
    return crc32(b"".join(number.to_bytes(8, "little") for number in numbers))


@dataclass(repr=False)
class RandomProgram(Program):
    """A kernel being written from a recipe.

    Attributes:
        shape: Rows and columns that most tiles of the program have.
        chains: The memory that the kernel reads and writes in an order of tokens.
        frames: The region ops around the current step, outermost first.
        notes: Constructs that the program has, counted.
        globals: Lines of the module before the kernel.
    """

    shape: tuple[int, int] = (8, 16)
    chains: list[Chain] = field(default_factory=list["Chain"])
    frames: list[Frame] = field(default_factory=list[Frame])
    notes: Counter[str] = field(default_factory=Counter[str])
    globals: list[str] = field(default_factory=list[str])
    _rng: Random = field(default_factory=Random)
    _seed: int = 0
    _ordinal: int = 0
    _keys: dict[str, int] = field(default_factory=dict[str, int])
    _used: set[str] = field(default_factory=set[str])

    def begin(self, seed: int) -> None:
        """What follows is chosen by the step of this seed."""
        self._rng, self._seed, self._ordinal = Random(seed), seed, 0

    @property
    def step_seed(self) -> int:
        """The seed of the current step."""
        return self._seed

    def note(self, construct: str) -> None:
        """Counts a construct that the program has."""
        self.notes[construct] += 1

    # Choices ------------------------------------------------------------------------

    def pick(self, choices: Sequence[T]) -> T:
        """One of several things; of values, whichever others there are."""
        if not isinstance(choices[0], Value):
            return self._rng.choice(choices)
        salt = self._rng.getrandbits(32)
        return min(choices, key=lambda value: _mix(salt, self._key(value)))

    def _key(self, value: Any) -> int:
        return self._keys.get(value.name, 0)

    def number(self, low: int, high: int) -> int:
        """An integer between two bounds, both included."""
        return self._rng.randint(low, high)

    def chance(self, one_in: int = 2) -> bool:
        """True once in so many times."""
        return self._rng.randrange(one_in) == 0

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """The same things in any order."""
        return self._rng.sample(values, len(values))

    # Text ---------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        """A new SSA name; its key depends on the step that makes it only."""
        name = super().fresh(stem)
        self._ordinal += 1
        self._keys[name] = _mix(self._seed, self._ordinal)
        return name

    def line(self, text: str) -> None:
        """Adds a line to the body."""
        self.lines.append("  " * (2 + len(self.frames)) + text)
        results, equals, rest = text.partition(" = ")
        self._used.update(_NAME.findall(rest if equals else results))

    def unused(self, values: Sequence[Value]) -> list[Value]:
        """Those that no op uses so far: nothing would see whether they are right."""
        return [value for value in values if value.name not in self._used]

    def open_chains(self) -> list[Chain]:
        """The chains whose memory may be touched where we are."""
        return [chain for chain in self.chains if not chain.is_locked]

    def inner(self, values: Sequence[Value]) -> list[Value]:
        """Those that were made inside the innermost region."""
        outside = self.frames[-1].outside if self.frames else 0
        made = self.pool[outside:]
        return [value for value in values if value in made]


def refuse_draw(strategy: Any) -> Any:
    """Stands where hypothesis would draw; a random program draws from its steps."""
    raise AssertionError(f"a step drew {strategy} past the program's own choices")
