# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family structure: globals, grid positions; of family memory, dependent launches."""

from __future__ import annotations

from itertools import zip_longest
from typing import Literal

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import SymbolVisibilityAttr, TileType
from cuda_tile.analysis.constants import TF32_DROPPED_BITS
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.operations import GLOBAL_SPACE
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import flag, integer
from cuda_tile.ir.cta_pairs import PAIR_CTAS
from cuda_tile.ir.tiles import element_bits
from cuda_tile.ir.walk import entry_name, op_stem

_DEPENDENT_LAUNCH = {
    "gdc_launch_dependents_tko": "llvm.nvvm.griddepcontrol.launch.dependents",
    "gdc_wait_tko": "llvm.nvvm.griddepcontrol.wait",
}
_CLUSTER_REGISTERS = {
    "ctaid": "nvvm.read.ptx.sreg.clusterid.x",
    "nctaid": "nvvm.read.ptx.sreg.nclusterid.x",
}
_REGISTERS = {"get_tile_block_id": "ctaid", "get_num_tile_blocks": "nctaid"}


@RULES.register(*_REGISTERS)
def grid_position(e: Emitter, op: ir.Operation) -> None:
    """One CTA is one tile block, unless the launcher appends the grid's extents.

    Raises:
        UserError: The number of a tile block is asked for, and a CTA serves several.
    """
    if e.grid_extents is not None:
        if op_stem(op) == "get_tile_block_id":
            raise UserError(
                "expected the arguments of 'tileas.tiles' instead of "
                f"'{op.name}', in a kernel whose CTAs serve several tile blocks"
            )
        x, y, z = e.grid_extents
        if e.is_pair:
            x = e.builder.mul(x, PAIR_CTAS)
        for result, extent in zip(op.results, (x, y, z), strict=True):
            e.set(result, extent)
        return
    register = _REGISTERS[op_stem(op)]
    for axis, result in zip("xyz", op.results, strict=True):
        name = f"nvvm.read.ptx.sreg.{register}.{axis}"
        if axis == "x" and e.threads.cluster > 1:  # clusters extend along x alone
            name = _CLUSTER_REGISTERS[register]
        e.set(result, e.builder.in_prologue(name, e.builder.i32))


@RULES.register("get_global")
def get_global(e: Emitter, op: ir.Operation) -> None:
    """The address of the variable."""
    b = e.builder
    name = op.attributes["name"]
    pointer = b.in_prologue("llvm.mlir.addressof", b.global_pointer, global_name=name)
    e.set(op.results[0], pointer)


@RULES.register("gdc_launch_dependents_tko", "gdc_wait_tko")
def dependent_launch(e: Emitter, op: ir.Operation) -> None:
    """`griddepcontrol`, by every thread; before sm_90 nothing, as the dialect says."""
    e.set(op.results[0], None)
    if e.target.has("llvm.nvvm.griddepcontrol.wait"):
        e.builder.effect(_DEPENDENT_LAUNCH[op_stem(op)])


_WORDS: dict[int, Literal["B", "H", "I", "L"]] = {8: "B", 16: "H", 32: "I", 64: "L"}
"""The letter of `memoryview` for words of some bits."""


def emit_global(op: ir.Operation) -> None:
    """Declares a `cuda_tile.global` at the insertion point, with its initial value.

    Elements travel as integers of their size in memory: the bits are what counts.
    """
    data, bits = global_bytes(ir.DenseElementsAttr(op.attributes["value"]))
    word = ir.IntegerType.get_signless(bits)
    count = 8 * len(data) // bits
    dense = ir.DenseElementsAttr.get(
        memoryview(data).cast(_WORDS[bits]),
        signless=True,
        type=ir.RankedTensorType.get([count], word),
    )
    visibility = op.attributes.get("symbol_visibility")
    is_private = (
        isinstance(visibility, SymbolVisibilityAttr) and visibility.value == "private"
    )
    _declare(
        entry_name(op),
        ir.Type.parse(f"!llvm.array<{count} x {word}>"),
        dense,
        alignment=max(integer(op, "alignment"), bits // 8),
        is_constant=flag(op, "constant"),
        is_public=not is_private,
    )


def _declare(
    symbol: str,
    ty: ir.Type,
    value: ir.Attribute,
    *,
    alignment: int,
    is_constant: bool,
    is_public: bool,
) -> None:
    """An `llvm.mlir.global` in global memory, at the current insertion point."""
    i32, i64 = (ir.IntegerType.get_signless(bits) for bits in (32, 64))
    linkage = "external" if is_public else "internal"
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(symbol),
        "global_type": ir.TypeAttr.get(ty),
        "linkage": ir.Attribute.parse(f"#llvm.linkage<{linkage}>"),
        "addr_space": ir.IntegerAttr.get(i32, GLOBAL_SPACE),
        "value": value,
        "alignment": ir.IntegerAttr.get(i64, alignment),
    }
    if is_constant:
        attributes["constant"] = ir.UnitAttr.get()
    ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1)


def global_bytes(value: ir.DenseElementsAttr) -> tuple[bytes, int]:
    """The initial bytes of a variable, and the bits of the words it is made of.

    An i1 takes a byte; two elements of 4 bits share one, the even one in the low half.
    """
    ty = TileType(value.type)
    count, element = ty.shape[0], ty.element_type
    raw = _cuda_tile.dense_bytes(value)
    data = raw * count if value.is_splat else raw
    if isinstance(element, ir.FloatTF32Type):
        size = len(data) // count
        words = [
            int.from_bytes(data[i : i + size], "little") << TF32_DROPPED_BITS
            for i in range(0, len(data), size)
        ]
        return b"".join(word.to_bytes(4, "little") for word in words), 32
    if isinstance(element, ir.IntegerType | ir.FloatType) and element.width == 4:
        pairs = zip_longest(data[0::2], data[1::2], fillvalue=0)
        return bytes(low & 15 | (high & 15) << 4 for low, high in pairs), 8
    return data, element_bits(element)
