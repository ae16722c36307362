# SPDX-License-Identifier: BSD-3-Clause
"""The table of formulas and experiments: what it says exists, and no gap is left."""

import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from ramify import criteria, methods
from ramify.reproduce import published
from ramify.reproduce.papers import PAPERS

TOOLS = Path(__file__).parent.parent / "tools"
if not TOOLS.is_dir():
    pytest.skip("the tools are not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def tool():
    """Import the tool that writes the page."""
    sys.path.insert(0, str(TOOLS))
    try:
        yield importlib.import_module("make_faithfulness_page")
    finally:
        sys.path.remove(str(TOOLS))


def test_every_row_has_a_test_and_every_number_a_row(tool):
    assert tool.faults() == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"test": "test_dgmml.py::test_no_such_thing"}, "there is no test"),
        ({"test": "test_nowhere.py::test_it"}, "there is no test"),
        ({"also": "test_nowhere.py::test_it"}, "there is no test test_nowhere.py"),
        ({"state": "interpreted", "why": ""}, "a sentence says why"),
        ({"state": "equal", "why": "Because."}, "a sentence says why"),
        ({"state": "perhaps", "why": "Because."}, "is no state"),
        ({"places": ("eq. 99",)}, "no row covers eq. 1."),
    ],
)
def test_a_row_that_is_wrong_is_told(tool, change, fault):
    source = next(s for s in tool.SOURCES if "Yang" in s.title)
    rows = (replace(source.rows[0], **change), *source.rows[1:])
    found = tool.faults((replace(source, rows=rows),))
    assert any(fault in one for one in found), found


@pytest.mark.parametrize("name", ["OUTSIDE", "CHANGED"])
def test_programs_and_changed_models_name_tests_that_exist(tool, monkeypatch, name):
    rows = getattr(tool, name)
    lost = replace(rows[0], test="test_nowhere.py::test_it")
    monkeypatch.setattr(tool, name, (lost, *rows[1:]))
    assert any("there is no test test_nowhere.py" in one for one in tool.faults())


def test_as_many_reference_models_as_the_page_says(tool):
    reference = Path(tool.__file__).parents[1] / "benchmarks/trees/reference.txt"
    lines = reference.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= tool.N_SINCE


def test_names_of_criteria_and_methods_are_known(tool):
    known = {"criteri": set(criteria.names()), "method": set(methods.names())}
    for source in tool.SOURCES:
        for row in source.rows:
            kind = re.match(r"(criteri|method)", row.name)
            if kind is None:
                continue
            names = re.findall(r"`([a-z_0-9]+)`", row.name)
            assert set(names) - {"split_point", "w1"} <= known[kind[1]], row.name


def test_what_is_not_ours_is_not_in_the_catalogue():
    for name in ("jaworski", "i_type_gini"):
        with pytest.raises(ValueError, match="unknown"):
            methods.get(name)


def test_dgmml_reads_every_value_of_a_node():
    # The mean of a class changes with each of its rows, and with it the column.
    rng = np.random.RandomState(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 2)) + np.outer(y, [1.0, 1.01])
    first = methods.make("dgmml", max_depth=1).fit(X, y).tree_.feature[0]
    changed = X.copy()
    changed[7, first] += 50 * (1 - 2 * y[7])
    second = methods.make("dgmml", max_depth=1).fit(changed, y).tree_.feature[0]
    assert first != second


def test_dgmml_alone_does_not_search_all_cuts():
    # Table I of its paper: an outlier moves the means, and with them the weight, away
    # from the column that the exhaustive methods find.
    rng = np.random.RandomState(1)
    y = np.arange(60) % 2
    X = np.column_stack([y + rng.uniform(-0.4, 0.4, 60), y + rng.normal(0, 1, 60)])
    X[0, 0] = 500
    roots = {
        name: methods.make(name, max_depth=1).fit(X, y).tree_
        for name in ("cart", "c45", "ihd", "dgmml")
    }
    assert {name: root.feature[0] for name, root in roots.items()} == {
        **dict.fromkeys(("cart", "c45", "ihd"), 0),
        "dgmml": 1,
    }
    assert {name for name, root in roots.items() if root.optimal[0]} == {
        "cart",
        "c45",
        "ihd",
    }


def test_the_weight_is_where_the_objective_is_least():
    # Eq. 7: f(w) = w W + B / w of each column, W the scatter within the classes and B
    # the squared difference of their means; eq. 8 is its derivative.
    rng = np.random.RandomState(2)
    y = np.arange(50) % 2
    for _ in range(5):
        x = rng.normal(size=50) * rng.uniform(0.1, 10) + y * rng.normal()
        low, high = x[y == 0], x[y == 1]
        within = ((low - low.mean()) ** 2).sum() + ((high - high.mean()) ** 2).sum()
        between = (low.mean() - high.mean()) ** 2
        tree = methods.make("dgmml", max_depth=1).fit(x[:, None], y).tree_
        weight = tree.gain[0]
        least = minimize_scalar(
            lambda w, a=within, b=between: w * a + b / w,
            bounds=(weight / 10, weight * 10),
            method="bounded",
            options={"xatol": 1e-12},
        )
        assert weight == pytest.approx(least.x, rel=1e-5)
        assert within == pytest.approx(between / weight**2, rel=1e-7)


def test_fig_1_of_wodt_has_the_methods_of_its_tables():
    (figure,) = (f for f in PAPERS["wodt"].figures if f.place == "Fig. 1")
    accuracy = next(m for m in PAPERS["wodt"].measures if m.key == "accuracy")
    shown = figure.show.keywords["methods"]
    assert sorted(shown) == sorted(published.grid(accuracy).methods)
    assert len(shown) == 8
