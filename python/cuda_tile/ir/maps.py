# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps of a kernel in its IR: `tileas.maps` on the entry, `map = n` on copies.

`tileas.maps` is an array of dictionaries in the order in which `emit` appends the maps
to the kernel's parameters; `map = n` is a position in it. A dictionary is what the
launch record has for the map (`TensorMapParameter` of `runtime/tensor_map.py`):

    {access = "load", base = 0, box = [64, 128], element = "f16", fill = "zero",
     kind = "tensor_map", l2_promotion_bytes = 256, required = true,
     shape = ["arg 2 unsigned 32", "arg 1 unsigned 32"],
     strides = ["arg 3 unsigned 32"], swizzle_bytes = 128}
"""

from __future__ import annotations

from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import attribute_of, integer, value_of
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, located, location_text
from cuda_tile.runtime.record import ABIS, Abi
from cuda_tile.runtime.tensor_map import TensorMapParameter, check_parameters

MAPS_ATTRIBUTE = "tileas.maps"
MAP_ATTRIBUTE = "map"
ABI_ATTRIBUTE = "tileas.abi"


def write_abi(entry: ir.Operation, abi: str) -> None:
    """Notes on an entry what its launcher can do; "maps" is the default.

    Args:
        entry: The entry.
        abi: One of `ABIS`.
    """
    if abi != "maps":
        entry.attributes[ABI_ATTRIBUTE] = ir.StringAttr.get(abi)


def read_abi(entry: ir.Operation) -> Abi:
    """What the launcher of an entry can do, as `plan` noted it.

    Raises:
        UserError: The attribute has an unknown value.
    """
    if ABI_ATTRIBUTE not in entry.attributes:
        return "maps"
    attribute = entry.attributes[ABI_ATTRIBUTE]
    for abi in ABIS:
        if attribute == ir.StringAttr.get(abi):
            return abi
    raise UserError(
        f"expected '{ABI_ATTRIBUTE}' of {' or '.join(ABIS)} on entry "
        f"@{entry_name(entry)}, got {attribute}",
        location_text(entry),
    )


def read_maps(entry: ir.Operation) -> tuple[TensorMapParameter, ...]:
    """The tensor maps of an entry in order; none without `tileas.maps`.

    Raises:
        UserError: The attribute is malformed, breaks a limit of the hardware, or does
            not fit the entry's parameters; says which map.
    """
    if MAPS_ATTRIBUTE not in entry.attributes:
        return ()
    attribute, where = entry.attributes[MAPS_ATTRIBUTE], location_text(entry)
    types = parameter_types(entry)
    found: list[TensorMapParameter] = []
    for place, item in enumerate(ir.ArrayAttr(attribute)):
        try:
            part = TensorMapParameter.from_json(value_of(item))
            check_parameters(part, types)
        except UserError as error:
            message = f"map {place} of '{MAPS_ATTRIBUTE}': {error.message}"
            raise UserError(message, where) from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UserError(
                f"expected the fields of a tensor map as map {place} of "
                f"'{MAPS_ATTRIBUTE}', got {item} ({error})",
                where,
            ) from None
        found.append(part)
    return tuple(found)


def add_map(entry: ir.Operation, part: TensorMapParameter) -> int:
    """Notes on an entry that it needs a tensor map; returns the map's number.

    Two equal maps become one, which is required if either is.

    Args:
        entry: The entry.
        part: The tensor map, a kernel parameter.

    Raises:
        UserError: The map does not fit the entry's parameters.
    """
    with located(entry):
        check_parameters(part, parameter_types(entry))
    maps = list(read_maps(entry))
    equal = [
        n for n, m in enumerate(maps) if replace(m, required=part.required) == part
    ]
    if not equal:
        maps.append(part)
    elif part.required:
        maps[equal[0]] = part
    attributes = [attribute_of(each.to_json()) for each in maps]
    entry.attributes[MAPS_ATTRIBUTE] = ir.ArrayAttr.get(attributes)
    return equal[0] if equal else len(maps) - 1


def number_of_map(op: ir.Operation) -> int | None:
    """The number of the tensor map that a copy uses; None where it names none."""
    return integer(op, MAP_ATTRIBUTE) if MAP_ATTRIBUTE in op.attributes else None
