# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where NVIDIA's packages are, whose programs and libraries the compiler uses."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def packaged(name: str) -> Path | None:
    """A file of NVIDIA's packages for CUDA 13, None where they have not got it.

    They are looked for as Python looks for modules: beside this package, in the user's
    own folder, wherever pip has installed them.

    Args:
        name: The file, below `nvidia/cu13`.
    """
    places = (os.path.join(each, "nvidia", "cu13", name) for each in sys.path if each)
    return next((Path(each) for each in places if os.path.isfile(each)), None)
