# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All jobs of one command: what the cache has, then what must be compiled."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cuda_tile.api import Emit
from cuda_tile.batch.cache import Cache
from cuda_tile.batch.job import Answer, Job, Outcome, Product, Refusal
from cuda_tile.batch.workers import Limits, run_jobs
from cuda_tile.errors import UserError
from cuda_tile.files import launch_path, replace_file
from cuda_tile.options import Options
from cuda_tile.report import launch_json

SUFFIXES: dict[str, str] = {"cubin": ".cubin", "ptx": ".ptx", "llvm": ".ll"}
"""Of output files; other forms are `.mlir`."""


@dataclass(frozen=True)
class Machines:
    """Who compiles.

    Attributes:
        processes: How many on this machine.
        ray: Address of a Ray cluster to use instead.
        limits: What one kernel may use.
    """

    processes: int = 1
    ray: str | None = None
    limits: Limits = field(default_factory=Limits)


def plan_jobs(
    paths: Sequence[Path], options: Sequence[Options], form: Emit, folder: Path
) -> list[Job]:
    """A job for each file and chip; files keep their folders below the common one.

    Raises:
        UserError: Two files would become one.
    """
    parents = [os.path.dirname(os.path.abspath(path)) for path in paths]
    common = os.path.commonpath(parents) if parents else ""
    jobs: list[Job] = []
    sources: dict[Path, Path] = {}
    for path, parent in zip(paths, parents, strict=True):
        data, problem = _read(path)
        for choice in options:
            name = f"{path.stem}.{choice.target.name}{SUFFIXES.get(form, '.mlir')}"
            output = folder / os.path.relpath(parent, common) / name
            if output in sources:
                raise UserError(
                    f"expected files that differ in name, got '{sources[output]}' and "
                    f"'{path}', which would both become '{output}'; compile them apart"
                )
            sources[output] = path
            job = Job(len(jobs), path, data, form, choice, output, problem=problem)
            jobs.append(job)
    return jobs


def _read(path: Path) -> tuple[bytes, str]:
    """The bytes of a file, or why there are none."""
    try:
        return path.read_bytes(), ""
    except OSError as error:
        return b"", f"cannot read '{path}': {error.strerror}"


def compile_all(
    jobs: Sequence[Job],
    machines: Machines,
    cache: Cache | None = None,
    on_outcome: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Does every job, whatever becomes of the others.

    Args:
        jobs: As `plan_jobs` makes them.
        machines: Who compiles.
        cache: Where products are looked up and kept.
        on_outcome: Called for each job as it ends.

    Returns:
        An outcome for each job, in the order of `jobs`.

    Raises:
        UserError: The Ray cluster cannot be used.
    """
    found: dict[int, Outcome] = {}
    for job, answer, seconds, is_cached in answers(jobs, machines, cache):
        found[job.number] = outcome = _finish(job, answer, seconds, is_cached)
        on_outcome(outcome)
    if cache is not None:
        cache.trim()
    return [found[job.number] for job in jobs]


def answers(
    jobs: Sequence[Job], machines: Machines, cache: Cache | None
) -> Iterator[tuple[Job, Answer, float, bool]]:
    """The answer to each job as it ends, with its seconds and whether the cache had it.

    Args:
        jobs: In any order.
        machines: Who compiles.
        cache: Where products are looked up and kept.

    Raises:
        UserError: The Ray cluster cannot be used.
    """
    for job in jobs:
        if job.problem:
            yield job, Refusal("refused", job.problem), 0.0, False
    jobs = [job for job in jobs if not job.problem]
    if cache is None:
        for job, answer, seconds in _run(jobs, machines):
            yield job, answer, seconds, False
        return
    # Jobs of one key are one compilation: the first is done, the others get its answer.
    by_key: dict[str, list[Job]] = {}
    for job in jobs:
        started = time.monotonic()
        key = cache.key(job)
        known = by_key.get(key)
        product = None if known else cache.get(key)
        if product is not None:
            yield job, product, time.monotonic() - started, True
        else:
            by_key.setdefault(key, []).append(job)
    keys = {same[0].number: key for key, same in by_key.items()}
    first = [same[0] for same in by_key.values()]
    for job, answer, seconds in _run(first, machines):
        key = keys[job.number]
        if isinstance(answer, Product):
            cache.put(key, answer)
        yield job, answer, seconds, False
        for other in by_key[key][1:]:
            yield other, answer, 0.0, isinstance(answer, Product)


def _run(
    jobs: Sequence[Job], machines: Machines
) -> Iterator[tuple[Job, Answer, float]]:
    if not jobs:
        return iter(())
    if machines.ray is None:
        return run_jobs(jobs, machines.processes, machines.limits)
    from cuda_tile.batch.ray_tasks import run_with_ray

    return run_with_ray(jobs, machines.ray, machines.limits)


def _finish(job: Job, answer: Answer, seconds: float, is_cached: bool) -> Outcome:
    """Writes the product and says what became of the job."""
    file, gpu = str(job.path), job.options.target.name
    if isinstance(answer, Refusal):
        return Outcome(file, gpu, answer.status, seconds, message=answer.message)
    outcome = Outcome(
        file,
        gpu,
        "cached" if is_cached else "compiled",
        seconds,
        str(job.output),
        kernels=answer.kernels,
        warnings=answer.warnings,
        steps=answer.steps,
    )
    try:
        job.output.parent.mkdir(parents=True, exist_ok=True)
        replace_file(job.output, answer.data)
        if job.form == "cubin":
            records = {each["kernel"]: each["launch"] for each in answer.kernels}
            replace_file(launch_path(job.output), launch_json(records).encode())
    except OSError as error:
        said = f"cannot write '{job.output}': {error.strerror}"
        return replace(outcome, status="unwritten", output=None, message=said)
    return outcome
