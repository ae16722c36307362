# SPDX-License-Identifier: BSD-3-Clause
"""What holds for all tests: tiers, worker processes, Ctrl-C.

``pytest`` runs the fast tier: all tests but those marked ``slow`` or ``cluster``, and
of a test with many cases a sample, which is the same in every run. A test that is named
by its id is run, whatever its marks; ``-m 'not cluster'`` runs every case.
"""

import signal
import zlib
from collections import defaultdict
from pathlib import Path

import pytest

FAST = "not cluster and not slow"
CASES = 5  # of one test, in the fast tier


def pytest_configure(config: pytest.Config) -> None:
    """Choose the tier, and hear Ctrl-C, which tests press, in a background too."""
    if not config.option.markexpr and not _names_a_test(config):
        config.option.markexpr = FAST
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Start no worker for a few chosen tests, so that they can be debugged."""
    option = config.option
    is_one_file = len(config.args) == 1 and not Path(config.args[0]).is_dir()
    few = option.keyword or option.trace or option.capture == "no" or is_one_file
    return 0 if few or _names_a_test(config) else None


def _names_a_test(config: pytest.Config) -> bool:
    return any("::" in argument for argument in config.args)


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow all but a sample of the cases of tests that have many."""
    cases = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for same in cases.values():
        if len(same) > CASES:
            for item in _left_out(same):
                item.add_marker("slow")


def _left_out(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return all but `CASES` of the cases of one test.

    The chosen are random, but by name, so that each test has a sample of its own and
    criteria that one law leaves out meet another. Cases with a value of a parameter
    that no earlier one has come first.
    """
    seen: set[str] = set()
    first, later = [], []
    for item in sorted(items, key=lambda item: zlib.crc32(item.nodeid.encode())):
        # By the words of the id: a value's repr may differ between worker processes.
        given = set(item.nodeid.partition("[")[2].rstrip("]").split("-"))
        (later if given <= seen else first).append(item)
        seen |= given
    return (first + later)[CASES:]
