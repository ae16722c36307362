# SPDX-License-Identifier: BSD-3-Clause
"""The table of formulas and experiments: what it says exists, and no gap is left."""

import importlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ramify import criteria, methods

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
