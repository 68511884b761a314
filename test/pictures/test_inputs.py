# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that the page runs a kernel with: what one tile block needs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import cuda_tile
from cuda_tile.ir.walk import entries
from cuda_tile.pictures.inputs import TILES_WALKED, generate_inputs

KERNELS = Path(__file__).parents[1] / "kernels"
MOST_BYTES = 100 << 20
"""A page takes about twice that, and 150 MB for the compiler: below 400 MB."""

ROWS = """
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = make_tensor_view %p, shape = [%m, %n], strides = [%s, 1]
      : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %v = make_partition_view %t
      : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>
    {body}
    return
  }}
}}
"""
LOAD = """%e, %k = load_view_tko weak {indices} :
  partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32>
  -> tile<8x16xf32>, token"""


def integers(body: str) -> list[int]:
    """The numbers that the parameters m, n and s of a kernel get."""
    module = cuda_tile.load(ROWS.format(body=body).encode())
    (entry,) = entries(module.operation)
    return generate_inputs(entry).args[1:]


def test_what_no_loop_walks_has_one_tile() -> None:
    assert integers(LOAD.format(indices="%v[%x, %y]")) == [8, 16, 16]


def test_what_a_loop_walks_has_several() -> None:
    body = (
        "for %i in (%zero to %m, step %one) : tile<i32> {\n"
        "%j = addi %i, %y : tile<i32>\n" + LOAD.format(indices="%v[%x, %j]") + "}"
    )
    assert integers(body) == [8, 16 * TILES_WALKED, 16 * TILES_WALKED]


def test_what_memory_names_has_several() -> None:
    body = (
        "%q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
        "%f, %k0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n"
        "%j = ftoi %f signed : tile<f32> -> tile<i32>\n"
        + LOAD.format(indices="%v[%j, %y]")
    )
    assert integers(body) == [8 * TILES_WALKED, 16, 16]


def test_attention_takes_little_memory() -> None:
    module = cuda_tile.load(KERNELS / "13.4" / "fmha_causal_f16_d128_128x64.tileirbc")
    (entry,) = entries(module.operation)
    arrays = [a for a in generate_inputs(entry).args if hasattr(a, "nbytes")]
    assert len(arrays) == 4
    assert sum(array.nbytes for array in arrays) < MOST_BYTES


def test_every_kernel_of_the_zoo_gets_arguments() -> None:
    with zipfile.ZipFile(KERNELS / "zoo" / "bytecode-13.4.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".tileirbc")]
        for name in names:
            module = cuda_tile.load(archive.read(name))
            for entry in entries(module.operation):
                inputs = generate_inputs(entry)
                assert len(inputs.args) == len(
                    list(entry.regions[0].blocks[0].arguments)
                )
