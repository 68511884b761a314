# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of passes: what each one needs, gives, and may not follow.

A pass gives a kernel a property, such as `staged`, and needs those that passes before
it gave. The properties that a module has stand in `tileas.done`, so that a text which
any pass has left goes on with the next one. A text without that attribute, which a
person wrote, is taken for what the first pass expects, as far as its operations and
attributes do not say otherwise.

Passes on layouts run in the order of the pipeline: none behind a later one. Those on
tiles may run again at any time before layouts are assigned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.options import Options
from cuda_tile.passes.allocate import SHARED_BYTES_ATTRIBUTE
from cuda_tile.passes.narrow_elements import is_narrow_access
from cuda_tile.records import dataclass

Level = Literal["T", "W", "P", "PTX", "cubin"]
"""T: tiles. W: tiles with layouts, which say what each warp and lane holds. P: `llvm`
and `nvvm` for one thread. Then text and machine code."""
PassFunction = Callable[[ir.Operation, Options], None]
WatchFunction = Callable[[ir.Operation, Options], Callable[[ir.Operation], None]]
DONE_ATTRIBUTE = "tileas.done"
"""On the module: the properties that passes have given it, in their order."""


_NAMES = r'\[("\w+"(, )?)*\]'


@dataclass(frozen=True)
class Pass:
    """A step from MLIR to MLIR.

    Attributes:
        name: Its name for hooks, `until` and timings.
        level: The level of what it leaves.
        summary: One line for `--help`.
        change: What it does to a module.
        reads: The fields of `Options` that it reads, which are the flag's options.
        needs: Properties that a module must have before it.
        gives: The property that a module has behind it; empty for none.
        once: Whether it cannot run on what it has left.
        checker: What judges a module that it has left, if `Options.check` asks for it.
        judged_by: The later pass whose check judges what this pass did, too; where that
            one runs in the same compilation, it alone is asked.
        watcher: What notes before the pass what it may not change, if `Options.check`
            asks for it, and gives what judges the module behind it.
    """

    name: str
    level: Level
    summary: str
    change: PassFunction
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    gives: str = ""
    once: bool = False
    checker: PassFunction | None = None
    judged_by: str = ""
    watcher: WatchFunction | None = None

    @property
    def flag(self) -> str:
        """Its name in pipeline texts, which is the tool's flag."""
        return "cuda-tile-" + self.name.replace("_", "-")


class PassOrder:
    """Checks that passes run in an order that makes sense.

    Args:
        passes: All passes, in the order of the pipeline.
    """

    def __init__(self, passes: Sequence[Pass]) -> None:
        self._passes = tuple(passes)
        self._numbers = {step.name: number for number, step in enumerate(passes)}

    def check(self, step: Pass, module: ir.Operation) -> None:
        """Refuses a pass that runs too early or too late.

        Raises:
            UserError: A pass that it needs has not run, or one behind it has; says
                which.
        """
        if step.name not in self._numbers:
            return
        marked = _marked(module)
        if step.once and _has(step.gives, module, marked):
            raise UserError(
                f"expected a module that is not {step.gives} yet for {step.flag}; run "
                "it once"
            )
        for later in self._behind(step, module, marked):
            if _has(later.gives, module, marked):
                raise UserError(
                    f"expected {step.flag} before {later.flag}, got a module that is "
                    f"{later.gives} already"
                )
        if missing := self._missing(step, module, marked):
            flags = dict.fromkeys((missing[0].flag, missing[-1].flag))
            raise UserError(
                f"expected a module that is {missing[-1].gives} for {step.flag}; run "
                f"{' to '.join(flags)} first"
            )

    def note(self, step: Pass, module: ir.Operation) -> None:
        """Writes down what a pass has given a module."""
        if step.name not in self._numbers or not step.gives:
            return
        marked = _marked(module)
        if step.level == "P":  # the operations say so
            if marked is not None:
                del module.attributes[DONE_ATTRIBUTE]
            return
        before = self._passes[: self._numbers[step.name]]
        known = marked if marked is not None else _trusted(before, module)
        done = [p.gives for p in self._passes if p.gives in {*known, step.gives}]
        texts: list[ir.Attribute] = [ir.StringAttr.get(name) for name in done if name]
        module.attributes[DONE_ATTRIBUTE] = ir.ArrayAttr.get(texts)

    def _behind(
        self, step: Pass, module: ir.Operation, marked: Sequence[str] | None
    ) -> list[Pass]:
        """The passes that a pass may not follow, if they can have run."""
        is_early = step.level == "T"
        if is_early and marked is None and not _is_planned(module):
            return []  # as a producer wrote it
        later = self._passes[self._numbers[step.name] + 1 :]
        return [p for p in later if p.gives and not (is_early and p.level == "T")]

    def _missing(
        self, step: Pass, module: ir.Operation, marked: Sequence[str] | None
    ) -> list[Pass]:
        """The passes before a pass that it needs and that have not run, in order."""
        found: list[Pass] = []
        for need in step.needs:
            if _has(need, module, marked):
                continue  # and so it has what came before
            giver = next(p for p in self._passes if p.gives == need)
            earlier = self._missing(giver, module, marked)
            if earlier or not _may_have(need, module, marked):
                found += [*earlier, giver]
        return found


