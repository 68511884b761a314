"""Functions that the CUDA driver supplies to kernels: vprintf and __assertfail.

CUDA C++ Programming Guide, "Formatted Output"; PTX Writer's Guide to Interoperability,
"System Calls".
"""

from __future__ import annotations

import re

import numpy as np

from cuda_tile.emulator.call_stack import Cells
from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.lanes import Lanes
from cuda_tile.emulator.machine import Machine
from cuda_tile.emulator.spaces import Spaces
from cuda_tile.emulator.step import Call
from cuda_tile.emulator.syntax import Variable

# Arguments and results of the driver's functions.
SIGNATURES = {"vprintf": (2, 1), "__assertfail": (5, 0)}
_LONGEST_TEXT = 4096
_CONVERSION = re.compile(r"%([-+ #0]*)(\d*)(\.\d+)?(hh|h|ll|l|z)?([a-zA-Z%])")


class Builtins:
    """Executes calls of the driver's functions.

    Attributes:
        output: What the kernel printed, in the order of execution.
    """

    def __init__(self, machine: Machine, spaces: Spaces) -> None:
        self._machine = machine
        self._spaces = spaces
        self.output: list[str] = []

    def call(self, call: Call, lanes: Lanes) -> None:
        """Runs one call for some lanes, one after another."""
        if call.function not in SIGNATURES:
            raise Fault("call", f"expected a defined function, got {call.function!r}")
        for number in lanes.numbers:
            lane = Lanes(np.array([number]), self._machine.n_lanes)
            if call.function == "vprintf":
                self._print(call, lane)
            else:
                self._assert_failed(call, lane)

    def _print(self, call: Call, lane: Lanes) -> None:
        layout = self._text(self._argument(call, 0, lane), lane)
        values = self._argument(call, 1, lane)
        self.output.append(self._format(layout, values, lane))
        if call.results:
            self._set(call.results[0], lane, len(_CONVERSION.findall(layout)))

    def _assert_failed(self, call: Call, lane: Lanes) -> None:
        message = self._text(self._argument(call, 0, lane), lane)
        file = self._text(self._argument(call, 1, lane), lane)
        line = self._argument(call, 2, lane) & 0xFFFFFFFF
        raise Fault("assert", f"{file}:{line}: assertion {message!r} failed")

    def _argument(self, call: Call, place: int, lane: Lanes) -> int:
        if place >= len(call.arguments):
            raise Fault("call", f"expected more arguments for {call.function}")
        cells = self._machine.call_stack.read(call.arguments[place], lane)
        return int.from_bytes(cells.data.tobytes(), "little")

    def _set(self, variable: Variable, lane: Lanes, value: int) -> None:
        data = np.array([[value]], np.uint32).view(np.uint8)
        self._machine.call_stack.write(variable, lane, Cells(data, None))

    def _read(self, address: int, size: int, lane: Lanes) -> bytes:
        where = np.array([address], np.uint64)
        return self._spaces.load(0, "", lane, where, size).tobytes()

    def _text(self, address: int, lane: Lanes) -> str:
        """Reads a zero-terminated string at a generic address."""
        data = bytearray()
        while len(data) < _LONGEST_TEXT:
            octet = self._read(address + len(data), 1, lane)
            if octet == b"\0":
                break
            data += octet
        return data.decode("utf-8", "replace")

    def _format(self, layout: str, values: int, lane: Lanes) -> str:
        """Applies a C format to the argument buffer at `values`."""
        place = values

        def convert(match: re.Match[str]) -> str:
            nonlocal place
            flags, width, precision, length, letter = match.groups()
            if letter == "%":
                return "%"
            is_wide = letter in "feEgGaAsp" or length in ("l", "ll", "z")
            size = 8 if is_wide else 4
            place = -(-place // size) * size
            data = self._read(place, size, lane)
            place += size
            spec = f"%{flags}{width}{precision or ''}"
            if letter == "s":
                return (spec + "s") % self._text(int.from_bytes(data, "little"), lane)
            if letter in "feEgG":
                return (spec + letter) % float(np.frombuffer(data, np.float64)[0])
            if letter == "p":
                return hex(int.from_bytes(data, "little"))
            signed = letter in "di"
            value = int.from_bytes(data, "little", signed=signed)
            letter = "c" if letter == "c" else letter.replace("u", "d")
            return (spec + letter) % value

        return _CONVERSION.sub(convert, layout)
