# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan of a kernel: attributes on its entry and products, and values for passes.

`tileas.plan` is a dictionary of integers and strings that says what `plan`, a person or
a tuner decided. `Plan` and `ProductPlan` declare the fields of entries and products,
each with its kind and values; those of loads and stores are in copy_plan.py. A plan
with another key, or with values that do not fit, is refused wherever it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import prod
from typing import Any

from cuda_tile._mlir import ir
from cuda_tile.engines import registry
from cuda_tile.engines.engine import Atom, Division, Engine, Terms
from cuda_tile.errors import InternalError, UserError
from cuda_tile.ir.attributes import attribute_of
from cuda_tile.ir.cta_pairs import PAIR_CTAS, is_pair
from cuda_tile.ir.plan_values import (
    PLAN_ATTRIBUTE,
    chosen_fields,
    kinds_of,
    number_field,
    plan_attribute,
    plan_values,
    word_field,
)
from cuda_tile.ir.promotion import check_promotion, default_promotion
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import (
    enclosing_entry,
    entry_name,
    located_at_op,
    location_text,
    op_stem,
)
from cuda_tile.layout.atoms import MmaAtom, Scaling, find_types
from cuda_tile.records import dataclass
from cuda_tile.targets import MOST_CLUSTER, WARP_COUNTS, WARP_LANES, Target, find_target

TARGET_ATTRIBUTE = "tileas.target"
MAX_GRID_EXTENT = (1 << 24) - 1
"""Tile blocks per grid axis (Tile IR specification, get_tile_block_id)."""
REMARKS_ATTRIBUTE = "tileas.remarks"
CHOICE_ATTRIBUTE = "tileas.choice"
"""An array of strings on the entry: what was given up, and why, for the report."""
ESTIMATE_ATTRIBUTE = "tileas.estimate"
"""A dictionary on the entry: what its plan was estimated to take, for the report."""
ROLES = ("one", "load")
"""How the warps of a CTA divide the work: all do the same, or some only load."""
LEAST_PART = 4
"""Elements of a part of a row: extents of 32 bits have fewer than 2^31 such parts."""
LOAD_WARPS = 4
"""Warps of the role that loads: registers are given to four warps at a time (PTX ISA,
"setmaxnreg")."""


@dataclass(frozen=True)
class Plan:
    """The decisions for one kernel, as the attribute of its entry holds them.

    Attributes:
        num_warps: Warps of a CTA, a power of two.
        warps_m: Parts into which warps divide the rows of a product's result, unless
            the product says otherwise; 0 if there is no product.
        warps_n: The same for its columns.
        min_ctas: CTAs that must fit on a multiprocessor at once, which bounds the
            registers of a thread; 0 for no such bound.
        roles: One of `ROLES`; `num_warps` excludes warps that only load.
        registers: Registers of a thread of the role that computes; 0 if all roles have
            the same.
        load_registers: Registers of a thread of the role that loads.
        persistent: 1 if a CTA serves several tile blocks, one after another.
        tile_group: Rows of tile blocks that run next to each other, so that their
            operands stay in the L2 cache; 0 and 1 keep the order of the grid.
        cluster: CTAs that serve a tile block together; each computes its share of
            tiles.
        reuse: 1 if shared memory keeps tiles of one loop for a later loop.
        part: Elements of a row, or columns of sums in tensor memory, that loops compute
            at a time if they can (the pass `row_tiling`); 0 keeps rows whole.
    """

    num_warps: int = number_field()
    warps_m: int = number_field()
    warps_n: int = number_field()
    min_ctas: int = number_field()
    roles: str = word_field(*ROLES)
    registers: int = number_field()
    load_registers: int = number_field()
    persistent: int = number_field(0, range(2))
    tile_group: int = number_field(0, range(MAX_GRID_EXTENT + 1))
    cluster: int = number_field(1)
    reuse: int = number_field(0, range(2))
    part: int = number_field()

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute; integers are i64, defaults are left out."""
        return plan_attribute(chosen_fields(self))

    @property
    def all_warps(self) -> int:
        """Warps of a CTA, including those that only load."""
        return self.num_warps + (LOAD_WARPS if self.roles == "load" else 0)


ENTRY_FIELDS = kinds_of(Plan)
"""The fields of an entry's plan."""


