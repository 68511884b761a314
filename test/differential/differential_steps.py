# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kind of step by name, and the recipes that random programs are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from differential_chains import chain_step, tensor_chain_step
from differential_control import for_, if_, leave, loop
from differential_elements import element_step
from differential_exchange import EXCHANGES
from differential_folds import FOLD_VARIANTS, PRODUCT_VARIANTS, fold_step, product_step
from differential_launch import LAUNCH_VARIANTS, launch_step
from differential_memory import area, load, store
from differential_moves import MOVE_VARIANTS, move_step
from differential_outside import outside_step
from differential_pairs import pair_step
from differential_places import PLACE_VARIANTS, place_step
from differential_plans import DrawnPlan
from differential_program import RandomProgram, Recipe, Step, refuse_draw
from differential_rings import nest_step, tensor_nest_step
from differential_streams import stream_step
from differential_together import together_step
from differential_variants import VARIANTS
from emit_control import INNER
from emit_memory import any_leaf, leaf
from emit_memory import store as store_output
from emit_shape import random_shape

Plain = Callable[[RandomProgram], None]


def _tile(p: RandomProgram) -> None:
    """A new tile of the program's own shape, or of another one."""
    if p.chance(3):
        any_leaf(p, random_shape(p, rank=p.pick((0, 1, 2))))
    else:
        shape = p.shape if p.chance() else p.shape[::-1]
        p.add(leaf(p, shape, p.pick(("i8", "i32", "i32", "i64", "f16", "f32", "f32"))))


def _scalar(p: RandomProgram) -> None:
    """A scalar argument."""
    p.add(p.scalar(p.pick(("i32", "i32", "i64", "i1")), p.number(0, 3) % 2))


def _op(p: RandomProgram) -> None:
    """Ops on single elements, moves or reductions."""
    for _ in range(p.number(1, 3)):
        p.pick(INNER)(p)


def _output(p: RandomProgram) -> None:
    """Stores a tile into an array of its own; in a loop it would come twice."""
    if p.pool and not any(frame.kind != "if" for frame in p.frames):
        store_output(p, p.pick(p.pool))


def _rest(p: RandomProgram) -> None:
    """Stores tiles that nothing has used, so that they are seen."""
    for value in p.unused(p.pool)[-MOST_OUTPUTS:]:
        store_output(p, value)


SHAPES = ((4, 8), (8, 16), (16, 32), (16, 32), (32, 32), (32, 32), (8, 128))
MOST_OUTPUTS = 4

