# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA graphs of torch: calls that are kept while a graph is captured, to run again.

A capture on a GPU computes nothing. Here the calls must run, to have results; so the
memory that they touch is put back when the capture ends. A replay runs them again and
copies each result into the memory of the first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from cuda_tile.cutile.marks import MARKS, is_marked


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in an argument or result, also those in sequences and mappings."""
    if isinstance(value, sys.modules["torch"].Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in cast(Sequence[Any], value):
            yield from tensors(item)
    elif isinstance(value, Mapping):
        for item in cast(Mapping[Any, Any], value).values():
            yield from tensors(item)


@dataclass
class Capture:
    """What is called while a graph is captured.

    Attributes:
        calls: The functions to call again, with their first results.
        before: Memory as it was before the capture, by its storage's address.
        depth: Calls under way, of which only the outermost is kept.
    """

    calls: list[tuple[Callable[[], Any], Any]] = field(default_factory=list[Any])
    before: dict[int, tuple[Any, Any]] = field(default_factory=dict[int, Any])
    depth: int = 0

    def run(self, call: Callable[[], Any], args: Any) -> Any:
        """Calls a function and keeps it, if it has to do with the device.

        Args:
            call: The function.
            args: Its arguments, whose memory it may change.
        """
        if self.depth:
            return call()
        given = [tensor for tensor in tensors(args) if is_marked(tensor)]
        for tensor in given:
            self._save(tensor)
        self.depth += 1
        try:
            result = call()
        finally:
            self.depth -= 1
        if given or any(is_marked(tensor) for tensor in tensors(result)):
            self.calls.append((call, result))
        return result

    def _save(self, tensor: Any) -> None:
        with sys.modules["torch"]._C.DisableTorchFunction():
            storage = tensor.untyped_storage()
            if storage._cdata not in self.before:
                self.before[storage._cdata] = storage, storage.clone()

    def end(self) -> None:
        """Puts the memory back as it was."""
        for storage, copy in self.before.values():
            storage.copy_(copy)
        self.before.clear()

    def replay(self) -> None:
        """Runs all calls again, for the memory of their first results."""
        for call, first in self.calls:
            for old, new in zip(tensors(first), tensors(call()), strict=True):
                with sys.modules["torch"]._C.DisableTorchFunction():
                    if old.data_ptr() != new.data_ptr():
                        old.copy_(new)
                MARKS.add(old)


class Captures:
    """The capture under way in the process, if there is one.

    Attributes:
        current: It, or None.
    """

    def __init__(self) -> None:
        self.current: Capture | None = None


CAPTURES = Captures()


class CUDAGraph:
    """A graph, with the methods that it has in torch."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._capture = Capture()

    def capture_begin(self, *_: Any, **__: Any) -> None:
        """Keeps what is called from now on.

        Raises:
            RuntimeError: A capture is under way.
        """
        if CAPTURES.current is not None:
            raise RuntimeError("expected no other capture of a graph under way")
        self._capture = CAPTURES.current = Capture()

    def capture_end(self) -> None:
        """Ends the capture."""
        CAPTURES.current = None
        self._capture.end()

    def replay(self) -> None:
        """Runs the graph."""
        self._capture.replay()

    def reset(self) -> None:
        """Forgets the graph."""
        self._capture = Capture()

    def pool(self) -> tuple[int, int]:
        """The pool of memory, of which there is one."""
        return 0, 0

    def instantiate(self) -> None:
        """There is nothing to prepare."""


class graph:
    """`with torch.cuda.graph(...)`: captures the block.

    Args:
        cuda_graph: Keeps it.
    """

    def __init__(self, cuda_graph: CUDAGraph, *_: Any, **__: Any) -> None:
        self._graph = cuda_graph

    def __enter__(self) -> None:
        self._graph.capture_begin()

    def __exit__(self, *_: object) -> None:
        self._graph.capture_end()