@dataclass(frozen=True)
class ProductPlan(Division):
    """The decisions for one matrix product.

    Attributes:
        stage: Iterations of its loop by which the product runs behind the loads of its
            operands; products that depend on another of their iteration may have 1.
        lag: Iterations by which the release of its operands trails it.
        promote: Elements along K of a partial sum that matrix instructions add up;
            then an addition of f32 adds it to the sum; 0 for no partial sums.
        convert: The operands that threads convert or transpose between the buffer that
            a copy fills and the one that the instructions read: "a", "b", "ab".
    """

    # Fields of `Division` are declared again, for their values in the text form.
    atom: Atom = field(metadata={"kind": str, "allowed": None})
    warps_m: int = number_field()
    warps_n: int = number_field()
    warps_b: int = number_field(1)
    lhs: str = word_field("shared", "register")
    stage: int = number_field(0, range(2))
    lag: int = number_field(0, range(2))
    promote: int = number_field()
    convert: str = word_field("", "a", "b", "ab")
    swap: int = number_field(0, range(2))

    @cached_property
    def engine(self) -> Engine:
        """The matrix engine that computes the product."""
        return registry.engine_of(self.atom)

    @property
    def warp_atom(self) -> MmaAtom:
        """The instruction, which must be one of a single warp.

        Raises:
            InternalError: The instruction is another one.
        """
        if isinstance(self.atom, MmaAtom):
            return self.atom
        raise InternalError(f"expected an atom of a warp, got {self.atom.name}")

    @property
    def warp_step(self) -> tuple[int, int]:
        """Rows and columns of the result that one instruction gives a warp."""
        rows, columns = self.engine.warp_step(self.atom)
        return (columns, rows) if self.swap else (rows, columns)

    @property
    def warps(self) -> tuple[int, ...]:
        """How warps divide the result, as `tile_mma` takes it."""
        if self.warps_b == 1:
            return self.warps_m, self.warps_n
        return self.warps_m, self.warps_n, self.warps_b

    def to_attribute(self, entry: Plan) -> ir.Attribute:
        """The dictionary attribute; it omits a division that equals the entry's."""
        values = chosen_fields(self) | {"atom": self.atom.name}
        if self.warps == (entry.warps_m, entry.warps_n):
            del values["warps_m"], values["warps_n"]
        return plan_attribute(values)


PRODUCT_FIELDS = kinds_of(ProductPlan)
"""The fields of a product's plan."""


def add_remark(entry: ir.Operation, text: str) -> None:
    """Adds a remark to an entry: what was wanted, what came instead, why, the way out.

    Args:
        entry: The entry.
        text: The remark, with its location.
    """
    remarks: list[ir.Attribute] = []
    if REMARKS_ATTRIBUTE in entry.attributes:
        remarks += ir.ArrayAttr(entry.attributes[REMARKS_ATTRIBUTE])
    remarks.append(ir.StringAttr.get(text))
    entry.attributes[REMARKS_ATTRIBUTE] = ir.ArrayAttr.get(remarks)


def write_choice(entry: ir.Operation, texts: Sequence[str]) -> None:
    """Notes on an entry the reasons for its plan, for the report.

    Args:
        entry: The entry.
        texts: Lines of the report.
    """
    lines: list[ir.Attribute] = [ir.StringAttr.get(text) for text in texts]
    entry.attributes[CHOICE_ATTRIBUTE] = ir.ArrayAttr.get(lines)


def write_estimate(entry: ir.Operation, estimate: Mapping[str, Any]) -> None:
    """Notes on an entry the estimated costs of its plan, for the report.

    Args:
        entry: The entry.
        estimate: Numbers by name, some in nested dictionaries; they are rounded.
    """
    entry.attributes[ESTIMATE_ATTRIBUTE] = attribute_of(_rounded(estimate))


def _rounded(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: round(value) if isinstance(value, int | float) else _rounded(value)
        for name, value in numbers.items()
    }


@located_at_op
def read_plan(entry: ir.Operation) -> Plan:
    """The plan of an entry.

    Raises:
        UserError: There is none, or it is not usable; the message names the field.
    """
    if PLAN_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{PLAN_ATTRIBUTE}' on entry @{entry_name(entry)}; "
            "run cuda-tile-plan first",
        )
    plan = Plan(**plan_values(entry, Plan))
    if plan.num_warps not in WARP_COUNTS:
        *known, most = WARP_COUNTS
        raise UserError(
            f"expected num_warps of {', '.join(map(str, known))} or {most} in "
            f"'{PLAN_ATTRIBUTE}', got {plan.num_warps}",
        )
    if plan.warps_m or plan.warps_n:
        _check_division({"warps_m": plan.warps_m, "warps_n": plan.warps_n}, plan)
    _check_ctas(entry, plan)
    _check_part(plan.part)
    _check_registers(read_target(entry), plan)
    _check_cluster(read_target(entry), plan)
    return plan


def read_target(entry: ir.Operation) -> Target:
    """The chip that `plan` noted on an entry.

    Raises:
        UserError: There is none, or it is unknown.
    """
    if TARGET_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{TARGET_ATTRIBUTE}' on entry @{entry_name(entry)}; "
            "run cuda-tile-plan first",
            location_text(entry),
        )
    return find_target(ir.StringAttr(entry.attributes[TARGET_ATTRIBUTE]).value)


