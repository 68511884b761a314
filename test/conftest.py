# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For all test modules: BLAS on one thread, a browser, samples, fewer collections."""

import gc
import os
from collections import defaultdict
from collections.abc import Callable

import pytest
from headless import browser, browser_page
from sampling import Coverage, fewer, is_sampled

__all__ = ["browser", "browser_page"]

# NumPy's BLAS starts threads that spin while several test processes share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--sample` and `--every`."""
    parser.addoption(
        "--sample",
        action="store_true",
        help="of each parametrized test marked sampled(N), run about one case of N",
    )
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="of all cases, run about one of N",
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leaves out what `--sample` and `--every` leave out.

    Of a test those cases stay whose names fall on it, and the first one of each chip,
    type or other parameter with fewer values than cases are left.
    """
    is_sample, thinned = config.getoption("--sample"), config.getoption("--every") or 1
    if not is_sample and thinned == 1:
        return
    tests = defaultdict[str, Coverage](Coverage)
    for item in items:
        tests[item.nodeid.partition("[")[0]].note(_choices(item))
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        test, _, case = item.nodeid.partition("[")
        mark = item.get_closest_marker("sampled")
        every = mark.args[0] if is_sample and mark is not None and case else 1
        choices, coverage = _choices(item), tests[test]
        is_kept = is_sampled(item.nodeid, every) or coverage.is_new(choices, every)
        is_kept = is_kept and is_sampled(item.nodeid, thinned)
        (kept if is_kept else left_out).append(item)
        if is_kept:
            coverage.take(choices)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def _choices(item: pytest.Item) -> list[tuple[str, object]]:
    """The parameters of a case, the first word of its name, and that there is one."""
    call = getattr(item, "callspec", None)
    indices: dict[str, int] = call.indices if call is not None else {}
    word = item.nodeid.partition("[")[2].partition("-")[0]
    return [*indices.items(), ("the first word", word), ("the test", "")]


@pytest.fixture(scope="session")
def draws(pytestconfig: pytest.Config) -> Callable[[int], int]:
    """How many of a number of random draws a test makes: fewer with `--sample`."""
    return fewer if pytestconfig.getoption("--sample") else int


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from what lives until the end.

    It looked through 20,000 tests and all their modules again and again: a tenth of the
    CPU time of all tests. What tests share and keep is looked through a twentieth as
    often as by default: that was a further 4 %, and is 30 MB more memory.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 30)
