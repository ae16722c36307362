# SPDX-License-Identifier: BSD-3-Clause
"""Clients: loopback only, and errors that show how to make one."""

import asyncio
import urllib.error
import urllib.request

import psutil
import pytest
from distributed import Client

from ramify.dask import local_client
from ramify.distributed.dask import clients
from ramify.distributed.dask.clients import client_for, connected


def listening():
    """Return the addresses at which this process and its children listen."""
    me = psutil.Process()
    return {
        socket.laddr.ip
        for process in (me, *me.children(recursive=True))
        for socket in process.net_connections("inet")
        if socket.status == psutil.CONN_LISTEN
    }


def test_every_socket_is_on_loopback_and_there_is_no_dashboard(client):
    assert listening() == {"127.0.0.1"}
    port = client.cluster.scheduler.http_server.port
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/status")


def test_two_clusters_run_side_by_side(client):
    with local_client(n_workers=1) as other:
        assert other.submit(sum, [1, 2]).result() == 3
    assert other.status == "closed"
    assert client.status == "running"


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_a_number_of_workers_that_means_nothing_is_refused(n):
    with pytest.raises(ValueError, match="must be a whole number, 1 or more"):
        local_client(n_workers=n)


def test_the_client_of_the_process_is_used(client):
    assert client_for(None) is client
    assert client_for(client) is client


def test_without_a_client_the_error_says_how_to_make_one(monkeypatch):
    def none():
        raise ValueError("No clients found")

    monkeypatch.setattr(clients, "default_client", none)
    with pytest.raises(ValueError, match=r"no Dask client.*local_client"):
        client_for(None)


def test_what_is_no_client_is_refused(client):
    with pytest.raises(TypeError, match=r"not a dask\.distributed\.Client"):
        client_for("tcp://127.0.0.1:8786")


def test_an_asynchronous_client_is_refused(client):
    async def ask():
        address = client.scheduler.address
        async with Client(address, asynchronous=True, set_as_default=False) as other:
            with pytest.raises(ValueError, match="is asynchronous"):
                client_for(other)

    asyncio.run(ask())


def test_a_closed_client_is_refused(client):
    address = client.scheduler.address
    with Client(address, set_as_default=False) as other:
        pass
    with pytest.raises(ValueError, match="client is closed"):
        client_for(other)


def test_an_address_where_nobody_is_says_so():
    with pytest.raises(ValueError, match="is no address"), connected("10.0.0.5"):
        pass
