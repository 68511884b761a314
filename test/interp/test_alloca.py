# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of the kernel itself: allocas and globals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import Kernel, Val, tile_of
from interp_harness import parse

from cuda_tile import interp
from cuda_tile.interp import InterpError
from cuda_tile.interp.program import Global
from cuda_tile.runtime.elements import element

I32 = tile_of("i32")


def alloca(k: Kernel, kind: str, count: int, align: int = 4, **kw: Any) -> Val:
    return k.op(
        "alloca",
        results=(tile_of(f"ptr<{kind}>"),),
        num_elem=count,
        alignment=align,
        **kw,
    )


@pytest.mark.parametrize("align", [4, 16, 256])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_what_is_stored_can_be_loaded(align: int, seed: int | None) -> None:
    k = Kernel("ptr<i32>", "ptr<i64>")
    memory = alloca(k, "i32", 8, align)
    at = k.at(memory, np.arange(8))
    token = k.store(at, k.constant(np.arange(8) * 3, "i32"))
    value, _ = k.load(at, token)
    k.output(k.parameters[0], value)
    k.store(k.parameters[1], k.op("ptr_to_int", memory, results=(tile_of("i64"),)))
    out, address = np.zeros(8, np.int32), np.zeros(1, np.int64)
    k.run(out, address, seed=seed)
    assert out.tolist() == (np.arange(8) * 3).tolist()
    assert address[0] % align == 0


def test_fresh_memory_is_unspecified() -> None:
    k = Kernel("ptr<i32>")
    memory = alloca(k, "i32", 8)
    token = k.store(k.at(memory, np.arange(4)), k.constant(np.ones(4), "i32"))
    value, _ = k.load(k.at(memory, np.arange(8)), token)
    k.output(k.parameters[0], value)
    out = np.zeros(8, np.int32)
    with pytest.raises(
        InterpError, match="value is unspecified; it comes from"
    ) as caught:
        k.run(out)
    assert caught.value.element_index == (4,)
    k.run(out, mode="permissive")
    assert out[:4].tolist() == [1] * 4
    assert (out[4:].view(np.uint32) == 0xAAAAAAAA).all()


def test_memory_ends_with_its_loop_trip() -> None:
    k = Kernel("ptr<i32>")
    outer = k.constant(np.array(0), "i64")
    zero, two, one = (k.constant(n, "i32") for n in (0, 2, 1))
    with k.region(I32, tile_of("i64")) as body:
        memory = alloca(k, "i32", 1)
        k.op("continue", k.op("ptr_to_int", memory, results=(tile_of("i64"),)))
    last = k.op(
        "for", zero, two, one, outer, results=(tile_of("i64"),), regions=(body,)
    )
    value, _ = k.load(k.op("int_to_ptr", last, results=(tile_of("ptr<i32>"),)))
    k.output(k.parameters[0], value)
    place = next(op.location for op in body.ops if op.name == "alloca")
    with pytest.raises(
        InterpError, match=f"in the alloca at {place}, whose life ended"
    ):
        k.run(np.zeros(1, np.int32))


def test_an_odd_number_of_halves_fills_whole_bytes() -> None:
    k = Kernel("ptr<f32>")
    memory = alloca(k, "f4E2M1FN", 3, 1)
    at = k.at(memory, np.array([0, 2]))
    token = k.store(at, k.constant(np.array([1.5, 3.0]), "f4E2M1FN"))
    value, _ = k.load(at, token)
    k.output(k.parameters[0], k.op("ftof", value, results=(tile_of("f32", 2),)))
    out = np.zeros(2, np.float32)
    k.run(out)
    assert out.tolist() == [1.5, 3.0]


@pytest.mark.parametrize("mode", ["strict", "permissive"])
@pytest.mark.parametrize(
    ("count", "message"),
    [
        (-1, "expected a number of elements of 0 or more, got -1"),
        (2**40, "expected 8796093022208 bytes of memory, got less"),
        (2**62, "expected 36893488147419103232 bytes of memory, got less"),
    ],
)
def test_memory_that_cannot_be(count: int, message: str, mode: str) -> None:
    k = Kernel()
    alloca(k, "i64", count)
    with pytest.raises(InterpError, match=message):
        k.run(mode=mode)


def test_an_access_past_the_end_names_the_alloca() -> None:
    k = Kernel()
    memory = alloca(k, "i32", 2)
    k.store(k.at(memory, [0, 1, 2]), k.constant([1, 2, 3], "i32"))
    with pytest.raises(InterpError, match=r"nearest is alloca at test\.py") as caught:
        k.run()
    assert caught.value.element_index == (2,)


