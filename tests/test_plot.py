# SPDX-License-Identifier: BSD-3-Clause
"""Pictures show what the tree predicts, exactly."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_iris, make_blobs
from strategies import random_table

import ramify
from ramify import DecisionTreeClassifier, TunedTreeClassifier, methods, plot_partition
from ramify.plotting import styles
from ramify.plotting.regions import Window, partition
from ramify.tree.conditions import columns_of

mpl.use("Agg")
IRIS = load_iris(as_frame=True)


def axes():
    return Figure().add_subplot()


def regions(model, X, shown=(0, 1)):
    matrix = np.asarray(model.schema_.matrix(X), dtype=np.float64)
    window = Window(columns_of(model), shown, matrix)
    return window, partition(model, window)


def class_at(found, x, y):
    """Return the class of the region that holds a point; exactly one must."""
    held = [region.label for region in found.regions if holds(region.corners, x, y)]
    assert len(held) == 1
    return held[0]


def holds(corners, x, y):
    """Return whether a point is on the left of every side."""
    here = np.array(corners) - (x, y)
    there = np.roll(here, -1, axis=0)
    return (here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0] > 0).all()


def random_points(window, n=300, seed=0):
    """Return points of the plane, and the codes or numbers that they stand for."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.uniform(*limits, n) for limits in window.limits])
    values = points.copy()
    for k, info in enumerate(window.shown):
        if info.is_categorical:
            values[:, k] = np.ceil(points[:, k] - 0.5)
    return points, values


def predicted(model, window, values):
    """Let the tree itself say where rows with these two values go."""
    rows = np.tile(window.fixed, (len(values), 1))
    rows[:, window.axes] = values
    leaves = model.tree_.apply(rows)
    return leaves, model.tree_.value[leaves, 0].argmax(axis=1)


# --- regions and lines ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cart", "csn", "chaid", "quest"])
def test_regions_are_what_the_tree_predicts(method):
    data = random_table(2, n_rows=300, n_classes=4, n_columns=2)
    model = methods.make(method).fit(data.X, data.y)
    window, found = regions(model, data.X)
    points, values = random_points(window)
    _, labels = predicted(model, window, values)
    assert [class_at(found, *point) for point in points] == labels.tolist()


