# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which functions a kernel may run, which may run again before they return.

PTX ISA: "Control Flow Instructions: call". An indirect call may reach any function
whose address the module takes, in an instruction or an initial value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cuda_tile.emulator.ptx.syntax import (
    Function,
    FunctionName,
    Instruction,
    Module,
    Prototype,
)

# Addresses of functions lie where no memory is.
_FUNCTION_WINDOW = 1 << 59
_FUNCTION_STRIDE = 16


class CallGraph:
    """The functions that an entry reaches, and their addresses.

    Attributes:
        functions: The entry and every defined function that it may call.
        recursive: Those of them that may call themselves, directly or not.
    """

    def __init__(self, module: Module, entry: Function) -> None:
        self._module = module
        self._numbers = {name: place for place, name in enumerate(module.functions)}
        self._names = list(module.functions)
        self._taken = tuple(_defined(module, _taken(module)))
        self.functions = self._reached([entry])
        self.recursive = frozenset(
            function
            for function in self.functions
            if function in self._reached(self._callees(function))
        )

    def address(self, name: str) -> int:
        """Returns the address of a function of the module."""
        return _FUNCTION_WINDOW + self._numbers[name] * _FUNCTION_STRIDE

    def at(self, address: int) -> Function | None:
        """Returns the function at an address; None where there is none."""
        number, rest = divmod(address - _FUNCTION_WINDOW, _FUNCTION_STRIDE)
        if rest or not 0 <= number < len(self._names):
            return None
        return self._module.functions[self._names[number]]

    def _reached(self, start: Iterable[Function]) -> list[Function]:
        found: dict[Function, None] = {}
        pending = list(start)[::-1]
        while pending:
            function = pending.pop()
            if function not in found:
                found[function] = None
                pending += list(self._callees(function))[::-1]
        return list(found)

    def _callees(self, function: Function) -> Iterator[Function]:
        for instruction in function.code:
            if instruction.opcode == "call":
                yield from self._targets(instruction)

    def _targets(self, call: Instruction) -> Iterable[Function]:
        for operand in call.operands:
            if isinstance(operand, FunctionName):
                return _defined(self._module, [operand.name])
            if isinstance(operand, Prototype) and operand.targets:
                return _defined(self._module, operand.targets)
        return self._taken


def _defined(module: Module, names: Iterable[str]) -> Iterator[Function]:
    for name in names:
        function = module.functions.get(name)
        if function is not None and function.is_defined:
            yield function


def _taken(module: Module) -> Iterator[str]:
    """Functions whose addresses stand in instructions or initial values."""
    for function in module.functions.values():
        for variable in function.variables:
            yield from (str(element.value) for element in variable.elements)
        for instruction in function.code:
            if instruction.opcode != "call":
                for operand in instruction.operands:
                    if isinstance(operand, FunctionName):
                        yield operand.name
    for variable in module.variables.values():
        for element in variable.elements:
            if isinstance(element.value, str):
                yield element.value
