"""Linear forms of the thread index: which elements a thread holds.

Layouts give one constant per bit of the thread index, XORed together where the
bit is set. Most of them only move bits, so a whole form costs a few shifts and
masks instead of one select per bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import ICMP, Builder
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout

MAX_THREADS = 1024
"""Threads of a CTA (PTX ISA, "Limits"; CUDA C++ Programming Guide)."""


ALL_BITS = -1
"""The mask of the whole thread index."""


class Threads:
    """Values computed from `%tid.x`, made once per kernel in its prologue.

    Args:
        builder: The builder of the kernel.
        n_warps: How many warps run what is emitted.
    """

    def __init__(self, builder: Builder, n_warps: int = 1) -> None:
        self._builder = builder
        self.n_warps = n_warps
        self._forms: dict[tuple[int, ...], ir.Value] = {}
        self._index: ir.Value | None = None

    @property
    def index(self) -> ir.Value:
        """Thread index in the CTA: lane in bits 0..4, warp above (i32)."""
        if self._index is None:
            i32 = self._builder.i32
            self._index = self._builder.in_prologue("nvvm.read.ptx.sreg.tid.x", i32)
        return self._index

    def linear_form(self, columns: Sequence[int]) -> ir.Value:
        """XOR of `columns[i]` over the set bits i of the thread index (i32)."""
        key = tuple(columns)
        if key not in self._forms:
            self._forms[key] = self._make(key)
        return self._forms[key]

    def _make(self, columns: tuple[int, ...]) -> ir.Value:
        b = self._builder
        return linear_form_of(b, b.in_prologue, self.index, columns)

    def has_bit(self, mask: int) -> ir.Value:
        """Whether the thread index has a bit of `mask` set (i1)."""
        return self._masked("ne", mask)

    def is_first(self) -> ir.Value:
        """Whether this is thread 0, which does what is done once per tile block."""
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
                bits = b.in_prologue("llvm.and", b.i32, bits, b.constant(b.i32, mask))
            attr = b.number(ICMP[predicate])
            wanted = b.constant(b.i32, value)
            self._forms[key] = b.in_prologue(
                "llvm.icmp", b.i1, bits, wanted, predicate=attr
            )
        return self._forms[key]

    def coordinate(self, layout: LinearLayout, dim: int) -> ir.Value:
        """The thread's part of its elements' coordinate along `dim` (i32)."""
        bases = (*layout.lane, *layout.warp)
        return self.linear_form([basis[dim] for basis in bases])

    def is_owner(self, layout: LinearLayout) -> ir.Value | None:
        """Whether this thread is the one that writes its elements.

        None where no element has copies in other threads (always true).
        """
        free = layout.free_bits()
        mask = free.lane | free.warp << N_LANE_BITS
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
    """
    mask = 0
    for basis in (*layout.lane, *layout.warp):
        mask |= basis[dim]
    return mask
