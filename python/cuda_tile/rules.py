# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables with one rule per op, registered by name; used by place, emit and interp.

A table belongs to its stage. The modules of a stage fill it: all of them where they are
imported, or those of an op's group where its rule is asked for (`fill_from`). It
depends only on the names of ops.

What an analysis or rewrite does with an op is a rule; what holds of an op whoever asks
is a fact, and stands in `ir/traits.py`. `tools/checks/op_lists.py` tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Generic, TypeVar

from cuda_tile.errors import InternalError, Unsupported

Rule = TypeVar("Rule", bound=Callable[..., Any])


class RuleTable(Generic[Rule]):
    """The rules of one stage, by op name without the dialect prefix `cuda_tile.`.

    Example:
        >>> table = RuleTable[Callable[[int], int]]("double")
        >>> @table.register("addi")
        ... def addi(value: int) -> int:
        ...     return 2 * value
        >>> table["addi"](4)
        8

    Args:
        stage: Name of the stage in error messages.
        advice: What to do about an op without a rule.
    """

    def __init__(self, stage: str, advice: str = "") -> None:
        self.stage = stage
        self._advice = f"; {advice}" if advice else ""
        self._rules: dict[str, Rule] = {}
        self._homes: Mapping[str, tuple[str, ...]] = {}
        self._group_of: Callable[[str], str | None] = lambda _: None

    def register(self, *op_names: str) -> Callable[[Rule], Rule]:
        """Makes the decorated function the rule of each named op.

        Raises:
            InternalError: One of the ops already has a rule in this table.
        """

        def add(rule: Rule) -> Rule:
            for name in op_names:
                first = self._rules.get(name)
                if first is not None:
                    raise InternalError(
                        f"{self.stage}: expected one rule for '{name}', got a second "
                        f"in {rule.__module__} after {first.__module__}"
                    )
                self._rules[name] = rule
            return rule

        return add

    def fill_from(
        self,
        package: str,
        homes: Mapping[str, str],
        group_of: Callable[[str], str | None],
    ) -> None:
        """Names the modules to import where a rule of theirs is asked for.

        Most programs use few of the ops, and importing a module costs as much as
        compiling an op some dozen times.

        Args:
            package: Of the modules.
            homes: For each group of ops the modules with its rules, parted by blanks.
            group_of: The group of an op, or None for what is none.
        """
        self._homes = {
            group: tuple(f"{package}.{module}" for module in modules.split())
            for group, modules in homes.items()
        }
        self._group_of = group_of

    def _find(self, op_name: str) -> Rule | None:
        """The rule of an op, whose module is imported if need be."""
        if op_name not in self._rules and self._homes:
            for module in self._homes.get(self._group_of(op_name) or "", ()):
                import_module(module)
                if op_name in self._rules:
                    break
        return self._rules.get(op_name)

    def _fill(self) -> None:
        """Imports every module, for those who want the whole table."""
        for modules in self._homes.values():
            for module in modules:
                import_module(module)

    @contextmanager
    def replaced(self, op_name: str, rule: Rule) -> Generator[None]:
        """Another rule for an op inside a `with`, to try a lowering.

        Raises:
            Unsupported: The op has no rule that could be replaced.
        """
        built_in = self[op_name]
        self._rules[op_name] = rule
        try:
            yield
        finally:
            self._rules[op_name] = built_in

    def __getitem__(self, op_name: str) -> Rule:
        """The rule of `op_name`.

        Raises:
            Unsupported: No rule is registered for it.
        """
        rule = self._find(op_name)
        if rule is None:
            raise Unsupported(f"{self.stage}: no rule for '{op_name}'{self._advice}")
        return rule

    def get(self, op_name: str, default: Rule) -> Rule:
        """The rule of `op_name`, or `default` if there is none."""
        found = self._find(op_name)
        return default if found is None else found

    def __contains__(self, op_name: object) -> bool:
        return isinstance(op_name, str) and self._find(op_name) is not None

    def __iter__(self) -> Iterator[str]:
        self._fill()
        return iter(self._rules)

    def __len__(self) -> int:
        self._fill()
        return len(self._rules)

    def missing(self, op_names: Iterable[str]) -> list[str]:
        """The names among `op_names` that have no rule, in the given order."""
        return [name for name in op_names if name not in self]
