# SPDX-License-Identifier: BSD-3-Clause
"""Laws of pruning, and optimal methods against all subtrees."""

import io

import numpy as np
import oracle_pruning as slow
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from small_trees import Node, tree_of
from strategies import LAWS, random_table

import ramify
from ramify.pruning import counting
from ramify.pruning.nodes import Nodes
from ramify.pruning.sequence import risks, weakest_links
from ramify.pruning.settings import settings_of
from ramify.pruning.simplify import simplified

few, rare = settings(LAWS, max_examples=40), settings(LAWS, max_examples=10)


@st.composite
def small_trees(draw, most=400):
    """Draw a tree with counts in its nodes, and few enough subtrees to list."""
    n_classes = draw(st.integers(2, 4))
    count = st.integers(0, 9)

    def node(depth):
        wide = draw(st.integers(0, 4)) if depth < 4 else 0
        if depth == 0:
            wide = max(wide, 2)
        if wide < 2:
            return Node(tuple(draw(count) for _ in range(n_classes)))
        children = [node(depth + 1) for _ in range(min(wide, 3))]
        if all(sum(child.counts) == 0 for child in children):
            return Node((1,) * n_classes)
        counts = tuple(map(sum, zip(*(c.counts for c in children), strict=True)))
        return Node(
            counts,
            children,
            "number" if len(children) == 2 else "one branch per category",
            v=5,
        )

    root = node(0)
    assume(root.children and slow.n_subtrees(root) <= most)
    return root


def nodes_of(root):
    return Nodes(tree_of(root, 3))


@few
@given(small_trees(), st.sampled_from(["error", "gini", "entropy"]))
def test_a_path_is_nested_ascending_and_the_best_of_all_subtrees(root, name):
    nodes = nodes_of(root)
    whole = slow.total(root)
    sequence, _ = weakest_links(nodes.tree, risks(nodes, name))
    assert (np.diff(sequence.alphas) > 0).all()
    assert (np.diff(sequence.n_leaves) < 0).all()
    every = [
        (slow.risk_of_tree(small, name, whole), slow.n_leaves(small))
        for small in slow.subtrees(root)
    ]
    found = sequence.over_steps(risks(nodes, name))
    between = np.append(
        (sequence.alphas[:-1] + sequence.alphas[1:]) / 2, sequence.alphas[-1] + 1
    )
    for j, alpha in enumerate(between):
        cost = found[j] + alpha * sequence.n_leaves[j]
        best = min(r + alpha * n for r, n in every)
        assert cost == pytest.approx(best, abs=1e-9)
        smallest = min(n for r, n in every if r + alpha * n <= best + 1e-9)
        assert sequence.n_leaves[j] == smallest


def cut(nodes, method, **params):
    chosen = settings_of(method, params)
    rule = {
        "mep": counting.minimum_error,
        "pep": counting.pessimistic,
        "ebp": counting.error_based,
        "cvp": counting.critical_value,
    }[method]
    return rule(nodes, chosen).tree


def by_bits(nodes, bits):
    chosen = settings_of("mdl", {"test_bits": bits})
    return counting.description_length(nodes, chosen, None).tree


@few
@given(small_trees(), st.sampled_from([0.0, 0.5, 2.0, 10.0]))
def test_minimum_error_is_the_least_of_all_subtrees(root, m):
    nodes = nodes_of(root)
    prior = nodes.tree.value[0, 0]
    small = cut(nodes, "mep", m=m)
    is_leaf = small.children_left < 0
    weight = small.weighted_n_node_samples
    counts = (small.value[:, 0] * weight[:, None])[is_leaf]
    found = sum(
        slow.total(leaf) * slow.static_error(leaf, m, prior)
        for leaf in (Node(tuple(c)) for c in counts[weight[is_leaf] > 0])
    )
    every = [slow.expected_errors(one, m, prior) for one in slow.subtrees(root)]
    assert found == pytest.approx(min(every), abs=1e-6 * max(1, slow.total(root)))


