# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says in plain words."""

import csv
from pathlib import Path

import numpy as np
import pytest
from made_up import comparison, random_comparison
from scipy.stats import studentized_range

import ramify
from ramify import datasets
from ramify.comparison.baseline import against_baseline

GOLDEN = Path(__file__).parent / "golden"


def ihd_table():
    lines = (GOLDEN / "ihd_table3.csv").read_text().splitlines()
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    return rows[0][1:], np.array([row[1:] for row in rows[1:]], dtype=float) / 100


# --- all methods -----------------------------------------------------------------


def test_equals_do_not_differ():
    found = comparison(np.full((8, 4), 0.9)).verdict
    assert found.headline == "No reliable difference between the 4 methods"
    assert found.p == 1


def test_the_ihd_papers_table():
    """By hand: 2.45 + 2.35 lies between Entropy's 4.70 and CCPDT's 4.925."""
    methods, accuracy = ihd_table()
    found = comparison(accuracy, methods).verdict
    difference = studentized_range.ppf(0.95, 8, np.inf) * np.sqrt(72 / 240)
    assert found.critical_difference == pytest.approx(difference)
    assert found.headline == "iHDw is reliably better than CCPDT, DCSM, Gini and GR"
    assert "between iHDw and iHD, HDDT and Entropy" in found.details


def test_a_difference_may_be_no_pairs():
    """Average ranks from 2 to 4 on eight data sets; Nemenyi asks for 2.16."""
    ranks = "41352 25431 54231 43251 54213 24153 54123 53142"
    places = np.array([[int(digit) for digit in word] for word in ranks.split()])
    made = comparison(1 - places / 10)
    assert made.ranks.tolist() == [4, 3.5, 2, 3.5, 2]
    assert made.verdict.p < 0.05
    assert made.verdict.critical_difference == pytest.approx(2.16, abs=0.005)
    assert made.verdict.headline == "The methods differ, but no two of them reliably"


def test_two_data_sets_that_agree_are_no_proof():
    found = comparison([[0.9, 0.8], [0.7, 0.6]]).verdict
    assert found.test.f == np.inf
    assert found.p == pytest.approx(0.5, abs=0.02)
    assert "No reliable difference" in found.headline


def test_the_better_the_worse_and_the_undecided_are_named():
    scores = np.array([[3, 2, 1]] * 7 + [[2, 3, 1]] * 7) / 10
    found = comparison(scores).verdict
    assert found.headline == "c0 is reliably better than c2"
    assert "2 of 3 pairs differ reliably" in found.details
    assert "No reliable difference between c0 and c1." in found.details


def test_many_methods_are_counted_not_listed():
    scores = np.tile(np.linspace(0.9, 0.1, 30), (20, 1))
    found = comparison(scores).verdict
    assert " of the other 29 methods" in found.headline
    assert len(found.headline) < 80
    assert "c1, c2, c3, c4, c5, c6 and " in found.details


def test_lower_may_be_better():
    scores = np.tile([5.0, 9.0, 20.0], (12, 1))
    found = comparison(scores, metric="leaves").verdict
    assert found.headline == "c0 is reliably better than c1 and c2 by leaves"
    assert found.details.startswith("Friedman's test of leaves over 12 data sets")
    (line,) = comparison(scores[:, :2], metric="leaves", baseline="c1").verdict.lines
    assert line.words == "reliably better"
    one = comparison([[0.2, 0.9]], metric="log_loss", baseline="c1").verdict
    assert one.headline == "c0 is probably better than c1 on d0 by log loss"


def test_a_failure_is_told():
    scores = np.tile([0.9, 0.8], (8, 1))
    found = comparison(scores, failed={("d0", "c0")}).verdict
    assert "c0 failed on some data sets and ranks last there." in found.details


def test_what_has_no_such_number_is_told():
    scores = np.tile([5.0, 9.0, np.nan], (12, 1))
    found = comparison(scores, metric="leaves").verdict
    assert "failed" not in found.details
    assert found.details.endswith(
        "\nc2 has no leaves and ranks last for that reason alone."
    )


def test_one_method_is_no_comparison():
    found = comparison(np.full((5, 1), 0.5)).verdict
    assert found.headline == "With one method there is nothing to compare"
    assert found.test is None


# --- one data set ----------------------------------------------------------------

FOLDS = np.array([-0.02, 0.01, 0.0, 0.03, -0.01])


def one_data_set(gaps, **options):
    """Make methods that are worse than the first by these gaps, give or take."""
    made = comparison([[0.9 - gap for gap in gaps]], folds=FOLDS, **options)
    # Each method has its own noise, else the differences are certain.
    noise = np.random.default_rng(0).normal(0, 0.002, len(made.records))
    for record, shift in zip(made.records, noise, strict=True):
        record.values["accuracy"] += shift
    return made


def test_one_data_set_is_judged_by_its_folds():
    found = one_data_set([0, 0.001, 0.2]).verdict
    assert found.headline == "c0 is probably better than c2 on d0"
    assert "Practically the same as c0: c1." in found.details
    assert "over the 5 folds of the one data set" in found.details
    assert "The more methods are compared" in found.details
    assert found.test is None
    assert found.critical_difference is None


def test_one_data_set_without_a_difference():
    found = one_data_set([0, 0.001]).verdict
    assert found.headline == "No reliable difference between the 2 methods on d0"


def test_one_data_set_with_a_baseline():
    made = one_data_set([0, 0.001, 0.2], baseline="c2")
    assert made.verdict.headline == "c0 and c1 are probably better than c2 on d0"
    assert [line.decision for line in made.against_baseline()] == ["better"] * 2
    made = one_data_set([0, 0.001, 0.2], baseline="c0")
    assert made.verdict.headline == "No method is reliably better than c0 on d0"


