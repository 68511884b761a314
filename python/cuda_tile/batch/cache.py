# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cache of compiled kernels on disk, for processes at once.

An entry is a file whose name is the hash of all that decides its content. It is written
beside its place and renamed, so that a reader sees all of it or nothing; it begins with
the hash of the rest, so that a damaged one is told and made again. The time of its last
use is its modification time, by which the oldest go when the cache is full. A file lock
lets one process at a time throw away.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.batch.job import Job, Product
from cuda_tile.codegen.build_id import build_id
from cuda_tile.codegen.libdevice import find_libdevice
from cuda_tile.errors import UserError
from cuda_tile.files import replace_file

FOLDER_VARIABLE = "CUDA_TILE_CACHE_DIR"
SIZE_VARIABLE = "CUDA_TILE_CACHE_SIZE"
DEFAULT_SIZE = "1G"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE = re.compile(r"(\d+)([KMG]?)")
_DIGEST_BYTES = 32
_LOCK = "lock"
_SUFFIX = ".entry"
_LEFT_SECONDS = 3600
"""Age at which a file that is being written is one that nobody writes any more."""


def size_bytes(text: str) -> int:
    """Bytes of a size such as `500M`.

    Raises:
        UserError: It is no size.
    """
    found = _SIZE.fullmatch(text.strip().upper())
    if found is None:
        raise UserError(f"expected {SIZE_VARIABLE} such as 500M or 2G, got '{text}'")
    return int(found[1]) * _UNITS[found[2]]


def default_folder() -> Path:
    """Where the cache is: `CUDA_TILE_CACHE_DIR`, else in the user's folder for such."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "cuda-tile")


def is_off() -> bool:
    """Whether the user wants no cache: cuTile, which reads this too, knows the word."""
    return os.environ.get(FOLDER_VARIABLE) == "off"


@dataclass
class Cache:
    """A folder of entries.

    Attributes:
        folder: Where; made when the first entry is.
        limit_bytes: Size from which on the least recently used entries go.
        problem: Why entries could not be kept, such as a full disk; empty if they were.
    """

    folder: Path = field(default_factory=default_folder)
    limit_bytes: int = field(
        default_factory=lambda: size_bytes(os.environ.get(SIZE_VARIABLE, DEFAULT_SIZE))
    )
    problem: str = ""

    @cached_property
    def tools(self) -> str:
        """Versions of all that decides a result: our build, ptxas, LLVM, libdevice."""
        try:
            library = hashlib.sha256(find_libdevice().read_bytes()).hexdigest()
        except UserError:
            library = ""  # only some kernels need it
        return json.dumps([build_id(), _cuda_tile.llvm_version(), library])

    def key(self, job: Job) -> str:
        """The name of the entry of a job."""
        digest = hashlib.sha256()
        for part in (self.tools.encode(), job.choices.encode(), job.data):
            digest.update(len(part).to_bytes(8, "little") + part)
        return digest.hexdigest()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}{_SUFFIX}"

    def get(self, key: str) -> Product | None:
        """The product of a key; None if there is none or it is damaged."""
        path = self._path(key)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        product = _decode(raw)
        try:
            if product is None:
                path.unlink()
            else:
                os.utime(path)
        except OSError:
            pass  # another process threw it away, or the folder is read-only
        return product

    def put(self, key: str, product: Product) -> None:
        """Keeps a product; what cannot be kept is noted in `problem`."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, _encode(product))
        except OSError as error:
            self.problem = f"cannot keep results in '{self.folder}': {error.strerror}"

    def trim(self) -> None:
        """Throws the least recently used entries away until the rest fits."""
        if not self.folder.is_dir():
            return
        try:
            with (self.folder / _LOCK).open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._trim()
        except OSError as error:
            self.problem = f"cannot trim '{self.folder}': {error.strerror}"

    def _trim(self) -> None:
        self._clean_up()
        found: list[tuple[float, int, Path]] = []
        for path in self.folder.glob(f"*/*{_SUFFIX}"):
            try:
                known = path.stat()
            except FileNotFoundError:
                continue
            found.append((known.st_mtime, known.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size

    def _clean_up(self) -> None:
        """Throws away what processes have left that were killed while they wrote."""
        old = time.time() - _LEFT_SECONDS
        for path in self.folder.glob(f"*/.*{_SUFFIX}.*.tmp"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < old:
                    path.unlink()


def _encode(product: Product) -> bytes:
    head = json.dumps({"kernels": product.kernels, "warnings": product.warnings})
    rest = len(head).to_bytes(8, "little") + head.encode("ascii") + product.data
    return hashlib.sha256(rest).digest() + rest


def _decode(raw: bytes) -> Product | None:
    digest, rest = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
    if hashlib.sha256(rest).digest() != digest:
        return None
    end = 8 + int.from_bytes(rest[:8], "little")
    head = json.loads(rest[8:end])
    return Product(rest[end:], tuple(head["kernels"]), tuple(head["warnings"]))