@few
@given(small_trees(), st.sampled_from([0.0, 1.0, 6.0]))
def test_description_length_is_the_least_of_all_subtrees(root, bits):
    nodes = nodes_of(root)
    chosen = settings_of("mdl", {"test_bits": bits})
    path = counting.description_length(nodes, chosen, None).path
    found = min(path["as_leaf"][0], path["as_subtree"][0])
    every = min(slow.description(one, bits) for one in slow.subtrees(root))
    assert found == pytest.approx(every, abs=1e-9)


@few
@given(small_trees(), st.randoms(use_true_random=False))
def test_reduced_error_is_the_least_of_all_subtrees_and_the_smallest(root, random):
    nodes = nodes_of(root)
    held = np.zeros(nodes.counts.shape)
    tree = nodes.tree
    for t in range(tree.node_count - 1, -1, -1):
        below = tree.children(t)
        held[t] = (
            held[below].sum(axis=0)
            if below
            else [[random.randint(0, 4) for _ in range(tree.max_n_classes)]]
        )
    lost = nodes.lost(held)
    found = counting.bottom_up(tree, lost)
    small = tree.cut(found[0].astype(bool))

    def every(t):
        ways = [(lost[t], 1)]
        if tree.children(t):
            mixed = [(0.0, 0)]
            for child in tree.children(t):
                mixed = [(a + c, b + d) for a, b in mixed for c, d in every(child)]
            ways += mixed
        return ways

    least = min(error for error, _ in every(0))
    error = np.where(found[0].astype(bool), found[1], found[2])[0]
    assert error == pytest.approx(least)
    assert small.n_leaves == min(n for e, n in every(0) if e <= least + 1e-9)


@few
@given(small_trees())
def test_counting_methods_agree_with_the_slow_ones(root):
    nodes = nodes_of(root)
    for method, twin in (("pep", slow.pessimistic), ("ebp", slow.error_based)):
        params = {"raising": False} if method == "ebp" else {}
        small = cut(nodes, method, **params)
        assert slow.shape_of(small) == slow.shape(twin(root)), method


@few
@given(small_trees())
def test_pruning_twice_is_pruning_once(root):
    nodes = nodes_of(root)
    for again in (
        lambda n: cut(n, "mep"),
        lambda n: cut(n, "ebp", raising=False),
        lambda n: cut(n, "cvp"),
        lambda n: cut(n, "cvp", measure="gini", critical=0.1),
        lambda n: by_bits(n, 3.0),
        lambda n: (
            counting.cost_complexity(
                n, settings_of("ccp", {"alpha": 0.02, "risk": "gini"})
            ).tree
        ),
        lambda n: simplified(n),
    ):
        once = again(nodes)
        twice = again(Nodes(once))
        assert slow.shape_of(once) == slow.shape_of(twice)


@few
@given(small_trees(), st.sampled_from([0.25, 3.0, 1000.0]))
def test_scaled_weights_change_neither_links_nor_gains(root, factor):
    nodes = nodes_of(root)
    scaled = Nodes(nodes.tree, factor=factor)
    for name in ("error", "gini"):
        one, other = risks(nodes, name), risks(scaled, name)
        np.testing.assert_allclose(one, other, rtol=1e-12)
    a = cut(nodes, "cvp", measure="gini", critical=0.1)
    b = cut(scaled, "cvp", measure="gini", critical=0.1)
    assert a.n_leaves == b.n_leaves


def random_rows(seed, n=120, gaps=True):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, 4)).astype(object)
    X[:, 3] = np.array(["a", "b", "c", "d"], dtype=object)[rng.integers(0, 4, n)]
    y = (rng.random(n) < 0.3 + 0.4 * (X[:, 0].astype(int) > 3)).astype(int)
    if gaps:
        X[rng.random(X.shape) < 0.1] = None
    return X, y


