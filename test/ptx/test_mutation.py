# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutation engine: mutants of single statements."""

from __future__ import annotations

import pytest
from ptx_mutation import KINDS, mutants
from ptx_programs import PROGRAMS

from cuda_tile.emulator import parse

CASES = {
    "bar.sync 0;": [("barrier", "delete", "")],
    "bar.sync 1, %r2;": [
        ("barrier", "delete", ""),
        ("thread count", "+32", "add.u32 %shifted, %r2, 32; bar.sync 1, %shifted;"),
        ("thread count", "-32", "add.u32 %shifted, %r2, -32; bar.sync 1, %shifted;"),
    ],
    "@!%p1 fence.acq_rel.gpu;": [
        ("fence", "delete", ""),
        ("scope", "narrow", "@!%p1 fence.acq_rel.cta ;"),
    ],
    "cp.async.wait_group 0;": [
        ("wait", "delete", ""),
        ("group count", "+1", "cp.async.wait_group 1;"),
    ],
    "mbarrier.init.shared.b64 [x+8], 2;": [
        ("init", "delete", ""),
        ("arrival count", "+1", "mbarrier.init.shared.b64 [x+8], 3;"),
        ("arrival count", "-1", "mbarrier.init.shared.b64 [x+8], 1;"),
    ],
    "mbarrier.arrive.expect_tx.shared.b64 _, [x], 96;": [
        ("arrive", "delete", ""),
        ("tx bytes", "+1", "mbarrier.arrive.expect_tx.shared.b64 _, [x], 97;"),
        ("tx bytes", "-1", "mbarrier.arrive.expect_tx.shared.b64 _, [x], 95;"),
        ("tx bytes", "without", "mbarrier.arrive.shared.b64 _, [x];"),
    ],
    "mbarrier.try_wait.parity.shared.b64 %p1, [x], %r3;": [
        ("wait", "delete", "setp.eq.u32 %p1, 0, 0;"),
        ("parity", "flip", "xor.b32 %shifted, %r3, 1;"),
    ],
    "st.release.gpu.u32 [%rd1], %r1;": [
        ("order", "weaken", "st.relaxed.gpu.u32 [%rd1], %r1;"),
        ("scope", "narrow", "st.release.cta.u32 [%rd1], %r1;"),
    ],
    "add.u32 %r1, %r2, %r3;": [],
}


@pytest.mark.parametrize("text", CASES)
def test_statements(text: str) -> None:
    found = [(m.kind, m.change) for m in mutants(text)]
    assert found == [(kind, change) for kind, change, _ in CASES[text]]
    for mutant, (_, _, wanted) in zip(mutants(text), CASES[text], strict=True):
        assert wanted in mutant.text if wanted else not mutant.text.strip()


def test_comments_are_no_statements_and_lines_keep_their_numbers() -> None:
    text = "// bar.sync 0;\n/* fence.acq_rel.gpu; */\nbar.sync\n  0;\nret;"
    (mutant,) = mutants(text)
    assert (mutant.line, mutant.instruction) == (3, "bar.sync 0;")
    assert mutant.text.splitlines()[4] == "ret;"


@pytest.mark.parametrize("name", PROGRAMS)
def test_mutants_are_ptx_that_differs(name: str) -> None:
    found = list(mutants(PROGRAMS[name].text))
    assert found
    assert {mutant.kind for mutant in found} <= set(KINDS)
    for mutant in found:
        assert mutant.text != PROGRAMS[name].text
        parse(mutant.text)
