"""Inserts the barriers that token order requires between global accesses.

Contract: in, staged level W; out, the same with a `tileas.barrier` on every path
between two accesses of global memory that tokens order, directly or through others,
and that threads of the CTA may make to the same element. A tile block is one logical
thread, but its accesses are spread over many: what one thread stored another may load
only after a barrier (PTX ISA, "bar.sync": orders prior accesses among participating
threads). Running it again adds nothing.

Two weak loads need no order. Nor do two accesses through one tile of pointers whose
elements all differ: each thread touches its own elements only. Accesses without a
token between them are not ordered, whatever they touch.

What one thread acquires or releases counts for the whole tile block only with a
barrier: between the accesses that other threads made and the release that makes them
known, and between an acquire and the accesses that other threads make after it (PTX
ISA, "Memory Consistency Model": a barrier synchronises the threads of a CTA, and
causality order is transitive). There loads and a thread's own elements count as well.

Two data-flow analyses find what an access waits for: which accesses each token depends
on, and which accesses no barrier has followed yet on some path.
"""

from __future__ import annotations

from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis, ValueAnalysis
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.walk import enclosing_ops, entries
from cuda_tile.options import Options

_NO_ACCESS = (
    "cuda_tile.print_tko",
    "cuda_tile.gdc_launch_dependents_tko",
    "cuda_tile.gdc_wait_tko",
)
"""Ops with tokens that touch no memory of the program. One thread prints everything in
program order, and all threads wait for the preceding kernel themselves."""
_LOADS = ("cuda_tile.load_view_tko", "cuda_tile.load_ptr_tko")


def run(module: ir.Operation, options: Options) -> None:
    """Orders every entry of `module`."""
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        accesses = Accesses(flow)
        if not accesses.ops:
            continue
        behind = AccessesBehindTokens(flow, accesses)
        behind.solve(())
        analysis = UnorderedAccesses(flow, accesses, behind)
        analysis.solve(0)
        for op in accesses.ops:
            pending = analysis.before(op)
            if pending is not None and analysis.needs_barrier(op, pending):
                with ir.InsertionPoint(op), op.location:
                    tileas.BarrierOp()


def _acquires(op: ir.Operation) -> bool:
    return memory_order(op).acquires


def _releases(op: ir.Operation) -> bool:
    return memory_order(op).releases


class Accesses:
    """The accesses of an entry to global memory; sets of them are bit masks.

    A mask has two bits per access: of n accesses, bit i stands for access i as it ran
    last, bit n + i for one that ran in an earlier iteration of a loop, with other
    pointers.

    Args:
        flow: The control flow of an entry at level W.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self.ops = [
            op
            for op in flow.ops()
            if op.name.endswith("_tko") and op.name not in _NO_ACCESS
        ]
        self._bits = {op: 1 << i for i, op in enumerate(self.ops)}
        self.loads = sum(self._bits[op] for op in self.ops if op.name in _LOADS)
        self.loads |= self.loads << len(self.ops)
        self.acquires = sum(self._bits[op] for op in self.ops if _acquires(op))
        self.acquires |= self.acquires << len(self.ops)
        self._repointed: dict[ir.Operation, int] = {}
        for op in self.ops:
            if op.name.endswith("_ptr_tko"):
                for outer in enclosing_ops(op.operands[0]):
                    known = self._repointed.get(outer, 0)
                    self._repointed[outer] = known | self._bits[op]

    def bit(self, op: ir.Operation) -> int:
        """The mask of one op as it runs; 0 if it is no access."""
        return self._bits.get(op, 0)

    def split(self, mask: int) -> tuple[list[ir.Operation], bool]:
        """The accesses of a mask with their present pointers; whether it has others."""
        present = [op for op, bit in self._bits.items() if mask & bit]
        return present, mask >> len(self.ops) != 0

    def along(self, edge: Edge, mask: int) -> int:
        """A mask at the end of an edge: the next iteration has other pointers."""
        if edge.target.region is None or edge.source == edge.target.op:
            return mask
        old = mask & self._repointed.get(edge.target.op, 0)
        return mask & ~old | old << len(self.ops)


class AccessesBehindTokens(ValueAnalysis[int]):
    """The accesses that a token depends on, on some path, as a mask."""

    def __init__(self, flow: ControlFlow, accesses: Accesses) -> None:
        super().__init__(flow)
        self._accesses = accesses

    def unknown(self, value: ir.Value) -> int:
        """`make_token` is after nothing."""
        del value
        return 0

    def join_facts(self, known: int, news: int) -> int:
        """Either way's accesses."""
        return known | news

    def forward(self, edge: Edge, state: tuple[int, ...]) -> tuple[int, ...]:
        """What is behind the tokens that are handed on."""
        masks = super().forward(edge, state)
        return tuple(self._accesses.along(edge, mask) for mask in masks)

    def apply(self, op: ir.Operation) -> None:
        """A token is after the op that makes it and after that op's tokens."""
        tokens = [v for v in op.results if isinstance(v.type, TokenType)]
        if tokens:
            mask = self.waited_for(op) | self._accesses.bit(op)
            for token in tokens:
                self.set(token, mask)

    def waited_for(self, op: ir.Operation) -> int:
        """The accesses behind the tokens that `op` takes."""
        mask = 0
        for value in op.operands:
            if isinstance(value.type, TokenType):
                mask |= self.of(value)
        return mask


class UnorderedAccesses(ForwardAnalysis[int]):
    """The accesses that no barrier has followed yet on some path, as a mask.

    There is a barrier before each access that needs one.
    """

    def __init__(
        self, flow: ControlFlow, accesses: Accesses, behind: AccessesBehindTokens
    ) -> None:
        super().__init__(flow)
        self._accesses = accesses
        self._behind = behind

    @cached_property
    def _facts(self) -> FactsAnalysis:
        """Facts of the entry: most entries have no accesses that ask for them."""
        return FactsAnalysis(self.flow.entry)

    def join(self, known: int, news: int) -> int:
        """Either path's accesses."""
        return known | news

    def forward(self, edge: Edge, state: int) -> int:
        """All are still pending."""
        return self._accesses.along(edge, state)

    def transfer(self, op: ir.Operation, state: int) -> int:
        """A barrier orders all accesses so far; an access is pending after it."""
        if op.name == "tileas.barrier":
            return 0
        own = self._accesses.bit(op)
        return own if own and self.needs_barrier(op, state) else state | own

    def needs_barrier(self, op: ir.Operation, pending: int) -> bool:
        """Whether an access must wait for earlier accesses of other threads."""
        earlier = self._behind.waited_for(op) & pending
        if earlier & self._accesses.acquires or (earlier and _releases(op)):
            return True
        if op.name in _LOADS:
            earlier &= ~self._accesses.loads
        present, has_older = self._accesses.split(earlier)
        return has_older or not all(self._stays_in_thread(a, op) for a in present)

    def _stays_in_thread(self, earlier: ir.Operation, later: ir.Operation) -> bool:
        """Whether each element is touched by one thread, the same in both accesses.

        That is so for one tile of pointers that count up without a gap and that no
        thread holds a copy of.
        """
        pointers = later.operands[0]
        if not later.name.endswith("_ptr_tko") or earlier.operands[0] != pointers:
            return False
        if not is_distributed(pointers):
            return False
        layout, known = layout_of(pointers), self._facts.of(pointers)
        copies = layout.free_bits()
        long = [d for d, extent in enumerate(known.shape) if extent > 1]
        counts_up = len(long) == 1 and known.contiguity[long[0]] == known.shape[long[0]]
        return counts_up and not (copies.lane or copies.warp)
