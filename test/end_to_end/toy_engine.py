# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A fourth matrix engine in one file: the proof that engines have a seam.

It runs by itself, as far as the passes know: it reads both operands from shared memory
after the op that starts it, `tileas.testing_product`, and completes in groups. Its
instructions are multiply-adds of threads, which are done at once, so that there is
nothing to wait for. Plans name its atom by hand.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.product_rules import REGISTERS, Gathered
from cuda_tile.analysis.registers import Weigh
from cuda_tile.emit.addresses import Origin
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment, Pending
from cuda_tile.emit.mma_fma import multiply_add
from cuda_tile.emit.pending import WAITS, known, or_zero
from cuda_tile.emit.tileas import load_vectors
from cuda_tile.engines.engine import Atom, Division, Engine, Reading, Terms
from cuda_tile.engines.registry import with_engine
from cuda_tile.interp.table import PARTIAL
from cuda_tile.interp.table import RULES as INTERP
from cuda_tile.interp.wgmma import wgmma
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, ProductPlan
from cuda_tile.ir.tiles import element_bits, element_of, shape_of
from cuda_tile.layout.atoms import FMA_ATOMS, MmaAtom
from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.rules import FRAGMENTS
from cuda_tile.stage.staging import STAGING, Staging
from cuda_tile.targets import Target

ATOM = replace(FMA_ATOMS[0], name="toy8x4")
NAME = "toy"
OP = "testing_product"


class Toy(Engine):
    """Facts of the engine."""

    name = NAME
    op = OP
    left = right = ("shared",)
    completion = "group"

    @property
    def atom_names(self) -> tuple[str, ...]:
        return (ATOM.name,)

    def find_atom(self, name: str) -> MmaAtom | None:
        return ATOM if name == ATOM.name else None

    def is_on(self, target: Target) -> bool:
        return target.capability >= 90

    def refuse_chip(self, atom: Atom, terms: Terms, target: Target) -> str | None:
        if self.is_on(target):
            return None
        return f"expected sm_90 for atom {atom.name}, got {target.name}"

    def refuse_shape(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], swap: int = 0
    ) -> str | None:
        return None if terms.batch is None else "a matrix product"

    def promotion(
        self, atom: Atom, terms: Terms, warps: tuple[int, ...], target: Target
    ) -> int:
        return 0

    def shared_bytes_read(self, reading: Reading, division: Division) -> int:
        m, n, k = reading.extents
        read = m // division.warps_m + n // division.warps_n
        return reading.num_warps * k * read * reading.operand_bits // 8


@REGISTERS.register(NAME)
def registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered
) -> int:
    """The operands, which it reads at once."""
    m, n, k = product.extents
    return k * (m // plan.warps_m + n // plan.warps_n) // 32


@FRAGMENTS.register(NAME)
def fragments(op: ir.Operation, plan: ProductPlan) -> dict[int, LinearLayout]:
    """Only the sum is in registers."""
    return {2: tile_mma(shape_of(op.results[0]), plan.warps, "c", ATOM)}


@STAGING.register(NAME)
def stage(op: ir.Operation, plan: ProductPlan, staging: Staging) -> ir.Value:
    """Both operands lie in buffers; the product is started and awaited."""
    lhs, rhs = (_buffer(op, index, staging) for index in (0, 1))
    acc = op.operands[2]
    pending = PendingType.get(acc.type)
    start = tileas.SettledOp(pending, acc).result
    made = tileas.TestingProductOp(pending, lhs, rhs, start, plan.atom.name)
    made.operation.attributes[PLAN_ATTRIBUTE] = op.attributes[PLAN_ATTRIBUTE]
    return tileas.AwaitOp([acc.type], [made.result]).operation.results[0]


def _buffer(op: ir.Operation, index: int, staging: Staging) -> ir.Value:
    operand = op.operands[index]
    filled = staging.fills.buffer(operand)
    if filled is not None:
        return filled
    layout = panel_buffer(shape_of(operand), element_bits(element_of(operand)), 1)
    return staging.buffers.buffer(op, operand, layout)


@RULES.register(f"tileas.{OP}")
def emit(e: Emitter, op: ir.Operation) -> None:
    """Loads of what each thread needs of both buffers, and multiply-adds."""
    acc = e.pending(op.operands[2])
    warps = _division(acc.layout)
    factors: list[tuple[Fragment, str]] = []
    for index, role in ((0, "a"), (1, "b")):
        buffer = e.buffer(op.operands[index])
        layout = tile_mma(buffer.layout.shape, warps, role, ATOM)
        found = load_vectors(e, buffer, layout, Origin(), 1)
        factors.append((found, str(buffer.element)))
    held = Fragment(acc.layout, _held(e, acc))
    left, right = factors
    total = multiply_add(e, (left, right), ATOM, held)
    e.set(op.results[0], Pending(acc.layout, total.values, is_done=True))


def _held(e: Emitter, acc: Pending) -> tuple[ir.Value, ...]:
    """The sum so far: zeros where nothing was set."""
    if acc.holds is None or known(e.builder, acc.holds):
        return tuple(acc.registers)
    return tuple(or_zero(e, acc.holds, list(acc.registers)))


def _division(sums: LinearLayout) -> tuple[int, int]:
    """Warps along M and N of a sum."""
    along = [dim for basis in sums.warp for dim in (0, 1) if basis[dim]]
    return 1 << along.count(0), 1 << along.count(1)


@WAITS.register(NAME)
def wait(e: Emitter, groups: int) -> None:
    """Multiply-adds are done where they stand."""


INTERP.register(f"tileas.{OP}")(wgmma)
PARTIAL.register(f"tileas.{OP}")(wgmma)


@contextmanager
def toy_engine() -> Generator[None]:
    """The row."""
    with with_engine(Toy()):
        yield
