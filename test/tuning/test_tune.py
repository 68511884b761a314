# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuner: what it drops, how it ranks, and its record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import cuda_tile
from cuda_tile import Options, Tuned, TuningRecord, UserError, tunable, tune
from cuda_tile import builder as b
from cuda_tile.batch.cache import Cache
from cuda_tile.batch.run import Machines
from cuda_tile.chip_clocks import chip_clocks
from cuda_tile.machine.disassembler import find_nvdisasm
from cuda_tile.pictures.inputs import Inputs
from cuda_tile.targets import find_target
from cuda_tile.timing.counting import counting
from cuda_tile.tuning.candidate import Candidate, Final, Variant
from cuda_tile.tuning.clocks import clocks_of, launch_clocks
from cuda_tile.tuning.ranking import rank

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "test" / "kernels" / "13.4"
SOFTMAX = KERNELS / "softmax_f16_4096.tileirbc"
ROWS = [np.ones((4, 4096), np.float16), np.zeros((4, 4096), np.float16)]
SCHEMA = json.loads(
    (Path(cuda_tile.__file__).with_name("tuning_schema.json")).read_text()
)


@pytest.fixture(name="cache", scope="module")
def shared_cache(tmp_path_factory: Any) -> Cache:
    """One for all tests of the file: candidates are compiled once."""
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(name="tuned", scope="module")
def tuned_softmax(cache: Cache) -> Tuned:
    """The plans of a kernel for sm_80, of which there are few."""
    return tune(SOFTMAX, "sm_80", cache=cache, machines=Machines(2))


# Ranking ------------------------------------------------------------------------------


def made(number: int, total: float = 100.0, **fields: Any) -> Candidate:
    """A candidate with counts; the plan of number 0 is the compiler's own."""
    clocks = fields.pop("clocks", {"L2": total})
    known = Final(32, 0, 0, 4, str(number), total, "L2", clocks)
    plan = {
        "number": number,
        "chosen": number == 0,
        "fields": {
            "num_warps": 4,
            "warps_m": 0,
            "engine": "tma",
            "roles": "one",
            "min_ctas": 1,
            "cluster": 1,
        },
    }
    variant = Variant("k", b"", "", Inputs((1, 1, 1), [], "", is_generated=True))
    return Candidate(find_target("sm_90"), variant, plan, replace(known, **fields))


def order(*candidates: Candidate) -> list[int | None]:
    return [each.number for each in rank(candidates).ranked]


def test_fewest_clocks_are_first_and_the_reason_is_said() -> None:
    slow = made(0, 100.0, clocks={"L2": 100.0, "issue slots": 20.0})
    fast = made(1, 90.0, clocks={"L2": 90.0, "issue slots": 30.0}, registers=64)
    assert order(slow, fast) == [1, 0]
    assert rank([slow, fast]).why.startswith("plan 1 (4 warps, tma copies) takes 90")
    assert "plan 0" in rank([slow, fast]).why


def test_the_own_plan_stays_where_others_take_no_fewer() -> None:
    own = made(0, clocks={"L2": 100.0, "issue slots": 20.0})
    other = made(1, clocks={"L2": 100.0, "issue slots": 10.0}, registers=64)
    assert order(other, own) == [0, 1]
    assert "the compiler's own plan stays" in rank([own, other]).why


def test_what_spills_is_the_same_code_or_is_beaten_is_dropped() -> None:
    best = made(0)
    spilling = made(1, 0.0, spill_bytes=8, clocks={})
    same = made(2, code="0")
    beaten = made(3, registers=33)
    near_miss = made(4, 99.0, registers=33)
    # The own plan stays even where another one needs fewer registers for as much.
    assert order(made(0, registers=40), made(1)) == [0, 1]
    ranking = rank([best, spilling, same, beaten, near_miss])
    assert [each.number for each in ranking.ranked] == [4, 0]
    assert {each.candidate: each.reason for each in ranking.dropped} == {
        "plan 1": "spills 8 bytes of each thread",
        "plan 2": "the same code as plan 0",
        "plan 3": "plan 0 takes less of everything",
    }


def test_what_overlaps_better_is_not_beaten() -> None:
    """Each part takes more, but more CTAs share a multiprocessor."""
    crowded = made(1, 90.0, clocks={"L2": 101.0}, registers=33)
    assert order(made(0), crowded) == [1, 0]


def test_equal_code_of_other_launches_is_no_duplicate() -> None:
    assert order(made(0), made(1, 50.0, code="0")) == [1, 0]


def counted(gpu: str, n_tiles: int) -> Any:
    """The clocks of a kernel that doubles 256 elements a tile block."""
    x = np.ones(256 * n_tiles, np.float32)
    with b.TileIrGenerator() as generator:
        pointer = b.make_pointer_type(b.Float32)
        with generator.create_entry("k", [pointer]) as (source,):
            place = source + (b.get_tile_block_id()[0] * 256 + b.iota(256))
            part, _ = b.load_ptr_tko(place)
            b.store_ptr_tko(place, part * 2.0)
        module = generator.module
    compiled = cuda_tile.compile(module, gpu)
    report = cuda_tile.run(
        module,
        grid=n_tiles,
        args=[x],
        on="emulator",
        compiled=compiled,
        **counting(compiled, needs_machine=True),
    )
    return launch_clocks(report, (n_tiles, 1, 1), find_target(gpu))