def mixed_table(seed=0, n_rows=400):
    rng = np.random.default_rng(seed)
    city = rng.choice(["Bergen", "Molde", "Narvik", "Oslo", "Voss"], n_rows)
    size = rng.choice(["s", "m", "l"], n_rows)
    age = rng.uniform(20, 80, n_rows).round(1)
    y = np.isin(city, ["Molde", "Voss"]) & (age > 50) | (size == "m") & (age < 40)
    y ^= rng.random(n_rows) < 0.1
    X = np.column_stack([city.astype(object), age.astype(object), size.astype(object)])
    X[::29, 1] = None
    X[::31, 0] = None
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize("shown", [(0, 1), (1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize("method", ["cart", "c45", "chaid"])
def test_categories_are_bands_and_other_columns_are_held(method, shown):
    X, y = mixed_table()
    model = methods.make(method, max_depth=5).fit(X, y)
    window, found = regions(model, X, shown)
    points, values = random_points(window)
    _, labels = predicted(model, window, values)
    assert [class_at(found, *point) for point in points] == labels.tolist()
    held = ({0, 1, 2} - set(shown)).pop()
    column = [value for value in X[:, held] if value is not None]
    if held == 1:
        assert window.fixed[1] == np.median(column)
    else:
        names, counts = np.unique(column, return_counts=True)
        categories = model.schema_.columns[held].categories
        assert categories[int(window.fixed[held])] == names[counts.argmax()]


@pytest.mark.parametrize("method", ["cart", "chaid"])
def test_lines_run_where_the_leaf_changes_and_nowhere_else(method):
    X, y = mixed_table(1)
    model = methods.make(method, max_depth=6).fit(X, y)
    window, found = regions(model, X)
    assert found.segments
    tiny = 1e-9
    for segment in found.segments:
        middle, along = np.mean(segment.ends, axis=0), np.subtract(*segment.ends)
        across = np.array([along[1], -along[0]]) / np.hypot(*along)
        values = np.array([middle - tiny * across, middle + tiny * across])
        values[:, 0] = np.ceil(values[:, 0] - 0.5)  # the city
        leaves, _ = predicted(model, window, values)
        assert leaves[0] != leaves[1]
    # Each border of a region where the leaf changes is on a line.
    for region in found.regions:
        for p, q in zip(region.corners, np.roll(region.corners, -1, 0), strict=True):
            [axis] = np.flatnonzero(p == q)  # they run along an axis
            middle, across = (p + q) / 2, tiny * (np.arange(2) == axis)
            values = np.array([middle - across, middle + across])
            values[:, 0] = np.clip(np.ceil(values[:, 0] - 0.5), 0, 4)
            leaves, _ = predicted(model, window, values)
            at, place = p[axis], middle[1 - axis]
            on_line = any(
                one[axis] == other[axis] == at
                and min(one[1 - axis], other[1 - axis]) < place
                and max(one[1 - axis], other[1 - axis]) > place
                for one, other in (segment.ends for segment in found.segments)
            )
            assert on_line == (leaves[0] != leaves[1])


def test_a_line_crosses_the_region_of_its_node_only():
    X = np.array([[0.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 4.0]])
    model = DecisionTreeClassifier().fit(X, [0, 1, 2, 2])
    window, found = regions(model, X)
    first, second = sorted(found.segments, key=lambda segment: segment.depth)
    low, high = window.limits[1]
    assert (set(first.ends), first.depth) == ({(2.0, low), (2.0, high)}, 0)
    low = window.limits[0][0]
    assert (set(second.ends), second.depth) == ({(low, 2.0), (2.0, 2.0)}, 1)


def test_a_split_by_gaps_alone_draws_no_line():
    X = np.array([[1.0, 1.0], [2.0, 2.0], [np.nan, 1.0], [np.nan, 2.0]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    _, found = regions(model, X)
    assert found.segments == []
    assert [region.label for region in found.regions] == [0]


def test_costs_decide_the_colour_of_a_leaf():
    data = random_table(4, n_rows=200, n_classes=2, n_columns=2)
    dear = [[0, 1], [20, 0]]
    model = DecisionTreeClassifier(max_depth=3, cost_matrix=dear).fit(data.X, data.y)
    window, found = regions(model, data.X)
    points, _ = random_points(window)
    labels = [int(model.classes_[class_at(found, *point)]) for point in points]
    assert labels == model.predict(points).tolist()


# --- drawing --------------------------------------------------------------------------


def test_everything_is_on_the_axes():
    tree = DecisionTreeClassifier(max_depth=3).fit(IRIS.data, IRIS.target)
    ax = axes()
    found = plot_partition(
        tree,
        IRIS.data,
        IRIS.target,
        ax,
        columns=["petal length (cm)", 3],
        class_names=IRIS.target_names,
    )
    assert found is ax
    assert ax.get_xlabel() == "petal length (cm)"
    assert ax.get_ylabel() == "petal width (cm)"
    assert [text.get_text() for text in ax.get_legend().texts] == [
        *("setosa", "versicolor", "virginica")
    ]
    kinds = [type(artist) for artist in ax.collections]
    assert kinds[:2] == [PolyCollection, LineCollection]
    assert sum(len(part.get_offsets()) for part in ax.collections[2:]) == 150
    widths = ax.collections[1].get_linewidths()
    assert max(widths) > 2 > min(widths)
    ax.figure.canvas.draw()


def test_what_is_not_wanted_is_not_drawn():
    X = IRIS.data.to_numpy()[:, 2:]
    tree = DecisionTreeClassifier(max_depth=3).fit(X, IRIS.target)
    ax = plot_partition(
        tree,
        *(X, IRIS.target, axes()),
        splits=False,
        points=False,
        legend=False,
        feature_names=["length", "width"],
    )
    assert len(ax.collections) == 1
    assert ax.get_legend() is None
    assert ax.get_xlabel() == "length"
    named = plot_partition(tree, X, IRIS.target, axes(), points=False)
    assert len(named.get_legend().legend_handles) == 3


def test_pixels_have_the_pale_colour_of_their_class():
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    tree = DecisionTreeClassifier().fit(X, ["a", "b"])
    figure = Figure(figsize=(2, 2), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    plot_partition(tree, X, ["a", "b"], ax, points=False, legend=False)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3] / 255
    for x, color in ((50, "#0072b2"), (150, "#e69f00")):
        pale = 1 - 0.3 * (1 - np.array(to_rgb(color)))
        np.testing.assert_allclose(pixels[100, x], pale, atol=0.01)
    assert pixels[100, 95:105].min() < 0.3  # the line between


@pytest.mark.parametrize("n_classes", [2, 5, 8])
def test_up_to_eight_classes_look_different(n_classes):
    X, y = make_blobs(200, centers=n_classes, random_state=0)
    tree = DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y)
    ax = plot_partition(tree, X, y, axes())
    handles = ax.get_legend().legend_handles
    looks = {(h.get_marker(), tuple(h.get_markerfacecolor())) for h in handles}
    assert len(looks) == n_classes


def test_more_classes_need_colours():
    X, y = make_blobs(100, centers=10, random_state=0)
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="10 classes, and there are colours for 8"):
        plot_partition(tree, X, y, axes())
    colors = mpl.colormaps["tab10"].colors
    plot_partition(tree, X, y, axes(), colors=colors)


def test_categories_are_ticks_and_points_are_spread():
    X, y = mixed_table()
    tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    ax = plot_partition(tree, X, y, axes(), columns=(0, 2))
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks == ["Bergen", "Molde", "Narvik", "Oslo", "Voss"]
    offsets = np.vstack([part.get_offsets() for part in ax.collections[2:]])
    known = offsets[~np.isnan(offsets).any(axis=1)]
    assert (np.abs(known - known.round()) <= 0.31).all()
    assert len(np.unique(known[:, 0])) == len(known)
    new = X.copy()
    new[0, 0] = "Oppdal"  # not seen in fit: not shown
    plot_partition(tree, new, y, axes(), columns=(0, 2))


def test_a_tuned_tree_is_drawn_as_its_best_estimator():
    X = IRIS.data.to_numpy()[:, 2:]
    tuned = TunedTreeClassifier("csn", {"k": [2, 5]}, cv=3).fit(X, IRIS.target)
    pictures = [
        plot_partition(model, X, IRIS.target, axes())
        for model in (tuned, tuned.best_estimator_)
    ]
    paths = [picture.collections[0].get_paths() for picture in pictures]
    assert len(paths[0]) == len(paths[1]) == tuned.get_n_leaves()


def test_one_tree_per_class_is_asked_on_a_grid():
    frame = IRIS.data.iloc[:, 2:]
    model = methods.make("spce").fit(frame, IRIS.target)
    ax = plot_partition(model, frame, IRIS.target, axes(), resolution=40)
    [mesh] = [part for part in ax.collections if part.get_array() is not None]
    codes = np.asarray(mesh.get_array()).reshape(40, 40)
    x, y = (np.linspace(*limits, 81)[1::2] for limits in (ax.get_xlim(), ax.get_ylim()))
    points = np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
    expected = model.predict(pd.DataFrame(points, columns=frame.columns))
    np.testing.assert_array_equal(codes.ravel(), expected)
    two = methods.make("spce").fit(frame, IRIS.target > 0)  # one tree: exact
    ax = plot_partition(two, frame, IRIS.target > 0, axes())
    assert isinstance(ax.collections[0], PolyCollection)


def test_a_grid_over_categories_has_one_cell_for_each():
    X, y = mixed_table()
    tree = ramify.estimators.tree.OneVsRestTreeClassifier(
        DecisionTreeClassifier(max_depth=3)
    )
    y = np.where(X[:, 2] == "l", "maybe", y)
    tree.fit(X, y)
    ax = plot_partition(tree, X, y, axes(), columns=(0, 1), resolution=10)
    [mesh] = [part for part in ax.collections if part.get_array() is not None]
    assert np.asarray(mesh.get_array()).size == 5 * 10


def test_a_figure_is_made_if_there_is_none():
    from matplotlib import pyplot

    data = random_table(1, n_rows=50, n_classes=2, n_columns=2)
    tree = DecisionTreeClassifier(max_depth=2).fit(data.X, data.y)
    ax = plot_partition(tree, data.X, data.y)
    assert ax.figure.axes == [ax]
    assert pyplot.fignum_exists(ax.figure.number)
    pyplot.close(ax.figure)


def test_importing_ramify_does_not_import_matplotlib():
    code = "import ramify, sys; assert ramify.plot_partition; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "matplotlib" not in done.stdout.split()


def test_marks_are_enough_for_the_colours():
    assert len(styles.COLORS) == len(styles.MARKERS) == len(styles.SIZES) == 8


# --- bad input ------------------------------------------------------------------------


TREE = DecisionTreeClassifier(max_depth=2).fit(IRIS.data, IRIS.target)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"the model has 4; pass columns=\(2, 3\) for 'petal length"),
        ({"columns": (1,)}, r"columns=\(1,\) is not allowed; give two"),
        ({"columns": "ab"}, "columns='ab' is not allowed"),
        ({"columns": (1, 1)}, "names 'sepal width .* twice"),
        ({"columns": (1, -3)}, "twice"),
        ({"columns": (1, 4)}, "columns has 4, .* from 0 to 3, or one of the names"),
        ({"columns": (1, "petal")}, "columns has 'petal'"),
        ({"columns": (1, 2), "class_names": ["a"]}, "1 names for 3 classes"),
        ({"columns": (1, 2), "colors": ["red"]}, "3 classes, .* colours for 1"),
        ({"columns": (1, 2), "feature_names": ["a"]}, "1 names for 4 columns"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named_with_a_right_one(options, message):
    with pytest.raises(ValueError, match=message):
        plot_partition(TREE, IRIS.data, IRIS.target, axes(), **options)


def test_wrong_data_is_named():
    X, y = IRIS.data, IRIS.target.to_numpy()
    with pytest.raises(ValueError, match="one label for each of the 150 rows"):
        plot_partition(TREE, X, y[:3], axes(), (2, 3))
    with pytest.raises(ValueError, match="label 7, which fit has not seen"):
        plot_partition(TREE, X, np.where(y == 2, 7, y), axes(), (2, 3))
    empty = X.assign(**{"petal width (cm)": np.nan})
    with pytest.raises(ValueError, match=r"'petal width \(cm\)' has no value"):
        plot_partition(TREE, empty, y, axes(), (2, 3))
    model = methods.make("spce").fit(X, y)
    with pytest.raises(ValueError, match="resolution=1 is not allowed"):
        plot_partition(model, X, y, axes(), (2, 3), resolution=1)


def test_wrong_models_are_named():
    X, y = IRIS.data, IRIS.target
    with pytest.raises(TypeError, match="a fitted tree of Ramify"):
        plot_partition(DecisionTreeClassifier(), X, y, axes())
    one = DecisionTreeClassifier().fit(X.iloc[:, :1], y)
    with pytest.raises(ValueError, match="the model has 1; add a column"):
        plot_partition(one, X.iloc[:, :1], y, axes())
    both = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="one output"):
        plot_partition(both, X, y, axes())
