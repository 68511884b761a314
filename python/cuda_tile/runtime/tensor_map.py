# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps: what a launcher tells the copy engine of an array.

In a launch record a map is a `TensorMapParameter`, with expressions over the kernel's
parameters; for given arguments it becomes `TensorMapFields`, from which a launcher
makes the 128 bytes that the kernel gets. Dimensions stand from the minor (contiguous)
one to the major one. Limits: CUDA Driver API, "Tensor Map Object Management".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from cuda_tile.errors import UserError
from cuda_tile.records import dataclass
from cuda_tile.runtime.element_forms import element_form
from cuda_tile.runtime.expressions import Expression

if TYPE_CHECKING:
    import numpy as np

    from cuda_tile.runtime.args import Bound

Access = Literal["load", "store"]
MAP_BYTES = 128
MAP_ALIGNMENT_BYTES = 64
MOST_RANK = 5
MOST_BOX = 256
SWIZZLE_BYTES = (0, 32, 64, 128)
L2_PROMOTION_BYTES = (0, 64, 128, 256)
UNIT_BYTES = 16
"""Base, strides and rows of a box are multiples of this."""
_MOST_STRIDE_BYTES = 1 << 40
_MOST_EXTENT = 1 << 32
"""Limits of `cuTensorMapEncodeTiled` (CUDA Driver API, "Tensor Map Object
Management")."""


def _is_stride(size_bytes: int) -> bool:
    """Whether a map may have a stride of so many bytes."""
    return size_bytes % UNIT_BYTES == 0 and 0 <= size_bytes < _MOST_STRIDE_BYTES


