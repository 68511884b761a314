# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what the first day on a GPU showed, and which of our claims fell.

    .venv/bin/python bench/day_page.py day.json [-o PAGE.md]

`day.json` is what `day.py` of a bundle wrote. Claims are: kernels give what the
interpreter computes; instructions behave as it does; constants of the model of clocks
lie in their intervals; times do in the model's. The exit code is 1 if one fell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Record = dict[str, Any]
SCHEMA = 2
TRITON_APART = 0.02
"""How far two kernels of 16-bit results may be apart, of the largest value: some units
of bf16, which has 8 bits."""


@dataclass(frozen=True)
class Claim:
    """Something that we say, and what was seen.

    Attributes:
        says: The claim.
        seen: What was seen.
        holds: Whether that agrees; None where nothing was seen.
    """

    says: str
    seen: str
    holds: bool | None


def claims(day: Record) -> list[Claim]:
    """All claims that a day could test.

    Args:
        day: What the runner wrote.
    """
    return [
        _right(day),
        _sanitized(day),
        *map(_question, day.get("questions", ())),
        *(_constant(each, day["known"]) for each in day.get("constants", ())),
        *map(_time, day.get("times", ())),
        *(_triton(each) for each in day.get("times", ()) if _has_triton(each)),
    ]


def _right(day: Record) -> Claim:
    says = "every kernel gives what the interpreter computes"
    return _verdicts(says, day.get("right", []))


def _sanitized(day: Record) -> Claim:
    says = "compute-sanitizer finds nothing"
    return _verdicts(says, day.get("sanitizer", []))


def _verdicts(says: str, results: Sequence[Record]) -> Claim:
    failed = [r for r in results if r["verdict"] == "FAIL"]
    passed = sum(r["verdict"] == "PASS" for r in results)
    seen = f"{passed} passed, {len(failed)} failed, of {len(results)}"
    if failed:
        seen += "; first " + ", ".join(r["kernel"] for r in failed[:5])
    return Claim(says, seen, None if not passed and not failed else not failed)


def _question(result: Record) -> Claim:
    says = f"Q{result['question']}: {result['kernel'].partition(' ')[2]} is as assumed"
    holds = {"PASS": True, "FAIL": False}.get(result["verdict"])
    return Claim(says, result["text"] or "the same bits", holds)


def _constant(result: Record, known: Record) -> Claim:
    name = result.get("constant") or result["name"].partition("/")[2]
    constant = known.get(name)
    if constant is None or "failure" in result:
        seen = result.get("failure") or f"{result['value']:.4g}; the model has none"
        return Claim(f"{name} can be measured", seen, None)
    low, high = sorted((constant["fast"], constant["slow"]))
    says = f"{name} is {constant['value']:g}, from {low:g} to {high:g}"
    seen = f"{result['value']:.4g} ({constant['kind']}: {constant['source']})"
    return Claim(says, seen, low <= result["value"] <= high)


def _time(result: Record) -> Claim:
    said = result.get("predicted")
    if "failure" in result or not said:
        seen = result.get("failure") or f"{result['us']:.4g} us; no prediction"
        return Claim(f"{result['name']} runs", seen, None)
    says = f"{result['name']} takes {said['low']:.4g} to {said['high']:.4g} us"
    seen = f"{result['us']:.4g} us, {result['us'] / said['likely']:.2f} of the likely"
    return Claim(says, seen, said["low"] <= result["us"] <= said["high"])


def _has_triton(result: Record) -> bool:
    return "triton_us" in result or "triton_failure" in result


def _triton(result: Record) -> Claim:
    says = f"{result['name']} gives what Triton's kernel does"
    if "triton_failure" in result:
        return Claim(says, result["triton_failure"], None)
    far = result["triton_apart"]
    return Claim(says, f"{far:.2g} apart, of the largest", far <= TRITON_APART)


def page(day: Record) -> str:
    """The page, in Markdown."""
    found = claims(day)
    fell = [claim for claim in found if claim.holds is False]
    held = sum(claim.holds is True for claim in found)
    before, after = day["clocks"]
    lines = [
        f"# {day['device']} ({day['chip']})",
        "",
        f"{len(found)} claims: {held} hold, {len(fell)} fell, "
        f"{len(found) - held - len(fell)} were not tested.",
        "",
        f"Before and after ({day['query']}): {before or 'unknown'}; "
        f"{after or 'unknown'}.",
        "",
        *_section("What fell", fell),
        *_times(day.get("times", [])),
        *_section("All claims", found),
    ]
    if day["left_out"]:
        lines += ["## Left out", "", *(f"- {each}" for each in day["left_out"]), ""]
    return "\n".join(lines)


def _section(title: str, found: Sequence[Claim]) -> list[str]:
    if not found:
        return [f"## {title}", "", "Nothing.", ""]
    words = {True: "holds", False: "fell", None: "not tested"}
    rows = [
        f"| {_cell(each.says)} | {_cell(each.seen)} | {words[each.holds]} |"
        for each in found
    ]
    return [f"## {title}", "", "| claim | seen | |", "|---|---|---|", *rows, ""]


def _cell(text: str) -> str:
    """One line of a table."""
    return " ".join(text.replace("|", "\\|").split())[:300]


def _times(times: Sequence[Record]) -> list[str]:
    rows = [_row(each) for each in times if "us" in each]
    names = ("launch", "us", "TFLOP/s", "GB/s", "likely us", "torch us")
    names += ("of torch's speed", "Triton us", "of Triton's speed")
    head = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return ["## Times", "", *head, *rows, ""]


def _row(result: Record) -> str:
    us, peers = result["us"], [result["torch_us"], result.get("triton_us")]
    said: Any = result.get("predicted") or {}
    cells = [
        result["name"],
        f"{us:.1f}",
        f"{result['flops'] / us / 1e6:.1f}" if result["flops"] else "",
        f"{result['bytes'] / us / 1e3:.0f}",
        f"{said['likely']:.1f}" if said else "",
        *(cell for peer in peers for cell in _beside(us, peer)),
    ]
    return f"| {' | '.join(cells)} |"


def _beside(us: float, peer: float | None) -> tuple[str, str]:
    """Another one's time, and our speed over its."""
    return (f"{peer:.1f}", f"{peer / us:.0%}") if peer else ("", "")


def read(path: Path) -> Record:
    """What a runner wrote.

    Raises:
        ValueError: It is none, or of another version.
    """
    day: Any = json.loads(path.read_text())
    schema = day.get("schema") if hasattr(day, "get") else None
    if schema != SCHEMA:
        raise ValueError(
            f"expected what day.py writes, of schema {SCHEMA}, in '{path}'"
        )
    return day


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the page; 1 if a claim fell, 2 if the file is none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("day", type=Path, metavar="day.json")
    parser.add_argument("-o", "--output", type=Path, metavar="PAGE.md")
    words = parser.parse_args(argv)
    try:
        day = read(words.day)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = page(day)
    if words.output:
        words.output.write_text(text + "\n")
    else:
        print(text)
    return int(any(claim.holds is False for claim in claims(day)))


if __name__ == "__main__":
    sys.exit(main())
