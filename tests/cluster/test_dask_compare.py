# SPDX-License-Identifier: BSD-3-Clause
"""A comparison whose cells run on a cluster is the same comparison."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main

METRICS = ("accuracy", "auc", "leaves")


def run(**given):
    methods = ["cart", "ihd", "wodt"]
    return ramify.compare(methods, ["iris", "wine"], 3, METRICS, **given)


def test_the_records_are_those_of_one_machine(client):
    assert run(client=client).records == run().records


def test_the_cache_is_shared_with_one_machine(client, tmp_path):
    here = run(cache=tmp_path / "results.sqlite")
    there = run(cache=tmp_path / "results.sqlite", client=client)
    assert there.n_cached == len(there.records)
    assert there.records == here.records


def bad_metric(model, X, y):
    raise RuntimeError("no such number")


def test_a_cell_that_fails_is_recorded_and_the_rest_goes_on(client):
    given = (["cart"], ["iris"], 3, ["accuracy", bad_metric])
    there, here = ramify.compare(*given, client=client), ramify.compare(*given)
    assert [r.error for r in there.records] == [r.error for r in here.records]
    assert "no such number" in there.records[0].error


def test_own_functions_travel(client):
    def mine(parent, left, right):
        n = parent.sum(-1)
        return 1 - ((parent / n) ** 2).sum(-1) + 0 * left.sum(-1)

    def rows(model, X, y):
        return float(len(y))

    given = ({"mine": mine}, ["iris"], 3, ["accuracy", rows])
    there = ramify.compare(*given, client=client)
    assert there.records == ramify.compare(*given).records
    assert np.mean([r.values["rows"] for r in there.records]) == 50


def test_the_command_line_spreads_cells_over_a_cluster(client, tmp_path):
    def shown(*more):
        out = str(tmp_path / f"out{len(more)}")
        words = ["compare", "iris", "--methods", "cart,c45", "--cv", "3", "--json"]
        words += ["--metrics", "accuracy,leaves", "--no-trees", "--out", out, *more]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    there, here = shown("--dask", client.scheduler.address), shown()
    assert there["summary"] == here["summary"]
    assert there["verdict"] == here["verdict"]


def test_the_command_line_says_what_an_address_is(tmp_path):
    words = ["compare", "iris", "--methods", "cart", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, [*words, "--dask", "here"])
    assert done.exit_code == 2
    assert "use 'local'" in done.output


def test_a_run_that_is_left_cancels_its_cells(client):
    def stop(done, total, what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(client=client, progress=stop)
    assert not client.futures
