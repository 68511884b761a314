# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The values in scope as expressions see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Slot = TypeVar("Slot")


class Scope(Mapping[str, Any], Generic[Slot]):
    """Values by name, each made when it is asked for.

    Args:
        slots: Where values are, by name: slots of the interpreter, or registers.
        value: Gives what is there.
        rest: Further values by name.
    """

    def __init__(
        self,
        slots: Mapping[str, Slot],
        value: Callable[[Slot], Any],
        rest: Mapping[str, Any],
    ) -> None:
        self._slots = slots
        self._value = value
        self._rest = rest

    def __getitem__(self, name: str) -> Any:
        return (
            self._value(self._slots[name]) if name in self._slots else self._rest[name]
        )

    def __contains__(self, name: object) -> bool:
        return name in self._slots or name in self._rest

    def __iter__(self) -> Iterator[str]:
        yield from self._rest
        yield from self._slots

    def __len__(self) -> int:
        return len(self._slots) + len(self._rest)
