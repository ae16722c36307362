# SPDX-License-Identifier: BSD-3-Clause
"""What a fit moves, how many tasks it takes, and how much memory: as calculated."""

import json
import math
import os
import re
import resource
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from cutting import bytes_of, cut, local, rows, together

import ramify
import ramify.dask as rd
from ramify.cli import main
from ramify.distributed.dask import engine

X, Y, _ = rows()
COLUMNS = list(X.columns)


def grown(client, how=8, frame=None, **given):
    ddf = cut(together(X, Y) if frame is None else frame, how)
    tree = rd.DecisionTreeClassifier(client=client, handoff=0, **given)
    return tree.fit(ddf[[c for c in ddf.columns if c != "y"]], ddf["y"])


def made_up(n):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(np.round(rng.normal(size=(n, 6)), 1), columns=list("abcdef"))
    return frame.assign(y=(frame["a"] * frame["b"] > rng.normal(size=n)).astype(int))


def test_levels_move_what_the_formula_says(client):
    frame = made_up(20_000)
    tree = grown(client, frame=frame, max_depth=6)
    n_cells = sum(frame[c].nunique() + 1 for c in "abcdef")
    given = {"n_cells": n_cells, "groups": 2, "max_depth": 6}
    expected = rd.estimate(len(frame), 6, n_workers=2, **given).levels
    found = tree.fit_info_["levels"]
    assert len(found) == 6
    for level, calculated in zip(found, expected, strict=True):
        assert level["counted"] <= calculated.counted
        # Nodes that are leaves before are not counted; all others are.
        per_node = calculated.bytes // calculated.counted
        assert level["bytes_up"] == level["counted"] * per_node
    assert [level["counted"] for level in found[:4]] == [1, 1, 2, 4]


def test_more_rows_move_no_more_bytes(client):
    few, many = (grown(client, frame=made_up(n), max_depth=3) for n in (3000, 30_000))
    sizes = [
        [(level["bytes_up"] / level["counted"]) for level in tree.fit_info_["levels"]]
        for tree in (few, many)
    ]
    cells = [sum(made_up(n)[c].nunique() + 1 for c in "abcdef") for n in (3000, 30_000)]
    assert sizes[0][0] / cells[0] == sizes[1][0] / cells[1]
    assert len(sizes[0]) == len(sizes[1])


@pytest.mark.parametrize("how", [2, 61])
def test_a_level_takes_a_task_per_thread_and_merges(client, how):
    tree = grown(client, how, max_depth=4)
    for level in tree.fit_info_["levels"]:
        n_merges = math.ceil(level["groups"] / 8) if level["groups"] > 1 else 0
        assert level["tasks"] <= 1.2 * 2 + n_merges
        assert level["groups"] <= 2


def test_facts_say_what_happened(client, capsys):
    tree = grown(client, 5, max_depth=3, verbose=1)
    info = tree.fit_info_
    assert info["engine"] == "dask"
    assert (info["rows"], info["partitions"], info["workers"]) == (len(X), 5, 2)
    assert info["exact_columns"] == COLUMNS
    assert info["partitions_again"] == 0
    said = capsys.readouterr().err
    assert "level 2: 4 nodes" in said
    grown(client, 5, max_depth=3)
    assert capsys.readouterr().err == ""


def test_sums_in_pieces_and_in_several_passes_do_not_show(
    client, tmp_path, monkeypatch
):
    expected = bytes_of(local(X, Y), tmp_path)
    monkeypatch.setattr(engine, "CUT", 4000)
    assert bytes_of(grown(client), tmp_path) == expected
    monkeypatch.setattr(engine, "SMALL", 0)  # what is asked travels as a result
    monkeypatch.setattr(engine.ClusterEngine, "max_slots", lambda *_: 3)
    assert bytes_of(grown(client), tmp_path) == expected


