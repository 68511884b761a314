# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds decoded kernels op by op, where text would be longer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cuda_tile import interp
from cuda_tile.interp import RULES, Op, Program
from cuda_tile.interp.program import (
    Block,
    Entry,
    TensorViewType,
    TileType,
    TileViewType,
    TokenType,
    Type,
)
from cuda_tile.runtime.elements import element

TOKEN = TokenType()


def tile_of(name: str, *shape: int) -> TileType:
    """The type of a tile."""
    return TileType(shape, element(name))


@dataclass(frozen=True)
class Val:
    """An SSA value."""

    slot: int
    type: Any  # one of `program.Type`; tests know which


@dataclass
class Region:
    """A block that is being filled."""

    arguments: tuple[Val, ...] = ()
    ops: list[Op] = field(default_factory=list)

    def block(self) -> Block:
        return Block(tuple(value.slot for value in self.arguments), tuple(self.ops))


class Kernel:
    """A kernel `k` with the given scalar parameters (`ptr<f32>`, `i32`)."""

    def __init__(self, *parameters: str) -> None:
        self._slots = 0
        self._kinds = [tile_of(name) for name in parameters]
        self._body = Region(tuple(self._new(kind) for kind in self._kinds))
        self._open = [self._body]
        self.globals: dict[str, Any] = {}

    @property
    def parameters(self) -> tuple[Val, ...]:
        return self._body.arguments

    def _new(self, kind: Type) -> Val:
        self._slots += 1
        return Val(self._slots - 1, kind)

    @contextmanager
    def region(self, *kinds: Type) -> Generator[Region]:
        """Ops added inside go into the region."""
        region = Region(tuple(self._new(kind) for kind in kinds))
        self._open.append(region)
        yield region
        self._open.pop()

    def op(
        self,
        name: str,
        /,
        *operands: Any,
        results: tuple[Type, ...] = (),
        regions: tuple[Region | None, ...] = (),
        **attributes: Any,
    ) -> Any:
        """Adds an op; operand groups are lists. Gives its value, or a tuple."""
        segments: tuple[int, ...] = ()
        if any(isinstance(operand, list) for operand in operands):
            segments = tuple(len(group) for group in operands)
            operands = tuple(value for group in operands for value in group)
        made = tuple(self._new(kind) for kind in results)
        self._open[-1].ops.append(
            Op(
                name=name,
                operands=tuple(value.slot for value in operands),
                results=tuple(value.slot for value in made),
                operand_types=tuple(value.type for value in operands),
                result_types=results,
                attributes=attributes,
                segments=segments,
                regions=tuple(r.block() if r is not None else None for r in regions),
                location=f"test.py:{self._slots}",
                rule=RULES[name],
            )
        )
        return made[0] if len(made) == 1 else made

    def constant(self, values: Any, name: str) -> Val:
        kind = element(name)
        array = np.asarray(values)
        if array.dtype != kind.dtype:
            array = array.astype(kind.dtype)
        return self.op("constant", results=(TileType(array.shape, kind),), value=array)

    def at(self, pointer: Val, offsets: Any) -> Val:
        """A tile of pointers: `pointer` moved by constant or computed elements."""
        offsets = offsets if isinstance(offsets, Val) else self.constant(offsets, "i32")
        shape = offsets.type.shape
        kind = TileType(shape, pointer.type.element)
        if shape:
            ones = TileType((1,) * len(shape), pointer.type.element)
            pointer = self.op("reshape", pointer, results=(ones,))
            pointer = self.op("broadcast", pointer, results=(kind,))
        return self.op("offset", pointer, offsets, results=(kind,))

    def load(
        self, pointers: Val, token: Val | None = None, order: str = "weak", **kw: Any
    ) -> tuple[Val, Val]:
        pointee = pointers.type.element.pointee
        tokens = [token] if token else []
        return self.op(
            "load_ptr_tko",
            [pointers],
            [],
            [],
            tokens,
            results=(TileType(pointers.type.shape, pointee), TOKEN),
            memory_ordering_semantics=order,
            **kw,
        )

    def store(
        self,
        pointers: Val,
        value: Val,
        token: Val | None = None,
        order: str = "weak",
        **kw: Any,
    ) -> Val:
        tokens = [token] if token else []
        return self.op(
            "store_ptr_tko",
            [pointers],
            [value],
            [],
            tokens,
            results=(TOKEN,),
            memory_ordering_semantics=order,
            **kw,
        )

    def output(self, pointer: Val, value: Val) -> Val:
        """Stores a whole tile at a pointer, row-major."""
        shape = value.type.shape
        places = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        return self.store(self.at(pointer, places), value)

    def view(
        self,
        pointer: Val,
        shape: tuple[int, ...],
        tile: tuple[int, ...],
        *,
        steps: tuple[int, ...] | None = None,
        dim_map: tuple[int, ...] | None = None,
        padding: str | None = None,
        sparse: int | None = None,
        strides: tuple[int, ...] | None = None,
    ) -> tuple[Val, TileViewType]:
        """A view of static shape, row-major unless `strides` says otherwise."""
        if strides is None:
            strides = tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))
        tensor = TensorViewType(pointer.type.element.pointee, shape, strides)
        made = self.op("make_tensor_view", [pointer], [], [], results=(tensor,))
        name = "make_partition_view"
        if sparse is not None:
            name, steps = "make_gather_scatter_view", (1,) * len(tile)
        elif steps is not None:
            name = "make_strided_view"
        kind = TileViewType(
            tile,
            tensor,
            dim_map or tuple(range(len(tile))),
            padding,
            steps or tile,
            sparse,
        )
        return self.op(name, made, results=(kind,)), kind

    def load_view(self, view: Val, index: list[Val], **kw: Any) -> tuple[Val, Val]:
        kind = TileType(view.type.tile_shape, view.type.tensor_view.element)
        return self.op("load_view_tko", [view], index, [], results=(kind, TOKEN), **kw)

    def program(self) -> Program:
        body = Region(self._body.arguments, list(self._body.ops))
        if not body.ops or body.ops[-1].name != "return":
            body.ops.append(Op("return", (), (), rule=RULES["return"]))
        entry = Entry("k", tuple(self._kinds), body.block(), self._slots)
        return Program({"k": entry}, self.globals)

    def run(self, *args: Any, grid: tuple[int, ...] = (1,), **options: Any) -> Any:
        return interp.run(self.program(), grid=grid, args=args, **options)


def apply(
    name: str,
    operands: list[tuple[Any, str]],
    results: list[tuple[tuple[int, ...], str]],
    *,
    mode: str = "strict",
    **attributes: Any,
) -> Any:
    """One op on constant tiles; gives its result, or a tuple of them."""
    k = Kernel()
    values = [k.constant(array, kind) for array, kind in operands]
    kinds = tuple(tile_of(kind, *shape) for shape, kind in results)
    k.op(name, *values, results=kinds, **attributes)
    found: list[Any] = []

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        if op.name == name:
            found.extend(np.asarray(value) for value in results)

    k.run(trace=keep, mode=mode)
    return found[0] if len(found) == 1 else tuple(found)
