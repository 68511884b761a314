# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ordinary kernels do and the text leaves undefined, in each mode.

Strict mode refuses it, hardware mode runs it and warns with location and count. Real
faults beside it stay errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cuda_tile
from cuda_tile import interp

Array = NDArray[Any]

VIEW = "tensor_view<?xf32, strides=[1]>"
TILES = f"partition_view<tile=(8), {VIEW}>"


def kernel(parameters: str, body: str) -> Any:
    """A module with one kernel."""
    text = f"cuda_tile.module @m {{ entry @k({parameters}) {{\n{body}\n  return\n}} }}"
    return cuda_tile.load(text.encode())


def view_of(name: str, pointer: str) -> str:
    """A view of `%n` elements at a pointer, in tiles of 8."""
    return f"""
  %v{name} = make_tensor_view {pointer}, shape = [%n], strides = [1]
    : tile<i32> -> {VIEW}
  %{name} = make_partition_view %v{name} : {TILES}"""


COPY = kernel(
    "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>, %i: tile<i32>",
    f"""{view_of("a", "%p")}{view_of("b", "%q")}
  %x, %t = load_view_tko weak %a[%i] : {TILES}, tile<i32> -> tile<8xf32>, token
  %one = constant <f32: 1.0> : tile<8xf32>
  %y = addf %x, %one : tile<8xf32>
  %flat = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
  %wide = broadcast %flat : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %c = iota : tile<8xi32>
  %r = offset %wide, %c : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %s = store_ptr_tko weak %r, %y : tile<8xptr<f32>>, tile<8xf32> -> token""",
)
"""Loads a tile without padding and stores all of it, plus one."""

SUMS = kernel(
    "%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>",
    f"""{view_of("a", "%p")}{view_of("b", "%q")}
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <f32: 0.0> : tile<8xf32>
  %sum = for %i in (%zero to %one, step %one) : tile<i32>
      iter_values(%s = %none) -> (tile<8xf32>) {{
    %x, %t = load_view_tko weak %a[%i] : {TILES}, tile<i32> -> tile<8xf32>, token
    %next = addf %s, %x : tile<8xf32>
    continue %next : tile<8xf32>
  }}
  %flat = reshape %q : tile<ptr<f32>> -> tile<1xptr<f32>>
  %wide = broadcast %flat : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %c = iota : tile<8xi32>
  %r = offset %wide, %c : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
  %s = store_ptr_tko weak %r, %sum : tile<8xptr<f32>>, tile<8xf32> -> token""",
)
"""Loads a tile without padding in a loop and stores all of it."""

INDEXED = kernel(
    "%p: tile<ptr<i32>>, %n: tile<i32>",
    f"""{view_of("a", "%p").replace("f32", "i32")}
  %zero = constant <i32: 0> : tile<i32>
  %x, %t = load_view_tko weak %a[%zero]
    : {TILES.replace("f32", "i32")}, tile<i32> -> tile<8xi32>, token
  %flat = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %wide = broadcast %flat : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %r = offset %wide, %x : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %y, %u = load_ptr_tko weak %r : tile<8xptr<i32>> -> tile<8xi32>, token""",
)
"""Loads what a tile without padding names."""

STORE = kernel(
    "%q: tile<ptr<f32>>, %n: tile<i32>, %i: tile<i32>",
    f"""{view_of("b", "%q")}
  %one = constant <f32: 1.0> : tile<8xf32>
  %s = store_view_tko weak %one, %b[%i] : tile<8xf32>, {TILES}, tile<i32> -> token""",
)

IN_PLACE = kernel(
    "%p: tile<ptr<f32>>, %n: tile<i32>, %i: tile<i32>",
    f"""{view_of("a", "%p")}
  %x, %t = load_view_tko weak %a[%i] : {TILES}, tile<i32> -> tile<8xf32>, token
  %m = reduce %x dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%u: tile<f32>, %v: tile<f32>) {{
      %w = maxf %u, %v : tile<f32>
      yield %w : tile<f32>
    }}
  %m1 = reshape %m : tile<f32> -> tile<1xf32>
  %m8 = broadcast %m1 : tile<1xf32> -> tile<8xf32>
  %y = subf %x, %m8 : tile<8xf32>
  %s = store_view_tko weak %y, %a[%i] : tile<8xf32>, {TILES}, tile<i32> -> token""",
)
"""Subtracts the maximum of a tile from it, in place and without a token."""

