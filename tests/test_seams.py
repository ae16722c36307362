# SPDX-License-Identifier: BSD-3-Clause
"""Trees from blocks of rows: encode, count, choose and route give the bytes of fit."""

import numpy as np
import pytest

from ramify import DecisionTreeClassifier, Table, Tree, _core, criteria


class ByBlocks(DecisionTreeClassifier):
    """Grows its tree from sums over blocks of rows, and some subtrees apart."""

    def _arrays(self, plan, sample, progress):
        return grow_by_blocks(plan, sample, self.blocks)


class Blocks:
    """How rows are cut into blocks, and which subtrees are grown apart."""

    def __init__(self, X, seed, share_apart):
        self.X = X
        self.rng = np.random.default_rng(seed)
        self.share_apart = share_apart


def encode_blocks(sample, given, rows):
    """Encode the rows block by block; give the blocks' places, codes, and codebooks."""
    core, X = sample.table.core, given.X
    n, d = len(rows), X.shape[1]
    cuts = np.sort(given.rng.integers(0, n + 1, given.rng.integers(0, 6)))
    places = np.split(np.arange(n), cuts)
    codes = [np.empty((len(place), d), np.uint8) for place in places]
    low, high, n_categories, has_missing = [], [], [], []
    for j in range(d):
        has_missing.append(bool(np.isnan(X[:, j]).any()))
        if core.is_categorical(j):
            n_categories.append(core.n_codes(j))
            low.append(np.empty(0))
            high.append(np.empty(0))
            for block, place in zip(codes, places, strict=True):
                block[:, j] = core.codes(j)[rows[place]]
            continue
        values = X[:, j][~np.isnan(X[:, j])]
        bins = _core.learn_bins(values, sample.table.max_bins or 255)
        least, most = np.full(len(bins), np.inf), np.full(len(bins), -np.inf)
        for block, place in zip(codes, places, strict=True):
            column = np.ascontiguousarray(X[rows[place], j])
            encoded = _core.encode_table([column], 0, 1, [], [], [bins])
            block[:, j] = encoded.codes(0)
            here = np.unique(block[block[:, j] < len(bins), j])
            least[here] = np.minimum(least[here], encoded.bins(0, False)[here])
            most[here] = np.maximum(most[here], encoded.bins(0, True)[here])
            assert (block[:, j] == core.codes(j)[rows[place]]).all()
        n_categories.append(-1)
        low.append(np.where(np.isinf(least), bins, least))
        high.append(np.where(np.isinf(most), bins, most))
    return places, codes, _core.codebooks(low, high, n_categories, has_missing)


def grow_by_blocks(plan, sample, given):
    table, (n_classes,) = sample.table, sample.target.n_classes
    n_all = table.shape[0]
    rows = np.arange(n_all, dtype=np.uint32) if sample.rows is None else sample.rows
    classes = np.ascontiguousarray(sample.target.codes).ravel().astype(np.uint32)
    units, unit = None, 1.0
    if sample.weight is not None:
        units, unit = _core.exact_weights(np.ascontiguousarray(sample.weight))
    total = (len(rows) if units is None else units.sum()) * unit
    places, codes, books = encode_blocks(sample, given, rows)
    grower = _core.AskedGrower(books, n_classes, unit, plan, len(rows), total)
    nodes = [np.zeros(len(place), np.int32) for place in places]
    while asked := grower.ask():
        for node in asked:
            if given.rng.random() < given.share_apart:
                here = np.concatenate(
                    [p[of == node] for p, of in zip(places, nodes, strict=True)]
                )
                part = _core.grow_part(
                    *(table.core, rows[here], classes[here], n_classes),
                    *(None if units is None else units[here], plan),
                    grower.context(node),
                )
                grower.tell_part(node, part)
        slot_of = np.full(1 + max(of.max(initial=0) for of in nodes), -1, np.int32)
        asked = grower.ask()
        slot_of[asked] = np.arange(len(asked))
        sums = np.zeros(len(asked) * grower.n_cells * (n_classes + 1), np.int64)
        for i in given.rng.permutation(len(places)):
            place = places[i]
            weight = None if units is None else np.ascontiguousarray(units[place])
            slots = slot_of[nodes[i]]
            grower.count(codes[i], slots, classes[place], weight, n_classes, sums)
        grower.tell(sums)
        for block, of in zip(codes, nodes, strict=True):
            grower.route(block, of)
    return grower.tree()


def random_table(rng, n):
    columns = [rng.normal(size=n), np.round(rng.normal(size=n), 1)]
    columns += [rng.integers(0, 40, n) * 1.0, rng.integers(0, 4, n) * 1.0]
    columns += [rng.integers(0, 11, n) * 1.0, -np.abs(rng.normal(size=n)) * 1e6]
    for column in columns[:4]:
        if rng.random() < 0.5:
            column[rng.random(n) < 0.2] = np.nan
    X = np.column_stack(columns)
    known = np.nan_to_num(X)
    signal = known[:, 0] + (known[:, 3] > 1) * known[:, 1] + rng.normal(size=n) * 0.3
    n_classes = int(rng.integers(2, 5))
    y = np.searchsorted(
        np.quantile(signal, np.arange(1, n_classes) / n_classes), signal
    )
    return X, y


