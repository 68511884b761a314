# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control-flow graphs of basic blocks: order, dominators, natural loops.

A natural loop is the target of a back edge, the head, with all blocks from which the
edge's origin can be reached without passing the head; an edge goes back if the head
dominates its origin (Aho, Lam, Sethi, Ullman, "Compilers", 9.6). A cycle that can be
entered at two places has no head and is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Graph:
    """Blocks by number; 0 is the entry.

    Attributes:
        successors, predecessors: Numbers of blocks, for each block.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        self.successors = successors
        self.predecessors: list[list[int]] = [[] for _ in successors]
        for number, targets in enumerate(successors):
            for target in targets:
                self.predecessors[target].append(number)

    def in_reverse_postorder(self) -> list[int]:
        """The blocks that can be reached, each before what only it leads to."""
        order: list[int] = []
        seen = {0}
        stack = [(0, iter(self.successors[0]))] if self.successors else []
        while stack:
            block, rest = stack[-1]
            following = next((b for b in rest if b not in seen), None)
            if following is None:
                order.append(block)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.successors[following])))
        return order[::-1]

    def dominators(self) -> dict[int, int]:
        """The immediate dominator of each block that can be reached; 0 has itself.

        Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
        """
        order = self.in_reverse_postorder()
        place = {block: number for number, block in enumerate(order)}
        above: dict[int, int] = {0: 0}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in self.predecessors[block] if p in above]
                found = known[0]
                for other in known[1:]:
                    found = _meet(found, other, above, place)
                if above.get(block) != found:
                    above[block], changed = found, True
        return above

    def loops(self) -> Mapping[int, Mapping[int, frozenset[int]]]:
        """The natural loops: by head, for each latch the blocks of its loop."""
        above = self.dominators() if self.successors else {}
        found: dict[int, dict[int, frozenset[int]]] = {}
        for block in above:
            for head in self.successors[block]:
                if _dominates(head, block, above):
                    body = frozenset(self._reach_back(block, head))
                    found.setdefault(head, {})[block] = body
        return found

    def _reach_back(self, origin: int, head: int) -> set[int]:
        """The head, and the blocks from which `origin` is reached without it."""
        body = {head}
        pending = [origin]
        while pending:
            block = pending.pop()
            if block not in body:
                body.add(block)
                pending += self.predecessors[block]
        return body


def _meet(one: int, other: int, above: dict[int, int], place: dict[int, int]) -> int:
    """The nearest block that dominates both."""
    while one != other:
        while place[one] > place[other]:
            one = above[one]
        while place[other] > place[one]:
            other = above[other]
    return one


def _dominates(head: int, block: int, above: dict[int, int]) -> bool:
    while block != head and block != above[block]:
        block = above[block]
    return block == head
