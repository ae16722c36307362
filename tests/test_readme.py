# SPDX-License-Identifier: BSD-3-Clause
"""What README says of the library is true of it."""

import re
from pathlib import Path

import ramify
from ramify import ObliqueTreeClassifier, methods

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def first_number(row: str) -> int:
    """Return the first number of a row of the table of peers, in our column."""
    (line,) = re.findall(rf"^\| {row} \| ([^|]*) \|", README, re.M)
    return int(re.search(r"\d+", line)[0])


def test_readme_fits_on_a_few_screens():
    assert README.count("\n") <= 184


def test_counts_of_criteria_and_methods_are_those_of_the_library():
    assert 0 < first_number("criteria for classes") <= len(ramify.criteria.names())
    assert first_number("published methods by name") == len(ramify.methods.names())


def test_counts_of_oblique_methods_and_regression_losses_are_those_of_the_library():
    made = [methods.get(name).estimator for name in methods.names()]
    assert first_number("oblique splits") == made.count(ObliqueTreeClassifier)
    assert first_number("regression") == len(ramify.criteria.names("regression"))


def test_links_of_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", README):
        assert (ROOT / target).exists(), target
