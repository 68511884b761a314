# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that make emission use everything it knows, and each operation by itself.

`lines` gives the statements of level T, for every element type and variant. What they
become is taken apart by `single`, which makes a function of one emitted operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from emit_atomics import atomics

import cuda_tile
from cuda_tile._mlir import ir

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
SIGNS = ("signed", "unsigned")
ELEMENTS = (*INTEGERS, *FLOATS, "tf32")
DIRECTED = ("zero", "negative_inf", "positive_inf")
IEEE = tuple(f" rounding<{mode}>" for mode in ("nearest_even", *DIRECTED))
FUNCTIONS = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2"),
)

PREDICATES = ("equal", "not_equal", "less_than", "greater_than_or_equal")

ACCESSES = """
  entry @access_E(%p: tile<ptr<E>>, %x: tile<E>, %n: tile<i32>) {
    %v = make_tensor_view %p, shape = [%n, 64], strides = [64, 1]
      : tile<i32> -> tensor_view<?x64xE, strides=[64,1]>
    %w = make_tensor_view %p, shape = [%n, %n], strides = [1, %n]
      : tile<i32> -> tensor_view<?x?xE, strides=[1,?]>
    %f = make_partition_view %v
      : FROM
    %g = make_partition_view %w
      : TO
    %i, %j, %k = get_tile_block_id : tile<i32>
    %l, %m, %o = get_num_tile_blocks : tile<i32>
    %t, %t0 = load_view_tko weak %f[%i, %l]
      : FROM,
        tile<i32> -> tile<64x64xE>, token
    %s = for %q in (%j to %k, step %m) : tile<i32> iter_values(%c = %t)
        -> (tile<64x64xE>) {
      %d = permute %c [1, 0] : tile<64x64xE> -> tile<64x64xE>
      continue %d : tile<64x64xE>
    }
    %t1 = store_view_tko weak %s, %g[%i, %o]
      : tile<64x64xE>, TO,
        tile<i32> -> token
    %r = reduce %t dim=1 identities=[IDENTITY] : tile<64x64xE> -> tile<64xE>
      (%y: tile<E>, %z: tile<E>) {
        %c = constant <i1: true> : tile<i1>
        %u = select %c, %z, %y : tile<i1>, tile<E>
        yield %u : tile<E>
      }
    %a = iota : tile<64xi32>
    %b = reshape %p : tile<ptr<E>> -> tile<1xptr<E>>
    %e = broadcast %b : tile<1xptr<E>> -> tile<64xptr<E>>
    %h = offset %e, %a : tile<64xptr<E>>, tile<64xi32> -> tile<64xptr<E>>
    %bn = reshape %n : tile<i32> -> tile<1xi32>
    %bm = broadcast %bn : tile<1xi32> -> tile<64xi32>
    %mk = cmpi less_than %a, %bm, signed : tile<64xi32> -> tile<64xi1>
    %t2 = store_ptr_tko weak %h, %r, %mk
      : tile<64xptr<E>>, tile<64xE>, tile<64xi1> -> token
    %ld, %t3 = load_ptr_tko weak %h, %mk, %r
      : tile<64xptr<E>>, tile<64xi1>, tile<64xE> -> tile<64xE>, token
    %hi = ptr_to_int %h : tile<64xptr<E>> -> tile<64xi64>
    %hp = int_to_ptr %hi : tile<64xi64> -> tile<64xptr<E>>
    %t4 = store_ptr_tko weak %hp, %ld : tile<64xptr<E>>, tile<64xE> -> token
    %t5 = store_ptr_tko weak %p, %x : tile<ptr<E>>, tile<E> -> token
    return
  }
"""
"""Every kind of access, a loop, a transpose through shared memory, a reduction."""

