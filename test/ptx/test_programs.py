# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complete kernels: ptxas accepts them, and they are right in any order of warps.

`tools/adversarial` runs 100 seeds, this file a few. `tools/checks/mutation.py` checks
that all their synchronisation is necessary.
"""

from __future__ import annotations

import pytest
from make_tc_gemm import TensorGemm
from ptx_harness import assemble
from ptx_programs import PROGRAMS

from cuda_tile.emulator import FindingError

SEEDS = 4


@pytest.mark.parametrize("name", PROGRAMS)
def test_ptxas_takes_it(name: str) -> None:
    assert assemble(PROGRAMS[name].text, PROGRAMS[name].target) == ""


@pytest.mark.parametrize("name", PROGRAMS)
def test_fast(name: str) -> None:
    PROGRAMS[name].run("fast")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_adversarial(name: str, seed: int) -> None:
    PROGRAMS[name].run("adversarial", seed)


def test_a_race_names_both_parties() -> None:
    text = PROGRAMS["scan"].text.replace("bar.sync 0;", "", 1)
    with pytest.raises(FindingError) as caught:
        PROGRAMS["scan"].run("fast", text=text)
    finding = caught.value.finding
    assert finding.kernel == "scan"
    assert finding.instruction in text
    assert "warp" in finding.message
    assert "line" in finding.message


def test_a_wrong_barrier_count_is_a_deadlock_that_says_who_waits() -> None:
    text = PROGRAMS["pipeline"].text.replace("bar.sync 2, 128;", "bar.sync 2, 192;")
    with pytest.raises(FindingError, match=r"barrier|deadlock"):
        PROGRAMS["pipeline"].run("fast", text=text)


def test_a_barrier_that_half_the_warps_reach_is_a_deadlock() -> None:
    text = PROGRAMS["scan"].text.replace(
        "\tld.param.u64 %rd2, [result];",
        "\tsetp.ge.u32 %p2, %r0, 64;\n\t@%p2 bar.sync 1, 128;\n"
        "\tld.param.u64 %rd2, [result];",
    )
    with pytest.raises(FindingError, match=r"deadlock.*64 of 128 threads"):
        PROGRAMS["scan"].run("fast", text=text)


@pytest.mark.parametrize("kernel", [TensorGemm(1), TensorGemm(2)], ids=lambda k: k.name)
def test_the_tensor_memory_gemms_are_what_their_script_writes(
    kernel: TensorGemm,
) -> None:
    assert PROGRAMS[kernel.name].text == kernel.text()
