# SPDX-License-Identifier: BSD-3-Clause
"""Where leaves must have a size, splits by categories are the best admissible ones."""

import numpy as np
import pytest

import ramify
from ramify import DecisionTreeClassifier, DecisionTreeRegressor

CONVEX = ("gini", "entropy", "gain_ratio", "chi2", "hellinger", "ihd", "twoing")
OTHERS = ("misclassification", "dcsm", "ccp_entropy", "ihdw")
NUMBERS = ("squared_error", "poisson", "gamma", "absolute_error")


def all_subsets(n_levels):
    """Return every subset that has the first level, but that of all, as rows of 0/1."""
    masks = np.arange(2 ** (n_levels - 1) - 1)
    rest = masks[:, None] >> np.arange(n_levels - 1) & 1
    return np.column_stack([np.ones(len(masks), dtype=int), rest])


def skewed_sizes(rng, n_levels):
    """Make few large levels and many small ones, so that limits matter."""
    return rng.choice(
        [1, 2, 3, 5, 8, 30, 80], n_levels, p=[0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1]
    )


def rows_of(sizes, rng):
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def sums_by_level(levels, columns, n_levels):
    return np.column_stack(
        [np.bincount(levels, column, minlength=n_levels) for column in columns]
    )


def best_of_classes(name, levels, y, weight, min_rows, min_weight):
    """Try all subsets; return the best admissible score, -inf if there is none."""
    n_levels, n_classes = levels.max() + 1, y.max() + 1
    sums = sums_by_level(
        levels, [weight * (y == k) for k in range(n_classes)], n_levels
    )
    sizes = np.bincount(levels, minlength=n_levels)
    subsets = all_subsets(n_levels)
    left, rows = subsets @ sums, subsets @ sizes
    parent = sums.sum(axis=0)
    heavy = left.sum(axis=1)
    good = np.minimum(rows, len(y) - rows) >= min_rows
    good &= np.minimum(heavy, parent.sum() - heavy) >= min_weight * (1 - 1e-12)
    if not good.any():
        return -np.inf
    return ramify.criteria.get(name)(parent, left[good], parent - left[good]).max()


def loss_of(name, y, w):
    """Return the loss of some numbers about what they predict; inf if it is refused."""
    mean = np.average(y, weights=w)
    if name == "squared_error":
        return np.sum(w * (y - mean) ** 2)
    if name == "poisson":
        return np.inf if mean == 0 else -w.sum() * mean * np.log(mean)
    if name == "gamma":
        return w.sum() * np.log(mean)
    return np.sum(w * np.abs(y - np.median(y)))


def stump(cls, criterion, **limits):
    """Return a tree of one split on one column of categories."""
    return cls(
        criterion, categorical_features=[0], max_depth=1, zero_gain="stop", **limits
    )


def best_of_numbers(name, levels, y, min_rows):
    n_levels = levels.max() + 1
    if name == "absolute_error":
        sides = all_subsets(n_levels)[:, levels] == 1
        good = np.minimum(sides.sum(1), (~sides).sum(1)) >= min_rows
        one = np.ones(len(y))
        drops = [
            loss_of(name, y, one)
            - loss_of(name, y[side], one[side])
            - loss_of(name, y[~side], one[~side])
            for side in sides[good]
        ]
        return max(drops, default=-np.inf) / len(y)
    w, s = (subsets_sum(levels, v, n_levels) for v in (np.ones(len(y)), y))
    n, total = len(y), y.sum()
    good = np.minimum(w, n - w) >= min_rows
    if name == "poisson":
        good &= (s > 0) & (s < total)
    if not good.any():
        return -np.inf
    w, s = w[good], s[good]

    def part(w, s):
        if name == "squared_error":
            return s**2 / w
        return s * np.log(s / w) if name == "poisson" else -w * np.log(s / w)

    gain = (part(w, s) + part(n - w, total - s) - part(n, total)) / n
    return gain.max()


def subsets_sum(levels, values, n_levels):
    return all_subsets(n_levels) @ np.bincount(levels, values, minlength=n_levels)


def gain_at_root(model, levels, y, **fit):
    tree = model.fit(levels[:, None].astype(float), y, **fit).tree_
    return (tree.gain[0], tree.optimal[0]) if tree.feature[0] == 0 else (-np.inf, None)