@located_at_op
def read_product(op: ir.Operation, entry: Plan | None = None) -> ProductPlan:
    """The plan of one product; missing fields come from the plan of its entry.

    Args:
        op: A product, of level T.
        entry: The plan of its entry; None to read it from the entry.

    Raises:
        UserError: There is none, or it is not usable; the message names the field.
    """
    holder = enclosing_entry(op)
    entry, target = entry or read_plan(holder), read_target(holder)
    if PLAN_ATTRIBUTE not in op.attributes:
        raise UserError(
            f"expected attribute '{PLAN_ATTRIBUTE}' on '{op_stem(op)}'; run "
            "cuda-tile-plan first",
        )
    values: dict[str, Any] = {"warps_m": entry.warps_m, "warps_n": entry.warps_n}
    values |= plan_values(op, ProductPlan)
    atom = find_atom(op, values.pop("atom", ""), target)
    plan = ProductPlan(atom, **values)
    names = ("warps_m", "warps_n", "warps_b")
    _check_division(dict(zip(names, plan.warps, strict=False)), entry)
    engine = plan.engine
    _check_range("swap", plan.swap, 0, int(engine.may_swap))
    _check_shape(op, plan)
    reads_both = engine.reads_shared and "registers" in engine.left
    if plan.lhs == "register" and not reads_both:
        raise UserError(
            f"expected lhs to be shared for atom {atom.name} in '{PLAN_ATTRIBUTE}', "
            f"got '{plan.lhs}'",
        )
    if "promote" not in values:
        warps = (plan.warps_m, plan.warps_n, plan.warps_b)
        usual = default_promotion(terms_of(op), atom, target, warps)
        plan = replace(plan, promote=usual)
    check_promotion(op, atom, plan.promote, PLAN_ATTRIBUTE)
    return plan


def extents_of(op: ir.Operation) -> tuple[int, int, int]:
    """M, N and K of a product."""
    rows, columns = shape_of(op.results[0])[-2:]
    return rows, columns, shape_of(op.operands[0])[-1]


def batch_of(op: ir.Operation) -> int:
    """Matrices of a product that has a batch dimension, else 1."""
    return shape_of(op.results[0])[0] if len(shape_of(op.results[0])) > 2 else 1


def scaling_of(op: ir.Operation) -> Scaling | None:
    """Type of a product's scale factors, and how many elements along K share one."""
    if len(op.operands) < 5:
        return None
    factors = shape_of(op.operands[3])[-1]
    return str(element_of(op.operands[3])), extents_of(op)[2] // factors


def slice_depth(op: ir.Operation, atom: Atom) -> int:
    """Elements along K that a product multiplies at a time: an atom's K, or a block.

    Args:
        op: The product.
        atom: The instruction.
    """
    scaling, depth = scaling_of(op), extents_of(op)[2]
    return min(depth, max(atom.shape[2], scaling[1] if scaling else 1))


def can_compute(atom: Atom, terms: Terms, target: Target) -> bool:
    """Whether an atom computes a product on a chip.

    Args:
        atom: The instruction.
        terms: The types and extents of the product.
        target: The chip.
    """
    return (
        find_types(atom.types, terms.operand, terms.accumulator) is not None
        and registry.engine_of(atom).refuse_chip(atom, terms, target) is None
    )


def terms_of(op: ir.Operation) -> Terms:
    """The types and extents of a product."""
    return Terms(
        *element_types(op),
        extents_of(op),
        batch_of(op) if len(shape_of(op.results[0])) > 2 else None,
        scaling_of(op),
        allows_short_sums="fast_acc" in op.attributes,
        ctas=PAIR_CTAS if is_pair(enclosing_entry(op)) else 1,
    )


def element_types(op: ir.Operation) -> tuple[str, str]:
    """Element types of a product's operands and accumulator, as MLIR writes them."""
    return str(element_of(op.operands[0])), str(element_of(op.operands[2]))


def _is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _check_ctas(entry: ir.Operation, plan: Plan) -> None:
    target = read_target(entry)
    most = target.most_ctas(plan.num_warps)
    if not 0 <= plan.min_ctas <= most:
        raise UserError(
            f"expected min_ctas of 0 to {most}, the CTAs a multiprocessor of "
            f"{target.name} holds, in '{PLAN_ATTRIBUTE}', got {plan.min_ctas}",
        )


def _check_division(division: Mapping[str, int], plan: Plan) -> None:
    for name, number in division.items():
        if not _is_power(number):
            raise UserError(
                f"expected {name} to be a power of two in '{PLAN_ATTRIBUTE}', got "
                f"{number}",
            )
    if prod(division.values()) != plan.num_warps:
        raise UserError(
            f"expected {' x '.join(division)} = num_warps in '{PLAN_ATTRIBUTE}', got "
            f"{' x '.join(map(str, division.values()))} and {plan.num_warps}",
        )


