# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX that Triton compiled from our kernels runs unchanged, with correct results.

Triton's layouts work on the hardware, so its PTX validates our reading of the ISA's
figures; docs/emulator.md lists which.
"""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble
from triton_kernels import kernels
from triton_products import problem_of

from cuda_tile.emulator import FindingError

pytestmark = pytest.mark.sampled(8)

NAMES = sorted(kernels())
SEEDS = 2

# By the letter of the ISA these are no faults of ours: see docs/synchronisation.md.
UNORDERED_REGISTERS = "matmul_f16_sums.sm_90"
UNORDERED_FACTORS = [
    name for name in NAMES if name.startswith("tma_scaled") and "sm_100" in name
]
FAULTY = {UNORDERED_REGISTERS, *UNORDERED_FACTORS}
RIGHT = [name for name in NAMES if name not in FAULTY]

# Each way to synchronise, on each target once.
ORDERED = [
    "atomics.sm_90",
    "locked_sum.sm_80",
    "last_one_adds.sm_90",
    "wait_for_left.sm_80",
    "poll_for_left.sm_90",
    "split_k.sm_90",
    "sort_rows.sm_90",
    "recurrence.sm_80",
    "copies_in_flight.sm_80",
    "matmul_f16.sm_80",
    "matmul_f16.sm_90",
    "matmul_f16.sm_100",
    "attention.sm_80",
    "attention.sm_90",
    "attention.sm_100",
    "dot_scaled_mxfp4.sm_100",
    "tma_matmul_f16.sm_90",
    "tma_matmul_f16.sm_100",
    "tma_matmul_pair.sm_90",
    "tma_matmul_pair.sm_100",
    "tma_matmul_f16_specialized.sm_100",
    "persistent_matmul_specialized.sm_100",
    "tma_attention.sm_90",
    "tma_attention_specialized.sm_100",
    "own_descriptors.sm_100",
    "pick_rows.sm_100",
    "tma_reductions.sm_90",
    "products_in_flight.sm_90",
    "accumulate_in_tensor_memory_of_16_by_256b.sm_100",
    "left_in_tensor_memory.sm_100",
    "through_tensor_memory.sm_100",
    "product_of_a_pair_of_256_rows.sm_100",
    "product_of_a_pair_of_128_rows.sm_100",
    "share_a_copy.sm_90",
    "sum_over_the_cluster.sm_90",
]


@pytest.mark.parametrize("name", RIGHT)
def test_fast(name: str) -> None:
    kernels()[name].run(problem_of(name), "fast")


@pytest.mark.parametrize("name", ORDERED)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_adversarial(name: str, seed: int) -> None:
    kernels()[name].run(problem_of(name), "adversarial", seed)


def test_registers_of_a_product_in_flight() -> None:
    """Triton reads half-precision sums before the wait; ptxas repairs that."""
    kernel = kernels()[UNORDERED_REGISTERS]
    with pytest.raises(FindingError, match=r"wgmma in flight.*wgmma\.wait_group"):
        kernel.run(problem_of(kernel.name), "fast")
    assert assemble(kernel.text, kernel.target) == ""


@pytest.mark.parametrize("name", UNORDERED_FACTORS)
def test_scale_factors_that_a_product_may_still_read(name: str) -> None:
    """Triton lets tcgen05.cp follow tcgen05.mma, which form no pipeline."""
    kernel = kernels()[name]
    problem = problem_of(name)(np.random.default_rng(0))
    report = kernel.start(problem, "adversarial", collect=True)
    kernel.check(problem, report)
    assert report.findings
    for finding in report.findings:
        assert finding.kind == "tensor memory"
        assert finding.instruction.partition(" ")[2].startswith("tcgen05.cp")
        assert "no wait for an mbarrier" in finding.message


@pytest.mark.parametrize("name", UNORDERED_FACTORS)
def test_scale_factors_in_the_order_of_issue(name: str) -> None:
    """Nothing else is wrong with them."""
    kernel = kernels()[name]
    problem = problem_of(name)(np.random.default_rng(0))
    report = kernel.start(problem, "adversarial", order="issue")
    kernel.check(problem, report)
    assert not report.findings
