# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terms and certificates: what is equal by the laws is, what is not never is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_mutation import mutants
from real_kernels import kernel_path, make_problem

import cuda_tile
from cuda_tile import emulator
from cuda_tile.certificate import Launch, certify
from cuda_tile.certificate.__main__ import main as check
from cuda_tile.cli import compile as command
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.exact.terms import Terms, TermsFull
from cuda_tile.options import Options

KERNELS = {
    "softmax_f32_1024": ((16, 32),),
    "saxpy_tail_f32": ((48, 40), (1024, 1024), (1100, 1060)),
    "matmul_f16_64x64x64": ((16, 16, 80), (64, 32, 64)),
}
"""Kernels and their sizes: below, at and above a tile."""
MOST_BLOCKS = 2
"""Tile blocks along x: rows of softmax are alike."""

Array = Any
Function = Callable[..., Array]


class Made:
    """Three symbols, and the functions of terms."""

    def __init__(self) -> None:
        self.terms = Terms()
        numbers = np.array([1.5, -2.25, 0.75], np.float32)
        self.a, self.b, self.c = (self.terms.symbols("x", numbers)[i] for i in range(3))
        self.add, self.times = self.terms.add, self.terms.multiply

    def call(self, name: str, *operands: Array) -> Array:
        return self.terms.function(name)(*(np.asarray(v) for v in operands))

    def f16(self, value: Array) -> Array:
        return self.terms.widen(self.terms.narrow(np.asarray(value), "f16"), "f16")

    def sums(self, first: Array, *more: Array) -> Array:
        """What atomic sums of f16 leave, one after another."""
        for value in more:
            summand = self.f16(value)
            first = self.f16(self.terms.accumulated(self.f16(first), summand, "f16"))
        return first

    def is_same(self, one: Array, other: Array) -> bool:
        forms = (
            self.terms.table.form(int(self.terms.table.ids(v))) for v in (one, other)
        )
        first, second = forms
        return first == second


