# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes that are made easily with MLIR in Python."""

from __future__ import annotations

import gc
from collections.abc import Callable
from multiprocessing.connection import Connection

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.ir.walk import body, entries, nested_ops

SUMS = """
cuda_tile.module @m {
  entry @k(%p: tile<i32>) {
    %a = addi %p, %p : tile<i32>
    %b = addi %a, %a : tile<i32>
    %c = addi %a, %b : tile<i32>
    return
  }
}
"""
LOOP = """
cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      %a = addi %i, %i : tile<i32>
      continue
    }
    return
  }
}
"""


def parsed(text: str = SUMS) -> ir.Module:
    """The module of a text."""
    return cuda_tile.load(text.encode())


def sums(module: ir.Module) -> list[ir.Operation]:
    """Its additions, in order."""
    return [op for op in nested_ops(module.operation) if op.name == "cuda_tile.addi"]


def _erase_used() -> None:
    module = parsed()
    sums(module)[0].erase()


def _kept_elsewhere() -> None:
    module = parsed()
    kept = sums(module)[-1]
    sums(module)[-1].erase()
    print(kept.name)


def _value_of_erased() -> None:
    module = parsed()
    last = sums(module)[-1]
    value = last.results[0]
    last.erase()
    print(value.type)


def _operand_of_erased() -> None:
    module = parsed()
    first, *_, last = sums(module)
    value = last.results[0]
    last.erase()
    first.operands[0] = value


def _module_gone() -> None:
    first = sums(parsed())[0]
    gc.collect()
    print(first.name)


def _value_of_module_gone() -> None:
    value = sums(parsed())[0].results[0]
    gc.collect()
    print(value.type, list(value.uses))


def _argument_of_erased_loop() -> None:
    module = parsed(LOOP)
    (loop,) = [op for op in nested_ops(module.operation) if op.name.endswith("for")]
    argument = body(loop).arguments[0]
    loop.erase()
    print(argument.type)


def _erase_next_in_walk() -> None:
    module = parsed()
    *_, second, third = sums(module)
    for op in body(entries(module.operation)[0]).operations:
        if op.operation == second:
            third.erase()


def _move_next_in_walk() -> None:
    module = parsed(LOOP)
    block = body(entries(module.operation)[0])
    (add,) = sums(module)
    for op in block.operations:
        if op.operation.name == "cuda_tile.constant" and op.operation.block == block:
            block.operations[1].operation.move_before(add)


def _change_next_use() -> None:
    first = sums(module := parsed())[0]
    for _ in first.results[0].uses:
        for user in sums(module)[1:]:
            for number in (0, 1):
                user.operands[number] = first.operands[0]


def _use_of_erased() -> None:
    module = parsed()
    _, second, third = sums(module)
    (use,) = second.results[0].uses
    third.erase()
    print(use.owner)


def _insert_before_erased() -> None:
    module = parsed()
    last = sums(module)[-1]
    place = ir.InsertionPoint(last)
    twin = last.clone(ip=False)
    last.erase()
    place.insert(twin)


def _insert_beside_module() -> None:
    ir.InsertionPoint(parsed().operation)


def _move_what_stands_nowhere() -> None:
    module = parsed()
    first, *_, last = sums(module)
    last.clone(ip=False).operation.move_before(first)


def _move_into_itself() -> None:
    module = parsed(LOOP)
    (loop,) = [op for op in nested_ops(module.operation) if op.name.endswith("for")]
    loop.move_before(sums(module)[0])


def _erased_by_a_pipeline() -> None:
    module = parsed()
    kept = sums(module)
    PassManager.parse("any(cse)", module.context).run(module.operation)
    print([op.name for op in kept])


def _erase_in_walk() -> None:
    module = parsed()

    def erase(op: ir.Operation) -> ir.WalkResult:
        if op.operation == sums(module)[0]:
            op.operation.erase()
        return ir.WalkResult.ADVANCE

    module.operation.walk(erase, ir.WalkOrder.PRE_ORDER)


def _drop_what_is_used() -> None:
    module = parsed()
    sums(module)[0].detach_from_parent()
    gc.collect()
    print(module)
    raise RuntimeError("warned")


def _pass_erases_used() -> None:
    def bad_pass(module: ir.Operation) -> None:
        next(op for op in nested_ops(module) if op.name == "cuda_tile.addi").erase()

    cuda_tile.lower(parsed(), "sm_90", before={"simplify": bad_pass})


_GONE = "expected an operation that is still there"
_ERASED = (_GONE, "'cuda_tile.addi'", "was erased by")


def _attribute_of_another_kind() -> None:
    module = parsed()
    first = sums(module)[0]
    first.attributes["overflow"] = ir.StringAttr.get("none", module.context)


MISTAKES: dict[str, tuple[Callable[[], None], tuple[str, ...]]] = {
    "attribute_of_another_kind": (
        _attribute_of_another_kind,
        ("TypeError", "another kind of attribute as 'overflow' of 'cuda_tile.addi'"),
    ),
    "erase_used": (_erase_used, ("'cuda_tile.addi'", "used by", "by _erase_used (")),
    "kept_elsewhere": (_kept_elsewhere, (*_ERASED, "_kept_elsewhere")),
    "value_of_erased": (_value_of_erased, _ERASED),
    "operand_of_erased": (_operand_of_erased, _ERASED),
    "module_gone": (_module_gone, (_GONE, "freed with its module")),
    "value_of_module_gone": (_value_of_module_gone, (_GONE, "freed with its module")),
    "argument_of_erased_loop": (_argument_of_erased_loop, (_GONE, "'cuda_tile.for'")),
    "erase_next_in_walk": (_erase_next_in_walk, _ERASED),
    "move_next_in_walk": (_move_next_in_walk, ("'cuda_tile.constant'", "moved")),
    "change_next_use": (_change_next_use, ("'cuda_tile.addi'", "uses")),
    "use_of_erased": (_use_of_erased, _ERASED),
    "insert_before_erased": (_insert_before_erased, _ERASED),
    "insert_beside_module": (_insert_beside_module, ("'builtin.module'", "block")),
    "move_what_stands_nowhere": (_move_what_stands_nowhere, ("stands in none",)),
    "move_into_itself": (_move_into_itself, ("'cuda_tile.for'", "in its regions")),
    "erased_by_a_pipeline": (_erased_by_a_pipeline, (_GONE, "pipeline 'any(cse)'")),
    "erase_in_walk": (_erase_in_walk, ("used by", "by erase (")),
    "drop_what_is_used": (_drop_what_is_used, ("warned",)),
    "pass_erases_used": (_pass_erases_used, ("used by", "by bad_pass (")),
}
"""By name: the mistake, and what the exception says."""


def make(name: str, answer: Connection) -> None:
    """Makes a mistake and sends what the exception says, or that there was none."""
    said = "no exception"
    try:
        MISTAKES[name][0]()
    except Exception as error:
        said = f"{type(error).__name__} {error}"
    answer.send(said)
