# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of 2^24 elements, the most that the dialect has, are refused at once.

A sentence says so where code for them would take minutes and gigabytes to make.
"""

from pathlib import Path

import pytest

import cuda_tile

N = 1 << 24
TILE = f"tile<{N}xf32>"
POINTERS = f"tile<{N}xptr<f32>>"
SQUARE = "tile<4096x4096xf32>"
LOAD = f"""
  %i = iota : tile<{N}xi32>
  %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %q : tile<1xptr<f32>> -> {POINTERS}
  %a = offset %b, %i : {POINTERS}, tile<{N}xi32> -> {POINTERS}
  %x, %t = load_ptr_tko weak %a : {POINTERS} -> {TILE}, token
"""
BODIES = {
    "copied": f"%o = reshape %x : {TILE} -> {TILE}",
    "transposed": f"""
  %m = reshape %x : {TILE} -> {SQUARE}
  %n = permute %m [1, 0] : {SQUARE} -> {SQUARE}
  %o = reshape %n : {SQUARE} -> {TILE}""",
    "multiplied": f"""
  %m = reshape %x : {TILE} -> {SQUARE}
  %n = mmaf %m, %m, %m : {SQUARE}, {SQUARE}, {SQUARE}
  %o = reshape %n : {SQUARE} -> {TILE}""",
    "scanned": f"""
  %o = scan %x dim=0 reverse=false identities=[0.0 : f32] : {TILE} -> {TILE}
  (%c: tile<f32>, %d: tile<f32>) {{
    %s = addf %c, %d : tile<f32>
    yield %s : tile<f32>
  }}""",
}
STORE = f"%u = store_ptr_tko weak %a, %o : {POINTERS}, {TILE} -> token"


def refusal(path: Path, body: str, gpu: str) -> str:
    """What is said of a kernel that loads the tile and stores what `body` makes."""
    kernel = f"entry @f(%p: tile<ptr<f32>>) {{ {LOAD} {body} {STORE} }}"
    path.write_text(f"cuda_tile.module @m {{ {kernel} }}")
    module = cuda_tile.load(path)
    with pytest.raises(cuda_tile.Unsupported) as caught:
        cuda_tile.compile(module, gpu=gpu, cubin=False)
    return str(caught.value)


@pytest.mark.parametrize("name", BODIES)
def test_too_many_elements_for_a_thread(name: str, tmp_path: Path) -> None:
    said = refusal(tmp_path / "k.mlir", BODIES[name], "sm_80")
    assert "expected at most 8192 elements of a tile in each thread, got " in said
    assert "smaller tiles" in said
