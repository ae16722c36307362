# SPDX-License-Identifier: BSD-3-Clause
"""Trees that learn row by row: the numbers of the design page, and laws."""

import ctypes
import pickle

import numpy as np
import pandas as pd
import pytest
from common_checks import assert_common_checks_pass
from test_online_bounds import mix
from twins import gini

import ramify
from ramify import OnlineTreeClassifier
from ramify.criteria import names
from ramify.datasets import streams
from ramify.estimators.online import first_certain

WEIGHTS_ARE_NO_REPEATS = (
    "attempts count rows: a weight of 2 is not the same as the row twice"
)


def rows(n):
    """Three columns of digits; the class follows two of them, with noise."""
    i = np.arange(n, dtype=np.uint64)
    X = np.stack([mix(4 * i + np.uint64(j)) % np.uint64(10) for j in range(3)], 1)
    y = (X[:, 0] > 4) | (X[:, 1] > 6)
    turned = mix(4 * i + np.uint64(3)) % np.uint64(10) == 0
    return X.astype(float), (y ^ turned).astype(int)


def with_cuts(model, n_columns=3, n_classes=2):
    """Return a model that knows its cuts: halfway between the digits."""
    X = np.zeros((1, n_columns))
    model.partial_fit(X, [0], classes=range(n_classes), sample_weight=[0.0])
    model._model = model._start(model._columns, n_classes)
    model._model.set_cuts([np.arange(9) + 0.5] * n_columns)
    return model


def state(model):
    return model._model.state()


def splits(model):
    return [(e["row"], e["column"], e["threshold"]) for e in model.history_]