OTHERS = """
  global @table <f32: [1.0, 2.0]> : tile<2xf32>
  entry @others(%p: tile<ptr<f32>>, %c: tile<i1>) {
    %g = get_global @table : tile<ptr<f32>>
    %a = alloca num_elem = 8, alignment = 32 : tile<ptr<f32>>
    %x, %t0 = load_ptr_tko weak %g : tile<ptr<f32>> -> tile<f32>, token
    %t1 = store_ptr_tko weak %a, %x token=%t0 : tile<ptr<f32>>, tile<f32> -> token
    %i = iota : tile<64xi32>
    %n = reduce %i dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32>
      (%y: tile<i32>, %z: tile<i32>) {
        %s = addi %y, %z : tile<i32>
        yield %s : tile<i32>
      }
    %t2 = print_tko "%f %d %d", %x, %i, %n
      : tile<f32>, tile<64xi32>, tile<i32> -> token
    assert %c, "must hold" : tile<i1>
    %t3 = gdc_wait_tko : token
    %t4 = gdc_launch_dependents_tko token=%t3 : token
    return
  }
"""
"""Globals, memory of the heap, printing, assertions, dependent launches; a sum of
integers in all lanes."""

VIEWS = {
    "FROM": "partition_view<tile=(64x64), padding_value = zero, "
    "tensor_view<?x64xE, strides=[64,1]>>",
    "TO": "partition_view<tile=(64x64), tensor_view<?x?xE, strides=[1,?]>>",
    "IN": "partition_view<tile=(64x64), tensor_view<64x64xE, strides=[64,1]>>",
    "OUT": "partition_view<tile=(64x64), tensor_view<64x64xA, strides=[64,1]>>",
}
"""What stands for the view types of these kernels."""

PRODUCT = """
  entry @product_E(%p: tile<ptr<E>>, %q: tile<ptr<A>>) {
    %p16 = assume div_by<16>, %p : tile<ptr<E>>
    %v = make_tensor_view %p16, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xE, strides=[64,1]>
    %w = make_tensor_view %q, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xA, strides=[64,1]>
    %f = make_partition_view %v
      : IN
    %g = make_partition_view %w
      : OUT
    %i = constant <i32: 0> : tile<i32>
    %a, %t0 = load_view_tko weak %f[%i, %i]
      : IN,
        tile<i32> -> tile<64x64xE>, token
    %b = permute %a [1, 0] : tile<64x64xE> -> tile<64x64xE>
    %c = constant <A: 0.0> : tile<64x64xA>
    %d = mmaf %a, %b, %c : tile<64x64xE>, tile<64x64xE>, tile<64x64xA>
    %e = mmaf %a, %a, %d : tile<64x64xE>, tile<64x64xE>, tile<64x64xA>
    %t1 = store_view_tko weak %e, %g[%i, %i]
      : tile<64x64xA>, OUT,
        tile<i32> -> token
    return
  }
"""
"""A product of what is loaded with its transpose, and with itself."""