LAWS: dict[str, Callable[[Made], tuple[Array, Array]]] = {
    "grouping": lambda m: (
        m.add(m.add(m.a, m.b), m.c),
        m.add(m.c, m.add(m.b, m.a)),
    ),
    "products": lambda m: (
        m.times(m.a, m.add(m.b, m.c)),
        m.add(m.times(m.c, m.a), m.times(m.a, m.b)),
    ),
    "fma": lambda m: (
        m.terms.fma(m.a, m.b, np.zeros(())),
        m.times(m.b, m.a),
    ),
    "literals": lambda m: (
        m.times(m.times(m.a, np.array(0.5)), np.array(4.0)),
        m.add(m.a, m.a),
    ),
    "whole numbers": lambda m: (
        m.times(m.f16(m.add(np.array(1151.0), np.array(-1152.0))), m.a),
        m.terms.negative(m.a),
    ),
    "quotients": lambda m: (
        m.call("quotient", m.times(m.a, m.c), m.times(m.b, m.c)),
        m.times(m.a, m.call("inverse", m.b)),
    ),
    "remainders": lambda m: (
        m.times(m.add(m.a, m.b), m.call("quotient", m.c, m.add(m.b, m.a))),
        m.c,
    ),
    "exponentials": lambda m: (
        m.times(m.call("exp", m.a), m.call("exp", m.b)),
        m.call("exp", m.add(m.a, m.b)),
    ),
    "shifts": lambda m: (
        m.call("exp2", m.add(m.a, np.array(3.0))),
        m.times(m.call("exp2", m.a), np.array(8.0)),
    ),
    "extremes": lambda m: (
        m.call("max", m.call("max", m.a, m.b), m.a),
        m.call("max", m.b, m.call("max", np.array(-np.inf), m.a)),
    ),
    "extremes of three": lambda m: (
        m.call("max", m.a, m.b, m.c),
        m.call("max", m.c, m.call("max", m.a, m.b)),
    ),
    "formats": lambda m: (m.f16(m.f16(m.add(m.a, m.b))), m.f16(m.add(m.b, m.a))),
    "atomics": lambda m: (m.sums(m.a, m.b, m.c, m.c), m.sums(m.a, m.c, m.b, m.c)),
    "symmetry": lambda m: (
        m.call("abs", m.terms.subtract(m.a, m.b)),
        m.call("abs", m.terms.subtract(m.b, m.a)),
    ),
    "matrices": lambda m: (
        m.terms.matmul(np.array([[m.a, m.b]]), np.array([[m.b], [m.c]]))[0, 0],
        m.terms.matmul(np.array([[m.b]]), np.array([[m.a]]), m.times(m.c, m.b))[0, 0],
    ),
}
NEAR_MISSES: dict[str, Callable[[Made], tuple[Array, Array]]] = {
    "a - b, b - a": lambda m: (m.terms.subtract(m.a, m.b), m.terms.subtract(m.b, m.a)),
    "a a, a": lambda m: (m.times(m.a, m.a), m.a),
    "a / b, b / a": lambda m: (
        m.call("quotient", m.a, m.b),
        m.call("quotient", m.b, m.a),
    ),
    "(a + b) / (a + c), 1": lambda m: (
        m.times(m.add(m.a, m.b), m.call("inverse", m.add(m.a, m.c))),
        np.ones(()),
    ),
    "one of two over a sum": lambda m: (
        m.times(m.add(m.a, m.b), m.add(m.call("quotient", m.c, m.add(m.a, m.b)), m.c)),
        m.c,
    ),
    "exp, exp2": lambda m: (m.call("exp", m.a), m.call("exp2", m.a)),
    "half a shift": lambda m: (
        m.call("exp2", m.add(m.a, np.array(0.5))),
        m.times(m.call("exp2", m.a), np.array(2.0)),
    ),
    "max, min": lambda m: (m.call("max", m.a, m.b), m.call("min", m.a, m.b)),
    "max of more": lambda m: (
        m.call("max", m.a, m.b),
        m.call("max", m.call("max", m.a, m.b), m.c),
    ),
    "max of three": lambda m: (
        m.call("max", m.a, m.b),
        m.call("max", m.a, m.b, m.c),
    ),
    "sums of f16": lambda m: (
        m.f16(m.add(m.f16(m.add(m.a, m.b)), m.c)),
        m.f16(m.add(m.a, m.add(m.b, m.c))),
    ),
    "an atomic sum less": lambda m: (m.sums(m.a, m.b, m.b), m.sums(m.a, m.b)),
    "another number before atomic sums": lambda m: (
        m.sums(m.a, m.b, m.c),
        m.sums(m.b, m.a, m.c),
    ),
    "an atomic sum of a sum": lambda m: (
        m.sums(m.a, m.b, m.c),
        m.sums(m.a, m.add(m.f16(m.b), m.f16(m.c))),
    ),
    "no rounding": lambda m: (m.f16(m.a), m.a),
    "another literal": lambda m: (
        m.times(m.a, np.array(0.5)),
        m.times(m.a, np.array(np.nextafter(0.5, 1))),
    ),
    "a product less": lambda m: (
        m.terms.matmul(np.array([[m.a, m.b]]), np.array([[m.b], [m.c]]))[0, 0],
        m.times(m.a, m.b),
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_laws(law: str) -> None:
    made = Made()
    assert made.is_same(*LAWS[law](made))


@pytest.mark.parametrize("miss", NEAR_MISSES)
def test_near_misses(miss: str) -> None:
    made = Made()
    assert not made.is_same(*NEAR_MISSES[miss](made))


def test_comparisons_are_counted() -> None:
    """Of data; equal terms are equal, and an infinity is beyond all data."""
    made = Made()
    less = made.terms.compared(np.less)
    assert not less(made.add(made.a, made.b), made.add(made.b, made.a))
    assert less(made.a, np.array(np.inf))
    assert not made.terms.table.decided
    assert less(made.b, made.a)
    assert len(made.terms.table.decided) == 1


def test_codes_run_out() -> None:
    """Small formats have few, and a literal's code is no term's."""
    with pytest.raises(TermsFull, match="f8E5M2 has too few codes"):
        Terms().symbols("x", np.zeros(1 << 8, ml_dtypes.float8_e5m2))
    terms = Terms()
    values = terms.symbols("x", np.zeros(8, np.float16))
    with pytest.raises(TermsFull, match="a literal of f16 has the code of a term"):
        terms.literals(values)


@cache
def compiled(name: str, gpu: str = "sm_80") -> tuple[Any, bytes, Any]:
    """A module, its file, and what became of it."""
    source = kernel_path(name).read_bytes()
    module = cuda_tile.load(source)
    return module, source, cuda_tile.compile(module, gpu, cubin=False)


def launches(name: str, some: int | None = None) -> list[Launch]:
    """Launches of a kernel."""

    def one(sizes: tuple[int, ...]) -> Launch:
        x, y, z = (*make_problem(name, sizes).grid, 1, 1)[:3]
        grid = (min(x, MOST_BLOCKS), y, z)
        return Launch(str(sizes), grid, lambda: make_problem(name, sizes).args)

    return [one(sizes) for sizes in KERNELS[name][:some]]


def why(name: str, ptx: str, some: int | None = None, gpu: str = "sm_80") -> str:
    """Why a kernel is not certified."""
    module, source, made = compiled(name, gpu)
    record = made.launch[name]
    return certify(module, source, name, ptx, record, launches(name, some), gpu).why


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    """They are certified, with extents below, at and above a tile."""
    assert why(name, compiled(name)[2].ptx) == ""


@pytest.mark.parametrize("name", ["softmax_f32_1024", "matmul_f16_64x64x64"])
def test_kernels_of_sm_100(name: str) -> None:
    """With tcgen05, or with max of three, redux of floats and pairs."""
    assert why(name, compiled(name, "sm_100")[2].ptx, 1, "sm_100") == ""


CHANGES = {
    "wrong mask": (r"setp\.(lt|gt)\.(s32|u32)", r"setp.eq.\2"),
    "lost element": (r"\n[^\n]*st\.global\.[^\n]*", "\n"),
    "swapped operands": (
        r"(sub\.rn\.f32|div\.rn\.f32)\s+(\S+), (\S+), (\S+);",
        r"\1 \2, \4, \3;",
    ),
    "another addend": (
        r"(fma\.rn\.f32)(\s+\S+, )(\S+), ([^;]*);",
        r"\1\2\3, \3, \3;",
    ),
    "min for max": (r"max\.f32", "min.f32"),
    "another literal": (r"0f3FB8AA3B", "0f3FB8AA00"),
    "another lane": (r"(shfl\.sync\.bfly\.b32 [^;]*), 1, 31", r"\1, 0, 31"),
    "another matrix": (r"(mma\.[^;]*\{)(\S+), (\S+)(\}, \{[^}]*\};)", r"\1\3, \2\4"),
    "another half": (r"(cvt\.rn\.f16x2\.f32\s+\S+), (\S+), (\S+);", r"\1, \3, \2;"),
    "another address": (r"(ldmatrix[^\n]*\[[^\]+]*)\]", r"\1+16]"),
}
"""What is broken of PTX, once at a time; kinds of `ptx_mutation` come on top."""


def broken(name: str) -> Iterator[tuple[str, str]]:
    """Mutants of a kernel's PTX, with what was changed."""
    text = compiled(name)[2].ptx
    for kind, (pattern, change) in CHANGES.items():
        found = list(re.finditer(pattern, text))
        for match in found[:: max(1, len(found) - 1)][:1]:
            new = text[: match.start()] + match.expand(change) + text[match.end() :]
            if new != text:
                yield kind, new
    of_order = [m for m in mutants(text) if m.change == "delete"]
    for mutant in of_order[:: max(1, len(of_order) // 3)][:4]:
        yield str(mutant), mutant.text


def is_equal(name: str, ptx: str) -> bool:
    """What exact numbers say of a mutant, in a launch as certified."""
    module, _, made = compiled(name)
    outputs: list[bytes] = []
    for run in ("interp", "emulator"):
        problem = make_problem(name, KERNELS[name][0])
        more: dict[str, Any] = {"on": run, "numbers": "exact"}
        if run == "emulator":
            changed = replace(made, ptx=ptx)
            more |= {"compiled": changed, "mode": "adversarial"}
        try:
            cuda_tile.run(module, grid=problem.grid, args=problem.args, **more)
        except UserError:
            return False
        outputs.append(problem.output.tobytes())
    return outputs[0] == outputs[1]


@pytest.mark.parametrize("name", KERNELS)
def test_no_broken_ptx_is_certified(name: str) -> None:
    """One that is certified is right: exact numbers find no difference either."""
    found, refused = list(broken(name)), 0
    assert not why(name, compiled(name)[2].ptx, 1)
    assert len(found) >= 3
    for kind, text in found:
        if why(name, text, 1):
            refused += 1
        else:
            assert is_equal(name, text), kind
    assert refused >= len(found) - 2


def test_a_program_checks_again(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It refuses another PTX, and a certificate that states more than it finds."""
    kernel = kernel_path("saxpy_tail_f32")
    files = [tmp_path / "c.json", kernel, tmp_path / "k.ptx"]
    output = ["-o", str(files[2]), "--certify", str(files[0])]
    run = ["--certify-run", "1 randn:f32[48],1 randn:f32[48],2 1.7 40"]
    words = ["cuda-tile-compile", "--gpu=sm_80", str(kernel), *output, *run]
    monkeypatch.setattr(sys, "argv", words)
    assert command.main() == 0
    assert check([str(file) for file in files]) == 0
    assert capsys.readouterr().out.endswith("holds\n")
    stated = json.loads(files[0].read_text())
    assert stated["certified"]
    assert stated["launches"][0]["stored"] == 40
    files[0].write_text(json.dumps({**stated, "laws": {}}))
    assert check([str(file) for file in files]) == 1
    files[0].write_text(json.dumps(stated))
    files[2].write_text(files[2].read_text() + "\n")
    assert check([str(file) for file in files]) == 1
    assert "of another ptx" in capsys.readouterr().out


def test_bits_of_a_term() -> None:
    """The other sign is the negative; signs are drawn, so that to clear one shows."""
    terms = Terms()
    values = terms.symbols("x", np.zeros(64, np.float32))
    bits = values.view(np.uint32)
    flipped = (bits ^ np.uint32(1 << 31)).view(np.float32)
    same = zip(terms.nodes(flipped), terms.nodes(terms.negative(values)), strict=True)
    assert all(terms.table.form(one) == terms.table.form(other) for one, other in same)
    cleared = terms.nodes((bits & np.uint32(0x7FFFFFFF)).view(np.float32))
    kept = sum(a == b for a, b in zip(cleared, terms.nodes(values), strict=True))
    assert 8 < kept < 56
    with pytest.raises(Unsupported, match="change the bits of a float"):
        terms.nodes((bits ^ np.uint32(0x155555)).view(np.float32))


ABSOLUTE = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd0, [x];
	ld.global.BITS VALUE, [%rd0];
	OPCODE.BITS VALUE, VALUE, MASK;
	st.global.BITS [%rd0], VALUE;
	ret;
}
"""


@pytest.mark.parametrize(("bits", "register"), [(32, "%r1"), (64, "%rd1")])
@pytest.mark.parametrize(
    ("opcode", "mask", "factor"),
    [("and", -1, 1.0), ("or", 0, -1.0), ("and", -2, None), ("or", 1, None)],
)
def test_a_mask_of_the_sign_is_an_absolute_value(
    bits: int, register: str, opcode: str, mask: int, factor: float | None
) -> None:
    """Or its negative, as LLVM has it of a word; a mask of other bits is neither."""
    terms = Terms()
    values = terms.symbols("x", np.array([-1.5]).astype(f"f{bits // 8}"))
    text = ABSOLUTE.replace("OPCODE", opcode).replace("VALUE", register)
    text = text.replace("MASK", str((1 << bits - 1) + mask))
    got = values.copy()
    emulator.launch(
        emulator.parse(text.replace("BITS", f"b{bits}")),
        "k",
        grid=(1,),
        block=(1,),
        args=[got],
        numbers=terms,
    )
    absolute = terms.call("abs", values)
    signed = [terms.multiply(absolute, np.array(sign)) for sign in (1.0, -1.0)]
    if factor is None:
        assert got.tobytes() not in [v.astype(got.dtype).tobytes() for v in signed]
        return
    forms = [terms.table.form(terms.nodes(v)[0]) for v in (got, *signed)]
    assert [form == forms[0] for form in forms[1:]] == [factor > 0, factor < 0]


TENSOR = "tensor_view<8xf32, strides=[1]>"
VIEW = f"partition_view<tile=(8), {TENSOR}>"
TANH = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>) {{
    %zero = constant <i32: 0> : tile<i32>
    %x = make_tensor_view %p, shape = [8], strides = [1] : {TENSOR}
    %y = make_tensor_view %o, shape = [8], strides = [1] : {TENSOR}
    %v = make_partition_view %x : {VIEW}
    %w = make_partition_view %y : {VIEW}
    %a, %k = load_view_tko weak %v[%zero] : {VIEW}, tile<i32> -> tile<8xf32>, token
    %b = tanh %a : tile<8xf32>
    %m = store_view_tko weak %b, %w[%zero] : tile<8xf32>, {VIEW}, tile<i32> -> token
    return
  }}
}}
""".encode()


def test_functions_of_libdevice_that_are_calls_have_terms() -> None:
    """Linked they are branches and polynomials, of which no law tells what they are."""
    module = cuda_tile.load(TANH)
    x = np.linspace(-3, 3, 8, dtype=np.float32)
    run = Launch("", (1, 1, 1), lambda: [x.copy(), np.zeros_like(x)])
    for linked in (True, False):
        options = Options(libdevice=linked)
        compiled = cuda_tile.compile(module, "sm_80", options=options, cubin=False)
        record = compiled.launch["k"]
        made = certify(module, TANH, "k", compiled.ptx, record, [run], "sm_80")
        assert bool(made.why) is linked
        other = compiled.ptx.replace("__nv_tanhf", "__nv_sinf")
        assert certify(module, TANH, "k", other, record, [run], "sm_80").why
        assumed = made.to_json()["assumptions"]
        assert any("libdevice" in text for text in assumed) is not linked
