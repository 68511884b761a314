# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths of a proof: which there are, which there are not, and what each remembers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from cuda_tile.emulator import launch, parse
from cuda_tile.emulator.errors import FindingError
from cuda_tile.emulator.proof.conditions import ways
from cuda_tile.emulator.proof.facts import EXTREMES, FAR, Argument, Facts, Range
from cuda_tile.emulator.proof.quotients import high_half
from cuda_tile.emulator.proof.values import Counted, Made, Value
from cuda_tile.emulator.proof.verdict import verdict_of

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k({parameters})
{{
	.reg .pred %p<8>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	.shared .align 128 .b8 places[512];
	.shared .align 8 .b64 full[1];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, places;
	mad.lo.s32 %r2, %r0, 4, %r1;
	xor.b32 %r3, %r2, 4;			// the neighbour's
"""


def why(parameters: str, body: str) -> str:
    """Why a kernel of 64 threads is not proved; empty if it is."""
    module = parse(HEAD.format(parameters=parameters) + body)
    return verdict_of(module, module.functions["k"], (64,)).block


CONTRADICTION = """
	ld.param.s64 %rd0, [n];
	ld.param.s64 %rd1, [m];
	setp.lt.s64 %p0, %rd1, 0;
	@%p0 bra END;
	sub.s64 %rd2, %rd0, %rd1;
	setp.lt.s64 %p1, %rd2, 10;
	@%p1 bra END;
	setp.gt.s64 %p2, %rd0, FROM;
	@%p2 bra END;
	setp.gt.s64 %p3, %rd2, 20;		// of n - m, where n is at most FROM
	st.shared.u32 [%r2], %r0;
	@%p3 bra BEHIND;
	bar.sync 0;
BEHIND:
	ld.shared.u32 %r4, [%r3];
END:
	ret;
}
"""


@pytest.mark.parametrize("bound", [5, 20, 21])
def test_a_path_that_contradicts_itself_is_none(bound: int) -> None:
    """What is known of n, m and n - m leaves no way on; with one more it does."""
    body = CONTRADICTION.replace("FROM", str(bound))
    assert bool(why(".param .s64 n, .param .s64 m", body)) is (bound > 20)


IN_FLIGHT = """
	ld.param.u64 %rd0, [data];
	ld.param.u32 %r9, [n];
	setp.ne.u32 %p0, %r0, 0;
	@%p0 bra MADE;
	mbarrier.init.shared.b64 [full], 1;
	fence.mbarrier_init.release.cluster;
MADE:
	bar.sync 0;
	@%p0 bra STARTED;
	mbarrier.arrive.expect_tx.shared.b64 %rd1, [full], 512;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
		[places], [%rd0], 512, [full];
STARTED:
	setp.eq.u32 %p1, %r9, 0;
	mov.u32 %r5, 1;
	@%p1 bra END;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
	@!%p2 bra WAIT;
	ld.shared.u32 %r4, [%r3];
END:
	ret;
}
"""


def test_a_path_may_part_while_a_copy_is_in_flight() -> None:
    """That is not its end; where it ends, the copy must have come."""
    parameters = ".param .u64 data, .param .u32 n"
    waits = IN_FLIGHT.replace("@%p1 bra END", "@%p1 bra WAIT")
    assert why(parameters, waits) == ""
    assert why(parameters, IN_FLIGHT) == "a copy may be in flight at the end"


SQUARES = """
	ld.param.u32 %r8, [m];
	mov.u32 %r4, 0;
	mov.u32 %r5, 0;
	mov.u32 %r10, 0;			// whether this is the last round, m + 1
ROUND:
	mul.lo.s32 %r6, %r4, %r4;
	shr.u32 %r6, %r6, 8;			// 1 from round 16 on
	st.shared.u32 [%r2], %r4;
	setp.eq.u32 %p0, %r10, 0;
	@%p0 bra ORDERED;
	setp.ne.u32 %p1, %r6, %r5;		// of round m + 1 and round m
	@%p1 bra BEHIND;
ORDERED:
	bar.sync 0;
BEHIND:
	ld.shared.u32 %r7, [%r3];
	bar.sync 0;
	@!%p0 bra END;
	setp.lt.u32 %p2, %r4, %r8;
	@%p2 bra NEXT;
	mov.u32 %r10, 1;
	mov.u32 %r5, %r6;
NEXT:
	add.u32 %r4, %r4, 1;
	bra ROUND;
END:
	ret;
}
"""


def test_what_is_made_of_a_counter_is_forgotten_at_labels() -> None:
    """The squares of two rounds have one name, which means another number then.

    Only if m is 15 the last round finds another square, and goes past the barrier.
    """
    assert why(".param .u32 m", SQUARES).endswith("with no barrier between")
    module = parse(HEAD.format(parameters=".param .u32 m") + SQUARES)
    run = partial(launch, module, "k", grid=(1,), block=(64,), mode="adversarial")
    run(args=[14])
    with pytest.raises(FindingError, match="race: lane 0 of warp 1 reads"):
        run(args=[15])


OUT_OF_LINE = """
	ld.param.u64 %rd0, [data];
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	ld.global.u32 %r4, [%rd1];
	mov.u32 %r5, 0;
	setp.eq.u32 %p0, %r4, 0;
ROUND:
	st.shared.u32 [%r2], %r5;
	@%p0 bra RARE;
	add.u32 %r5, %r5, 1;
MEET:
	BARRIER
	ld.shared.u32 %r6, [%r3];
	bar.sync 0;
	setp.lt.u32 %p1, %r5, 9;
	@%p1 bra ROUND;
	bra END;
RARE:
	add.u32 %r5, %r5, ADDS;
	bra MEET;