MATRIX = "tensor_view<4x4xf32, strides=[4,1]>"
SQUARE = f"partition_view<tile=(4x4), {MATRIX}>"
TRANSPOSE = kernel(
    "%p: tile<ptr<f32>>",
    f"""
  %v = make_tensor_view %p, shape = [4, 4], strides = [4, 1] : {MATRIX}
  %a = make_partition_view %v : {SQUARE}
  %i = constant <i32: 0> : tile<i32>
  %x, %t = load_view_tko weak %a[%i, %i] : {SQUARE}, tile<i32> -> tile<4x4xf32>, token
  %y = permute %x [1, 0] : tile<4x4xf32> -> tile<4x4xf32>
  %s = store_view_tko weak %y, %a[%i, %i]
    : tile<4x4xf32>, {SQUARE}, tile<i32> -> token""",
)
"""In place and without a token, an element goes where another one was read."""


def repeated(first: float) -> Any:
    """Two elements of one store have one address."""
    return kernel(
        "%p: tile<ptr<f32>>",
        f"""
  %c = constant <i32: [0, 0]> : tile<2xi32>
  %x = constant <f32: [{first}, 1.0]> : tile<2xf32>
  %flat = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %wide = broadcast %flat : tile<1xptr<f32>> -> tile<2xptr<f32>>
  %r = offset %wide, %c : tile<2xptr<f32>>, tile<2xi32> -> tile<2xptr<f32>>
  %s = store_ptr_tko weak %r, %x : tile<2xptr<f32>>, tile<2xf32> -> token""",
    )


STRIDED = "tensor_view<4x?xf32, strides=[1,?]>"
COLUMN = f"partition_view<tile=(4x1), {STRIDED}>"
STRIDE = kernel(
    "%p: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>",
    f"""
  %d = assume div_by<4>, %s : tile<i32>
  %e = assume bounded<0, ?>, %d : tile<i32>
  %v = make_tensor_view %p, shape = [4, %n], strides = [1, %e]
    : tile<i32> -> {STRIDED}
  %a = make_partition_view %v : {COLUMN}
  %i = constant <i32: 0> : tile<i32>
  %x, %t = load_view_tko weak %a[%i, %i] : {COLUMN}, tile<i32> -> tile<4x1xf32>, token
  %u = store_view_tko weak %x, %a[%i, %i] token = %t
    : tile<4x1xf32>, {COLUMN}, tile<i32> -> token""",
)
"""Stores what it loaded; a stride is assumed to be divisible by 4."""


def ones(*shape: int) -> Array:
    """An array of ones."""
    return np.ones(shape, np.float32)


@dataclass(frozen=True)
class Habit:
    """What the text leaves undefined.

    Attributes:
        module: The kernel.
        args: Its arguments.
        after: The last array after a run in hardware mode.
        warning: What the warning says.
    """

    module: Any
    args: list[Any]
    after: list[Any]
    warning: str


HABITS = {
    "stores what nothing specifies": Habit(
        COPY,
        [ones(5), ones(8), 5, 0],
        [2.0] * 5 + [np.nan] * 3,
        "stored value is unspec",
    ),
    "loads outside the index space": Habit(
        COPY, [ones(8), ones(8) * 7, 8, 3], [np.nan] * 8, "outside the index space"
    ),
    "stores outside the index space": Habit(
        STORE, [ones(8) * 7, 8, 1], [7.0] * 8, "outside the index space"
    ),
    "stores equal values twice": Habit(
        repeated(1.0), [ones(2) * 3], [1.0, 3.0], "their values are equal"
    ),
    "assumes too much of a stride that no access uses": Habit(
        STRIDE, [ones(4) * 3, 1, 3], [3.0] * 4, "the axis has one element"
    ),
    "has a stride of 0": Habit(
        STRIDE, [ones(4) * 3, 1, 0], [3.0] * 4, "strides above 0, got 0"
    ),
}


