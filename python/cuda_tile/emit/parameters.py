# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of a kernel at level P: the entry's, and what the launcher appends.

A tensor map is passed by value, 128 bytes that no thread changes: PTX ISA, "Kernel
Function Parameter Attributes"; CUDA Driver API, "Tensor Map Object Management", for its
alignment. The copy engine reads it where it lies, so the kernel uses its address.

What a kernel assumes of a parameter before anything else, LLVM is told: an extent that
is not negative needs no sign handled. Of a factor, such as a stride, it is not told: it
would extend that with zeros, and no `mul.wide` takes one factor of each kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from cuda_tile._mlir import ir
from cuda_tile.analysis.fact_values import Facts
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.emit.emitter import Emitter, register_type
from cuda_tile.ir.launch import LaunchData
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import SPREADS, is_pure
from cuda_tile.ir.walk import block_ops, body, op_stem
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass
from cuda_tile.runtime.record import GridExtents
from cuda_tile.runtime.tensor_map import MAP_ALIGNMENT_BYTES, MAP_BYTES

AXES = 3


@dataclass(frozen=True)
class Parameters:
    """Types and attributes of all parameters of an `llvm.func`.

    Attributes:
        types: LLVM types in order; i1 travels as one byte.
        attributes: A dictionary per parameter.
        locations: Where each comes from.
    """

    types: tuple[ir.Type, ...]
    attributes: ir.Attribute
    locations: tuple[ir.Location, ...]

    @classmethod
    def of(cls, entry: ir.Operation, launch: LaunchData) -> Parameters:
        """Those of an entry.

        Args:
            entry: The entry.
            launch: The launch data of the entry.
        """
        arguments = list(body(entry).arguments)
        types = [_parameter_type(element_of(argument)) for argument in arguments]
        locations = [argument.location for argument in arguments]
        nothing = ir.DictAttr.get({})
        attributes = _assumed(entry)
        for part in launch.appended:
            is_grid = isinstance(part, GridExtents)
            count = AXES if is_grid else 1
            types += [_type("i32" if is_grid else "!llvm.ptr")] * count
            attributes += [nothing if is_grid else _map_attributes()] * count
        locations += [entry.location] * (len(types) - len(locations))
        return cls(tuple(types), ir.ArrayAttr.get(attributes), tuple(locations))

    @property
    def function_type(self) -> ir.Type:
        """The type of the kernel."""
        types = ", ".join(str(ty) for ty in self.types)
        return ir.Type.parse(f"!llvm.func<void ({types})>")


def set_parameters(
    e: Emitter, entry: ir.Operation, launch: LaunchData, values: list[ir.Value]
) -> None:
    """Notes in the emitter what stands for the entry's and the appended parameters.

    Args:
        e: The emitter, which stands in the body.
        entry: The entry at level W.
        launch: Its launch data.
        values: The arguments of the `llvm.func`.
    """
    rest = iter(values)
    for argument in body(entry).arguments:
        value = next(rest)
        if str(element_of(argument)) == "i1":
            value = e.builder.icmp("ne", value, 0)
        e.set(argument, value)
    for part in launch.appended:
        if isinstance(part, GridExtents):
            e.grid_extents = (next(rest), next(rest), next(rest))
        else:
            e.maps += (next(rest),)


def _parameter_type(element: ir.Type) -> ir.Type:
    return _type("i8") if str(element) == "i1" else register_type(element)


def _type(text: str) -> ir.Type:
    return ir.Type.parse(text)


def _assumed(entry: ir.Operation) -> list[ir.Attribute]:
    """For each parameter the range that an entry assumes of it before anything else.

    What stands behind an assertion or any other effect may hold by it alone.
    """
    facts = FactsOnDemand(entry)
    known: dict[ir.Value, list[Facts]] = {
        argument: [facts.of(argument)] for argument in body(entry).arguments
    }
    sources = {argument: argument for argument in known}
    for op in takewhile(is_pure, block_ops(body(entry))):
        if op_stem(op) == "assume" and op.operands[0] in sources:
            sources[op.results[0]] = sources[op.operands[0]]
            known[sources[op.results[0]]].append(facts.of(op.results[0]))
    nothing = ir.DictAttr.get({})
    return [
        nothing if _is_factor(argument) else _range(argument, found)
        for argument, found in known.items()
    ]


_MULTIPLIES = ops_by_rule("takes a factor of either sign", "muli")
_HANDS_ON = SPREADS | ops_by_rule("keeps a number that is not negative", "exti")


def _is_factor(value: ir.Value) -> bool:
    """Whether a product takes a number, perhaps extended or repeated."""
    users = [use.owner.operation for use in value.uses]
    return any(
        user.name in _MULTIPLIES
        or (user.name in _HANDS_ON and _is_factor(user.results[0]))
        for user in users
    )


def _range(argument: ir.Value, known: Sequence[Facts]) -> ir.Attribute:
    """LLVM's attribute of a parameter of which several bounds are known."""
    element = element_of(argument)
    if not isinstance(element, ir.IntegerType) or element.width == 1:
        return ir.DictAttr.get({})
    last = (1 << element.width - 1) - 1
    low = max((each.low for each in known if each.low is not None), default=~last)
    high = min((each.high for each in known if each.high is not None), default=last)
    if low > high or (low, high) == (~last, last):
        return ir.DictAttr.get({})
    end = high + 1 if high < last else ~last
    return ir.Attribute.parse(
        f"{{llvm.range = #llvm.constant_range<{element}, {low}, {end}>}}"
    )


def _map_attributes() -> ir.Attribute:
    return ir.Attribute.parse(
        f"{{llvm.byval = !llvm.array<{MAP_BYTES} x i8>, nvvm.grid_constant, "
        f"llvm.align = {MAP_ALIGNMENT_BYTES} : i32}}"
    )
