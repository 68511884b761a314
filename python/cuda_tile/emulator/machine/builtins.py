# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that kernels call and do not define: of the driver and of libdevice.

CUDA C++ Programming Guide, "Formatted Output" and "Dynamic Global Memory Allocation and
Operations"; PTX Writer's Guide to Interoperability, "System Calls"; libdevice User's
Guide. The driver's print, assert and allocate. Those of libdevice are known of what is
in place of floats: what their names say.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.printed import Printed
from cuda_tile.emulator.machine.printf import format_text
from cuda_tile.emulator.machine.step import Call
from cuda_tile.emulator.memory.call_stack import Cells
from cuda_tile.emulator.memory.heap import Heap
from cuda_tile.emulator.memory.spaces import Spaces
from cuda_tile.emulator.ptx.syntax import Variable
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

# Arguments and results of the driver's functions.
SIGNATURES = {
    "vprintf": (2, 1),
    "__assertfail": (5, 0),
    "malloc": (1, 1),
    "free": (1, 0),
}
_LONGEST_TEXT = 4096
LIBRARY = "__nv_"
"""Start of the names of libdevice's functions."""
_OF_LIBRARY = {
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "atan2")},
    **{name: name for name in ("exp", "exp2", "log", "log2", "pow")},
    "fmod": "remf",
}
"""Its functions of f64, as an algebra names them; those of f32 have an `f` more."""


class Builtins:
    """Executes calls of functions that the module does not define.

    Args:
        machine: The machine.
        spaces: Its memory.
        algebra: What is in place of floats, if anything is.

    Attributes:
        printed: What the kernel printed.
    """

    def __init__(
        self, machine: Machine, spaces: Spaces, algebra: Algebra | None = None
    ) -> None:
        self._machine, self._algebra = machine, algebra
        self._spaces = spaces
        self.printed = Printed()
        self._heap = Heap(machine.memory)
        self._functions: dict[str, Callable[[Call, Lanes], None]] = {
            "vprintf": self._print,
            "__assertfail": self._assert_failed,
            "malloc": self._allocate,
            "free": self._free,
        }
        self._at = 0

    def call(self, call: Call, lanes: Lanes, at: int) -> None:
        """Runs one call for some lanes, one after another, at instruction `at`.

        Its reads are not counted: the host reads, after the kernel.
        """
        self._at = at
        if self._algebra is not None and call.function.startswith(LIBRARY):
            self._compute(call, lanes, self._algebra)
            return
        if call.function not in SIGNATURES:
            raise Fault("call", f"expected a defined function, got {call.function!r}")
        with self._machine.counters.uncounted(at):
            for number in lanes.numbers:
                lane = Lanes(np.array([number]), self._machine.n_lanes)
                self._functions[call.function](call, lane)

    def _compute(self, call: Call, lanes: Lanes, algebra: Algebra) -> None:
        """A function of libdevice, of all lanes at once."""
        stem = call.function.removeprefix(LIBRARY)
        kind = np.dtype(np.float64 if stem in _OF_LIBRARY else np.float32)
        name = _OF_LIBRARY.get(stem) or _OF_LIBRARY.get(stem.removesuffix("f"))
        if name is None or len(call.results) != 1:
            raise Fault("call", f"{call.function} is unknown of exact numbers")
        stack = self._machine.call_stack
        operands = [
            algebra.from_bits(stack.read(v, lanes).data.copy().view(kind)[:, 0])
            for v in call.arguments
        ]
        result = algebra.function(name)(*operands).astype(kind)[:, None]
        stack.write(call.results[0], lanes, Cells(result.view(np.uint8), None))

    def _print(self, call: Call, lane: Lanes) -> None:
        address, place = (self._argument(call, number, lane) for number in (0, 1))
        count = -1

        def take(size: int) -> bytes:
            nonlocal place
            start = -(-place // size) * size
            place = start + size
            return self._read(start, size, lane)

        if address:
            layout = self._text(address, lane)
            text, count = format_text(layout, take, lambda at: self._text(at, lane))
            self.printed.add(self._spaces.cta_of(lane), text)
        if call.results:
            self._set(call.results[0], lane, count)

    def _assert_failed(self, call: Call, lane: Lanes) -> None:
        texts = [self._text(self._argument(call, n, lane), lane) for n in (0, 1, 3)]
        message, file, function = texts
        line = self._argument(call, 2, lane) & 0xFFFFFFFF
        who = self._spaces.name_lane(lane, 0)
        raise Fault(
            "assert",
            f"{file}:{line}: {function}: assertion {message!r} failed in {who}",
        )

    def _allocate(self, call: Call, lane: Lanes) -> None:
        address = self._heap.allocate(self._argument(call, 0, lane))
        if call.results:
            self._set(call.results[0], lane, address)

    def _free(self, call: Call, lane: Lanes) -> None:
        self._heap.free(self._argument(call, 0, lane), self._spaces.name_lane(lane, 0))

    def _argument(self, call: Call, place: int, lane: Lanes) -> int:
        if place >= len(call.arguments):
            raise Fault("call", f"expected more arguments for {call.function}")
        cells = self._machine.call_stack.read(call.arguments[place], lane)
        return int.from_bytes(cells.data.tobytes(), "little")

    def _set(self, variable: Variable, lane: Lanes, value: int) -> None:
        size = variable.size_bytes
        data = np.array([[value]], f"int{8 * size}").view(np.uint8)
        self._machine.call_stack.write(variable, lane, Cells(data, None))

    def _read(self, address: int, size: int, lane: Lanes) -> bytes:
        where = np.array([address], np.uint64)
        data = self._spaces.load(self._at, "", lane, where, size)
        written = self._spaces.written_elements(lane, size, [0])
        if written is not None and not written[0].all():
            who = self._spaces.name_lane(lane, 0)
            raise Fault(
                "uninitialised",
                f"{size} bytes of the arguments were never written, in {who}; does the "
                f"format ask for more of them than there are?",
            )
        return data.tobytes()

    def _text(self, address: int, lane: Lanes) -> str:
        """Reads a zero-terminated string at a generic address."""
        data = bytearray()
        while len(data) < _LONGEST_TEXT:
            octet = self._read(address + len(data), 1, lane)
            if octet == b"\0":
                break
            data += octet
        return data.decode("utf-8", "replace")
