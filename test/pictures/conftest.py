# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a product with rings, made once for all tests of it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import cuda_tile
from cuda_tile.options import Options
from cuda_tile.pictures.collect import Collected, collect
from cuda_tile.pictures.html_page import html_page

KERNELS = Path(__file__).parents[1] / "kernels"
INPUTS = Path(__file__).parent / "Inputs"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: Any) -> Path:
    """A folder with the kernel and its source as it was exported.

    The licence's line was put on top of the source later.
    """
    made = tmp_path_factory.mktemp("page")
    source = (KERNELS / "zoo" / "product.py").read_text()
    (made / "product.py").write_text(source.partition("\n")[2])
    with zipfile.ZipFile(KERNELS / "zoo" / "bytecode-13.4.zip") as archive:
        archive.extract("gemm_f16.tileirbc", made)
    return made


@pytest.fixture(scope="session")
def product(folder: Path) -> Collected:
    """What there is to show of a product for sm_90."""
    module = cuda_tile.load(folder / "gemm_f16.tileirbc")
    return collect(module, Options(gpu="sm_90"), beside=folder)


@pytest.fixture(scope="session")
def product_page(product: Collected, folder: Path) -> Path:
    """Its page."""
    path = folder / "gemm.html"
    path.write_text(html_page(product), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hostile_page(folder: Path) -> Path:
    """The page of a kernel whose names are HTML."""
    module = cuda_tile.load(INPUTS / "hostile.mlir")
    path = folder / "hostile.html"
    path.write_text(html_page(collect(module, Options(gpu="sm_90"))), encoding="utf-8")
    return path
