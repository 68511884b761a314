# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions on the emulator: PTX lines, registers, shared memory, waits, deadlocks."""

import io
import re

import numpy as np
import pytest
from dap_client import PROGRAMS, Debugger

from cuda_tile import emulator
from cuda_tile.debug import Terminal, debug_ptx
from cuda_tile.debug.waits import Wait, circle
from cuda_tile.errors import UserError

HEAD = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  .shared .align 8 .b64 full[2];
  .shared .align 16 .b32 cells[64];
  mov.u32 %r1, %tid.x;
"""
SUM = """
  ld.param.u64 %rd1, [out];
  mov.u32 %r2, 0;
  mov.u32 %r3, cells;
  mad.lo.u32 %r3, %r1, 4, %r3;
loop:
  add.u32 %r2, %r2, %r1;
  st.shared.u32 [%r3], %r2;
  add.u32 %r4, %r2, 1000;
  setp.lt.u32 %p1, %r2, 640;
  @%p1 bra again;
  bra done;
again:
  setp.eq.u32 %p2, %r1, 0;
  @%p2 bra done;
  bra loop;
done:
  bar.sync 0;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
"""
CROSSED = """
  shr.u32 %r2, %r1, 5;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra first;
  bar.sync 2, 64;
  bar.sync 1, 64;
  ret;
first:
  bar.sync 1, 64;
  bar.sync 2, 64;
  ret;
}
"""
MBARRIER = """
  mov.u32 %r3, full;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r3], 2;
  bar.sync 0;
  @%p1 mbarrier.arrive.shared.b64 %rd4, [%r3];
wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
  @!%p2 bra wait;
  ret;
}
"""
NAN = """
  cvt.rn.f32.u32 %f1, %r1;
  sub.f32 %f2, %f1, %f1;
  div.rn.f32 %f3, %f2, %f2;
  ret;
}
"""


def session(commands, body, threads=64, *, catches_nan=False, **options):
    """What a session says, and the array afterwards."""
    out = np.zeros(threads, np.uint32)
    source, said = io.StringIO("\n".join(commands) + "\n"), io.StringIO()
    front = Terminal(source, said)
    front.breakpoints.is_nan_caught = catches_nan
    text = HEAD + body
    words = {"grid": 1, "block": threads, "args": [out], **options}
    try:
        debug_ptx(front, text, "kernel", **words)
    except UserError as error:
        said.write(f"raised {error}")
    return said.getvalue(), out


def line_of(text, body):
    """The line of the PTX at which a text stands."""
    lines = (HEAD + body).splitlines()
    return 1 + next(n for n, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("options", [{}, {"seed": 3}], ids=["fast", "adversarial"])
def test_the_debugger_changes_no_result(options):
    expected = np.zeros(64, np.uint32)
    emulator.launch(HEAD + SUM, grid=1, block=64, args=[expected], **options)
    at = line_of("setp.lt", SUM)
    commands = [f"b {at} if warp == 1", "c", "i", "backi", "rc", "start", "delete", "c"]
    said, out = session(commands, SUM, **options)
    assert (out == expected).all()
    assert "breakpoint 1 [block (0, 0, 0), warp 1]" in said


def test_registers_and_shared_memory():
    at = line_of("add.u32 %r4", SUM)
    said, _ = session(
        [
            *(f"b {at} if warp == 1 and %r2[0] == 64", "c", "p %r1"),
            *("p shared[36:38]", "tile %r2", "ops", "args", "where"),
        ],
        SUM,
    )
    assert "%r1 = uint32[32]" in said
    assert "shared[36:38] = uint32[2]\n[64 66]" in said.replace("  ", " ")
    assert "min 64, max 126" in said
    assert "-> add.u32 %r4, %r2, 1000;" in said
    assert "warp = 1" in said


def test_iterations_and_store():
    at = line_of("st.shared", SUM)
    said, _ = session(
        [f"b {at} if warp == 1", "c", "delete", "i", "store arg0[3]", "p arg0[3]"],
        SUM,
        seed=1,
    )
    assert "store: to arg0[3], by line" in said
    assert "st.global.u32" in said
    assert re.search(r"arg0\[3\] = 6\d\d", said)


def test_crossed_barriers_show_the_circle():
    said, _ = session(["c", "threads", "c"], CROSSED)
    first, second = line_of("bar.sync 1", CROSSED) + 3, line_of("bar.sync 2", CROSSED)
    assert "fault: " in said
    assert f"warp 0 waits at line {first} at barrier 1" in said
    assert f"warp 1 waits at line {second} at barrier 2" in said
    assert "the circle is closed" in said
    assert "raised" in said


def test_a_phase_that_nobody_completes():
    at = line_of("try_wait", MBARRIER)
    said, _ = session(
        [f"b {at}", "c", "locals all", "delete", "c", "c"], MBARRIER, threads=32
    )
    assert re.search(r"mbarrier at .*phase 0: 1 of 2 arrivals pending", said)
    assert "no warp is left that could end this wait" in said


def test_nan_that_an_editor_asked_for():
    """Whatever the launch goes on to."""
    said, _ = session(["c", "c"], NAN, threads=32, catches_nan=True)
    assert "NaN" in said
    assert "NaN" not in session(["c"], NAN, threads=32)[0]


def test_first_nan():
    said, _ = session(["nan", "p %f2", "c", "c"], NAN, threads=32)
    assert "NaN: in %f3 of lane 0" in said
    assert f"line {line_of('div.rn', NAN)}: div.rn.f32" in said
    assert "%f2 = 0" in said


WRITES = """
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  mad.lo.u32 %r3, %r2, 2, %r1;
  st.global.u32 [%rd3], %r3;
  st.global.u32 [%rd3], %r3;
  setp.eq.u32 %p1, %r1, 32;
  mov.u32 %r4, 7;
  @%p1 st.global.v2.u32 [%rd3+128], {%r1, %r4};
  ret;
}
"""


@pytest.mark.parametrize("options", [{}, {"seed": 3}], ids=["fast", "adversarial"])
def test_who_wrote_an_element_and_from_what(options):
    commands = ["b 1000", "c", "who arg0[5]", "who arg0[65]", "who arg0[66]", "c"]
    out = np.arange(70, dtype=np.uint32)
    said, _ = session(commands, WRITES, args=[out], **options)
    first, vector, nobody = re.split(r"arg0\[\d+\]:", said)[1:]
    # The second of two equal stores is the last one.
    assert f"kernel.ptx:{line_of('setp.eq', WRITES) - 1}" in first.splitlines()[1]
    assert "written by block (0, 0, 0), warp 0, lane 5, at time" in first
    assert "%r3 = 15, by mad.lo.u32 %r3, %r2, 2, %r1;" in first
    assert "%r2 = 5, by ld.global.u32 %r2, [%rd3];" in first
    assert "from arg0[5]" in first
    assert "warp 1, lane 0" in vector
    assert "%r4 = 7, by mov.u32 %r4, 7;" in vector
    assert "%r1 =" not in vector
    assert nobody.startswith("\nnobody has written it")


def test_who_looks_no_further_than_now():
    at = line_of("st.global.u32", WRITES)
    commands = [f"b {at}", f"b {at + 1}", "c", "who arg0[5]", "c", "who arg0[5]", "si"]
    out = np.arange(70, dtype=np.uint32)
    said, _ = session(commands, WRITES, threads=32, args=[out])
    before, after = re.split(r"arg0\[\d+\]:", said)[1:]
    assert before.startswith("\nnobody has written it")
    assert f" at kernel.ptx:{at}\n" in after
    assert out[5] == 15


COPIED = """
  ld.param.u64 %rd1, [out];
  mov.u32 %r3, cells;
  mad.lo.u32 %r4, %r1, 4, %r3;
  st.shared.u32 [%r4], 9;
  fence.proxy.async;
  bar.sync 0;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 64;
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;
  ret;
}
"""


def test_who_wrote_by_a_copy():
    said, out = session(["b 1000", "c", "who arg0[3]", "who arg0[16]", "c"], COPIED)
    copied, beyond = re.split(r"arg0\[\d+\]:", said)[1:]
    assert "written by a copy, during block (0, 0, 0), warp 0" in copied
    assert "cp.async.bulk." in copied
    assert beyond.startswith("\nnobody has written it")
    assert (out[:16] == 9).all()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_circles_are_closed(count):
    waits = [Wait(n, f"warp {n}", 0, 10 + n, f"for {n}") for n in range(count)]
    said = circle(waits)
    assert said[0].startswith("warp 0 waits at line 10")
    closed = "no warp is left" if count == 1 else "the circle is closed"
    assert closed in said[-1]
    assert circle([]) == []


def test_an_editor_steps_through_ptx(tmp_path):
    product = str(PROGRAMS / "product.py")
    with Debugger(tmp_path) as editor:
        points = {product: [{"line": 21, "condition": "block == (1, 0)"}]}
        editor.begin("launch", points, program=product, on="emulator", gpu="sm_80")
        reason, _, thread = editor.stop()
        assert reason == "breakpoint"
        frames = editor.request("stackTrace", threadId=thread)["stackFrames"]
        assert frames[0]["source"]["path"].endswith("product.ptx")
        assert (frames[1]["source"]["name"], frames[1]["line"]) == ("product.py", 21)
        assert "%r1" in editor.variables("Registers", thread)
        assert editor.value("block.x") == "1"
        assert editor.go("stepOut", thread)[0] == "step"
        assert editor.go("stepBack", thread)[0] in ("step", "goto")
        editor.set_breakpoints(product)
        editor.request("setExceptionBreakpoints", filters=["end"])
        assert editor.go("continue", thread)[0] == "pause"
        story = editor.command("who c[20, 20]")
        assert re.search(
            r"written by block .*: .*st\.global.* at .*, product\.py:", story
        )
        assert re.search(r"= \d+, by fma\.rn\.f32 .*, product\.py:\d+", story)
        editor.request("continue", threadId=thread)
        assert editor.end() == 0
        assert "first: 64.0 last: 65.0" in "".join(editor.output)