@pytest.mark.parametrize("name", HABITS)
def test_hardware_mode_warns_where_strict_mode_fails(name: str) -> None:
    habit = HABITS[name]
    with pytest.raises(interp.InterpError):
        run(habit, "strict")
    array, report = run(habit, "hardware")
    assert np.array_equal(array, habit.after, equal_nan=True)
    assert habit.warning in report.warnings[0]
    assert all(re.match(r"-:\d+:\d+: ", line) for line in report.warnings)
    assert run(habit, "permissive")[1].warnings == []


@pytest.mark.parametrize("mode", ["hardware", "permissive"])
def test_zeros_in_place_of_unspecified_elements_are_asked_for(mode: str) -> None:
    habit = HABITS["stores what nothing specifies"]
    array, report = run(habit, mode, unspecified="zero")
    assert array.tolist() == [2.0] * 5 + [1.0] * 3
    assert len(report.warnings) == (mode == "hardware")


@pytest.mark.parametrize("mode", ["strict", "hardware"])
def test_the_load_and_its_axis_are_named_behind_a_loop(mode: str) -> None:
    args = [ones(5), ones(8), 5]
    try:
        said = interp.run(SUMS, grid=(1,), args=args, mode=mode).warnings[0]
    except interp.InterpError as error:
        said = str(error)
    place = (
        r"comes from 'load_view_tko' at -:\d+:\d+ \(its tile reaches past axis 0 of "
    )
    assert re.search(
        place + r"extent 5 of the tensor, and the load has no padding", said
    )


def test_an_address_of_what_hardware_reads_as_zero_is_none_outside() -> None:
    """Only what is stored shows the pattern: hardware survives such addresses."""
    x = np.arange(8, dtype=np.int32)
    report = interp.run(INDEXED, grid=(1,), args=[x, 5], mode="hardware")
    assert "the address is unspecified" in report.warnings[0]


def run(habit: Habit, mode: str, **options: Any) -> tuple[Array, Any]:
    """The last array and the report of a run on copies."""
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in habit.args]
    report = interp.run(habit.module, grid=(1,), args=args, mode=mode, **options)
    return [a for a in args if isinstance(a, np.ndarray)][-1], report


def test_warnings_are_counted() -> None:
    args = [ones(5), ones(8), 5, 0]
    report = interp.run(COPY, grid=(1, 1), args=args, mode="hardware")
    assert "times" not in report.warnings[0]
    report = interp.run(STORE, grid=(3,), args=[ones(8), 8, 1], mode="hardware")
    assert report.warnings[0].endswith("(3 times)")


def test_a_store_ordered_by_its_data_is_no_race() -> None:
    x = np.arange(8, dtype=np.float32)
    with pytest.raises(interp.InterpError, match="no token orders"):
        interp.run(IN_PLACE, grid=(1,), args=[x.copy(), 8, 0])
    report = interp.run(IN_PLACE, grid=(1,), args=[x, 8, 0], mode="hardware")
    assert x.tolist() == list(range(-7, 1))
    assert report.warnings == []


REAL = {
    "an element moves": (TRANSPOSE, [ones(16)], "no token orders"),
    "different values at one address": (repeated(2.0), [ones(2)], "stores twice"),
    "a stride that counts": (STRIDE, [ones(8), 2, 3], "assumed div_by<4>"),
    "outside every array": (COPY, [ones(8), ones(4), 8, 0], "outside every array"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_faults_stay_errors(name: str) -> None:
    module, args, message = REAL[name]
    for mode in ("strict", "hardware"):
        with pytest.raises(interp.InterpError, match=message):
            interp.run(module, grid=(1,), args=args, mode=mode)


def test_other_bits_show_what_depends_on_unspecified_elements() -> None:
    ragged: dict[str, Any] = {"grid": (1,), "seeds": 2, "mode": "hardware"}
    report = interp.shuffle_check(COPY, args=[ones(5), ones(8), 5, 0], **ragged)
    assert not report
    assert report.changes[0].argument == "1"
    whole = interp.shuffle_check(COPY, args=[ones(8), ones(8), 8, 0], **ragged)
    assert whole


def test_checked_is_another_name_of_strict() -> None:
    with pytest.raises(interp.InterpError):
        interp.run(STORE, grid=(1,), args=[ones(8), 8, 1], mode="strict")