def mixed(n, seed=0):
    """Numbers, text and gaps; categories that come late."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "city": rng.choice(["Bonn", "Oslo", "Rome", None], n),
            "shade": rng.integers(0, 5, n).astype(float),
        }
    )
    X.loc[n // 2 :, "city"] = rng.choice(["Bonn", "Ulm", "Kiel", "Rom", "Oslo"], n // 2)
    X.loc[rng.random(n) < 0.1, "size"] = np.nan
    ok = (X["size"].fillna(1) > 0) ^ X["city"].isin(["Oslo", "Ulm"])
    y = np.where(ok ^ (rng.random(n) < 0.05), "yes", "no")
    return X, y


# --- the numbers of the design page ---------------------------------------------------


def test_the_rows_of_the_example():
    X, y = rows(20_000)
    assert X[:3].astype(int).tolist() == [[5, 5, 0], [8, 8, 2], [2, 8, 6]]
    assert y[:3].tolist() == [1, 1, 1]
    assert y.sum() == 12390


@pytest.mark.parametrize("criterion", ["gini", "hellinger"])
def test_the_tree_of_the_example(criterion):
    X, y = rows(20_000)
    tree = with_cuts(OnlineTreeClassifier(criterion, leaf="majority"))
    said = tree.test_then_train(X, y)
    assert (said == y).sum() == 17878
    first, second = tree.history_
    assert (first["row"], first["column"], first["threshold"]) == (200, "x0", 4.5)
    assert first["information"] == pytest.approx(30.182189, abs=1e-6)
    assert first["needed"] == pytest.approx(15.830327, abs=1e-6)
    assert first["attempt"] == 2
    assert (second["row"], second["column"], second["threshold"]) == (403, "x1", 6.5)
    assert second["information"] == pytest.approx(35.318766, abs=1e-6)
    assert second["needed"] == pytest.approx(14.565119, abs=1e-6)
    assert (second["attempt"], second["table"].sum()) == (1, 100)


def test_every_criterion_of_counts_finds_the_splits_of_the_example():
    X, y = rows(3000)
    n_alike = 0
    for criterion in names():
        tree = with_cuts(OnlineTreeClassifier(criterion, leaf="majority"))
        right = (tree.test_then_train(X, y) == y).sum()
        if criterion == "weighted_information_gain":
            assert splits(tree) == [
                (200, "x0", 6.5),
                (360, "x1", 6.5),
                (574, "x0", 4.5),
            ]
            assert right == 2555
            continue
        assert splits(tree) == [(200, "x0", 4.5), (403, "x1", 6.5)], criterion
        assert right == 2599
        n_alike += 1
    assert n_alike == 41


def test_functions_of_users_find_them_too():
    X, y = rows(3000)
    tree = with_cuts(OnlineTreeClassifier(gini, leaf="majority"))
    assert (tree.test_then_train(X, y) == y).sum() == 2599
    assert splits(tree) == [(200, "x0", 4.5), (403, "x1", 6.5)]

    doubles = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(
        None, doubles, doubles, ctypes.c_int, ctypes.c_int, doubles, ctypes.c_void_p
    )
    def compiled(parent, left, k, m, out, data):
        before = np.ctypeslib.as_array(parent, (k,))
        on_left = np.ctypeslib.as_array(left, (k, m)).T
        scores = gini(before, on_left, before - on_left)
        np.ctypeslib.as_array(out, (m,))[:] = scores

    tree = with_cuts(OnlineTreeClassifier("gini + 0 * entropy", leaf="majority"))
    assert (tree.test_then_train(X, y) == y).sum() == 2599


def test_noise_is_not_split():
    X, _ = rows(20_000)
    y = (mix(np.uint64(10**9) + np.arange(20_000, dtype=np.uint64)) & np.uint64(1)) > 0
    tree = with_cuts(OnlineTreeClassifier()).partial_fit(X, y.astype(int))
    assert tree.history_ == []


# --- laws -----------------------------------------------------------------------------


@pytest.mark.parametrize("drift", [None, "replace", "reevaluate"])
def test_batches_do_not_matter(drift):
    X, y = mixed(4000)
    models, answers = [], []
    for size in (1, 7, 1000, 4000):
        tree = OnlineTreeClassifier(drift=drift, warm_up=300, grace_period=60)
        n = {1: 200, 7: 700}.get(size, 4000)  # small frames are slow to read
        said = [
            tree.test_then_train(
                X[i : i + size], y[i : i + size], classes=["no", "yes"]
            )
            for i in range(0, n, size)
        ]
        if n < 4000:
            tree.partial_fit(X[n:], y[n:])
        models.append(state(tree))
        answers.append(np.concatenate(said)[:200])
    assert len(set(models)) == 1
    assert all((each == answers[0]).all() for each in answers)


def test_one_row_at_a_time_is_the_same():
    X, y = mixed(3000)
    named = {"warm_up": 300, "categorical_features": ["city"]}
    tree = OnlineTreeClassifier(**named).fit(X, y)
    learn = (other := OnlineTreeClassifier(**named)).row_learner(["yes", "no"])
    said = [learn(row, y[i]) for i, row in enumerate(X.to_dict("records"))]
    assert state(other) == state(tree)
    said_by_batch = OnlineTreeClassifier(**named).test_then_train(X, y)
    assert said == said_by_batch.tolist()


def test_rows_without_names_are_lists():
    X, y = rows(2000)
    tree = OnlineTreeClassifier(warm_up=100).fit(X, y)
    learn = (other := OnlineTreeClassifier(warm_up=100)).row_learner([0, 1])
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        learn(row, label)
    assert state(other) == state(tree)


def test_lists_and_tables_of_leaves_count_alike():
    """A leaf becomes a table after some rows; then the sums are the same."""
    X, y = rows(6000)
    few = with_cuts(OnlineTreeClassifier(grace_period=10)).partial_fit(X, y)
    many = with_cuts(OnlineTreeClassifier(grace_period=1000)).partial_fit(X, y)
    assert few.get_n_leaves() == many.get_n_leaves() == 3
    for event in many.history_:  # by hand, from the rows of the leaf
        assert event["table"].sum() >= 1000
    first = many.history_[0]
    on_left = X[: first["row"], int(first["column"][1])] <= first["threshold"]
    by_hand = [
        np.bincount(y[: first["row"]][on_left == side]) for side in (True, False)
    ]
    assert (first["table"] == by_hand).all()


@pytest.mark.parametrize("drift", [None, "replace", "reevaluate"])
def test_saved_and_loaded_it_goes_on_as_if_never_stopped(drift, tmp_path):
    X, y = mixed(3000)
    tree = OnlineTreeClassifier("entropy", drift=drift, warm_up=200, delta=0.2)
    tree.partial_fit(X[:1700], y[:1700], classes=["no", "yes"])
    tree.save(tmp_path / "tree.ramify")
    loaded = ramify.load(tmp_path / "tree.ramify")
    copied = pickle.loads(pickle.dumps(tree))
    for each in (tree, loaded, copied):
        each.partial_fit(X[1700:], y[1700:])
        each.save(tmp_path / "again.ramify")
        if each is tree:
            expected = (tmp_path / "again.ramify").read_bytes()
        assert (tmp_path / "again.ramify").read_bytes() == expected


def test_a_damaged_state_is_refused():
    X, y = rows(2000)
    tree = OnlineTreeClassifier(warm_up=100).fit(X, y)
    whole = state(tree)
    other = tree._start(tree._columns, 2)
    for damaged in (whole[:-1], whole + b"\0", whole[:50], b""):
        with pytest.raises(ValueError, match=r"bytes|damaged"):
            other.restore(damaged)
    rng = np.random.default_rng(0)
    for _ in range(300):  # any byte: an error, or a state that can go on
        changed = bytearray(whole)
        changed[rng.integers(len(whole))] ^= int(rng.integers(1, 256))
        try:
            other.restore(bytes(changed))
        except ValueError:
            continue
        other.predict(X[:20])


def test_a_snapshot_predicts_what_majority_leaves_say(tmp_path):
    X, y = mixed(4000)
    tree = OnlineTreeClassifier(leaf="majority", max_categories=4, delta=0.3).fit(X, y)
    assert tree.get_n_leaves() > 2
    frozen = tree.snapshot()
    assert (frozen.predict(X) == tree.predict(X)).all()
    new = X.assign(city="Lima")
    assert (frozen.predict(new) == tree.predict(new)).all()
    assert np.allclose(frozen.predict_proba(X), tree.predict_proba(X))
    frozen.save(tmp_path / "frozen.ramify")
    assert (ramify.load(tmp_path / "frozen.ramify").predict(X) == tree.predict(X)).all()
    assert "size" in ramify.export_text(frozen)


def test_a_row_without_weight_is_no_row():
    X, y = rows(3000)
    weight = (np.arange(3000) % 3 > 0).astype(float)
    kept = weight > 0
    one = OnlineTreeClassifier(warm_up=200).partial_fit(
        X, y, classes=[0, 1], sample_weight=weight
    )
    two = OnlineTreeClassifier(warm_up=200).partial_fit(
        X[kept], y[kept], classes=[0, 1]
    )
    assert (one.predict_proba(X) == two.predict_proba(X)).all()
    assert one.tree_.node_count == two.tree_.node_count > 1


def test_all_weights_times_a_number_give_the_same_tree():
    X, y = rows(3000)
    weight = 1.0 + (np.arange(3000) % 4)
    trees = [
        OnlineTreeClassifier("hellinger", leaf="majority", warm_up=200).partial_fit(
            X, y, classes=[0, 1], sample_weight=weight * scale
        )
        for scale in (1, 64)
    ]
    assert splits(trees[0]) == splits(trees[1])
    assert len(splits(trees[0])) > 0


def test_columns_that_say_nothing():
    X, y = rows(2000)
    empty = np.column_stack([X, np.full(2000, np.nan), np.full(2000, 7.0)])
    tree = OnlineTreeClassifier(warm_up=100).fit(empty, y)
    plain = OnlineTreeClassifier(warm_up=100).fit(X, y)
    assert [e["column"] for e in tree.history_] == [e["column"] for e in plain.history_]
    nothing = OnlineTreeClassifier().fit(np.full((1000, 2), np.nan), y[:1000])
    assert nothing.get_n_leaves() == 1


def test_new_categories_and_classes():
    X, y = mixed(1000)
    tree = OnlineTreeClassifier(new_classes="add", warm_up=50)
    tree.partial_fit(X[:400], y[:400])
    later = np.where(np.arange(600) % 50 == 0, "perhaps", y[400:])
    tree.partial_fit(X[400:], later)
    assert tree.classes_.tolist()[-1] == "perhaps"
    assert tree.predict_proba(X).shape == (1000, 3)
    one = OnlineTreeClassifier(new_classes="add", warm_up=50)
    one.partial_fit(X, np.concatenate([y[:400], later]))
    assert state(one) == state(tree)


def test_a_batch_that_fails_leaves_the_model_as_it_was():
    X, y = rows(4000)
    calls = 0

    def fails_late(parent, left, right):
        nonlocal calls
        calls += 1
        if calls > 12:
            raise RuntimeError("no more")
        return gini(parent, left, right)

    tree = OnlineTreeClassifier(fails_late, warm_up=100)
    tree.partial_fit(X[:500], y[:500], classes=[0, 1])
    before = state(tree)
    with pytest.raises(RuntimeError, match="no more"):
        tree.partial_fit(X[500:], y[500:])
    assert state(tree) == before
    with pytest.raises(ValueError, match="not among the classes"):
        tree.partial_fit(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="infinity"):
        tree.partial_fit([[0.0, np.inf, 1.0]], [0])
    assert state(tree) == before


def test_drift_is_followed():
    X, y = streams.sine(12_000, concepts=(0, 1), random_state=1)
    right = {}
    for drift in (None, "replace"):
        tree = OnlineTreeClassifier(drift=drift)
        right[drift] = (tree.test_then_train(X, y) == y)[7000:].mean()
    assert right["replace"] > right[None] + 0.05
    assert "replaced" in {event["event"] for event in tree.history_}


def test_memory_is_limited():
    X, y = streams.rbf(30_000, n_classes=8, n_columns=60)
    free = OnlineTreeClassifier(max_memory=None).fit(X, y)
    tight = OnlineTreeClassifier(max_memory="1MiB").fit(X, y)
    assert tight.n_bytes_ < 1.3 * 2**20 < free.n_bytes_, free.n_bytes_


@pytest.mark.parametrize("bound", ["mcdiarmid", "normal"])
def test_certain_of_the_column_needs_more(bound):
    X, y = rows(10_000)
    y = np.where(X[:, 1] > 8, y, (X[:, 0] > 4).astype(int))
    by_split = with_cuts(OnlineTreeClassifier(leaf="majority")).partial_fit(X, y)
    by_column = with_cuts(
        OnlineTreeClassifier(
            leaf="majority", certain="column", bound=bound, tie_threshold=0
        )
    ).partial_fit(X, y)
    assert by_column.history_[0]["row"] >= by_split.history_[0]["row"]
    assert by_column.history_[0]["column"] == "x0"


def test_hybrids_and_hoeffding():
    X, y = rows(10_000)
    for types in ((1, 1), (1, 2)):
        hybrid = first_certain("misclassification", "gini", types=types)
        tree = with_cuts(
            OnlineTreeClassifier(hybrid, certain="column", tie_threshold=0)
        )
        assert tree.partial_fit(X, y).history_
    with pytest.raises(ValueError, match="certain='column'"):
        OnlineTreeClassifier(hybrid).fit(X, y)
    with pytest.raises(TypeError, match="not a criterion"):
        ramify.DecisionTreeClassifier(hybrid).fit(X, y)
    vfdt = with_cuts(OnlineTreeClassifier("entropy", certain="hoeffding", delta=1e-7))
    assert vfdt.partial_fit(X, y).history_
    with pytest.raises(ValueError, match="range of the gain"):
        OnlineTreeClassifier("twoing", certain="hoeffding").fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "bnm"}, "is a measure"),
        ({"criterion": "gini + 0.1 * bnm"}, "looks at rows"),
        ({"criterion": "uplift"}, "needs"),
        ({"delta": 0}, "delta=0"),
        ({"leaf": "mean"}, "leaf='mean'"),
        ({"max_bins": 300}, "max_bins=300"),
        ({"class_weight": "balanced"}, "class_weight='balanced'"),
        ({"criterion": "twoing", "certain": "column", "bound": "mcdiarmid"}, "bound="),
    ],
)
def test_what_cannot_be_is_refused_at_once(parameters, message):
    X, y = rows(50)
    with pytest.raises(ValueError, match=message):
        OnlineTreeClassifier(**parameters).fit(X, y)


def test_labels_must_be_named_before_they_come_one_by_one():
    with pytest.raises(ValueError, match="classes"):
        OnlineTreeClassifier().partial_fit([[0.0]], [1])
    with pytest.raises(ValueError, match="classes"):
        OnlineTreeClassifier().row_learner()


def test_the_common_checks_of_scikit_learn_pass():
    failing = {
        f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS_ARE_NO_REPEATS
        for kind in ("dense", "sparse")
    }
    assert_common_checks_pass(OnlineTreeClassifier(), failing)


# --- noise ----------------------------------------------------------------------------


def test_noise_is_split_more_rarely_than_delta_allows():
    rng = np.random.default_rng(0)
    n_split = 0
    for _ in range(300):
        X, y = rng.random((1200, 3)), rng.integers(0, 2, 1200)
        tree = OnlineTreeClassifier(delta=0.5, warm_up=100, leaf="majority")
        n_split += len(tree.fit(X, y).history_) > 0
    assert n_split <= 150
