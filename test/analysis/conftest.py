# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the generator of random programs, in `test/emit`, on the path."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "emit"))
