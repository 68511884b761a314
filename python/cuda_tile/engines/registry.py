# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The matrix engines, one row each, and who computes what."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from cuda_tile.engines.engine import Atom, Engine
from cuda_tile.engines.fma import FMA
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.errors import InternalError
from cuda_tile.targets import Target

ENGINES: list[Engine] = [MMA_SYNC, FMA, WGMMA, TCGEN05]
"""Every engine. Atoms have different names."""


def find_atom(name: str) -> Atom | None:
    """The instruction of a name; None if no engine has one."""
    found = (engine.find_atom(name) for engine in ENGINES)
    return next((atom for atom in found if atom is not None), None)


def engine_of(atom: Atom) -> Engine:
    """The engine of an instruction.

    Raises:
        InternalError: None has it.
    """
    for engine in ENGINES:
        if engine.find_atom(atom.name) is not None:
            return engine
    raise InternalError(f"expected an atom of an engine, got {atom.name}")


def engine_of_op(op: str) -> Engine:
    """The engine that an op of `tileas` is made for, by its mnemonic.

    Raises:
        InternalError: It is made for none.
    """
    for engine in ENGINES:
        if engine.op == op:
            return engine
    raise InternalError(f"expected the op of an engine, got {op}")


def have_products_by_themselves(target: Target) -> bool:
    """Whether a chip has products that go on after the op that starts them."""
    return any(engine.runs_by_itself and engine.is_on(target) for engine in ENGINES)


@contextmanager
def with_engine(engine: Engine) -> Generator[None]:
    """One more engine inside a `with`, to try it."""
    ENGINES.append(engine)
    try:
        yield
    finally:
        ENGINES.remove(engine)