# --- baseline --------------------------------------------------------------------


def test_every_method_is_held_against_the_baseline():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.6, 0.9, size=12)
    # Of the last, as many pairs lie above the region of equivalence as inside it.
    unclear = rng.permutation(np.linspace(-0.02, 0.045, 12))
    shifts = [0, 0.05, -0.05, 0.001, unclear]
    scores = np.column_stack([base + shift for shift in shifts])
    made = comparison(
        scores, ["base", "up", "down", "near", "unclear"], baseline="base", folds=FOLDS
    )
    lines = {line.method: line for line in made.against_baseline()}
    assert list(lines) == [
        made.names[j] for j in np.argsort(made.ranks) if made.names[j] != "base"
    ]
    assert {name: line.decision for name, line in lines.items()} == {
        "up": "better",
        "down": "worse",
        "near": "same",
        "unclear": "undecided",
    }
    assert lines["up"].counts == (12, 0, 0)
    assert lines["down"].counts == (0, 0, 12)
    # 2 / 2^12, the smallest of four, times four.
    assert lines["up"].p == pytest.approx(4 * 2 / 2**12)
    assert lines["up"].posterior.better > 0.99
    assert made.verdict.headline == "up is reliably better than base"
    assert (
        "probably better: up; practically the same: near; probably worse: down; "
        "undecided: unclear. Wilcoxon's signed-rank test with Holm's correction for 4 "
        "methods confirms up and down."
    ) in made.verdict.details
    assert lines["up"].words == "reliably better"
    assert lines["near"].words == "practically the same"
    assert "differences up to 0.01 count as none" in made.verdict.details


def test_a_sure_but_small_difference_is_told():
    scores = np.tile([0.7, 0.702], (12, 1))
    found = comparison(scores, baseline="c0").verdict
    assert found.lines[0].words == "practically the same"
    assert found.headline == "No method is reliably better than c0"
    assert "test finds that c1 differs from c0 (p = " in found.details
    assert "confirms" not in found.details


def test_fewer_than_six_data_sets_prove_nothing_against_a_baseline():
    for n, decision in ((5, "undecided"), (6, "better")):
        scores = np.tile([0.7, 0.9], (n, 1))
        made = comparison(scores, baseline="c0")
        (line,) = made.against_baseline()
        assert line.posterior.better > 0.95
        assert line.decision == decision
    assert made.verdict.headline == "c1 is reliably better than c0"
    few = comparison(np.tile([0.7, 0.9], (3, 1)), baseline="c0").verdict
    assert few.headline == "No method is reliably better than c0"
    assert "With 3 data sets nothing can be called better" in few.details


def test_what_many_methods_and_few_data_sets_show_is_probable_not_proven():
    """Six data sets: p is 2/64 for one method, and can never be below 5 % for two."""
    scores = np.tile([0.7, 0.9, 0.7], (6, 1))
    found = comparison(scores, baseline="c0").verdict
    assert found.headline == "c1 is probably better than c0"
    assert "for 2 methods could confirm nothing on so few" in found.details
    assert found.lines[0].words == "probably better"
    more = comparison(np.tile([0.7, 0.9, 0.7], (12, 1)), baseline="c0").verdict
    assert more.headline == "c1 is reliably better than c0"


def test_a_method_that_always_fails_is_undecided_and_loses():
    scores = np.tile([0.7, 0.9], (8, 1))
    made = comparison(scores, baseline="c0", failed={(f"d{i}", "c1") for i in range(8)})
    (line,) = made.against_baseline()
    assert line.counts == (0, 0, 8)
    assert line.p == 1
    assert np.isnan(line.posterior).all()
    assert line.decision == "undecided"


def test_leaves_have_no_region_of_equivalence():
    made = comparison(np.tile([10.0, 9.99], (8, 1)), metric="leaves", baseline="c0")
    (line,) = made.against_baseline()
    assert line.decision == "better"
    assert "count as none" not in made.verdict.details


def test_without_a_baseline_there_is_nothing_to_hold_against():
    with pytest.raises(ValueError, match="there is no baseline; name one"):
        against_baseline(comparison(np.full((3, 2), 0.5)))


def test_order_of_data_sets_changes_no_word():
    made = random_comparison(9, 8, baseline="cart")
    scores = made.means("accuracy")
    order = np.random.default_rng(2).permutation(8)
    one, other = (
        comparison(table, made.names, baseline="cart").verdict
        for table in (scores, scores[order])
    )
    assert (one.headline, one.details) == (other.headline, other.details)


def test_a_data_set_that_cannot_be_folded_is_skipped_with_a_note():
    """The others run, and the report names the one that did not."""
    rng = np.random.default_rng(0)
    few = datasets.from_objects(
        rng.normal(size=(30, 2)), [0] * 28 + [1] * 2, name="few"
    )
    fewer = datasets.from_objects(few.X, [0] * 29 + [1], name="fewer")
    result = ramify.compare(["gini", "entropy"], ["iris", few, "wine"], cv=5)
    assert [one.name for one in result.datasets] == ["iris", "wine"]
    assert "skipped: data set 'few': class '1' has 2 rows, fewer than" in str(result)
    assert any("few" in note for note in result.notes)
    with pytest.raises(ValueError, match="class '1' has 2 rows"):
        ramify.compare(["gini", "entropy"], [few], cv=5)
    with pytest.raises(ValueError, match="no data set can be folded"):
        ramify.compare(["gini", "entropy"], [few, fewer], cv=5)
