# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Between cuTile's launcher and an executor: what a launch in this process does.

`ct.launch` is called with arrays of host memory that say that they are the device's. It
checks and compiles as ever, and ends in a launch of the stand-in driver, which calls
back here with the kernel's bytecode and the parameters. That happens in the same
thread, where `Session.call` has left the arguments.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cuda_tile.cutile.arrays import converted, is_array, is_on_device
from cuda_tile.cutile.binding import from_parameters, labels
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import BENCHMARK
from cuda_tile.cutile.kernels import Work, load_image
from cuda_tile.cutile.recorder import record_launch
from cuda_tile.cutile.settings import Settings
from cuda_tile.cutile.standin import Connection
from cuda_tile.cutile.torch_graph import CAPTURES
from cuda_tile.errors import InternalError, UserError, add_note
from cuda_tile.runtime.args import Bound
from cuda_tile.runtime.report import Finding

if TYPE_CHECKING:
    from cuda_tile.debug.target import FrontEnd


@dataclass
class _Call:
    """A call of cuTile's launcher that is under way in a thread.

    Attributes:
        kernel: The kernel's function.
        given: The arguments of the program, one set or, of a benchmark, several.
        args: The same with `DeviceArray`s.
        error: Why the launch failed, if it did.
        is_benchmark: Whether the last launch's cost is asked for.
        cost: That cost: operations, or clocks of the tuner.
    """

    kernel: Function
    given: Sequence[Any] = ()
    args: Sequence[Any] = ()
    error: BaseException | None = None
    is_benchmark: bool = False
    cost: float = 0.0

    def bind(
        self, types: Sequence[str], addresses: Sequence[int]
    ) -> tuple[tuple[Any, ...], list[Bound], dict[int, str]]:
        """The program's and the executor's arguments of one launch, and their names.

        Raises:
            UserError: A pointer is in no set of arguments.
        """
        sets = [(self.given, self.args)]
        if isinstance(self.given, list):
            sets = list(zip(self.given, self.args, strict=True))
        for number, (given, args) in enumerate(sets, 1):
            try:
                bound = from_parameters(types, addresses, args, self.kernel.name)
            except UserError:
                if number == len(sets):
                    raise
            else:
                return tuple(given), bound, labels(types, args, self.kernel.names)
        raise InternalError(f"{self.kernel}: a benchmark without arguments")


class Session:
    """Runs the launches of the stand-in driver.

    Args:
        settings: How.

    Attributes:
        settings: How; may be replaced between launches, but for `gpu`.
        front: Where the user of the debugger is, or None.
        findings: What was found in launches, where it is collected.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.front: FrontEnd | None = None
        self.findings: list[Finding] = []
        self._threads = threading.local()
        self._work: dict[int, Work] = {}
        self._numbers = itertools.count(1)
        self._connection = Connection(
            settings.gpu, self._prepare, self._run, self._drop
        )

    def call(
        self,
        name: str,
        native: Callable[..., Any],
        words: Sequence[Any],
        choices: dict[str, Any],
    ) -> Any:
        """Calls one of cuTile's launching functions.

        Args:
            name: What cuTile calls the function.
            native: The function; its arguments are a stream, a grid, the kernel and
                its arguments, in this order, and more.
            words: The arguments of the call.
            choices: Its keyword arguments.

        Raises:
            UserError: The launch failed.
            Exception: What cuTile raises, with notes on arguments that are not the
                device's.
        """
        capture = CAPTURES.current
        if capture is not None:
            return capture.run(lambda: self._call(name, native, words, choices), words)
        return self._call(name, native, words, choices)

    def _call(
        self,
        name: str,
        native: Callable[..., Any],
        words: Sequence[Any],
        choices: dict[str, Any],
    ) -> Any:
        place = launch_place(words)
        if place is None:
            return native(*words, **choices)
        given = words[place]
        call = _Call(
            Function.of(words[place - 1]),
            given,
            converted(given, is_on_device),
            is_benchmark=name == BENCHMARK,
        )
        outer = getattr(self._threads, "call", None)
        self._threads.call = call
        try:
            changed = [_stream(words[0]), *words[1:]]
            changed[place] = call.args
            result = native(*changed, **choices)
        except Exception as error:
            if call.error is not None:
                raise call.error from None
            for note in [*_notes(given), *call.kernel.notes(error, given)]:
                add_note(error, note)
            raise
        finally:
            self._threads.call = outer
        if call.error is not None:
            raise call.error
        # A benchmark's time is that of the host, which says little and varies: it is
        # repeated up to a thousand times. What was executed does not vary.
        return call.cost if call.is_benchmark else result

    def _prepare(
        self,
        image: bytes,
        entry: str,
        grid: tuple[int, int, int],
        addresses: Sequence[int],
    ) -> int | None:
        call: _Call = getattr(self._threads, "call", None) or _Call(Function(entry))
        try:
            if 0 in grid:
                return None  # which cuTile reports as CUDA does
            loaded = load_image(image)
            given, bound, called = call.bind(loaded.types(entry), addresses)
        except BaseException as error:  # must not reach the library, which is C
            call.error = error
            return None
        number = next(self._numbers)
        name = call.kernel.name
        self._work[number] = Work(loaded, entry, name, grid, bound, given, called)
        return number

    def _run(self, number: int) -> bool:
        work = self._work[number]
        call: _Call | None = getattr(self._threads, "call", None)
        times = call is not None and call.is_benchmark
        folder = self.settings.record
        try:
            with nullcontext() if folder is None else record_launch(folder, work):
                launch = work.run(self.settings, self.front, is_benchmark=times)
            self.findings += launch.report.findings
            if call is not None and times:
                call.cost = work.cost(self.settings, launch.report)
        except BaseException as error:
            if call is not None:
                call.error = error
            return False
        return True

    def _drop(self, number: int) -> None:
        self._work.pop(number, None)


def launch_place(words: Sequence[Any]) -> int | None:
    """Where among the words of a call the kernel's arguments are: after the kernel."""
    for place, word in enumerate(words[:-1], 1):
        if hasattr(word, "replace_hints") and isinstance(words[place], (tuple, list)):
            return place
    return None


def _stream(stream: Any) -> Any:
    """A stream as the number that cuTile also takes; what is no stream, as it is.

    cuTile asks torch and CuPy themselves, of which here there may be stand-ins.
    """
    for name in ("cuda_stream", "ptr"):
        if isinstance(getattr(stream, name, None), int):
            return getattr(stream, name)
    return stream


def _notes(args: Sequence[Any]) -> list[str]:
    """The ways out where arguments are in the host's memory."""
    return [
        f"argument {place} is a {type(arg).__module__}.{type(arg).__name__} in host "
        "memory: move it to the device (cupy.asarray, tensor.cuda()), or launch by "
        "cuda_tile.cutile.launch, which takes arrays of the host"
        for place, arg in enumerate(args)
        if is_array(arg) and not is_on_device(arg)
    ]
