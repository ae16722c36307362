# SPDX-License-Identifier: BSD-3-Clause
"""The comparison: folds, statistics against printed values, pictures and report."""

import csv
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, studentized_range
from sklearn.metrics import roc_auc_score

import ramify
import ramify.compare
import ramify.report
from ramify.compare import diagram, protocol, statistics
from ramify.datasets import Dataset, load

GOLDEN = Path(__file__).parent / "golden"


def tiny(y, name="tiny"):
    y = np.asarray(y)
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    classes = tuple(map(str, np.unique(y)))
    return Dataset(name, X, y, ("a", "b"), classes, "Made up.")


# --- statistics ------------------------------------------------------------------


def ihd_table():
    lines = (GOLDEN / "ihd_table3.csv").read_text().splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return rows[0][1:], np.array([row[1:] for row in rows[1:]], dtype=float)


def test_the_ihd_papers_ranks_and_tests_are_reproduced():
    methods, accuracy = ihd_table()
    ranks = dict(zip(methods, statistics.average_ranks(accuracy), strict=True))
    assert accuracy.shape == (20, 8)
    assert ranks["iHDw"] == pytest.approx(2.45)
    assert ranks["iHD"] == pytest.approx(2.80)
    assert ranks["GR"] == pytest.approx(5.875)
    test = statistics.friedman(accuracy)
    assert test.chi_square == pytest.approx(35.77, abs=0.005)
    assert test.f == pytest.approx(6.52, abs=0.005)
    assert test.p < 1e-5


def test_demsars_example_is_reproduced():
    """Demšar 2006, section 3.2.2: four methods on 14 data sets."""
    test = statistics.friedman_of_ranks([3.143, 2.000, 2.893, 1.964], 14)
    assert test.chi_square == pytest.approx(9.28, abs=0.005)
    assert test.f == pytest.approx(3.69, abs=0.005)
    assert statistics.nemenyi_critical_difference(4, 14) == pytest.approx(
        1.25, abs=0.005
    )
    assert statistics.nemenyi_critical_difference(4, 14, 0.1) == pytest.approx(
        1.12, abs=0.005
    )


def test_nemenyis_critical_values_are_demsars():
    """Demšar 2006, table 5(a), for 2 to 10 methods at 5 %."""
    printed = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in enumerate(printed, start=2):
        difference = statistics.nemenyi_critical_difference(k, 60)
        assert difference / np.sqrt(k * (k + 1) / 360) == pytest.approx(q, abs=1e-3)


def test_friedman_agrees_with_scipy_without_ties():
    rng = np.random.default_rng(0)
    for n, k in ((3, 3), (10, 4), (25, 13)):
        scores = rng.normal(size=(n, k))
        expected = friedmanchisquare(*scores.T)
        test = statistics.friedman(scores)
        assert test.chi_square == pytest.approx(expected.statistic)
        assert test.p_chi_square == pytest.approx(expected.pvalue)


def test_order_of_data_sets_changes_nothing():
    _, accuracy = ihd_table()
    shuffled = np.random.default_rng(1).permutation(accuracy)
    assert statistics.friedman(shuffled) == statistics.friedman(accuracy)


def test_identical_methods_never_differ():
    scores = np.repeat(np.random.default_rng(2).uniform(size=(12, 1)), 5, axis=1)
    test = statistics.friedman(scores)
    assert (test.chi_square, test.f) == (0, 0)
    assert test.p == pytest.approx(1)


def test_perfect_agreement_is_as_certain_as_can_be():
    test = statistics.friedman(np.tile([3.0, 2.0, 1.0], (6, 1)))
    assert test.f == np.inf
    assert test.p == 0


def test_permutation_p_is_the_exact_one_for_few_data_sets():
    """Chi-square 6 with 3 methods: 0.0694 for 4 data sets, 1/36 for 3, by counting."""
    scores = [[3, 1, 2], [3, 2, 1]] * 2
    assert statistics.friedman(scores).chi_square == pytest.approx(6)
    for few, p in ((scores, 15 / 216), ([[3, 2, 1]] * 3, 1 / 36)):
        assert statistics.friedman_permutation_p(few) == pytest.approx(p, abs=0.006)


def test_permutation_p_agrees_with_f_for_many_data_sets():
    scores = np.random.default_rng(5).normal(size=(40, 6)) + np.arange(6) * 0.08
    f = statistics.friedman(scores).p
    assert statistics.friedman_permutation_p(scores) == pytest.approx(f, abs=0.02)


