# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts `examples/` on the path: its kernels, inputs and references are the tests'."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))
sys.path.insert(0, str(ROOT / "test" / "ops"))
sys.path.insert(0, str(ROOT / "test" / "end_to_end"))