PLAIN: dict[str, Plain] = {
    "area": area,
    "tile": _tile,
    "scalar": _scalar,
    "op": _op,
    "load": load,
    "store": store,
    "output": _output,
    "rest": _rest,
    **EXCHANGES,
    "element": element_step,
    "move": move_step,
    "fold": fold_step,
    "matrix": product_step,
    "place": place_step,
    "launch": launch_step,
    "nest": nest_step,
    "chains": chain_step,
    "tensor nest": tensor_nest_step,
    "tensor chain": tensor_chain_step,
    "tensor pair": pair_step,
    "stream": stream_step,
    "outside": outside_step,
    "together": together_step,
}
"""Steps without regions, by name."""
ITERATIONS = {
    "element": len(VARIANTS),
    "move": len(MOVE_VARIANTS),
    "fold": len(FOLD_VARIANTS),
    "matrix": len(PRODUCT_VARIANTS),
    "place": len(PLACE_VARIANTS),
    "launch": len(LAUNCH_VARIANTS),
}
"""Steps that have so many variants; the seed's remainder says which one it is."""
IN_TURN = {"element": 5, "move": 1, "fold": 1, "matrix": 1, "place": 2, "launch": 1}
"""How many of each a program of the kind `ops` has."""
COMPLETE_OPS = max(-(-ITERATIONS[name] // count) for name, count in IN_TURN.items())
"""After so many programs of that kind every variant has had its turn."""
REGIONS = {"for": 1, "loop": 1, "if": 1, "ifelse": 2, "leave": 1}
"""Steps with regions, and how many they have."""


def write_steps(p: RandomProgram, steps: tuple[Step, ...]) -> None:
    """Writes steps down, one after the other; a loop after a loop is noted."""
    last = ""
    for step in steps:
        write_step(p, step)
        if step.kind in ("for", "loop"):
            if last:
                p.note(f"{step.kind} after {last}")
            last = step.kind


def write_step(p: RandomProgram, step: Step) -> None:
    """Writes one step down; what it lacks the pool of values gets first."""
    p.begin(step.seed)
    if not p.pool and step.kind not in ("area", "tile", "scalar"):
        _tile(p)
    bodies = [lambda p, body=body: write_steps(p, body) for body in step.bodies]
    match step.kind:
        case "for":
            for_(p, bodies[0])
        case "loop":
            loop(p, bodies[0])
        case "if":
            if_(p, bodies[0], None)
        case "ifelse":
            if_(p, bodies[0], bodies[1])
        case "leave":
            leave(p, bodies[0])
        case kind:
            PLAIN[kind](p)


def write_program(recipe: Recipe) -> RandomProgram:
    """The kernel that a recipe describes."""
    p = RandomProgram(refuse_draw, grid=recipe.grid)
    p.begin(recipe.seed)
    p.shape = p.pick(SHAPES)
    write_steps(p, recipe.steps)
    p.note("blocks: one" if recipe.grid == 1 else "blocks: several")
    p.note(f"warps: {recipe.num_warps or 'chosen by plan'}")
    for construct in DrawnPlan.of(recipe.case_seed).notes():
        p.note(construct)
    return p


# Recipes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of program: how often each step comes, and how many there are.

    Attributes:
        weights: How often each kind of step comes.
        most: How many steps a program has at most, regions apart.
        areas: How many arrays it comes back to.
    """

    weights: dict[str, int]
    most: int
    areas: tuple[int, int]


TENSOR = "tensor"
"""The kind of programs with products that fit into tensor memory."""
PAIRS_EACH = 4
"""One of so many of them is for pairs of CTAs."""
_MOVES = ("transpose", "permute_and_reshape", "regroup", "spread_sums")
_EXCHANGE = dict.fromkeys(_MOVES, 1)
KINDS: dict[str, Kind] = {
    "chain": Kind({"load": 6, "store": 4, "op": 1}, 14, (1, 2)),
    "loop": Kind({"for": 5, "load": 3, "store": 4, **_EXCHANGE}, 9, (1, 2)),
    "exchange": Kind(
        {"for": 2, "tile": 1, "op": 2, **dict.fromkeys(_MOVES, 2)},
        8,
        (0, 0),
    ),
    "product": Kind({"for": 1, "product": 1, **_EXCHANGE}, 4, (0, 1)),
    "branch": Kind(
        {"if": 2, "ifelse": 4, "for": 2, "leave": 1, "load": 3, "store": 3, "op": 1}
        | _EXCHANGE,
        9,
        (1, 2),
    ),
    "break": Kind(
        {"loop": 4, "leave": 3, "for": 1, "ifelse": 1, "load": 3, "store": 3, "op": 1}
        | _EXCHANGE,
        9,
        (1, 2),
    ),
    "rings": Kind({"nest": 4, "tile": 1}, 2, (0, 0)),
    "chains": Kind({"chains": 1}, 1, (0, 0)),
    TENSOR: Kind({"tensor nest": 3, "tensor chain": 2}, 1, (0, 0)),
    "streams": Kind({"stream": 1}, 1, (0, 0)),
    "outside": Kind({"outside": 1}, 2, (0, 0)),
    "together": Kind({"together": 3, "ifelse": 1, "for": 1, "op": 1}, 3, (0, 0)),
    "mixed": Kind(
        {"for": 1, "loop": 1, "ifelse": 2, "element": 5, "move": 3, "fold": 2}
        | {"matrix": 1, "op": 1, "load": 1, "store": 1},
        7,
        (0, 1),
    ),
    "ops": Kind({"tile": 1}, 3, (0, 0)),
}
"""The kinds of programs, by name."""
CYCLE = (*(kind for kind in KINDS if kind != TENSOR), "ops", "ops")
"""In which order programs of all kinds come: those of single ops more often, and none
of those that some chips alone tell from others."""


def make_recipe(kind: str, seed: int) -> Recipe:
    """The recipe of a kind and a seed."""
    rng = Random(f"{kind} {seed}")
    steps = [_step(rng, "area") for _ in range(rng.randint(*KINDS[kind].areas))]
    steps += [_step(rng, "tile") for _ in range(rng.randint(1, 3))]
    if rng.randrange(2):
        steps.append(_step(rng, "scalar"))
    steps += _body(
        rng,
        KINDS[kind],
        rng.randint(min(3, KINDS[kind].most), KINDS[kind].most),
        depth=0,
    )
    steps += [_step(rng, "output"), _step(rng, "rest")]
    warps = rng.choice((None, 1, 2, 4, 4, 8, 8))
    if kind == "ops":
        steps = _in_turn(rng, seed)
    if kind == TENSOR:  # of which the warps divide tensor memory
        warps = rng.choice((None, 4, 4, 8, 8, 16))
        if not rng.randrange(PAIRS_EACH):
            steps = [_step(rng, "tensor pair")]
    if kind == "streams":  # of one warp rows are long soonest
        warps = rng.choice((warps, 1))
    return Recipe(
        f"{kind} {seed}", rng.getrandbits(32), rng.randint(1, 3), warps, tuple(steps)
    )


def _in_turn(rng: Random, number: int) -> list[Step]:
    """The variants whose turn it is in program `number` of all ops."""
    steps = [
        Step(
            name,
            rng.getrandbits(24) * ITERATIONS[name]
            + (number * count + n) % ITERATIONS[name],
        )
        for name, count in IN_TURN.items()
        for n in range(count)
    ]
    return rng.sample(steps, len(steps))


def _step(rng: Random, kind: str, *bodies: tuple[Step, ...]) -> Step:
    return Step(kind, rng.getrandbits(32), bodies)


def _body(rng: Random, kind: Kind, count: int, depth: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    names = [name for name in kind.weights if depth < 3 or name not in REGIONS]
    weights = [kind.weights[name] for name in names]
    for name in rng.choices(names, weights, k=count):
        inner = [
            _body(rng, kind, rng.randint(name != "leave", 4 - depth), depth + 1)
            for _ in range(REGIONS.get(name, 0))
        ]
        steps.append(_step(rng, name, *inner))
    return tuple(steps)
