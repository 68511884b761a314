# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors that copies bring to slots, and `tcgen05.cp` to tensor memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from ptx_mutation import mutants
from scaled_text import FOUR, Scaled, kernel, problem, run

import cuda_tile
from cuda_tile import Options, UserError
from cuda_tile.emit import tensor_scales

pytestmark = pytest.mark.sampled(3)

CHIP = "sm_100"
LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
MX8 = Scaled(tile=(128, 128, 128), sizes=(128, 128, 512), factors_divide=4)
MX4 = replace(MX8, operand=FOUR, tile=(128, 128, 256), sizes=(128, 128, 1024))
NV4 = replace(MX8, operand=FOUR, scale="f8E4M3FN", block=16)
BLOCKS = replace(MX8, in_blocks=True)
CASES: dict[str, Scaled] = {
    "mxf8": MX8,
    "mxf4": MX4,
    "nvf4": NV4,
    "nvf4, four words": replace(NV4, tile=(128, 128, 256), sizes=(128, 128, 768)),
    "blocks": BLOCKS,
    "mxf4 in blocks": replace(MX4, in_blocks=True),
    "nvf4 in blocks": replace(NV4, in_blocks=True),
    "n64 of two words": replace(
        MX8, tile=(128, 64, 256), sizes=(128, 64, 768), factors_divide=8
    ),
    "n32 of four words": replace(NV4, tile=(128, 32, 256), sizes=(128, 64, 512)),
    "n256": replace(MX8, operand="f8E5M2", tile=(128, 256, 128), sizes=(128, 256, 384)),
    "m256": replace(MX8, tile=(256, 128, 128), sizes=(256, 128, 384)),
    "odd extents": replace(MX8, sizes=(208, 80, 640)),
    "odd blocks": replace(BLOCKS, sizes=(128, 128, 640)),
    "one iteration": replace(MX8, sizes=(128, 128, 128)),
    "begins with numbers": replace(MX8, start="7.0"),
    "two loops": replace(MX8, twice=True, sizes=(128, 128, 384)),
    "used in each iteration": replace(MX8, body=f"%d = addf %p, %ones : {MX8.acc}"),
}
"""Products by what is special about them."""


def judge(case: Scaled, compiled: Any, seed: int = 0, **how: Any) -> None:
    """Runs what was compiled on the emulator, in an adversarial order."""
    module = cuda_tile.load(kernel(case).encode())
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial", "seed": seed, **how}
    run(case, module, compiled=compiled, **how)


def compiled_of(case: Scaled, **options: Any) -> Any:
    """A case as compiled, judged by the checkers of passes, too."""
    module = cuda_tile.load(kernel(case).encode())
    return cuda_tile.compile(module, CHIP, options=Options(check=True, **options))


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_is_exact(name: str, draws: Callable[[int], int]) -> None:
    compiled = compiled_of(CASES[name])
    assert "tcgen05.cp" in compiled.ptx
    has_stores = CASES[name].start != "0.0" or CASES[name].twice
    has_stores = has_stores or bool(CASES[name].body)  # of sums
    assert ("tcgen05.st" in compiled.ptx) == has_stores
    bulk = 4 if CASES[name].in_blocks else 2
    assert (
        len(re.findall(r"cp\.async\.bulk\.tensor.*complete_tx", compiled.ptx)) >= bulk
    )
    assert ("cp.async.ca" in compiled.ptx) != CASES[name].in_blocks
    assert not compiled.report.kernels[0].spill_bytes
    for seed in range(draws(3)):
        judge(CASES[name], compiled, seed)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", LEVELS)
def test_the_interpreter_is_exact(name: str, level: str) -> None:
    module = cuda_tile.load(kernel(CASES[name]).encode())
    run(CASES[name], cuda_tile.lower(module, CHIP, until=level))


@pytest.mark.parametrize("name", ["mxf8", "nvf4 in blocks"])
def test_products_have_a_role(name: str) -> None:
    module = cuda_tile.load(kernel(CASES[name]).encode())
    text = str(cuda_tile.lower(module, CHIP, until="roles"))
    threads = 1 if CASES[name].in_blocks else 32
    assert f'role "load" warps = 1 threads = {threads}' in text
    products = text[text.index('role "products"') : text.index('role "load"')]
    assert "tileas.tcgen05" in products


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["mxf8", "nvf4"])
def test_tiles_of_a_cta_take_turns(name: str, seed: int) -> None:
    """Two sums, and a set of factors for each slot, which tiles share."""
    case = replace(CASES[name], sizes=(256, 128, 384))
    compiled = compiled_of(case, persistent=True)
    assert "persistent = 1" in compiled.report.kernels[0].plan
    assert "tcgen05.cp" in compiled.ptx
    judge(case, compiled, seed, resident_ctas=1)


@pytest.mark.parametrize("name", ["mxf8", "nvf4"])
def test_copies_write_without_bank_conflicts(name: str) -> None:
    case = replace(CASES[name], sizes=(128, 128, 256))
    module = cuda_tile.load(kernel(case).encode())
    args, _, grid = problem(case)
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP}
    report = cuda_tile.run(module, grid=grid, args=args, **how)
    assert report is not None
    counts = report.totals
    most = 0 if name == "mxf8" else counts["wavefronts"] // 4
    assert counts["bank_conflicts"] <= most


