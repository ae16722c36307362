# SPDX-License-Identifier: BSD-3-Clause
"""Reproductions: the printed tables, the claims, and the whole command."""

import csv
import importlib
import io
import json
import sqlite3
from contextlib import closing
from datetime import date

import numpy as np
import pytest
from click.testing import CliRunner

import ramify.reproduce
from ramify.cli import main
from ramify.comparison import fingerprint
from ramify.comparison.fingerprint import build
from ramify.reproduce import claims, published
from ramify.reproduce.numbers import Grid
from ramify.reproduce.paper import Entry, Measure, Row, Size
from ramify.reproduce.reading import read

PAPERS = {name: ramify.reproduce.paper_of(name) for name in ramify.reproduce.names()}
every_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
ACCURACY = Measure("accuracy", "Table 1", "", "")
LEAVES = Measure("leaves", "Table 2", "", "", marks="marks")


def table(name, key="accuracy"):
    (measure,) = (m for m in PAPERS[name].measures if m.key == key)
    return published.grid(measure)


def run(*arguments):
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


# --- the printed tables -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "key", "shape"),
    [
        ("ihd", "accuracy", (20, 8)),
        ("ihd", "auc", (20, 8)),
        ("wodt", "accuracy", (20, 8)),
        ("wodt", "leaves", (20, 8)),
        ("dgmml", "accuracy", (25, 8)),
        ("dgmml", "fit_time", (25, 4)),
        ("bnmcsn", "accuracy", (21, 8)),
        ("bnmcsn", "leaves", (21, 4)),
        ("bnmcsn", "depth", (21, 4)),
    ],
)
def test_printed_tables_ship_whole(name, key, shape):
    values = table(name, key).values
    assert values.shape == shape
    n_missing = {("wodt", "accuracy"): 3, ("wodt", "leaves"): 3}.get((name, key), 0)
    assert np.isnan(values).sum() == n_missing
    if key in ("accuracy", "auc"):
        assert np.nanmin(values) > 0.3
        assert np.nanmax(values) <= 1


@pytest.mark.parametrize(
    ("name", "text", "figures"),
    [
        ("ihd", "Accuracy differs", "chi-square 35.77, F 6.52"),
        ("ihd", "two best average ranks in accuracy", "iHDw 2.45, iHD 2.80"),
        ("ihd", "AUC differs", "chi-square 32.51"),
        ("dgmml", "Of the trees", "C4.5 4, CART 4, iHD 4, dGMML-DT 16"),
        ("dgmml", "Of the forests", "C4.5-RF 6, CART-RF 3, iHD-RF 4, dGMML-RF 17"),
        ("dgmml", "trained fastest", "C4.5 6, CART 0, iHD 0, dGMML-DT 19"),
        (
            "wodt",
            "than each oblique tree on most sets, by",
            "CO2: 17/2/1, CO2r: 20/0/0",
        ),
        ("wodt", "fewer leaves than APDT", "APDT: 14/0/6"),
        ("wodt", "fewer leaves than each", "CO2: 15/3/2, CO2r: 19/0/1, OC1: 13/4/3"),
        ("bnmcsn", "BNM+Gini is more accurate than Gini", "Gini: 18/0/3"),
        ("bnmcsn", "BNM+CSN+Gini is more accurate", "Gini: 20/0/1"),
        ("bnmcsn", "BNM+Gini has fewer leaves", "43.0 against 117.7"),
        ("bnmcsn", "CSN+Gini has more leaves", "145.9 against 117.7"),
        ("bnmcsn", "BNM+CSN+Gini trees are less deep", "Gini: 17/0/4"),
    ],
)
def test_claims_find_in_the_printed_tables_what_the_papers_say(name, text, figures):
    paper = PAPERS[name]
    numbers = {measure.key: published.grid(measure) for measure in paper.measures}
    judged = [c.judge(numbers) for c in paper.claims if text in c.text]
    assert any(figures in one.figures and one.holds for one in judged), judged


@every_paper
def test_every_claim_holds_in_the_printed_table(paper):
    numbers = {measure.key: published.grid(measure) for measure in paper.measures}
    assert [c.text for c in paper.claims if not c.judge(numbers).holds] == []


def test_table_4_of_bnmcsn_has_the_means_of_its_table_3():
    lines = {line["method"]: line for line in published.lines("bnmcsn_table4.csv")}
    for key, column in (("depth", "depth"), ("leaves", "leaf_nodes")):
        grid = table("bnmcsn", key)
        means = np.round(grid.values.mean(axis=0), 1)
        stated = [float(lines[method][column]) for method in grid.methods]
        np.testing.assert_allclose(means, stated)


