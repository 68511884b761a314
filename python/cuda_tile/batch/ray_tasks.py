# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs as tasks of a Ray cluster.

A task runs again when its process or its node dies. It hands the job to a worker
process of `workers`, because Ray has no limit of time that ends a task; that process
serves all tasks of one Ray worker.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from cuda_tile.api import load
from cuda_tile.batch.job import Answer, Job, Refusal
from cuda_tile.batch.workers import Limits, Worker, run_on
from cuda_tile.codegen.build_id import build_id
from cuda_tile.errors import UserError

CONNECT_SECONDS = 10.0
RETRIES = 3
"""How often a task is started again after its process died."""


@cache
def _worker(limits: Limits) -> list[Worker]:
    """The worker process of a Ray worker, once there is one."""
    return []


def compile_remotely(job: Job, limits: Limits, build: str) -> tuple[Answer, float]:
    """The task: an answer and its seconds.

    Args:
        job: Holds the file's bytes; its path is not looked at.
        limits: What it may use.
        build: Identity of the compiler that asks; a node with another one refuses.
    """
    if build_id() != build:
        found = build_id()[:12]
        words = f"the node has build {found} of cuda_tile, expected {build[:12]}"
        return Refusal("failed", f"{words}; install the same on every node"), 0.0
    return run_on(_worker(limits), job, limits)


def _portable(job: Job) -> Job | Refusal:
    """A job whose data say all: text gets its locations, which name its file."""
    if not job.is_text:
        return replace(job, is_here=False)
    try:
        module = load(job.path)
    except UserError as error:
        return Refusal("refused", str(error))
    text = module.operation.get_asm(enable_debug_info=True)
    return replace(job, is_here=False, data=str(text).encode())


def _ray() -> Any:
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UserError(
            "expected the package ray for --ray, found none; install it with "
            "'pip install cuda-tile-compiler[ray]'"
        ) from None
    return ray


def _unreachable(address: str, error: Exception) -> UserError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return UserError(
        f"cannot reach a Ray cluster at '{address}': {said}; start one with "
        "'ray start --head'"
    )


def _check_address(address: str) -> None:
    """Looks whether something listens at `HOST:PORT`; Ray itself tries for minutes.

    Raises:
        UserError: Nothing does.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or "/" in host:
        return
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, error) from None


def run_with_ray(
    jobs: Sequence[Job], address: str, limits: Limits
) -> Iterator[tuple[Job, Answer, float]]:
    """Does each job once on a cluster; yields it with its answer and seconds.

    Args:
        jobs: In any number.
        address: `HOST:PORT` of the cluster's head, `auto`, or `local` for a cluster of
            this process alone.
        limits: Of each job.

    Raises:
        UserError: Ray is not installed or there is no cluster at the address.
    """
    ray = _ray()
    _check_address(address)
    try:
        choices = {"include_dashboard": False} if address == "local" else {}
        ray.init(address=address, log_to_driver=False, **choices)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _unreachable(address, error) from None
    try:
        yield from _run(ray, jobs, limits)
    finally:
        ray.shutdown()


def _run(
    ray: Any, jobs: Sequence[Job], limits: Limits
) -> Iterator[tuple[Job, Answer, float]]:
    task = ray.remote(max_retries=RETRIES)(compile_remotely)
    pending: dict[Any, Job] = {}
    for job in jobs:
        portable = _portable(job)
        if isinstance(portable, Refusal):
            yield job, portable, 0.0
        else:
            pending[task.remote(portable, limits, build_id())] = job
    while pending:
        ready, _ = ray.wait(list(pending))
        for reference in ready:
            job = pending.pop(reference)
            try:
                answer, seconds = ray.get(reference)
            except ray.exceptions.RayError as error:
                said = str(error).strip().splitlines()[0]
                answer, seconds = Refusal("failed", f"Ray gave up: {said}"), 0.0
            yield job, answer, seconds