def mine(parent, left, right):
    """Gini, written by a user."""
    n, n_left, n_right = parent.sum(-1), left.sum(-1), right.sum(-1)
    pure = (left**2).sum(-1) / n_left + (right**2).sum(-1) / n_right
    return (pure - (parent**2).sum(-1) / n) / n


PLANS = [
    *({"criterion": name} for name in criteria.names()),
    *({"criterion": c} for c in ("0.5 * entropy + 0.5 * hellinger", mine)),
    {"criterion": "top(4, ihd).largest(entropy)"},
    {"criterion": "entropy", "record_candidates": 3, "also": ["gini", "chi2"]},
    *({"missing": side} for side in ("left", "right")),
    *({"categories": how} for how in ("one_vs_rest", "multiway")),
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 9, "leaf_rule": "give_up"},
    {"min_weight_fraction_leaf": 0.04},
    {"min_impurity_decrease": 0.003, "criterion": "gain_ratio"},
    {"max_features": 2, "random_state": 5},
    {"splitter": "random", "random_state": 5},
    {"splitter": "random", "max_features": 3, "random_state": 1},
    *({"splitter": splitter} for splitter in ("chaid", "quest")),
    {"threshold": "value"},
    {
        "criterion": "gain_ratio",
        "criterion_params": {"threshold_cost": True, "average_gain": True},
    },
    {"monotonic_cst": [1, 0, 0, 0, 0, -1], "max_depth": 5},
]


def name_of(number):
    """Name a plan; a function by its name, which is the same in every process."""
    values = ((key, getattr(v, "__name__", v)) for key, v in PLANS[number].items())
    return ", ".join(f"{key}={value}" for key, value in values)


@pytest.mark.parametrize("share_apart", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("number", range(len(PLANS)), ids=name_of)
def test_blocks_give_the_bytes_of_fit(number, share_apart):
    plan = PLANS[number]
    for seed in range(2):
        rng = np.random.default_rng([number, seed, int(10 * share_apart)])
        X, y = random_table(rng, int(rng.integers(60, 260)))
        if "monotonic_cst" in plan:
            y = y > 0
        weights = [None, rng.integers(1, 4, len(y)) * 1.0, rng.gamma(1.0, 1.0, len(y))]
        given = {"categorical_features": [3, 4], "max_bins": 32, **plan}
        for weight in weights:
            whole = DecisionTreeClassifier(**given).fit(X, y, sample_weight=weight)
            parts = ByBlocks(**given)
            parts.blocks = Blocks(X, [number, seed], share_apart)
            parts.fit(X, y, sample_weight=weight)
            for name in Tree.ARRAYS:
                one, other = getattr(whole.tree_, name), getattr(parts.tree_, name)
                assert one.tobytes() == other.tobytes(), name


@pytest.mark.parametrize(
    ("plan", "what"),
    [
        ({"max_leaf_nodes": 5}, "best-first growth"),
        ({"missing": "fractional"}, "missing='fractional' with gaps"),
        ({"splitter": "dgmml"}, "dGMML"),
        ({"max_bins": None}, "a column of more than 255 codes"),
    ],
)
def test_what_sums_cannot_tell_is_refused(plan, what):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    X[:9, 0] = np.nan
    model = ByBlocks(**{"max_bins": 32, **plan})
    model.blocks = Blocks(X, 0, 0.0)
    if plan == {"max_bins": None}:
        books = _core.codebooks([np.arange(300.0)], [np.arange(300.0)], [-1], [False])
        with pytest.raises(ValueError, match=what):
            _core.AskedGrower(books, 2, 1.0, _core.Plan(), 9, 9.0)
        return
    with pytest.raises(ValueError, match=what):
        model.fit(X, y)


def test_a_table_may_be_given_its_bins():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    X[rng.random(500) < 0.1, 1] = np.nan
    table = Table(X, max_bins=16)
    again = Table(X, max_bins=16, bins=table.bins)
    assert [len(bins) for bins in table.bins] == [16, 16, 16]
    one = DecisionTreeClassifier(max_bins=16).fit(table, y).tree_
    other = DecisionTreeClassifier(max_bins=16).fit(again, y).tree_
    for name in Tree.ARRAYS:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    few = Table(X[:40], bins=table.bins)  # codes of the whole, whatever occurs
    for j in range(3):
        assert few.core.codes(j).tolist() == table.core.codes(j)[:40].tolist()


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ([[0.0, 1.0]], "bins has 1 entries, X has 2 columns"),
        ([[0.0, 1.0], [2.0, 1.0]], "must ascend"),
        ([[0.0, 1.0], []], "is empty"),
        ([[0.0, np.inf], [0.0]], "must be finite"),
    ],
)
def test_bins_that_mean_nothing_are_refused(bins, message):
    with pytest.raises(ValueError, match=message):
        Table(np.zeros((4, 2)), bins=bins)
