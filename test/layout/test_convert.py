# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between register layouts, run on all threads by brute force."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts, shapes

from cuda_tile.layout.atoms import M16N8K16
from cuda_tile.layout.convert import ConversionKind, classify, register_map
from cuda_tile.layout.coords import Coord, LayoutError
from cuda_tile.layout.fragments import coalesced, tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shuffle import (
    PairedPlan,
    Select,
    ShufflePlan,
    paired_plan,
    shuffle_plan,
)

ZERO = (0,)
Held = Coord | tuple[Coord, Coord]
"""What a register has: an element, or two."""


def _select(values: list[Held], selects: tuple[Select, ...], thread: int) -> list[Held]:
    for select in selects:
        if (thread & select.thread_mask).bit_count() & 1:
            values = [values[i ^ select.register_xor] for i in range(len(values))]
    return values


def run(
    plan: ShufflePlan, src: LinearLayout, words: PairedPlan | None = None
) -> dict[int, list[Held]]:
    """Runs a plan: thread index to what its destination registers have.

    With words, two source registers are one, and the plan is that of words.
    """
    n_threads = 32 * src.n_warps * src.n_blocks
    ready: dict[int, list[Held]] = {}
    for thread in range(n_threads):
        lane, warp, block = thread & 31, thread >> 5, 0
        warp, block = warp % src.n_warps, warp // src.n_warps
        single = [src.apply(r, lane, warp, block) for r in range(src.n_registers)]
        held: list[Held] = list(single)
        if words is not None:
            held = [(single[first], single[second]) for first, second in words.sources]
        ready[thread] = _select(held, plan.before, thread)
    result: dict[int, list[Held]] = {}
    for thread in range(n_threads):
        base = 0
        for bit, column in enumerate(plan.lane):
            base ^= column if thread >> bit & 1 else 0
        received = [
            ready[thread & ~31 | base ^ entry.lane_xor][entry.register]
            for entry in plan.rounds
        ]
        received = _select(received, plan.after, thread)
        result[thread] = [received[index] for index in plan.result]
    return result


