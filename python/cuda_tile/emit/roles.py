# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family roles: warps branch to the ops of their role, and meet behind them.

The warp index is taken from lane 0, which shows ptxas that the branches are uniform.
Each role begins with a block of its own, where what depends on its thread index is
computed: before the branch it would take registers of every role, whose number there is
that of the launch.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.control_flow import Point
from cuda_tile.analysis.role_slice import is_uniform
from cuda_tile.analysis.tensor_columns import is_tensor_product
from cuda_tile.emit.cta_pairs import leads
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.exchange import shuffle
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError, Unsupported, UserError
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.roles import ROLES, Role, roles_of
from cuda_tile.ir.walk import (
    block_ops,
    body,
    enclosing_entry,
    location_text,
    nested_ops,
)
from cuda_tile.layout.linear import N_LANE_BITS


@RULES.register(ROLES)
def roles(e: Emitter, op: ir.Operation) -> None:
    """A branch per role; each ends with a jump to what stands behind the op."""
    _check(e, op)
    b, parts = e.builder, roles_of(op)
    warp = b.binary("lshr", e.threads.index, N_LANE_BITS)
    warp = shuffle(b, "idx", warp, 0)
    for role in parts[:-1]:
        own, others = b.block(), b.block()
        b.branch_if(b.icmp("ult", warp, role.first_warp + role.warps), own, others)
        b.enter(own)
        _role(e, op, role, warp)
        b.enter(others)
    _role(e, op, parts[-1], warp)
    e.enter(Point(op, None))


@RULES.register("tileas.done")
def done(e: Emitter, op: ir.Operation) -> None:
    """To where the roles meet."""
    parent = op.parent
    if parent is None:
        raise InternalError(f"emit: expected '{op.name}' in '{ROLES}'")
    e.builder.branch(e.landing(Point(parent.operation, None)))
    e.leave()


def _role(e: Emitter, op: ir.Operation, role: Role, warp: ir.Value) -> None:
    """The ops of one role, from where its warps have branched to."""
    b = e.builder
    if role.registers:
        plan, warps = read_plan(enclosing_entry(op)), e.role.warps
        _set_registers(e, role, e.target.register_limit(warps, plan.min_ctas))
    start, first = b.block(), Point(op, role.number)
    running = _runs(e, role, warp)
    if running is None:
        b.branch(start)
    else:
        b.branch_if(running, start, e.landing(Point(op, None)))
    b.enter(start)
    chosen = b.op("nvvm.elect.sync", b.i1) if _runs_by_warp(e, role) else None
    if not (e.is_pair and _multiplies(first.block)):
        _run(e, role, first, chosen)
        return
    own, others = b.block(), b.block()
    b.branch_if(leads(e), own, others)
    for block, follows in ((own, False), (others, True)):
        b.enter(block)
        e.follows = follows
        with e.once_of_two():
            _run(e, role, first, chosen)
    e.follows = False


def _run(e: Emitter, role: Role, first: Point, chosen: ir.Value | None) -> None:
    """Emits the ops of a role, behind a branch in the current block."""
    here = e.builder.ip.block
    e.builder.branch(e.landing(first))
    with e.in_role(role, ir.InsertionPoint(list(here.operations)[-1])):
        e.threads.chosen = chosen
        e.enter(first)
        e.emit_block(first.block)


def _multiplies(block: ir.Block) -> bool:
    """Whether products are started in a block."""
    ops = block_ops(block)
    return any(
        map(is_tensor_product, (*ops, *(n for op in ops for n in nested_ops(op))))
    )


def _runs_by_warp(e: Emitter, role: Role) -> bool:
    """Whether a whole warp runs a role of which one thread alone makes bulk copies.

    What it computes is then uniform, so that ptxas leaves it in uniform registers, and
    an iteration takes a third fewer instructions (ptxas 13.5). Where products stay in
    registers, the iterations of those are longer anyway.
    """
    return (role.is_single or role.warps == 1) and TCGEN05.is_on(e.target)


def _runs(e: Emitter, role: Role, warp: ir.Value) -> ir.Value | None:
    """Whether this thread runs the role, whose warps are here; None for all."""
    b = e.builder
    if not role.is_single:
        return None
    first = b.icmp("eq", warp, role.first_warp)
    if role.warps == 1:
        first = None
    if _runs_by_warp(e, role):
        return first
    if e.target.has("nvvm.elect.sync"):
        chosen = b.op("nvvm.elect.sync", b.i1)
    else:
        lane = b.binary("and", e.threads.index, 31)
        chosen = b.icmp("eq", lane, 0)
    both = b.both(first, chosen)
    assert both is not None
    return both


def _set_registers(e: Emitter, role: Role, launched: int) -> None:
    """Takes registers for the role, or gives some back (`setmaxnreg`)."""
    if role.registers == launched:
        return
    b = e.builder
    action = "increase" if role.registers > launched else "decrease"
    b.create(
        "nvvm.setmaxregister",
        [],
        [],
        {
            "regCount": ir.IntegerAttr.get(b.i32, role.registers),
            "action": b.attribute(f"#nvvm<action {action}>"),
        },
    )


# What emission cannot do ----------------------------------------------------------


def _check(e: Emitter, op: ir.Operation) -> None:
    """Refuses roles that warps cannot run.

    Raises:
        UserError: They stand in another op, or distributed tiles stand where warps of
            several roles, or one thread, would hold them.
        Unsupported: The chip cannot move registers.
    """
    entry = enclosing_entry(op)
    if op.parent is None or op.parent.operation != entry:
        raise UserError(
            f"expected '{ROLES}' right in the kernel's body, got it in another op",
            location_text(op),
        )
    for other in block_ops(body(entry)):
        if other != op:
            _refuse_tiles(other, "outside the roles of a kernel")
    for role in roles_of(op):
        inner = list(block_ops(op.regions[role.number].blocks[0]))
        if role.is_single:
            for one in inner:
                _refuse_tiles(one, f'in role "{role.name}" of one thread')
        if role.registers and not (e.target.is_specific or e.target.is_family):
            raise Unsupported(
                f"'{ROLES}': expected a chip that moves registers (setmaxnreg), from "
                f"sm_90 on, got {e.target.arch}; registers = 0 moves none",
                location_text(op),
            )


def _refuse_tiles(op: ir.Operation, where: str) -> None:
    """Refuses tiles that warps divide among them, in `op` and under it.

    Raises:
        UserError: An op has a tile that warps divide.
    """
    for one in (op, *nested_ops(op)):
        values = (*one.operands, *one.results)
        if not all(is_uniform(v) or uniform_bits(v) is not None for v in values):
            raise UserError(
                f"'{one.name}': expected only scalars {where}, got a tile that threads "
                "divide; move it into a role whose threads all run it",
                location_text(one),
            )
