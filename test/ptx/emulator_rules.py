# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emulator's rules of who is ordered with whom, and a mutant without each.

Every rule names the tests that fail without it;
`tools/checks/emulator_mutation.py` runs them against the mutants, and writes the table
of docs/synchronisation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cuda_tile

PACKAGE = Path(cuda_tile.__file__).parent / "emulator"


@dataclass(frozen=True)
class Rule:
    """A rule, and how to take it away.

    Attributes:
        about: What it says.
        module: Where it stands, without `cuda_tile.emulator`.
        old: Its text there, found exactly once.
        new: What stands there instead in the mutant.
        tests: Tests of this folder that fail for the mutant.
    """

    about: str
    module: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file of the module."""
        return PACKAGE.joinpath(*self.module.split(".")).with_suffix(".py")

    def applied(self) -> str:
        """The module's source without the rule."""
        text = self.path.read_text()
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.about}: expected its text once in {self.path.name}, "
                f"got {text.count(self.old)} times"
            )
        return text.replace(self.old, self.new)


LANES = "test_detector_lanes.py"
LIST = "test_detector_list.py"
ENDED = "test_ended_threads.py"
READERS = "test_many_readers.py"
GRIDS = "test_programmatic_launch.py"
COLUMNS = "test_tcgen05_columns.py"


def found(name: str, file: str = LANES) -> str:
    """The test that a fault of a list is reported."""
    return f"{file}::test_a_fault_is_reported[{name}]"


def silent(name: str, file: str = LANES) -> str:
    """The test that its right form is not."""
    return f"{file}::test_the_right_form_is_silent[{name}]"


