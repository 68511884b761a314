# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which launches on streams are over for whom."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cuda_tile.cutile import clock, order
from cuda_tile.cutile.clock import Event
from cuda_tile.cutile.order import Order, StreamClock


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Order:
    fresh = Order()
    monkeypatch.setattr(clock, "ORDER", fresh)
    monkeypatch.setattr(order, "ORDER", fresh)
    return fresh


def stream(*, is_blocking: bool = False) -> Any:
    return SimpleNamespace(clock=StreamClock(is_blocking=is_blocking))


def test_a_launch_on_another_stream_is_pending_until_somebody_waits(now: Order) -> None:
    side = stream()
    now.launch()
    assert now.pending() == 0
    now.launch(side)
    assert now.pending() == 1
    now.host.join(side.clock)
    assert now.pending() == 0


def test_an_event_has_what_was_over_when_it_was_recorded(now: Order) -> None:
    side, event = stream(), Event()
    now.launch(side)
    event.record(side)
    now.launch(side)
    event.wait()
    assert now.pending() == 1, "the second launch came after the event"


def test_waits_are_passed_on(now: Order) -> None:
    first, second = stream(), stream()
    now.launch(first)
    event = Event()
    event.record(first)
    event.wait(second)
    now.launch(second)
    later = Event()
    later.record(second)
    later.synchronize()
    assert now.pending() == 0


def test_blocking_streams_and_the_default_one_wait_for_each_other(now: Order) -> None:
    side, free = stream(is_blocking=True), stream()
    now.launch(side)
    assert now.pending() == 0
    now.chosen.append(free)
    assert now.pending() == 1, "but a stream that does not block waits for neither"
    now.wait_for_all()
    assert now.pending() == 0