def test_the_sizes_in_table_2_of_ihd_name_the_sets_they_belong_to():
    lines = published.lines("ihd_table2.csv")
    assert len(lines) == 40
    shifted = [line["dataset"] for line in lines if line["group"] == "balanced"]
    assert shifted == list(table("ihd").rows)


@every_paper
def test_every_printed_row_has_data_or_a_reason(paper):
    names = {row.name for row in paper.rows} | set(paper.missing)
    counted = [row.name for row in paper.rows if not row.is_extra]
    partial = {row.name for row in paper.rows} - set(counted)  # parts of the data only
    for measure in paper.measures:
        assert set(published.grid(measure).rows) <= names
    assert len(set(counted)) == len(counted)
    assert partial <= {"protein", "cod-rna"}


@every_paper
def test_entries_have_the_printed_methods_and_different_keys(paper):
    entries = list(paper.entries(Size(True, 500, 9, "scaled")))
    assert len({entry.key for entry in entries}) == len(entries)
    methods = {m for measure in paper.measures for m in published.grid(measure).methods}
    assert {entry.method for entry in entries} == methods
    assert {entry.reading for entry in entries} == set(paper.readings)
    for entry in entries:
        entry.make(0).get_params()


# --- claims on made-up numbers ------------------------------------------------------


def made(values, methods="abc", measure=ACCURACY, marks=None):
    values = np.array(values, dtype=float)
    rows = tuple(f"set {i}" for i in range(len(values)))
    signs = np.zeros(values.shape) if marks is None else np.array(marks, dtype=float)
    return {measure.key: Grid(measure, rows, tuple(methods), values, signs)}


CLEAR = made([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.85, 0.8], [0.7, 0.6, 0.5]])
EQUAL = made([[0.9, 0.9, 0.9]] * 4)
MIXED = made([[0.9, 0.8, 0.7], [0.7, 0.8, 0.9], [0.9, 0.8, 0.7], [0.7, 0.8, 0.9]])


@pytest.mark.parametrize(
    ("judge", "holds"),
    [
        (claims.differ("accuracy"), (True, False, False)),
        (claims.best_ranks("accuracy", ["a"]), (True, False, False)),
        (claims.best_ranks("accuracy", ["a", "b"]), (True, False, False)),
        (claims.most_often_best("accuracy", "a", "abc"), (True, False, False)),
        (claims.better_on_most("accuracy", "a", ["b", "c"]), (True, False, False)),
        (claims.mean_change("accuracy", "a", "b", 1), (True, False, False)),
        (claims.mean_change("accuracy", "a", "b", -1), (False, False, False)),
        (claims.mean_order("accuracy", "abc"), (True, False, False)),
    ],
)
def test_a_claim_holds_only_where_the_numbers_say_so(judge, holds):
    assert tuple(judge(numbers).holds for numbers in (CLEAR, EQUAL, MIXED)) == holds


def test_fewer_leaves_are_better():
    leaves = made([[3, 5], [4, 9], [6, 7]], "ab", LEAVES)
    assert claims.better_on_most("leaves", "a", ["b"])(leaves).figures == "b: 3/0/0"
    assert claims.best_ranks("leaves", ["a"])(leaves).holds
    assert not claims.best_mean("leaves", "b", "ab")(leaves).holds


def test_wins_by_the_papers_test_are_counted_from_its_marks():
    marks = [[0, 1], [0, 1], [0, 0], [0, -1]]
    leaves = made([[3, 5], [4, 9], [6, 7], [2, 1]], "ab", LEAVES, marks)
    judged = claims.reliable_wins("leaves", ["b"])(leaves)
    assert (judged.holds, judged.figures) == (True, "b: 2/1/1")


def test_a_claim_without_numbers_cannot_be_judged():
    few = made([[0.9, 0.8, 0.7], [np.nan, 0.7, 0.6], [0.9, np.nan, 0.8]])
    for numbers in ({}, few):
        judged = claims.best_ranks("accuracy", ["a"])(numbers)
        assert judged.holds is None
        assert judged.word == "cannot be judged"


# --- a small reproduction through the whole command -----------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make files under the names of a paper's sets."""
    at = tmp_path_factory.mktemp("data")
    rng = np.random.RandomState(0)
    for name in ("appendicitis", "bupa", "wine"):
        y = rng.randint(2, size=60)
        X = rng.normal(size=(60, 3)) + y[:, None]
        lines = [
            ",".join([*map(str, x), f"c{label}"]) for x, label in zip(X, y, strict=True)
        ]
        (at / f"{name}.csv").write_text("\n".join(["a,b,c,class", *lines]) + "\n")
    return at


