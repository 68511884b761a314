# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first day on a GPU: runs a bundle of `day_bundle.py` and writes what came of it.

    python day.py [--json day.json] [--minutes 10] [--device N] [--only SECTION ...]

Needs Python 3.10, NumPy and the CUDA driver. torch and compute-sanitizer are used where
they are. Sections come in the order in which they matter; what there was no time for is
named in the file. The file goes to `day_page.py` on the machine that made the bundle.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
gpu_runner: Any = import_module("run" if (HERE / "run.py").exists() else "gpu_runner")

REPEAT = 10
HALVES = ("matmul", "attention", "layer_norm")
"""What torch does in float16."""
TOOLS = ("memcheck", "racecheck")
_BLOCK = 1 << 20
"""Random numbers of which arrays are filled, again and again."""
_QUERY = "clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu,driver_version"
Record = dict[str, Any]


def clocks(device: int) -> str:
    """What nvidia-smi says of clocks, power and driver; empty without it."""
    command = ["nvidia-smi", f"--id={device}", f"--query-gpu={_QUERY}"]
    try:
        said = subprocess.run(
            [*command, "--format=csv,noheader"],
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def filled(kind: str, size_bytes: int) -> Any:
    """The bytes of an array: zeros, or random numbers of a type."""
    if kind == "zeros":
        return np.zeros(size_bytes, np.uint8)
    is_brain = kind == "bfloat16"  # no type of NumPy: the upper halves of float32
    dtype = np.dtype("float32" if is_brain else kind)
    count = max(1, min(_BLOCK, size_bytes // dtype.itemsize))
    values: Any = np.random.default_rng(0).standard_normal(count).astype(dtype)
    if is_brain:
        values = values.view(np.uint16)[1::2].copy()
    return np.resize(values.view(np.uint8), size_bytes)


class Day:
    """One run of a bundle.

    Args:
        folder: The bundle.
        words: The command line.
    """

    def __init__(self, folder: Path, words: argparse.Namespace) -> None:
        self._folder, self._words = folder, words
        self._end = time.monotonic() + 60 * words.minutes
        self._plan = json.loads((folder / "plan.json").read_text())
        self._manifest = json.loads((folder / "manifest.json").read_text())
        self._driver = gpu_runner.Driver(words.device)
        self.name, *chip = self._driver.describe()
        self._chip = chip[0], chip[1]
        self.left_out: list[str] = []

    @property
    def gpu(self) -> str:
        """The chip, `sm_90`."""
        return "sm_{}{}".format(*self._chip)

    def run(self) -> Record:
        """Runs the sections; gives the whole result."""
        sections: dict[str, Callable[[], Iterator[Record]]] = {
            "right": lambda: self._kernels(self._manifest["kernels"]),
            "questions": lambda: self._kernels(self._plan["questions"]),
            "constants": self._constants,
            "times": self._times,
            "sanitizer": self._sanitizer,
        }
        before = clocks(self._words.device)
        found: Record = {"schema": 2, "device": self.name, "chip": self.gpu}
        for name, section in sections.items():
            if self._words.only and name not in self._words.only:
                self.left_out.append(f"{name}: not asked for")
                continue
            start = time.monotonic()
            found[name] = list(section())
            spent = time.monotonic() - start
            print(f"{name}: {len(found[name])} results in {spent:.0f} s", flush=True)
        found["clocks"] = [before, clocks(self._words.device)]
        return found | {
            "query": _QUERY,
            "left_out": self.left_out,
            "known": self._plan["known"].get(self.gpu, {}),
        }

    def _is_late(self, what: str) -> bool:
        """Whether the time is over; what is left out is noted."""
        is_late = time.monotonic() > self._end
        if is_late:
            self.left_out.append(what)
        return is_late

    def _kernels(self, items: list[Record]) -> Iterator[Record]:
        """Verdicts of kernels with known results."""
        for item in items:
            if self._is_late(item["name"]):
                continue
            judged = gpu_runner.judged(
                self._driver, self._folder, item, self._chip, repeat=0
            )
            kept = {key: item[key] for key in ("question", "asks") if key in item}
            yield {**judged, **kept}

    def _sanitizer(self) -> Iterator[Record]:
        """Some kernels again, in a process under compute-sanitizer."""
        program = shutil.which("compute-sanitizer")
        if program is None:
            self.left_out.append("sanitizer: compute-sanitizer is not installed")
            return
        for name in self._plan["sanitized"]:
            for tool in TOOLS:
                if self._is_late(f"{name} under {tool}"):
                    continue
                yield {
                    "kernel": name,
                    "tool": tool,
                    **self._sanitized(program, name, tool),
                }

    def _sanitized(self, program: str, name: str, tool: str) -> Record:
        script = [sys.executable, str(self._folder / "run.py"), "--only", name]
        command = [program, "--tool", tool, "--error-exitcode", "9", *script]
        command += ["--repeat", "0", "--device", str(self._words.device)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                timeout=max(1.0, self._end - time.monotonic()),
            )
        except subprocess.TimeoutExpired:
            return {"verdict": "SKIP", "text": "there was no time for it"}
        said = (done.stdout + done.stderr)[-2000:]
        if done.returncode == 0:
            return {"verdict": "PASS", "text": ""}
        return {
            "verdict": "FAIL" if done.returncode in (1, 9) else "SKIP",
            "text": said,
        }

    def _loaded(self, item: Record) -> Any:
        """A launch without known results on the device; None without code for it."""
        code = gpu_runner.code_for(item["code"], *self._chip)
        if code is None:
            self.left_out.append(f"{item['name']}: no code for {self.gpu}")
            return None
        inputs = [
            filled(*each) for each in zip(item["fill"], item["sizes"], strict=True)
        ]
        return gpu_runner.Loaded(self._driver, self._folder, item, code, inputs)

    def _tried(self, item: Record, act: Callable[[Any], Record]) -> Iterator[Record]:
        """What a launch gives; errors of the driver are results, too."""
        if self._is_late(item["name"]):
            return
        loaded = self._loaded(item)
        if loaded is None:
            return
        try:
            with loaded as kernel:
                yield act(kernel)
        except (gpu_runner.DriverError, ValueError) as error:
            self._driver.recover()
            yield {"name": item["name"], "failure": str(error)}

    def _constants(self) -> Iterator[Record]:
        for item in self._plan["constants"]:
            yield from self._tried(
                item, lambda kernel, item=item: measured(item, kernel)
            )

    def _times(self) -> Iterator[Record]:
        for item in self._plan["times"]:
            yield from self._tried(
                item, lambda kernel, item=item: self._timed(item, kernel)
            )

    def _timed(self, item: Record, kernel: Any) -> Record:
        kernel.launch()
        got = kernel.results()  # warm, and nothing around its memory was overwritten
        us = gpu_runner.timed(self._driver, kernel.launch, REPEAT)
        return {
            "name": item["name"],
            "us": us,
            **self._triton(item, got),
            "flops": item["flops"],
            "bytes": item["bytes"],
            "predicted": item["predicted"].get(self.gpu),
            "torch_us": by_torch(*item["beside"]),
        }

    def _triton(self, item: Record, ours: list[Any]) -> Record:
        """Triton's time on the same data, and how far its results are from ours."""
        theirs = item["triton"].get(self.gpu)

        def spent(kernel: Any) -> Record:
            kernel.launch()
            pairs = zip(item["fill"], ours, kernel.results(), strict=True)
            return {
                "triton_apart": max(apart(*pair) for pair in pairs),
                "triton_us": gpu_runner.timed(self._driver, kernel.launch, REPEAT),
            }

        tried = self._tried(item | theirs, spent) if theirs else iter(())
        found = next(tried, Record())
        failure = found.get("failure")
        return {"triton_failure": failure} if failure else found


def apart(kind: str, ours: Any, theirs: Any) -> float:
    """The largest distance of two arrays, over the largest value of ours."""
    one, other = (values_of(kind, each) for each in (ours, theirs))
    with np.errstate(all="ignore"):
        far = np.abs(one - other).max(initial=0.0)
        size = np.abs(one).max(initial=0.0)
    return float(far / size) if size else float(far)


def values_of(kind: str, data: Any) -> Any:
    """The bytes of an array as numbers of f32."""
    if kind == "bfloat16":
        return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return data.view(kind).astype(np.float32)


def measured(item: Record, kernel: Any) -> Record:
    """The value of a constant: of the second of two launches, which is warm."""
    kernel.launch()
    kernel.results()
    kernel.launch()
    out = kernel.results()[0].view(np.uint64)[:3]
    first, middle, last = (int(value) for value in out)
    if item["constant"] == "boost_ghz":
        value = first / middle if middle else 0.0
    else:
        value = ((last - middle) - (middle - first)) / item["chain"]
    return {"name": item["name"], "constant": item["constant"], "value": value}


def by_torch(what: str, sizes: list[int]) -> float | None:
    """Microseconds of the same by torch: the least of some; None without torch."""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    kinds = {"rms_norm": "bfloat16", **dict.fromkeys(HALVES, "float16")}
    kind = getattr(torch, kinds.get(what, "float32"))
    shape = sizes * 2 if what == "matmul" else sizes
    tensors = [torch.randn(*shape, dtype=kind, device="cuda") for _ in range(3)]
    a, b, c = tensors
    functions: Any = torch.nn.functional
    if not hasattr(functions, what) and what == "rms_norm":
        return None  # torch before 2.4
    acts: dict[str, Callable[[], Any]] = {
        "matmul": lambda: torch.matmul(a, b),
        "attention": lambda: functions.scaled_dot_product_attention(
            a[None], b[None], c[None]
        ),
        "softmax": lambda: torch.softmax(a, 1),
        "copy": lambda: b.copy_(a),
        "add": lambda: torch.add(a, b, out=c),
        "layer_norm": lambda: functions.layer_norm(a, a.shape[1:], b[0], c[0]),
        "rms_norm": lambda: functions.rms_norm(a, a.shape[1:], b[0]),
    }
    least = float("inf")
    for _ in range(REPEAT):
        events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        events[0].record()
        acts[what]()
        events[1].record()
        torch.cuda.synchronize()
        least = min(least, events[0].elapsed_time(events[1]) * 1e3)
    return least


def main() -> int:
    """Runs the bundle; 1 if a kernel failed, 2 if nothing could run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, default=Path("day.json"))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="SECTION")
    words = parser.parse_args()
    try:
        found = Day(HERE, words).run()
    except (gpu_runner.CannotRun, gpu_runner.DriverError) as error:
        print(f"cannot run: {error}")
        return 2
    words.json.write_text(json.dumps(found, indent=1) + "\n")
    failed = sum(r["verdict"] == "FAIL" for r in found.get("right", ()))
    print(f"{found['device']}, {found['chip']}: {failed} kernels failed; {words.json}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