@pytest.mark.skipif(find_nvdisasm() is None, reason="needs nvdisasm")
def test_clocks_are_those_of_the_model_for_a_full_chip() -> None:
    """So many blocks that they share the units: twice the blocks, twice the clocks."""
    once, twice = counted("sm_80", 1), counted("sm_80", 2)
    assert twice.total == pytest.approx(2 * once.total, rel=0.01)
    assert once.limiter == "L2"
    # 256 elements in and out of L2; alone it waits longer.
    rate = chip_clocks(find_target("sm_80")).l2_bytes.value
    assert once.total == pytest.approx(2 * 256 * 4 / rate, rel=0.01)
    assert once.parts["latency of a warp"] > once.total


@pytest.mark.skipif(find_nvdisasm() is None, reason="needs nvdisasm")
def test_a_chip_without_constants_has_those_of_an_earlier_one() -> None:
    later, earlier = counted("sm_110", 1), counted("sm_100", 1)
    assert later.parts["L2"] == earlier.parts["L2"]
    # Its bound is its own: less of L2 for each multiprocessor.
    assert later.total > earlier.total


def test_without_nvdisasm_nothing_is_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuda_tile.machine.disassembler.find_nvdisasm", lambda: None)
    with pytest.raises(UserError, match=r"needs nvdisasm: pip install"):
        counted("sm_80", 1)


# Search -------------------------------------------------------------------------------


def test_every_plan_is_ranked_or_dropped_with_a_reason(tuned: Tuned) -> None:
    module = cuda_tile.load(SOFTMAX)
    (plans,) = cuda_tile.list_plans(module, "sm_80").values()
    numbers = {f"plan {plan['number']}" for plan in plans}
    ranked = {str(each) for each in tuned.ranking.ranked}
    assert ranked | {each.candidate for each in tuned.dropped} == numbers
    assert tuned.n_candidates == len(plans)
    assert all(each.reason for each in tuned.dropped)
    totals = [clocks_of(each).total for each in tuned.ranking.ranked]
    assert totals == sorted(totals)


def test_equal_inputs_give_equal_bytes(tuned: Tuned, cache: Cache) -> None:
    """Made by other processes, in another order, and without the cache."""
    again = tune(SOFTMAX, "sm_80", machines=Machines(1))
    assert again.record.to_json() == tuned.record.to_json()


def test_hints_and_numbers_of_plans_are_varied(cache: Cache) -> None:
    found = tune(
        SOFTMAX,
        "sm_80",
        grid=4,
        args=ROWS,
        over={"plan": [2], "occupancy": [1, 2]},
        cache=cache,
    )
    assert found.n_candidates == 2
    assert found.best.number == 2
    assert found.record.tuned[0]["launch"]["text"] == (
        "grid 4x1x1, float16[4,4096] float16[4,4096]"
    )
    lone = tune(SOFTMAX, "sm_80", grid=4, args=ROWS, over={"num_cta_in_cga": [1]})
    assert str(lone.best) == "num_cta_in_cga=1, its own plan"


