# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cuTile kernels of a test suite without a GPU.

    pytest -p cuda_tile.cutile.pytest_plugin --cutile-on=interp tests/

The options are those of `python -m cuda_tile.cutile` with `cutile-` in front.
"""

from __future__ import annotations

from typing import Any

import pytest

from cuda_tile.cutile.installation import check_cutile, install
from cuda_tile.cutile.settings import add_settings, from_options
from cuda_tile.errors import UserError

PREFIX = "cutile-"


def pytest_addoption(parser: Any) -> None:
    """Adds the options."""
    group = parser.getgroup("cutile", "cuTile kernels without a GPU")
    add_settings(group, PREFIX)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Installs before any conftest.py or test is imported."""
    try:
        install(**vars(from_options(early_config.known_args_namespace, PREFIX)))
    except UserError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header(config: Any) -> str:
    """Says in pytest's header what runs the kernels."""
    settings = from_options(config.known_args_namespace, PREFIX)
    chip = "" if settings.on == "interp" else f" for {settings.gpu}"
    return f"cuTile {check_cutile()}: kernels run on {settings.on}{chip}"
