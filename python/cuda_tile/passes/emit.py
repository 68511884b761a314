# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering of level W to level P: one `llvm.func` per entry, in a `gpu.module`.

Contract: in, level W with its barriers; out, `cuda_tile.module` is replaced by a
`gpu.module` of the same name that holds only `llvm` and `nvvm`. Kernel parameters are
the entry's, one to one, with natural alignment, followed by those that the launcher
appends. Each kernel carries its launch data, `tileas.launch` (see `ir/launch.py`).
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.scratch import SCRATCH_ATTRIBUTE
from cuda_tile.codegen.names import check_name
from cuda_tile.emit.emitter import SHARED_SYMBOL, Emitter
from cuda_tile.emit.families import RULES
from cuda_tile.emit.heap import prepare
from cuda_tile.emit.operations import SHARED_SPACE
from cuda_tile.emit.parameters import Parameters, set_parameters
from cuda_tile.emit.structure import emit_global
from cuda_tile.emit.tensor_memory import allocate_columns
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.ir.attributes import integer, value_of
from cuda_tile.ir.cta_pairs import PAIR_CTAS, is_pair
from cuda_tile.ir.launch import (
    CLUSTER_EXTENTS_ATTRIBUTE,
    CLUSTERS_ATTRIBUTE,
    KERNEL_ATTRIBUTE,
    LAUNCH_ATTRIBUTE,
    LaunchData,
    parameter_types,
    strings_of,
)
from cuda_tile.ir.maps import read_abi, read_maps
from cuda_tile.ir.plan import (
    CHOICE_ATTRIBUTE,
    ESTIMATE_ATTRIBUTE,
    PLAN_ATTRIBUTE,
    REMARKS_ATTRIBUTE,
    read_plan,
    read_target,
)
from cuda_tile.ir.roles import all_threads, cta_warps, find_roles, roles_of
from cuda_tile.ir.tensor_memory import TENSOR_ATTRIBUTE
from cuda_tile.ir.tile_loop import has_tiles
from cuda_tile.ir.walk import (
    block_ops,
    body,
    entries,
    entry_name,
    location_text,
    tile_modules,
)
from cuda_tile.options import Options
from cuda_tile.passes.allocate import SHARED_BYTES_ATTRIBUTE
from cuda_tile.runtime.record import GridExtents
from cuda_tile.targets import (
    MAX_STATIC_SHARED_BYTES,
    PORTABLE_CLUSTER,
    WARP_LANES,
    tile_abi_problem,
)


