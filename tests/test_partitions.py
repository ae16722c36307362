# SPDX-License-Identifier: BSD-3-Clause
"""What partitions are asked and tell: bins, sums, subtrees; nothing shows their cut."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from partitions import InMemory, cut, fit_pieces

import ramify.distributed
from ramify import DecisionTreeClassifier, Tree, _core
from ramify.distributed.core.bins import Sketch, row_hashes, sample_size
from ramify.distributed.core.blocks import Block
from ramify.distributed.core.codebook import WeightSummary


def columns(rng, n):
    """Columns that are hard to bin: gaps, few values, zeros of both signs, giants."""
    sparse = np.where(rng.random(n) < 0.999, np.nan, rng.normal(size=n))
    giant = rng.normal(size=n)
    giant[rng.integers(0, n)] = 1e300
    exactly = (np.arange(n) % 256).astype(float)
    zeros = rng.choice([-0.0, 0.0, 1.0, np.nan], n)
    return [sparse, giant, exactly, zeros, rng.normal(size=n).astype(np.float32)]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), n_parts=st.sampled_from([1, 2, 5, 16, 61]))
def test_bins_are_the_same_for_any_cut_and_order(seed, n_parts):
    rng = np.random.default_rng(seed)
    n = 30_000
    every = columns(rng, n)
    whole = Sketch(len(every), 255)
    whole.k = 2000  # as if there were many more rows
    whole.add(every, 0)
    cuts = np.r_[0, np.sort(rng.integers(0, n + 1, n_parts - 1)), n]
    merged = Sketch(len(every), 255)
    merged.k = 2000
    for i in rng.permutation(n_parts):
        part = Sketch(len(every), 255)
        part.k = 2000
        part.add([x[cuts[i] : cuts[i + 1]] for x in every], int(cuts[i]))
        merged.merge(part)
    for j in range(len(every)):
        assert whole.bins(j).tobytes() == merged.bins(j).tobytes()
        assert whole.is_sampled(j) == merged.is_sampled(j)
    assert len(whole.bins(0)) == min(255, (~np.isnan(every[0])).sum())
    assert whole.bins(3).tolist() == [0.0, 1.0]
    assert not np.signbit(whole.bins(3)).any()


def test_a_sample_is_the_rows_of_least_hash():
    n, k = 200_000, sample_size(1)
    values = np.random.default_rng(0).normal(size=n)
    sketch = Sketch(1, 16)
    for begin in range(0, n, 37_000):
        sketch.add([values[begin : begin + 37_000]], begin)
    least = np.argsort(row_hashes(0, n))[:k]
    want = _core.learn_bins(values[least], 16)
    assert sketch.bins(0).tobytes() == want.tobytes()
    assert len(np.unique(row_hashes(0, n))) == n


def table(seed, n=1500):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    X[rng.random(n) < 0.15, 1] = np.nan
    X[:, 3] = rng.integers(0, 300, n)
    X[:, 4] = rng.integers(0, 6, n)
    y = np.digitize(np.nan_to_num(X)[:, :2].sum(1) + X[:, 4] % 2, [-0.5, 0.8])
    return X, y, rng.gamma(1.0, 1.0, n)


GIVEN = {"categorical_features": [3, 4], "max_bins": 64}


def same_trees(one, other):
    for name in Tree.ARRAYS:
        a, b = getattr(one.tree_, name), getattr(other.tree_, name)
        assert a.tobytes() == b.tobytes(), name


@pytest.mark.parametrize("depth", range(7))
def test_subtrees_may_be_grown_elsewhere_from_any_depth(depth):
    X, y, weight = table(depth)
    whole = DecisionTreeClassifier(**GIVEN).fit(X, y, weight)
    pieces = cut(X, y, weight, np.random.default_rng(depth), 5)
    engine = InMemory(pieces, depth_apart=depth)
    same_trees(whole, fit_pieces(DecisionTreeClassifier(**GIVEN), engine))
    assert len(engine.all_requests) == depth


@pytest.mark.parametrize("slots", [1, 2, 3, 10**6])
@pytest.mark.parametrize("budget", [0, 10**9])
@pytest.mark.parametrize("keeps_nodes", [True, False])
def test_groups_derived_sums_and_kept_nodes_cannot_be_seen(slots, budget, keeps_nodes):
    X, y, weight = table(7)
    for limits in ({"max_depth": 4}, {"max_leaf_nodes": 25}):
        given = {**GIVEN, **limits}
        whole = DecisionTreeClassifier(**given).fit(X, y, weight)
        engine = InMemory(cut(X, y, weight, np.random.default_rng(0), 4), slots=slots)
        engine.keeps_nodes = keeps_nodes
        model = fit_pieces(DecisionTreeClassifier(**given), engine, budget=budget)
        same_trees(whole, model)
        assert max(request.n_slots for request in engine.all_requests) <= slots
        if limits == {"max_depth": 4} and slots == 10**6:
            counted = [request.n_slots for request in engine.all_requests]
            n_open = [level["nodes"] for level in model.fit_info_["levels"]]
            assert (counted == n_open) == (budget == 0)


def test_best_first_needs_few_passes():
    X, y, _ = table(3)
    given = {**GIVEN, "max_leaf_nodes": 60}
    whole = DecisionTreeClassifier(**given).fit(X, y)
    engine = InMemory(cut(X, y, None, np.random.default_rng(0), 3))
    same_trees(whole, fit_pieces(DecisionTreeClassifier(**given), engine))
    assert len(engine.all_requests) < 30


def test_counters_take_four_bytes_while_that_is_enough():
    X, y, weight = table(5)
    for weights, want in (
        (None, "uint32"),
        (weight, "int64"),
        (weight.round(), "int64"),
    ):
        engine = InMemory(cut(X, y, weights, np.random.default_rng(0), 2))
        fit_pieces(DecisionTreeClassifier(**GIVEN, max_depth=3), engine)
        assert engine.all_requests[0].dtype == want
    assert (
        engine.all_requests[1].dtype == "uint32"
    )  # whole weights, whose sum is known now
    layout = engine.all_requests[1].layout()
    assert layout.slot_size == layout.n_cells * (3 + 1)
    assert (
        len(engine.all_requests[1].zeros())
        == layout.slot_size * engine.all_requests[1].n_slots
    )


@pytest.mark.parametrize("times", [0, 2])
def test_a_part_that_is_lost_or_counted_twice_is_noticed(times):
    X, y, _ = table(6)

    class Odd(InMemory):
        def sums(self, request):
            total = super().sums(request)
            if request.number == 2:
                own = InMemory(self.pieces[:1])
                own.blocks = [pickle.loads(pickle.dumps(self.blocks[0]))]
                part = own.sums(request)
                total = total + part if times == 2 else total - part
            return total

    engine = Odd(cut(X, y, None, np.random.default_rng(0), 4))
    with pytest.raises(ValueError, match="a partition was lost or counted twice"):
        fit_pieces(DecisionTreeClassifier(**GIVEN), engine)


def test_codes_that_travelled_are_looked_at():
    layout = _core.Layout([3, 2], [2], False)
    good = Block(
        np.zeros((4, 2), np.uint8),
        np.empty((4, 0), np.uint32),
        np.zeros((4, 1), np.uint8),
    )
    arrays = (good.byte_codes, good.int_codes, good.labels, None)
    _core.check_block(layout, *arrays)
    for at, value in ((0, 9), (1, 3)):
        good.byte_codes[2, at] = value
        with pytest.raises(ValueError, match="out of range"):
            _core.check_block(layout, *arrays)
        good.byte_codes[2, at] = 0
    good.labels[1] = 2
    with pytest.raises(ValueError, match="out of range"):
        _core.check_block(layout, *arrays)
    block = pickle.loads(pickle.dumps(Block(*arrays[:3], None, np.zeros(4, np.int32))))
    assert block.nodes is None
    ways = [
        np.array([0]),
        np.array([5]),
        np.zeros(1),
        np.zeros(1),
        np.array([-1]),
        np.zeros(0),
    ]
    kinds = ("int32", "int32", "uint32", "uint32", "int64", "uint32")
    with pytest.raises(ValueError, match="a node that does not exist"):
        _core.Ways(layout, *(a.astype(k) for a, k in zip(ways, kinds, strict=True)))


def test_bytes_that_are_no_subtree_are_refused():
    X, y, _ = table(8, 300)
    engine = InMemory(cut(X, y, None, np.random.default_rng(0), 2), depth_apart=1)
    rng = np.random.default_rng(1)
    finish = engine.finish

    def broken(request, contexts, recipe):
        for node, part in finish(request, contexts, recipe):
            data = bytearray(part)
            for _ in range(3):
                data[rng.integers(len(data))] = rng.integers(256)
            yield node, bytes(data)

    engine.finish = broken
    n_refused = 0
    for _ in range(40):
        model = DecisionTreeClassifier(**GIVEN)
        try:
            fit_pieces(model, engine)
        except ValueError:
            n_refused += 1
        else:  # what was changed is a number that may be so: a tree like any other
            shares = model.predict_proba(X)
            assert np.isfinite(shares).all()
            assert model.tree_.apply(X).max() < model.tree_.node_count
    assert n_refused > 20


def test_units_of_weights_do_not_depend_on_the_cut():
    rng = np.random.default_rng(0)
    for weight in (rng.gamma(1, 1, 999), rng.integers(1, 9, 999) * 1.0):
        whole, parts = WeightSummary(), WeightSummary()
        whole.add(weight)
        for part in np.split(weight, [1, 500, 500, 998]):
            parts.add(part)
        assert whole.unit == parts.unit


def test_nothing_is_imported_that_the_ordinary_install_lacks():
    code = "import sys, ramify; print(sorted(m.split('.')[0] for m in sys.modules))"
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    for name in ("pyarrow", "dask", "distributed"):
        assert f"'{name}'" not in done.stdout
    for path in Path(ramify.distributed.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text()).body:  # at the top of the file
            names = [alias.name for alias in getattr(node, "names", [])]
            names.append(getattr(node, "module", None) or "")
            for name in names:
                assert name.split(".")[0] not in ("pyarrow", "dask"), path
