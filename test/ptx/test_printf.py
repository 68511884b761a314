# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vprintf against the C library's snprintf, and its errors."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from ptx_harness import module

from cuda_tile.emulator import FindingError, Report, launch
from cuda_tile.emulator.launch import Mode

Value = int | float | str | tuple[int]
KERNEL = """
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 layout[] = {LAYOUT};
.global .align 1 .b8 word[4] = {97, 98, 99, 0};
.visible .entry k(.param .u64 out)
{
	.local .align 8 .b8 depot[64];
	.reg .b64 %d, %l, %g, %q, %s;
	.reg .b32 %r;
	mov.u64 %d, depot;
	cvta.local.u64 %l, %d;
	mov.u64 %g, layout;
	cvta.global.u64 %g, %g;
	mov.u64 %s, word;
	cvta.global.u64 %s, %s;
	STORES
	{
	.param .b64 a;
	.param .b64 b;
	.param .b32 c;
	st.param.b64 [a], %g;
	st.param.b64 [b], %l;
	call.uni (c), vprintf, (a, b);
	ld.param.b32 %r, [c];
	}
	ld.param.u64 %q, [out];
	st.global.u32 [%q], %r;
	ret;
}
"""


def stored(values: tuple[Value, ...]) -> str:
    """PTX that writes an argument list: each value at a multiple of its size."""
    lines: list[str] = []
    place = 0
    for value in values:
        size = 4 if isinstance(value, int) else 8
        place = -(-place // size) * size
        if isinstance(value, int):
            lines.append(f"mov.u32 %r, {value}; st.local.u32 [%d+{place}], %r;")
        elif isinstance(value, str):
            lines.append(f"st.local.u64 [%d+{place}], %s;")
        else:
            number = value[0] if isinstance(value, tuple) else _bits(value)
            lines.append(f"mov.u64 %q, {number}; st.local.u64 [%d+{place}], %q;")
        place += size
    return "\n\t".join(lines)


def _bits(value: float) -> int:
    return int(np.array([value]).view(np.uint64)[0])


def printed(
    layout: str, *values: Value, block: int = 1, mode: Mode = "adversarial"
) -> tuple[Report, int]:
    """Runs the kernel; returns its report and what the call returned."""
    octets = ", ".join(str(octet) for octet in [*layout.encode(), 0])
    text = KERNEL.replace("LAYOUT", octets).replace("STORES", stored(values))
    result = np.zeros(1, np.int32)
    args: list[Any] = [result]
    return launch(module(text), grid=1, block=block, args=args, mode=mode), result[0]


def wanted(layout: str, values: tuple[Value, ...]) -> str:
    """What the C library makes of the same arguments."""
    passed: list[Any] = []
    for value in values:
        if isinstance(value, tuple):
            passed.append(ctypes.c_int64(value[0]))
        elif isinstance(value, str):
            passed.append(ctypes.c_char_p(value.encode()))
        else:
            passed.append(
                ctypes.c_int32(value)
                if isinstance(value, int)
                else ctypes.c_double(value)
            )
    buffer = ctypes.create_string_buffer(4096)
    ctypes.CDLL(None).snprintf(buffer, 4096, layout.encode(), *passed)
    return buffer.value.decode("latin-1")


CALLS: list[tuple[str, tuple[Value, ...]]] = [
    ("x = %5.3f, %llx of %s, %c%%\n", (3.14159, (1 << 40,), "abc", 65)),
    ("%d %i %u %o %x %X", (-1, 2, -1, 8, 255, 255)),
    ("%#x %#X %#o %#x %#o", (255, 255, 8, 0, 0)),
    ("[%5d] [%-5d] [%05d] [%+d] [% d]", (42, 42, -42, 42, 42)),
    ("[%.3d] [%8.3d] [%.0d] [%08.3d] [%-8x]", (5, -5, 0, 7, 255)),
    ("%hd %hhd %hu %hhx", (70000, 300, 70000, -1)),
    ("%lld %ld %llu", ((-(1 << 63),), (-5,), (-1,))),
    ("%f %F %e %E %g %G", (1.5, -2.5, 1e-10, 1e20, 1e-7, 123456789.0)),
    ("[%10.2f] [%-10.2e] [%010.2f] [%+.0f] [%#.0f]", (3.14159, 2.0, -1.5, 2.5, 3.0)),
    ("%f %F %5f [%05f]", (float("inf"), float("-inf"), float("nan"), float("inf"))),
    ("%a %A %a %a", (1.0, 2.5, -0.1, 0.0)),
    ("[%20a] [%020a] [%.2a] [%#.0a]", (1.5, -1.5, 1.999, 1.0)),
    ("[%*d] [%-*d] [%.*f] [%*d]", (5, 42, 5, 42, 2, 1.255, -6, 42)),
    ("[%5s] [%-5s] [%.2s] [%s]", ("abc", "abc", "abc", "abc")),
    ("%c%c%c [%3c] [%-3c]", (72, 105, 33, 65, 66)),
    ("%p [%20p]", ((0x1234,), (0x5678,))),
    ("no arguments, 100%%", ()),
]


@pytest.mark.parametrize(("layout", "values"), CALLS, ids=[c[0][:20] for c in CALLS])
def test_it_formats_as_c_does(layout: str, values: tuple[Value, ...]) -> None:
    report, count = printed(layout, *values)
    assert report.stdout == wanted(layout, values)
    # CUDA C++ Programming Guide: it returns how many arguments it parsed.
    assert count == len(values)


def test_a_null_string_and_characters_above_255() -> None:
    assert printed("%s|%c", (0,), 0x12C)[0].stdout == "(null)|,"


def test_each_thread_prints() -> None:
    assert printed("%d\n", 7, block=3)[0].stdout == "7\n7\n7\n"


@pytest.mark.parametrize("layout", ["%k", "%n", "100%", "%-", "%'d", "%Lf", "%b"])
def test_what_is_no_conversion_of_c(layout: str) -> None:
    with pytest.raises(FindingError) as caught:
        printed(layout, 1.0)
    assert "printf: expected a conversion of C's printf" in str(caught.value)
    assert "call.uni (c), vprintf" in caught.value.finding.instruction


@pytest.mark.parametrize("layout", ["%999999999999d", "%.5000f", "%*d"])
def test_a_field_is_not_endless(layout: str) -> None:
    with pytest.raises(FindingError, match="a width and precision of at most 4096"):
        printed(layout, 1 << 30, 1.0, 1.0)


def test_too_few_arguments() -> None:
    with pytest.raises(FindingError) as caught:
        printed("%d %d", 1)
    assert "uninitialised: 4 bytes of the arguments" in str(caught.value)
    assert "more of them than there are?" in str(caught.value)
    assert "vprintf" in caught.value.finding.instruction


def test_what_the_host_reads_is_not_counted() -> None:
    report, _ = printed("%d and a long text to read", 7)
    (call,) = [i for i in report.by_instruction() if i["mnemonic"] == "call.uni"]
    assert (call["warps"], call["requests"], call["bytes"]) == (1, 0, 0)
    # Only the store of the result reaches memory.
    assert (report.totals["requests"], report.totals["sectors"]) == (1, 1)


ASSERT = """
.extern .func __assertfail
    (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[6] = {105, 32, 60, 32, 57, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {102, 0};
.visible .entry k()
{
	.reg .b32 %r;
	.reg .b64 %a, %b, %c;
	.reg .pred %p;
	mov.u32 %r, %tid.x;
	setp.lt.u32 %p, %r, 41;
	@%p bra FINE;
	mov.u64 %a, message;
	mov.u64 %b, file;
	mov.u64 %c, name;
	{
	.param .b64 m;
	.param .b64 f;
	.param .b32 l;
	.param .b64 n;
	.param .b64 s;
	st.param.b64 [m], %a;
	st.param.b64 [f], %b;
	st.param.b32 [l], 12;
	st.param.b64 [n], %c;
	st.param.b64 [s], 1;
	call.uni __assertfail, (m, f, l, n, s);
	}
FINE:
	ret;
}
"""


def test_an_assertion_names_its_place_and_thread() -> None:
    with pytest.raises(FindingError) as caught:
        launch(module(ASSERT), grid=1, block=64, args=[])
    assert str(caught.value).endswith(
        "assert: a.cu:12: f: assertion 'i < 9' failed in block (0, 0, 0), warp 1 "
        "(lane 9)"
    )


STUCK = """
.visible .entry k()
{
	.reg .b32 %r;
	.reg .pred %p;
	mov.u32 %r, %tid.x;
	setp.lt.u32 %p, %r, 32;
	@%p bra OTHER;
	bar.sync 1, 96;
	bra DONE;
OTHER:
	bar.sync 2, 64;
DONE:
	ret;
}
"""


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_a_deadlock_says_who_waits_once(mode: Mode) -> None:
    with pytest.raises(FindingError) as caught:
        launch(module(STUCK), grid=(2, 3), block=96, args=[], mode=mode)
    parts = caught.value.finding.message.split("; ")
    blocks = r"of block (0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)"
    more = "" if mode == "adversarial" else " and 2 more"
    assert sorted(parts) == [
        f"warp 0 {blocks}{more} wait at line 15 at barrier 2, where 32 of 64 threads "
        "arrived",
        f"warp 1, warp 2 {blocks}{more} wait at line 12 at barrier 1, where 64 of 96 "
        "threads arrived",
    ]
    with pytest.raises(FindingError, match=r"warp 0 waits at line 15"):
        launch(module(STUCK), grid=1, block=96, args=[], mode=mode)


def test_trap_says_which_threads() -> None:
    text = ".visible .entry k() { trap; ret; }"
    with pytest.raises(FindingError, match="trap: 3 threads reached it, the first is"):
        launch(module(text), grid=1, block=3, args=[])
    launch(module(text.replace("trap", "brkpt")), grid=1, block=3, args=[])