def run(module: ir.Operation, options: Options) -> None:
    """Emits every tile module of `module` and removes it.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    for tile_module in tile_modules(module):
        emit_module(tile_module)
        tile_module.erase()
    if options.line_info or options.device_debug:
        _cuda_tile.add_line_tables(module, options.device_debug)
    else:
        _cuda_tile.drop_scopes(module)  # LLVM IR has no form for them


def emit_module(tile_module: ir.Operation) -> None:
    """Builds the `gpu.module` right before the tile module."""
    for op in block_ops(body(tile_module)):
        check_name(op)
    with ir.InsertionPoint(tile_module), tile_module.location:
        gpu_module = ir.Operation.create(
            "gpu.module",
            attributes={"sym_name": tile_module.attributes["sym_name"]},
            regions=1,
        )
    block = gpu_module.regions[0].blocks.append()
    with ir.InsertionPoint(block), tile_module.location:
        for op in block_ops(body(tile_module)):
            if op.name == "cuda_tile.global":
                emit_global(op)
        for entry in entries(tile_module):
            emit_entry(entry)


def emit_entry(entry: ir.Operation) -> None:
    """Builds the function of one entry at the current insertion point."""
    shared_symbol = f"{SHARED_SYMBOL}_{entry_name(entry)}"
    launch = _launch_data(entry)
    if launch.shared_bytes:
        _declare_shared(shared_symbol, launch)
    parameters = Parameters.of(entry, launch)
    func = _declare(entry, launch, parameters)
    blocks = func.regions[0].blocks
    first = blocks.append(*parameters.types, arg_locs=list(parameters.locations))
    second = blocks.append()
    with ir.InsertionPoint(first), entry.location:
        ir.Operation.create("llvm.br", successors=[second])
    with ir.InsertionPoint(second), entry.location:
        has_scratch = SCRATCH_ATTRIBUTE in entry.attributes
        emitter = Emitter(
            func,
            FactsOnDemand(entry),
            RULES,
            read_target(entry),
            all_threads(launch.block[0] // WARP_LANES),
            shared_symbol,
            integer(entry, SCRATCH_ATTRIBUTE) if has_scratch else 0,
            read_plan(entry).cluster,
            is_pair=is_pair(entry),
        )
        set_parameters(emitter, entry, launch, list(first.arguments))
        if has_scratch:
            prepare(emitter, entry)
        if TENSOR_ATTRIBUTE in entry.attributes:
            allocate_columns(emitter, entry)
        emitter.emit_block(body(entry))


def _launch_data(entry: ir.Operation) -> LaunchData:
    """How to launch an entry.

    Shared memory beyond the static limit is dynamic, unless the launcher passes none:
    ptxas accepts up to the chip's limit for targets such as `sm_90a` (measured with
    ptxas 13.5).
    """
    shared, abi = _shared_bytes(entry), read_abi(entry)
    if abi == "tile":
        _check_tile_abi(entry, shared)
    is_dynamic = shared > MAX_STATIC_SHARED_BYTES and abi != "tile"
    remarks = entry.attributes.get(REMARKS_ATTRIBUTE)
    choice = entry.attributes.get(CHOICE_ATTRIBUTE)
    estimate = entry.attributes.get(ESTIMATE_ATTRIBUTE)
    is_persistent = has_tiles(entry)
    return LaunchData(
        cluster=(PAIR_CTAS if is_pair(entry) else read_plan(entry).cluster, 1, 1),
        block=(cta_warps(entry, read_plan(entry).num_warps) * WARP_LANES, 1, 1),
        abi=abi,
        appended=(*read_maps(entry), *((GridExtents(),) if is_persistent else ())),
        grid="persistent" if is_persistent else "tile_blocks",
        dynamic_shared_bytes=shared if is_dynamic else 0,
        shared_bytes=shared,
        parameters=parameter_types(entry),
        plan=str(entry.attributes[PLAN_ATTRIBUTE]),
        remarks=() if remarks is None else strings_of(remarks),
        choice=() if choice is None else strings_of(choice),
        estimate={} if estimate is None else value_of(estimate),
    )


def _check_tile_abi(entry: ir.Operation, shared_bytes: int) -> None:
    target, where = read_target(entry), location_text(entry)
    if problem := tile_abi_problem(target):
        raise Unsupported(problem, where)
    if (size := read_plan(entry).cluster) > PORTABLE_CLUSTER:
        raise UserError(
            f"expected a cluster of at most {PORTABLE_CLUSTER} CTAs with abi 'tile', "
            f"whose launchers allow no larger one, got {size}; compile with abi 'maps' "
            "or 'cuda'",
            where,
        )
    if shared_bytes > MAX_STATIC_SHARED_BYTES and not target.is_specific:
        raise Unsupported(
            f"expected at most {MAX_STATIC_SHARED_BYTES} bytes of shared memory with "
            f"abi 'tile' on {target.arch}, got {shared_bytes}, for which ptxas wants a "
            f"target of one chip; compile for {target.chip}, or with abi 'maps'",
            where,
        )


def _shared_bytes(entry: ir.Operation) -> int:
    if SHARED_BYTES_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{SHARED_BYTES_ATTRIBUTE}' on entry "
            f"@{entry_name(entry)}; run cuda-tile-allocate first",
            location_text(entry),
        )
    return integer(entry, SHARED_BYTES_ATTRIBUTE)


def _declare_shared(symbol: str, launch: LaunchData) -> None:
    """One variable for all buffers of a kernel; the launch sizes a dynamic one."""
    linkage, size_bytes = "internal", launch.shared_bytes
    if launch.dynamic_shared_bytes:
        linkage, size_bytes = "external", 0
    text = (
        f"llvm.mlir.global {linkage} @{symbol}() "
        f"{{addr_space = {SHARED_SPACE} : i32, alignment = 1024 : i64}} : "
        f"!llvm.array<{size_bytes} x i8>"
    )
    ir.InsertionPoint.current.insert(ir.Operation.parse(text))


def _declare(
    entry: ir.Operation, launch: LaunchData, parameters: Parameters
) -> ir.Operation:
    """The `llvm.func` with its launch bounds and launch data."""
    plan = read_plan(entry)
    attributes: dict[str, ir.Attribute] = {
        "sym_name": entry.attributes["sym_name"],
        "function_type": ir.TypeAttr.get(parameters.function_type),
        "arg_attrs": parameters.attributes,
        "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
        KERNEL_ATTRIBUTE: ir.UnitAttr.get(),
        "nvvm.reqntid": ir.DenseI32ArrayAttr.get(list(launch.block)),
        LAUNCH_ATTRIBUTE: launch.to_attribute(),
    }
    if launch.abi == "tile":
        attributes[CLUSTERS_ATTRIBUTE] = ir.UnitAttr.get()
    if launch.abi == "tile" or launch.cluster != (1, 1, 1):
        extents = ir.DenseI32ArrayAttr.get(list(launch.cluster))
        attributes[CLUSTER_EXTENTS_ATTRIBUTE] = extents
    if plan.min_ctas or _moves_registers(entry):
        i32 = ir.IntegerType.get_signless(32)
        attributes["nvvm.minctasm"] = ir.IntegerAttr.get(i32, max(1, plan.min_ctas))
    return ir.Operation.create(
        "llvm.func",
        attributes=attributes,
        regions=1,
        loc=entry.location,
    )


def _moves_registers(entry: ir.Operation) -> bool:
    """Whether roles have different numbers of registers.

    ptxas ignores `setmaxnreg` if it does not know how many registers a thread has at
    the start (C7508); it knows them from the number of CTAs that must fit.
    """
    op = find_roles(entry)
    return op is not None and any(role.registers for role in roles_of(op))
