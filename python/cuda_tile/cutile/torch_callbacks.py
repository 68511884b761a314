# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where torch calls a program's functions by itself: the stand-in holds there too.

A mode of torch is off inside the function that it is asked about, and in threads that
begin. So it is switched on again for backward passes, hooks and recomputed blocks, for
kernels of custom operators, and in threads.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from cuda_tile.cutile.marks import MARKS, is_marked
from cuda_tile.cutile.torch_graph import tensors

_KEYS = ("CPU", "CUDA", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
"""Dispatch keys of kernels that compute; others are part of torch's own machinery."""

_TRANSFORMS = ("vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian")
"""Functions of `torch.func` that make a function of a function."""

_KERNELS = "_cuda_tile_kernels"
"""Attribute of a library of operators: its kernels for CPU and GPU by operator."""


def replace_callbacks(torch: Any, mode: Callable[[], Any]) -> None:
    """Switches the stand-in on wherever torch calls back.

    Args:
        torch: The module.
        mode: Makes a context in which the stand-in is active.
    """
    threading.Thread.run = _within(mode, threading.Thread.run)
    graph: Any = import_module("torch.autograd.graph")
    run = _within(mode, graph._engine_run_backward)
    graph._engine_run_backward = torch.autograd._engine_run_backward = run
    _replace_hooks(graph, mode)
    _mark_gradients(torch)
    for name in _TRANSFORMS:
        made = _marking(getattr(torch.func, name))
        setattr(torch.func, name, made)
        if hasattr(torch, name):
            setattr(torch, name, made)
    _replace_kernels(import_module("torch.library"), mode)


def _within(mode: Callable[[], Any], function: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        with mode():
            return function(*args, **words)

    return call


def _replace_hooks(graph: Any, mode: Callable[[], Any]) -> None:
    """Makes what packs and unpacks saved tensors see where they are."""
    begin = graph.saved_tensors_hooks.__init__

    def begin_within(self: Any, pack_hook: Any, unpack_hook: Any) -> None:
        begin(self, _within(mode, pack_hook), _within(mode, unpack_hook))

    graph.saved_tensors_hooks.__init__ = begin_within


def _marking(transform: Callable[..., Any]) -> Any:
    """A transform of functions whose functions mark what C++ has made."""

    @functools.wraps(transform)
    def make(*words: Any, **choices: Any) -> Any:
        function = transform(*words, **choices)

        @functools.wraps(function)
        def call(*args: Any, **names: Any) -> Any:
            result = function(*args, **names)
            if any(is_marked(tensor) for tensor in tensors((args, names))):
                for tensor in tensors(result):
                    MARKS.add(tensor)
            return result

        return call

    return make


def _mark_gradients(torch: Any) -> None:
    """Marks what a program's own backward functions get, which C++ has made."""
    backward = torch.autograd.function.BackwardCFunction
    apply = backward.apply

    def marked_apply(self: Any, *grads: Any) -> Any:
        if _leads_to_device(self):
            for tensor in tensors(grads):
                MARKS.add(tensor)
        return apply(self, *grads)

    backward.apply = marked_apply


def _leads_to_device(node: Any) -> bool:
    """Whether a backward pass from this node reaches a tensor of the device."""
    seen: set[Any] = set()
    stack = [node]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            return is_marked(variable)
        stack.extend(function for function, _ in node.next_functions)
    return False


def _replace_kernels(library: Any, mode: Callable[[], Any]) -> None:
    """Makes kernels of custom operators for CUDA serve marked tensors."""
    register = library.Library.impl

    def impl(
        self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **words: Any
    ) -> Any:
        key = dispatch_key or self.dispatch_key
        if key not in _KEYS or not hasattr(fn, "__code__"):
            return register(self, op_name, fn, dispatch_key, **words)
        kernel = _within(mode, fn)
        if key in ("CPU", "CUDA"):
            known = self.__dict__.setdefault(_KERNELS, {}).setdefault(str(op_name), {})
            known[key] = kernel
            if len(known) > 1:
                return None  # the first has registered the choice
            key, kernel = "CPU", _choice(known)
        return register(self, op_name, kernel, key, **words)

    library.Library.impl = impl


def _choice(kernels: dict[str, Any]) -> Any:
    def choose(*args: Any, **words: Any) -> Any:
        on_device = any(is_marked(tensor) for tensor in tensors((args, words)))
        wanted = "CUDA" if on_device else "CPU"
        return kernels.get(wanted, next(iter(kernels.values())))(*args, **words)

    return choose
