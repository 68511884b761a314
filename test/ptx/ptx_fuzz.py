# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates PTX texts and classifies the results; for a test and `tools/fuzz_ptx`.

An input must be rejected by one of the emulator's own errors, with a line if the text
is at fault, or run to a report or a finding. Any other exception is a failure, and so
is a run that takes too long.
"""

from __future__ import annotations

import random
import re
import traceback
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from fuzzing import mutators
from fuzzing.mutators import (
    TOKENS,
    Mutator,
    cut,
    insert,
    line_ends,
    lines,
    mark,
    nest,
    replace,
)
from ptx_programs import PROGRAMS

from cuda_tile.emulator import FindingError, LaunchError, PtxError, launch
from cuda_tile.emulator.launch import Mode

# Steps after which an input that goes round for ever is ended.
LIMIT = 3000
_REGISTER = re.compile(r"%[A-Za-z]+\d+")
_TYPE = re.compile(r"\.(?:[busf](?:8|16|32|64|128)|pred|f16x2|bf16x2?|v[248])$")
_TYPES = [
    *(".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8"),
    *(".s16", ".s32", ".s64", ".f16", ".f32", ".f64", ".f16x2", ".bf16", ".bf16x2"),
    *(".tf32", ".e4m3x2", ".pred", ".v2", ".v4", ".v8"),
]
_NUMBERS = [
    *("0", "1", "-1", "2", "3", "7", "15", "16", "31", "32", "33", "63", "64", "255"),
    *("256", "1023", "1024", "1025", "4096", "65535", "65536", "2147483648"),
    *("4294967295", "4294967296", "9223372036854775808", "18446744073709551615"),
    *("18446744073709551616", "99999999999999999999999", "0x", "0xFFFFFFFFFFFFFFFFFF"),
    *("08", "0b2", "1e400", "1.5", "0f3F800000", "0fZZ", "0d7FF0000000000000"),
    *("9" * 5000, "-9223372036854775809", "0U", "1e-400", "0F7F800000"),
]
_DIRECTIVES = [
    *(".version 9.9", ".target sm_20", ".target sm_999z", ".address_size 32", ".frob"),
    *(".entry other() { ret; }", ".func other() { ret; }", ".reg .b32 %r<4>;"),
    *(".shared .align 3 .b8 odd[5];", ".local .b8 more[70000];", ".align 0"),
    *(".global .b8 huge[99999999999999];", ".shared .b8 big[1000000];", ".maxntid 1"),
    *(".reg .b32 %r<99999999999>;", ".global .u32 cell = { { { 1 } } };", ".loc 1 2 3"),
    *(
        ".pragma",
        ".section .debug { ",
        ".reqntid 0",
        ".reqnctapercluster 3",
        "{ ret; }",
    ),
    *(
        ".extern .shared .b8 pool[];",
        ".global .b8 minus[-4];",
        ".local .align 0 .b8 z;",
    ),
    *(".param .b64 extra;", ".const .f32 c[2] = {1.0, nobody};", ".reg .pred %p<0>;"),
]
_INSTRUCTIONS = [
    *(
        "trap;",
        "brkpt;",
        "exit;",
        "ret;",
        "bar.sync 0;",
        "bar.sync 17;",
        "bra nowhere;",
    ),
    *("call nobody;", "call (%r0), vprintf, (%r1, %r2);", "mov.u32 %r0, %tid.w;"),
    *("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0+1];", "ld.shared.b32 %r0, [-4];"),
    *("HERE: bra HERE;", "st.shared.b64 [4294967292], %rd0;", "nanosleep.u32 1;"),
    *("shfl.sync.idx.b32 %r0, %r1, 99, 31, 0;", "ld.local.b32 %r0, [100];"),
    *("bar.sync 1, 33;", "div.s32 %r0, %r1, 0;", "shl.b32 %r0, %r1, 77;"),
    *("@%p0 exit;", "activemask.b32 %r0;", "elect.sync _|%p0, 1;", "bar.arrive 0, 64;"),
    *(
        "brx.idx %r0, nobody;",
        "atom.global.add.u32 %r0, [%rd0], 1;",
        "alloca.u64 %rd0, 1;",
    ),
    *(
        "bar.warp.sync 0;",
        "cp.async.wait_group 9999999999;",
        "setmaxnreg.inc.sync.aligned.u32 24;",
    ),
    *(
        "isspacep.global %p0, %rd0;",
        "mapa.u64 %rd0, %rd1, 5;",
        "cp.async.bulk.commit_group;",
    ),
]


def _vector(tokens: list[str], draw: random.Random) -> None:
    """An operand becomes a vector, perhaps one that is far too long."""
    places = [p for p, token in enumerate(tokens) if _REGISTER.fullmatch(token)]
    if places:
        place = draw.choice(places)
        count = draw.choice([0, 1, 2, 3, 4, 8, 1000])
        tokens[place] = "{" + ", ".join([tokens[place]] * count) + "}"


MUTATORS: tuple[Mutator, ...] = (
    *TOKENS,
    *TOKENS,
    replace(_REGISTER, None),
    replace(_REGISTER, None),
    replace(_TYPE, None),
    replace(_TYPE, _TYPES),
    replace(re.compile(r"\d[\w.]*"), None),
    replace(re.compile(r"\d[\w.]*"), _NUMBERS),
    replace(re.compile(r"\d[\w.]*"), _NUMBERS),
    replace(re.compile(r"\.[a-z][\w:]*"), None),
    replace(re.compile(r"[A-Z]\w*"), None),
    insert(_DIRECTIVES),
    insert(_INSTRUCTIONS),
    insert(_TYPES),
    mark,
    _vector,
    nest,
    lines,
    lines,
    cut,
    line_ends,
)


def mutated(text: str, draw: random.Random) -> str:
    """Damages a text in one to three ways."""
    return mutators.mutated(text, draw, MUTATORS)


@dataclass(frozen=True)
class Start:
    """A text to damage, with its launch.

    Attributes:
        options: What `launch` takes beside the text.
    """

    name: str
    text: str
    target: str
    options: dict[str, Any]

    @cached_property
    def _saved(self) -> list[tuple[Any, Any]]:
        """The arrays among the arguments, with what they held at first."""
        arrays = [getattr(arg, "array", arg) for arg in self.options["args"]]
        return [(a, a.copy()) for a in arrays if isinstance(a, np.ndarray)]

    def restore(self) -> None:
        """Undoes what a run wrote."""
        for array, saved in self._saved:
            array[...] = saved


def starts() -> list[Start]:
    """The programs of `ptx_programs` with problems, and PTX of other compilers."""
    found: list[Start] = []
    for name, program in PROGRAMS.items():
        problem = program.make(np.random.default_rng(0))
        options = {
            "grid": program.grid,
            "block": program.block,
            "cluster": program.cluster,
            "shared_bytes": program.shared_bytes,
            "args": problem.args,
        }
        found.append(Start(name, program.text, program.target, options))
    x, y = np.ones(600, np.float32), np.zeros(600, np.float32)
    folder = Path(__file__).parent / "styles"
    nvcc, triton = [(folder / f"{name}.ptx").read_text() for name in ("nvcc", "triton")]
    options = {"grid": 2, "block": 128, "args": [x[:250], y[:2], 250]}
    found.append(Start("nvcc", nvcc, "sm_90", options))
    options = {"grid": 1, "block": 128, "args": [x, x.copy(), y, 500, None]}
    found.append(Start("triton", triton, "sm_90", options))
    return found


@dataclass(frozen=True)
class Outcome:
    """What became of an input: `report`, the class of an error, or `problem`."""

    kind: str
    message: str


def outcome(
    start: Start, text: str, mode: Mode = "fast", seed: int = 0, limit: int = LIMIT
) -> Outcome:
    """Runs an input; never raises but for KeyboardInterrupt."""
    start.restore()
    lines = text.count("\n") + text.count("\r") + text.count("\f") + 2
    try:
        launch(text, mode=mode, seed=seed, limit=limit, **start.options)
    except PtxError as error:
        if 1 <= error.line <= lines and error.message[:1].strip():
            return Outcome("PtxError", str(error))
        return Outcome("problem", f"not located within {lines} lines: {error}")
    except (LaunchError, FindingError) as error:
        return Outcome(type(error).__name__, str(error))
    except Exception:
        return Outcome("problem", traceback.format_exc())
    return Outcome("report", "")