def _check_range(name: str, got: int, least: int, most: int) -> None:
    if not least <= got <= most:
        raise UserError(
            f"expected {name} of {least} to {most} in '{PLAN_ATTRIBUTE}', got {got}",
        )


def _check_part(part: int) -> None:
    if part and (not _is_power(part) or part < LEAST_PART):
        raise UserError(
            f"expected part to be a power of two from {LEAST_PART} on, or 0, in "
            f"'{PLAN_ATTRIBUTE}', got {part}",
        )


def _check_registers(target: Target, plan: Plan) -> None:
    """Checks the registers of roles (PTX ISA, "setmaxnreg").

    A CTA starts with as many registers per thread as allow `min_ctas` CTAs to run at
    once, in steps of 8 (measured: what ptxas gives a cubin with `.minnctapersm`). Roles
    that ask for more in total would wait for ever.
    """
    if not plan.registers and not plan.load_registers:
        return
    if (
        not target.moves_registers
        or plan.roles != "load"
        or plan.num_warps % LOAD_WARPS
    ):
        raise UserError(
            f"expected registers and load_registers in '{PLAN_ATTRIBUTE}' where "
            "products run by themselves (sm_90a, sm_100a), "
            f"for roles = load and a num_warps that {LOAD_WARPS} divides only, got "
            f"{plan.registers} and {plan.load_registers} on {target.name}",
        )
    for number in (plan.registers, plan.load_registers):
        if not 24 <= number <= 256 or number % 8:
            raise UserError(
                "expected registers and load_registers to be multiples of 8 from 24 to "
                f"256 in '{PLAN_ATTRIBUTE}', got {number}",
            )
    threads = plan.all_warps * WARP_LANES
    ctas = max(1, plan.min_ctas)
    most = target.registers_per_sm // (threads * ctas) // 8 * 8 * threads
    wanted = plan.num_warps * plan.registers + LOAD_WARPS * plan.load_registers
    if wanted * WARP_LANES > most:
        raise UserError(
            f"expected registers and load_registers of at most {most} for all warps "
            f"of one of {ctas} CTAs (min_ctas) in '{PLAN_ATTRIBUTE}', got "
            f"{wanted * WARP_LANES}",
        )


def _check_cluster(target: Target, plan: Plan) -> None:
    """Checks the CTAs of a cluster (CUDA C++ Programming Guide, "Clusters")."""
    if plan.cluster == 1:
        return
    most = MOST_CLUSTER if target.has_clusters else 1
    if not _is_power(plan.cluster) or plan.cluster > most:
        raise UserError(
            f"expected cluster to be a power of two up to {most} on {target.name} in "
            f"'{PLAN_ATTRIBUTE}', got {plan.cluster}",
        )
    if plan.roles != "one" or plan.persistent:
        raise UserError(
            f"expected roles = one and no persistent with a cluster in "
            f"'{PLAN_ATTRIBUTE}', got roles = {plan.roles} and persistent = "
            f"{plan.persistent}",
        )


def _check_shape(op: ir.Operation, plan: ProductPlan) -> None:
    atom, warps, terms = plan.atom, plan.warps, terms_of(op)
    reason = plan.engine.refuse_shape(atom, terms, warps, plan.swap)
    if reason is not None:
        rows, columns, depth = terms.extents
        raise UserError(
            f"expected {reason} for atom {atom.name} in "
            f"'{PLAN_ATTRIBUTE}', got {rows} x {columns} x {depth} over "
            f"{' x '.join(map(str, warps))} warps",
        )


def find_atom(op: ir.Operation, name: str, target: Target) -> Atom:
    """The matrix instruction `name`, checked against a product and the chip.

    Args:
        op: The product.
        name: The name of the instruction, such as "m16n8k16".
        target: The chip.

    Raises:
        UserError: It does not exist, or not for these types or this chip.
    """
    atom = registry.find_atom(name)
    if atom is None:
        *names, last = (n for engine in registry.ENGINES for n in engine.atom_names)
        raise UserError(
            f"expected atom to be one of {', '.join(names)}, or {last}, in "
            f"'{PLAN_ATTRIBUTE}', got '{name}'",
        )
    terms = terms_of(op)
    if find_types(atom.types, terms.operand, terms.accumulator) is None:
        taken = " or ".join(f"{r.operand} and {r.accumulator}" for r in atom.types)
        raise UserError(
            f"expected operand and accumulator types of atom {name}, {taken}, got "
            f"{terms.operand} and {terms.accumulator}",
        )
    reason = registry.engine_of(atom).refuse_chip(atom, terms, target)
    if reason is not None:
        raise UserError(reason)
    return atom
