# SPDX-License-Identifier: BSD-3-Clause
"""Certificates see faults: a threshold, a direction, a leaf, a category, a weight."""

import os
import re

import exported
import mutants
import numpy as np
import pytest

import ramify
from ramify.exports.base import Artefact
from ramify.exports.certificates import certificate
from ramify.exports.reading import walk_of
from ramify.exports.registry import FORMATS

# The nox session "exports" plants 1,000; the ordinary suite a sample.
N_MUTANTS = int(os.environ.get("RAMIFY_MUTANTS", "120"))
MODELS = (
    *("numeric with gaps", "categories with unseen", "multiway", "intervals"),
    *("fractional", "oblique", "oblique with categories", "regression"),
    *("forest, hard votes", "boosted, 2 classes", "several outputs"),
)


@pytest.mark.slow
def test_of_planted_faults_99_percent_are_seen():
    """What is missed: an ulp of a plane's bound, in which no sum of its rows falls."""
    n = -(-N_MUTANTS // len(MODELS))
    n_tried, missed = 0, []
    for kind in MODELS:
        judge = mutants.Judge(exported.model(kind))
        assert not judge.differs(judge.document)
        tried, unseen = mutants.caught(judge, n, seed=N_MUTANTS)
        n_tried += tried
        missed += [(kind, *mutant[:3]) for mutant in unseen]
    assert n_tried >= N_MUTANTS
    assert len(missed) <= 0.01 * n_tried, missed
    assert all("oblique" in kind for kind, *_ in missed), missed


def test_training_rows_see_no_fault_at_a_border():
    """Why rows are made: a test set lies on no border."""
    X, _ = exported.numbers()
    judge = mutants.Judge(exported.model("numeric with gaps"))
    rng = np.random.default_rng(0)
    faults = [mutants.mutate(judge.document, rng) for _ in range(60)]
    faults = [each for each in faults if each.kind.startswith("cut")]
    assert len(faults) >= 10
    seen = sum(judge.differs(each.document) for each in faults)
    with_data = sum(judge.differs(each.document, X) for each in faults)
    assert seen >= 0.9 * len(faults)
    assert with_data == 0


# In each text: a number, and a little more than it.
FAULTS = {
    "python": (r"(?<=<= )-?\d\.\d+", lambda x: repr(float(x) + 1e-9)),
    "sql": (r"(?<=CAST\()\d{10,}(?= AS REAL)", lambda x: str(int(x) + 1)),
    "javascript": (r"(?<=\"threshold\":\[)-?\d\.\d+", lambda x: repr(float(x) + 1e-9)),
    "pmml": (r"(?<=lessOrEqual\" value=\")-?\d\.\d+", lambda x: repr(float(x) + 1e-9)),
    "c": (
        r"(?<=\{)-?0x1\.\w+p[+-]\d+(?=, )",
        lambda x: (float.fromhex(x) + 1e-9).hex(),
    ),
}


@pytest.mark.parametrize("name", [*FAULTS, "onnx", "treelite"])
def test_a_changed_threshold_is_seen_in_every_format(name):
    form = FORMATS[name]
    for package in form.packages:
        pytest.importorskip(package)
    model = exported.model("numeric with gaps")
    walk, options = walk_of(model), form.options_with({})
    if certificate.find_runtime(form, options) is None:
        pytest.skip(f"nobody is here to replay {name}")
    if name in FAULTS:
        pattern, more = FAULTS[name]
        text = form.write(walk, options).text
        changed = re.sub(pattern, lambda found: more(found[0]), text, count=1)
        assert changed != text
        artefact = Artefact(changed)
    else:
        X, y = exported.numbers()
        other = ramify.DecisionTreeClassifier(min_samples_leaf=3, threshold="value")
        artefact = form.write(walk_of(other.fit(X, y)), options)
    found = certificate.certificate_for(
        *(model, walk, form, artefact, options), n_rows=2000
    )
    assert not found.is_exact
    assert found.first is not None


def test_a_certificate_counts_what_was_replayed():
    found = ramify.export(exported.model("oblique"), "python", n_rows=60).certificate
    facts = found.facts
    assert facts["rows"]["replayed"] == 60
    assert sum(facts["rows"]["by_purpose"].values()) == 60
    assert facts["coverage"]["leaves"] == [15, 15]
    assert facts["refused_inputs"] == ["infinity"]
    assert facts["model"]["leaves"] == 15
    assert found.is_exact


def test_rows_that_the_model_refuses_are_not_replayed():
    frame, _ = exported.people()
    model = exported.model("gaps and unseen refused")
    found = ramify.export(model, "python", certify=frame).certificate
    whole = int((~frame.isna().any(axis=1)).sum())
    assert found.facts["rows"]["given"] == whole < len(frame)
    assert "missing values" in found.facts["refused_inputs"]
    assert "unseen categories" in found.facts["refused_inputs"]


def test_infinite_rows_cannot_be_replayed():
    X, _ = exported.numbers()
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="column 'x2' is infinite in row 3"):
        ramify.export(exported.model("numeric with gaps"), "json", certify=X)