RULES = (
    Rule(
        "a strong load may return an older write",
        "ordering.older_writes",
        "        if not self._writes or size not in _SIZES:\n",
        "        if size:\n",
        (
            "test_locks.py::test_a_lock_needs_each_fence[volatile-1]",
            "test_locks.py::test_a_lock_needs_each_fence[relaxed-2]",
            "test_older_writes.py::test_both_stores_may_be_late",
        ),
    ),
    Rule(
        "but none that happens before another one it knows",
        "ordering.older_writes",
        "        return self._is_known(warp, write.owner, write.clock)\n",
        "        return False\n",
        ("test_older_writes.py::test_a_message_with_fences_is_new",),
    ),
    Rule(
        "nor one older than what somebody has read",
        "ordering.older_writes",
        "        if write.is_observed or write.owner == me:\n",
        "        if write.owner == me:\n",
        ("test_older_writes.py::test_reads_of_one_word_are_in_order",),
    ),
    Rule(
        "nor one that fence.sc orders",
        "ordering.older_writes",
        "        if fenced is not None and int(fenced[write.owner]) >= write.clock:\n",
        "        if fenced is not None and me < 0:\n",
        ("test_older_writes.py::test_sequential_consistency_forbids_it",),
    ),
    Rule(
        "what a lane acquires of other CTAs, its mates do not know",
        "ordering.lane_knowledge",
        "        if self._now is None or self._now.warp != warp:\n",
        "        if warp >= 0:\n",
        (
            found("lanes of a warp: one acquires"),
            found("lanes of a warp: one acquires under a guard"),
        ),
    ),
    Rule(
        "what a lane learns while it runs alone is its own",
        "ordering.lane_knowledge",
        "        row[:] = visit.before\n        row[0, agent] = own\n        self._now",
        "        row[0, agent] = own\n        self._now",
        (
            found("lanes of a warp: one waits for the mbarrier of another"),
            f"{LANES}::test_a_wait_of_one_lane_is_seen_under_every_seed[5]",
        ),
    ),
    Rule(
        "a lane that arrives alone releases what it knows",
        "sync.mbarriers",
        "                machine.lane_knowledge.releases(lanes, known)\n",
        "                pass\n",
        (
            found("a lane arrives for mates whose stores it does not know"),
            found("a lane arrives for mates whose loads it does not know"),
        ),
    ),
    Rule(
        "so does one that releases to other CTAs",
        "ordering.global_order",
        "if self._lanes is not None and self._lanes.is_alone_in_global(lanes):",
        "if warp < 0:",
        (
            found("a lane releases for mates whose stores it does not know"),
            found(
                "a lane fences for mates whose stores to global memory it does not know"
            ),
        ),
    ),
    Rule(
        "which is all that it did itself",
        "shadow.global_shadow",
        "        return lanes != lone\n",
        "        return np.ones(lanes.shape, np.bool_)\n",
        (f"{LANES}::test_what_a_lane_wrote_and_releases_alone",),
    ),
    Rule(
        "a lane that fences the proxies alone does so for what it knows",
        "sync.mbarriers",
        "                knowledge.fences(lanes, before)\n",
        "                pass\n",
        (found("a lane fences for mates whose stores it does not know"),),
    ),
    Rule(
        "cp.async.wait_group waits for the copies of who executes it",
        "sync.copies",
        "        limit[lanes.index] = self._committed[lanes.index] - pending\n"
        "        if everything:\n            limit[lanes.index] += 1\n",
        "        limit[:] = self._committed - pending + everything\n",
        (found("lanes of a warp: the copies of who did not wait"),),
    ),
    Rule(
        "and tells its mates nothing of them",
        "sync.copies",
        "            if agent < 0:\n",
        "            if agent < -1:\n",
        (
            found("lanes of a warp: each waits for its own copies"),
            found("lanes of a warp: the copy of another overwritten"),
        ),
    ),
    Rule(
        "cp.async overwrites what mates have read",
        "sync.copies",
        "machine.lane_order.begin_copy(at, who, offsets, size, writes=True)",
        "del who",
        (found("lanes of a warp: a copy overwrites"),),
    ),
    Rule(
        "lanes of a warp race in global memory",
        "shadow.global_shadow",
        "where = where.any(axis=0) & ~self._has_met(access, record)",
        "where = np.zeros(len(access.cells), np.bool_)",
        (found("lanes of a warp: global memory"),),
    ),
    Rule(
        "but not with what they know",
        "shadow.global_shadow",
        "        known = (horizon >= record.clock) | (record.at == access.record.at)\n",
        "        known = (horizon < 0) | (record.at == access.record.at)\n",
        (silent("lanes of a warp: global memory"),),
    ),
    Rule(
        "bar.warp.sync is a meeting of lanes",
        "isa.barrier",
        "    machine.lane_knowledge.meet(lanes)\n",
        "    del lanes\n",
        (
            silent("lanes of a warp"),
            silent("lanes of a warp: one acquires"),
            silent("lanes of a warp: one waits for the mbarrier of another"),
        ),
    ),
    Rule(
        "a shuffle is none",
        "isa.warp",
        "        lane, valid = place(lanes)\n        lanes.put(dst",
        "        lane, valid = place(lanes)\n        if b.machine.lane_knowledge:\n"
        "            b.machine.lane_knowledge.meet(lanes)\n        lanes.put(dst",
        (
            found("lanes of a warp: a shuffle does not order memory"),
            f"{LANES}::test_what_is_no_meeting_of_lanes[0-shfl]",
        ),
    ),
    Rule(
        "lanes read the elements of ldmatrix that they get",
        "isa.matrix",
        "            machine.lane_order.read(at, who, places, 2)\n",
        "            del who, places\n",
        (found("lanes of a warp: rows of a matrix"),),
    ),
    Rule(
        "lanes write the elements of stmatrix that they hold",
        "isa.matrix",
        "            machine.lane_order.write(at, who, places, data.reshape(-1, 2))\n",
        "            del who, places\n",
        (found("lanes of a warp: stored rows of a matrix"),),
    ),
    Rule(
        "a kernel starts with no more registers than setmaxnreg.inc asks for",
        "sync.register_pool",
        "min(self._limit, self._largest or self._limit)",
        "self._limit",
        (
            "test_mbarrier.py::"
            "test_a_kernel_starts_with_no_more_registers_than_inc_asks_for[fast]",
        ),
    ),
    Rule(
        "setmaxnreg.inc takes what others gave",
        "sync.register_pool",
        "if (count - have) * WARP_LANES <= self._free[self._cta(int(warp))]:",
        "if count:",
        ("test_mbarrier.py::test_setmaxnreg_takes_what_others_gave[adversarial]",),
    ),
    Rule(
        "set on packed halves fills the half of an integer result",
        "isa.compare",
        "    return 0xFFFF if is_packed else (1 << ty.bits) - 1\n",
        "    return (1 << ty.bits) - 1\n",
        ("test_isa_compare.py::test_compare",),
    ),
    Rule(
        "cp.async writes through the generic proxy, also for wgmma",
        "shadow.async_shadow",
        "        self._store(at, offsets, data, warps, memory, clock)\n"
        "        if clock is not None:\n",
        "        self.write_slot(at, offsets, data, warps, memory)\n"
        "        if clock is not None:\n",
        (found("generic writes of cp.async, read by wgmma", LIST),),
    ),
    Rule(
        "and so it does where it completes on an mbarrier",
        "shadow.async_shadow",
        "            generic |= self._generic[cells]\n",
        "            pass\n",
        (found("generic writes of cp.async that arrive at an mbarrier", LIST),),
    ),
    Rule(
        "the grid of .blocksareclusters counts clusters",
        "extents",
        "    x, y, z = (n * m for n, m in zip(grid, own[1], strict=True))\n",
        "    x, y, z = grid\n",
        ("test_launch.py::test_a_grid_of_clusters",),
    ),
    Rule(
        "a barrier orders what those did that take part, not what warps that ended did",
        "shadow.shared",
        "            self.clocks.meet(cta, warps, warps)\n",
        "            everybody = np.arange(self._n_warps)\n"
        "            everybody += cta % self._ctas_per_cluster * self._n_warps\n"
        "            self.clocks.meet(cta, everybody, everybody)\n",
        (
            f"{ENDED}::test_a_warp_that_ended_does_not_meet[0-global-0]",
            f"{ENDED}::test_a_warp_that_ended_does_not_meet[0-global, read first-0]",
        ),
    ),
    Rule(
        "nor does it clear the history of those",
        "shadow.shared",
        "        if not self._has_traces[cta]:\n",
        "        if not self.keeps:\n",
        (
            f"{ENDED}::test_a_warp_that_ended_does_not_meet[0-shared, read first-0]",
            f"{ENDED}::test_fast_mode_remembers_who_ended_too[3]",
        ),
    ),
    Rule(
        "bar.arrive orders what precedes it, not what follows",
        "machine.barriers",
        "        if not barrier.waits or not self._is_all_of_its_warps(lanes):\n",
        "        if not self._is_all_of_its_warps(lanes):\n",
        (f"{ENDED}::test_what_follows_an_arrival_is_not_ordered",),
    ),
    Rule(
        "what a lane that ended released to nobody, its warp does not release",
        "ordering.lane_knowledge",
        "            self._silence(lane)\n",
        "            pass\n",
        (
            f"{ENDED}::test_a_lane_that_ended_does_not_meet[0-shared-warp]",
            f"{ENDED}::test_a_lane_that_ended_does_not_meet[0-shared, read first-warp]",
            f"{ENDED}::test_a_lane_that_ended_does_not_meet[0-global-warp]",
            f"{ENDED}::test_a_lane_that_ended_does_not_meet[0-global-mate]",
        ),
    ),
    Rule(
        "but what it released itself is ordered",
        "sync.mbarriers",
        "        if machine.lane_knowledge is not None:\n"
        "            machine.lane_knowledge.tells(lanes)\n"
        "        for cta, warps",
        "        for cta, warps",
        (f"{ENDED}::test_what_it_released_is_ordered[0-global-warp]",),
    ),
    Rule(
        "no reader of a byte is lost, however many there are",
        "shadow.global_history",
        "            self._crowd_out(ways[~is_free], cells[~is_free], number, keep)\n",
        "            pass\n",
        (
            f"{READERS}::test_one_of_many_warps_does_not_tell",
            f"{READERS}::test_one_of_many_blocks_does_not_tell[0-0]",
        ),
    ),
    Rule(
        "but those that a later reader knows are forgotten",
        "shadow.global_shadow",
        "        kept = self._is_doubtful(access, numbers)\n",
        "        kept = np.ones(len(numbers), np.bool_)\n",
        (f"{READERS}::test_ordered_reads_are_forgotten",),
    ),
    Rule(
        "nor is the read of a mate that another one follows",
        "shadow.global_history",
        "                    same &= (self.readers(cells) == lanes) "
        "| (entry.clock <= met())\n",
        "                    pass\n",
        (f"{READERS}::test_a_mates_earlier_read_is_not_lost",),
    ),
    Rule(
        "what a preceding grid writes is touched behind griddepcontrol.wait",
        "shadow.global_shadow",
        "        if place >= 0 and not self.order.knows_preceding(warp):\n",
        "        if place > len(addresses):\n",
        (
            f"{GRIDS}::test_an_access_needs_the_wait[load]",
            f"{GRIDS}::test_an_access_needs_the_wait[bulk copy]",
            f"{GRIDS}::test_the_role_that_loads_has_to_wait[MINE-True-0]",
        ),
    ),
    Rule(
        "by who waited",
        "isa.control",
        "                clocks.learn(cta, warps, PRECEDING_GRID, 1)\n",
        "                pass\n",
        (f"{GRIDS}::test_the_role_that_loads_has_to_wait[ROLE-False-0]",),
    ),
    Rule(
        "or is ordered after who did, in other CTAs too",
        "ordering.global_order",
        "        return is_near or self._most_known(warp, -1, 0) > 0\n",
        "        return is_near\n",
        (
            f"{GRIDS}::test_the_wait_of_another_covers_who_is_ordered_after"
            "[0-a flag-blocks]",
        ),
    ),
    Rule(
        "and by each lane for itself",
        "machine.program",
        '"membar", "griddepcontrol")',
        '"membar")',
        (f"{GRIDS}::test_a_lane_waits_for_itself_alone",),
    ),
    Rule(
        "a loop that counts its polls ends",
        "ordering.polls",
        "        if all(self._repeats.values()):\n",
        "        if self._count:\n",
        (
            "test_polls.py::test_a_loop_that_counts_its_polls_ends",
            "test_polls.py::test_who_waits_for_a_loop_that_counts_is_served",
        ),
    ),
    Rule(
        "unless it does not ask for the count",
        "launch",
        "        if len(self._functions) > 1:\n",
        "        if self._functions:\n",
        ("test_polls.py::test_a_loop_that_counts_but_does_not_ask_is_a_deadlock",),
    ),
    Rule(
        "a pair allocates tensor memory only after both CTAs have started",
        "tensor.allocator",
        "            if peer != cta and not self._machine.presence.knows_started(",
        "            if cta < 0 and self._machine.presence.knows_started(",
        (
            f"{COLUMNS}::test_an_allocation_with_a_peer_that_may_not_have_started",
            f"{COLUMNS}::test_an_arrival_without_its_wait_is_no_meeting",
        ),
    ),
    Rule(
        "and gives it back only after both have allocated",
        "tensor.allocator",
        "            self._check_allocated(cta, address, partners)\n",
        "",
        (f"{COLUMNS}::test_a_deallocation_while_the_peer_may_still_allocate",),
    ),
    Rule(
        "no CTA asks for more columns while others of its multiprocessor may do so",
        "tensor.residency",
        "        return ctas if ctas * held + asked > N_COLUMNS else 0\n",
        "        return 0\n",
        (f"{COLUMNS}::test_a_request_that_resident_ctas_wait_for_forever",),
    ),
    Rule(
        "unless something else keeps them apart",
        "tensor.residency",
        "        ctas = min(self.most, N_COLUMNS // held) if held else 0\n",
        "        ctas = N_COLUMNS // held if held else 0\n",
        (f"{COLUMNS}::test_what_keeps_ctas_apart",),
    ),
    Rule(
        "no allocation of columns is larger than the one before",
        "tensor.allocator",
        "        if n_columns > self._latest[cta]:\n",
        "        if n_columns < 0:\n",
        (
            "test_tcgen05_detector.py::test_allocation_faults[lines3-expected at most "
            "the 32]",
        ),
    ),
    Rule(
        "all columns are given back before the CTA ends",
        "tensor.allocator",
        "        for owned in self._owned:\n            for allocation in",
        "        for owned in self._owned[:0]:\n            for allocation in",
        (
            "test_tcgen05_detector.py::test_allocation_faults[lines5-ends before a "
            "tcgen05.dealloc of the 32 columns]",
        ),
    ),
    Rule(
        "no CTA asks for another cluster after it saw a request fail",
        "sync.cancels",
        "        if cta in self._ended:\n",
        "        if cta < 0:\n",
        ("test_isa_cancel.py::test_a_failure_ends_the_search",),
    ),
    Rule(
        "threads fence their reads of a response before the next one",
        "isa.cancel",
        "                machine.shadow.check_reads_fenced(\n",
        "                str(\n",
        ("test_isa_cancel.py::test_reads_of_the_response_take_a_proxy_fence",),
    ),
    Rule(
        "a strict launch wants the same before bulk copies",
        "shadow.async_shadow",
        "            self.check_reads_fenced(at, offsets, size, warp)\n",
        "            pass\n",
        ("test_strict_proxies.py::test_without_a_fence",),
    ),
    Rule(
        "but not of what the asynchronous proxy reads",
        "shadow.async_shadow",
        "            self._bulk_reads[agent, cells] = clock\n",
        "            pass\n",
        (
            "test_strict_proxies.py::test_what_the_asynchronous_proxy_reads_takes_none"
            "[bulk_ring]",
        ),
    ),
    Rule(
        "nor of what tcgen05.alloc wrote",
        "shadow.async_shadow",
        "            self._known_clocks.forget_reads(cells[self._slots[cells]])\n",
        "            pass\n",
        ("test_strict_proxies.py::test_foreign_kernels[tma_matmul_f16.sm_100]",),
    ),
    Rule(
        "a fence before a relaxed arrival at the cluster's barrier orders memory",
        "sync.clusters",
        "                self._release_fenced(lanes)\n",
        "                pass\n",
        (
            "test_clusters.py::test_a_fence_before_a_relaxed_arrival_orders_memory",
            "test_isa_cancel.py::test_every_cluster_is_done_once",
        ),
    ),
    Rule(
        "products and copies complete in the order of issue only if a launch says so",
        "ordering.tensor_order",
        "        if self.by_issue and",
        "        if",
        ("test_tcgen05_detector.py::test_operations_in_the_order_of_issue",),
    ),
    Rule(
        "and only those of one thread",
        "ordering.tensor_order",
        "        return both and earlier.lane == later.lane\n",
        "        return both\n",
        (
            "test_tcgen05_detector.py::test_what_the_order_of_issue_is_not"
            "[lines0-overwrites]",
        ),
    ),
    Rule(
        "counts do not depend on where NumPy puts an array",
        "memory.alignment",
        "    return int(owner.",
        "    return 0 * int(owner.",
        ("test_alignment.py::test_an_array_is_counted_as_if_it_began_at_a_sector[16]",),
    ),
    Rule(
        "a tensor store reads only what it writes",
        "isa.bulk",
        "            if rows.size_bytes * len(rows.addresses) < size:\n",
        "            if size < 0:\n",
        ("test_bulk_copy.py::test_nobody_need_write_what_a_store_leaves_out",),
    ),
)
