# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The roles of a kernel: which warps of its CTA run which region of `tileas.roles`.

Warps are numbered through the regions in their order. So the first role begins with
warp 0, like a kernel without roles.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.attributes import integers
from cuda_tile.ir.launch import strings_of
from cuda_tile.ir.walk import block_ops, body, location_text
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES

ROLES = "tileas.roles"


@dataclass(frozen=True)
class Role:
    """The threads that run some ops together.

    Attributes:
        name: Its name; empty for all threads of a CTA.
        number: Its place among the roles, from 0; -1 for all threads.
        first_warp: Its first warp in the CTA.
        warps: How many warps it has.
        threads: How many of their threads run the ops: all, or one.
        registers: Registers that a thread may use; 0 if roles do not change them.
    """

    name: str
    number: int
    first_warp: int
    warps: int
    threads: int
    registers: int = 0

    @property
    def is_single(self) -> bool:
        """Whether one thread runs it."""
        return self.threads == 1


def all_threads(warps: int) -> Role:
    """The threads that run ops outside roles: all of them."""
    return Role("", -1, 0, warps, warps * WARP_LANES)


def roles_of(op: ir.Operation) -> list[Role]:
    """The roles of a `tileas.roles`, in order of its regions."""
    found: list[Role] = []
    first = 0
    columns = (integers(op, name) for name in ("warps", "threads", "registers"))
    for number, (name, warps, threads, registers) in enumerate(
        zip(strings_of(op.attributes["names"]), *columns, strict=True)
    ):
        found.append(Role(name, number, first, warps, threads, registers))
        first += warps
    return found


def find_roles(entry: ir.Operation) -> ir.Operation | None:
    """The `tileas.roles` in the body of an entry, or None.

    Raises:
        UserError: There are several.
    """
    found = [op for op in block_ops(body(entry)) if op.name == ROLES]
    if len(found) == 1:
        return found[0]
    for op in found[1:]:
        raise UserError(f"expected one '{ROLES}' in a kernel", location_text(op))
    return None


def cta_warps(entry: ir.Operation, planned: int) -> int:
    """Warps of the entry's CTA.

    Args:
        entry: An entry at level W.
        planned: The plan's number of warps, those of a kernel without roles.
    """
    op = find_roles(entry)
    return planned if op is None else sum(role.warps for role in roles_of(op))


def role_around(op: ir.Operation) -> Role | None:
    """The role in which an op stands; None outside roles."""
    inner, parent = op, op.parent
    while parent is not None and parent.operation.name != ROLES:
        inner, parent = parent.operation, parent.operation.parent
    if parent is None:
        return None
    regions = parent.operation.regions
    blocks = [region.blocks[0] for region in regions]
    return roles_of(parent.operation)[blocks.index(inner.block)]
