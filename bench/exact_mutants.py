# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of the compiler: which exact numbers notice, and which tolerances do.

    python bench/exact_mutants.py [--ran 60] [--seed 0] [--write]

A mutant changes one place of the compiler's Python (`PARTS`) in one way (`changes`). It
is drawn among the places that are executed where some of the kernels of
tools/checks/exact.py are compiled. Two of these kernels, on one chip, are then compiled
with it and run on the emulator, as fast as it can and with no check of races: once with
floats, whose results are held against NumPy's within the tolerances of the tests, and
once with exact numbers, against the interpreter's bits. Arguments are the same. Mutants
are drawn until `--ran` of them have run; `--write` puts the table on docs/exact.md.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, cast

# Behind all others: tests have a module of the same name as one there.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "tools" / "checks"))

import exact
import numpy as np
import real_kernels
from children import Death, forked
from zoo_launch import LAUNCHES

import cuda_tile

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "cuda_tile"
PARTS = ("emit", "layout", "passes", "place", "rewrites", "stage")
"""Where mutants are: what decides how fast code is, not what it does, is left out."""
GPUS = ("sm_80", "sm_90", "sm_100")
EVERY = 5
"""Of so many kernels one takes part, if it stores floats, is right and quick."""
MOST_SECONDS = 3.0
"""CPU time in which a kernel that takes part is compiled, and run twice."""
KERNELS_EACH = 2
CALLS_TRACED = 10
"""Calls of each function whose lines are noted: tracing takes its time."""
SECONDS = 20
"""CPU time after which a run counts as stopped: a busy machine changes no table."""
MOST_CPU = 3 * KERNELS_EACH * SECONDS
"""CPU time of a mutant: each kernel is compiled, and runs twice."""
MOST_BYTES = 8 << 30
"""Memory of a mutant; one that dies, of it or of LLVM, counts as refused."""
PAGE = ROOT / "docs" / "exact.md"
START = "<!-- mutants: bench/exact_mutants.py --write -->"
END = "<!-- end of mutants -->"

Lines = set[tuple[str, int]]
_CACHED = type(functools.cache(len))
_OPERATORS: dict[type, type] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitXor: ast.BitOr},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
    **{ast.LShift: ast.RShift, ast.RShift: ast.LShift},
}


@dataclass(frozen=True)
class Subject:
    """A kernel on a chip.

    Attributes:
        work: The kernel.
        gpu: The chip.
        ptx: What the compiler makes of it.
        expected: The interpreter's arrays with exact numbers.
        floats: The emulator's with floats.
        lines: Files and lines of the compiler that made it.
    """

    work: exact.Work
    gpu: str
    ptx: str
    expected: list[bytes]
    floats: list[bytes]
    lines: Lines = field(default_factory=Lines)


@dataclass(frozen=True)
class Place:
    """A place that may be changed.

    Attributes:
        file: The file.
        number: That of the node among those of `ast.walk`.
        line: Its line.
        function: The qualified name and first line of the function around it.
    """

    file: str
    number: int
    line: int
    function: tuple[str, int]


