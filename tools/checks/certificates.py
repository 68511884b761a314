# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Certifies kernels of test/kernels that have launches; see docs/certificate.md.

`--gpu` names the chip, words are parts of kernels' names, `--seconds` the CPU time of
one kernel, `--every N` takes one of N, `--write` judges all and puts the table on the
page. Kernels that certificates are not for are listed with the reason. Ends with
`N passed, N failed`; a term that differs fails.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import exact

import cuda_tile
from cuda_tile.certificate import Launch, certify
from cuda_tile.errors import CudaTileError
from cuda_tile.ir.walk import entry_name, find_entry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "certificate.md"
START = "<!-- certified: tools/checks/certificates.py --write -->"
END = "<!-- end of certified -->"
SECONDS = 10.0
EVERY = 24
SIZES = {
    "matmul_f16_64x64x64": ((16, 16, 80), (80, 16, 32), (16, 80, 32)),
    "matmul_f16_128x128x64": ((16, 16, 80), (144, 16, 32), (16, 144, 32)),
    "matmul_f16_f32out_128x128x64": ((16, 16, 80), (144, 16, 32), (16, 144, 32)),
    "softmax_f32_1024": ((16, 32),),
}
"""Sizes of problems with less elements than their own."""
KINDS = (
    ("another term", "the terms differ"),
    ("too few codes", "more terms than 16 bits have codes, or 8"),
    ("CPU time", "more CPU time"),
    ("no float is stored", "only integers are stored"),
    ("an integer depends on data", "an integer is computed of floats"),
    ("bits of a float", "integer instructions take floats apart"),
    ("not supported", "an op or instruction without terms"),
    ("", "another reason"),
)
"""What is in a reason, and what the table calls it."""


def judge(work: exact.Work, gpu: str, seconds: float) -> str:
    """Why a kernel is not certified; empty if it is."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, ring)
    try:
        module = cuda_tile.load(work.data)
        compiled = cuda_tile.compile(module, gpu, options=exact.CALLS, cubin=False)
        name = entry_name(find_entry(module.operation, None))
        launches = list(_launches(work))
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        return certify(
            *(module, work.data, name, compiled.ptx, compiled.launch[name]),
            *(launches, gpu),
        ).why
    except TimeoutError:
        return f"it takes more than {seconds:g} s of CPU time"
    except CudaTileError as error:
        return str(error).partition("\n")[0]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _launches(work: exact.Work) -> Iterator[Launch]:
    """The launch of a kernel, or several of less elements."""
    makers = [work.make]
    if work.name in SIZES:
        makers = [partial(exact.real, work.name, sizes) for sizes in SIZES[work.name]]
    for make in makers:
        x, y, z = (*make()[0], 1, 1)[:3]
        yield Launch(work.name, (x, y, z), partial(_arguments, make))


def _arguments(make: exact.Make) -> list[Any]:
    return make()[1]


def kind_of(work: exact.Work, gpu: str, why: str) -> str:
    """What the table calls a reason."""
    kind = next(name for part, name in KINDS if part in why)
    if kind != KINDS[0][1]:
        return kind
    return exact.reason(cuda_tile.load(work.data), gpu) or kind


def main() -> int:
    """Judges kernels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--gpu", default="sm_80")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--every", type=int, default=EVERY, help="of so many one")
    parser.add_argument("--write", action="store_true", help="note it on the page")
    options = parser.parse_args()
    every = 1 if options.words or options.write else options.every
    found = Counter[str]()
    for work in list(exact.works())[::every]:
        if options.words and not any(word in work.name for word in options.words):
            continue
        why = judge(work, options.gpu, options.seconds)
        kind = kind_of(work, options.gpu, why) if why else "certified"
        found[kind] += 1
        print(f"{work.name}: {f'{kind} ({why})' if why else kind}", flush=True)
    if options.write:
        _write(found, options.gpu)
    failed = found[KINDS[0][1]]
    print(f"{found.total() - failed} passed, {failed} failed")
    return min(failed, 1)


def _write(found: Counter[str], gpu: str) -> None:
    rows = [f"| {kind} | {count} |" for kind, count in found.most_common()]
    lines = [f"{found.total()} kernels on {gpu}:", "", "| | kernels |", "|---|---|"]
    table = "\n".join((START, *lines, *rows, END))
    text = PAGE.read_text()
    pattern = re.compile(re.escape(START) + ".*?" + re.escape(END), re.S)
    PAGE.write_text(pattern.sub(lambda _: table, text))


if __name__ == "__main__":
    sys.exit(main())