def check(src: LinearLayout, dst: LinearLayout) -> ConversionKind:
    """Asserts that the conversion's class is right and its plan delivers."""
    kind = classify(src, dst)
    assert kind == brute_force_kind(src, dst)
    if kind in (ConversionKind.IDENTITY, ConversionKind.REGISTER):
        renamed = register_map(src, dst)
        for lane, warp in itertools.product((0, 9, 31), range(src.n_warps)):
            for register, source in enumerate(renamed):
                expected = dst.apply(register, lane, warp)
                assert src.apply(source, lane, warp) == expected
    plan = shuffle_plan(src, dst)
    assert (plan is None) == (kind == ConversionKind.SHARED)
    if plan is not None:
        per_warp = 32 * src.n_warps
        for thread, values in run(plan, src).items():
            place = (thread & 31, thread % per_warp >> 5, thread // per_warp)
            assert values == [dst.apply(r, *place) for r in range(dst.n_registers)]
        check_words(plan, src, dst)
    return kind


def check_words(plan: ShufflePlan, src: LinearLayout, dst: LinearLayout) -> None:
    """Asserts that words of two registers, where there are such, arrive as well."""
    words = paired_plan(plan, src.n_registers, 16)
    if words is None:
        return
    assert 2 * len(words.plan.rounds) == len(plan.rounds)
    single, pairs = run(plan, src), run(words.plan, src, words)
    for thread, values in single.items():
        halves = zip(pairs[thread], words.halves, strict=True)
        assert values == [word[half] for word, half in halves]


def brute_force_kind(src: LinearLayout, dst: LinearLayout) -> ConversionKind:
    """Decides the class by looking at what every thread and warp holds."""
    in_warp = True
    sources: list[set[int]] = [set(range(src.n_registers))] * dst.n_registers
    for warp, block in itertools.product(range(src.n_warps), range(src.n_blocks)):
        lanes = [
            [src.apply(r, lane, warp, block) for r in range(src.n_registers)]
            for lane in range(32)
        ]
        held = set(itertools.chain.from_iterable(lanes))
        for lane, register in itertools.product(range(32), range(dst.n_registers)):
            wanted = dst.apply(register, lane, warp, block)
            in_warp &= wanted in held
            same = {r for r, coord in enumerate(lanes[lane]) if coord == wanted}
            sources[register] = sources[register] & same
    if all(sources):
        first = [min(options) for options in sources]
        same = dst.n_registers == src.n_registers and all(
            register in options for register, options in enumerate(sources)
        )
        independent = first == list(range(src.n_registers))
        identity = same and independent
        return ConversionKind.IDENTITY if identity else ConversionKind.REGISTER
    return ConversionKind.SHUFFLE if in_warp else ConversionKind.SHARED


@given(shapes(6), st.data())
def test_any_pair_of_layouts(shape: tuple[int, ...], data: st.DataObject) -> None:
    n_warp_bits = data.draw(st.integers(0, 2))
    pair = [data.draw(layouts(shape=shape, n_warp_bits=n_warp_bits)) for _ in range(2)]
    check(*pair)


@given(shapes(6), st.data())
def test_pairs_that_keep_their_warps(
    shape: tuple[int, ...], data: st.DataObject
) -> None:
    """As above, but with equal warp bases and rearranged others: mostly shuffles."""
    src = data.draw(layouts(shape=shape, n_warp_bits=1, n_block_bits=1))
    inside = data.draw(st.permutations([*src.register, *src.lane]))
    n_registers = len(src.register)
    dst = LinearLayout(
        shape,
        tuple(inside[:n_registers]),
        tuple(inside[n_registers:]),
        src.warp,
        src.block,
    )
    assert check(src, dst) != ConversionKind.SHARED


@given(layouts())
def test_a_layout_to_itself_is_the_identity(layout: LinearLayout) -> None:
    slim = layout.drop_redundant_registers()
    assert classify(slim, slim) == ConversionKind.IDENTITY
    assert register_map(slim, slim) == list(range(slim.n_registers))


@given(layouts())
def test_redundant_registers_are_copies_of_the_others(layout: LinearLayout) -> None:
    slim = layout.drop_redundant_registers()
    kind = check(slim, layout)
    assert kind in (ConversionKind.IDENTITY, ConversionKind.REGISTER)


def _line(register: list[int], lane: list[int], warp: list[int]) -> LinearLayout:
    size = 1 << max([1, *register, *lane, *warp]).bit_length() - 1 << 1

    def bases(strides: list[int]) -> tuple[Coord, ...]:
        return tuple((stride,) for stride in strides)

    lanes = lane + [0] * (5 - len(lane))
    return LinearLayout((size,), bases(register), bases(lanes), bases(warp))


def test_exchanged_registers_are_renamed() -> None:
    src = _line([32, 64], [1, 2, 4, 8, 16], [])
    dst = _line([64, 32], [1, 2, 4, 8, 16], [])
    assert check(src, dst) == ConversionKind.REGISTER
    assert register_map(src, dst) == [0, 2, 1, 3]


def test_one_lane_bit_for_a_register_bit_moves_half_of_the_registers() -> None:
    src = _line([1, 64], [2, 4, 8, 16, 32], [])
    dst = _line([2, 64], [1, 4, 8, 16, 32], [])
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert plan.is_butterfly
    assert plan.n_shuffles == 2
    assert (len(plan.before), len(plan.after)) == (1, 1)


def test_transposed_warp_takes_at_most_one_shuffle_per_register() -> None:
    src = coalesced((32, 32), (1, 0), 32, 1)
    dst = coalesced((32, 32), (0, 1), 32, 1)
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert plan.is_butterfly
    assert plan.n_shuffles == 31


def test_words_of_two_registers_take_half_the_shuffles() -> None:
    """A product's sum, of which a lane has pairs, to rows of eight neighbours."""
    src = _line([1, 8, 16], [2, 4, 32, 64, 128], [])
    dst = _line([1, 2, 4], [8, 16, 32, 64, 128], [])
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    words = paired_plan(plan, 8, 16)
    assert words is not None
    assert words.sources == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert 2 * len(words.plan.rounds) == len(plan.rounds)


def test_registers_that_part_are_no_words() -> None:
    src = _line([1], [2, 4, 8, 16, 32], [])
    dst = _line([2], [1, 4, 8, 16, 32], [])
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert paired_plan(plan, 2, 16) is None


def test_exchanged_lanes_need_one_shuffle_and_no_select() -> None:
    src = _line([], [1, 2, 4, 8, 16], [])
    dst = _line([], [16, 8, 4, 2, 1], [])
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert (plan.before, plan.after, len(plan.rounds)) == ((), (), 1)
    assert plan.lane == (16, 8, 4, 2, 1)
    assert not plan.is_butterfly


def test_spreading_copies_over_lanes_and_warps_needs_selects_only() -> None:
    """As after a reduction: every thread holds all, and shall keep a part."""
    src = LinearLayout.replicated((16,), 4)
    dst = coalesced((16,), (0,), 1, 4)
    assert check(src, dst) == ConversionKind.SHUFFLE
    by_warp = _line([1, 4], [], [2, 8])
    assert check(src, by_warp) == ConversionKind.SHUFFLE
    for target in (dst, by_warp):
        plan = shuffle_plan(src, target)
        assert plan is not None
        assert plan.n_shuffles == 0


def test_gathering_from_lanes_into_every_thread() -> None:
    src = coalesced((32,), (0,), 1, 2)
    dst = LinearLayout.replicated((32,), 2)
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert len(plan.rounds) == 32
    assert (plan.before, plan.after) == ((), ())


def test_lanes_that_need_other_registers_of_one_lane_do_not_read_it_together() -> None:
    """Half of the lanes need the other register, so that they share no round."""
    src = _line([1], [2, 4, 8, 16, 32], [])
    dst = _line([2, 4, 8, 16, 32], [1, 0, 0, 0, 0], [])
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert plan.before or plan.after


def test_two_registers_of_one_lane_take_two_rounds() -> None:
    """Lanes 0 and 1 both read lane 0 (of warp 0), but different registers of it."""
    src = _line([2], [1], [0])
    dst = _line([], [2], [1])
    assert check(src, dst) == ConversionKind.SHUFFLE
    plan = shuffle_plan(src, dst)
    assert plan is not None
    assert len(plan.rounds) == 2


def test_data_of_another_warp_goes_through_shared_memory() -> None:
    src = coalesced((64,), (0,), 1, 2)
    dst = LinearLayout.replicated((64,), 2)
    assert check(src, dst) == ConversionKind.SHARED


def test_mma_result_is_the_next_operand_by_renaming() -> None:
    """Q K^T, cut to 16 bits, is the left operand of P V as it stands."""
    scores = tile_mma((64, 64), (4, 1), "c", M16N8K16)
    operand = tile_mma((64, 64), (4, 1), "a", M16N8K16)
    assert check(scores, operand) == ConversionKind.IDENTITY


def test_rows_of_an_mma_result_follow_by_reduction() -> None:
    """The row maxima, replicated over the columns, are a free source of broadcasts."""
    scores = tile_mma((64, 64), (4, 1), "c", M16N8K16)
    row = scores.reduce(1).drop_redundant_registers()
    back = scores.broadcast_source((64, 1))
    assert check(row.reshape((64, 1)), back) == ConversionKind.REGISTER
    assert row.n_registers == 2


@pytest.mark.parametrize(
    "dst",
    [
        pytest.param(coalesced((32,), (0,), 1, 1), id="shape"),
        pytest.param(coalesced((64,), (0,), 1, 2), id="warps"),
    ],
)
def test_pairs_that_do_not_belong_together_are_errors(dst: LinearLayout) -> None:
    with pytest.raises(LayoutError, match="expected layouts of one shape"):
        classify(coalesced((64,), (0,), 1, 1), dst)


def test_source_with_missing_elements_is_an_error() -> None:
    src = LinearLayout((64,), (), tuple((1 << bit,) for bit in range(5)))
    with pytest.raises(LayoutError, match="expected a source that holds every element"):
        classify(src, coalesced((64,), (0,), 1, 1))


def test_register_map_of_a_shuffle_is_an_error() -> None:
    src = _line([], [1, 2, 4, 8, 16], [])
    dst = _line([], [2, 1, 4, 8, 16], [])
    with pytest.raises(LayoutError, match="expected a conversion inside each thread"):
        register_map(src, dst)
