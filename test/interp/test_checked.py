# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kind of error of strict mode: a kernel with it, and one without.

The error names op, location and element; permissive mode continues, except if there is
no memory at the address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, Val, tile_of

from cuda_tile.interp import InterpError, InterpReport
from cuda_tile.interp.predicates import Bounded, DivBy, SameElements
from cuda_tile.runtime.args import Multicast
from cuda_tile.runtime.elements import element

I32 = tile_of("i32")
Make = Callable[[Kernel, bool], None]


@dataclass(frozen=True)
class Fault:
    """A kind of fault.

    Attributes:
        make: Adds the ops to a kernel; the flag asks for the fault.
        op: The op that is at fault.
        element: Its element, or None where that is a scalar.
        message: What the error says.
        grid: Tile blocks.
        always: Whether permissive mode fails too.
    """

    make: Make
    op: str
    element: tuple[int, ...] | None
    message: str
    grid: tuple[int, ...] = (1,)
    always: bool = False


def elementwise(
    name: str,
    kind: str,
    good: Any,
    bad: Any,
    other: Any = None,
    to: str | None = None,
    **kw: Any,
) -> Make:
    """An op whose element 1 is at fault; `other` is a second operand."""

    def make(k: Kernel, is_bad: bool) -> None:
        values = [k.constant(bad if is_bad else good, kind)]
        if other is not None:
            values.insert(0, k.constant(other, kind))
        k.op(name, *values, results=(tile_of(to or kind, 2),), **kw)

    return make


def ftoi(k: Kernel, is_bad: bool) -> None:
    x = k.constant([1.0, np.nan if is_bad else 2.0], "f32")
    k.op("ftoi", x, results=(tile_of("i8", 2),), signedness="signed")


def assumed(predicate: Any, good: Any, bad: Any) -> Make:
    def make(k: Kernel, is_bad: bool) -> None:
        x = k.constant(bad if is_bad else good, "i32")
        k.op("assume", x, results=(x.type,), predicate=predicate)

    return make


def part(k: Kernel, is_bad: bool) -> None:
    x = k.constant(np.arange(8), "i32")
    index = k.constant(4 if is_bad else 3, "i32")
    k.op("extract", x, index, results=(tile_of("i32", 2),))


def far_offset(k: Kernel, is_bad: bool) -> None:
    far = 2**62 if is_bad else 1
    k.at(k.parameters[0], k.constant(np.array([0, far]), "i64"))


def load_outside(k: Kernel, is_bad: bool) -> None:
    k.load(k.at(k.parameters[0], [0, 16 if is_bad else 15]))


def store_outside(k: Kernel, is_bad: bool) -> None:
    k.store(k.at(k.parameters[0], [0, -1 if is_bad else 15]), k.constant([1, 2], "i32"))


def atomic_outside(k: Kernel, is_bad: bool) -> None:
    add(k, k.at(k.parameters[0], [0, 16 if is_bad else 15]), [1, 2])


def add(k: Kernel, at: Val, values: Any) -> None:
    x = k.constant(values, "i32")
    k.op(
        "atomic_rmw_tko", [at], [x], [], [], results=(x.type, TOKEN), mode="add",
        memory_ordering_semantics="relaxed", memory_scope="device",
    )  # fmt: skip


def misaligned(k: Kernel, is_bad: bool) -> None:
    address = k.op("ptr_to_int", k.parameters[0], results=(tile_of("i64"),))
    moved = k.op(
        "addi", address, k.constant(2 if is_bad else 4, "i64"), results=(address.type,)
    )
    pointer = k.op("int_to_ptr", moved, results=(tile_of("ptr<i32>"),))
    k.load(k.at(pointer, [0, 1]))


def misaligned_view(k: Kernel, is_bad: bool) -> None:
    kind = "ptr<i64>" if is_bad else "ptr<i32>"
    address = k.op("ptr_to_int", k.parameters[0], results=(tile_of("i64"),))
    four = k.constant(4, "i64")
    address = k.op("addi", address, four, results=(address.type,))
    pointer = k.op("int_to_ptr", address, results=(tile_of(kind),))
    k.view(pointer, (4,), (4,))


def twice(k: Kernel, is_bad: bool) -> None:
    at = k.at(k.parameters[0], [1, 0, 1 if is_bad else 2, 3])
    k.store(at, k.constant([1, 2, 3, 4], "i32"))


def unordered(k: Kernel, is_bad: bool) -> None:
    token = k.store(k.at(k.parameters[0], [4, 5]), k.constant([1, 2], "i32"))
    k.load(k.at(k.parameters[0], [6, 7, 5, 4]), None if is_bad else token)


