# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel file is run, checked and shuffled, against NumPy."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from interp_kernels import KERNELS, SEEDS, VERSIONS


def load(stem: str) -> ModuleType:
    """A test module of this folder; other folders have some of the same name."""
    spec = spec_from_file_location(stem, Path(__file__).with_name(f"{stem}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(module: ModuleType) -> Iterator[str]:
    """Kernels whose test runs for every version and seed."""
    for function in vars(module).values():
        if not inspect.isfunction(function) or not function.__name__.startswith("test"):
            continue
        if not {"version", "seed"} <= set(inspect.signature(function).parameters):
            continue
        for mark in getattr(function, "pytestmark", []):
            keys, values = mark.args[:2]
            if keys == "name":
                yield from values
            elif isinstance(keys, tuple) and keys[0] == "name":
                yield from (row[0] for row in values)


def test_every_kernel_file_is_run_checked_and_shuffled() -> None:
    folders = {path.name for path in KERNELS.iterdir() if path.name.startswith("13.")}
    assert folders == {*VERSIONS}
    assert None in SEEDS
    assert len(SEEDS) > 1
    tested = {*names(load("test_kernels")), *names(load("test_more_kernels"))}
    for version in VERSIONS:
        files = {path.stem for path in (KERNELS / version).glob("*.tileirbc")}
        assert len(files) == 24
        assert files <= tested


def test_every_cutile_kernel_has_a_reference() -> None:
    tests = load("test_cutile")
    assert len(tests.NAMES) >= 200
    for name in tests.NAMES:
        if name not in tests.TALKING:  # which have tests of their own
            assert tests.case(name).expected
