# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indirect calls and recursion."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_harness import assemble, module

from cuda_tile.emulator import FindingError, launch
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.launch import Mode

MODES = ("fast", "adversarial")
FRAME = """
.visible .entry k(.param .u64 src, .param .u64 dst)
{
    .reg .b32 %i, %a, %d, %t; .reg .b64 %q, %f; .reg .pred %p;
    .param .b32 in; .param .b32 out;
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [src];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.b32 %a, [%q];
    st.param.b32 [in], %a;
    BODY
    ld.param.b32 %d, [out];
    ld.param.u64 %q, [dst];
    mad.wide.u32 %q, %i, 4, %q;
    st.global.b32 [%q], %d;
    ret;
}
"""
FUNCTIONS = """
.func (.param .b32 r) half(.param .b32 x)
{
    .reg .b32 %a;
    ld.param.b32 %a, [x];
    shr.u32 %a, %a, 1;
    st.param.b32 [r], %a;
    ret;
}
.func (.param .b32 r) triple(.param .b32 x)
{
    .reg .b32 %a;
    ld.param.b32 %a, [x];
    mad.lo.u32 %a, %a, 3, 1;
    st.param.b32 [r], %a;
    ret;
}
.func wide(.param .b64 x) { ret; }
.global .u64 table[2] = {half, triple};
"""
BY_PARITY = """
    and.b32 %t, %a, 1;
    mov.u64 %q, table;
    mad.wide.u32 %q, %t, 8, %q;
    ld.global.u64 %f, [%q];
    P0: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (out), %f, (in), P0;
"""


def run(body: str, functions: str = FUNCTIONS, mode: Mode = "fast") -> np.ndarray:
    text = module(functions + FRAME.replace("BODY", body))
    assert assemble(text, "sm_80") == ""
    source, result = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    launch(text, grid=1, block=64, args=[source, result], mode=mode)
    return result


def collatz(n: int) -> int:
    return 3 * n + 1 if n % 2 else n // 2


@pytest.mark.parametrize("mode", MODES)
def test_each_lane_calls_what_its_register_says(mode: Mode) -> None:
    assert run(BY_PARITY, mode=mode).tolist() == [collatz(n) for n in range(64)]


@pytest.mark.parametrize("mode", MODES)
def test_a_guard_and_a_list_of_targets(mode: Mode) -> None:
    body = """
    setp.gt.u32 %p, %a, 40;
    mov.b64 %f, triple;
    P0: .calltargets half, triple;
    @%p call (out), %f, (in), P0;
    @!%p call (out), half, (in);
    """
    wanted = [3 * n + 1 if n > 40 else n // 2 for n in range(64)]
    assert run(body, mode=mode).tolist() == wanted


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "P0: .callprototype (.param .b32 _) _ (.param .b32 _);"
            "mov.b64 %f, 4096; call (out), %f, (in), P0;",
            "call: expected the address of a function, got 0x1000",
        ),
        (
            "P0: .callprototype (.param .b32 _) _ (.param .b32 _);"
            "mov.b64 %f, wide; call (out), %f, (in), P0;",
            r"call: expected a function with arguments of \(4,\) and results of \(4,\) "
            "bytes, got 'wide'",
        ),
        (
            "P0: .calltargets half;mov.b64 %f, triple; call (out), %f, (in), P0;",
            "call: expected one of half, got 'triple'",
        ),
    ],
)
def test_a_call_of_something_else_is_a_finding(body: str, message: str) -> None:
    with pytest.raises(FindingError, match=message):
        run(body)


def test_an_indirect_call_needs_its_prototype() -> None:
    text = module(
        FUNCTIONS + FRAME.replace("BODY", "mov.b64 %f, half; call (out), %f, (in);")
    )
    with pytest.raises(PtxError, match="expected the label of a"):
        launch(text, grid=1, block=1, args=[None, None])
    text = module(
        FUNCTIONS
        + FRAME.replace(
            "BODY",
            "P0: .callprototype _ (); mov.b64 %f, half; call (out), %f, (in), P0;",
        )
    )
    with pytest.raises(PtxError, match="expected 0 arguments, got 1"):
        launch(text, grid=1, block=1, args=[None, None])


@pytest.mark.parametrize(
    "body",
    [
        "atom.global.cas.b32 %d, [%q];",
        "mov.b32 %d; atom.global.cas.b32 %d, [%q], %d, %d;",
        "ld.global.b32 %d; atom.global.cas.b32 %d, [%q], %d, %d;",
        "call %q;",
        "call (out);",
        "mov.b64 %q, nobody;",
        "P0: .callprototype; call %q, P0;",
        "P0: .callprototype (.param .b32 _) _; call %q, P0;",
        "P0: .calltargets; call %q, P0;",
    ],
)
def test_malformed_calls_and_swaps_are_located(body: str) -> None:
    text = module(FRAME.replace("BODY", body))
    with pytest.raises(PtxError) as caught:
        launch(text, grid=1, block=1, args=[None, None])
    assert body in text.splitlines()[caught.value.line - 1]


