# SPDX-License-Identifier: BSD-3-Clause
"""Clients: one for this machine alone, and the one that a fit shall use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, default_client

__all__ = ["client_for", "connected", "local_client"]

LOOPBACK = "127.0.0.1"


def local_client(
    n_workers: int = 2, threads_per_worker: int = 1, memory_limit: Any = "auto"
) -> Client:
    """Start worker processes on this machine, and give a client of them.

    Every socket listens on 127.0.0.1 only, at a free port, and there is no dashboard.
    Closing the client, as the end of ``with`` does, ends the processes; they end by
    themselves, too, when this process is gone.

    Parameters
    ----------
    n_workers : int
        How many processes.
    threads_per_worker : int
        How many tasks each runs at once.
    memory_limit : str, int or float
        What each may use, such as "2GiB"; by default its share of the machine.

    Returns
    -------
    distributed.Client

    Examples
    --------
    >>> from ramify.dask import local_client
    >>> with local_client(n_workers=2) as client:  # doctest: +SKIP
    ...     tree = ramify.dask.DecisionTreeClassifier(client=client).fit(X, y)
    """
    for name, value in {
        "n_workers": n_workers,
        "threads_per_worker": threads_per_worker,
    }.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name}={value!r} must be a whole number, 1 or more")
    # Given no address, a client starts a cluster, and closes it with itself. The HTTP
    # server of the scheduler would listen at port 8787 of all addresses.
    return Client(
        n_workers=n_workers,
        threads_per_worker=threads_per_worker,
        processes=True,
        host=LOOPBACK,
        memory_limit=memory_limit,
        dashboard_address=f"{LOOPBACK}:0",
        scheduler_kwargs={"dashboard": False},
    )


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Return a client of ``"local"`` or of a scheduler's address, and close it."""
    if address == "local":
        with local_client() as client:
            yield client
        return
    if "://" not in address:
        raise ValueError(
            f"--dask {address} is no address; use 'local', or one with its protocol, "
            "such as tcp://10.0.0.5:8786 or tls://10.0.0.5:8786"
        )
    try:
        client = Client(address, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise ConnectionError(
            f"no Dask scheduler answers at {address} ({error}); is it running, and can "
            "it be reached from here?"
        ) from None
    with client:
        yield client


def client_for(given: Any) -> Client:
    """Return the client that was given, or the one of this process."""
    if given is None:
        try:
            given = default_client()
        except ValueError:
            raise ValueError(
                "there is no Dask client; make one first, "
                "client = dask.distributed.Client('tcp://scheduler:8786') or "
                "ramify.dask.local_client(), and pass it as client=client"
            ) from None
    if not isinstance(given, Client):
        raise TypeError(
            f"client={given!r} is a {type(given).__name__}, not a "
            "dask.distributed.Client; make one by Client(address)"
        )
    if given.asynchronous:
        raise ValueError(
            "client is asynchronous, and fit waits for its results; use "
            "Client(address) without asynchronous=True, outside of coroutines"
        )
    if given.status != "running":
        raise ValueError(f"client is {given.status}; make a new one by Client(address)")
    return given
