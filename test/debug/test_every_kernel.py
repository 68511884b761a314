# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looking at a kernel changes nothing: every kernel of cuTile under a curious user."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from cutile_references import case
from interp_harness import CONTEXT

from cuda_tile import interp
from cuda_tile._mlir._mlir_libs import _cuda_tile as ext
from cuda_tile.debug import debug_interp
from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.stepping import STEPS, Seek, Step
from cuda_tile.debug.target import END, FAULT
from cuda_tile.debug.values import children, pretty, statistics
from cuda_tile.runtime.args import array_args

ARCHIVE = zipfile.ZipFile(
    Path(__file__).parents[1] / "kernels" / "cutile" / "bytecode-13.4.zip"
)
TALKING = ("printed_i32", "asserted_i32")
NAMES = sorted(name.removesuffix(".tileirbc") for name in ARCHIVE.namelist())
STOPS = 16


class Curious:
    """A front end that steps at random, looks at everything, and goes back at times."""

    def __init__(self, seed):
        self.breakpoints = Breakpoints()
        self.random = np.random.default_rng(seed)
        self.left = STOPS

    def launched(self, target):
        return lambda: target.resume(Seek(int(self.random.integers(40))))

    def stopped(self, target, stop):
        self.look(target, stop)
        self.left -= 1
        if stop.reason in (END, FAULT) or self.left <= 0:
            return None
        if self.random.random() < 0.2:
            kind = str(self.random.choice(["over", "op", "start"]))
            return lambda: target.back(kind)
        kind = str(self.random.choice(STEPS))
        return lambda: target.resume(Step(stop.thread, target.spot(stop.thread), kind))

    def ended(self, target):
        target.new_output()

    def look(self, target, stop):
        frames = target.frames(stop.thread)
        assert frames
        assert target.threads() or stop.reason == END
        assert target.nearby(stop.thread) or frames[0].place is None
        for place in range(len(frames)):
            for group in target.scopes(stop.thread, place).values():
                for value in group.values():
                    assert value.line()
                    if value.is_array:
                        assert statistics(value.value, value.lost)
                        assert pretty(value.value)
                        assert list(children(value.value, 0, 2)) or not value.value.size


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("name", [n for n in NAMES if n not in TALKING])
def test_looking_changes_nothing(name, seed):
    plain, watched = case(name), case(name)
    module = ext.read_bytecode(ARCHIVE.read(f"{name}.tileirbc"), name, CONTEXT)
    expected = interp.run(module, grid=plain.grid, args=flat(plain.args), seed=seed)
    front = Curious(len(name))
    report = debug_interp(
        front, module, grid=watched.grid, args=flat(watched.args), seed=seed
    )
    assert front.left < STOPS
    assert report.steps == expected.steps
    assert report.warnings == expected.warnings
    for one, other in zip(plain.args, watched.args, strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def flat(args):
    """Arguments with shapes and strides, as cuTile passes them."""
    found = []
    for arg in args:
        found.extend(array_args(arg) if isinstance(arg, np.ndarray) else [arg])
    return found