def between_blocks(k: Kernel, is_bad: bool) -> None:
    x = k.op("get_tile_block_id", results=(I32,) * 3)[0]
    two = k.constant(2, "i32")
    place = k.op("muli", x, two, results=(I32,))
    if is_bad:
        place = x  # blocks overlap in one element
    base = k.op("offset", k.parameters[0], place, results=(tile_of("ptr<i32>"),))
    k.store(k.at(base, [1, 0]), k.constant([1, 2], "i32"))


def narrow_scope(k: Kernel, is_bad: bool) -> None:
    k.store(
        k.at(k.parameters[0], [0]),
        k.constant([1], "i32"),
        order="relaxed",
        memory_scope="tl_blk" if is_bad else "device",
    )


def unwritten(k: Kernel, is_bad: bool) -> None:
    own = k.op("alloca", results=(tile_of("ptr<i32>"),), num_elem=4, alignment=4)
    values = k.constant([1, 2, 3, 4], "i32")
    if is_bad:
        token = k.store(k.at(own, [0, 1]), k.constant([1, 2], "i32"))
    else:
        token = k.store(k.at(own, np.arange(4)), values)
    x, _ = k.load(k.at(own, np.arange(4)), token)
    k.output(k.parameters[0], x)


def without_padding(k: Kernel, is_bad: bool) -> None:
    pad = None if is_bad else "zero"
    view, _ = k.view(k.parameters[0], (6,), (8,), padding=pad)
    x, _ = k.load_view(view, [k.constant(0, "i32")])
    k.output(k.parameters[1], x)


def unspecified_address(k: Kernel, is_bad: bool) -> None:
    x = masked(k, is_bad)
    k.load(k.at(k.parameters[1], x))


def masked(k: Kernel, is_bad: bool) -> Val:
    at, mask = k.at(k.parameters[0], [0, 1]), k.constant([True, not is_bad], "i1")
    x, _ = k.op(
        "load_ptr_tko", [at], [mask], [], [], results=(tile_of("i32", 2), TOKEN),
        memory_ordering_semantics="weak",
    )  # fmt: skip
    return x


def unspecified_condition(k: Kernel, is_bad: bool) -> None:
    x = masked(k, is_bad)
    one = k.op("extract", x, k.constant(1, "i32"), results=(tile_of("i32", 1),))
    scalar = k.op("reshape", one, results=(I32,))
    with k.region() as then:
        k.op("yield")
    condition = k.op("trunci", scalar, results=(tile_of("i1"),))
    k.op("if", condition, regions=(then, None))


def outside_space(k: Kernel, is_bad: bool) -> None:
    view, _ = k.view(k.parameters[0], (16,), (8,), padding="zero")
    k.load_view(view, [k.constant(2 if is_bad else 1, "i32")])


def broken_inbounds(k: Kernel, is_bad: bool) -> None:
    view, _ = k.view(k.parameters[0], (3, 4), (2, 4), padding="zero")
    at = [k.constant(1 if is_bad else 0, "i32"), k.constant(0, "i32")]
    k.load_view(view, at, inbounds=(True, False))


def all_outside(k: Kernel, is_bad: bool) -> None:
    view, _ = k.view(k.parameters[0], (4, 4), (2, 4), sparse=0, padding="zero")
    rows = k.constant([4, 5] if is_bad else [3, 5], "i32")
    k.load_view(view, [rows, k.constant(0, "i32")])


def read_only(k: Kernel, is_bad: bool) -> None:
    k.store(k.parameters[2 if is_bad else 0], k.constant(1, "i32"))


def negative_scale(k: Kernel, is_bad: bool) -> None:
    ones = k.constant(np.ones((1, 32)), "f4E2M1FN")
    other = k.constant(np.ones((32, 1)), "f4E2M1FN")
    scale = k.constant([[1.0, -1.0 if is_bad else 1.0]], "f8E4M3FN")
    fine = k.constant([[1.0], [1.0]], "f8E4M3FN")
    acc = k.constant([[0.0]], "f32")
    k.op("mmaf_scaled", ones, other, acc, scale, fine, results=(acc.type,))


def endless_step(k: Kernel, is_bad: bool) -> None:
    bounds = [k.constant(n, "i32") for n in (0, 4, 0 if is_bad else 2)]
    with k.region(I32) as body:
        k.op("continue")
    k.op("for", *bounds, regions=(body,))


def directive(k: Kernel, is_bad: bool) -> None:
    x = k.constant(1.5, "f32")
    k.op("print_tko", [x], [], results=(TOKEN,), str="%d" if is_bad else "%f")