@dataclass(frozen=True)
class TensorMapParameter:
    """A tensor map that the launcher makes and appends.

    Attributes:
        element: Element type of the array, as the dialect prints it: `f16`.
        base: The user's parameter that points to the first element.
        shape: Extents in elements, minor dimension first.
        strides: Strides in elements of all dimensions but the minor one, whose is 1.
        box: Extents of what one copy moves, minor dimension first.
        swizzle_bytes: Span of the swizzle in shared memory, 0 for none.
        l2_promotion_bytes: How much a miss brings into the L2 cache, 0 for no more than
            is asked for.
        access: Whether copies read the array or write it. Maps of an array without
            elements must not share memory, so that one map serves one of both.
        required: Whether every launch computes what the map is made of. If not, a
            branch does that may not be taken, and its promises hold there only: the
            launch goes on without the map where the arguments do not make one.

    Elements outside the array are read as zeros and not written.

    Raises:
        UserError: A limit of the hardware is broken, whatever the arguments are.
    """

    element: str
    base: int
    shape: tuple[Expression, ...]
    strides: tuple[Expression, ...]
    box: tuple[int, ...]
    swizzle_bytes: int = 0
    l2_promotion_bytes: int = 256
    access: Access = "load"
    required: bool = True

    def __post_init__(self) -> None:
        rank = len(self.shape)
        row = self.box[0] * self.element_bytes if self.box else 0
        known = [s.value for s in self.strides]
        limits: tuple[tuple[bool, str, object], ...] = (
            (1 <= rank <= MOST_RANK, f"1 to {MOST_RANK} dimensions", rank),
            (len(self.strides) == rank - 1, f"{rank - 1} strides", len(self.strides)),
            (len(self.box) == rank, f"a box of {rank} extents", self.box),
            (
                all(1 <= extent <= MOST_BOX for extent in self.box),
                f"box extents from 1 to {MOST_BOX}",
                self.box,
            ),
            (row % UNIT_BYTES == 0, "rows of a box of whole 16 bytes", row),
            (
                self.swizzle_bytes in SWIZZLE_BYTES,
                "a swizzle of 0, 32, 64 or 128 bytes",
                self.swizzle_bytes,
            ),
            (
                not self.swizzle_bytes or row <= self.swizzle_bytes,
                f"rows of a box within the swizzle of {self.swizzle_bytes} bytes",
                row,
            ),
            (
                self.l2_promotion_bytes in L2_PROMOTION_BYTES,
                "an L2 promotion of 0, 64, 128 or 256 bytes",
                self.l2_promotion_bytes,
            ),
            (self.access in get_args(Access), "access 'load' or 'store'", self.access),
            (self.base >= 0, "the number of a parameter as base", self.base),
            (
                all(s is None or _is_stride(s * self.element_bytes) for s in known),
                "strides of whole 16 bytes",
                known,
            ),
        )
        for holds, expected, got in limits:
            if not holds:
                raise UserError(f"tensor map: expected {expected}, got {got}")

    @property
    def element_bytes(self) -> int:
        """Bytes of an element.

        Raises:
            UserError: The elements are of a type that copies do not know.
        """
        form = element_form(self.element)
        if form.is_packed or form.kind == "pointer":
            raise UserError(
                "tensor map: expected elements of whole bytes, no pointers, got "
                f"{self.element}"
            )
        return form.storage_bytes

    @property
    def box_bytes(self) -> int:
        """Bytes that one copy puts into shared memory."""
        return prod(self.box) * self.element_bytes

    def to_json(self) -> dict[str, Any]:
        """As it stands in the JSON report."""
        return {
            "kind": "tensor_map",
            "element": self.element,
            "base": self.base,
            "shape": [str(extent) for extent in self.shape],
            "strides": [str(stride) for stride in self.strides],
            "box": list(self.box),
            "swizzle_bytes": self.swizzle_bytes,
            "l2_promotion_bytes": self.l2_promotion_bytes,
            "fill": "zero",
            "access": self.access,
            "required": self.required,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TensorMapParameter:
        """Reads what `to_json` makes.

        Raises:
            KeyError: A key is missing.
            ValueError: It is filled with something else than zeros.
            UserError: A limit is broken.
        """
        if data["fill"] != "zero":
            raise ValueError(f"fill {data['fill']!r}")
        return cls(
            element=str(data["element"]),
            base=int(data["base"]),
            shape=tuple(Expression.parse(text) for text in data["shape"]),
            strides=tuple(Expression.parse(text) for text in data["strides"]),
            box=tuple(map(int, data["box"])),
            swizzle_bytes=int(data["swizzle_bytes"]),
            l2_promotion_bytes=int(data["l2_promotion_bytes"]),
            access=data["access"],
            required=bool(data.get("required", True)),
        )


def check_parameters(part: TensorMapParameter, parameters: Sequence[str]) -> None:
    """Checks what a tensor map reads against the types of a kernel's parameters.

    Raises:
        UserError: Its base is no pointer to its elements, or to the halves of its
            bytes, or an expression reads what is no integer.
    """
    wanted = f"ptr<{part.element}>"
    got = parameters[part.base] if part.base < len(parameters) else "no such parameter"
    is_halves = (wanted, got) == ("ptr<i8>", "ptr<f4E2M1FN>")  # two in each byte
    if got != wanted and not is_halves:
        raise UserError(
            f"tensor map: expected parameter {part.base} of type {wanted} as its base, "
            f"got {got}"
        )
    for expression in (*part.shape, *part.strides):
        for number in expression.arguments:
            kind = parameters[number] if number < len(parameters) else "no parameter"
            if kind not in ("i8", "i16", "i32", "i64"):
                raise UserError(
                    f"tensor map: expected an integer as parameter {number} in "
                    f"expression '{expression}', got {kind}"
                )


@dataclass(frozen=True)
class TensorMapFields:
    """The fields of a tensor map for given arguments, minor dimension first.

    Attributes:
        element: Element type, as the dialect prints it.
        address: Of the first element.
        extents: In elements, all positive.
        strides_bytes: Of all dimensions but the minor one.
        box: Extents of what one copy moves.
        swizzle_bytes: Span of the swizzle, 0 for none.
        l2_promotion_bytes: As in `TensorMapParameter`.
    """

    element: str
    address: int
    extents: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    box: tuple[int, ...]
    swizzle_bytes: int
    l2_promotion_bytes: int

    def __post_init__(self) -> None:
        limits: tuple[tuple[bool, str, object], ...] = (
            (
                self.address % UNIT_BYTES == 0,
                "an array at a multiple of 16 bytes",
                hex(self.address),
            ),
            (
                all(1 <= extent <= _MOST_EXTENT for extent in self.extents),
                "extents from 1 to 2**32",
                self.extents,
            ),
            (
                all(map(_is_stride, self.strides_bytes)),
                "strides of whole 16 bytes, from 0 up to 2**40",
                self.strides_bytes,
            ),
        )
        for holds, expected, got in limits:
            if not holds:
                raise UserError(
                    f"tensor map: expected {expected}, got {got}; the kernel was "
                    "compiled under the assumption that they are"
                )


def map_fields(
    part: TensorMapParameter,
    args: Sequence[Bound],
    address: int,
    line: Callable[[], int],
) -> TensorMapFields:
    """What a tensor map says for given arguments.

    A map cannot have an extent of 0: that of an array without elements has a line of
    zeros as its only element, and no copy may change more than that line. So has one
    that is not required, where the arguments break a limit or divide by zero, for the
    kernel does not use it then. The stride of a dimension with one element counts for
    nothing, and is replaced where the hardware would refuse it.

    Args:
        part: The map in the record.
        args: The user's arguments, as `bind_args` gives them.
        address: Where the kernel finds the array of parameter `part.base`.
        line: Makes 16 zero bytes, aligned to 16, for this map alone, and gives their
            address; called if the array has no elements, or no map can be made.

    Raises:
        UserError: The arguments break a limit of the hardware, of a map that is
            required.
    """
    try:
        found = _fields_for(part, args, address)
    except UserError:
        if part.required:
            raise
        found = None
    return _fields_without_elements(part, line()) if found is None else found


def _fields_for(
    part: TensorMapParameter, args: Sequence[Bound], address: int
) -> TensorMapFields | None:
    """The fields of a map of an array; None where it has no elements."""
    import numpy as np

    numbers = {
        number: int(cast("np.integer[Any]", arg))
        for number, arg in enumerate(args)
        if isinstance(arg, np.integer)
    }
    extents = tuple(extent.evaluate(numbers) for extent in part.shape)
    strides = tuple(
        stride.evaluate(numbers) * part.element_bytes for stride in part.strides
    )
    if 0 in extents or not address:
        return None
    # Producers promise of it what holds of the others (cuTile's JIT does).
    strides = tuple(
        UNIT_BYTES if extent == 1 and not _is_stride(stride) else stride
        for extent, stride in zip(extents[1:], strides, strict=True)
    )
    return _with_fields(part, address, extents, strides)


def _fields_without_elements(part: TensorMapParameter, line: int) -> TensorMapFields:
    """The fields of a map of nothing but a line of zeros."""
    rank = len(part.shape)
    return _with_fields(part, line, (1,) * rank, (UNIT_BYTES,) * (rank - 1))


def _with_fields(
    part: TensorMapParameter,
    address: int,
    extents: tuple[int, ...],
    strides_bytes: tuple[int, ...],
) -> TensorMapFields:
    return TensorMapFields(
        part.element,
        address,
        extents,
        strides_bytes,
        part.box,
        part.swizzle_bytes,
        part.l2_promotion_bytes,
    )
