"""Level W to level P: one `llvm.func` per entry, in a `gpu.module`.

Contract: in, level W with its barriers; out, `cuda_tile.module` is replaced by a
`gpu.module` of the same name that holds only `llvm` and `nvvm`. Kernel
parameters are the entry's, one to one, with natural alignment.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.emit.builder import GLOBAL_SPACE, SHARED_SPACE
from cuda_tile.emit.emitter import SHARED_SYMBOL, Emitter
from cuda_tile.emit.families import RULES
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import (
    body,
    entries,
    entry_name,
    location_text,
    tile_modules,
)
from cuda_tile.options import Options
from cuda_tile.passes.allocate import SHARED_BYTES_ATTRIBUTE
from cuda_tile.targets import MAX_STATIC_SHARED_BYTES, WARP_LANES


def run(module: ir.Operation, options: Options) -> None:
    """Emits every tile module of `module` and removes it."""
    del options
    for tile_module in tile_modules(module):
        emit_module(tile_module)
        tile_module.erase()
    _cuda_tile.drop_scopes(module)  # LLVM IR has no form for them


def emit_module(tile_module: ir.Operation) -> None:
    """Builds the `gpu.module` right before the tile module."""
    with ir.InsertionPoint(tile_module), tile_module.location:
        gpu_module = ir.Operation.create(
            "gpu.module",
            attributes={"sym_name": tile_module.attributes["sym_name"]},
            regions=1,
        )
    block = gpu_module.regions[0].blocks.append()
    kernels = entries(tile_module)
    needed = max((_shared_bytes(entry) for entry in kernels), default=0)
    with ir.InsertionPoint(block), tile_module.location:
        if needed:
            _declare_shared(needed)
        for entry in kernels:
            emit_entry(entry)


def _shared_bytes(entry: ir.Operation) -> int:
    if SHARED_BYTES_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{SHARED_BYTES_ATTRIBUTE}' on entry "
            f"@{entry_name(entry)}; run cuda-tile-allocate first",
            location_text(entry),
        )
    return integer(entry, SHARED_BYTES_ATTRIBUTE)


def _declare_shared(size_bytes: int) -> None:
    """One variable for all buffers; beyond the static limit the launch sizes it."""
    dynamic = size_bytes > MAX_STATIC_SHARED_BYTES
    text = (
        f"llvm.mlir.global {'external' if dynamic else 'internal'} @{SHARED_SYMBOL}() "
        f"{{addr_space = {SHARED_SPACE} : i32, alignment = 1024 : i64}} : "
        f"!llvm.array<{0 if dynamic else size_bytes} x i8>"
    )
    ir.InsertionPoint.current.insert(ir.Operation.parse(text))


def emit_entry(entry: ir.Operation) -> None:
    """Builds the function of one entry at the current insertion point."""
    func = _declare(entry)
    blocks = func.regions[0].blocks
    first = blocks.append(*_parameter_types(entry), arg_locs=_argument_locations(entry))
    second = blocks.append()
    with ir.InsertionPoint(first), entry.location:
        ir.Operation.create("llvm.br", successors=[second])
    with ir.InsertionPoint(second), entry.location:
        emitter = Emitter(func, FactsAnalysis(entry), RULES)
        for argument, parameter in zip(
            body(entry).arguments, first.arguments, strict=True
        ):
            emitter.set(argument, _from_parameter(emitter, argument, parameter))
        emitter.emit_block(body(entry))


def _argument_locations(entry: ir.Operation) -> list[ir.Location]:
    return [argument.location for argument in body(entry).arguments]


def _parameter_types(entry: ir.Operation) -> list[ir.Type]:
    """LLVM types of the kernel's parameters; i1 travels as one byte."""
    types: list[ir.Type] = []
    for argument in body(entry).arguments:
        element = element_of(argument)
        if isinstance(element, PointerType):
            types.append(ir.Type.parse(f"!llvm.ptr<{GLOBAL_SPACE}>"))
        elif str(element) == "i1":
            types.append(ir.IntegerType.get_signless(8))
        else:
            types.append(ir.F32Type.get() if str(element) == "tf32" else element)
    return types


def _from_parameter(
    emitter: Emitter, argument: ir.Value, parameter: ir.Value
) -> ir.Value:
    """A parameter as the scalar it stands for."""
    if str(element_of(argument)) != "i1":
        return parameter
    builder = emitter.builder
    return builder.icmp("ne", parameter, builder.constant(builder.i8, 0))


def _declare(entry: ir.Operation) -> ir.Operation:
    """The `llvm.func` with its launch bounds."""
    plan = read_plan(entry)
    types = ", ".join(str(ty) for ty in _parameter_types(entry))
    function_type = ir.Type.parse(f"!llvm.func<void ({types})>")
    threads = ir.DenseI32ArrayAttr.get([plan.num_warps * WARP_LANES, 1, 1])
    attributes: dict[str, ir.Attribute] = {
        "sym_name": entry.attributes["sym_name"],
        "function_type": ir.TypeAttr.get(function_type),
        "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
        "nvvm.kernel": ir.UnitAttr.get(),
        "nvvm.reqntid": threads,
    }
    if plan.min_ctas:
        i32 = ir.IntegerType.get_signless(32)
        attributes["nvvm.minctasm"] = ir.IntegerAttr.get(i32, plan.min_ctas)
    return ir.Operation.create(
        "llvm.func",
        attributes=attributes,
        regions=1,
        loc=entry.location,
    )
