# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a kernel is run: the options of interpreter and emulator, declared once.

Python functions take them by name, commands by flag (`add_options`), a debugger's
launch configuration by entry. All refuse the same values in the same words.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from cuda_tile.errors import UserError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

Judge: TypeAlias = Literal["interp", "emulator"]
"""Who runs a kernel and looks for its faults."""
JUDGES: tuple[Judge, ...] = ("interp", "emulator")
Function = TypeVar("Function", bound=Callable[..., Any])

MODES: Mapping[str, tuple[str, str]] = {
    "strict": ("strict", "adversarial"),
    "hardware": ("hardware", "fast"),
    "permissive": ("permissive", "fast"),
    "adversarial": ("strict", "adversarial"),
    "fast": ("strict", "fast"),
}
"""The modes of both: for each name what interpreter and emulator call it."""
RANDOM_MODE = "adversarial"
"""The mode in which everything open is chosen at random, seed 0 if there is none."""
ORDERS: Mapping[str, tuple[str, ...]] = {
    "interp": ("tree", "left", "swapped", "shuffle"),
    "emulator": ("isa", "issue"),
}
"""What each leaves to its user to order: reductions; operations of tensor cores."""
FORMER = {
    "on_finding": "collect=True",
    "reduce_order": "order",
    "checked": "strict",
}
"""Names that were given up for another one of the same thing."""


def _option(summary: str, default: Any = None, **facts: Any) -> Any:
    """An option with its line for `--help`.

    Args:
        summary: That line.
        default: What it is if it is not given.
        facts: `words` that it may be, by judge where they differ (`words_on`), the
            `least` number, or what other objects it may be `like`, by an attribute.
    """
    return field(default=default, metadata={"summary": summary, **facts})


@dataclass(frozen=True)
class RunOptions:
    """How a kernel is run; None is the default of who runs it.

    Attributes:
        mode: What is looked for, a name of `MODES`. On the interpreter `strict` makes
            undefined behaviour an error; `hardware` warns where hardware runs it all
            the same; `permissive` looks for none of it and gives the value that
            hardware most likely gives. On the emulator `adversarial` runs warps and
            copies in a seeded random order with all checks, `fast` all warps in step.
        seed: On the interpreter, draws all that the text leaves open: the order of
            blocks and how they interleave, of weak accesses that no token orders, of
            the elements of an atomic, of sums in mmaf, and of reductions unless
            `order` says otherwise; None runs x fastest, then y, then z, in program
            order. On the emulator, of the adversarial order, which it implies.
        order: On the interpreter how reductions combine elements, see
            `interp/reduce.py`; on the emulator which tcgen05 operations of a thread
            complete in order: those of the ISA, or all ("issue"),
            docs/synchronisation.md.
        limit: Most operations of the interpreter, or steps of one set of CTAs of the
            emulator, until it counts as endless.
        numbers: What floats are: "floats", or "exact" for elements of a ring, whose
            sums have no order (docs/exact.md), or an algebra of one's own.
        unspecified: On the interpreter, what elements are that nothing specifies:
            "pattern" shows, NaN for floats, wherever a stored value depends on them;
            "zero" hides them, as hardware often does. A seed draws them in hardware
            mode.
        collect: Whether findings are collected in the report, where the launch goes on
            as far as it can, instead of raised.

    Raises:
        UserError: An option has a value that it cannot have.
    """

    mode: str | None = _option(
        "interp: undefined behaviour is an error (strict; the default but for cuTile "
        "programs), a warning where hardware runs it all the same (hardware), or gives "
        "what hardware most likely gives (permissive); emulator: a random order of "
        "warps and copies, and all checks (adversarial; the default with a seed), or "
        "all warps in step (fast); each takes the other's names",
        words=tuple(MODES),
    )
    seed: int | None = _option(
        "interp: choose every order that the language leaves open at random (tile "
        "blocks, unordered accesses, sums); emulator: the order of adversarial mode",
        least=0,
    )
    order: str | None = _option(
        "interp: how reductions combine elements (tree, left, swapped, or shuffle, the "
        "default with a seed); emulator: which products and copies to tensor memory of "
        "a thread complete in order: those of the PTX ISA (isa, the default), or all "
        "(issue), which it does not promise",
        words=(*ORDERS["interp"], *ORDERS["emulator"]),
        words_on=ORDERS,
    )
    limit: int | None = _option(
        "fail after N operations of the interpreter, or steps of the emulator", least=1
    )
    numbers: Any = _option(  # noqa: RUF009  (a field of any type)
        "exact: floats are elements of a finite ring, so that any order of sums gives "
        "the same bits on interp and emulator; arguments become elements, and what is "
        "printed is no ordinary number (docs/exact.md)",
        words=("floats", "exact"),
        like="enter",
    )
    unspecified: str | None = _option(
        "interp: what elements are that nothing specifies, such as those outside of a "
        "load without padding: a pattern that shows in results (pattern, the default; "
        "NaN for floats), or zero, as hardware often has it",
        words=("pattern", "zero"),
        words_on={"interp": ("pattern", "zero")},
    )
    collect: bool = _option(
        "go on after a finding where possible, and print all of them; the exit status "
        "is 1 if there are any",
        default=False,
    )

    def __post_init__(self) -> None:
        for name in NAMES:
            _check(name, getattr(self, name))

    def given(self, on: str) -> dict[str, Any]:
        """What was given, as arguments for who runs the kernel.

        Args:
            on: `interp`, `emulator`, or `gpu`, which takes none.

        Raises:
            UserError: It does not take one of them.
        """
        found = {name: getattr(self, name) for name in NAMES}
        found = {n: v for n, v in found.items() if v is not None and v is not False}
        for name, value in found.items():
            _check_on(on, name, value)
        return found

    def for_judge(self, judge: Judge) -> RunOptions:
        """The same in the words of a judge, with its defaults for what was not given.

        Raises:
            UserError: It does not take one of them.
        """
        self.given(judge)
        mode, seed = self.mode, self.seed
        if mode is None:
            mode = "strict" if judge == "interp" or seed is not None else "fast"
        seed = 0 if mode == RANDOM_MODE and seed is None else seed
        return replace(
            self,
            mode=MODES[mode][judge == "emulator"],
            seed=seed,
            order=self.order or ("isa" if judge == "emulator" else _order(seed)),
            numbers="floats" if self.numbers is None else self.numbers,
        )


