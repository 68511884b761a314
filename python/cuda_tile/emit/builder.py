# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds code of `llvm`: integers, vectors, memory, inline PTX, calls and branches.

Knows LLVM types and nothing of tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.emit.operations import SHARED_SPACE, Once, Operations

ICMP = {
    "eq": 0,
    "ne": 1,
    "slt": 2,
    "sle": 3,
    "sgt": 4,
    "sge": 5,
    "ult": 6,
    "ule": 7,
    "ugt": 8,
    "uge": 9,
}
FCMP = {
    "oeq": 1,
    "ogt": 2,
    "oge": 3,
    "olt": 4,
    "ole": 5,
    "one": 6,
    "ord": 7,
    "ueq": 8,
    "ugt": 9,
    "uge": 10,
    "ult": 11,
    "ule": 12,
    "une": 13,
    "uno": 14,
}


_FARTHEST = 1 << 31
"""Bytes that the constant of an address is below; what stands for no constant."""
_ROLLED = "#llvm.loop_annotation<unroll = <disable = true>>"


class Builder(Operations):
    """What a `llvm.func` computes; see `Operations` for what it is given."""

    def __init__(self, func: ir.Operation) -> None:
        super().__init__(func)
        self._byte = ir.TypeAttr.get(self.i8)
        self._ptx = Once(_inline_ptx)
        self._indices = Once[int, ir.Attribute](
            lambda raw: ir.DenseI32ArrayAttr.get([raw])
        )
        self._displaced: dict[ir.Value, tuple[ir.Value, int]] = {}
        self._callees: dict[str, dict[str, ir.Attribute]] = {}

    # Integers -----------------------------------------------------------------------

    def binary(self, name: str, lhs: ir.Value, rhs: ir.Value | int) -> ir.Value:
        """An operation of LLVM on two integers of one type.

        Args:
            name: Its name behind `llvm.`.
            lhs: The first one.
            rhs: The second one; a number stands for a constant of the type.
        """
        other = self.constant(lhs.type, rhs) if isinstance(rhs, int) else rhs
        return self.op(f"llvm.{name}", lhs.type, lhs, other)

    def add(self, lhs: ir.Value, rhs: ir.Value | int) -> ir.Value:
        """`lhs + rhs`, wrapping."""
        return self.binary("add", lhs, rhs)

    def sub(self, lhs: ir.Value, rhs: ir.Value | int) -> ir.Value:
        """`lhs - rhs`, wrapping."""
        return self.binary("sub", lhs, rhs)

    def mul(self, lhs: ir.Value, rhs: ir.Value | int) -> ir.Value:
        """`lhs * rhs`, wrapping."""
        return self.binary("mul", lhs, rhs)

    def icmp(self, predicate: str, lhs: ir.Value, rhs: ir.Value | int) -> ir.Value:
        """Integer comparison by LLVM's predicate name."""
        attr = self.number(ICMP[predicate])
        other = self.constant(lhs.type, rhs) if isinstance(rhs, int) else rhs
        return self.op("llvm.icmp", self.i1, lhs, other, predicate=attr)

    def fcmp(self, predicate: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Floating-point comparison by LLVM's predicate name."""
        attr = self.number(FCMP[predicate])
        return self.op("llvm.fcmp", self.i1, lhs, rhs, predicate=attr)

    def select(self, cond: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
        """`yes` where `cond`, else `no`."""
        return self.op("llvm.select", yes.type, cond, yes, no)

    def both(self, lhs: ir.Value | None, rhs: ir.Value | None) -> ir.Value | None:
        """Conjunction of two predicates, where None is true."""
        if lhs is None or rhs is None:
            return rhs if lhs is None else lhs
        return self.op("llvm.and", self.i1, lhs, rhs)

    def resize(self, value: ir.Value, ty: ir.Type) -> ir.Value:
        """A signed integer in another width."""
        have = ir.IntegerType(value.type).width
        want = ir.IntegerType(ty).width
        if have == want:
            return value
        return self.op("llvm.sext" if want > have else "llvm.trunc", ty, value)

    def unsigned(self, value: ir.Value, ty: ir.Type) -> ir.Value:
        """An unsigned integer in at least the width of `ty`."""
        if ir.IntegerType(value.type).width >= ir.IntegerType(ty).width:
            return value
        return self.op("llvm.zext", ty, value)

    # Vectors ------------------------------------------------------------------------

    def bitcast(self, value: ir.Value, ty: ir.Type) -> ir.Value:
        """The same bits as another type of the same width."""
        return value if value.type == ty else self.op("llvm.bitcast", ty, value)

    def vector(self, values: Sequence[ir.Value]) -> ir.Value:
        """Scalars as one vector; a single one as itself."""
        if len(values) == 1:
            return values[0]
        ty = self.vector_type(len(values), values[0].type)
        if values[0].type == self.i8:
            return self.bitcast(self._join_bytes(values), ty)
        result = self.poison(ty)
        for i, value in enumerate(values):
            result = self.op(
                "llvm.insertelement", ty, result, value, self.constant(self.i32, i)
            )
        return result

    def elements(self, value: ir.Value, count: int) -> list[ir.Value]:
        """A vector as scalars; inverse of `vector`."""
        if count == 1:
            return [value]
        element = ir.VectorType(value.type).element_type
        if element == self.i8:
            return self._split_bytes(value, count)
        return [
            self.op("llvm.extractelement", element, value, self.constant(self.i32, i))
            for i in range(count)
        ]

    def _join_bytes(self, values: Sequence[ir.Value]) -> ir.Value:
        """Bytes as parts of an integer; for why see `_split_bytes`."""
        word = ir.IntegerType.get_signless(8 * len(values))
        whole = self.op("llvm.zext", word, values[0])
        for i, value in enumerate(values[1:], 1):
            part = self.op("llvm.zext", word, value)
            part = self.op("llvm.shl", word, part, self.constant(word, 8 * i))
            whole = self.op("llvm.or", word, whole, part)
        return whole

    def _split_bytes(self, value: ir.Value, count: int) -> list[ir.Value]:
        """The bytes of a vector, as parts of an integer.

        From elements LLVM 22 would make vectors that are undefined in part, and for
        these read registers that nothing writes.
        """
        word = ir.IntegerType.get_signless(8 * count)
        whole = self.bitcast(value, word)
        shifted = [whole] + [
            self.op("llvm.lshr", word, whole, self.constant(word, 8 * i))
            for i in range(1, count)
        ]
        return [self.op("llvm.trunc", self.i8, part) for part in shifted]

    # Memory and control -------------------------------------------------------------

    def byte_offset(self, pointer: ir.Value, offset: ir.Value | int) -> ir.Value:
        """`pointer` moved by bytes."""
        if isinstance(offset, int):
            if offset == 0:
                return pointer
            if not -_FARTHEST < offset < _FARTHEST:
                return self.byte_offset(pointer, self.constant(self.i64, offset))
            dynamic, raw = [], offset
        else:
            dynamic, raw = [offset], -_FARTHEST
        moved = self.create(
            "llvm.getelementptr",
            [pointer.type],
            [pointer, *dynamic],
            {
                "rawConstantIndices": self._indices[raw],
                "elem_type": self._byte,
            },
        ).results[0]
        if not dynamic:
            base, before = self.displaced(pointer)
            if abs(before + raw) < _FARTHEST:
                self._displaced[moved] = base, before + raw
        return moved

    def displaced(self, pointer: ir.Value) -> tuple[ir.Value, int]:
        """A pointer as another one and constant bytes, for an instruction's operand."""
        return self._displaced.get(pointer) or (pointer, 0)

    def load(self, ty: ir.Type, pointer: ir.Value, align: int) -> ir.Value:
        """A plain load; `align` in bytes."""
        attr = self.number(align)
        return self.op("llvm.load", ty, pointer, alignment=attr)

    def store(self, value: ir.Value, pointer: ir.Value, align: int) -> None:
        """A plain store; `align` in bytes."""
        attr = self.number(align)
        self.create("llvm.store", [], [value, pointer], {"alignment": attr})

    def inline_ptx(
        self,
        text: str,
        constraints: str,
        results: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        *,
        side_effects: bool,
    ) -> list[ir.Value]:
        """PTX that no intrinsic gives; `$0`... are results, then operands."""
        ty = [] if not results else [results[0]]
        if len(results) > 1:
            ty = [self.struct_type(results)]
        attributes = self._ptx[text, constraints, side_effects]
        op = self.create("llvm.inline_asm", ty, operands, attributes)
        if len(results) > 1:
            return self.fields(op.results[0], results)
        return list(op.results)

    def ptx(
        self,
        text: str,
        results: Sequence[ir.Type],
        *operands: ir.Value,
        has_effect: bool = False,
        is_early: bool = False,
    ) -> list[ir.Value]:
        """PTX text whose registers have the classes of their types.

        Args:
            text: The instructions; results are `$0` on, operands behind them.
            results: The types of the results.
            operands: The operands.
            has_effect: Whether it must run, even if nobody takes its results.
            is_early: Whether it writes results before it has read all operands.
        """
        mark = "=&" if is_early else "="
        letters = [mark + register_class(ty) for ty in results]
        letters += [register_class(value.type) for value in operands]
        return self.inline_ptx(
            text, ",".join(letters), results, operands, side_effects=has_effect
        )

    def ptx_value(self, text: str, result: ir.Type, *operands: ir.Value) -> ir.Value:
        """The only result `$0` of PTX text without effects.

        Args:
            text: The instructions.
            result: The type of the result.
            operands: `$1` on.
        """
        return self.ptx(text, [result], *operands)[0]

    def pinned(
        self, value: ir.Value, place: ir.InsertionPoint | None = None
    ) -> ir.Value:
        """The same 32 bits, of which LLVM does not know what they are made of.

        A sum has a term of the loop, a term of the thread and constants. LLVM would
        keep each combination of the latter two in a register; so they stay the
        immediates of instructions. ptxas makes nothing of the move.

        Args:
            value: A shared pointer, or an i32.
            place: Where to build, if not at the insertion point.
        """
        saved, self.ip = self.ip, place or self.ip
        moved = self.ptx_value("mov.b32 $0, $1;", value.type, value)
        self.ip = saved
        return moved

    def intrinsic(
        self, name: str, result: ir.Type, operands: Sequence[ir.Value]
    ) -> ir.Value:
        """A call of an LLVM intrinsic that has no operation of its own here."""
        made = self._intrinsic(name, [result], operands)
        return made.results[0]

    def effect(self, name: str, operands: Sequence[ir.Value] = ()) -> None:
        """A call of an LLVM intrinsic without a result."""
        self._intrinsic(name, [], operands)

    def _intrinsic(
        self, name: str, results: Sequence[ir.Type], operands: Sequence[ir.Value]
    ) -> ir.Operation:
        sizes = ir.DenseI32ArrayAttr.get([len(operands), 0])
        return self.create(
            "llvm.call_intrinsic",
            results,
            list(operands),
            {
                "intrin": ir.StringAttr.get(name),
                "operandSegmentSizes": sizes,
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            },
        )

    def call(
        self, name: str, result: ir.Type, operands: Sequence[ir.Value]
    ) -> ir.Value:
        """A call of a function of a library, which its first call declares."""
        return self._call(name, [result], operands).results[0]

    def call_for_effect(self, name: str, operands: Sequence[ir.Value]) -> None:
        """A call of a function without a result."""
        self._call(name, [], operands)

    def _call(
        self, name: str, results: Sequence[ir.Type], operands: Sequence[ir.Value]
    ) -> ir.Operation:
        found = self._callees.get(name)
        if found is None:
            self._declare(name, results, [value.type for value in operands])
            found = self._callees[name] = {
                "callee": ir.FlatSymbolRefAttr.get(name),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            }
        return self.create("llvm.call", results, operands, found)

    def _declare(
        self, name: str, results: Sequence[ir.Type], types: Sequence[ir.Type]
    ) -> None:
        """Declares a function in the module unless another kernel has done so."""
        block = self._function.block
        symbol = ir.StringAttr.get(name)
        if any(op.attributes["sym_name"] == symbol for op in block.operations):
            return
        result = str(results[0]) if results else "void"
        parameters = ", ".join(map(str, types))
        signature = ir.Type.parse(f"!llvm.func<{result} ({parameters})>")
        ir.Operation.create(
            "llvm.func",
            attributes={
                "sym_name": symbol,
                "function_type": ir.TypeAttr.get(signature),
                "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
                "CConv": ir.Attribute.parse("#llvm.cconv<ccc>"),
            },
            regions=1,
            loc=self.loc,
            ip=ir.InsertionPoint.at_block_begin(block),
        )

    def block(self, types: Sequence[ir.Type] = ()) -> ir.Block:
        """A new empty block at the end of the function."""
        return self.region.blocks.append(*types, arg_locs=[self.loc] * len(types))

    def enter(self, block: ir.Block) -> None:
        """Continues at the end of `block`."""
        self.ip = ir.InsertionPoint(block)

    def branch(
        self,
        target: ir.Block,
        values: Sequence[ir.Value] = (),
        *,
        keeps_rolled: bool = False,
    ) -> None:
        """An unconditional branch; `keeps_rolled` as for `branch_if`."""
        ir.Operation.create(
            "llvm.br",
            operands=values,
            attributes=self._annotation(keeps_rolled=keeps_rolled),
            successors=[target],
            loc=self.loc,
            ip=self.ip,
        )

    def _annotation(self, *, keeps_rolled: bool) -> dict[str, ir.Attribute]:
        if not keeps_rolled:
            return {}
        return {"loop_annotation": self.attribute(_ROLLED)}

    def branch_if(
        self,
        cond: ir.Value,
        yes: ir.Block,
        no: ir.Block,
        yes_values: Sequence[ir.Value] = (),
        no_values: Sequence[ir.Value] = (),
        *,
        keeps_rolled: bool = False,
    ) -> None:
        """A conditional branch.

        Args:
            cond: Which block it goes to.
            yes: Where it holds.
            no: Where it does not.
            yes_values: What `yes` takes.
            no_values: What `no` takes.
            keeps_rolled: Whether this goes back to a loop's head, and neither LLVM nor
                ptxas shall unroll the loop.
        """
        sizes = [1, len(yes_values), len(no_values)]
        ir.Operation.create(
            "llvm.cond_br",
            operands=[cond, *yes_values, *no_values],
            attributes={
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get(sizes),
                **self._annotation(keeps_rolled=keeps_rolled),
            },
            successors=[yes, no],
            loc=self.loc,
            ip=self.ip,
        )


def register_class(ty: ir.Type) -> str:
    """The letter of the registers that hold a value (CUDA, "Inline PTX Assembly")."""
    text = str(ty)
    if text.startswith("!llvm.ptr"):
        return "r" if text == f"!llvm.ptr<{SHARED_SPACE}>" else "l"
    return _CLASSES[text]


_CLASSES = {
    **{"i1": "b", "i8": "h", "i16": "h", "i32": "r", "i64": "l"},
    **{"f32": "f", "f64": "d"},
}


def _inline_ptx(key: tuple[str, str, bool]) -> dict[str, ir.Attribute]:
    """The attributes of inline PTX: its text, constraints, and if it has effects."""
    text, constraints, side_effects = key
    attributes: dict[str, ir.Attribute] = {
        "asm_string": ir.StringAttr.get(text),
        "constraints": ir.StringAttr.get(constraints),
        "asm_dialect": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0),
    }
    if side_effects:
        attributes["has_side_effects"] = ir.UnitAttr.get()
    return attributes