STORED: dict[str, tuple[Scaled, str]] = {
    "words that are not whole": (
        replace(MX8, factors_divide=1),
        "known to lie together",
    ),
    "few columns": (replace(MX8, tile=(128, 64, 128)), "four words for each"),
    "few factors": (replace(MX8, tile=(128, 128, 64)), "whole words"),
    "16 columns": (replace(NV4, tile=(128, 16, 256)), "32 rows or more"),
    "along n": (replace(MX8, along_k=False), "do not lie together"),
}
"""What threads still store, and what the remark says."""


@pytest.mark.parametrize("name", STORED)
def test_what_does_not_fit_is_stored_by_threads(name: str) -> None:
    case, reason = STORED[name]
    case = replace(case, sizes=(128, max(128, case.tile[1]), 512))
    compiled = compiled_of(case)
    assert "tcgen05.cp" not in compiled.ptx
    assert "tcgen05.st" in compiled.ptx
    remarks = compiled.report.kernels[0].remarks
    assert any("threads store scale factors" in t and reason in t for t in remarks)
    judge(case, compiled)


@pytest.mark.parametrize("chip", ["sm_103", "sm_110"])
def test_other_chips_have_them(chip: str) -> None:
    module = cuda_tile.load(kernel(NV4).encode())
    compiled = cuda_tile.compile(module, chip)
    assert "tcgen05.cp" in compiled.ptx
    judge(NV4, compiled, gpu=chip)


OWN = (
    "cp.async.mbarrier.arrive.noinc",
    "fence.proxy.async.shared",
    "tcgen05.commit",
)
"""What hands factors over: deleted, it is noticed."""
NUMBERS = ("tx bytes", "parity")
LONG = {
    name: replace(CASES[name], sizes=(128, 128, 896)) for name in ("mxf8", "blocks")
}
"""Each slot is filled twice or more."""


def changed(ptx: str) -> list[tuple[str, str]]:
    """Instructions, and the text without each, or with another number in it.

    Of waits and of counts of arrivals those of the slots that factors are in: others
    are of a sum that only one tile has.
    """
    copy = ptx.index("tcgen05.cp")
    fill = ptx.index("cp.async.bulk.tensor.2d.shared")
    waits = [ptx.rindex("mbarrier.try_wait", 0, place) for place in (copy, fill)]
    counts = sorted(map(int, re.findall(r"mbarrier\.init\S+ \[\S+\+(\d+)\]", ptx)))
    found: list[tuple[str, str]] = []
    for m in mutants(ptx):
        first = next(
            n for n, (x, y) in enumerate(zip(ptx, m.text, strict=False)) if x != y
        )
        is_own = m.change == "delete" and m.instruction.startswith(OWN)
        is_wait = m.kind == "wait" and any(0 <= first - wait < 40 for wait in waits)
        is_count = m.kind == "arrival count" and any(
            f"+{number}]" in m.instruction for number in counts[: len(counts) - 3]
        )
        if is_own or is_wait or is_count or m.kind in NUMBERS:
            found.append((m.instruction, m.text))
    copies = re.finditer(r"\ttcgen05\.cp[^;]*;", ptx)
    found += [(c[0].strip(), ptx[: c.start()] + ptx[c.end() :]) for c in copies]
    return found


@pytest.mark.parametrize("name", LONG)
def test_changed_synchronisation_is_noticed(
    name: str, draws: Callable[[int], int]
) -> None:
    case = LONG[name]
    compiled = compiled_of(case)
    made = changed(compiled.ptx)
    assert len(made) > 10
    silent = [
        instruction
        for instruction, text in made[:: max(1, len(made) // draws(len(made)))]
        if not _is_noticed(case, replace(compiled, ptx=text))
    ]
    assert not silent


def _is_noticed(case: Scaled, compiled: Any) -> bool:
    """Whether an order shows that a kernel is wrong."""
    for seed in range(2):
        try:
            judge(case, compiled, seed)
        except (UserError, AssertionError):
            return True
    return False


PLACES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "the next column": lambda column, byte: (column + 1, byte),
    "the byte of another block": lambda column, byte: (column, byte ^ 1),
}


@pytest.mark.parametrize("name", PLACES)
def test_other_places_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tensor_scales.scale_place
    monkeypatch.setattr(
        tensor_scales, "scale_place", lambda *at: PLACES[name](*place(*at))
    )
    assert _is_noticed(MX8, compiled_of(MX8))


def test_another_distance_of_copies_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_scales, "COPIED_COLUMNS", 2)
    assert _is_noticed(NV4, compiled_of(NV4))


def test_each_slot_has_columns_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one set a copy may overwrite what an earlier product still reads."""
    starts = tensor_scales._starts
    monkeypatch.setattr(tensor_scales, "_starts", lambda op: (*starts(op)[:2], 0))
    with pytest.raises(UserError, match=r"tcgen05\.cp"):
        judge(MX8, compiled_of(MX8))


def test_columns_bound_the_slots() -> None:
    """A set of four words has 32 columns: of 256, a sum leaves four sets."""
    case = CASES["nvf4, four words"]
    module = cuda_tile.load(kernel(case).encode())
    text = str(cuda_tile.lower(module, CHIP, until="plan"))
    assert re.findall(r'engine = "cp_async", slots = (\d+)', text) == ["4", "4"]