def _order(seed: int | None) -> str:
    """How the interpreter combines the elements of a reduction."""
    return "tree" if seed is None else "shuffle"


_OPTIONS = {option.name: option for option in fields(RunOptions)}
NAMES = tuple(_OPTIONS)
"""The options."""


def _check(name: str, value: object) -> None:
    """Refuses a value that an option cannot have."""
    facts = _OPTIONS[name].metadata
    if value is None or ("like" in facts and hasattr(value, facts["like"])):
        return
    if "words" in facts:
        is_right = isinstance(value, str) and value in facts["words"]
        wanted = f"one of {', '.join(facts['words'])}"
    elif "least" in facts:
        is_right = isinstance(value, Integral) and value >= facts["least"]
        wanted = f"a whole number of {facts['least']} or more"
    else:
        is_right, wanted = isinstance(value, bool), "true or false"
    if not is_right:
        raise UserError(
            f"expected {name} to be {wanted}, got {value!r:.80}{_now(value)}"
        )


def _check_on(on: str, name: str, value: object) -> None:
    """Refuses an option that another executor has, or words that this one has not."""
    words: Mapping[str, tuple[str, ...]] = _OPTIONS[name].metadata.get("words_on", {})
    takers = [judge for judge in JUDGES if not words or judge in words]
    if on not in takers:
        known = " or ".join(f"on='{judge}'" for judge in takers)
        raise UserError(f"expected {known} with {name}, got on='{on}'")
    if words and value not in words[on]:
        known = ", ".join(words[on])
        raise UserError(
            f"expected {name} to be one of {known} with on='{on}', got {value!r}"
        )


def _now(name: object) -> str:
    """What a former name is called now."""
    now = FORMER.get(name) if isinstance(name, str) else None
    return f"; it is called {now} now" if now else ""


def read(choices: Mapping[str, Any]) -> RunOptions:
    """The options that a function was called with.

    Args:
        choices: Its keyword arguments.

    Raises:
        UserError: One of them is no option, or cannot have its value.
    """
    for name in choices:
        if name not in NAMES:
            known = ", ".join(NAMES)
            raise UserError(f"expected an option of {known}, got '{name}'{_now(name)}")
    return RunOptions(**choices)


def takes_options(function: Function) -> Function:
    """Shows the options in the signature of a function whose last argument they are."""
    shown = inspect.signature(function)
    own = [each for each in shown.parameters.values() if each.kind != each.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY
    own += [
        inspect.Parameter(name, kind, default=option.default, annotation=option.type)
        for name, option in _OPTIONS.items()
    ]
    function.__signature__ = shown.replace(parameters=own)  # pyright: ignore[reportFunctionMemberAccess]
    return function


def add_options(
    parser: ArgumentParser | Any, prefix: str = "", names: Iterable[str] = NAMES
) -> None:
    """Adds the flags to a parser, argparse's or a group of pytest's.

    Args:
        parser: Where to; `addoption` is pytest's name of `add_argument`.
        prefix: Put before each name, as `cutile-`.
        names: Those that the command leaves to its user.
    """
    add = getattr(parser, "addoption", None) or parser.add_argument
    for name in names:
        facts = _OPTIONS[name].metadata
        words: dict[str, Any] = {"metavar": "N"}
        if "words" in facts:
            words = {"metavar": f"{{{','.join(facts['words'])}}}"}
        elif "least" not in facts:
            words = {"action": "store_true"}
        place = f"{prefix}{name}".replace("-", "_")
        add(f"--{prefix}{name}", dest=place, help=facts["summary"], **words)


def read_flags(words: Namespace, prefix: str = "") -> RunOptions:
    """The options that were given on a command line.

    Raises:
        UserError: An option has a value that it cannot have.
    """
    found: dict[str, Any] = {}
    for name in NAMES:
        value = getattr(words, f"{prefix}{name}".replace("-", "_"), None)
        if isinstance(value, str) and "least" in _OPTIONS[name].metadata:
            value = int(value) if value.removeprefix("-").isdecimal() else value
        if value is not None:
            found[name] = value
    return RunOptions(**found)
