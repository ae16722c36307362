# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of two processes on this machine, for all tests here."""

import gc
import time

import pytest

from ramify.dask import local_client


def pytest_collection_modifyitems(items):
    for item in items:
        if "/cluster/" in item.path.as_posix():
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def client():
    with local_client(n_workers=2) as client:
        yield client


@pytest.fixture(autouse=True)
def _nothing_is_left(request):
    """No test leaves a result on the cluster."""
    yield
    if "client" in request.fixturenames:
        futures = request.getfixturevalue("client").futures
        until = time.monotonic() + 5  # what is let go of, is forgotten in its own time
        while futures and time.monotonic() < until:
            gc.collect()
            time.sleep(0.05)
        assert not futures