def test_the_command_writes_page_cells_and_picture(folder, tmp_path):
    sets = "appendicitis,liver,wine,german,spambase"
    out = tmp_path / "out"
    result = run(
        *("ihd", "--data", folder, "--out", out, "--note", "A test.", "--sets", sets)
    )
    assert result.exit_code == 0, result.output
    assert "24 cells, mean absolute difference" in " ".join(result.output.split())
    page = (out / "ihd.md").read_text()
    assert page.startswith("# Inter-node Hellinger distance")
    assert f"Run on {date.today().isoformat()} with ramify" in page
    assert f"ramify reproduce ihd --data DIR --sets {sets}\n" in page
    assert "A test." in page
    assert "| german | no file german |" in page
    assert "| spambase | no file spambase |" in page
    assert "![Average ranks here, ihd_accuracy.svg](ihd_accuracy.svg)" in page
    assert (out / "ihd_accuracy.svg").read_text().startswith("<svg")
    text = (out / "ihd.csv").read_text()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == 3 * (
        8 * 2 + 1
    )  # sets; methods in two readings, CCPDT in three
    for line in lines:
        expected = float(line["ours"]) - float(line["printed"])
        assert float(line["difference"]) == pytest.approx(expected, abs=1e-5)
        assert line["n_trials"] == "10"


def test_a_second_run_takes_what_the_first_one_kept(folder, tmp_path):
    arguments = ["ihd", "--data", folder, "--sets", "wine", "--json"]
    first = run(*arguments, "--out", tmp_path, "--cache", tmp_path / "kept.sqlite")
    with sqlite3.connect(tmp_path / "kept.sqlite") as file:
        # As if the run had been stopped after some cells.
        file.execute("DELETE FROM cell WHERE fold >= 5")
    file.close()
    second = run(*arguments, "--out", tmp_path, "--cache", tmp_path / "kept.sqlite")
    one, other = json.loads(first.output), json.loads(second.output)
    one.pop("figures"), other.pop("figures")  # some are times
    assert one == other
    with sqlite3.connect(tmp_path / "kept.sqlite") as file:
        (n_cells,) = file.execute("SELECT COUNT(*) FROM cell").fetchone()
    file.close()
    assert n_cells == (8 * 2 + 1) * 10


def test_a_page_without_new_fits_prints_a_command_that_runs(folder, tmp_path):
    arguments = ("ihd", "--data", folder, "--sets", "wine", "--out", tmp_path)
    assert run(*arguments).exit_code == 0
    fitted = (tmp_path / "ihd.md").read_text()
    assert run(*arguments, "--minutes", "0").exit_code == 0
    kept = (tmp_path / "ihd.md").read_text()
    # A line with --minutes 0, typed by a reader, would measure nothing at all.
    line = "\nramify reproduce ihd --data DIR --sets wine\n"
    assert line in fitted
    assert line in kept
    assert "without new fits" in kept
    assert "without new fits" not in fitted


def test_cells_of_another_build_are_not_taken(folder, tmp_path, monkeypatch):
    arguments = ("ihd", "--data", folder, "--sets", "wine", "--out", tmp_path)

    def n_cells():
        with closing(sqlite3.connect(next(tmp_path.glob("*.sqlite")))) as file:
            return file.execute("SELECT COUNT(*) FROM cell").fetchone()[0]

    assert run(*arguments).exit_code == 0
    first = n_cells()
    assert f"(build {build()})" in (tmp_path / "ihd.md").read_text()
    module = importlib.import_module("ramify.reproduce.run")
    monkeypatch.setattr(module, "build", lambda: "another")
    assert run(*arguments).exit_code == 0
    assert n_cells() == 2 * first
    assert "(build another)" in (tmp_path / "ihd.md").read_text()


def test_a_build_is_known_by_its_core_and_its_python_files(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "__file__", str(tmp_path / "a" / "f.py"))
    (tmp_path / "a").mkdir()
    (tmp_path / "cli").mkdir()
    core = tmp_path / "elsewhere" / "_core.so"  # as an editable install has it
    core.parent.mkdir()
    core.write_bytes(b"core")
    monkeypatch.setattr(fingerprint._core, "__file__", str(core))
    (tmp_path / "a" / "f.py").write_text("1")

    def found():
        build.cache_clear()
        return build()

    try:
        first = found()
        (tmp_path / "cli" / "text.py").write_text("what asks for trees")
        assert found() == first
        (tmp_path / "a" / "f.py").write_text("2")
        second = found()
        core.write_bytes(b"another")
        assert len({first, second, found()}) == 3
    finally:
        build.cache_clear()


