# SPDX-License-Identifier: BSD-3-Clause
"""Made streams, and the comparison of models along a stream."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB

import ramify
from ramify.cli import main
from ramify.comparison.pictures import stream_curves
from ramify.comparison.streams import compare_stream
from ramify.datasets import Dataset, streams
from ramify.estimators.online import PUBLISHED, online_method


@pytest.mark.parametrize("name", streams.__all__)
def test_a_seed_makes_a_stream(name):
    make = getattr(streams, name)
    X, y = make(500)
    again, labels = make(500, random_state=0)
    assert (again == X).all()
    assert (y == labels).all()
    assert (make(500, random_state=1)[0] != X).any()
    assert len(X) == len(y) == 500
    assert len(np.unique(y)) > 1
    with pytest.raises(ValueError, match="n_rows=0"):
        make(0)


def test_sea_by_hand():
    X, y = streams.sea(3000, noise=0, concepts=(0, 2))
    limit = np.where(np.arange(3000) < 1500, 8, 7)
    assert (y == (X[:, 0] + X[:, 1] <= limit)).all()
    noisy = streams.sea(20_000, noise=0.1)[1] != streams.sea(20_000, noise=0)[1]
    assert noisy.mean() == pytest.approx(0.1, abs=0.01)
    with pytest.raises(ValueError, match="concepts"):
        streams.sea(10, concepts=(4,))


def test_led_by_hand():
    X, y = streams.led(2000, noise=0, n_irrelevant=2)
    for digit in range(10):
        assert len(np.unique(X[y == digit, :7], axis=0)) == 1
    assert X[y == 8][0, :7].sum() == 7
    assert X[y == 1][0, :7].sum() == 2


def test_agrawal_by_hand():
    X, y = streams.agrawal(2000)
    assert ((y == 0) == ((X[:, 2] < 40) | (X[:, 2] >= 60))).all()
    assert (X[X[:, 0] >= 75_000, 1] == 0).all()
    salary, age = X[:, 0], X[:, 2]
    low, high = [
        np.select([age < 40, age < 60], values[:2], values[2])
        for values in ((50e3, 75e3, 25e3), (100e3, 125e3, 75e3))
    ]
    second = streams.agrawal(2000, concepts=(1,))[1]
    assert ((second == 0) == ((salary >= low) & (salary <= high))).all()
    for concept in range(10):
        assert 0 < streams.agrawal(2000, concepts=(concept,))[1].mean() < 1


def test_a_hyperplane_turns():
    X, y = streams.hyperplane(20_000, noise=0, n_columns=2, change=0)
    start = np.random.default_rng(0).random(2)
    assert (y == (X @ start >= start.sum() / 2)).all()
    turned = streams.hyperplane(20_000, noise=0, n_columns=2, turn=0)[1]
    assert (turned[:10] == y[:10]).all()
    assert (turned[-2000:] != y[-2000:]).any()


def stream(n=3000):
    X, y = streams.sine(n, concepts=(0, 1))
    return Dataset("sine", X, y, ("a", "b"), ("no", "yes"), "Made.")


def test_a_comparison_says_what_each_model_said():
    class Always:
        """A learner in the manner of river."""

        def __init__(self):
            self.rows = 0

        def predict_one(self, row):
            return None if self.rows == 0 else 1

        def learn_one(self, row, label):
            assert set(row) == {"x0", "x1"}
            self.rows += 1

    data = stream()
    tree = ramify.OnlineTreeClassifier(drift="replace")
    result = compare_stream(
        {"tree": tree, "gini": "gini", "ones": Always(), "nb": GaussianNB()},
        data,
        window=700,
    )
    assert [run.name for run in result.runs] == ["tree", "gini", "ones", "nb"]
    by_name = {run.name: run for run in result.runs}
    said = tree.test_then_train(np.column_stack(list(data.columns.values())), data.y)
    assert by_name["tree"].accuracy == (said == data.y).mean()
    assert by_name["tree"].windows[0] == (said == data.y)[:700].mean()
    assert len(by_name["tree"].windows) == 5
    assert by_name["ones"].accuracy == pytest.approx(np.mean(data.y == 1), abs=1e-3)
    assert abs(by_name["ones"].kappa) < 0.01
    assert result.no_change == (data.y[1:] == data.y[:-1]).mean()
    assert "tree" in result.to_text()
    assert result.rows()[1]["leaves"] >= 1
    assert stream_curves(result).startswith("<svg")


def test_what_cannot_learn_a_stream_is_refused():
    with pytest.raises(ValueError, match="needs all rows at once"):
        compare_stream(["c45"], stream(100))
    with pytest.raises(ValueError, match="unknown"):
        compare_stream(["ginni"], stream(100))
    with pytest.raises(TypeError, match="learn_one"):
        compare_stream([ramify.DecisionTreeClassifier()], stream(100))
    with pytest.raises(ValueError, match="window"):
        compare_stream(["gini"], stream(100), window=0)


def test_the_command_compares_streams(tmp_path):
    X, y = streams.sea(2500)
    rows = "".join(f"{a},{b},{c},{k}\n" for (a, b, c), k in zip(X, y, strict=True))
    (tmp_path / "sea.csv").write_text("a,b,c,y\n" + rows)
    command = ["compare", str(tmp_path / "sea.csv"), "--stream", "--window", "500"]
    command += ["--methods", "gini,hellinger", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "hellinger" in done.output
    assert (tmp_path / "out" / "sea-stream.svg").read_text().startswith("<svg")
    done = CliRunner().invoke(main, [*command, "--json"])
    (found,) = json.loads(done.stdout)
    assert [len(run["windows"]) for run in found["runs"]] == [5, 5]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_methods_learn(name):
    method = PUBLISHED[name]
    assert method.summary.endswith(".")
    assert "(20" in method.reference
    X, y = streams.sea(4000, noise=0.05)
    model = online_method(name)
    assert (model.test_then_train(X, y) == y).mean() > 0.6
    result = compare_stream([name], stream(1000))
    assert result.runs[0].name == name
    with pytest.raises(ValueError, match=r"no online method.*vfdt"):
        online_method("vfd")
