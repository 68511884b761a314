# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The debugger in a terminal: a prompt with history and completion.

Commands that come from a file or pipe are shown as if they were typed, so that a
session can be repeated and its text compared.
"""

from __future__ import annotations

import cmd
import inspect
import sys
from typing import IO, Any

from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.controls import Controls, whole
from cuda_tile.debug.expression import evaluate
from cuda_tile.debug.history import keep_history
from cuda_tile.debug.look import Looks
from cuda_tile.debug.target import Move, Stop, Target
from cuda_tile.debug.values import pretty
from cuda_tile.errors import UserError

PROMPT = "(tile) "
HELP = """\
stop   break LINE|FILE:LINE [if CONDITION]   tbreak   delete N   breakpoints
go     continue   next   step   finish   iteration   stepi   nan   race   store c[3,5]
back   back   backi   rcontinue   start   goto TIME   who c[3,5]
look   print EXPR   tile NAME   locals   args   list   ops   where   display EXPR
blocks threads   thread N   frame N
end    quit
Commands may be shortened; an empty line repeats the last. `help COMMAND` has more."""


class Quit(SystemExit):
    """The user ends the debugger, and the program with it."""


class Terminal(cmd.Cmd):
    """The prompt; see `target.FrontEnd`.

    Args:
        source: Where commands come from.
        out: Where everything is written.
    """

    prompt = PROMPT

    def __init__(
        self, source: IO[str] | None = None, out: IO[str] | None = None
    ) -> None:
        super().__init__(stdin=source or sys.stdin, stdout=out or sys.stdout)
        self.use_rawinput = source is None and sys.stdin.isatty()
        if self.use_rawinput:
            keep_history()
        self.breakpoints = Breakpoints(say=self.say)
        self._shown: list[str] = []
        self._target: Target | None = None
        self._looks = Looks(self.say)
        self._move: Move | None = None
        self._last_stop: Stop | None = None

    # The launch asks

    def launched(self, target: Target) -> Move | None:
        """Shows the launch and asks for commands."""
        self._target = target
        self._last_stop = None
        self._looks.follow(target)
        self.say(f"{target.describe()}")
        return self._ask()

    def stopped(self, target: Target, stop: Stop) -> Move | None:
        """Shows where the launch stands and asks for commands."""
        self._last_stop = stop
        self._looks.follow(target)
        self.ended(target)
        self._looks.stop(stop)
        for text in self._shown:
            self._value(text)
        return self._ask()

    def ended(self, target: Target) -> None:
        """Shows what the kernel printed since."""
        output = target.new_output()
        if output:
            self.say(output.rstrip("\n"))

    def _ask(self) -> Move | None:
        self._move = None
        self.cmdloop()
        return self._move

    def say(self, text: str) -> None:
        """Writes a line."""
        self.stdout.write(f"{text}\n")
        self.stdout.flush()

    # The prompt

    def precmd(self, line: str) -> str:
        """Shows commands that nobody typed; the end of input is `continue`."""
        if not self.use_rawinput and line != "EOF":
            self.say(line)
        return line

    def onecmd(self, line: str) -> bool:
        """Runs a command; what is wrong with it is said, and the prompt comes back."""
        try:
            return bool(super().onecmd(self._whole(line)))
        except UserError as error:
            self.say(f"error: {error}")
            return False

    def _whole(self, line: str) -> str:
        """A command with its name in full."""
        word, _, rest = line.strip().partition(" ")
        known = [name.removeprefix("do_") for name in self.get_names()]
        short = _SHORT.get(word)
        if short is None and word and word not in known:
            found = [name for name in self._commands() if name.startswith(word)]
            short = found[0] if len(found) == 1 else None
        return f"{short or word} {rest}".strip()

    def _commands(self) -> list[str]:
        return sorted(n[3:] for n in self.get_names() if n.startswith("do_"))

    def default(self, line: str) -> None:
        """A word that is no command."""
        word = line.split(maxsplit=1)[0]
        found = ", ".join(name for name in self._commands() if name.startswith(word))
        hint = f"one of {found}" if found else "a command; see help"
        raise UserError(f"expected {hint}, got '{word}'")

    def do_help(self, arg: str) -> None:
        """All commands, or more about one."""
        if not arg:
            self.say(HELP)
            return
        name = self._whole(arg)
        method = getattr(self, f"do_{name}", None)
        if method is None:
            raise UserError(f"expected a command, got '{arg}'")
        self.say(f"{name}: {inspect.getdoc(method)}")

    def completenames(self, text: str, *_: Any) -> list[str]:
        """The commands that begin so."""
        return [name for name in self._commands() if name.startswith(text)]

    def completedefault(self, *ignored: Any) -> list[str]:
        """The values in scope that begin so."""
        text = str(ignored[0])
        names = self._live.names(self._looks.thread)
        return [name for name in names if name.startswith(text)]

    @property
    def _live(self) -> Target:
        if self._target is None:
            raise UserError("expected a launch, there is none yet")
        return self._target

    # Going on

    @property
    def _controls(self) -> Controls:
        return Controls(self._live, self._last_stop, self._looks.thread)

    def _go(self, move: Move | None) -> bool:
        self._move = move
        return True

    def do_continue(self, arg: str) -> bool:
        """Goes on to the next breakpoint, or to the end."""
        return self._go(self._controls.go_on())

    def do_next(self, arg: str) -> bool:
        """Goes on to the next line, over functions that are called."""
        return self._go(self._controls.step("over"))

    def do_step(self, arg: str) -> bool:
        """Goes on to the next line, also into functions that are called."""
        return self._go(self._controls.step("into"))

    def do_stepi(self, arg: str) -> bool:
        """Goes on by one op or instruction."""
        return self._go(self._controls.step("op"))

    def do_finish(self, arg: str) -> bool:
        """Goes on until the function, or else the innermost loop, is left."""
        return self._go(self._controls.step("out"))

    def do_iteration(self, arg: str) -> bool:
        """Goes on to the next iteration of the innermost loop, or behind it."""
        return self._go(self._controls.step("iteration"))

    def do_nan(self, arg: str) -> bool:
        """Goes on to the first op whose result has a NaN."""
        return self._go(self._controls.nan())

    def do_race(self, arg: str) -> bool:
        """Goes on to the first race, past breakpoints."""
        return self._go(self._controls.race())

    def do_store(self, arg: str) -> bool:
        """Goes on to the next store to an element of an array: store c[3, 5]."""
        return self._go(self._controls.store(arg))

    # Going back

    def do_back(self, arg: str) -> bool:
        """Goes back to the line before."""
        return self._go(self._controls.back("over"))

    def do_backi(self, arg: str) -> bool:
        """Goes back by one op."""
        return self._go(self._controls.back("op"))

    def do_rcontinue(self, arg: str) -> bool:
        """Goes back to the breakpoint before, or to the beginning of the launch."""
        return self._go(self._controls.back("breakpoint"))

    def do_start(self, arg: str) -> bool:
        """Goes back to the beginning of the launch."""
        return self._go(self._controls.back("start"))

    def do_goto(self, arg: str) -> bool:
        """Goes to a moment, counted in ops, as `who` tells them."""
        return self._go(self._controls.goto(arg))

    def do_who(self, arg: str) -> None:
        """Says who wrote an element of an array last, and from what: who c[3, 5]."""
        for line in self._controls.who(arg):
            self.say(line)

    # Breakpoints

    def do_break(self, arg: str) -> None:
        """Stops at a line: break [FILE:]LINE [if CONDITION].

        Values in scope, `block` and `grid` may stand in the condition, as in
        block == (3, 0), or isnan(acc).any().
        """
        self._break(arg)

    def do_tbreak(self, arg: str) -> None:
        """As break, once."""
        self._break(arg, is_once=True)

    def _break(self, arg: str, **choices: Any) -> None:
        place, _, condition = arg.partition(" if ")
        file, _, line = place.strip().rpartition(":")
        made = self.breakpoints.add(
            file or self._looks.file(), whole(line), condition=condition, **choices
        )
        self.say(f"breakpoint {made.describe()}")

    def do_breakpoints(self, arg: str) -> None:
        """All breakpoints."""
        for each in self.breakpoints.all:
            self.say(each.describe())

    def do_delete(self, arg: str) -> None:
        """Takes a breakpoint away; all of them without a number."""
        number = whole(arg) if arg else None
        self.breakpoints.remove(lambda each: number in (None, each.number))

    # Looking

    def _value(self, text: str) -> None:
        names = self._live.names(self._looks.thread, self._looks.frame)
        try:
            self.say(f"{text} = {pretty(evaluate(text, names))}")
        except UserError as error:
            self.say(f"{text}: {error}")

    def do_print(self, arg: str) -> None:
        """The value of an expression: print acc[0:2, 0:4], print isnan(acc).sum()."""
        self._value(arg)

    def do_display(self, arg: str) -> None:
        """Shows an expression at each stop; without one, ends all displays."""
        self._shown = [*self._shown, arg] if arg else []
        if arg:
            self._value(arg)

    def do_tile(self, arg: str) -> None:
        """A value in full: type, shape, statistics, elements."""
        self._looks.tile(arg)

    def do_locals(self, arg: str) -> None:
        """The values in scope that the source names; `locals all`: the others too."""
        self._looks.scopes(is_all=arg == "all")

    def do_args(self, arg: str) -> None:
        """Grid, place in it, and other facts of the launch."""
        self._looks.launch()

    def do_list(self, arg: str) -> None:
        """The source around the line at which the thread stands."""
        self._looks.source()

    def do_ops(self, arg: str) -> None:
        """The ops or instructions of this line; `->` stands before the next one."""
        for line in self._controls.ops():
            self.say(line)

    def do_where(self, arg: str) -> None:
        """The functions that the thread is in, innermost first."""
        self._looks.frames()

    def do_threads(self, arg: str) -> None:
        """The tile blocks or warps."""
        self._looks.threads()

    def do_thread(self, arg: str) -> None:
        """Looks at another tile block or warp, by its number in `threads`."""
        self._looks.select(whole(arg))

    def do_frame(self, arg: str) -> None:
        """Looks at a function by its number in `where`."""
        self._looks.frame = whole(arg)

    def do_quit(self, arg: str) -> bool:
        """Ends the debugger and the program."""
        raise Quit(0)

    def do_EOF(self, arg: str) -> bool:
        """The end of the commands: goes on without the debugger."""
        self.say("")
        self.breakpoints.remove(lambda each: True)
        self._move = None
        return True


_SHORT = {
    "b": "break",
    "bt": "where",
    "c": "continue",
    "i": "iteration",
    "l": "list",
    "n": "next",
    "p": "print",
    "q": "quit",
    "rc": "rcontinue",
    "s": "step",
    "si": "stepi",
    "t": "thread",
    "w": "where",
}
"""Names of commands that are shorter than their beginning."""
