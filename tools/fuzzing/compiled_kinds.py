# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generators whose programs go through the whole compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random

from differential_case import Case, make_case
from differential_check import Failure, check
from differential_coverage import op_classes
from differential_reduce import case_source
from differential_run import chosen
from differential_steps import CYCLE, make_recipe, write_program
from drawn_products import draw, needed_bytes
from near_miss_judge import LIMITED, judge
from near_miss_programs import mutant
from near_miss_run import GPUS, Source, sources
from near_miss_run import chosen as chosen_source
from product_scan import GPUS as SCAN_GPUS
from product_scan import KINDS as SCAN_KINDS
from product_scan import Scanned, Wanted, all_products, fault_of
from survival import survive

import cuda_tile
from cuda_tile.reducer import Source as Reducible
from fuzzing.generator import Input, Read, Seen, reason

ORDERS = 4
"""Orders of the emulator in which a program of `Orders` runs."""
CUBIN_EACH = 8
"""One of so many plans is assembled, to see what it spills."""


class _Cases:
    """Generators of cases: programs with arguments, in the form of `Case`."""

    suffix = ".mlir"
    cpu_seconds = 120

    def source(self, data: bytes) -> Reducible:
        """As `Generator.source`."""
        return case_source(_case(data))


def _case(data: bytes) -> Case:
    return Case.parse(data.decode(), "input")


class Programs(_Cases):
    """Random programs: interpreter at each level, emulator, arrays equal."""

    name = "programs"

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`."""
        del corpus
        ((kind, seed),) = chosen(CYCLE, number, 1)
        recipe = make_recipe(kind, seed)
        program = write_program(recipe)
        case = make_case(recipe, program)
        how = {"gpu": GPUS[number // len(CYCLE) % len(GPUS)], "orders": 1}
        features = frozenset(program.notes)
        try:
            module = cuda_tile.load(case.body.encode())
        except Exception as error:
            failure = Failure("generator", type(error).__name__, str(error))
            return Input(self.name, str(case).encode(), how, features, failure)
        classes = {" ".join(each) for each in op_classes(module)}
        return Input(self.name, str(case).encode(), how, features | classes)

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        notes, orders = Counter[str](), int(made.how["orders"])
        case = _case(made.data)
        failure = check(case, (made.how["gpu"],), notes=notes, seeds=orders)
        if failure is not None and LIMITED.search(failure.message):
            return Seen(None, frozenset({f"limit: {reason(failure.message)}"}))
        return Seen(failure, frozenset(notes))


class Orders(Programs):
    """Programs in several orders of warps and of copies that land."""

    name = "orders"

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`; other programs than those of `Programs`."""
        made = super().make((1 << 20) + number, corpus)
        how = {**made.how, "orders": ORDERS}
        return Input(self.name, made.data, how, made.features, made.failure)


@cache
def _groups() -> list[list[Source]]:
    """Seeds and near misses by contract."""
    return sources((), ())


class NearMisses(_Cases):
    """Programs beside those that rewrites fire on."""

    name = "near-misses"

    def make(self, number: int, corpus: Sequence[bytes]) -> Input | None:
        """As `Generator.make`."""
        del corpus
        source, gpu = chosen_source(_groups(), number)
        made = mutant(source.case, number)
        if made.case is None:
            return None
        changes = {f"{source.contract}: {change.kind}" for change in made.changes}
        how = {"gpu": gpu, "number": number, "contract": source.contract}
        return Input(self.name, str(made.case).encode(), how, frozenset(changes))

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        verdict = judge(_case(made.data), None, made.how["gpu"])
        feature = f"{made.how['contract']}: {verdict.outcome}"
        failure = verdict.failure if verdict.outcome == "finding" else None
        return Seen(failure, frozenset({feature}))


class Commands(NearMisses):
    """The same programs, legal or not, through the commands."""

    name = "commands"

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        case, number = _case(made.data), int(made.how["number"])
        failure = survive(case, number, made.how["gpu"])
        return Seen(failure, frozenset({made.how["gpu"]}))


class Plans(Read):
    """Products of any shape, type and surroundings: some plan holds each."""

    name = "plans"
    suffix = ".mlir"
    cpu_seconds = 120

    def make(self, number: int, corpus: Sequence[bytes]) -> Input:
        """As `Generator.make`."""
        del corpus
        rng = Random(f"plans {number}")
        cubin = not number % CUBIN_EACH
        if number % 2:
            drawn = draw(rng)
            needed, text = needed_bytes(drawn.drawn), drawn.drawn.text()
            how = {"gpu": drawn.gpu, "needed_bytes": needed, "cubin": cubin}
            return Input(self.name, text.encode(), how)
        scanned = rng.choice(_products())
        how = {"gpu": scanned.gpu, "abi": scanned.abi, "cubin": cubin}
        how["persistent"] = scanned.persistent
        return Input(self.name, scanned.text().encode(), how)

    def judge(self, made: Input) -> Seen:
        """As `Generator.judge`."""
        seen: list[str] = []
        wrong = fault_of(made.data.decode(), Wanted(**made.how), seen.append)
        kind = "spills" if wrong is not None and wrong.startswith("spills") else "plan"
        where = f"compile ({made.how['gpu']})"
        failure = None if wrong is None else Failure(where, kind, wrong)
        return Seen(failure, frozenset(seen))


@cache
def _products() -> list[Scanned]:
    return all_products(SCAN_GPUS, list(SCAN_KINDS))