def changed(node: ast.AST) -> ast.AST | None:
    """A node that does something else; None where there is none."""
    match node:
        case ast.Compare(ops=[op]) if new := _OPERATORS.get(type(op)):
            return ast.Compare(node.left, [new()], node.comparators)
        case ast.BinOp(op=op) if new := _OPERATORS.get(type(op)):
            return ast.BinOp(node.left, new(), node.right)
        case ast.BoolOp(op=op):
            return ast.BoolOp(_OPERATORS[type(op)](), node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return ast.Constant(value + 1)
        case _:
            return None


def places(file: str) -> Iterator[Place]:
    """The places of a file that may be changed: in bodies, but for messages."""
    tree = ast.parse(Path(file).read_text())
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    for function, name in _functions(tree, ""):
        first = min([function, *function.decorator_list], key=lambda n: n.lineno)
        for statement in function.body:
            for node in _inside(statement):
                if changed(node) is not None:
                    line = getattr(node, "lineno", 0)
                    where = name, first.lineno
                    yield Place(file, numbers[id(node)], line, where)


def _functions(node: ast.AST, name: str) -> Iterator[tuple[ast.FunctionDef, str]]:
    """The functions and methods of a file that are in no other one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child, name + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{name}{child.name}.")


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _inside(child)


def become(place: Place) -> None:
    """Changes the functions of this process, and forgets what they had computed."""
    tree = ast.parse(Path(place.file).read_text())
    old = list(ast.walk(tree))[place.number]
    new = changed(old)
    assert new is not None, "a place can be changed"

    class Change(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return ast.copy_location(new, node) if node is old else super().visit(node)

    new_tree = ast.fix_missing_locations(cast(ast.Module, Change().visit(tree)))
    whole = compile(new_tree, place.file, "exec")
    code = next(c for c in _codes(whole) if _name_of(c) == place.function)
    for item in gc.get_objects():
        if isinstance(item, _CACHED):
            cast(Any, item).cache_clear()
        elif isinstance(item, FunctionType) and _is_of(item.__code__, place):
            item.__code__ = code


def _is_of(code: CodeType, place: Place) -> bool:
    return code.co_filename == place.file and _name_of(code) == place.function


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def _name_of(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def compiled(work: exact.Work, gpu: str) -> Any:
    """A kernel for a chip."""
    return cuda_tile.compile(
        cuda_tile.load(work.data), gpu, options=exact.CALLS, cubin=False
    )


def traced(work: exact.Work, gpu: str) -> tuple[Any, Lines]:
    """What becomes of a kernel, and the lines of `PARTS` that made it."""
    lines: Lines = set()
    folders = tuple(f"{PACKAGE / part}/" for part in PARTS)
    calls = Counter[CodeType]()

    def inner(frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return inner

    def outer(frame: FrameType, event: str, argument: object) -> Any:
        calls[frame.f_code] += 1
        is_new = calls[frame.f_code] <= CALLS_TRACED
        is_part = frame.f_code.co_filename.startswith(folders)
        return inner if is_new and is_part else None

    sys.settrace(outer)
    try:
        return compiled(work, gpu), lines
    finally:
        sys.settrace(None)


def with_floats(work: exact.Work, made: Any) -> tuple[bool, list[bytes]]:
    """Whether results are not within the tests' tolerances, and all arrays."""
    how: dict[str, Any] = {"on": "emulator", "compiled": made}
    module = cuda_tile.load(work.data)
    if work.name not in LAUNCHES:
        problem = real_kernels.make_problem(work.name)
        cuda_tile.run(module, grid=problem.grid, args=problem.args, **how)
        return not problem.compare().is_within, _bytes_of(problem.args)
    launch = LAUNCHES[work.name]()
    args: list[Any] = []
    for arg in launch.args:
        is_array = isinstance(arg, np.ndarray)
        args.extend(cuda_tile.array_args(cast(Any, arg)) if is_array else [arg])
    cuda_tile.run(module, grid=launch.grid, args=args, **how)
    return bool(launch.complaints()), _bytes_of(args)


def _bytes_of(args: list[Any]) -> list[bytes]:
    return [arg.tobytes() for arg in args if isinstance(arg, np.ndarray)]


def judged(subject: Subject) -> str:
    """What becomes of a kernel: same, refused, stopped, or three digits.

    The first is 1 if exact numbers notice it, the second if tolerances do, the third if
    floats have other bits than without the mutant.
    """
    try:
        made = _timed(lambda: compiled(subject.work, subject.gpu))
    except Exception:
        return "refused"
    if made.ptx == subject.ptx:
        return "same"
    try:
        by_floats, floats = _timed(lambda: with_floats(subject.work, made))
    except Exception:
        return "stopped"
    how: dict[str, Any] = {"on": "emulator", "compiled": made}
    got = exact.outcome(cuda_tile.load(subject.work.data), subject.work, **how)
    if isinstance(got, str):
        return "stopped"
    is_other = subject.floats not in ([], floats)
    return f"{got != subject.expected:d}{by_floats:d}{is_other:d}"


def _timed(run: Callable[[], Any]) -> Any:
    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return run()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def subjects() -> list[Subject]:
    """The kernels that take part: right with floats, and bit for bit in the ring."""
    found: list[Subject] = []
    for number, work in enumerate(list(exact.works())[::EVERY]):
        gpu = GPUS[number % len(GPUS)]
        module = cuda_tile.load(work.data)
        expected = exact.outcome(module, work, limit=exact.MOST_OPS)
        if isinstance(expected, str) or not _stores_floats(work):
            continue
        made, lines = traced(work, gpu)
        start = time.process_time()
        is_right = judged(Subject(work, gpu, "", expected, [])) == "000"
        if is_right and time.process_time() - start < MOST_SECONDS:
            floats = with_floats(work, made)[1]
            found.append(Subject(work, gpu, made.ptx, expected, floats, lines))
    return found


def _stores_floats(work: exact.Work) -> bool:
    return any(array.dtype.kind not in "biu" for array in work.make()[2])


def fate(place: Place, chosen: list[Subject]) -> str:
    """What becomes of a mutant, by its kernels."""
    become(place)
    all_of = [judged(subject) for subject in chosen]
    for word in ("refused", "stopped"):
        if word in all_of:
            return word
    ran = [each for each in all_of if each != "same"]
    return "".join(map(max, zip(*ran, strict=True))) if ran else "same"


def main() -> int:
    """Draws mutants, and counts who notices them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ran", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="note it on the page")
    options = parser.parse_args()
    known, generator = subjects(), random.Random(options.seed)
    lines = Lines().union(*(subject.lines for subject in known))
    print(f"{len(known)} kernels, {len(lines)} lines", flush=True)
    files = sorted({file for file, _ in lines})
    all_of = [p for f in files for p in places(f) if (f, p.line) in lines]
    counts = Counter[str]()
    generator.shuffle(all_of)
    for place in all_of:
        if sum(n for key, n in counts.items() if key.isdigit()) == options.ran:
            break
        users = [s for s in known if (place.file, place.line) in s.lines]
        chosen = generator.sample(users, min(KERNELS_EACH, len(users)))
        got = forked(functools.partial(fate, place, chosen), MOST_CPU, MOST_BYTES)
        if isinstance(got, Death):
            got = "stopped" if got.how == "hung" else "refused"
        counts[got] += 1
        where = Path(place.file).relative_to(PACKAGE)
        names = ", ".join(f"{s.work.name} {s.gpu}" for s in chosen)
        print(f"{got} {where}:{place.line} node {place.number}: {names}", flush=True)
    rows = table(counts, len(known), len(all_of), options)
    print("\n".join(rows))
    if options.write:
        before, _, rest = PAGE.read_text().partition(START)
        after = rest.partition(END)[2]
        PAGE.write_text("\n".join((f"{before}{START}", *rows, f"{END}{after}")))
    return 0


def table(
    counts: Counter[str], n_kernels: int, n_places: int, options: argparse.Namespace
) -> list[str]:
    """The table of the page."""
    digits = {key: n for key, n in counts.items() if key.isdigit()}

    def ran(*beginnings: str) -> int:
        return sum(n for key, n in digits.items() if key.startswith(beginnings))

    rows = (
        ("its kernels are compiled as before", counts["same"]),
        ("the compiler stops, or takes too long", counts["refused"]),
        (
            "the emulator stops: bounds, what is no PTX, an endless loop",
            counts["stopped"],
        ),
        ("**it runs to the end, other code than before**", ran("")),
        ("of these noticed by exact numbers", ran("1")),
        ("of these noticed by tolerances", ran("01", "11")),
        ("by exact numbers alone", ran("10")),
        ("by tolerances alone", ran("01")),
        ("by neither, and floats have other bits than before", ran("001")),
        ("by neither, and floats have the same bits", ran("000")),
    )
    return [
        f"{counts.total()} mutants, drawn with seed {options.seed} from {n_places} "
        f"places that {n_kernels} kernels execute:",
        "",
        "| what becomes of a mutant | mutants |",
        "|---|---|",
        *(f"| {what} | {count} |" for what, count in rows),
    ]


if __name__ == "__main__":
    sys.exit(main())