def assert_as_good(found, best):
    """A node stays whole if no admissible subset gains anything."""
    gain, optimal = found
    if best < 1e-9:
        assert gain < 1e-9
        return
    assert gain == pytest.approx(best, rel=1e-9)
    assert optimal == 1


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", CONVEX + OTHERS)
def test_the_best_admissible_subset_of_up_to_twelve_levels_is_found(name, n_classes):
    rng = np.random.default_rng(len(name) + n_classes)
    for seed in range(20):
        n_levels = int(rng.integers(8, 13))
        levels = rows_of(skewed_sizes(rng, n_levels), rng)
        share = rng.dirichlet(np.full(n_classes, 0.4), n_levels)
        y = (rng.random(len(levels))[:, None] > share.cumsum(1)[levels, :-1]).sum(1)
        y[:n_classes] = np.arange(n_classes)
        weight = np.ones(len(y))
        limits = {"min_samples_leaf": int(rng.choice([2, 4, 7, 12]))}
        if seed % 4 == 1:
            weight = rng.integers(1, 4, len(y)).astype(float)
        if seed % 4 == 3:
            limits = {"min_weight_fraction_leaf": float(rng.choice([0.05, 0.1, 0.2]))}
        model = stump(DecisionTreeClassifier, name, **limits)
        found = gain_at_root(model, levels, y, sample_weight=weight)
        best = best_of_classes(
            *(name, levels, y, weight),
            limits.get("min_samples_leaf", 1),
            limits.get("min_weight_fraction_leaf", 0) * weight.sum(),
        )
        assert_as_good(found, best)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_the_best_admissible_subset_too(name):
    rng = np.random.default_rng(len(name))
    for _ in range(8 if name == "absolute_error" else 40):
        n_levels = int(rng.integers(8, 11 if name == "absolute_error" else 13))
        levels = rows_of(skewed_sizes(rng, n_levels), rng)
        mean = rng.gamma(0.7, 2.0, n_levels)[levels]
        y = {
            "poisson": lambda mean=mean: rng.poisson(mean).astype(float),
            "gamma": lambda mean=mean: rng.gamma(1.0, mean) + 0.01,
        }.get(name, lambda mean=mean: rng.normal(mean))()
        if name == "poisson":
            y[0] += 1
        least = int(rng.choice([1, 2, 4, 7, 12]))
        model = stump(DecisionTreeRegressor, name, min_samples_leaf=least)
        best = best_of_numbers(name, levels, y, least)
        gain, optimal = gain_at_root(model, levels, y)
        if best < 1e-9:
            assert gain < 1e-9
            continue
        assert gain == pytest.approx(best, rel=1e-9)
        if name != "absolute_error":  # without a limit its prefixes may miss the best
            assert optimal == 1


@pytest.mark.parametrize("least", [2, 5, 9, 40])
def test_many_levels_of_two_classes_have_the_best_admissible_subset(least):
    rng = np.random.default_rng(least)
    for name in ("gini", "gain_ratio", "chi2"):
        for _ in range(3):
            n_levels = int(rng.integers(13, 17))
            levels = rows_of(skewed_sizes(rng, n_levels), rng)
            share = rng.beta(0.5, 0.5, n_levels)
            y = (rng.random(len(levels)) < share[levels]).astype(int)
            y[:2] = 0, 1
            model = stump(DecisionTreeClassifier, name, min_samples_leaf=least)
            found = gain_at_root(model, levels, y)
            weight = np.ones(len(y))
            assert_as_good(found, best_of_classes(name, levels, y, weight, least, 0))


@pytest.mark.parametrize("name", ["squared_error", "poisson"])
def test_many_levels_of_numbers_have_the_best_admissible_subset(name):
    rng = np.random.default_rng(len(name))
    for _ in range(8):
        levels = rows_of(skewed_sizes(rng, 15), rng)
        y = rng.poisson(rng.gamma(0.5, 1.0, 15)[levels]).astype(float)
        y[0] += 1
        least = int(rng.choice([1, 3, 7, 20]))
        model = stump(DecisionTreeRegressor, name, min_samples_leaf=least)
        assert_as_good(
            gain_at_root(model, levels, y), best_of_numbers(name, levels, y, least)
        )


def test_a_small_level_need_not_take_a_large_one_along():
    """The levels c (2 rows) and d (3) are pure, b is large and mixed: 7 rows are asked
    for, and e (2 rows, mixed) fills c and d up where the order says b."""
    counts = {"a": (300, 0), "b": (60, 40), "c": (0, 2), "d": (0, 3), "e": (1, 1)}
    counts |= {f"other {i}": (20, 0) for i in range(5)}
    X = np.concatenate([[name] * sum(n) for name, n in counts.items()])[:, None]
    y = np.concatenate([[0] * n[0] + [1] * n[1] for n in counts.values()])
    tree = DecisionTreeClassifier("hellinger", min_samples_leaf=7, max_depth=1)
    tree.fit(X.astype(object), y)
    assert tree.tree_.optimal[0] == 1
    assert min(tree.tree_.n_node_samples[1:]) >= 7
    codes = np.unique(X[:, 0], return_inverse=True)[1]
    best = best_of_classes("hellinger", codes, y, np.ones(len(y)), 7, 0)
    assert tree.tree_.gain[0] == pytest.approx(best, rel=1e-11)


def test_limits_of_weights_that_differ_are_repaired_in_good_faith():
    """Many levels and weights: no worse than the prefixes, never said to be best."""
    rng = np.random.default_rng(0)
    levels = rows_of(skewed_sizes(rng, 30), rng)
    y = (rng.random(len(levels)) < rng.beta(0.5, 0.5, 30)[levels]).astype(int)
    weight = rng.random(len(y)) + 0.5
    model = DecisionTreeClassifier(
        categorical_features=[0], max_depth=1, min_samples_leaf=7
    )
    gain, optimal = gain_at_root(model, levels, y, sample_weight=weight)
    assert gain > 0
    assert optimal == 0
