# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds `llvm` and `nvvm` operations at a moving insertion point.

Generic `Operation.create` is used on purpose: it costs less than half of the
typed builders (measured: 0.8 against 1.8 us per op), and emission makes the
bulk of all operations. Knows LLVM types and nothing of tiles.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir

GLOBAL_SPACE = 1
SHARED_SPACE = 3
"""NVPTX address spaces (LLVM, "User Guide for NVPTX Back-end")."""

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


class Builder:
    """Operations of one `llvm.func`.

    Args:
        func: The function; its entry block must hold only a branch to the body.
            What does not depend on the body's control flow (constants, thread
            indices) goes before that branch and is made once.
    """

    def __init__(self, func: ir.Operation) -> None:
        self._function = func
        self.region = func.regions[0]
        entry = self.region.blocks[0]
        self.prologue = ir.InsertionPoint(list(entry.operations)[-1])
        self.ip = ir.InsertionPoint(self.region.blocks[1])
        self.loc = func.location
        self._constants: dict[tuple[ir.Type, int | str], ir.Value] = {}
        self._attributes: dict[str, ir.Attribute] = {}
        self._poisons: dict[ir.Type, ir.Value] = {}
        self._places: dict[int, ir.Value] = {}
        self._structs: dict[tuple[ir.Type, ...], ir.Type] = {}
        self._numbers: dict[int, ir.Attribute] = {}
        self._positions: dict[int, list[dict[str, ir.Attribute]]] = {}
        self._ptx: dict[tuple[str, str, bool], dict[str, ir.Attribute]] = {}
        self._indices: dict[int, ir.Attribute] = {}
        self._displaced: dict[ir.Value, tuple[ir.Value, int]] = {}
        self._func = func
        self._callees: dict[str, dict[str, ir.Attribute]] = {}
        self.i1, self.i8, self.i16, self.i32, self.i64 = (
            ir.IntegerType.get_signless(bits) for bits in (1, 8, 16, 32, 64)
        )
        self.f16, self.bf16 = ir.F16Type.get(), ir.BF16Type.get()
        self.f32, self.f64 = ir.F32Type.get(), ir.F64Type.get()
        self._byte = ir.TypeAttr.get(self.i8)
        self.global_pointer = ir.Type.parse(f"!llvm.ptr<{GLOBAL_SPACE}>")
        self.shared_pointer = ir.Type.parse(f"!llvm.ptr<{SHARED_SPACE}>")

    # Attributes: parsing one costs more than making ten operations ------------------

    def attribute(self, text: str) -> ir.Attribute:
        """An attribute that is written as `text`."""
        found = self._attributes.get(text)
        if found is None:
            found = self._attributes[text] = ir.Attribute.parse(text)
        return found

    def number(self, value: int) -> ir.Attribute:
        """An i64 attribute."""
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = ir.IntegerAttr.get(self.i64, value)
        return found

    # Raw operations -----------------------------------------------------------------

    def create(
        self,
        name: str,
        results: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        attributes: dict[str, ir.Attribute] | None = None,
    ) -> ir.Operation:
        """One operation at the insertion point."""
        return ir.Operation.create(
            name,
            results=results,
            operands=operands,
            attributes=attributes,
            loc=self.loc,
            ip=self.ip,
        )

    def op(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation with one result."""
        return ir.Operation.create(
            name,
            results=[result],
            operands=operands,
            attributes=attributes or None,
            loc=self.loc,
            ip=self.ip,
        ).result

    def in_prologue(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation that runs once, before the body."""
        return self.at(self.prologue, name, result, *operands, **attributes)

    def at(
        self,
        place: ir.InsertionPoint,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation at another place than the insertion point."""
        saved, self.ip = self.ip, place
        value = self.op(name, result, *operands, **attributes)
        self.ip = saved
        return value

    def constant(self, ty: ir.Type, value: int | float) -> ir.Value:
        """A scalar constant, made once per function; integers wrap to the width."""
        if isinstance(value, int):
            found = self._constants.get((ty, value))
            if found is not None:
                return found
        if isinstance(ty, ir.IntegerType):
            value = int(value) & ((1 << ty.width) - 1)
            if value >> (ty.width - 1) and ty.width > 1:
                value -= 1 << ty.width
        key = (ty, repr(value) if isinstance(value, float) else value)
        found = self._constants.get(key)
        if found is None:
            attr = (
                ir.IntegerAttr.get(ty, int(value))
                if isinstance(ty, ir.IntegerType)
                else ir.FloatAttr.get(ty, float(value))
            )
            found = self.in_prologue("llvm.mlir.constant", ty, value=attr)
            self._constants[key] = found
        return found

    def global_bytes(self, number: int, data: bytes) -> ir.Value:
        """Address of a new constant in global memory, the kernel's table `number`.

        It is aligned to 16 bytes.
        """
        kernel = ir.StringAttr(self._function.attributes["sym_name"]).value
        name = f"table_{number}_{kernel}"
        attributes: dict[str, ir.Attribute] = {
            "sym_name": ir.StringAttr.get(name),
            "global_type": ir.TypeAttr.get(
                ir.Type.parse(f"!llvm.array<{len(data)} x i8>")
            ),
            "linkage": self.attribute("#llvm.linkage<internal>"),
            "constant": ir.UnitAttr.get(),
            "addr_space": ir.IntegerAttr.get(self.i32, GLOBAL_SPACE),
            "alignment": self.number(16),
            "value": ir.StringAttr.get(data),
        }
        with ir.InsertionPoint(self._function), self.loc:
            ir.Operation.create("llvm.mlir.global", attributes=attributes, regions=1)
        return self.in_prologue(
            "llvm.mlir.addressof",
            self.global_pointer,
            global_name=ir.FlatSymbolRefAttr.get(name),
        )

    # Integers -----------------------------------------------------------------------

    def add(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """`lhs + rhs`, wrapping."""
        return self.op("llvm.add", lhs.type, lhs, rhs)

    def sub(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """`lhs - rhs`, wrapping."""
        return self.op("llvm.sub", lhs.type, lhs, rhs)

    def mul(self, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """`lhs * rhs`, wrapping."""
        return self.op("llvm.mul", lhs.type, lhs, rhs)

    def icmp(self, predicate: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
        """Integer comparison by LLVM's predicate name."""
        attr = self.number(ICMP[predicate])
        return self.op("llvm.icmp", self.i1, lhs, rhs, predicate=attr)

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

    def vector_type(self, count: int, element: ir.Type) -> ir.Type:
        """`element` itself for one, else a vector."""
        return element if count == 1 else ir.VectorType.get([count], element)

    def vector(self, values: Sequence[ir.Value]) -> ir.Value:
        """Scalars as one vector; a single one as itself."""
        if len(values) == 1:
            return values[0]
        ty = self.vector_type(len(values), values[0].type)
        if values[0].type == self.i8:
            return self.bitcast(self._join_bytes(values), ty)
        result = self._poison(ty)
        for i, value in enumerate(values):
            result = self.op("llvm.insertelement", ty, result, value, self._place(i))
        return result

    def _poison(self, ty: ir.Type) -> ir.Value:
        """A vector without any element yet, made once per function."""
        found = self._poisons.get(ty)
        if found is None:
            found = self._poisons[ty] = self.in_prologue("llvm.mlir.poison", ty)
        return found

    def _place(self, index: int) -> ir.Value:
        """The number of an element of a vector."""
        found = self._places.get(index)
        if found is None:
            found = self._places[index] = self.constant(self.i32, index)
        return found

    def elements(self, value: ir.Value, count: int) -> list[ir.Value]:
        """A vector as scalars; inverse of `vector`."""
        if count == 1:
            return [value]
        element = ir.VectorType(value.type).element_type
        if element == self.i8:
            return self._split_bytes(value, count)
        return [
            self.op("llvm.extractelement", element, value, self._place(i))
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

    def fields(self, value: ir.Value, types: Sequence[ir.Type]) -> list[ir.Value]:
        """The fields of a struct value."""
        operands, create, loc, ip = [value], ir.Operation.create, self.loc, self.ip
        return [
            create(
                "llvm.extractvalue",
                results=[ty],
                operands=operands,
                attributes=attributes,
                loc=loc,
                ip=ip,
            ).result
            for ty, attributes in zip(types, self._fields(len(types)), strict=True)
        ]

    def _fields(self, count: int) -> list[dict[str, ir.Attribute]]:
        """The attributes of extractions of so many fields."""
        found = self._positions.get(count)
        if found is None:
            found = self._positions[count] = [
                {"position": ir.DenseI64ArrayAttr.get([i])} for i in range(count)
            ]
        return found

    def struct_type(self, types: Sequence[ir.Type]) -> ir.Type:
        """A literal LLVM struct."""
        key = tuple(types)
        found = self._structs.get(key)
        if found is None:
            text = f"!llvm.struct<({', '.join(map(str, types))})>"
            found = self._structs[key] = ir.Type.parse(text)
        return found

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
                "rawConstantIndices": self._index(raw),
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

    def _index(self, raw: int) -> ir.Attribute:
        found = self._indices.get(raw)
        if found is None:
            found = self._indices[raw] = ir.DenseI32ArrayAttr.get([raw])
        return found

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
        key = (text, constraints, side_effects)
        attributes = self._ptx.get(key)
        if attributes is None:
            attributes = self._ptx[key] = {
                "asm_string": ir.StringAttr.get(text),
                "constraints": ir.StringAttr.get(constraints),
                "asm_dialect": self.number(0),
            }
            if side_effects:
                attributes["has_side_effects"] = ir.UnitAttr.get()
        op = self.create("llvm.inline_asm", ty, operands, attributes)
        if len(results) > 1:
            return self.fields(op.results[0], results)
        return list(op.results)

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
        (moved,) = self.inline_ptx(
            "mov.b32 $0, $1;", "=r,r", [value.type], [value], side_effects=False
        )
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
        block = self._func.block
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