def size_that_does_not_fit(k: Kernel, is_bad: bool) -> None:
    view, kind = k.view(k.parameters[0], (300 if is_bad else 16,), (8,))
    assert kind.tensor_view.element == element("i32")
    k.op("get_index_space_shape", view, results=(tile_of("i8"),))
    tensor = k.op(
        "make_tensor_view", [k.parameters[0]], [], [], results=(kind.tensor_view,)
    )
    k.op("get_tensor_shape", tensor, results=(tile_of("i8"),))


SIGNED: dict[str, Any] = {"signedness": "signed"}
FAULTS = {
    "division by zero": Fault(
        elementwise("divi", "i32", [1, 1], [1, 0], [1, 1], **SIGNED),
        "divi", (1,), "division by zero",
    ),
    "remainder by zero": Fault(
        elementwise("remi", "i32", [1, 1], [1, 0], [1, 1], **SIGNED),
        "remi", (1,), "division by zero",
    ),
    "division that overflows": Fault(
        elementwise("divi", "i8", [1, 1], [1, -1], [-128, -128], **SIGNED),
        "divi", (1,), "the smallest i8 divided by -1 overflows",
    ),
    "wide shift": Fault(
        elementwise("shli", "i16", [1, 15], [1, 16], [1, 1]),
        "shli", (1,), "shifts i16 by 16 bits or more, got 16",
    ),
    "signed overflow": Fault(
        elementwise("addi", "i8", [1, 1], [1, 100], [1, 100],
                    overflow="no_signed_wrap"),
        "addi", (1,), "overflows the promised signed i8, got 200",
    ),
    "unsigned overflow": Fault(
        elementwise("subi", "i8", [1, 1], [1, 2], [1, 1],
                    overflow="no_unsigned_wrap"),
        "subi", (1,), "overflows the promised unsigned i8, got -1",
    ),
    "product that overflows": Fault(
        elementwise("muli", "i8", [1, 1], [1, 100], [1, 2], overflow="no_wrap"),
        "muli", (1,), "overflows the promised signed i8, got 200",
    ),
    "negative that overflows": Fault(
        elementwise("negi", "i8", [1, 1], [1, -128], overflow="no_signed_wrap"),
        "negi", (1,), "overflows the promised signed i8, got 128",
    ),
    "bits that are lost": Fault(
        elementwise("trunci", "i16", [1, 127], [1, 128], to="i8",
                    overflow="no_signed_wrap"),
        "trunci", (1,), "overflows the promised signed i8, got 128",
    ),
    "float out of range": Fault(
        ftoi, "ftoi", (1,), "the value is outside the range of signed i8, got nan"
    ),
    "div_by": Fault(
        assumed(DivBy(4), [0, 4], [0, 6]), "assume", (1,), "assumed div_by<4>, got 6"
    ),
    "bounded": Fault(
        assumed(Bounded(0, 9), [0, 9], [0, 10]), "assume", (1,),
        "assumed bounded<0, 9>, got 10",
    ),
    "same_elements": Fault(
        assumed(SameElements((2,)), [1, 1], [1, 2]), "assume", (1,),
        "assumed same_elements<[2]>, got 2",
    ),
    "part outside": Fault(part, "extract", None, "expected index 0 below 4, got 4"),
    "offset that overflows": Fault(
        far_offset, "offset", (1,), "the offset in bytes overflows 64 bits"
    ),
    "load outside": Fault(
        load_outside, "load_ptr_tko", (1,), "is outside every array", always=True
    ),
    "store outside": Fault(
        store_outside, "store_ptr_tko", (1,), "4 bytes before its start", always=True
    ),
    "atomic outside": Fault(
        atomic_outside, "atomic_rmw_tko", (1,), "is outside every array", always=True
    ),
    "store to what is read-only": Fault(
        read_only, "store_ptr_tko", None, "is to argument 2: int32[16]", always=True
    ),
    "misaligned": Fault(
        misaligned, "load_ptr_tko", (0,), "expected an address aligned to 4 bytes"
    ),
    "misaligned view": Fault(
        misaligned_view, "make_tensor_view", None, "expected a base aligned to 8 bytes"
    ),
    "one store twice": Fault(
        twice, "store_ptr_tko", (2,), "byte 4 of argument 0: int32[16]"
    ),
    "no token between": Fault(
        unordered, "load_ptr_tko", (3,), "touches byte 16 of argument 0: int32[16]"
    ),
    "blocks that overlap": Fault(
        between_blocks, "store_ptr_tko", (1,), "nothing orders the two", grid=(2,)
    ),
    "scope too narrow": Fault(
        narrow_scope, "store_ptr_tko", (0,), "nothing orders the two", grid=(2,)
    ),
    "never written": Fault(
        unwritten, "store_ptr_tko", (2,),
        "the stored value is unspecified; it comes from 'load_ptr_tko' at test.py:",
    ),
    "no padding": Fault(
        without_padding, "store_ptr_tko", (6,),
        "the stored value is unspecified; it comes from 'load_view_tko' at test.py:",
    ),
    "unspecified address": Fault(
        unspecified_address, "load_ptr_tko", (1,), "the address is unspecified",
        always=True,
    ),
    "unspecified condition": Fault(
        unspecified_condition, "if", None, "the condition is unspecified"
    ),
    "index outside": Fault(
        outside_space, "load_view_tko", None,
        "index [2] is outside the index space [2] of tiles of [8] over a tensor of ",
    ),
    "broken inbounds": Fault(
        broken_inbounds, "load_view_tko", (1, 0), "promised inbounds along index 0"
    ),
    "gather outside": Fault(
        all_outside, "load_view_tko", None, "no element lies inside the tensor"
    ),
    "negative scale": Fault(
        negative_scale, "mmaf_scaled", (0, 1), "a scale of lhs is negative, got -"
    ),
    "step": Fault(
        endless_step, "for", None, "expected a step above 0, got 0", always=True
    ),
    "directive": Fault(
        directive, "print_tko", None, "'%d' does not suit f32; use %f, %e, %g or %a"
    ),
    "size too large": Fault(
        size_that_does_not_fit, "get_tensor_shape", None,
        "expected a size that fits i8, got 300",
    ),
}  # fmt: skip


