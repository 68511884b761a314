# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear forms of the thread index: which elements a thread holds.

Layouts give one constant per bit of the thread index, XORed together where the
bit is set. Most of them only move bits, so a whole form costs a few shifts and
masks instead of one select per bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import ICMP, Builder
from cuda_tile.emit.exchange import ALL_LANES, CLAMP_WHOLE_WARP
from cuda_tile.emit.ptxas_habits import register_constant
from cuda_tile.ir.roles import Role
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.targets import WARP_LANES

ALL_BITS = -1
"""The mask of the whole thread index."""


class Threads:
    """Values computed from the thread index, each made once.

    Args:
        builder: Where to build.
        role: The threads that run what is built.
        place: Where to compute, a place that dominates what is built: what only one
            role needs should cost the others no registers.
        cluster: CTAs of the cluster. Its threads have numbers of their own: those of
            the second CTA follow those of the first.
    """

    def __init__(
        self,
        builder: Builder,
        role: Role,
        place: ir.InsertionPoint | None = None,
        cluster: int = 1,
    ) -> None:
        self.role, self.cluster = role, cluster
        self.chosen: ir.Value | None = None
        """Where a whole warp runs a role of one thread: whether this is that one."""
        self._builder = builder
        self._place = builder.prologue if place is None else place
        self._forms: dict[tuple[int, ...], ir.Value] = {}
        self._index: ir.Value | None = None
        self._shared_address: ir.Value | None = None
        self._leader_address: ir.Value | None = None
        self._rank: ir.Value | None = None
        self._leads: ir.Value | None = None

    @property
    def index(self) -> ir.Value:
        """Thread index in the role: lane in bits 0..4, warp above, then CTA (i32).

        Without roles it is the index in the CTA, with a cluster that in the cluster; a
        thread that is alone has number 0.
        """
        if self._index is None:
            self._index = self._number()
        return self._index

    def _number(self) -> ir.Value:
        b, role = self._builder, self.role
        if role.is_single:
            return b.constant(b.i32, 0)
        index = self.at_start("nvvm.read.ptx.sreg.tid.x", b.i32)
        if role.first_warp:
            first = b.constant(b.i32, role.first_warp * WARP_LANES)
            index = self.at_start("llvm.sub", b.i32, index, first)
        if self.cluster > 1:
            bits = b.constant(b.i32, role.threads.bit_length() - 1)
            rank = self.at_start("llvm.shl", b.i32, self.rank(), bits)
            index = self.at_start("llvm.or", b.i32, index, rank)
        return index

    def rank(self) -> ir.Value:
        """The number of the CTA in its cluster (i32)."""
        if self._rank is None:
            name = "nvvm.read.ptx.sreg.cluster.ctarank"
            self._rank = self.at_start(name, self._builder.i32)
        return self._rank

    def leads(self) -> ir.Value:
        """Whether that number is 0 (i1)."""
        if self._leads is None:
            b, kind = self._builder, self._builder.number(ICMP["eq"])
            zero = b.constant(b.i32, 0)
            self._leads = self.at_start(
                "llvm.icmp", b.i1, self.rank(), zero, predicate=kind
            )
        return self._leads

    def at_start(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation where the forms are computed.

        Args:
            name: The name of the operation, such as "llvm.add".
            result: The type of its result.
            *operands: Its operands.
            **attributes: Its attributes.
        """
        return self._builder.at(self._place, name, result, *operands, **attributes)

    def linear_form(self, columns: Sequence[int]) -> ir.Value:
        """XOR of `columns[i]` over the set bits i of the thread index (i32)."""
        key = tuple(columns)
        if key not in self._forms:
            self._forms[key] = self._make(key)
        return self._forms[key]

    def _make(self, columns: tuple[int, ...]) -> ir.Value:
        b = self._builder
        return linear_form_of(b, self.at_start, self.index, columns)

    def warp_form(self, columns: Sequence[int]) -> ir.Value:
        """The same of `columns[i]` over the bits i of the warp index alone (i32)."""
        key = (-len(ICMP) - 1, *columns)
        if key not in self._forms:
            form = self.linear_form([*[0] * N_LANE_BITS, *columns])
            self._forms[key] = self._uniform(form)
        return self._forms[key]

    def shared_address(self, start: ir.Value, is_constant: bool) -> ir.Value:
        """The address of the kernel's shared memory (i32), for sums that are uniform.

        Where a loop adds to the address of a variable, ptxas computes that in each
        iteration, from the number of the CTA in its cluster.

        Args:
            start: The pointer to it.
            is_constant: Whether no cluster comes into it.
        """
        if self._shared_address is None:
            address = self.at_start("llvm.ptrtoint", self._builder.i32, start)
            if not is_constant:
                address = self._uniform(address)
            self._shared_address = address
        return self._shared_address

    def leader_address(self, start: ir.Value) -> ir.Value:
        """The address of the shared memory of the cluster's first CTA (i32).

        Args:
            start: The pointer to this CTA's.
        """
        if self._leader_address is None:
            b = self._builder
            saved, b.ip = b.ip, self._place
            text = "mapa.shared::cluster.u32 $0, $1, 0;"
            address = b.ptx_value(text, b.i32, start)
            b.ip = saved
            self._leader_address = self._uniform(address)
        return self._leader_address

    def pinned(self, value: ir.Value) -> ir.Value:
        """What LLVM knows nothing of, and so computes nowhere else."""
        return self._builder.pinned(value, self._place)

    def _uniform(self, value: ir.Value) -> ir.Value:
        """An i32 that all threads of a warp have, taken from lane 0.

        That shows ptxas that it is uniform.
        """
        if self.role.is_single:
            return value
        b = self._builder
        everyone, zero, clamp = (
            b.constant(b.i32, number) for number in (ALL_LANES, 0, CLAMP_WHOLE_WARP)
        )
        kind = b.attribute("#nvvm<shfl_kind idx>")
        return self.at_start(
            "nvvm.shfl.sync", b.i32, everyone, value, zero, clamp, kind=kind
        )

    def kept(self, number: int, axis: str) -> ir.Value:
        """A constant (i32) that ptxas keeps in a register.

        Args:
            number: The constant.
            axis: "x", "y", "z": constants of different axes get registers of their own.
        """
        key = (-len(ICMP) - 2, number, ord(axis))
        b = self._builder
        text = register_constant(number, axis)
        if key not in self._forms:
            self._forms[key] = self.at_start(
                "llvm.inline_asm",
                b.i32,
                asm_string=ir.StringAttr.get(text),
                constraints=ir.StringAttr.get("=r"),
                asm_dialect=b.number(0),
            )
        return self._forms[key]

    def has_bit(self, mask: int) -> ir.Value:
        """Whether the thread index has a bit of `mask` set (i1)."""
        return self._masked("ne", mask)

    def is_first(self) -> ir.Value:
        """Whether this is thread 0, which does what is done once per role."""
        return self._masked("eq", ALL_BITS)

    def lacks_bit(self, mask: int) -> ir.Value:
        """Whether the thread index lacks a bit of `mask` (i1)."""
        return self._masked("ne", mask, mask)

    def _masked(self, predicate: str, mask: int, value: int = 0) -> ir.Value:
        """Compares some bits of the thread index with a value."""
        b = self._builder
        key = (-ICMP[predicate] - 1, mask, value)
        if key not in self._forms:
            bits = self.index
            if mask != ALL_BITS:
                bits = self.at_start("llvm.and", b.i32, bits, b.constant(b.i32, mask))
            attr = b.number(ICMP[predicate])
            wanted = b.constant(b.i32, value)
            self._forms[key] = self.at_start(
                "llvm.icmp", b.i1, bits, wanted, predicate=attr
            )
        return self._forms[key]

    def coordinate(self, layout: LinearLayout, dim: int) -> ir.Value:
        """The thread's part of its elements' coordinate along `dim` (i32).

        Args:
            layout: The layout of the tile.
            dim: The dimension, from 0.
        """
        bases = (*layout.lane, *layout.warp, *layout.block)
        return self.linear_form([basis[dim] for basis in bases])

    def is_owner(
        self, layout: LinearLayout, *, in_cta: bool = False, but_lanes: int = 0
    ) -> ir.Value | None:
        """Whether this thread is the one that writes its elements.

        Args:
            layout: Of the elements.
            in_cta: Whether each CTA of the cluster writes what it has of them.
            but_lanes: Lane bits that make no difference.

        Returns:
            None where no element has copies in other threads (always true).
        """
        free = layout.free_bits()
        mask = free.lane & ~but_lanes | free.warp << N_LANE_BITS
        if not in_cta:
            mask |= free.block << N_LANE_BITS + len(layout.warp)
        if mask == 0:
            return None
        return self._masked("eq", mask)


def linear_form_of(
    b: Builder,
    make: Callable[..., ir.Value],
    number: ir.Value,
    columns: Sequence[int],
) -> ir.Value:
    """XOR of `columns[i]` over the set bits i of a number (i32).

    Args:
        b: The builder of the constants.
        make: Builds one operation where the form is to stand: a method of `b`.
        number: An i32.
        columns: One per bit of the number; higher bits are ignored.
    """
    masks: dict[int, int] = {}
    for source, column in enumerate(columns):
        target = 0
        while column >> target:
            if column >> target & 1:
                shift = target - source
                masks[shift] = masks.get(shift, 0) | 1 << source
            target += 1
    total: ir.Value | None = None
    for shift, mask in sorted(masks.items()):
        part = make("llvm.and", b.i32, number, b.constant(b.i32, mask))
        if shift:
            name = "llvm.shl" if shift > 0 else "llvm.lshr"
            part = make(name, b.i32, part, b.constant(b.i32, abs(shift)))
        if total is not None:
            part = make("llvm.xor", b.i32, total, part)
        total = part
    return b.constant(b.i32, 0) if total is None else total


def coordinate_span(layout: LinearLayout, dim: int) -> int:
    """Bits of the coordinate along `dim` that the thread index can set.

    A register's part outside this mask may be added instead of XORed.

    Args:
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """
    mask = 0
    for basis in (*layout.lane, *layout.warp, *layout.block):
        mask |= basis[dim]
    return mask
