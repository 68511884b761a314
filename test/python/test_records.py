# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our data classes do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from dataclasses import field, replace
from typing import Any

import pytest

import cuda_tile
from cuda_tile import records

MAKERS = [dataclasses.dataclass, records.dataclass]


def body(maker: Any, **options: Any) -> Any:
    """A class with each sort of field."""

    @maker(**options)
    class Each:
        """Docstring."""

        first: int
        second: str = "two"
        third: list[int] = field(default_factory=lambda: [3])
        hidden: int = field(default=4, repr=False, compare=False)
        later: int = field(init=False, default=5)
        made: list[int] = field(init=False, compare=False, default_factory=list)

        def __post_init__(self) -> None:
            object.__setattr__(self, "later", self.first + 1)

    return Each


def outcome(call: Any) -> Any:
    """What a call gives, or how it fails."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error).replace("body.<locals>.", "")


CALLS = {
    "text": lambda c: repr(c(1)),
    "named": lambda c: repr(c(first=1, third=[])),
    "equal": lambda c: c(1) == c(1),
    "not compared": lambda c: c(1, hidden=8) == c(1, hidden=9),
    "unequal": lambda c: (c(1) == c(2), c(1) != c(2), c(1) == 1),
    "hash of a list": lambda c: hash(c(1)),
    # Both are there at a time: without `eq` a hash is of a place, which is free again.
    "hash": lambda c: len({hash(one) for one in (c(1, "x", ()), c(1, "x", ()))}),
    "own lists": lambda c: c(1).third is c(1).third,
    "own made": lambda c: c(1).made is c(1).made,
    "replaced": lambda c: repr(replace(c(1), second="b")),
    "as a dictionary": lambda c: dataclasses.asdict(c(1)),
    "is one": lambda c: dataclasses.is_dataclass(c),
    "copied": lambda c: copy.deepcopy(c(1)) == c(1),
    "changed": lambda c: setattr(c(1), "first", 2),
    "new attribute": lambda c: setattr(c(1), "other", 2),
    "deleted": lambda c: delattr(c(1), "first"),
    "signature": lambda c: str(inspect.signature(c)),
    "value of the class": lambda c: (c.second, c.hidden, c.later, hasattr(c, "third")),
    "matched": lambda c: c.__match_args__,
    "none": lambda c: c(),
    "too many": lambda c: c(1, "b", [], 4, 5),
    "unknown": lambda c: c(1, fourth=4),
    "itself in it": lambda c: [each := c(1), each.third.append(each), repr(each)][2],
    "of a child": lambda c: repr(type("Child", (c,), {})(7)),
    "a child changed": lambda c: setattr(type("Child", (c,), {})(7), "more", 1),
    "a child's first": lambda c: setattr(type("Child", (c,), {})(7), "first", 1),
    "a child beside": lambda c: type("Child", (c,), {})(7) == c(7),
}


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"eq": False}], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_as_in_the_standard_library(name: str, options: dict[str, bool]) -> None:
    call = CALLS[name]
    standard, ours = (body(maker, **options) for maker in MAKERS)
    if name in ("matched", "value of the class") or "signature" in name:
        call(ours)  # before a method was made
    assert outcome(lambda: call(ours)) == outcome(lambda: call(standard))


@pytest.mark.parametrize("maker", MAKERS)
def test_methods_of_the_class_stay(maker: Any) -> None:
    @maker(frozen=True)
    class Own:
        first: int

        def __repr__(self) -> str:
            return "mine"

        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            return True

    assert (repr(Own(1)), hash(Own(1)), Own(1) == Own(2)) == ("mine", 7, True)


@pytest.mark.parametrize("maker", MAKERS)
def test_children_have_the_fields_of_their_parents(maker: Any) -> None:
    @maker(frozen=True)
    class Parent:
        first: int
        second: int = 2

    @maker(frozen=True)
    class Child(Parent):
        third: int = 3

    assert Child(1, third=4) == Child(1, 2, 4)
    assert Child(1) != Parent(1)
    assert str(inspect.signature(Child)).startswith("(first: 'int', second: 'int' = 2,")


def test_slots_are_the_standard_librarys() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Slotted:
        first: int

    assert not hasattr(Slotted(1), "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Slotted(1).first = 2  # pyright: ignore[reportAttributeAccessIssue]


def test_a_class_of_the_package_can_be_pickled_and_says_its_arguments() -> None:
    chosen = cuda_tile.Options(gpu="sm_90")
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    assert "gpu" in inspect.signature(cuda_tile.Options).parameters


def test_threads_may_call_a_method_first_together() -> None:
    made = body(records.dataclass, frozen=True)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(made(1, "b", ())))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