def _trusted(before: Sequence[Pass], module: ir.Operation) -> list[str]:
    """What a text without marks is taken to have behind the passes before one."""
    names = [p.gives for p in before if p.gives]
    return [n for n in names if n not in READERS or READERS[n](module) is not False]


def _may_have(name: str, module: ir.Operation, marked: Sequence[str] | None) -> bool:
    """Whether a module has a property, or says nothing of it."""
    if marked is not None:
        return _has(name, module, marked)
    return name not in READERS or READERS[name](module) is not False


def _has(name: str, module: ir.Operation, marked: Sequence[str] | None) -> bool:
    """Whether a module says that it has a property."""
    if marked is not None and name in marked:
        return True
    is_asked = marked is None or name in UNMARKED
    return is_asked and name in READERS and READERS[name](module) is True


def _marked(module: ir.Operation) -> list[str] | None:
    """The properties that stand on a module; None where it says nothing.

    Raises:
        UserError: What stands there is no list of names.
    """
    if DONE_ATTRIBUTE not in module.attributes:
        return None
    text = str(module.attributes[DONE_ATTRIBUTE])
    if not re.fullmatch(_NAMES, text):
        raise UserError(f"expected a list of names as '{DONE_ATTRIBUTE}', got {text}")
    return re.findall(r"\w+", text)


# What operations and attributes say ---------------------------------------------------


def _is_planned(module: ir.Operation) -> bool:
    return all(PLAN_ATTRIBUTE in entry.attributes for entry in entries(module))


def _is_narrowed(module: ir.Operation) -> bool:
    return not any(
        is_narrow_access(op) for e in entries(module) for op in nested_ops(e)
    )


def _is_placed(module: ir.Operation) -> bool | None:
    """Whether the first tile has a layout; a module without tiles cannot tell."""
    values = (v for e in entries(module) for op in nested_ops(e) for v in op.results)
    first = next(filter(is_distributed, values), None)
    return None if first is None else TileType(first.type).layout is not None


def _is_allocated(module: ir.Operation) -> bool | None:
    """Whether entries say what memory they need; buffers may have places without."""
    has_bytes = (SHARED_BYTES_ATTRIBUTE in e.attributes for e in entries(module))
    return True if any(has_bytes) else None


def _is_lowered(module: ir.Operation) -> bool:
    first = next(iter(module.regions[0].blocks[0].operations), None)
    return first is not None and first.operation.name == "gpu.module"


READERS: Mapping[str, Callable[[ir.Operation], bool | None]] = {
    "narrowed": _is_narrowed,
    "planned": _is_planned,
    "placed": _is_placed,
    "allocated": _is_allocated,
    "lowered": _is_lowered,
}
"""The properties that can be read off a module at little cost; None: it cannot tell."""
UNMARKED = ("narrowed", "planned", "lowered")
"""Those that a module may have although no pass gave them."""