def test_ties_share_ranks_and_rounding_noise_is_a_tie():
    scores = [[0.1 + 0.2, 0.3, np.nan, 0.5]]
    assert statistics.ranks_per_row(scores).tolist() == [[2.5, 2.5, 4, 1]]
    lower = statistics.ranks_per_row(scores, higher_is_better=False)
    assert lower.tolist() == [[1.5, 1.5, 4, 3]]


def test_too_few_methods_or_data_sets_cannot_be_tested():
    with pytest.raises(ValueError, match="at least 2 methods and 2 data sets"):
        statistics.friedman([[1.0, 2.0]])
    with pytest.raises(ValueError, match="at least 2 methods"):
        statistics.nemenyi_critical_difference(1, 10)


def test_bars_join_what_is_closer_than_the_critical_difference():
    assert statistics.rank_groups([3, 1, 2], 5) == [(1, 3)]
    assert statistics.rank_groups([1, 2, 3], 0.5) == []
    assert statistics.rank_groups([1, 1.4, 3, 3.2, 4], 1) == [(1, 1.4), (3, 4)]


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_auc_is_hand_and_tills(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(20):
        y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=50)])
        p = rng.integers(1, 4, size=(len(y), n_classes)).astype(float)  # many ties
        p /= p.sum(axis=1, keepdims=True)
        score = p[:, 1] if n_classes == 2 else p
        expected = roc_auc_score(y, score, multi_class="ovo", average="macro")
        ours = statistics.hand_till_auc(y, p, np.arange(n_classes))
        assert ours == pytest.approx(expected, abs=1e-12)


def test_auc_leaves_out_pairs_that_are_not_there():
    classes = np.array(["a", "b", "c"])
    p = np.array([[0.8, 0.2, 0], [0.1, 0.9, 0], [0.3, 0.7, 0]])
    y = np.array(["a", "b", "b"])
    assert statistics.hand_till_auc(y, p, classes) == 1
    assert np.isnan(statistics.hand_till_auc(y[1:], p[1:], classes))


# --- protocol --------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return ramify.compare.run(
        ["gini", "ihd", "twoing"], ["iris", "wine", "rings"], cv=5, random_state=3
    )


def test_there_is_one_record_per_cell(result):
    cells = [(r.dataset, r.criterion, r.fold) for r in result.records]
    assert len(cells) == len(set(cells)) == 3 * 3 * 5
    assert not result.failures
    assert all(set(r.values) == set(result.metrics) for r in result.records)


def test_cells_are_what_one_would_compute_by_hand(result):
    data = load("wine")
    train, test = protocol._folds(data, 5, 3)[2]
    tree = ramify.DecisionTreeClassifier(criterion="ihd", random_state=3)
    tree.fit(data.X[train], data.y[train])
    record = next(
        r
        for r in result.records
        if (r.dataset, r.criterion, r.fold) == ("wine", "ihd", 2)
    )
    p = tree.predict_proba(data.X[test])
    assert record.values["accuracy"] == tree.score(data.X[test], data.y[test])
    assert record.values["leaves"] == tree.get_n_leaves()
    assert record.values["auc"] == pytest.approx(
        roc_auc_score(data.y[test], p, multi_class="ovo")
    )


def test_the_same_seed_gives_the_same_numbers(result):
    again = ramify.compare.run(
        ["gini", "ihd", "twoing"], ["iris", "wine", "rings"], cv=5, random_state=3
    )
    for metric in ("accuracy", "auc", "leaves"):
        assert np.array_equal(again.means(metric), result.means(metric))


def test_summary_is_sorted_by_rank(result):
    rows = result.summary()
    ranks = [row["rank"] for row in rows]
    assert ranks == sorted(ranks)
    assert {row["criterion"] for row in rows} == set(result.criteria)
    assert sum(ranks) == pytest.approx(1 + 2 + 3)


def test_csv_has_one_line_per_cell(result):
    rows = list(csv.DictReader(result.to_csv().splitlines()))
    assert len(rows) == 45
    assert list(rows[0]) == [
        *("dataset", "criterion", "fold"),
        *("accuracy", "auc", "leaves", "fit_time", "error"),
    ]
    assert float(rows[0]["accuracy"]) == result.records[0].values["accuracy"]


def test_progress_counts_every_cell():
    seen = []
    ramify.compare.run(
        ["gini"], ["iris"], cv=3, progress=lambda *facts: seen.append(facts)
    )
    assert seen == [(i, 3, "iris gini") for i in (1, 2, 3)]


