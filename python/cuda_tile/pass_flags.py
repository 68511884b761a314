# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes as MLIR knows them: by flag, in pipeline texts, all of them in a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.options import (
    Options,
    option_default,
    option_flag,
    option_from_text,
    option_summary,
)
from cuda_tile.pipeline import NAMES, PIPELINE, PRINTERS, Pass, run_pass

COMPILE_PIPELINE = "cuda-tile-compile-pipeline"
"""The name of all passes in a row for pipelines and the tool."""


@cache
def register_passes() -> None:
    """Makes every pass known to MLIR by its flag, with its options.

    After this `cuda-tile-opt`, `PassManager.parse` and any pipeline text can name
    them, and all of them as `COMPILE_PIPELINE`. MLIR keeps one list per process: a
    second call has nothing to do.
    """
    if _cuda_tile.pass_description(_passes()[0].flag):
        return  # by an earlier import of this module
    for step in (*PIPELINE, *PRINTERS):
        if isinstance(step, Pass):
            _register(step)
    _cuda_tile.register_pipeline(
        COMPILE_PIPELINE,
        f"all passes of the compiler, {NAMES[0]} to {NAMES[-1]}",
        [
            *_flags(dict.fromkeys(name for step in _passes() for name in step.reads)),
            ("until", NAMES[-1], "the last pass to run"),
        ],
        pipeline_text,
    )


def _passes() -> tuple[Pass, ...]:
    return tuple(step for step in PIPELINE if isinstance(step, Pass))


def _flags(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Fields of `Options` as options of a pass: name, default, summary."""
    return [(option_flag(n), option_default(n), option_summary(n)) for n in names]


def pipeline_text(given: Mapping[str, str]) -> str:
    """The passes in order as MLIR's pipelines are written.

    Args:
        given: By flag, fields of `Options` as text, and the last pass as `until`.

    Raises:
        UserError: `until` is no pass, or a text spells no value.
    """
    until = given["until"]
    if until not in NAMES:
        raise UserError(
            f"expected until={NAMES[-1]} or another pass, got '{until}'; known: "
            + ", ".join(NAMES)
        )
    words: list[str] = []
    for step in _passes()[: NAMES.index(until) + 1]:
        texts = {option_flag(name): given[option_flag(name)] for name in step.reads}
        _read(step, texts)
        options = " ".join(f"{flag}={text}" for flag, text in texts.items() if text)
        words.append(step.flag + (f"{{{options}}}" if options else ""))
    return ",".join(words)


def _register(step: Pass) -> None:
    def run(op: ir.Operation, given: dict[str, str]) -> None:
        run_pass(step, op, _read(step, given))

    _cuda_tile.register_pass(step.flag, step.summary, _flags(step.reads), run)


def _read(step: Pass, given: Mapping[str, str]) -> Options:
    """The options of a pass from their texts.

    Raises:
        UserError: A text spells no value, or one that is not allowed.
    """
    values = {n: option_from_text(n, given[option_flag(n)]) for n in step.reads}
    return Options(**values)