@pytest.mark.parametrize(("n_rows", "n_methods"), [(58_000, 8), (141_691, 2)])
def test_older_oblique_trees_are_left_out_of_very_large_sets_only(n_rows, n_methods):
    wodt = ramify.reproduce.paper_of("wodt")
    entries = wodt.entries(Size(True, n_rows, 9, "scaled"))
    assert len({entry.method for entry in entries}) == n_methods


def test_the_best_candidate_stands_for_a_method(folder):
    found = ramify.reproduce.reproduce("bnmcsn", folder, sets=("bupa",))
    candidates = [
        np.mean([t["accuracy"] for t in run.trials.values()])
        for run in found.runs
        if run.entry.method == "CSN+Gini" and run.entry.reading == "paper"
    ]
    assert len(candidates) == 3
    by_reading = {
        p.reading: p
        for p in found.pairs
        if p.method == "CSN+Gini" and p.measure.key == "accuracy"
    }
    assert by_reading["paper"].ours == max(candidates)
    assert by_reading["paper"].settings in ("k=2", "k=5", "k=15")
    assert set(by_reading) == {"paper", "nested"}


def test_our_marks_are_those_of_the_t_test(tmp_path):
    found = ramify.reproduce.reproduce("wodt", sets=("iris", "wine"), repeats=2)
    grid = found.ours()["leaves"]
    iris, leaves = grid.rows.index("iris"), grid.values
    assert grid.marks[iris, 0] == 0
    assert set(np.unique(grid.marks)) <= {-1, 0, 1}
    worse = grid.methods.index("CO2r")
    assert (grid.marks[iris, worse] == 1) <= (leaves[iris, 0] < leaves[iris, worse])
    assert [name for name, _ in found.not_run] == []


def test_codings_give_the_columns_that_they_promise(tmp_path):
    text = "size,colour,class\n1,red,a\n,blue,b\n4,,a\n3,red,b\n"
    (tmp_path / "small.csv").write_text(text)
    path = str(tmp_path / "small.csv")
    codes = read(path, Row("s", "small", "codes")).X
    np.testing.assert_array_equal(codes, [[1, 1], [np.nan, 0], [4, np.nan], [3, 1]])
    one_hot = read(path, Row("s", "small", "one-hot")).X
    expected = [[1, 0, 1, 0], [3, 1, 0, 0], [4, 0, 0, 1], [3, 0, 1, 0]]
    np.testing.assert_array_equal(one_hot, expected)  # size, blue, red, missing
    scaled = read(path, Row("s", "small", "scaled")).X
    assert (scaled.min(axis=0) == -1).all()
    assert (scaled.max(axis=0) == 1).all()
    with pytest.raises(ValueError, match="has text in column 'colour'"):
        read(path, Row("s", "small"))


def test_a_method_that_fails_is_reported_and_the_rest_goes_on(folder, monkeypatch):
    paper = PAPERS["ihd"]
    entries = list(paper.entries(Size(False, 60, 3, "numbers")))

    def broken(seed):
        return ramify.DecisionTreeClassifier(max_depth=-1)

    failing = [Entry("Gini", "plain", broken), *entries[4:]]
    changed = ramify.reproduce.papers.PAPERS | {
        "ihd": paper.__class__(**(vars(paper) | {"entries": lambda size: failing}))
    }
    monkeypatch.setattr(ramify.reproduce, "PAPERS", changed)
    found = ramify.reproduce.reproduce("ihd", folder, sets=("wine",))
    (why,) = (why for name, why in found.not_run if name == "wine")
    assert "Gini: ValueError: max_depth=-1" in why
    assert "Entropy: not run" in why
    assert {p.method for p in found.pairs} == {
        "GR",
        "DCSM",
        "HDDT",
        "CCPDT",
        "iHD",
        "iHDw",
    }


# --- bad input ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["iHDD"],
            "paper 'iHDD' is unknown; did you mean 'ihd'? Choose from ihd, wodt",
        ),
        (["wodt", "--data", "nowhere"], "--data 'nowhere' is not a folder."),
        (
            ["wodt", "--data", "."],
            "has none of the paper's data sets, such as 'iris.csv",
        ),
        (["ihd", "--sets", "win"], "'win' is not one of ihd's; did you mean 'wine'?"),
        (["ihd", "--repeats", "0"], "--repeats"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