PRODUCTS = (
    *(("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("tf32", "f32")),
    *(("f32", "f32"), ("f64", "f64"), ("i8", "i32")),
)
"""Element types of the operands and of the accumulator."""


def integer_lines(kind: str) -> Iterator[tuple[str, str]]:
    """Statements over `%a` and `%b`, with the element type of their result."""
    t = f"tile<128x{kind}>"
    same = ["addi", "subi", "muli", "mulhii", "andi", "ori", "xori", "shli"]
    lines = [f"{name} %a, %b" for name in same]
    by_sign = ("maxi", "mini", "shri", "remi", "divi")
    lines += [f"{name} %a, %b {sign}" for name in by_sign for sign in SIGNS]
    lines += [f"divi %a, %b signed rounding<{mode}>" for mode in DIRECTED[1:]]
    lines += ["absi %a", "negi %a"]
    yield from ((kind, f"{line} : {t}") for line in lines)
    for name, sign in product(PREDICATES, SIGNS):
        yield "i1", f"cmpi {name} %a, %b, {sign} : {t} -> tile<128xi1>"
    for other in INTEGERS:
        is_wider = int(other[1:]) > int(kind[1:])
        names = [f"exti %a {sign}" for sign in SIGNS] if is_wider else ["trunci %a"]
        if other != kind:
            yield from ((other, f"{n} : {t} -> tile<128x{other}>") for n in names)
    for other, sign in product(FLOATS, SIGNS):
        yield other, f"itof %a {sign} : {t} -> tile<128x{other}>"


def float_lines(kind: str) -> Iterator[tuple[str, str]]:
    """The same for floats."""
    t = f"tile<128x{kind}>"
    yield from ((kind, f"{line} : {t}") for line in _arithmetic(kind))
    for name, order in product(PREDICATES, ("ordered", "unordered")):
        yield "i1", f"cmpf {name} {order} %a, %b : {t} -> tile<128xi1>"
    for other, sign, end in product(INTEGERS, SIGNS, ("", " saturating")):
        yield other, f"ftoi %a {sign}{end} : {t} -> tile<128x{other}>"
    for other in FLOATS:
        if other != kind:
            yield other, f"ftof %a : {t} -> tile<128x{other}>"
    same = f"i{kind[-2:]}"
    yield same, f"bitcast %a : {t} -> tile<128x{same}>"


def _arithmetic(kind: str) -> Iterator[str]:
    """Statements whose result has the operands' type."""
    modes, extremes = ["", *IEEE[1:]], ["", " propagate_nan"]
    if kind == "f32":
        modes += [f"{mode} flush_to_zero" for mode in modes]
        extremes += [f" flush_to_zero{suffix}" for suffix in extremes]
        yield from (f"divf %a, %b rounding<{mode}>" for mode in ("approx", "full"))
        yield from (f"{name} %a rounding<approx>" for name in ("exp", "tanh", "sqrt"))
        yield from (f"{name} %a flush_to_zero" for name in ("exp2", "rsqrt"))
    for mode, name in product(modes, ("addf", "subf", "mulf", "divf")):
        yield f"{name} %a, %b{mode}"
    yield from (f"fma %a, %b, %a{mode}" for mode in modes)
    yield from (f"sqrt %a{mode}" for mode in (IEEE[0], *modes[1:]))
    names = ("negf", "absf", "floor", "ceil", "rsqrt", *FUNCTIONS)
    yield from (f"{name} %a" for name in names)
    yield from (f"{name} %a, %b" for name in ("remf", "pow", "atan2"))
    for suffix, name in product(extremes, ("maxf", "minf")):
        yield f"{name} %a, %b{suffix}"


def spelled(text: str, **types: str) -> str:
    """A kernel above with each letter of a type replaced by the type."""
    for name, view in VIEWS.items():
        text = re.sub(rf"\b{name}\b", view, text)
    for letter, kind in types.items():
        text = re.sub(rf"(?<=[x<_]){letter}\b(?=[>,(: ])", kind, text)
    return text


def program(kind: str) -> str:
    """The entries of one element type; of tf32 there are only products."""
    entries: list[str] = []
    if kind != "tf32":
        zero = "0" if kind[0] == "i" else "0.0"
        identity = "true" if kind == "i1" else f"{zero} : {kind}"
        accesses = ACCESSES.replace("IDENTITY", identity)
        entries += [_operations(kind), spelled(accesses, E=kind), atomics(kind)]
    if kind == ELEMENTS[0]:
        entries.append(OTHERS)
    for types in PRODUCTS:
        if types[0] == kind:
            entries += _products(*types)
    return "cuda_tile.module @m {\n" + "\n".join(entries) + "\n}\n"


def _products(kind: str, accumulator: str) -> Iterator[str]:
    """The product of one pair of types, of integers for each signedness."""
    text = PRODUCT.replace("product_E", f"product_E_{accumulator}")
    if kind != "i8":
        yield spelled(text, E=kind, A=accumulator)
        return
    for left, right in product(SIGNS, SIGNS):
        signed = re.sub(r"mmaf (.*) :", rf"mmai \1 {left} {right} :", text)
        signed = signed.replace("0.0", "0").replace("@product", f"@{left}_{right}")
        yield spelled(signed, E=kind, A=accumulator)


def _operations(kind: str) -> str:
    """Every statement between a load and a store."""
    lines = list((integer_lines if kind in INTEGERS else float_lines)(kind))
    used = sorted({kind, *(result for result, _ in lines)})
    parameters = ", ".join(f"%p_{e}: tile<ptr<{e}>>" for e in used)
    body: list[str] = []
    for e in used:
        body += [
            f"%l_{e} = reshape %p_{e} : tile<ptr<{e}>> -> tile<1xptr<{e}>>",
            f"%m_{e} = broadcast %l_{e} : tile<1xptr<{e}>> -> tile<128xptr<{e}>>",
            f"%q_{e} = offset %m_{e}, %n : tile<128xptr<{e}>>, tile<128xi32> "
            f"-> tile<128xptr<{e}>>",
        ]
    for name in "ab":
        body.append(
            f"%{name}, %t_{name} = load_ptr_tko weak %q_{kind} "
            f": tile<128xptr<{kind}>> -> tile<128x{kind}>, token"
        )
    for i, (e, line) in enumerate(lines):
        body.append(f"%r{i} = {line}")
        body.append(
            f"%k{i} = store_ptr_tko weak %q_{e}, %r{i} "
            f": tile<128xptr<{e}>>, tile<128x{e}> -> token"
        )
    text = "\n    ".join(["%n = iota : tile<128xi32>", *body, "return"])
    return f"  entry @ops_{kind}({parameters}) {{\n    {text}\n  }}"


def lowered(kind: str, gpu: str) -> ir.Module:
    """Level P of one element type's kernels."""
    return cuda_tile.lower(cuda_tile.load(program(kind).encode()), gpu)


NOT_ALONE = {
    *("builtin.module", "gpu.module", "llvm.func", "llvm.return", "llvm.br"),
    *("llvm.cond_br", "llvm.mlir.global", "llvm.mlir.addressof", "llvm.extractvalue"),
    "llvm.alloca",
    "llvm.call",  # of a function that only the driver or libdevice has
}
"""What every kernel has anyhow, or cannot stand without more."""


def single(op: ir.Operation, name: str) -> ir.Operation | None:
    """A kernel that only does `op` to its parameters and stores what comes out.

    Its place is the insertion point; None where `op` cannot stand alone.
    """
    if op.name in NOT_ALONE:
        return None
    takes = [value.type for value in op.operands]
    makes = [value.type for value in op.results]
    pointer = ir.Type.parse("!llvm.ptr<1>")
    types = [*map(_in_memory, takes), pointer]
    listed = ", ".join(map(str, types))
    func = ir.Operation.create(
        "llvm.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(
                ir.Type.parse(f"!llvm.func<void ({listed})>")
            ),
            "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
            "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
            "nvvm.kernel": ir.UnitAttr.get(),
        },
        regions=1,
    )
    block = func.regions[0].blocks.append(*types)
    with ir.InsertionPoint(block):
        attributes: Any = {key: op.attributes[key] for key in op.attributes}
        *arguments, out = block.arguments
        operands = [
            _cast("llvm.trunc", value, ty)
            for value, ty in zip(arguments, takes, strict=True)
        ]
        alone = ir.Operation.create(
            op.name, results=makes, operands=operands, attributes=attributes
        )
        for value in alone.results:
            stored = _cast("llvm.zext", value, _in_memory(value.type))
            ir.Operation.create("llvm.store", operands=[stored, out])
        ir.Operation.create("llvm.return")
    return func


def _in_memory(ty: ir.Type) -> ir.Type:
    """The type as a parameter: integers of less than a byte travel as one."""
    if isinstance(ty, ir.VectorType):
        return ir.VectorType.get(list(ty.shape), _in_memory(ty.element_type))
    is_narrow = isinstance(ty, ir.IntegerType) and ty.width < 8
    return ir.IntegerType.get_signless(8) if is_narrow else ty


def _cast(name: str, value: ir.Value, ty: ir.Type) -> ir.Value:
    if value.type == ty:
        return value
    return ir.Operation.create(name, results=[ty], operands=[value]).results[0]
