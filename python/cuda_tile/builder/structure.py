# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules, kernels and globals, and a generator that builds them step by step."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, TextIO, cast

from typing_extensions import Self, Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import dense_attr
from cuda_tile.builder.elements import ElementLike, get_mlir_type
from cuda_tile.builder.keywords import SymbolVisibility
from cuda_tile.builder.type_makers import make_pointer_type, make_tile_type
from cuda_tile.builder.values import Pointer, Tile, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op
from cuda_tile.errors import UserError


class ModuleOp(ct.ModuleOp):
    """A `cuda_tile.module` with a body; `with module:` builds into it.

    Args:
        name: Name of the module.
        producer: Name of the producer, stored in the file.
        loc: Location; the current one for None.
        ip: Insertion point; for None the current one, if there is one.
    """

    def __init__(
        self,
        name: str = "kernels",
        producer: str | None = None,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None:
        super().__init__(name, producer=producer, loc=loc, ip=ip)
        self.regions[0].blocks.append()

    @property
    def block(self) -> ir.Block:
        """The block for entries and globals."""
        return self.regions[0].blocks[0]

    def __enter__(self) -> Self:
        ir.InsertionPoint(self.block).__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        ir.InsertionPoint.current.__exit__(kind, error, trace)


def _argument_type(argument: ElementLike) -> ir.Type:
    """Type of a kernel argument; an element class means a scalar tile."""
    argument_type = get_mlir_type(argument)
    of_a_tile = (ir.IntegerType, ir.FloatType, ct.PointerType)
    if isinstance(argument_type, of_a_tile):
        return make_tile_type(argument_type)
    return argument_type


class EntryContext:
    """A kernel under construction: `with EntryContext(...) as (a, b):` builds its body.

    Args:
        name: Name of the kernel.
        arguments: Types of the arguments; an element class or pointer type means a
            scalar.
        optimization_hints: Hints, per GPU.
        loc: Location of the kernel; the current one for None.
        ip: Insertion point; the current one for None.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[ElementLike] = (),
        optimization_hints: ct.OptimizationHintsAttr | None = None,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ) -> None:
        types = [_argument_type(argument) for argument in arguments]
        self.op = _make_entry(name, types, optimization_hints, loc=loc, ip=ip)
        self.arguments: tuple[Tile, ...] = tuple(
            wrap_value(argument) for argument in self.block.arguments
        )

    @property
    def block(self) -> ir.Block:
        """The block of the body."""
        return self.op.regions[0].blocks[0]

    def __enter__(self) -> tuple[Tile, ...]:
        ir.InsertionPoint(self.block).__enter__()
        return self.arguments

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            operations = list(self.block.operations)
            if not operations or not isinstance(operations[-1], ct.ReturnOp):
                ct.ReturnOp([], loc=self.op.location)
        ir.InsertionPoint.current.__exit__(kind, error, trace)


@cuda_tile_op
def _make_entry(
    name: str,
    types: list[ir.Type],
    hints: ct.OptimizationHintsAttr | None,
    **where: Unpack[Where],
) -> ct.EntryOp:
    function_type = ir.TypeAttr.get(ir.FunctionType.get(types, []))
    op = ct.EntryOp(name, function_type, optimization_hints=hints)
    op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    return op


def entry(
    name: str | Callable[..., Any],
    arguments: Sequence[ElementLike] = (),
    optimization_hints: ct.OptimizationHintsAttr | None = None,
    **where: Unpack[Where],
) -> EntryContext:
    """Builds a kernel.

    As a function, it has the parameters of `EntryContext`. As a decorator, `@entry`, it
    builds the kernel at once: name and argument types are the name and annotations of
    the decorated function, which is called with the arguments.
    """
    if isinstance(name, str):
        return EntryContext(name, arguments, optimization_hints, **where)
    function = name
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    annotations = [cast("ElementLike", each.annotation) for each in parameters]
    context = EntryContext(function.__name__, annotations, optimization_hints, **where)
    with context as values:
        function(*values)
    return context


@cuda_tile_op
def get_tile_block_id(**where: Unpack[Where]) -> tuple[Tile, Tile, Tile]:
    """Coordinates of the tile block in the grid: x, y, z."""
    x, y, z = ct.get_tile_block_id()
    return Tile(x), Tile(y), Tile(z)


@cuda_tile_op
def get_num_tile_blocks(**where: Unpack[Where]) -> tuple[Tile, Tile, Tile]:
    """Extents of the grid: x, y, z."""
    x, y, z = ct.get_num_tile_blocks()
    return Tile(x), Tile(y), Tile(z)


@cuda_tile_op
def global_(
    name: str,
    value: Sequence[float] | ir.DenseElementsAttr,
    element_type: ElementLike = float,
    alignment: int = 0,
    *,
    constant: bool = False,
    symbol_visibility: str = SymbolVisibility.PUBLIC,
    **where: Unpack[Where],
) -> ct.GlobalOp:
    """Builds a global variable.

    Args:
        name: Name of the global.
        value: Initial value, a 1-d sequence of numbers.
        element_type: Element type, Float32 by default.
        alignment: In bytes; 0 for that of the elements.
        constant: Whether kernels only read it.
        symbol_visibility: Whether the host can look it up.
        **where: `loc` and `ip`; the insertion point is in a module, not in a kernel.
    """
    if not isinstance(value, ir.DenseElementsAttr):
        value = dense_attr(make_tile_type(element_type, [len(value)]), value)
    return ct.GlobalOp(
        name,
        value,
        alignment=alignment,
        constant=constant,
        symbol_visibility=symbol_visibility,
    )


@cuda_tile_op
def get_global(name: str, element_type: ElementLike, **where: Unpack[Where]) -> Pointer:
    """Pointer to the first element of a global."""
    return Pointer(ct.get_global(make_tile_type(make_pointer_type(element_type)), name))


@cuda_tile_op
def create_and_get_global(
    name: str,
    value: Sequence[float] | ir.DenseElementsAttr,
    element_type: ElementLike = float,
    alignment: int = 0,
    *,
    constant: bool = False,
    **where: Unpack[Where],
) -> Pointer:
    """Builds a global in the enclosing module, from within a kernel; returns a pointer.

    Raises:
        ValueError: There is no enclosing module.
    """
    op: Any = ir.InsertionPoint.current.block.owner
    while op is not None and not isinstance(op.opview, ct.ModuleOp):
        op = op.parent
    if op is None:
        raise ValueError(
            f"expected a cuda_tile.module around global '{name}', got none"
        )
    place = ir.InsertionPoint.at_block_begin(op.opview.regions[0].blocks[0])
    made = global_(name, value, element_type, alignment, constant=constant, ip=place)
    tile_type = cast("Any", ir.DenseElementsAttr(made.attributes["value"]).type)
    return get_global(name, tile_type.element_type)


class TileIrGenerator:
    """Builds a module with its kernels step by step, in its own context.

    Args:
        context: The context to use; a new one for None.

    Attributes:
        context: The MLIR context.
        tile_module: The `cuda_tile.module` in it.
    """

    def __init__(self, context: ir.Context | None = None) -> None:
        self.context = context or ir.Context()
        self._module: ir.Module | None = None
        self.tile_module: ModuleOp | None = None
        self._entered = ExitStack()

    @property
    def module(self) -> ir.Module:
        """The enclosing builtin module, which `cuda_tile.run` and the others take.

        Raises:
            UserError: There is none before `tile_ir_start` and `create_tile_ir_module`.
        """
        if self._module is None:
            raise UserError(
                "expected a generator with a module, got one that was not entered; use "
                "`with TileIrGenerator() as generator:`"
            )
        return self._module

    def tile_ir_start(self, name: str = "kernels") -> Self:
        """Enters the context and creates an empty module of that name.

        `with generator.tile_ir_start():` also leaves it; otherwise call `tile_ir_end`.
        """
        self._entered.enter_context(self.context)
        _cuda_tile.register_dialect(self.context)
        self.create_tile_ir_module(name)
        return self

    def tile_ir_end(self) -> None:
        """Leaves the context."""
        self._entered.close()

    def __enter__(self) -> Self:
        return self if self._module else self.tile_ir_start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.tile_ir_end()

    def create_tile_ir_module(self, name: str = "kernels") -> ModuleOp:
        """Creates an empty module, which replaces the present one."""
        loc = ir.Location.unknown(self.context)
        self._module = ir.Module.create(loc)
        place = ir.InsertionPoint(self._module.body)
        self.tile_module = ModuleOp(name, loc=loc, ip=place)
        return self.tile_module

    def create_entry(
        self,
        name: str,
        arguments: Sequence[ElementLike] = (),
        optimization_hints: ct.OptimizationHintsAttr | None = None,
    ) -> EntryContext:
        """Creates a kernel in the module; see `EntryContext`."""
        module = self.tile_module or self.create_tile_ir_module()
        place = ir.InsertionPoint(module.block)
        return EntryContext(name, arguments, optimization_hints, ip=place)

    def print_ir(self, file: TextIO | None = None) -> None:
        """Prints the module, to stdout by default."""
        print(self.module, file=file or sys.stdout)