def test_a_failed_cell_is_recorded_and_the_rest_goes_on():
    def moody(parent, left, right):
        raise RuntimeError("not today")

    result = ramify.compare.run(["gini", moody], ["iris", "wine"], cv=2)
    assert {r.criterion for r in result.failures} == {"moody"}
    assert len(result.failures) == 4
    assert "not today" in result.failures[0].error
    best, worst = result.summary()
    assert (best["criterion"], best["rank"]) == ("gini", 1)
    assert np.isnan(worst["accuracy"])
    assert worst["rank"] == 2
    page = ramify.report.build(result)
    assert "4 of 8 runs failed" in page
    assert "not today" in page


def test_an_alias_goes_by_its_own_name():
    result = ramify.compare.run(["c45"], ["iris"], cv=2)
    assert result.criteria == ("gain_ratio",)


BAD = {
    "unknown criterion": ({"criteria": ["ginni"]}, "did you mean 'gini'"),
    "criterion twice": ({"criteria": ["c45", "gain_ratio"]}, "given twice"),
    "no criterion": ({"criteria": []}, "no criteria"),
    "unknown data": ({"datasets": ["irs"]}, "did you mean 'iris'"),
    "data twice": ({"datasets": ["iris", "iris"]}, "'iris' is given twice"),
    "no data": ({"datasets": []}, "no data sets"),
    "one fold": ({"cv": 1}, "cv=1 is too small"),
    "no threads": ({"n_jobs": 0}, "n_jobs=0"),
    "unknown metric": ({"metrics": ["acuracy"]}, "'acuracy' is unknown; choose"),
    "no metric": ({"metrics": []}, "no metrics"),
    "one class": ({"datasets": [tiny([0] * 20)]}, "has one class"),
    "rare class": (
        {"datasets": [tiny(["a"] * 20 + ["b"] * 4)]},
        "class 'b' has 4 rows, fewer than the 10 folds.*use at most 4 folds",
    ),
    "single row": (
        {"datasets": [tiny(["a"] * 20 + ["b"])]},
        "1 row, fewer than the 10 folds.*; join or drop",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_clear_error_before_any_work(case):
    arguments, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        ramify.compare.run(**({"criteria": ["gini"], "datasets": ["iris"]} | arguments))


# --- verdict ---------------------------------------------------------------------


def compared(accuracy, criteria=None):
    """Make a comparison with given accuracies: data sets x criteria."""
    names = criteria or [f"c{j}" for j in range(accuracy.shape[1])]
    records, facts = [], []
    for i, row in enumerate(accuracy):
        facts.append(
            ramify.compare.DatasetFacts(f"d{i}", 10, 2, 0, {"a": 5, "b": 5}, "Made up.")
        )
        for name, value in zip(names, row, strict=True):
            values = {"accuracy": float(value)}
            records.append(ramify.compare.Record(f"d{i}", name, 0, values))
    return ramify.compare.Comparison(
        criteria=tuple(names),
        datasets=tuple(facts),
        metrics=("accuracy",),
        records=tuple(records),
        cv=1,
        random_state=0,
        n_jobs=None,
        seconds=0.0,
    )


def test_verdict_on_equals_is_no_reliable_difference():
    verdict = compared(np.full((8, 4), 0.9)).verdict
    assert verdict.headline == "No reliable difference between the 4 criteria"
    assert verdict.p == 1


def test_verdict_on_the_ihd_papers_table():
    """By hand: 2.45 + 2.35 lies between Entropy's 4.70 and CCPDT's 4.925."""
    methods, accuracy = ihd_table()
    comparison = compared(accuracy, methods)
    difference = studentized_range.ppf(0.95, 8, np.inf) * np.sqrt(72 / 240)
    assert comparison.verdict.critical_difference == pytest.approx(difference)
    assert comparison.verdict.headline == (
        "iHDw is reliably better than CCPDT, DCSM, Gini and GR"
    )
    assert "between iHDw and iHD, HDDT and Entropy" in comparison.verdict.details


def test_verdict_may_find_a_difference_but_no_pair():
    """Average ranks from 2 to 4 on eight data sets; Nemenyi asks for 2.16."""
    ranks = "41352 25431 54231 43251 54213 24153 54123 53142"
    places = np.array([[int(digit) for digit in word] for word in ranks.split()])
    comparison = compared(1 - places / 10)
    assert comparison.ranks.tolist() == [4, 3.5, 2, 3.5, 2]
    assert comparison.verdict.p < 0.05
    assert comparison.verdict.critical_difference == pytest.approx(2.16, abs=0.005)
    assert comparison.verdict.headline == (
        "The criteria differ, but no two of them reliably"
    )


def test_two_data_sets_that_agree_are_no_proof():
    verdict = compared(np.array([[0.9, 0.8], [0.7, 0.6]])).verdict
    assert verdict.test.f == np.inf
    assert verdict.p == pytest.approx(0.5, abs=0.02)
    assert "No reliable difference" in verdict.headline


def test_verdict_names_the_better_the_worse_and_the_undecided():
    scores = np.array([[3, 2, 1]] * 7 + [[2, 3, 1]] * 7) / 10
    verdict = compared(scores).verdict
    assert verdict.headline == "c0 is reliably better than c2"
    assert "2 of 3 pairs differ reliably" in verdict.details
    assert "No reliable difference between c0 and c1." in verdict.details


def test_one_data_set_proves_nothing():
    verdict = compared(np.array([[0.9, 0.8]])).verdict
    assert verdict.test is None
    assert "one data set" in verdict.headline
    assert "one criterion" in compared(np.full((5, 1), 0.5)).verdict.headline


# --- pictures and report ---------------------------------------------------------


def test_pictures_are_svg_with_names_and_without_fixed_colours(result):
    ranks = dict(zip(result.criteria, result.ranks, strict=True))
    pictures = [
        diagram.critical_difference(ranks, 1.5),
        diagram.scatter(
            result.criteria,
            result.means("leaves").mean(axis=0),
            result.means("accuracy").mean(axis=0),
        ),
    ]
    for svg in pictures:
        root = ElementTree.fromstring(svg)
        text = {element.text for element in root.iter() if element.text}
        assert set(result.criteria) <= text
        assert "var(--ink" in svg
        assert "#00000" not in svg


def test_the_same_ranks_give_the_same_picture():
    ranks = {"a": 1.2, "b": 1.8}
    first = diagram.critical_difference(ranks, 0.9)
    assert first == diagram.critical_difference(ranks, 0.9)


def test_pictures_leave_out_what_failed():
    nan = np.array([3.0, np.nan])
    svg = diagram.scatter(["fine", "failed"], nan, nan / 10)
    assert ">fine<" in svg
    assert ">failed<" not in svg


def test_report_needs_no_network_and_names_everything(result):
    page = ramify.report.build(result, "ramify compare --seed 3")
    assert not re.search(r'(src|href)="(?!#|data:)|url\((?!#)|@import', page)
    assert not re.search(r"\$[a-z_]+", page.split("<script>")[0])
    for criterion in map(ramify.criteria.get, result.criteria):
        assert f'id="{criterion.name}"' in page
    for words in (result.verdict.headline, "ramify compare --seed 3", "178"):
        assert words in page
    assert "ramify.compare.run(" in ramify.report.build(result)


def test_report_escapes_names():
    page = ramify.report.build(
        ramify.compare.run(["gini"], [tiny([0, 1] * 9, "<b>&")], cv=2)
    )
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page


CHECK_IN_BROWSER = """
<script>
const heads = [...document.querySelectorAll("table")[0].tHead.rows[0].cells];
const rows = () => [...document.querySelectorAll("table")[0].tBodies[0].rows];
const names = () => rows().map((row) => row.cells[0].innerText);
const press = (i) => heads[i].querySelector("button").click();
const found = [];
press(0); found.push(names().join(), heads[0].getAttribute("aria-sort"));
press(0); found.push(names().join(), heads[0].getAttribute("aria-sort"));
press(2); found.push(names().join(), heads[2].getAttribute("aria-sort"));
document.title = found.join(" | ");
</script></body>
"""


def test_report_sorts_in_a_browser_without_an_error(result, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    page = ramify.report.build(result).replace("</body>", CHECK_IN_BROWSER)
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    done = subprocess.run(
        [
            browser,
            *("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *("--disable-background-networking", "--enable-logging=stderr"),
            f"--user-data-dir={tmp_path / 'profile'}",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    by_accuracy = sorted(result.summary(), key=lambda row: -row["accuracy"])
    expected = [
        *("gini,ihd,twoing", "ascending"),
        *("twoing,ihd,gini", "descending"),
        *(",".join(row["criterion"] for row in by_accuracy), "descending"),
    ]
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None
    assert title.group(1) == " | ".join(expected)
    assert "CONSOLE" not in done.stderr
