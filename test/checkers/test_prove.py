# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proofs of whole kernels, and grids whose tile blocks meet or do not."""

from __future__ import annotations

import pytest
from mutated_rings import text_of
from real_kernels import kernel_path
from ring_mutants import mutants

import cuda_tile
from cuda_tile import Options, prove
from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers.grid import Grid
from cuda_tile.checkers.protocol import COUNT, verdict_of
from cuda_tile.ir.walk import entries

WIDE = "partition_view<tile=(32), tensor_view<?xf32, strides=[1]>>"
VIEW = "partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>"


def grid_text(index: str, read: str = "") -> str:
    """A kernel that stores a tile at an index."""
    return f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %q: tile<ptr<f32>>) {{
        %x, %y, %z = get_tile_block_id : tile<i32>
        %two = constant <i32: 2> : tile<i32>
        %t = make_tensor_view %p, shape = [%n], strides = [1]
          : tile<i32> -> tensor_view<?xf32, strides=[1]>
        %v = make_partition_view %t : {VIEW}
        %u = make_tensor_view %q, shape = [%n], strides = [1]
          : tile<i32> -> tensor_view<?xf32, strides=[1]>
        %w = make_partition_view %u : {VIEW}
        %wide = make_partition_view %t : {WIDE}
        {index}
        {read or "%a = constant <f32: 1.0> : tile<16xf32>"}
        %s = store_view_tko weak %a, %v[%i] : tile<16xf32>, {VIEW}, tile<i32> -> token
      }}
    }}
    """


def grid_doubt(index: str, read: str = "") -> str:
    """What is said of a kernel that stores a tile at an index."""
    module = cuda_tile.load(grid_text(index, read).encode())
    with module.context:
        (entry,) = entries(module.operation)
        return Grid(entry).doubt()


def loaded(view: str, index: str) -> str:
    return (
        f"%a, %r = load_view_tko weak %{view}[%{index}] : {VIEW}, tile<i32> "
        "-> tile<16xf32>, token"
    )


@pytest.mark.parametrize(
    "index",
    [
        "%i = addi %x, %n : tile<i32>",
        "%j = muli %x, %two overflow<no_signed_wrap> : tile<i32>\n"
        "%i = subi %n, %j : tile<i32>",
        "%three = constant <i32: 3> : tile<i32>\n%i = muli %x, %three : tile<i32>",
        "%i = assume bounded<0, ?>, %x : tile<i32>",
    ],
)
def test_blocks_that_are_apart(index: str) -> None:
    assert not grid_doubt(index)
    assert not grid_doubt(index, loaded("v", "i"))
    assert not grid_doubt(index, loaded("w", "x"))


@pytest.mark.parametrize(
    "index",
    [
        "%i = divi %x, %two signed : tile<i32>",
        "%i = addi %x, %y : tile<i32>",
        "%i = muli %x, %n : tile<i32>",
        "%i = muli %x, %two : tile<i32>",
        "%i = subi %x, %x : tile<i32>",
    ],
)
def test_blocks_that_may_store_to_one_tile(index: str) -> None:
    said = grid_doubt(index)
    assert "'cuda_tile.store_view_tko'" in said
    assert "the same tile" in said


def test_a_kernel_that_tells_no_blocks_apart_is_unknown() -> None:
    """All of its tile blocks store the same tile: right for a grid of one alone."""
    text = grid_text("%i = constant <i32: 0> : tile<i32>").replace(
        "%x, %y, %z = get_tile_block_id : tile<i32>", ""
    )
    module = cuda_tile.load(text.encode())
    with module.context:
        (entry,) = entries(module.operation)
        assert "nothing tells tile blocks apart" in Grid(entry).doubt()


def test_blocks_that_read_what_others_store() -> None:
    index = "%i = addi %x, %two : tile<i32>"
    assert "another tile of the same array" in grid_doubt(index, loaded("v", "x"))


def test_a_tile_of_another_shape_at_the_same_index_is_another_tile() -> None:
    wide = (
        f"%b, %r = load_view_tko weak %wide[%x] : {WIDE}, tile<i32> "
        "-> tile<32xf32>, token\n%a = constant <f32: 1.0> : tile<16xf32>"
    )
    index = "%i = assume bounded<0, ?>, %x : tile<i32>"
    same = wide.replace("wide[%x]", "wide[%i]")
    assert "another tile of the same array" in grid_doubt(index, same)


def test_the_command_names_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(kernel_path("vadd_f32_1024"))
    assert not prove.main([path, "--gpu", "sm_90"])
    said = capsys.readouterr().out.split("\n")
    assert said == [
        "vadd_f32_1024: block proved",
        "vadd_f32_1024: grid proved: of one tile block along y and z",
        "",
    ]
    assert prove.main(["no such file"]) == 2


def test_a_fault_that_needs_many_iterations_is_refuted() -> None:
    """Without its last release, the fourth iteration waits for a slot for ever."""
    module = cuda_tile.load(text_of("three slots", "tma"))
    options = Options(gpu="sm_90", num_warps=2)
    lowered = cuda_tile.lower(module, until="count", options=options)
    with lowered.context, ir.Location.unknown():
        deleted = next(
            m for m in mutants(lowered.operation) if m.name == "release: deleted"
        )
        deleted.apply(lowered.operation)
        (entry,) = entries(lowered.operation)
        verdict = verdict_of(ControlFlow(entry))
    assert verdict.op is not None
    assert COUNT not in verdict.assumed


TABLE = "partition_view<tile=(1x16), tensor_view<?x?xf32, strides=[16,1]>>"


def numbered_doubt(lines: str) -> str:
    """What is said of a kernel that stores at `%i` and `%j`."""
    text = f"""
    cuda_tile.module @m {{
      entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
        %x, %y, %z = get_tile_block_id : tile<i32>
        %zero = constant <i32: 0> : tile<i32>
        %three = constant <i32: 3> : tile<i32>
        %six = constant <i32: 6> : tile<i32>
        %t = make_tensor_view %p, shape = [%n, %n], strides = [16, 1]
          : tile<i32> -> tensor_view<?x?xf32, strides=[16,1]>
        %v = make_partition_view %t : {TABLE}
        {lines}
        %a = constant <f32: 1.0> : tile<1x16xf32>
        %s = store_view_tko weak %a, %v[%i, %j]
          : tile<1x16xf32>, {TABLE}, tile<i32> -> token
      }}
    }}
    """
    module = cuda_tile.load(text.encode())
    with module.context:
        (entry,) = entries(module.operation)
        return Grid(entry).doubt()


def rounded_down(of: str, by: str, below: str) -> str:
    """A remainder with the sign of the divisor, as compilers write it."""
    return f"""
        %r = remi {of}, {by} signed : tile<i32>
        %p0 = cmpi less_than {below}, %zero, signed : tile<i32> -> tile<i1>
        %p1 = cmpi less_than {by}, %zero, signed : tile<i32> -> tile<i1>
        %p2 = xori %p0, %p1 : tile<i1>
        %p3 = cmpi not_equal %r, %zero, signed : tile<i32> -> tile<i1>
        %p4 = andi %p2, %p3 : tile<i1>
        %sum = addi %r, {by} : tile<i32>
        %j = select %p4, %sum, %r : tile<i1>, tile<i32>
    """


DOWN = "signed rounding<negative_inf>"
QUOTIENT = f"%i = divi %x, %six {DOWN} : tile<i32>\n"


@pytest.mark.parametrize(
    "lines",
    [
        f"{QUOTIENT}%j = remi %x, %six signed : tile<i32>",
        "%i = divi %x, %n signed : tile<i32>\n%j = remi %x, %n signed : tile<i32>",
        "%i = divi %x, %n unsigned : tile<i32>\n%j = remi %x, %n unsigned : tile<i32>",
        f"%i = divi %x, %n {DOWN} : tile<i32>\n{rounded_down('%x', '%n', '%r')}",
        f"%o = addi %x, %n : tile<i32>\n%i = divi %o, %n {DOWN} : tile<i32>\n"
        "%k = remi %o, %n signed : tile<i32>\n%j = subi %n, %k : tile<i32>",
    ],
)
def test_blocks_that_are_numbered_anew_are_apart(lines: str) -> None:
    """Their quotient and remainder by one number tell which one it is."""
    assert not numbered_doubt(lines)


@pytest.mark.parametrize(
    "lines",
    [
        f"{QUOTIENT}%j = remi %x, %three signed : tile<i32>",
        f"{QUOTIENT}%j = remi %y, %six signed : tile<i32>",
        f"{QUOTIENT}%j = divi %x, %six {DOWN} : tile<i32>",
        "%i = remi %x, %three signed : tile<i32>\n"
        "%j = remi %x, %six signed : tile<i32>",
        f"{QUOTIENT}%o = addi %x, %y : tile<i32>\n"
        "%j = remi %o, %six signed : tile<i32>",
        "%i = divi %x, %y signed : tile<i32>\n%j = remi %x, %y signed : tile<i32>",
        "%i = divi %x, %n signed : tile<i32>\n%j = remi %x, %n unsigned : tile<i32>",
        f"%i = divi %x, %n signed : tile<i32>\n{rounded_down('%x', '%n', '%r')}",
        f"%i = divi %x, %n {DOWN} : tile<i32>\n{rounded_down('%x', '%n', '%y')}",
        f"%i = divi %x, %n {DOWN} : tile<i32>\n{rounded_down('%x', '%six', '%r')}",
        "%o = divi %x, %three signed : tile<i32>\n"
        f"%i = divi %o, %six {DOWN} : tile<i32>\n%j = remi %o, %six signed : tile<i32>",
    ],
)
def test_other_numbers_do_not_tell_blocks_apart(lines: str) -> None:
    """Another divisor, another sign, another number that is divided."""
    assert "the same tile" in numbered_doubt(lines)
