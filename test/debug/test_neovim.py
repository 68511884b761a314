# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real editor: Neovim with nvim-dap, without a window, as its user's keys drive it.

    NVIM_DAP=/folder/of/nvim-dap pytest test/debug/test_neovim.py

with `nvim` on the PATH. Neither is part of the project's environment.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dap_client import PROGRAMS, environment

SCRIPT = Path(__file__).with_name("neovim.lua")
PRODUCT = PROGRAMS / "product.py"
MMA = 1 + PRODUCT.read_text().splitlines().index(
    "        acc = ct.mma(left, right, acc)"
)
SHOWN = f"""\
break: breakpoint {MMA} acc = ct.mma(left, right, acc)
k = 2
acc[0, 0] = 32
step_over: step {MMA - 3} for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
step_back: step {MMA} acc = ct.mma(left, right, acc)
step_into: step {MMA - 3} for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
step_out: step {MMA + 1} if i > 0:
reverse_continue: breakpoint {MMA} acc = ct.mma(left, right, acc)
scopes show acc: acc: 32 32 32 32 32 32 ...
output: first: 64.0 last: 65.0
"""


def test_neovim_debugs_a_kernel():
    plugin, editor = os.environ.get("NVIM_DAP"), shutil.which("nvim")
    if not plugin or not editor:
        pytest.skip("needs nvim (0.11) on the PATH and NVIM_DAP, nvim-dap's folder")
    trial = f"{PRODUCT}|{MMA}|block == (1, 0) and k == 2"
    done = subprocess.run(
        [editor, "--headless", "--clean", "-n", "--cmd", f"set rtp+={plugin}",
         "-c", f"luafile {SCRIPT}"],
        env=environment() | {"ADAPTER": sys.executable, "TRIAL": trial},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.stdout == SHOWN, done.stderr