METHODS = [
    ("ccp_cv", {"cv": 4}),
    ("ccp_cv", {"cv": 3, "risk": "gini", "loss": "brier", "se": 0}),
    ("ccp_cv", {"holdout": 0.3}),
    ("rep", {}),
    ("rep", {"refit": "none", "empty": "keep"}),
    ("rep", {"refit": "grow"}),
    ("ebp", {}),
    ("ebp", {"bound": "exact", "cf": 0.4}),
    ("mdl", {}),
    ("km", {}),
    ("cvp", {"critical": "cv", "cv": 3}),
]
WAYS = [
    {},
    {"missing": "fractional", "categories": "multiway_all", "unseen": "parent"},
]


def same(one, other):
    for name in ("feature", "threshold", "children_left", "split_value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_allclose(one.value, other.value, atol=1e-9)


@pytest.mark.parametrize("way", WAYS, ids=["plain", "j48"])
@pytest.mark.parametrize(("method", "params"), METHODS)
def test_row_order_and_threads_change_nothing(method, params, way):
    X, y = random_rows(3)
    model = ramify.DecisionTreeClassifier(prune=method, prune_params=params, **way)
    tree = model.fit(X, y).tree_
    order = np.random.default_rng(1).permutation(len(y))
    same(tree, model.set_params(n_jobs=2).fit(X[order], y[order]).tree_)


ALWAYS = [("pep", {}), ("mep", {}), ("cvp", {}), ("ccp", {"cp": 0.1})]
OF_REGRESSION = [
    *(("ccp_cv", {"cv": 3}), ("ccp_cv", {"holdout": 0.4, "se": 0})),
    *(("rep", {}), ("rep", {"refit": "none", "empty": "keep"})),
    *(("rep", {"refit": "grow"}), ("mep", {}), ("ccp", {"cp": 0.1})),
    ("cvp", {"critical": "cv", "cv": 2, "measure": "score"}),
]
KINDS = [
    *((ramify.DecisionTreeClassifier, *rule) for rule in METHODS + ALWAYS),
    *((ramify.DecisionTreeRegressor, *rule) for rule in OF_REGRESSION),
]


def assert_same_bits(one, other):
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


@st.composite
def weighed_rows(draw):
    """Draw rows of which many are equal, but for their weights, and another order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rng.integers(0, 4, (draw(st.integers(12, 60)), 2)).astype(np.float64)
    X[rng.random(X.shape) < draw(st.sampled_from([0, 0.1]))] = np.nan
    weight = rng.choice([0.1, 1 / 3, 1.0, 1.9], len(X))
    return X, rng.integers(0, 3, len(X)), weight, rng.permutation(len(X))


@pytest.mark.parametrize(("kind", "method", "params"), KINDS)
@settings(LAWS, max_examples=8)
@given(weighed_rows(), st.sampled_from(WAYS), st.sampled_from(["counts", "rows"]))
def test_row_order_changes_no_bit_where_equal_rows_have_unequal_weights(
    kind, method, params, data, way, counted
):
    X, y, weight, order = data
    if kind is ramify.DecisionTreeRegressor:
        y, way = y + 0.1, {"missing": way.get("missing", "both")}
    model = kind(prune=method, prune_params={**params, "weights": counted}, **way)
    tree = model.fit(X, y, weight).tree_
    other = model.fit(X[order], y[order], weight[order])
    assert_same_bits(tree, other.tree_)


@pytest.mark.parametrize("power", [-420, -40, 40, 329])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize(("method", "params"), OF_REGRESSION)
def test_the_unit_of_the_numbers_changes_no_pruned_tree(
    method, params, criterion, power
):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    model = ramify.DecisionTreeRegressor(criterion, prune=method, prune_params=params)
    here = model.fit(X, y).tree_
    there = model.fit(X, np.ldexp(y, power)).tree_
    for name in ("feature", "threshold", "children_left"):
        np.testing.assert_array_equal(here.array(name), there.array(name))
    np.testing.assert_array_equal(np.ldexp(here.value, power), there.value)
    assert here.n_leaves > 1


@pytest.mark.parametrize("power", [-400, -30, 30, 320])
def test_the_unit_of_the_numbers_changes_no_tree_made_smaller(power):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)

    def made(y):
        tree = ramify.DecisionTreeRegressor(max_depth=4).fit(X[:40], y[:40])
        yield ramify.prune(tree, "rep", X[40:], y[40:]).tree_
        yield ramify.refine(tree, X, y).tree_
        yield ramify.shrink(tree, "cv", X, y).tree_

    for here, there in zip(made(y), made(np.ldexp(y, power)), strict=True):
        np.testing.assert_array_equal(here.threshold, there.threshold)
        np.testing.assert_allclose(np.ldexp(here.value, power), there.value, rtol=1e-9)


def test_rows_to_prune_by_have_numbers_that_can_be_squared():
    tree = ramify.DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"y has 1e\+200 in row 0, which is beyond"):
        ramify.prune(tree, "rep", [[1.0]], [1e200])


@pytest.mark.parametrize("refit", ["values", "none"])
def test_nodes_count_the_held_rows_too_if_their_values_do(refit):
    X, y = load_iris(return_X_y=True)
    for make in (ramify.DecisionTreeClassifier, ramify.DecisionTreeRegressor):
        model = make(prune="rep", prune_params={"refit": refit}).fit(X, y)
        tree = model.tree_
        np.testing.assert_array_equal(tree.n_node_samples, tree.weighted_n_node_samples)
        held = model.n_rows_held_ if refit == "values" else 0
        assert tree.n_node_samples[0] == model.n_rows_grown_ + held


def test_prices_of_the_path_ascend_where_a_split_gains_nothing():
    # Rounding once made the price of the second split -5.6e-17.
    X = [[0, 0], [0, 0], [0, 1], [0, 1], [0, 0], [0, 0], [0, 1], [1, 1], [0, 1], [1, 1]]
    y = [2, 2, 0, 1, 1, 2, 0, 1, 1, 0]
    path = ramify.DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= 0).all()


@pytest.mark.parametrize("method", ["ccp_cv", "rep", "cvp"])
def test_the_path_of_an_estimator_that_prunes_is_that_of_the_whole_tree(method):
    X, y = load_iris(return_X_y=True)
    params = {"holdout": 0.3, "random_state": 1}
    model = ramify.DecisionTreeClassifier(prune=method, prune_params=params)
    found = model.cost_complexity_pruning_path(X, y)
    whole = ramify.DecisionTreeClassifier().cost_complexity_pruning_path(X, y)
    np.testing.assert_array_equal(found.ccp_alphas, whole.ccp_alphas)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["rep", "rep of numbers", "refined", "refilled"])
def test_row_order_changes_no_bit_of_a_tree_made_smaller_afterwards(kind, seed):
    X, y, weight = random_table(seed, n_rows=80, n_classes=3, distinct=4)
    order = np.random.default_rng(seed).permutation(len(y))
    weight = weight * np.random.default_rng(seed).choice([0.1, 1 / 3, 1.9], len(y))
    if kind == "rep of numbers":
        tree = ramify.DecisionTreeRegressor(max_depth=5).fit(X, y + 0.1)
    else:
        tree = ramify.DecisionTreeClassifier(max_depth=5).fit(X, y)

    def smaller(X, y, weight):
        if kind == "refined":
            return ramify.refine(tree, X, y, weight).tree_
        if kind == "refilled":
            return ramify.refill(tree, X, y, weight).tree_
        return ramify.prune(tree, "rep", X, y, weight).tree_

    there = smaller(X[order], y[order], weight[order])
    assert_same_bits(smaller(X, y, weight), there)


@pytest.mark.parametrize("way", WAYS, ids=["plain", "j48"])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        *(("ebp", {}), ("pep", {}), ("mep", {}), ("mdl", {}), ("cvp", {})),
        *(("ccp", {"alpha": 0.01}), ("ccp", {"cp": 0.1, "risk": "error"})),
        ("ccp_cv", None),
    ],
)
def test_a_weight_of_two_is_the_row_twice(method, params, way):
    X, y = random_rows(5)
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, len(y))
    fold = rng.integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weight)
    one = {"cv": fold} if method == "ccp_cv" else params
    other = {"cv": fold[twice]} if method == "ccp_cv" else params
    make = ramify.DecisionTreeClassifier
    a = make(prune=method, prune_params=one, **way).fit(X, y, weight).tree_
    b = make(prune=method, prune_params=other, **way).fit(X[twice], y[twice]).tree_
    same(a, b)


def test_pruning_when_fitted_is_pruning_afterwards():
    X, y = random_rows(7)
    for way in WAYS:
        full = ramify.DecisionTreeClassifier(**way).fit(X, y)
        for method, params in (
            *(("ebp", {"cf": 0.1}), ("pep", {}), ("mep", {"m": 9}), ("mdl", {})),
            *(("cvp", {}), ("km", {}), ("ccp", {"n_leaves": 5}), ("ccp_cv", {"cv": 3})),
        ):
            before = full.get_n_leaves()
            small = ramify.prune(full, method, X, y, **params)
            at_once = ramify.DecisionTreeClassifier(
                prune=method, prune_params=params, **way
            ).fit(X, y)
            np.testing.assert_array_equal(small.predict(X), at_once.predict(X))
            assert small.get_n_leaves() == at_once.get_n_leaves()
            assert full.get_n_leaves() == before
            assert full.prune is None
            assert small.prune == method


@rare
@given(st.integers(0, 10**6), st.floats(0, 0.1))
def test_ccp_by_impurity_is_ccp_alpha(seed, alpha):
    X, y = random_rows(seed)
    one = ramify.DecisionTreeClassifier(prune="ccp", prune_params={"alpha": alpha}).fit(
        X, y
    )
    other = ramify.DecisionTreeClassifier(ccp_alpha=alpha).fit(X, y)
    assert one.get_n_leaves() <= other.get_n_leaves()
    links = ramify.pruning.collapse_alphas(
        ramify.DecisionTreeClassifier().fit(X, y).tree_
    )
    if np.abs(links[np.isfinite(links)] - alpha).min(initial=1) > 1e-9:
        same(one.tree_, other.tree_)


def test_what_grew_a_tree_does_not_matter():
    X, y = load_iris(return_X_y=True)
    X = X[:, 2:3]  # one column: every criterion finds the same cuts in the end
    trees = {}
    for criterion in ("gini", "entropy", "twoing"):
        model = ramify.DecisionTreeClassifier(criterion, max_depth=2).fit(X, y)
        shape = slow.shape_of(model.tree_)
        for method in ("pep", "mep"):
            small = ramify.prune(model, method)
            trees.setdefault((shape, method), set()).add(slow.shape_of(small.tree_))
    assert all(len(found) == 1 for found in trees.values())


def test_saved_and_loaded_trees_prune_alike(tmp_path):
    X, y = random_rows(11)
    for way in WAYS:
        full = ramify.DecisionTreeClassifier(**way).fit(X, y)
        path = tmp_path / "full.ramify"
        ramify.save(full, path)
        small = ramify.prune(full, "ebp", X, y)
        same(ramify.prune(ramify.load(path), "ebp", X, y).tree_, small.tree_)
        ramify.save(small, path)
        loaded = ramify.load(path)
        same(loaded.tree_, small.tree_)
        assert (loaded.prune, loaded.prune_params) == ("ebp", None)


@rare
@given(st.integers(0, 10**6), st.sampled_from(["both", "left", "fractional"]))
def test_simplified_trees_predict_the_same_for_every_row(seed, missing):
    X, y = random_rows(seed, n=60)
    rng = np.random.default_rng(seed)
    new = random_rows(seed + 1, n=300)[0]
    new[rng.random(300) < 0.1, 3] = "never seen"
    new[:, 0] = [None if v is None else v + 0.5 for v in new[:, 0]]
    for categories in ("subset", "multiway", "multiway_all"):
        for costs in (None, [[0, 1], [4, 0]]):
            model = ramify.DecisionTreeClassifier(
                missing=missing, categories=categories, cost_matrix=costs
            ).fit(X, y)
            small = ramify.simplify(model)
            np.testing.assert_array_equal(small.predict(new), model.predict(new))
            assert small.get_n_leaves() <= model.get_n_leaves()
            exact = ramify.simplify(model, keep="predict_proba")
            np.testing.assert_allclose(
                exact.predict_proba(new), model.predict_proba(new), atol=1e-12
            )
    chaid = ramify.DecisionTreeClassifier(splitter="chaid").fit(X, y)
    np.testing.assert_array_equal(
        ramify.simplify(chaid).predict(new), chaid.predict(new)
    )


def test_simplified_numbers_are_the_same_bits():
    X, y = random_rows(2)
    model = ramify.DecisionTreeRegressor().fit(X, y.astype(float))
    small = ramify.simplify(model)
    assert small.get_n_leaves() <= model.get_n_leaves()
    np.testing.assert_array_equal(small.predict(X), model.predict(X))


def test_a_test_that_is_implied_goes():
    X = np.array([[0.0], [1], [2], [3], [4], [5]])
    tree = ramify.DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 2, 2])
    arrays = {name: array.copy() for name, array in tree.tree_.arrays().items()}
    inner = np.flatnonzero(arrays["children_left"] >= 0)
    arrays["threshold"][inner[1]] = arrays["threshold"][inner[0]] - 1
    arrays["missing_branch"][inner] = 0  # so none is missing on the right
    tree.tree_ = ramify.Tree(arrays, 1, [3])
    small = ramify.simplify(tree)
    assert small.get_n_leaves() == 2
    rows = np.linspace(-1, 6, 50)[:, None]
    np.testing.assert_array_equal(small.predict(rows), tree.predict(rows))


def test_shrinkage_between_nothing_and_everything():
    X, y = load_breast_cancer(return_X_y=True)
    tree = ramify.DecisionTreeClassifier().fit(X, y)
    same_shares = ramify.shrink(tree, 0).predict_proba(X)
    np.testing.assert_array_equal(same_shares, tree.predict_proba(X))
    calm = ramify.shrink(tree, np.inf).predict_proba(X)
    np.testing.assert_allclose(calm, np.tile(tree.tree_.value[0, 0], (len(y), 1)))
    forest = ramify.RandomForestClassifier(5, random_state=0).fit(X, y)
    soft = ramify.shrink(forest, 10)
    assert soft.shrunk_ == 10
    np.testing.assert_allclose(soft.predict_proba(X).sum(axis=1), 1)
    assert np.abs(soft.predict_proba(X) - forest.predict_proba(X)).max() > 0.01
    numbers = ramify.DecisionTreeRegressor().fit(X, y.astype(float))
    small = ramify.shrink(numbers, "cv", X, y.astype(float), cv=3)
    assert small.shrunk_ > 0


def test_one_leaf_is_left_as_it_is():
    tree = ramify.DecisionTreeClassifier().fit([[1.0], [1.0]], [0, 1])
    for method in ("pep", "mep", "cvp"):
        small = ramify.prune(tree, method)
        assert small.get_n_leaves() == 1
        assert len(small.pruning_path_) == 1
    small = ramify.prune(tree, "ccp", alpha=0.1)
    assert len(small.pruning_path_) == 1


def test_pictures_of_a_path():
    from matplotlib.figure import Figure

    X, y = load_iris(return_X_y=True)
    for prune, params in (("ccp_cv", {"cv": 3}), ("ccp", {"n_leaves": 3})):
        tree = ramify.DecisionTreeClassifier(prune=prune, prune_params=params).fit(X, y)
        figure = Figure()
        ax = ramify.plot_pruning(tree, figure.add_subplot())
        figure.savefig(io.BytesIO())
        assert "chosen of 9" in ax.get_title(loc="left")
    with pytest.raises(ValueError, match="ccp_cv"):
        ramify.plot_pruning(ramify.prune(tree, "pep"))