def launch(fault: Fault, *, is_bad: bool, **options: Any) -> InterpReport:
    k = Kernel("ptr<i32>", "ptr<i32>", "ptr<i32>")
    fault.make(k, is_bad)
    fixed = np.zeros(16, np.int32)
    fixed.flags.writeable = False
    arrays = [np.zeros(16, np.int32) for _ in "ab"]
    return k.run(*arrays, fixed, grid=fault.grid, **options)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", [None, 1])
def test_a_kernel_without_the_fault_runs(name: str, seed: int | None) -> None:
    launch(FAULTS[name], is_bad=False, seed=seed)


@pytest.mark.parametrize("name", FAULTS)
def test_the_error_names_op_location_and_element(name: str) -> None:
    fault = FAULTS[name]
    with pytest.raises(InterpError) as caught:
        launch(fault, is_bad=True)
    error, text = caught.value, str(caught.value)
    assert fault.message in text
    assert error.op_name == fault.op
    assert f"'cuda_tile.{fault.op}'" in text
    assert error.location is not None
    assert text.startswith(f"{error.location}: k, tile block ")
    assert error.location.startswith("test.py:")
    assert (error.element_index or None) == fault.element
    if fault.element is not None:
        assert f"element {list(fault.element)}: " in text


@pytest.mark.parametrize("name", FAULTS)
def test_permissive_mode_goes_on(name: str) -> None:
    fault = FAULTS[name]
    if fault.always:
        with pytest.raises(InterpError):
            launch(fault, is_bad=True, mode="permissive")
    else:
        launch(fault, is_bad=True, mode="permissive")


@pytest.mark.parametrize("name", FAULTS)
def test_shuffled_runs_find_it_too(name: str) -> None:
    with pytest.raises(InterpError) as caught:
        launch(FAULTS[name], is_bad=True, seed=3)
    assert FAULTS[name].message in str(caught.value)


def test_a_tile_that_leaves_multicast_memory() -> None:
    k = Kernel("ptr<i32>")
    view, _ = k.view(k.parameters[0], (24,), (8,))
    k.op(
        "multimem_load_reduce_view_tko", [view], [k.constant(1, "i32")], [],
        results=(tile_of("i32", 8), TOKEN), reduction="add",
        memory_ordering_semantics="weak",
    )  # fmt: skip
    replicas = [np.zeros(12, np.int32) for _ in "ab"]
    with pytest.raises(InterpError, match="the tile leaves the multicast memory"):
        k.run(Multicast.over(replicas))


def test_a_tile_beyond_every_address() -> None:
    k = Kernel("ptr<i32>")
    view, _ = k.view(k.parameters[0], (1 << 40,), (8,), strides=(1 << 40,))
    k.load_view(view, [k.constant(1 << 36, "i64")])
    with pytest.raises(InterpError, match=r"elements from the base: beyond 2\^63"):
        k.run(np.zeros(8, np.int32))
