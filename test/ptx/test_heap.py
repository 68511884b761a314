# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""malloc and free: what a kernel gets, and what it must not do with it."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, launch

DECLARED = """
.extern .func (.param .b64 address) malloc (.param .b64 bytes);
.extern .func free (.param .b64 address);
"""
KERNEL = """
.visible .entry k(.param .u64 out)
{
	.reg .b64 %a, %b, %o;
	.reg .b32 %r, %t;
	.reg .pred %p;
	ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	setp.ne.u32 %p, %t, 0;
	@%p bra END;
	mov.u64 %b, SIZE;
	{
	.param .b64 bytes;
	.param .b64 address;
	st.param.b64 [bytes], %b;
	call.uni (address), malloc, (bytes);
	ld.param.b64 %a, [address];
	}
	st.global.u64 [%o], %a;
	BODY
END:
	ret;
}
"""
FREE = """
	{
	.param .b64 gone;
	st.param.b64 [gone], %a;
	call.uni free, (gone);
	}
"""


def run(body: str, size: int = 64) -> int:
    """The address that malloc gave."""
    text = DECLARED + KERNEL.replace("BODY", body).replace("SIZE", str(size))
    out = np.zeros(1, np.uint64)
    launch(module(text), grid=1, block=32, args=[out], mode="adversarial")
    return int(out[0])


def test_memory_that_can_be_used_and_freed() -> None:
    body = "st.u32 [%a+60], 7; ld.u32 %r, [%a+60]; st.global.u32 [%a], %r;" + FREE
    address = run(body)
    assert address
    assert address % 16 == 0


def test_too_much_is_a_null_pointer() -> None:
    assert run("", 9 << 20) == 0
    assert run("", (1 << 63) + 5) == 0


def test_freeing_nothing_is_nothing() -> None:
    run("mov.u64 %a, 0;" + FREE)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("st.global.u32 [%a+64], 7;", "outside every array"),
        (FREE + "ld.global.u32 %r, [%a];", "outside every array"),
        (FREE + FREE, "memory that was freed before"),
        ("add.u64 %a, %a, 8;" + FREE, "no memory of malloc"),
    ],
)
def test_wrong_uses(body: str, said: str) -> None:
    with pytest.raises(FindingError, match=said):
        run(body)
