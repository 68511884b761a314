# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the generators of random programs, here and in `test/emit`, on the path."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "emit")]