def test_constants_that_the_author_marks(cache: Cache) -> None:
    x, y = np.arange(2048, dtype=np.float32), np.zeros(2048, np.float32)

    @tunable(lambda tile: ((2048 // tile,), [x, y]), tile=(64, 1024))
    def scale(tile: int) -> Any:
        with b.TileIrGenerator() as generator:
            pointer = b.make_pointer_type(b.Float32)
            with generator.create_entry("scale", [pointer, pointer]) as (source, out):
                block, _, _ = b.get_tile_block_id()
                place = block * tile + b.iota(tile)
                part, _ = b.load_ptr_tko(source + place)
                b.store_ptr_tko(out + place, part * 2.0)
            return generator.module

    found = tune(scale, "sm_80", over={"tile": ()}, cache=cache)
    assert found.n_candidates == 2
    # Tiles of 64 use two warps of 1,024: the launch has more CTAs and instructions.
    assert found.constants == {"tile": 1024}
    module = scale(**found.constants)
    compiled = cuda_tile.compile(module, "sm_80", tuning=found.record)
    cuda_tile.run(module, grid=2, args=[x, y], on="emulator", compiled=compiled)
    assert (y == 2 * x).all()
    with pytest.raises(UserError, match=r"@scale with sum .* made with tile=1024"):
        cuda_tile.compile(scale(tile=64), "sm_80", tuning=found.record)


def test_what_cannot_be_tuned_is_refused() -> None:
    with pytest.raises(UserError, match=r"tune over plan, occupancy.*, got 'tile'"):
        tune(SOFTMAX, "sm_80", over={"tile": (1, 2)})
    with pytest.raises(UserError, match="grid and args together"):
        tune(SOFTMAX, "sm_80", grid=4)
    with pytest.raises(UserError, match="without a plan, got plan 2"):
        tune(SOFTMAX, options=Options(gpu="sm_80", plan=2))
    with pytest.raises(UserError, match="with a function that gives grid"):
        tunable(tile=(64, 128))
    with pytest.raises(UserError, match="expected a candidate that can be ranked"):
        tune(SOFTMAX, "sm_90", over={"plan": [24]})  # a cluster of too many warps


# The record ---------------------------------------------------------------------------


def test_the_record_meets_its_schema_and_is_read_back(tuned: Tuned) -> None:
    text = tuned.record.to_json()
    jsonschema.validate(json.loads(text), SCHEMA)
    assert TuningRecord.from_json(text) == tuned.record
    assert not {"seconds", "time", "date"} & set(tuned.record.tuned[0])


def test_a_record_gives_its_plan(tuned: Tuned) -> None:
    module, other = cuda_tile.load(SOFTMAX), tuned.ranking.ranked[-1].number
    (entry,) = tuned.record.tuned
    record = TuningRecord(({**entry, "chosen": {**entry["chosen"], "plan": other}},))
    forced = cuda_tile.compile(module, options=Options(gpu="sm_80", plan=other))
    chosen = cuda_tile.compile(module, "sm_80", tuning=record)
    assert chosen.ptx == forced.ptx
    assert cuda_tile.compile(module, "sm_80").ptx != forced.ptx


def test_a_record_gives_its_hints(tuned: Tuned) -> None:
    module = cuda_tile.load(SOFTMAX)
    (entry,) = tuned.record.tuned
    hinted = {**entry["chosen"], "hints": {"occupancy": 3}}
    record = TuningRecord(({**entry, "chosen": hinted},))
    chosen = cuda_tile.compile(module, "sm_80", tuning=record)
    assert ".minnctapersm 3" in chosen.ptx
    assert "occupancy" not in str(module), "the user's module is not changed"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"chip": "sm_90"}, "expected chip sm_90, .*, got sm_80"),
        ({"options": {"abi": "cuda"}}, "expected options abi=cuda, .*, got of the"),
        ({"kernel": {"name": "k", "sum": "0" * 64}}, "the record has @k with sum 000"),
        ({"compiler": {"build": "0" * 64}}, "expected compiler build=0+, .*tune again"),
    ],
)
def test_what_differs_is_said(tuned: Tuned, change: Any, said: str) -> None:
    record = TuningRecord(({**tuned.record.tuned[0], **change},))
    with pytest.raises(UserError, match=said):
        cuda_tile.compile(cuda_tile.load(SOFTMAX), "sm_80", tuning=record)


def test_a_plan_beside_a_record_is_refused(tuned: Tuned) -> None:
    options = Options(gpu="sm_80", plan=1)
    with pytest.raises(UserError, match="a tuning record or a plan, got both"):
        cuda_tile.compile(cuda_tile.load(SOFTMAX), options=options, tuning=tuned.record)


def test_records_are_merged(tuned: Tuned) -> None:
    (mine,) = tuned.record.tuned
    other = {**mine, "chip": "sm_90"}
    both = tuned.record.merged(TuningRecord((other,)))
    assert both == TuningRecord((other,)).merged(tuned.record)
    assert [each["chip"] for each in both.tuned] == ["sm_80", "sm_90"]
    assert both.merged(both) == both
    better = {**mine, "chosen": {**mine["chosen"], "clocks": 1.0}}
    assert both.merged(TuningRecord((better,))).tuned == (better, other)
    launched = {**better, "launch": {"text": "grid 9x1x1", "sum": ""}}
    with pytest.raises(UserError, match=r"tuned by one launch, got .*grid 9x1x1"):
        both.merged(TuningRecord((launched,)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "expected JSON in 'r', got"),
        ("[]", "the whole is no object"),
        ('{"schema": 2, "tuned": []}', "the whole.schema is 2, not 1"),
        ('{"schema": 1}', "the whole has no 'tuned'"),
        ('{"schema": 1, "tuned": [{}]}', r"tuned\[0\] has no 'kernel'"),
    ],
)
def test_what_is_no_record_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        TuningRecord.from_json(text, "r")
    with pytest.raises((json.JSONDecodeError, jsonschema.ValidationError)):
        jsonschema.validate(json.loads(text), SCHEMA)


def test_a_wrong_type_deep_in_a_record_is_named(tuned: Tuned) -> None:
    (mine,) = tuned.record.tuned
    bad = {**mine, "chosen": {**mine["chosen"], "plan": True}}
    text = TuningRecord((bad,)).to_json()
    with pytest.raises(UserError, match=r"chosen\.plan is no integer or null"):
        TuningRecord.from_json(text)
