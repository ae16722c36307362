# SPDX-License-Identifier: BSD-3-Clause
"""Numbers become ordered codes, whatever holds them, and nothing is lost."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies import LAWS, random_table, tables

from ramify import DecisionTreeClassifier, Table

ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "n_node_samples",
    "value",
)

finite = st.floats(allow_nan=True, allow_infinity=False, width=64)
singles = st.floats(allow_nan=True, allow_infinity=False, width=32)


def codes(values: object, **options: object) -> np.ndarray:
    """Encode one column and return its codes."""
    column = np.asarray(values).reshape(-1, 1)
    return Table(column, **options).core.codes(0)


def assert_same_tree(one: object, other: object) -> None:
    __tracebackhide__ = True
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


def tree(X: object, y: object, **params: object) -> object:
    return DecisionTreeClassifier(**params).fit(X, y).tree_


@LAWS
@given(
    values=hnp.arrays(np.float64, st.integers(1, 80), elements=finite)
    | hnp.arrays(np.float32, st.integers(1, 80), elements=singles)
    | hnp.arrays(hnp.integer_dtypes(), st.integers(1, 80))
    | hnp.arrays(hnp.unsigned_integer_dtypes(), st.integers(1, 80))
)
def test_codes_number_the_distinct_values_in_order(values):
    numbers = values.astype(np.float64)
    known = ~np.isnan(numbers)
    distinct = np.unique(numbers[known])
    expected = np.full(len(values), len(distinct))  # missing comes last
    expected[known] = np.searchsorted(distinct, numbers[known])
    np.testing.assert_array_equal(codes(values), expected)


@pytest.mark.parametrize("n_rows", [200, 255, 256, 257, 5000, 70_000])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_of_any_width_are_in_order(n_rows, missing, dtype):
    rng = np.random.default_rng(n_rows)
    values = rng.normal(size=n_rows).astype(dtype)
    values[rng.random(n_rows) < missing] = np.nan
    known = ~np.isnan(values)
    distinct = np.unique(values[known])
    expected = np.full(n_rows, len(distinct))
    expected[known] = np.searchsorted(distinct, values[known])
    np.testing.assert_array_equal(codes(values), expected)


def test_neighbouring_doubles_are_told_apart():
    values = np.array([1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0), 1.0])
    assert len(np.unique(values.astype(np.float32))) == 1
    assert codes(values).tolist() == [1, 2, 0, 1]
    many = 1.0 + np.arange(2000) * 2.0**-52
    shuffled = np.random.default_rng(0).permutation(2000)
    np.testing.assert_array_equal(codes(many[shuffled]), shuffled)
    model = DecisionTreeClassifier().fit(values[:3, None], [0, 1, 2])
    assert model.predict(values[:3, None]).tolist() == [0, 1, 2]


def test_extreme_numbers_are_ordinary_numbers():
    values = np.array([1.7e308, -1.7e308, 5e-324, 0.0, -5e-324, 1e300, -1e300])
    np.testing.assert_array_equal(codes(values), np.argsort(np.argsort(values)))
    labels = np.arange(len(values))
    model = DecisionTreeClassifier().fit(values[:, None], labels)
    assert np.isfinite(model.tree_.threshold).all()
    np.testing.assert_array_equal(model.predict(values[:, None]), labels)


def test_minus_zero_is_zero():
    assert codes([0.0, -0.0, 1.5, -1.5]).tolist() == [1, 1, 2, 0]
    assert codes(np.array([0.0, -0.0, 1.5], dtype=np.float32)).tolist() == [0, 0, 1]
    assert codes([0.0, -0.0, 2.0]).tolist() == [0, 0, 1]  # whole numbers go another way
    assert tree([[0.0], [-0.0]], [0, 1]).node_count == 1


def test_missing_values_have_the_last_code():
    core = Table(np.array([[np.nan, 3.0], [1.0, 4.0], [0.5, np.nan]])).core
    assert core.codes(0).tolist() == [2, 1, 0]
    assert core.codes(1).tolist() == [0, 1, 2]
    assert [core.n_missing(0), core.n_missing(1)] == [1, 1]
    assert [core.n_codes(0), core.n_codes(1)] == [2, 2]
    payload = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64)
    assert codes(payload.view(np.float64)).tolist() == [0, 0]  # every NaN is missing


@LAWS
@given(
    values=hnp.arrays(np.float64, (20, 2), elements=finite)
    | hnp.arrays(np.float32, (20, 2), elements=singles)
    | hnp.arrays(np.int16, (20, 2))
)
def test_decoding_gives_the_numbers_back(values):
    np.testing.assert_array_equal(Table(values).to_numpy(), values.astype(np.float64))


@pytest.mark.parametrize("max_bins", [2, 3, 10, 64, 254, 255])
@pytest.mark.parametrize(
    "kind", ["distinct", "few", "one heavy value", "heavy first", "heavy last", "steps"]
)
def test_bins_are_ordered_balanced_and_at_most_as_many_as_asked(max_bins, kind):
    rng = np.random.default_rng(1)
    values = {
        "distinct": rng.normal(size=6000),
        "few": rng.integers(0, 5, 6000),
        "one heavy value": np.where(rng.random(6000) < 0.6, 0, rng.normal(size=6000)),
        "heavy first": np.where(rng.random(6000) < 0.6, -9, rng.normal(size=6000)),
        "heavy last": np.where(rng.random(6000) < 0.6, 9, rng.normal(size=6000)),
        "steps": rng.geometric(0.02, 6000),
    }[kind].astype(float)
    binned = codes(values, max_bins=max_bins)
    distinct, counts = np.unique(values, return_counts=True)
    n_bins = binned.max() + 1
    assert n_bins == len(np.unique(binned)) <= max_bins
    if len(distinct) <= max_bins:
        np.testing.assert_array_equal(binned, np.searchsorted(distinct, values))
        return
    assert n_bins >= min(max_bins, 2)
    order = np.argsort(values, kind="stable")
    assert (np.diff(binned[order].astype(int)) >= 0).all()
    # One value has one code; a bin holds its share of the rows, or one value more.
    pairs = {(value, code) for value, code in zip(values, binned, strict=True)}
    assert len(pairs) == len(distinct)
    sizes = np.bincount(binned)
    heavy = counts[counts > len(values) / max_bins].sum()
    fair = max((len(values) - heavy) / max_bins, 1)
    alone = np.array([len(np.unique(values[binned == code])) for code in range(n_bins)])
    light = counts[counts <= len(values) / max_bins].max()
    assert (sizes[alone > 1] <= 2 * len(values) / max_bins + light).all()
    if kind == "distinct":
        assert sizes.max() - sizes.min() <= 1
        assert n_bins == max_bins
    if "heavy" in kind and max_bins >= 64:
        # The frequent value takes one bin; the others still divide the rest evenly.
        assert np.median(sizes) <= 2.5 * fair
        assert n_bins > 0.8 * max_bins


def test_a_binned_table_stands_for_the_lowest_value_of_each_bin():
    values = np.arange(100.0)[:, None]
    table = Table(values, max_bins=4)
    assert sorted(set(table.to_numpy()[:, 0])) == [0, 25, 50, 75]
    assert "max_bins=4" in repr(table)


def test_thresholds_of_bins_lie_between_them():
    x = np.arange(100.0)[:, None]
    grown = tree(x, (x[:, 0] >= 50).astype(int), max_bins=4)
    assert grown.threshold[0] == 49.5
    grown = tree(x, (x[:, 0] >= 50).astype(int), max_bins=4, threshold="value")
    assert grown.threshold[0] == 49


def test_binned_predictions_agree_between_numbers_and_table():
    data = random_table(2, n_rows=900, n_classes=3, missing=0.1)
    table = Table(data.X, max_bins=16)
    model = DecisionTreeClassifier(max_bins=16).fit(data.X, data.y)
    assert_same_tree(DecisionTreeClassifier().fit(table, data.y).tree_, model.tree_)
    np.testing.assert_array_equal(model.apply(table), model.apply(data.X))


DTYPES = [
    *("float16", "float32", "float64", "longdouble", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", ">f4", ">f8", ">i2", ">i4", ">i8", ">u2"),
]


@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "object"])
@pytest.mark.parametrize(
    "layout", ["C", "F", "strided", "reversed", "read-only", "unaligned", "transposed"]
)
def test_any_array_of_the_same_numbers_grows_the_same_tree(dtype, layout):
    rng = np.random.default_rng(3)
    numbers = rng.integers(0, 2 if dtype == "bool" else 100, (60, 4))
    y = (numbers[:, 0] + numbers[:, 2] > numbers[:, 1]).astype(int)
    expected = tree(numbers.astype(np.float64), y)
    stored = numbers.astype(dtype)
    if layout == "F":
        stored = np.asfortranarray(stored)
    elif layout == "strided":
        stored = np.repeat(np.repeat(stored, 3, axis=0), 2, axis=1)[::3, ::2]
    elif layout == "reversed":
        stored = np.ascontiguousarray(stored[::-1, ::-1])[::-1, ::-1]
    elif layout == "read-only":
        stored.flags.writeable = False
    elif layout == "unaligned":
        if dtype == "object":
            pytest.skip("objects are always aligned")
        records = np.zeros(60, dtype=[("pad", "u1"), ("x", stored.dtype, 4)])
        records["x"] = stored
        stored = records["x"]
    elif layout == "transposed":
        stored = np.ascontiguousarray(stored.T).T
    before = np.array(stored)
    model = DecisionTreeClassifier().fit(stored, y)
    assert_same_tree(model.tree_, expected)
    assert_same_tree(tree(Table(stored), y), expected)
    plain = DecisionTreeClassifier().fit(numbers.astype(np.float64), y)
    np.testing.assert_array_equal(
        model.predict(stored), plain.predict(numbers.astype(np.float64))
    )
    np.testing.assert_array_equal(stored, before)


def test_integers_beyond_the_exact_range_of_doubles_are_not_mixed_up_silently():
    values = np.array([2**53, 2**53 + 2, -(2**53), 2**62, 2**63 - 1])
    np.testing.assert_array_equal(codes(values), np.argsort(np.argsort(values)))
    unsigned = np.array([2**64 - 1, 0, 2**63], dtype=np.uint64)
    assert codes(unsigned).tolist() == [2, 0, 1]


def test_lists_are_tables_too():
    X, y = [[1, 2.5], [3, 4]], [0, 1]
    assert_same_tree(tree(X, y), tree(np.array(X), y))
    assert Table(X).shape == (2, 2)


@LAWS
@given(data=tables(), chosen=st.randoms(use_true_random=False))
def test_rows_named_twice_in_a_view_count_twice(data, chosen):
    rows = [chosen.randrange(len(data.y)) for _ in range(2 * len(data.y))]
    view = Table(data.X)[rows]
    assert_same_tree(tree(view, data.y[rows]), tree(data.X[rows], data.y[rows]))
    np.testing.assert_array_equal(view.to_numpy(), data.X[rows])


def test_a_view_of_a_view_shows_the_rows_of_its_rows():
    X = np.arange(40.0).reshape(20, 2)
    table = Table(X)
    once = table[np.arange(19, -1, -1)]
    for key in (
        slice(2, 15, 3),
        slice(None, None, -1),
        [4, 4, 1],
        np.array([True, False] * 10),
        np.array([-1, 0]),
        [],
        np.arange(3, dtype=np.uint8),
    ):
        np.testing.assert_array_equal(once[key].to_numpy(), X[::-1][key])
        assert once[key].shape == X[::-1][key].shape
        assert len(once[key]) == len(X[::-1][key])
    assert table[[1, 2], ...].shape == (2, 2)
    assert once[2:][:3].core is table.core  # nothing was encoded again
    np.testing.assert_array_equal(table.to_numpy(), X)


@pytest.mark.parametrize("key", [3, np.int64(0), (0, 1), (slice(None), 0), "a", 1.5])
def test_a_table_is_indexed_by_several_rows_only(key):
    with pytest.raises((TypeError, IndexError)):
        Table(np.eye(4))[key]


@pytest.mark.parametrize("key", [[4], [-5], np.ones(3, dtype=bool)])
def test_rows_that_do_not_exist_are_refused(key):
    with pytest.raises(IndexError):
        Table(np.eye(4))[key]


def test_a_table_does_not_follow_changes_of_its_source():
    X = np.arange(6.0).reshape(3, 2)
    table = Table(X)
    X[:] = 0
    np.testing.assert_array_equal(table.to_numpy(), [[0, 1], [2, 3], [4, 5]])


def test_a_long_table_has_the_same_codes_row_by_row_and_column_by_column():
    # Its columns are copied four at a time.
    X = np.random.default_rng(0).integers(0, 9, (2**20, 5))
    by_row, by_column = Table(X).core, Table(np.asfortranarray(X)).core
    for column in range(5):
        codes = by_row.codes(column)
        np.testing.assert_array_equal(codes, X[:, column])
        np.testing.assert_array_equal(codes, by_column.codes(column))


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_encode_the_same(n_jobs):
    X = random_table(5, n_rows=3000, n_columns=7, missing=0.05).X
    table, plain = Table(X, n_jobs=n_jobs), Table(X)
    for column in range(7):
        np.testing.assert_array_equal(
            table.core.codes(column), plain.core.codes(column)
        )


# --- data frames ----------------------------------------------------------------------

COLUMNS = {
    "real": [1.5, None, 2.5, -1.0, 0.5, 3.5, None, 2.0],
    "whole": [3, 1, None, 7, 2, 2, 5, 9],
    "flag": [True, False, True, None, False, True, False, True],
    "full": [1, 2, 3, 4, 5, 6, 7, 8],
}
LABELS = [0, 1, 0, 1, 1, 0, 1, 0]


def as_numpy() -> np.ndarray:
    lists = [
        [np.nan if value is None else float(value) for value in column]
        for column in COLUMNS.values()
    ]
    return np.array(lists).T


def frames() -> dict[str, object]:
    nullable = {"real": "Float64", "whole": "Int64", "flag": "boolean", "full": "Int32"}
    return {
        "pandas": pd.DataFrame({k: pd.Series(v) for k, v in COLUMNS.items()}),
        "pandas floats": pd.DataFrame(as_numpy(), columns=list(COLUMNS)),
        "pandas nullable": pd.DataFrame(
            {k: pd.array(v, dtype=nullable[k]) for k, v in COLUMNS.items()}
        ),
        "pandas arrow": pd.DataFrame(
            {
                k: pd.array(v, dtype=pd.ArrowDtype(pa.array(v).type))
                for k, v in COLUMNS.items()
            }
        ),
        "polars": pl.DataFrame(COLUMNS),
        "polars in chunks": pl.concat(
            [pl.DataFrame(COLUMNS)[:3], pl.DataFrame(COLUMNS)[3:]], rechunk=False
        ),
        "pyarrow": pa.table(COLUMNS),
    }


@pytest.mark.parametrize("kind", frames())
def test_frames_with_gaps_grow_the_tree_of_the_same_numbers(kind):
    frame, numbers = frames()[kind], as_numpy()
    plain = DecisionTreeClassifier().fit(numbers, LABELS)
    model = DecisionTreeClassifier().fit(frame, LABELS)
    assert_same_tree(model.tree_, plain.tree_)
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(numbers))
    table = Table(frame)
    assert table.columns == list(COLUMNS)
    np.testing.assert_array_equal(table.to_numpy(), numbers)
    assert_same_tree(DecisionTreeClassifier().fit(table, LABELS).tree_, plain.tree_)
    np.testing.assert_array_equal(model.predict(table), plain.predict(numbers))


def test_frames_of_different_libraries_are_exchangeable():
    given = frames()
    for fitted in given.values():
        model = DecisionTreeClassifier().fit(fitted, LABELS)
        expected = model.predict(Table(fitted))
        for asked in given.values():
            np.testing.assert_array_equal(model.predict(asked), expected)


def test_frames_without_names_are_read_by_position():
    frame = pd.DataFrame(as_numpy())  # columns 0, 1, 2, 3
    model = DecisionTreeClassifier().fit(frame, LABELS)
    assert not hasattr(model, "feature_names_in_")
    assert_same_tree(model.tree_, tree(as_numpy(), LABELS))
    np.testing.assert_array_equal(model.predict(frame), model.predict(as_numpy()))


def test_a_single_column_of_a_big_frame_is_not_mixed_up_with_another():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({f"c{j}": rng.normal(size=50) for j in range(30)})
    y = (frame["c17"].to_numpy() > 0).astype(int)
    model = DecisionTreeClassifier().fit(frame, y)
    assert model.tree_.feature[0] == 17
    assert model.get_n_leaves() == 2


PEAK = """
import sys
import numpy as np
from ramify import _core

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * int(next(s for s in lines if s.startswith("VmHWM")).split()[1])

n = 1_000_000
X = np.random.default_rng(0).random(n)
_core.encode_table([X[:1000]], 0, 1, [], [], [], False)
open("/proc/self/clear_refs", "w").write("5")  # the peak is what is held now
before = peak()
table = _core.encode_table([X], 0, 1, [], [], [], False)
print((peak() - before) / n)
"""


@pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK)
    or "san" in os.getenv("LD_PRELOAD", ""),
    reason="needs Linux, which resets peaks, and no sanitizer, which takes memory",
)
def test_encoding_a_column_takes_little_more_than_sorting_it():
    """Per row: 12 bytes stay and 16 sort; copies of rows and values made it 45."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 36
