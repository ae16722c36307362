# SPDX-License-Identifier: BSD-3-Clause
"""A cluster of two processes on this machine, for all tests here."""

import gc
import multiprocessing
import os
import time
from multiprocessing import forkserver
from unittest import mock

import dask
import pytest
from distributed.utils import get_mp_context

from ramify.dask import local_client

METHOD = "distributed.worker.multiprocessing-method"


def pytest_collection_modifyitems(items):
    for item in items:
        if "/cluster/" in item.path.as_posix():
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session", autouse=True)
def _quick_workers():
    """Fork workers from a process that has imported all: dozens start, 2 s CPU each.

    New interpreters, as users have them, start in the examples and in the children
    that some tests run.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    environ = dask.config.get("distributed.nanny.pre-spawn-environ")
    with (
        dask.config.set({METHOD: "forkserver"}),
        mock.patch.dict(os.environ, {name: str(environ[name]) for name in environ}),
    ):
        get_mp_context()  # what Dask would import there
        multiprocessing.set_forkserver_preload(["ramify.dask", "dask.dataframe"])
        forkserver.ensure_running()
    with dask.config.set({METHOD: "forkserver"}):
        yield


@pytest.fixture(scope="session")
def client():
    with local_client(n_workers=2) as client:
        # What was imported is looked through no more when a test ends: 0.1 s each.
        gc.collect()
        gc.freeze()
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
