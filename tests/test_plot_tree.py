# SPDX-License-Identifier: BSD-3-Clause
"""The tree as a picture: nothing overlaps, and everything is there."""

import itertools

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.patches import Circle, PathPatch
from sklearn.datasets import load_digits, load_iris
from strategies import LAWS

import ramify
from ramify import (
    BoostedTreesClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    RandomForestClassifier,
)
from ramify.plotting.canvas import fitted_text, text_width
from ramify.plotting.selection import fold
from ramify.plotting.tidy import tidy

IRIS = load_iris(as_frame=True)
LABELS = IRIS.target_names[IRIS.target]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def table(n_rows=300, seed=0):
    """Make a table of numbers and categories with gaps, and labels."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n_rows).round(),
            "income": rng.lognormal(8, 1, n_rows),
            "city": rng.choice(["Oslo", "Bergen", "Bodø", "Tromsø", "Alta"], n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "income"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "city"] = None
    score = X["age"] / 10 + X["income"].fillna(0) / 4000 + (X["city"] == "Oslo") * 2
    y = np.array(["low", "middle", "high"])[np.digitize(score, [4.2, 6.0])]
    return X, y, score.to_numpy()


# --- Where nodes stand ----------------------------------------------------------------


def overlaps(boxes):
    """Count pairs of boxes that share an area."""
    left, right, top, bottom = (
        np.array([getattr(box, name) for box in boxes])
        for name in ("left", "right", "top", "bottom")
    )
    slack = 1e-9
    beside = (left[:, None] < right - slack) & (left < right[:, None] - slack)
    above = (bottom[:, None] < top - slack) & (bottom < top[:, None] - slack)
    return int((beside & above).sum() - len(boxes)) // 2


@LAWS
@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), reach=st.integers(1, 60))
def test_boxes_of_any_size_never_overlap(seed, n, reach):
    rng = np.random.default_rng(seed)
    children = {i: [] for i in range(n)}
    for i in range(1, n):
        children[int(rng.integers(max(0, i - reach), i))].append(i)
    sizes = {i: tuple(rng.uniform(0.05, 3, size=2).tolist()) for i in range(n)}
    boxes = tidy(children, sizes)
    assert overlaps(list(boxes.values())) == 0
    for node, own in children.items():
        for one, other in itertools.pairwise(own):
            assert boxes[one].right < boxes[other].left
        if own:
            middle = (boxes[own[0]].x + boxes[own[-1]].x) / 2
            assert boxes[node].x == pytest.approx(middle)
            assert all(boxes[child].top < boxes[node].floor for child in own)


def test_a_tree_of_five_thousand_nodes_is_laid_out_without_overlaps():
    rng = np.random.default_rng(0)
    children = {i: [] for i in range(5000)}
    for i in range(1, 5000):
        children[int(rng.integers(max(0, i - 400), i))].append(i)
    boxes = tidy(children, dict.fromkeys(children, (0.2, 0.4)))
    assert overlaps(list(boxes.values())) == 0


def test_a_chain_is_a_column():
    children = {i: [i + 1] if i < 3000 else [] for i in range(3001)}
    boxes = tidy(children, dict.fromkeys(children, (1.0, 1.0)))
    assert {round(box.x, 9) for box in boxes.values()} == {0.5}


def test_folding_opens_the_heaviest_nodes_first():
    X, y = load_digits(return_X_y=True)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    for most in (1, 2, 10, 40, None):
        shown = fold(tree, None, most)
        ends = [node for node, own in shown.children.items() if not own]
        assert len(ends) <= (most or tree.n_leaves)
        hidden = sum(shown.hidden.values())
        assert hidden + len(set(ends) - set(shown.hidden)) == tree.n_leaves
        opened = [node for node, own in shown.children.items() if own]
        if opened and shown.hidden and most:
            weight = tree.weighted_n_node_samples
            assert weight[opened].min() >= weight[list(shown.hidden)].max() or most < 3
    assert fold(tree, 0, None).hidden == {0: tree.n_leaves}
    assert max(tree.depths()[list(fold(tree, 3, None).children)]) == 3


# --- Pictures -------------------------------------------------------------------------


def text_overlaps(ax):
    """Count pairs of texts whose boxes share an area when they are drawn."""
    figure = ax.figure
    figure.set_dpi(60)
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    extents = [
        text.get_window_extent(renderer) for text in ax.texts if text.get_text().strip()
    ]
    pairs = 0
    for i, one in enumerate(extents):
        for other in extents[:i]:
            wide = min(one.x1, other.x1) - max(one.x0, other.x0)
            high = min(one.y1, other.y1) - max(one.y0, other.y0)
            pairs += wide > 1 and high > 2  # more than a hair of white above letters
    return pairs


def words(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module")
def models():
    """Fit trees of every kind, and give their rows."""
    X, y, score = table()
    iris = (IRIS.data, LABELS)
    digits = load_digits(as_frame=True)
    return {
        "iris": (DecisionTreeClassifier().fit(*iris), *iris),
        "mixed": (DecisionTreeClassifier(max_depth=4).fit(X, y), X, y),
        "multiway": (
            DecisionTreeClassifier("entropy", categories="multiway", max_depth=3).fit(
                X, y
            ),
            *(X, y),
        ),
        "fractional": (
            DecisionTreeClassifier("gain_ratio", missing="fractional", max_depth=4).fit(
                X, y
            ),
            *(X, y),
        ),
        "intervals": (
            ramify.methods.make("chaid", alpha_merge=0.8).fit(X, y),
            *(X, y),
        ),
        "oblique": (
            ObliqueTreeClassifier("wodt", max_depth=4, random_state=0).fit(X, y),
            *(X, y),
        ),
        "numbers": (DecisionTreeRegressor(max_depth=4).fit(X, score), X, score),
        "digits": (
            DecisionTreeClassifier().fit(digits.data, digits.target),
            digits.data,
            digits.target,
        ),
        "leaf": (
            DecisionTreeClassifier(max_depth=1).fit(X[:2], ["a", "a"]),
            X[:2],
            None,
        ),
    }


NAMES = (
    *("iris", "mixed", "multiway", "fractional", "intervals", "oblique", "numbers"),
    *("digits", "leaf"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("with_rows", [True, False], ids=["rows", "no rows"])
def test_no_text_lies_on_another(name, with_rows, models):
    model, X, y = models[name]
    ax = ramify.plot_tree(model, *((X, y) if with_rows else ()))
    assert text_overlaps(ax) == 0
    assert f"{model.tree_.n_leaves} leaves" in words(ax)[-1]
    if model.tree_.n_leaves <= 40:  # every leaf says what it predicts
        answers = [word for word in words(ax) if word.startswith("n = ")]
        assert len(answers) >= model.tree_.n_leaves


def test_all_leaves_of_a_large_tree_are_dots_with_names(models):
    model, X, y = models["digits"]
    ax = ramify.plot_tree(model, X, y, max_leaves=None)
    n_leaves = model.tree_.n_leaves
    assert n_leaves > 100
    shown = words(ax)
    assert sum(word in set("0123456789") for word in shown) >= n_leaves
    assert len([patch for patch in ax.patches if isinstance(patch, Circle)]) > n_leaves
    assert text_overlaps(ax) == 0
    assert max(ax.figure.get_size_inches()) < 40


def test_folded_subtrees_count_their_leaves(models):
    model, X, y = models["digits"]
    ax = ramify.plot_tree(model, X, y, max_leaves=10)
    hidden = [word for word in words(ax) if word.startswith("+")]
    n_shown = sum(word.startswith("n = ") for word in words(ax))
    counted = sum(int(word[1:].split()[0]) for word in hidden)
    assert counted + n_shown == model.tree_.n_leaves
    shallow = ramify.plot_tree(model, max_depth=1)
    assert sum(word.endswith(" leaves") for word in words(shallow)) == 2


def test_edges_are_as_wide_as_what_flows(models):
    model, X, y = models["iris"]
    ax = ramify.plot_tree(model, X, y)
    edges = [patch for patch in ax.patches if isinstance(patch, PathPatch)]
    assert len(edges) == model.tree_.node_count - 1
    width = {
        round(edge.get_path().vertices[-1][0], 6): edge.get_linewidth()
        for edge in edges
    }
    assert max(width.values()) == pytest.approx(9 * 100 / 150, rel=1e-6)
    assert len(set(np.round(list(width.values()), 3))) > 3


def test_words_say_what_nodes_ask(models):
    model, X, y = models["iris"]
    shown = words(ramify.plot_tree(model, X, y))
    assert shown[:3] != []
    for word in ("petal length (cm)", "≤ 2.45", "setosa", "n = 50", "yes", "no"):
        assert word in shown
    model, X, y = models["oblique"]
    shown = words(ramify.plot_tree(model, X, y))
    assert any("more" in word or " + " in word or " - " in word for word in shown)
    model, X, y = models["multiway"]
    shown = words(ramify.plot_tree(model, X, y))
    assert any(word.endswith(" branches") for word in shown)
    model, X, y = models["mixed"]
    assert any("missing" in word for word in words(ramify.plot_tree(model, X, y)))


def test_light_and_dark_are_both_readable(models):
    model, X, y = models["iris"]
    light = ramify.plot_tree(model, X, y)
    with pyplot.style.context("dark_background"):
        dark = ramify.plot_tree(model, X, y)
    for ax, is_dark in ((light, False), (dark, True)):
        for text in ax.texts:
            luminance = np.dot(
                mpl.colors.to_rgb(text.get_color()), [0.299, 0.587, 0.114]
            )
            assert luminance > 0.4 if is_dark else luminance < 0.55


def test_a_given_axes_is_filled_and_its_text_shrinks_with_it(models):
    model, X, y = models["iris"]
    figure, panels = pyplot.subplots(1, 2, figsize=(8, 4))
    assert ramify.plot_tree(model, X, y, ax=panels[0]) is panels[0]
    assert figure.get_size_inches().tolist() == [8, 4]
    assert text_overlaps(panels[0]) == 0
    assert max(text.get_fontsize() for text in panels[0].texts) < 5


def test_forests_and_boosting_show_one_of_their_trees(models):
    forest = RandomForestClassifier(4, max_depth=3, random_state=0)
    forest.fit(IRIS.data, LABELS)
    ax = ramify.plot_tree(forest, IRIS.data, LABELS, tree=3)
    assert "versicolor" in words(ax)
    assert f"{forest.estimators_[3].tree_.node_count} nodes" in words(ax)[-1]
    boosted = BoostedTreesClassifier(n_estimators=2, max_depth=2)
    boosted.fit(IRIS.data, LABELS)
    ax = ramify.plot_tree(boosted, tree=5)
    assert f"{boosted.trees_[1][2].node_count} nodes" in words(ax)[-1]
    assert ramify.plot_tree(boosted, IRIS.data, tree=0).texts
    for model in (forest, boosted):
        with pytest.raises(ValueError, match="say which one to draw, from tree=0 to"):
            ramify.plot_tree(model)
        with pytest.raises(ValueError, match="tree=99 is not there"):
            ramify.plot_tree(model, tree=99)
    with pytest.raises(ValueError, match="but the model is one tree"):
        ramify.plot_tree(models["iris"][0], tree=2)


def test_names_of_any_kind_are_cut_and_never_read_as_formulas():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"$x^2$ " + "long " * 100: rng.normal(size=60), "שם": rng.normal(size=60)}
    )
    y = np.where(X.iloc[:, 0] > 0, "$a$ & <b>", np.where(X["שם"] > 0, "c" * 500, "d"))
    ax = ramify.plot_tree(DecisionTreeClassifier().fit(X, y), X, y)
    assert text_overlaps(ax) == 0
    assert any(
        word.startswith("$x^2$ long") and word.endswith("…") for word in words(ax)
    )
    assert "$a$ & <b>" in words(ax)


@pytest.mark.slow
def test_two_thousand_classes_are_drawn():
    place = np.repeat(np.arange(2000.0), 2)
    tree = DecisionTreeClassifier().fit(place[:, None], place.astype(int))
    ax = ramify.plot_tree(tree)
    assert "+" in "".join(words(ax))
    assert len(ax.texts) < 400


def test_text_is_cut_to_fit():
    text = "a fairly long name of a column"
    cut = fitted_text(text, 8.0, 1.0)
    assert cut.endswith("…")
    assert text_width(cut, 8.0) <= 1.0
    assert fitted_text("short", 8.0, 1.0) == "short"
    assert fitted_text("two\nlines", 8.0, 2.0) == "two lines"


def test_bad_input_is_answered_clearly(models):
    model, X, y = models["iris"]
    with pytest.raises(TypeError, match="takes a fitted tree of Ramify"):
        ramify.plot_tree(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="max_leaves=0 is not allowed"):
        ramify.plot_tree(model, max_leaves=0)
    with pytest.raises(ValueError, match=r"max_depth=1.5 is not allowed"):
        ramify.plot_tree(model, max_depth=1.5)
    with pytest.raises(ValueError, match="y is given without X"):
        ramify.plot_tree(model, y=y)
    with pytest.raises(ValueError, match="class_names has 2 entries for 3 classes"):
        ramify.plot_tree(model, class_names=["a", "b"])
    with pytest.raises(ValueError, match="y has the label 'rose'"):
        ramify.plot_tree(model, X, np.where(y == "setosa", "rose", y))
    with pytest.raises(ValueError, match="y has shape"):
        ramify.plot_tree(models["numbers"][0], models["numbers"][1], [1.0])
    several = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="shows one output"):
        ramify.plot_tree(several)
    with pytest.raises(ValueError, match="petal"):
        ramify.plot_tree(model, X.drop(columns="petal width (cm)"), y)