def test_partitions_that_are_not_kept_are_read_again(client, tmp_path):
    """With little memory raw partitions are let go of after each pass."""
    n = 60_000
    frame = made_up(n)
    tree = grown(client, 6, frame=frame, memory="1MiB", max_depth=4)
    there = ramify.DecisionTreeClassifier(max_bins=255, max_depth=4)
    there.fit(frame[list("abcdef")], frame["y"])
    assert bytes_of(tree, tmp_path) == bytes_of(there, tmp_path)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def wide(i, n):
    rng = np.random.default_rng(i)
    columns = {f"x{j}": rng.normal(size=n) for j in range(8)}
    frame = pd.DataFrame(columns)
    return frame.assign(y=(frame["x0"] * frame["x1"] > 0).astype(np.int8))


def test_workers_hold_codes_one_partition_and_no_more_than_memory(client):
    n, n_parts, memory = 100_000, 32, 32 * 2**20
    grown(client, max_depth=2)  # imports
    before = client.run(peak)
    ddf = dd.from_map(wide, range(n_parts), n=n)
    tree = rd.DecisionTreeClassifier(client=client, max_depth=4, memory=memory)
    tree.fit(ddf[[f"x{j}" for j in range(8)]], ddf["y"])
    after = client.run(peak)
    raw = n * (8 * 8 + 1)
    codes = n * n_parts * (8 + 1 + 4) // 2  # codes, labels, nodes of half of the rows
    # A partition is copied while it is made, and while its columns are read.
    allowed = 1.2 * codes + 6 * raw + memory
    assert n_parts * raw / 2 > allowed  # raw rows would not fit
    for worker, used in after.items():
        assert used - before[worker] < allowed


def test_rates_are_measured(client):
    rates = rd.measure(client)
    for name in ("cell", "row", "bin", "grow"):
        assert 1e-11 < getattr(rates, name) < 1e-5, name
    assert 1e-5 < rates.task < 1
    assert rates.net > 1e6
    assert rd.estimate(1e6, 10, 2, rates=rates).total_seconds > 0


# --- the command line -----------------------------------------------------------------


@pytest.fixture
def train(tmp_path):
    folder = tmp_path / "train"
    folder.mkdir()
    whole = together(X, Y).assign(w=1.0, id=np.arange(len(X)))
    for i in range(3):
        whole[500 * i : 500 * i + 500].to_parquet(folder / f"{i}.parquet")
    return folder


def test_fit_on_a_cluster_is_fit_of_a_stream(client, train, tmp_path):
    def fit(*more):
        path = tmp_path / "m.ramify"
        words = ["fit", str(train), "--target", "y", "--ignore", "id", "--weight", "w"]
        words += ["--criterion", "ihd", "--max-depth", "6", "--json", "-o", str(path)]
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout), path.read_bytes()

    address = client.scheduler.address
    checkpoint = ["--memory", "1GB", "--checkpoint", str(tmp_path / "run")]
    there, here = fit("--dask", address, *checkpoint), fit()
    assert there[1] == here[1]
    assert there[0]["leaves"] == here[0]["leaves"]
    assert os.listdir(tmp_path / "run") == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "z"], "there is no column 'z'"),
        (["--target", "y", "--numeric", "town"], "'town'.*holds text"),
        (["--target", "y", "--scratch", "x"], "--scratch is for streams"),
        (["--target", "y", "--criterion", "gini + 0.1 * csn"], "criterion"),
    ],
)
def test_the_command_line_says_what_is_wrong(client, train, tmp_path, words, message):
    given = ["fit", str(train), "--dask", client.scheduler.address]
    done = CliRunner().invoke(main, [*given, *words, "-o", str(tmp_path / "m.ramify")])
    assert done.exit_code == 2
    assert re.search(message, done.output), done.output


def test_what_the_page_says_of_us_is_held_by_tests_that_exist():
    from benchmarks.on_dask.features import TRIALS

    text = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    for _, test in TRIALS.values():
        assert f"def {test}(" in text
