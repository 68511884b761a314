"""Family hint: the result of `assume` has the layout of its operand."""

from __future__ import annotations

from cuda_tile.place.elementwise import same_layout
from cuda_tile.place.rules import RULES

RULES.register("assume")(same_layout)
