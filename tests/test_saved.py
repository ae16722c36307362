# SPDX-License-Identifier: BSD-3-Clause
"""Models that earlier versions saved load, and say what they said then.

`tools/save_models.py` adds those of a new version; files of a released version never
change.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ramify
from ramify.serialization.archive import BOOSTED, FORESTS, TREES
from ramify.tree import Tree

SAVED = Path(__file__).parent / "saved"
FACTS = sorted(SAVED.glob("*/*.json"))

every_model = pytest.mark.parametrize(
    "path", FACTS, ids=lambda path: path.relative_to(SAVED).with_suffix("").as_posix()
)


def read(path: Path) -> tuple[object, object, dict]:
    """Return a model, rows for it, and what was written down of both."""
    facts = json.loads(path.read_text("utf-8"))
    model = ramify.load(path.with_suffix(".ramify"))
    rows = pd.DataFrame(facts["rows"], columns=facts["columns"], dtype=object)
    rows = rows.astype(dict.fromkeys(facts["numeric"], float))
    has_names = hasattr(model, "feature_names_in_")
    return model, rows if has_names else rows.to_numpy(), facts


def assert_same_answers(model: object, rows: object, answers: dict) -> None:
    for name, expected in answers.items():
        if name == "curves_at":
            found = model.predict_survival_function(rows, times=[1.0, 3.5, 100.0])
        else:
            found = getattr(model, name)(rows)
        if name == "predict" and not isinstance(np.ravel(expected)[0], float):
            np.testing.assert_array_equal(found, expected)
        else:  # sums of trees may one day be added in another order
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@every_model
def test_a_saved_model_says_what_it_said(path):
    model, rows, facts = read(path)
    assert type(model).__name__ == facts["kind"]
    assert {"predict", "apply"} & set(facts["answers"])
    assert_same_answers(model, rows, facts["answers"])


@every_model
def test_a_saved_model_can_be_saved_by_this_version(path, tmp_path):
    model, rows, facts = read(path)
    model.save(tmp_path / "again.ramify")
    assert_same_answers(ramify.load(tmp_path / "again.ramify"), rows, facts["answers"])


def test_there_is_a_model_of_every_kind():
    found = [json.loads(path.read_text("utf-8"))["kind"] for path in FACTS]
    assert set(found) == {*TREES, *FORESTS, *BOOSTED}


def test_there_is_a_node_of_every_kind():
    models = [read(path)[0] for path in FACTS]
    trees = [model.tree_ for model in models if hasattr(model, "tree_")]
    kinds = (Tree.THRESHOLD, Tree.CATEGORIES, Tree.INTERVALS, Tree.HYPERPLANE)
    for kind in kinds:
        assert any((tree.kind == kind).any() for tree in trees), f"no node of {kind}"
    assert any(tree.is_fractional for tree in trees)
    assert any(tree.n_outputs > 1 for tree in trees)
    assert any((tree.threshold == np.inf).any() for tree in trees)


def test_every_version_has_saved_models():
    changes = (SAVED.parents[1] / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## \[(\d[\d.]*)\]", changes, re.M)
    assert versions
    assert {path.parent.name for path in FACTS} == set(versions)
