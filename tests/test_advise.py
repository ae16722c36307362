# SPDX-License-Identifier: BSD-3-Clause
"""Advice: honest nested cross-validation, a plain verdict, and lines that repeat it."""

import json
import re
import shlex
import textwrap

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import ramify
from ramify.advice import Line, advising
from ramify.advice.candidates import METHODS
from ramify.advice.judging import Judgement
from ramify.cli import main
from ramify.datasets import Dataset, load

QUICK = {"cv": 5, "methods": ["entropy", "fisher"]}


def run(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def refused(*arguments):
    """Run bad input; return its one line on standard error."""
    result = run("advise", *arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def drawn(n_rows=600, n_columns=4, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, size=(n_rows, n_columns))


def kinds(advice):
    return {finding.kind: finding for finding in advice.findings}


@pytest.fixture(scope="module")
def slanted():
    X = drawn()
    return ramify.advise(X, (X.sum(axis=1) > 0).astype(int), cv=10)


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Write a file with text, gaps, a decimal comma and a column to leave out."""
    monkeypatch.chdir(tmp_path)
    data = load("passengers")
    names = ["a, b", *data.feature_names[1:]]
    lines = [";".join([f'"{name}"' for name in [*names, "number", "fate"]])]
    for i, row in enumerate(zip(*data.columns.values(), data.y, strict=True)):
        fields = ["" if v is None or v != v else str(v) for v in row[:-1]]
        fields[1] = fields[1].replace(".", ",")
        lines.append(";".join([*fields, str(i), "saved" if row[-1] else "lost"]))
    (tmp_path / "people.csv").write_text("\n".join(lines))
    return [
        *("people.csv", "--target", "fate", "--ignore", "number", "--decimal", ","),
        *("--categorical", '"a, b"', "--missing-values", "third"),
    ]


# --- verdicts --------------------------------------------------------------------


def test_gini_is_kept_where_one_cut_is_all_there_is():
    X = drawn()
    y = (X[:, 2] > 0.3).astype(int)
    advice = ramify.advise(X, y, **QUICK)
    assert (advice.winner, advice.is_gini_kept) == ("gini", True)
    assert advice.verdict.startswith("Keep gini. ")
    assert "no reliable difference (p = 1 " in advice.verdict
    assert advice.model.get_n_leaves() == 2


def test_slanted_border_wants_oblique_splits(slanted):
    assert slanted.winner in ("fisher", "wodt")
    assert isinstance(slanted.model, ramify.ObliqueTreeClassifier)
    assert slanted.verdict.startswith(f"Use {slanted.winner}. ")
    assert "a reliable difference (p = " in slanted.verdict
    assert "weighted sums of columns" in slanted.verdict
    assert slanted.p < 0.05
    assert slanted.tuned_score > slanted.gini_score + 0.02


def test_all_methods_have_a_line_and_gini_is_first(slanted):
    assert tuple(line.name for line in slanted.lines) == METHODS
    assert sum(line.n_chosen for line in slanted.lines) == 10
    assert {line.name for line in slanted.lines if line.is_oblique} == {
        "fisher",
        "wodt",
    }


def test_rare_class_is_better_ranked_by_hellinger_trees():
    advice = ramify.advise("imbalanced", methods=["hddt"], metric="auc")
    assert advice.winner == "hddt"
    assert advice.tuned_score > advice.gini_score + 0.1
    assert "AUC" in advice.verdict


def test_less_log_loss_is_better():
    advice = ramify.advise("imbalanced", methods=["hddt"], metric="log_loss", cv=10)
    assert advice.winner == "hddt"
    assert 0 < advice.tuned_score < advice.gini_score


def test_rare_class_without_reliable_difference_keeps_gini():
    advice = ramify.advise("imbalanced", methods=["hellinger", "ihd"], cv=5)
    assert advice.metric == "balanced_accuracy"
    assert any("because a class is rare" in note for note in advice.notes)
    assert advice.p > 0.05
    assert advice.winner == "gini"


@pytest.mark.parametrize(
    ("tuned", "best", "p", "winner", "words"),
    [
        (0.8, 1, 0.001, "gini", "Keep gini. .* choosing was reliably worse"),
        (0.8, 1, 0.4, "gini", "Keep gini. .* no reliable difference"),
        (0.95, 1, 0.051, "gini", "Keep gini. .* no reliable difference"),
        (0.95, 0, 0.001, "gini", "Keep gini. .* but on all rows gini itself was best"),
        (0.95, 1, 0.049, "entropy", "Use entropy. .* a reliable difference"),
    ],
)
def test_only_a_reliable_difference_unseats_gini(
    monkeypatch, tuned, best, p, winner, words
):
    lines = [Line(name, False, 0.9, 4.0, 2.0, 5) for name in ("gini", "entropy")]
    by_fold = np.zeros((2, 5))
    said = Judgement(lines, best, np.full(5, tuned), np.full(5, 0.9), p, by_fold, 0.2)
    monkeypatch.setattr(advising, "judge", lambda *given, **options: said)
    advice = ramify.advise("iris", methods=["entropy"], cv=5)
    assert advice.winner == winner
    assert re.match(words, advice.verdict)
    assert advice.model.criterion == winner


def test_trees_of_your_own_may_be_tried():
    tree = ramify.DecisionTreeClassifier("entropy", max_depth=3)
    advice = ramify.advise("wine", methods=[tree], cv=5)
    assert [line.name for line in advice.lines] == ["gini", "DecisionTreeClassifier"]
    assert advice.lines[1].depth <= 3


@pytest.mark.parametrize("name", ["iris", "imbalanced_classes"])
def test_nested_folds_are_as_by_hand(name):
    data = load(name)
    advice = ramify.advise(data, methods=["entropy", "ihd"], cv="2x5")
    trees = [
        ramify.DecisionTreeClassifier(criterion, random_state=0)
        for criterion in ("gini", "entropy", "ihd")
    ]

    def score(tree, train, test):
        predicted = tree.fit(data.X[train], data.y[train]).predict(data.X[test])
        if name == "iris":
            return (predicted == data.y[test]).mean()
        return balanced_accuracy_score(data.y[test], predicted)

    seeds = [0, int(np.random.SeedSequence([0, 1]).generate_state(1)[0])]
    tuned, gini, chosen = [], [], []
    for seed in seeds:
        outer = StratifiedKFold(5, shuffle=True, random_state=seed)
        for train, test in outer.split(data.X, data.y):
            inner = StratifiedKFold(3, shuffle=True, random_state=0)
            folds = [(train[a], train[b]) for a, b in inner.split(train, data.y[train])]
            means = [np.mean([score(tree, *fold) for fold in folds]) for tree in trees]
            chosen.append(int(np.argmax(np.round(means, 12))))
            tuned.append(score(trees[chosen[-1]], train, test))
            gini.append(score(trees[0], train, test))
    assert [line.n_chosen for line in advice.lines] == np.bincount(
        chosen, minlength=3
    ).tolist()
    assert advice.tuned_score == pytest.approx(np.mean(tuned))
    assert advice.gini_score == pytest.approx(np.mean(gini))
    difference = np.array(tuned) - gini
    t = difference.mean() / np.sqrt((1 / 10 + 1 / 4) * difference.var(ddof=1))
    assert advice.p == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert advice.lines[0].score == pytest.approx(np.mean(gini))


def test_threads_change_nothing():
    one, two = (ramify.advise("wine", **QUICK, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.to_dict() | {"seconds": 0} == two.to_dict() | {"seconds": 0}


# --- diagnosis -------------------------------------------------------------------


def test_what_is_unusual_is_found():
    rng = np.random.RandomState(0)
    n = 400
    y = (rng.uniform(size=n) < 0.1).astype(int)
    text = np.array([f"level {i}" for i in rng.randint(60, size=n)], dtype=object)
    columns = {
        "good": rng.normal(size=n) + y,
        "row": np.arange(n, dtype=float),
        "name": np.array([f"n{i}" for i in range(n)], dtype=object),
        "same": np.full(n, 7.0),
        "nothing": np.full(n, np.nan),
        "many": text,
        "gaps": np.where(rng.uniform(size=n) < 0.3, np.nan, rng.normal(size=n)),
        "answer": np.where(y == 1, "yes", "no").astype(object),
    }
    data = Dataset("odd", list(columns.values()), y, list(columns), "01", "Odd.")
    advice = ramify.advise(data, **QUICK)
    found = kinds(advice)
    assert {kind: one.columns for kind, one in found.items()} == {
        "rare class": (),
        "no values": ("nothing",),
        "constant": ("same",),
        "id": ("row", "name"),
        "many levels": ("many",),
        "missing values": ("gaps",),
        "leak": ("answer",),
    }
    n_rare = int(y.sum())
    assert f"{n_rare} of 400 rows ({n_rare / 400:.1%})" in found["rare class"].text
    shown = " ".join(str(advice).split())
    for finding in advice.findings:
        assert f"- {finding.text}" in shown


def test_copies_and_contradictions_are_counted():
    X = np.vstack([drawn(60), drawn(60)[:5], drawn(60)[7:9]])
    X[:, 0] = np.where(np.arange(67) == 3, -0.0, X[:, 0])
    X[63, 0] = 0.0
    y = np.arange(67) % 2
    y[60:65] = y[:5]
    y[65:] = 1 - y[7:9]
    found = kinds(ramify.advise(X, y, **QUICK))
    assert found["duplicates"].text.startswith("5 of 67 rows (7.5%) are copies")
    assert "different labels (2 cases)" in found["contradictions"].text


def test_text_copies_are_found_too():
    rows = [["a", 1.0], ["b", np.nan], ["a", 1.0], ["b", np.nan], [None, 1.0]] * 3
    columns = [
        np.array([row[0] for row in rows], dtype=object),
        np.array([row[1] for row in rows]),
    ]
    y = np.array([0, 1, 0, 1, 1] * 3)
    data = Dataset("d", columns, y, ["t", "n"], "01", "Made.")
    found = kinds(ramify.advise(data, methods=["entropy"], cv=3))
    assert found["duplicates"].text.startswith("12 of 15 rows")
    assert "contradictions" not in found


def test_clean_data_have_nothing_unusual():
    X = drawn()
    advice = ramify.advise(X, (X.sum(axis=1) > 0).astype(int), **QUICK)
    assert advice.findings == ()
    assert "- nothing unusual about the data." in str(advice)


# --- sizes -----------------------------------------------------------------------


def test_many_rows_are_sampled_for_the_comparison_only():
    X = drawn(2000)
    y = np.where(X[:, 0] > 0.98, 2, (X[:, 1] > 0).astype(int))
    advice = ramify.advise(X, y, max_rows=300, **QUICK)
    n_rare = int((y == 2).sum())
    assert n_rare < 60
    note = next(note for note in advice.notes if "compared on" in note)
    n_compared = int(note.split(" of 2000 rows")[0].split()[-1])
    assert 300 <= n_compared <= 310
    assert advice.n_rows == 2000
    whole = ramify.DecisionTreeClassifier(random_state=0).fit(X, y)
    assert advice.model.get_n_leaves() == whole.get_n_leaves()


def test_many_columns_leave_slow_methods_out():
    X = drawn(60, 151)
    advice = ramify.advise(X, (X[:, 0] > 0).astype(int), cv=2)
    assert "fisher and wodt left out: with 151 columns" in advice.notes[0]
    assert [line.name for line in advice.lines] == list(METHODS[:-2])


def test_rare_classes_set_the_number_of_folds():
    X = drawn(63)
    y = np.repeat([0, 1, 2], [40, 20, 3])
    assert ramify.advise(X, y, methods=["entropy"]).cv == "3x3"
    assert ramify.advise(X[:60], y[:60], methods=["entropy"]).cv == "3x10"
    with pytest.raises(ValueError, match="class '2' has 2 rows, too few for 2 folds"):
        ramify.advise(X[:62], y[:62])
    with pytest.raises(ValueError, match=r"class '2' has 3 rows, .* use cv=3 or less"):
        ramify.advise(X, y, cv=10)


# --- data of all kinds -----------------------------------------------------------


def test_frames_arrays_and_data_sets_get_the_same_advice():
    pandas = pytest.importorskip("pandas")
    data = load("passengers")
    frame = pandas.DataFrame(
        {
            name: pandas.Categorical(values) if values.dtype == object else values
            for name, values in data.columns.items()
        }
    )
    by_data = ramify.advise(data, **QUICK)
    by_frame = ramify.advise(frame, data.y, **QUICK)
    assert by_data.tuned_score == by_frame.tuned_score
    assert by_data.p == by_frame.p
    assert (by_frame.model.predict(frame) == by_data.model.predict(data.raw())).all()
    assert by_data.command is by_frame.command is None


def test_categories_need_no_names():
    """An array has none, so that its columns are told by place."""
    X = np.array([["a", 1.5], ["b", 2.5]] * 30, dtype=object)
    advice = ramify.advise(X, [0, 1] * 30, methods=["entropy"], cv=2)
    assert "categorical_features=[0]" in advice.python
    assert advice.model.predict(X[:2]).tolist() == [0, 1]


def test_method_that_cannot_take_gaps_is_left_out_with_a_note():
    advice = ramify.advise("passengers", methods=["csn", "entropy"], cv=5)
    assert [line.name for line in advice.lines] == ["gini", "entropy"]
    assert advice.notes[0].startswith("csn left out: it takes numbers without missing")
    with pytest.raises(ValueError, match=r"nothing to choose from but gini.*csn left"):
        ramify.advise("passengers", methods=["csn"])


def test_progress_is_told():
    told = []
    ramify.advise(
        "iris", **QUICK, progress=lambda done, total, what: told.append((done, total))
    )
    assert told == [(i, 6) for i in range(7)]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((drawn(50),), {}, "labels of the data, a ndarray, are missing"),
        (("iris", [0, 1]), {}, "y is for arrays"),
        ((load("iris"), [0, 1]), {}, "a Dataset has its labels"),
        (
            (drawn(50), np.arange(50) % 2),
            {"target": "y"},
            "give y, or target='y', not both",
        ),
        ((load("iris"),), {"ignore": ["x"]}, "ignore is for files"),
        ((drawn(50), np.zeros(50)), {}, "has one class only, '0"),
        (("iris",), {"metric": "acuracy"}, "'acuracy' is unknown; did you mean 'acc"),
        (("iris",), {"metric": "leaves"}, "metric 'leaves' is unknown"),
        (("iris",), {"methods": ["ginny"]}, "'ginny' is unknown; did you mean 'gini'"),
        (("iris",), {"methods": ["gini"]}, "nothing to choose from but gini"),
        (("iris",), {"cv": "x"}, "cv='x' is not understood"),
        (("iris",), {"max_rows": 1}, "max_rows=1 is not allowed"),
        (("iris",), {"max_rows": 10.5}, r"max_rows=10\.5 is not allowed"),
        (("iris",), {"target": "species"}, "target is for files, but 'iris'"),
        (("iris",), {"methods": [SVC()]}, "'SVC' is a SVC, no tree of Ramify"),
        ((drawn(50), np.zeros((50, 2))), {}, r"y has shape \(50, 2\); give one label"),
    ],
)
def test_wrong_wishes_are_clear_errors(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        ramify.advise(*arguments, **options)


# --- the command -----------------------------------------------------------------


@pytest.mark.parametrize(
    "methods", ["c45", "entropy,fisher", "gini + 0.01 * hellinger", "chaid"]
)
def test_command_and_python_lines_give_the_same_model(people, tmp_path, methods):
    options = ["--methods", methods, "--cv", "3", "-o", "advised.ramify"]
    done = run("advise", *people, *options, "--json")
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    advised = ramify.load("advised.ramify")
    words = shlex.split(said["command"])
    assert words[:2] == ["ramify", "fit"]
    assert words[-1] == "advised.ramify"
    again = run(*words[1:-1], "again.ramify")
    assert again.exit_code == 0, again.stderr
    scope = {}
    exec(said["python"], scope)
    data = scope["data"]
    assert data.categorical[0] == "a, b"
    assert "number" not in data.feature_names
    for other in (ramify.load("again.ramify"), scope["model"]):
        assert type(other) is type(advised)
        expected = advised.predict_proba(data.raw())
        assert np.array_equal(other.predict_proba(data.raw()), expected)
        assert ramify.export_text(other) == ramify.export_text(advised)


@pytest.mark.parametrize("method", ["hellinger", "fisher"])
def test_python_that_the_command_prints_runs(tmp_path, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    result = run("advise", "iris", "--methods", method, "--random-state", 7)
    assert result.exit_code == 0, result.output
    python = textwrap.dedent(result.output.rpartition("In Python:\n")[2])
    exec(compile(python, "<printed>", "exec"), {})
    assert ramify.load(tmp_path / "model.ramify").get_params()["random_state"] == 7


def test_winner_other_than_gini_is_repeated_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = drawn()
    rows = [",".join(map(repr, [*x.tolist(), int(x.sum() > 0)])) for x in X]
    (tmp_path / "slanted.csv").write_text("\n".join(["a,b,c,d,side", *rows]))
    options = ["--target", "side", "--cv", "10", "--methods", "ihd,fisher,wodt"]
    done = run("advise", "slanted.csv", *options, "-o", "m.ramify")
    assert done.exit_code == 0, done.stderr
    assert "Use " in done.stdout
    assert done.stdout.endswith("\nModel: m.ramify\n")
    line = next(line for line in done.stdout.splitlines() if "ramify fit" in line)
    assert "--method " in line
    advised = ramify.load("m.ramify")
    assert run(*shlex.split(line)[1:-1], "again.ramify").exit_code == 0
    again = ramify.load("again.ramify")
    names = ["a", "b", "c", "d"]
    data = Dataset("d", X, np.zeros(600), names, [], "-")
    assert np.array_equal(
        advised.predict_proba(data.raw()), again.predict_proba(data.raw())
    )


def test_data_sets_by_name_have_their_labels():
    result = run("advise", "iris", "--methods", "entropy", "--cv", "3")
    assert result.exit_code == 0, result.output
    assert "ramify.datasets.load('iris')" in result.stdout


def test_bad_input_is_one_line(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i},{i % 2}\n" for i in range(20)))
    assert "d.csv needs --target" in refused(path)
    assert "has no column 'z' for the target" in refused(path, "--target", "z")
    assert "did you mean 'ihd'" in refused(path, "--target", "y", "--methods", "idh")
    assert "metric 'x' is unknown" in refused(path, "--target", "y", "--metric", "x")
    assert "is a folder" in refused(tmp_path, "--target", "y")
    assert "cannot open" in refused(tmp_path / "no.csv", "--target", "y")
    assert "no folder" in refused(path, "--target", "y", "-o", tmp_path / "no" / "m")
    path.write_text("x,y\n1,a\n2,a\n3,\n")
    assert "one class only, 'a'" in refused(path, "--target", "y")
    path.write_text("x,y\n1,\n2,NA\n")
    assert "has no labels" in refused(path, "--target", "y")
    path.write_text("x,y\n1,a\n2,a\n3,b\n")
    assert "class 'b' has 1 row, too few" in refused(path, "--target", "y")


def test_the_smallest_tree_that_is_not_reliably_worse_is_named_with_its_rules():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(2)
    y = np.where(rng.random(300) < 0.25, rng.integers(0, 2, 300), X[:, 0] > 0)
    advice = ramify.advise(X, y, methods=["entropy", "cart_1se"], cv=5)
    assert advice.smallest == "cart_1se"
    leaves = {line.name: line.leaves for line in advice.lines}
    assert leaves["cart_1se"] < leaves["gini"] / 5
    assert 1 <= len(advice.small_rules) <= 12
    assert len(advice.small_rules) == advice.small_model.get_n_leaves()
    assert all(rule in str(advice) for rule in advice.small_rules)
    if advice.winner != "cart_1se":
        assert advice.verdict.startswith("The smallest tree that is not reliably worse")
    assert advice.shown().rows[0][0] == "cart_1se"
    assert advice.table()[1].startswith("cart_1se")
    assert "small_model" not in advice.to_dict()
    big = ramify.advise(X, y, methods=["entropy"], cv=3)
    assert big.small_rules == ()


def test_a_model_of_a_messy_file_knows_how_it_was_read(tmp_path, monkeypatch):
    """Its rules have dates and whole numbers, and `predict` takes the file as it is."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    days = np.datetime64("2015-01-01") + rng.integers(1000, size=200)
    ages = rng.integers(18, 80, size=200)
    lines = ["Kunden;;", "seit;alter;umsatz;y"]
    for day, age in zip(days.tolist(), ages.tolist(), strict=True):
        label = "j\u00e4" if (day.year > 2016) != (age > 50) else "nein"
        lines.append(f"{day:%d.%m.%Y};{age};1.{age}0,5 EUR;{label}")
    text = "\n".join(lines) + "\n"
    (tmp_path / "d.csv").write_bytes(text.encode("cp1252"))
    words = ["d.csv", "--target", "y", "--dates", "numeric", "--encoding", "cp1252"]
    words += ["--skip-lines", "1", "--methods", "entropy", "--cv", "3"]
    done = run("advise", *words, "-o", "m.ramify")
    assert done.exit_code == 0, done.stderr
    assert re.search(r"seit >=? 201[67]-\d\d-\d\d", done.stdout)
    assert not re.search(r"(alter|umsatz) <= \d+\.5", done.stdout)
    python = done.stdout.rpartition("In Python:\n")[2].rpartition("\n\nModel")[0]
    exec(compile(textwrap.dedent(python), "<printed>", "exec"), {})
    predicted = run("predict", "m.ramify", "d.csv")
    assert predicted.exit_code == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 201