def passed_on(**kw: bool) -> Kernel:
    """Block 0 publishes its alloca and waits; block 1 stores into it."""
    k = Kernel("ptr<i64>", "ptr<i32>")
    x = k.op("get_tile_block_id", results=(I32,) * 3)[0]
    first = k.op(
        "cmpi",
        x,
        k.constant(0, "i32"),
        results=(tile_of("i1"),),
        comparison_predicate="equal",
        signedness="signed",
    )
    strong: dict[str, Any] = {"memory_scope": "device"}
    with k.region() as then:
        memory = alloca(k, "i32", 1, **kw)
        where = k.op("ptr_to_int", memory, results=(tile_of("i64"),))
        k.store(k.parameters[0], where, order="release", **strong)
        with k.region() as body:
            done, _ = k.load(k.parameters[1], order="acquire", **strong)
            with k.region() as end:
                k.op("break")
            k.op(
                "if",
                k.op("trunci", done, results=(tile_of("i1"),)),
                regions=(end, None),
            )
            k.op("continue")
        k.op("loop", regions=(body,))
        k.op("yield")
    with k.region() as otherwise:
        with k.region() as body:
            where, _ = k.load(k.parameters[0], order="acquire", **strong)
            known = k.op(
                "cmpi",
                where,
                k.constant(0, "i64"),
                results=(tile_of("i1"),),
                comparison_predicate="not_equal",
                signedness="signed",
            )
            with k.region() as end:
                k.op("break", where)
            k.op("if", known, regions=(end, None))
            k.op("continue")
        where = k.op("loop", results=(tile_of("i64"),), regions=(body,))
        at = k.op("int_to_ptr", where, results=(tile_of("ptr<i32>"),))
        token = k.store(at, k.constant(5, "i32"))
        k.store(k.parameters[1], k.constant(1, "i32"), token, order="release", **strong)
        k.op("yield")
    k.op("if", first, regions=(then, otherwise))
    return k


def test_other_blocks_may_use_a_global_alloca_only() -> None:
    def args() -> list[np.ndarray]:
        return [np.zeros(1, np.int64), np.zeros(1, np.int32)]

    passed_on(**{"global": True}).run(*args(), grid=(2,))
    with pytest.raises(InterpError, match=r"alloca at .* of another tile block"):
        passed_on().run(*args(), grid=(2,))


def test_memory_ends_with_its_block() -> None:
    """Each block publishes its alloca; block 1 stores into that of block 0."""
    k = Kernel("ptr<i64>")
    strong: dict[str, Any] = {"memory_scope": "device"}
    before, _ = k.load(k.parameters[0], order="acquire", **strong)
    zero = k.constant(0, "i64")
    known = k.op(
        "cmpi", before, zero, results=(tile_of("i1"),),
        comparison_predicate="not_equal", signedness="signed",
    )  # fmt: skip
    with k.region() as then:
        at = k.op("int_to_ptr", before, results=(tile_of("ptr<i32>"),))
        k.store(at, k.constant(5, "i32"))
        k.op("yield")
    k.op("if", known, regions=(then, None))
    memory = alloca(k, "i32", 1, **{"global": True})
    where = k.op("ptr_to_int", memory, results=(tile_of("i64"),))
    k.store(k.parameters[0], where, order="release", **strong)
    k.run(np.zeros(1, np.int64))
    with pytest.raises(InterpError, match=r"alloca at .* whose life ended") as caught:
        k.run(np.zeros(1, np.int64), grid=(2,))
    assert caught.value.block_id == (1, 0, 0)


def counter(name: str = "n", *, constant: bool = False) -> Kernel:
    k = Kernel("ptr<i32>")
    memory = np.array([40, 2], np.int32).view(np.uint8)
    memory.flags.writeable = not constant
    k.globals[name] = Global(name, element("i32"), memory)
    pointer = k.op("get_global", results=(tile_of("ptr<i32>"),), name=name)
    at = k.at(pointer, [0, 1])
    value, token = k.load(at)
    k.output(k.parameters[0], value)
    k.store(at, k.op("addi", value, value, results=(tile_of("i32", 2),)), token)
    return k


def test_globals_live_as_long_as_the_loaded_module() -> None:
    out = np.zeros(2, np.int32)
    program = counter().program()
    interp.run(program, grid=(1,), args=[out])
    assert out.tolist() == [40, 2]
    interp.run(program, grid=(1,), args=[out])
    assert out.tolist() == [80, 4]
    assert program.globals["n"].values().tolist() == [160, 8]


def test_a_constant_global_is_read_only() -> None:
    with pytest.raises(InterpError, match=r"global @n.*read-only"):
        counter(constant=True).run(np.zeros(2, np.int32))


def test_globals_in_text() -> None:
    module = parse(
        """cuda_tile.module @m {
          global @n <i32: [40, 2]> : tile<2xi32>
          global constant @pi alignment = 64 <f64: 3.25> : tile<4xf64>
          entry @k(%out: tile<ptr<f64>>) {
            %p = get_global @pi : tile<ptr<f64>>
            %x, %t = load_ptr_tko weak %p : tile<ptr<f64>> -> tile<f64>, token
            %q = get_global @n : tile<ptr<i32>>
            %i, %u = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
            %f = itof %i signed : tile<i32> -> tile<f64>
            %s = addf %x, %f : tile<f64>
            %v = store_ptr_tko weak %out, %s : tile<ptr<f64>>, tile<f64> -> token
            return
          }
        }"""
    )
    out = np.zeros(1)
    program = interp.load(module)
    interp.run(program, grid=(1,), args=[out])
    assert out[0] == 43.25
    assert program.globals["n"].values().tolist() == [40, 2]
    assert program.globals["pi"].values().tolist() == [3.25] * 4
    assert program.globals["pi"].address % 64 == 0
