# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Line tables: which source line each instruction of a kernel comes from.

LLVM takes a location only inside a scope: a subprogram, with the file and compile unit
that it belongs to. A location in another file than its kernel's, as a helper function
leaves it that a producer inlined, has a scope for that file within the subprogram.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.ir.launch import emitted_kernels
from cuda_tile.ir.walk import entry_name, nested_ops

PRODUCER = "cuda-tile"
_EMISSION_KIND = "DebugDirectivesOnly"
"""`.loc` and `.file` alone, as for `nvcc -lineinfo`: the code is the same with them,
while full debug info makes `.target sm_XY, debug`, which ptxas does not optimise."""


@dataclass(frozen=True)
class KernelLines:
    """The positions of one kernel.

    Attributes:
        kernel: Its `llvm.func`.
        ops: The operations in it.
        files: The files that their locations name, the function's own first.
        line: Where the function starts.
    """

    kernel: ir.Operation
    ops: list[ir.Operation]
    files: tuple[str, ...]
    line: int

    @classmethod
    def of(cls, kernel: ir.Operation) -> KernelLines | None:
        """Looks through a kernel; None if no location in it names a file."""
        ops = list(nested_ops(kernel))
        places = [position(op.location) for op in (kernel, *ops)]
        known = [place for place in places if place is not None]
        if not known:
            return None
        files = tuple(dict.fromkeys(place.filename for place in known))
        return cls(kernel, ops, files, known[0].start_line)

    def scope_texts(self, number: int) -> list[str]:
        """The subprogram, then a scope for each further file, as MLIR reads them."""
        name = ir.StringAttr.get(entry_name(self.kernel))
        own, *others = (_file(path) for path in self.files)
        unit = (
            f"#llvm.di_compile_unit<id = distinct[{2 * number}]<>, "
            f"sourceLanguage = DW_LANG_C, file = {own}, "
            f'producer = "{PRODUCER}", isOptimized = true, '
            f"emissionKind = {_EMISSION_KIND}>"
        )
        subprogram = (
            f"#llvm.di_subprogram<id = distinct[{2 * number + 1}]<>, "
            f"compileUnit = {unit}, scope = {own}, name = {name}, "
            f"linkageName = {name}, file = {own}, line = {self.line}, "
            f'scopeLine = {self.line}, subprogramFlags = "Definition|Optimized", '
            "type = #llvm.di_subroutine_type<>>"
        )
        blocks = [
            f"#llvm.di_lexical_block_file<scope = {subprogram}, file = {file}, "
            "discriminator = 0>"
            for file in others
        ]
        return [subprogram, *blocks]

    def apply(self, scopes: Iterable[ir.Attribute]) -> None:
        """Puts every location into its scope, given in the order of `scope_texts`."""
        by_file = dict(zip(self.files, scopes, strict=True))
        known: dict[ir.Attribute, ir.Location] = {}
        for op in self.ops:
            key = op.location.attr  # a location itself has no hash
            if key not in known:
                known[key] = _scoped(op.location, by_file)
            op.location = known[key]
        # Also where the function has no location of its own, or one elsewhere.
        start = ir.Location.file(self.files[0], self.line, 0)
        self.kernel.location = ir.Location.fused([start], by_file[self.files[0]])


def add_line_tables(module: ir.Operation) -> None:
    """Gives every location of every kernel the scope that LLVM asks for.

    Args:
        module: Level P. A kernel that has no location in a file stays as it is.
    """
    found = [KernelLines.of(kernel) for kernel in emitted_kernels(module)]
    tables = [lines for lines in found if lines is not None]
    if not tables:
        return
    texts = [lines.scope_texts(number) for number, lines in enumerate(tables)]
    # One text, for distinct[0] means the same attribute only within one.
    joined = ", ".join(text for kernel_texts in texts for text in kernel_texts)
    scopes = list(ir.ArrayAttr(ir.Attribute.parse(f"[{joined}]")))
    for lines in tables:
        count = len(lines.files)
        lines.apply(scopes[:count])
        del scopes[:count]


def position(location: ir.Location) -> ir.Location | None:
    """The file position in a location: the innermost one where calls were inlined.

    Args:
        location: Any location of level P.

    Returns:
        A location with a file and a line, or None where there is none.
    """
    if location.is_a_file():
        return location
    if location.is_a_name():
        return position(location.child_loc)
    if location.is_a_callsite():
        return position(location.callee) or position(location.caller)
    if location.is_a_fused():
        places = (position(part) for part in location.locations)
        return next((place for place in places if place is not None), None)
    return None


def _scoped(location: ir.Location, by_file: dict[str, ir.Attribute]) -> ir.Location:
    place = position(location)
    if place is None:
        return ir.Location.unknown()
    return ir.Location.fused([place], by_file[place.filename])


def _file(path: str) -> str:
    folder, separator, name = path.rpartition("/")
    name, folder = ir.StringAttr.get(name), ir.StringAttr.get(folder or separator)
    return f"#llvm.di_file<{name} in {folder}>"
