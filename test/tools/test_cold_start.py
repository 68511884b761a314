# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process per kernel: it loads what its kernel needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
HEAVY = (
    "_hashlib",
    "numpy",
    "ml_dtypes",
    "cuda_tile._mlir.dialects._llvm_ops_gen",
    "cuda_tile.checkers",
    "cuda_tile.emulator",
    "cuda_tile.interp",
)
"""What costs much, and no compilation of the kernels below needs."""


def loaded(kernel: str, tmp_path: Path) -> set[str]:
    """The modules that `cuda-tile-as` has loaded when it ends."""
    code = f"""
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules))))
sys.argv = ["cuda-tile-as", "--gpu-name=sm_90", {str(KERNELS / kernel)!r},
            "-o", {str(tmp_path / "k.cubin")!r}]
from cuda_tile.cli.assembler import main
import gc
code = main()
assert gc.isenabled()
sys.exit(code)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("kernel", ["vadd_f32_1024", "matmul_f16_128x128x64"])
def test_a_compilation_loads_neither_numpy_nor_judges(
    kernel: str, tmp_path: Path
) -> None:
    found = loaded(f"{kernel}.tileirbc", tmp_path)
    assert not found & set(HEAVY)
    assert "cuda_tile.emit.scan" not in found
    assert ("cuda_tile.emit.wgmma" in found) == kernel.startswith("matmul")


def test_each_rule_stands_in_a_module_of_its_family() -> None:
    """Otherwise a compilation that nothing else has loaded it for would miss it."""
    code = """
import sys
from cuda_tile import ods
from cuda_tile.rules import RuleTable
register, homes = RuleTable.register, {}
def noting(table, *names):
    module = sys._getframe(1).f_globals["__name__"].rpartition(".")[2]
    homes.update({(table.stage, name): module for name in names})
    return register(table, *names)
RuleTable.register = noting
from cuda_tile.emit import families as emit
from cuda_tile.place import families as place
for families in emit, place:
    assert len(families.RULES) > 60
    for name in families.RULES:
        module, family = homes[families.RULES.stage, name], ods.family_of(name)
        known = [*families.HOMES.get(family, "").split(), "elementwise"]
        assert module in known, name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_table_names_what_no_module_has() -> None:
    """As before: asking for a rule that is nowhere says so."""
    from cuda_tile.emit.families import RULES
    from cuda_tile.ods import ops

    assert {name for name in ops() if name in RULES} == set(RULES) & set(ops())
    assert "no_such_op" not in RULES
