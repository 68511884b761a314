# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Any error in a text has a line: mutated forms and programs."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isa_form import module
from isa_list import FAMILIES
from ptx_harness import assemble

from cuda_tile.emulator import TensorMap, launch
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.parse import parse

ARRAY = np.zeros((64, 64), np.float32)
MAP = TensorMap(ARRAY, (8, 8))
FORMS = [
    (form, family.target)
    for family in FAMILIES
    if not family.refused
    for form in family.forms()
    if form[0] not in "{@C"
]
OPERAND = re.compile(r"\{[^{}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s]+")
OPERANDS = [
    "%r9",
    "%p9",
    "7",
    "[%ga]",
    "{%r1}",
    "%h9",
    "%l9",
    "_",
    "1.5",
    "sm",
    "{}",
    "-3",
    "[%h1]",
    "!%p1",
    "%q1",
    "%tid.x",
    "nobody",
    "[sm+4]",
    "0f00000000",
]
MODIFIERS = [
    "ftz",
    "sat",
    "rn",
    "u32",
    "f16",
    "b128",
    "relu",
    "global",
    "cc",
    "lo",
    "x4",
    "sync",
    "aligned",
    "v2",
    "pred",
    "satfinite",
    "s64",
    "f64",
    "shared",
]


def mutated(form: str, draw: random.Random) -> str:
    """Drops, adds, replaces or swaps a modifier or an operand."""
    head, _, rest = form.partition(" ")
    names, operands = head.split("."), OPERAND.findall(rest)
    part, pool = (operands, OPERANDS) if draw.random() < 0.5 else (names, MODIFIERS)
    first = 0 if part is operands else 1
    place = draw.randrange(first, len(part) + 1)
    kind = draw.choice(("drop", "add", "replace", "swap"))
    if kind == "add" or place == len(part):
        part.insert(place, draw.choice(pool))
    elif kind == "drop":
        del part[place]
    elif kind == "replace":
        part[place] = draw.choice(pool)
    else:
        other = draw.randrange(first, len(part))
        part[place], part[other] = part[other], part[place]
    return f"{'.'.join(names)} {', '.join(operands)}".strip()


def refusal(form: str, target: str) -> PtxError | None:
    """Compiles a form; no thread executes it."""
    try:
        args = [np.zeros(64, np.uint8), MAP]
        launch(module([form], target), "k", grid=1, block=32, args=args)
    except PtxError as error:
        return error
    return None


@given(st.sampled_from(FORMS), st.randoms(use_true_random=False))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_a_mutated_form_is_legal_or_a_located_error(
    choice: tuple[str, str], draw: random.Random
) -> None:
    form, target = choice
    wrong = mutated(form, draw)
    error = refusal(wrong, target)
    if error is not None:
        assert (
            error.line == module([wrong], target).splitlines().index(f"\t{wrong};") + 1
        )
        assert "expected" in str(error) or "not " in str(error)


# What the emulator takes and ptxas does not, on purpose: targets are not checked, nor
# what only the operands' constants or sizes show, nor special registers in cvt.
LENIENT = re.compile(
    r"tcgen05|cvt\S* .*%tid|\b(min|max)\S*\.f32 |cp\.(reduce\.)?async\.bulk\S* .* -?\d"
)


def test_what_ptxas_refuses_is_refused() -> None:
    draw = random.Random(5)
    accepted: list[tuple[str, str]] = []
    for form, target in draw.sample(FORMS, 1500):
        wrong = mutated(form, draw)
        if not LENIENT.search(wrong) and refusal(wrong, target) is None:
            accepted.append((wrong, target))
    assert len(accepted) > 100
    for target in sorted({target for _, target in accepted}):
        forms = [form for form, mine in accepted if mine == target]
        assert assemble(module(forms, target), target) == ""


JUNK = ("{", "}", "[", "(", ";", "0x", "é", '"', "@")
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.ptx"))
TOKEN = re.compile(r"\s+|[\w.%$:]+|.", re.DOTALL)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_mutated_program_parses_or_is_a_located_error(path: Path) -> None:
    text = path.read_text()
    tokens = TOKEN.findall(text)
    draw = random.Random(path.stem)
    for _ in range(12):
        wrong = list(tokens)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(wrong))
            kind = draw.choice(("drop", "copy", "swap", "cut", "junk"))
            if kind == "drop":
                wrong[place] = ""
            elif kind == "copy":
                wrong[place] *= 2
            elif kind == "swap":
                other = draw.randrange(len(wrong))
                wrong[place], wrong[other] = wrong[other], wrong[place]
            elif kind == "junk":
                wrong[place] = draw.choice(JUNK)
            else:
                del wrong[place:]
                break
        with suppress(PtxError):
            parse("".join(wrong))
