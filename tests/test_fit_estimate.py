# SPDX-License-Identifier: BSD-3-Clause
"""`ramify fit` ends with what the tree is worth on other rows."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from ramify.cli import main


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def noisy(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 4))
    label = (X[:, 0] > 0) ^ (rng.random(240) < 0.2)
    lines = [",".join(map("{:.3f}".format, row)) for row in X.tolist()]
    lines = [
        f"{line},{'yes' if y else 'no'}" for line, y in zip(lines, label, strict=True)
    ]
    path = tmp_path / "noisy.csv"
    path.write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    return path


def test_the_estimate_is_that_of_rows_not_fitted_and_small_is_offered(noisy):
    words = ("fit", noisy, "--target", "y", "--keep", "a,b,c,d")
    out = noisy.with_suffix(".ramify")
    told = run(*words, "-o", out)
    assert told.exit_code == 0, told.output
    share = float(re.search(r"cross-validated accuracy +([\d.]+)%", told.output)[1])
    assert "training accuracy        100.00%" in told.output
    assert 55 < share < 85
    advice = re.search(r"--prune ccp_cv gives (\d+) lea\w+ at ([\d.]+)%", told.output)
    small = run(*words, "--small", "--json", "-o", out)
    facts = json.loads(small.output)
    assert facts["leaves"] == int(advice[1])
    assert 100 * facts["cross-validated_accuracy"] == pytest.approx(
        float(advice[2]), abs=0.06
    )
    none = run(*words, "--no-estimate", "-o", out)
    assert "cross-validated" not in none.output
    assert "--prune ccp_cv gives" not in none.output


def test_leaves_and_weights_of_classes_are_options(noisy):
    words = ("fit", noisy, "--target", "y", "--keep", "a,b,c,d", "--no-estimate")
    out = noisy.with_suffix(".ramify")
    few = run(*words, "--max-leaf-nodes", "4", "--json", "-o", out)
    assert json.loads(few.output)["leaves"] == 4
    for weights in ("balanced", "yes=5,no=1"):
        told = run(*words, "--class-weight", weights, "-o", out)
        assert told.exit_code == 0, told.output
    wrong = run(*words, "--class-weight", "maybe=2", "-o", out)
    assert wrong.exit_code == 2
    assert "'maybe' is no label" in wrong.output
    both = run(*words, "--small", "--prune", "rep", "-o", out)
    assert "leave out --prune" in both.output
