"""Sparse matrices whose arrays do not fit together are refused; SciPy would crash."""

import numpy as np
import pytest
from scipy import sparse

import ramify

N_ROWS, N_COLUMNS = 30, 6


def whole(form):
    """Make a sound matrix."""
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(N_ROWS, N_COLUMNS)) * (
        rng.random((N_ROWS, N_COLUMNS)) < 0.4
    )
    dense[0, 0] = 1.0
    if form == "bsr":
        return sparse.bsr_matrix(dense, blocksize=(3, 2))
    return sparse.csr_matrix(dense).asformat(form)


def set_entry(name, at, value):
    def damage(X):
        getattr(X, name)[at] = value

    damage.__name__ = f"{name}[{at}]={value}"
    return damage


def replace(name, change):
    def damage(X):
        setattr(X, name, change(getattr(X, name)))

    damage.__name__ = f"another {name}"
    return damage


def fall(X):
    X.indptr[3], X.indptr[4] = X.indptr[4], X.indptr[3] - 1


def add_key(X):
    X._dict[(0, 10**6)] = 1.0


def lengthen_row(X):
    X.rows[2].append(1)


def name_far_column(X):
    X.rows[2], X.data[2] = [10**6], [1.0]


COMPRESSED = [
    set_entry("indices", 0, 100),
    set_entry("indices", 0, 10**9),
    set_entry("indices", -1, -1),
    set_entry("indptr", 0, 5),
    set_entry("indptr", 0, -(10**6)),
    set_entry("indptr", -1, 10**6),
    set_entry("indptr", 2, 10**8),
    fall,
    replace("indptr", lambda a: a[:-2].copy()),
    replace("indices", lambda a: a[:3].copy()),
    replace("indices", lambda a: a.astype(float)),
    replace("data", lambda a: a[:3].copy()),
    replace("data", lambda a: a[:, None].copy()),
]
COORDINATES = [
    set_entry("row", 0, 10**6),
    set_entry("col", 0, 10**6),
    set_entry("col", 1, -7),
    replace("data", lambda a: a[:-4].copy()),
]
OTHERS = [
    ("dia", replace("offsets", lambda a: a[:-1].copy())),
    ("dia", replace("data", lambda a: a[0].copy())),
    ("lil", lengthen_row),
    ("lil", name_far_column),
    ("dok", add_key),
]
CASES = [
    *((form, damage) for form in ("csr", "csc", "bsr") for damage in COMPRESSED),
    *(("coo", damage) for damage in COORDINATES),
    *OTHERS,
]
every_damage = pytest.mark.parametrize(
    ("form", "damage"), CASES, ids=[f"{form}-{d.__name__}" for form, d in CASES]
)
Y = np.arange(N_ROWS) % 2


@every_damage
def test_arrays_that_do_not_fit_together_are_refused(form, damage):
    X = whole(form)
    damage(X)
    with pytest.raises(ValueError, match="whose arrays do not fit together"):
        ramify.DecisionTreeClassifier().fit(X, Y)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
@pytest.mark.parametrize("container", ["matrix", "array"])
def test_sound_matrices_of_every_format_give_the_tree_of_the_dense_one(form, container):
    X = whole(form)
    if container == "array":
        X = getattr(sparse, f"{form}_array")(X)
    dense = X.toarray()
    tree = ramify.DecisionTreeClassifier(random_state=0).fit(X, Y)
    same = ramify.DecisionTreeClassifier(random_state=0).fit(dense, Y)
    np.testing.assert_array_equal(tree.tree_.threshold, same.tree_.threshold)
    np.testing.assert_array_equal(tree.apply(X), same.apply(dense))


def entries():
    X = whole("csr")
    tree = ramify.DecisionTreeClassifier(random_state=0).fit(X, Y)
    forest = ramify.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, Y)
    boosted = ramify.BoostedTreesRegressor(n_estimators=2).fit(X, Y * 1.0)
    return {
        "fit of a forest": lambda X: ramify.RandomForestClassifier().fit(X, Y),
        "fit of boosted trees": lambda X: ramify.BoostedTreesClassifier().fit(X, Y),
        "fit of an embedding": lambda X: ramify.RandomTreesEmbedding().fit(X),
        "fit of a regressor": lambda X: ramify.DecisionTreeRegressor().fit(X, Y),
        "fit with pruning": lambda X: ramify.DecisionTreeClassifier(prune="ccp_cv").fit(
            X, Y
        ),
        "fit of a tuned tree": lambda X: ramify.TunedTreeClassifier().fit(X, Y),
        "Table": ramify.Table,
        "predict": tree.predict,
        "predict_proba": tree.predict_proba,
        "apply": tree.apply,
        "decision_path": tree.decision_path,
        "tree_.apply": tree.tree_.apply,
        "tree_.predict": tree.tree_.predict,
        "predict of a forest": forest.predict,
        "predict of boosted trees": boosted.predict,
        "explain": lambda X: ramify.explain(tree, X),
        "refill": lambda X: ramify.refill(tree, X, Y),
        "prune": lambda X: ramify.prune(tree, "rep", X, Y),
    }


@pytest.fixture(scope="module")
def every_entry():
    return entries()


NAMES = (
    *("fit of a forest", "fit of boosted trees", "fit of an embedding"),
    *("fit of a regressor", "fit with pruning", "fit of a tuned tree", "Table"),
    *("predict", "predict_proba", "apply", "decision_path", "tree_.apply"),
    *("tree_.predict", "predict of a forest", "predict of boosted trees", "explain"),
    *("refill", "prune"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_every_entry_looks_before_scipy_converts(name, form, every_entry):
    X = whole(form)
    (X.col if form == "coo" else X.indices)[0] = 10**8
    with pytest.raises(ValueError, match=r"10\d*, which is not from 0 to"):
        every_entry[name](X)