# f(n) = f(n - 1) + f(n - 2); the first result survives in memory, n in a register.
FIBONACCI = """
.func (.param .b32 r) fib(.param .b32 n)
{
    .reg .b32 %n, %a, %b; .reg .pred %p; .reg .b64 %l;
    .param .b32 in; .param .b32 out;
    .local .b32 kept;
    ld.param.b32 %n, [n];
    setp.lt.u32 %p, %n, 2;
    @%p bra SMALL;
    sub.u32 %a, %n, 1;
    st.param.b32 [in], %a;
    call (out), fib, (in);
    ld.param.b32 %a, [out];
    st.local.b32 [kept], %a;
    sub.u32 %n, %n, 2;
    st.param.b32 [in], %n;
    call (out), fib, (in);
    ld.param.b32 %b, [out];
    mov.u64 %l, kept;
    ld.local.b32 %a, [%l];
    add.u32 %n, %a, %b;
SMALL:
    st.param.b32 [r], %n;
    ret;
}
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_function_calls_itself(mode: Mode) -> None:
    body = "and.b32 %t, %a, 7; st.param.b32 [in], %t; call (out), fib, (in);"
    found = run(body, FIBONACCI, mode)
    assert found.tolist() == [[0, 1, 1, 2, 3, 5, 8, 13][n % 8] for n in range(64)]


@pytest.mark.parametrize("mode", MODES)
def test_functions_call_each_other_through_pointers(mode: Mode) -> None:
    # even(n) = odd(n - 1), odd(n) = even(n - 1) by the address of the other.
    pair = """
.func (.param .b32 r) {name}(.param .b32 n)
{{
    .reg .b32 %n; .reg .pred %p; .reg .b64 %f;
    .param .b32 in; .param .b32 out;
    ld.param.b32 %n, [n];
    setp.eq.u32 %p, %n, 0;
    mov.u32 %n, {zero};
    @%p bra DONE;
    ld.param.b32 %n, [n];
    sub.u32 %n, %n, 1;
    st.param.b32 [in], %n;
    mov.u64 %f, {other};
    P0: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (out), %f, (in), P0;
    ld.param.b32 %n, [out];
DONE:
    st.param.b32 [r], %n;
    ret;
}}
"""
    functions = ".func (.param .b32 r) odd(.param .b32 n);"
    functions += pair.format(name="even", other="odd", zero=1)
    functions += pair.format(name="odd", other="even", zero=0)
    found = run("call (out), even, (in);", functions, mode)
    assert found.tolist() == [1 - n % 2 for n in range(64)]


ENDLESS = """
.func deeper(.param .b32 n)
{
    .reg .b32 %n; .param .b32 in;
    .local .align 8 .b8 frame[100];
    ld.param.b32 %n, [n];
    st.param.b32 [in], %n;
    call deeper, (in);
    ret;
}
"""


def test_endless_recursion_is_a_finding_at_its_call() -> None:
    text = module(ENDLESS + FRAME.replace("BODY", "call deeper, (in);"))
    line = text.splitlines().index("    call deeper, (in);") + 1
    array = np.zeros(64, np.uint32)
    with pytest.raises(FindingError) as caught:
        launch(text, grid=1, block=32, args=[array, array], stack_bytes=1000)
    assert caught.value.finding.kind == "stack"
    assert caught.value.finding.line == line
    # A frame is 112 bytes: its array, its parameter and that of the call.
    assert "'deeper' does not fit as call number 9" in caught.value.finding.message
    assert "expected at most 1000 bytes of stack, got 1008" in str(caught.value)


def test_a_call_starts_with_registers_and_variables_that_nobody_wrote() -> None:
    once = """
.func (.param .b32 r) f(.param .b32 first)
{
    .reg .b32 %n, %x; .reg .pred %p; .local .b32 own;
    ld.param.b32 %n, [first];
    setp.eq.u32 %p, %n, 0;
    @%p bra SECOND;
    WRITE
SECOND:
    READ
    st.param.b32 [r], %x;
    ret;
}
"""
    body = """
    st.param.b32 [in], 1; call (out), f, (in);
    st.param.b32 [in], 0; call (out), f, (in);
    """
    for write, read in [
        ("mov.b32 %x, 5;", ""),
        ("st.local.b32 [own], 5;", "ld.local.b32 %x, [own];"),
    ]:
        function = once.replace("WRITE", write).replace("READ", read)
        with pytest.raises(FindingError, match="uninitialised"):
            run(body, function, "adversarial")
        assert run(body, function).tolist() == [5] * 64


def test_padding_may_be_copied_but_not_used() -> None:
    copy = """
    .local .align 8 .b8 from[8]; .local .align 8 .b8 to[8];
    .reg .b32 %x, %y;
    st.local.b32 [from], 7;
    ld.local.v2.b32 {%x, %y}, [from];
    st.local.v2.b32 [to], {%x, %y};
    ld.local.b32 %d, [to+PLACE];
    shl.b32 %d, %d, 1;
    st.param.b32 [in], %d;
    call (out), half, (in);
    """
    assert run(copy.replace("PLACE", "0"), mode="adversarial").tolist() == [7] * 64
    with pytest.raises(FindingError, match=r"register %d .* memory that nobody wrote"):
        run(copy.replace("PLACE", "4"), mode="adversarial")