END:
	ret;
}
"""


@pytest.mark.parametrize(
    ("barrier", "adds", "is_proved"),
    [("bar.sync 0;", 1, True), ("bar.sync 0;", 2, False), ("", 1, False)],
)
def test_threads_that_parted_meet_wherever_the_text_has_their_way(
    barrier: str, adds: int, is_proved: bool
) -> None:
    """Behind the loop, as what is rare often is; not if they leave it one by one."""
    body = OUT_OF_LINE.replace("BARRIER", barrier).replace("ADDS", str(adds))
    assert bool(why(".param .u64 data", body)) is not is_proved


OF_ONE_PLACE = """
	ld.param.u64 %rd0, [data];
	ld.param.u32 %r9, [n];
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	setp.lt.u32 %p1, %r0, 32;
	setp.lt.u32 %p2, %r9, 5;
	mov.u32 %r4, 0;
	LOAD
	setp.eq.u32 %p0, %r4, 0;
	@%p0 bra END;
	st.shared.u32 [%r2], %r0;
	bar.sync 0;
	ld.shared.u32 %r6, [%r3];
	STORE
END:
	ret;
}
"""
ONE = "ld.global.u32 %r4, [%rd0];"


@pytest.mark.parametrize(
    ("load", "store", "is_proved"),
    [
        (ONE, "", True),
        (f"@%p2 {ONE}", "", True),
        (f"@%p1 {ONE}", "", False),
        (f"mov.u32 %r4, %r0;\n\t@%p2 {ONE}", "", False),
        (ONE.replace("%rd0", "%rd1"), "", False),
        (ONE, "st.global.u32 [%rd0+4], %r0;", False),
        (ONE.replace("u32", "relaxed.gpu.u32"), "", False),
    ],
)
def test_what_all_threads_load_from_one_place_is_one_number(
    load: str, store: str, is_proved: bool
) -> None:
    """If all do or none, and nobody writes to the array."""
    body = OF_ONE_PLACE.replace("LOAD", load).replace("STORE", store)
    assert bool(why(".param .u64 data, .param .u32 n", body)) is not is_proved


@pytest.mark.parametrize("by", [3, 5, 6, 7, 12])
def test_the_high_half_of_a_counts_product(by: int) -> None:
    """What is followed is what the instruction gives, for each number of iterations."""
    places = by.bit_length() - 1
    factor = -(-(1 << 32 + places) // by)
    symbol, step, ends = Counted(0), 2 * by, (0, 1, 17, ((1 << 31) - 1) // (2 * by) - 9)
    for first in range(2 * step):
        value = Value(np.full(32, first), ((symbol, step),))
        found = high_half(value, factor)
        if found is None:  # the rest of the division is too large to be left out
            assert (factor * by - (1 << 32 + places)) > 2
            continue
        assert found.array is not None
        for count in ends:
            (said,) = {dict(found.terms)[symbol] * count + int(found.array[0])}
            assert said == (first + step * count) * factor >> 32


def test_a_count_below_zero_is_no_unsigned_number() -> None:
    """It would be a large one, which no bound of the sum tells."""
    facts = Facts({((Counted(0), 1),): Range(0, FAR)})
    bound = Value(np.zeros(32, np.int64), ((Argument("n", 32), 1),))
    mask = np.ones(32, bool)
    for first, is_known in ((0, True), (-1, False)):
        count = Value(np.full(32, first), ((Counted(0), 1),))
        found = ways(facts, ("lt", "u32"), count, bound, mask)
        assert (found is not None) is is_known


@pytest.mark.parametrize("first", [0, 1, 5, -1, (1 << 31) - 1, -(1 << 31)])
@pytest.mark.parametrize("words", sorted(EXTREMES))
def test_a_chosen_number_is_in_its_range(words: tuple[str, ...], first: int) -> None:
    """Of a number and of half of an argument, whatever that is."""
    half = Made(("shr", "u32"), ((0, ((Argument("n", 32), 1),)), (1, ())))
    whole, word = words[-1] == "s32", 1 << 32
    for second in (((half, 1),), ((Argument("n", 32), 1),)):
        symbol = Made(words, ((first, ()), (3, second)))
        said = Facts().range(((symbol, 1),))
        for n in (
            0,
            1,
            2,
            7,
            (1 << 31) - 4,
            (1 << 31) - 3,
            1 << 31,
            word - 4,
            word - 1,
        ):
            other = 3 + (n >> 1 if second[0][0] is half else n)
            sides = [
                (side + word // 2) % word - word // 2 if whole else side % word
                for side in (first, other)
            ]
            found = (min if words[0] == "min" else max)(sides)
            found = max(found, 0) if "relu" in words else found
            assert said.least <= found % word <= said.most


def test_what_is_equal_keeps_its_bounds() -> None:
    """A symbol that a sum takes the place of may not be what the sum cannot be."""
    n, m = Argument("n", 32), Argument("m", 32)
    facts = Facts({((n, 1),): Range(5, 9)})
    assert facts.copy().solve(n, 2, ((m, 1),))
    known = facts.copy()
    known.solve(n, 2, ((m, 1),))
    assert known.range(((m, 1),)) == Range(3, 7)
    assert not Facts({**facts.known, ((m, 1),): Range(8, 9)}).solve(n, 2, ((m, 1),))


def test_equality_is_that_of_signed_and_of_unsigned_numbers() -> None:
    """A count below zero comes to zero; it may not be compared otherwise."""
    facts = Facts({((Counted(0), 1),): Range(0, FAR)})
    count = Value(np.full(32, -3), ((Counted(0), 1),))
    zero, mask = Value(np.zeros(32, np.int64)), np.ones(32, bool)
    assert len(ways(facts, ("eq", "b32"), count, zero, mask) or []) == 3
    assert ways(facts, ("lt", "u32"), count, zero, mask) is None
