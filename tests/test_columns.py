# SPDX-License-Identifier: BSD-3-Clause
"""One table is one table, whatever holds it; what cannot be read is named."""

import datetime
import importlib.util
from decimal import Decimal
from fractions import Fraction

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from strategies import LAWS

from ramify import DecisionTreeClassifier, Table
from ramify.table.schema import ColumnInfo, Schema

# Two columns of text, one with gaps; numbers, whole numbers and booleans with gaps.
ROWS = [
    # city, grade, age, children, member
    ("Oslo", "b", 31.5, 2, True),
    ("Rome", "a", None, 0, False),
    (None, "nan", 12.25, None, None),
    ("oslo", "b", 80.0, 3, True),
    ("Århus", "", 31.5, 2, False),
    ("Rome", "a", 4.0, 1, True),
    ("東京", "c", None, None, False),
    ("Oslo", "b", -7.5, 0, True),
]
NAMES = ["city", "grade", "age", "children", "member"]
LABELS = [0, 1, 0, 1, 1, 0, 1, 0]
LISTS = {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}
CITIES = ("Oslo", "Rome", "oslo", "Århus", "東京")
GRADES = ("", "a", "b", "c", "nan")

SCHEMA = Schema(
    (
        ColumnInfo("city", "categorical", CITIES),
        ColumnInfo("grade", "categorical", GRADES),
        ColumnInfo("age"),
        ColumnInfo("children"),
        ColumnInfo("member"),
    ),
    has_names=True,
)
UNNAMED = Schema(
    tuple(
        ColumnInfo(f"x{j}", column.kind, column.categories)
        for j, column in enumerate(SCHEMA.columns)
    ),
    has_names=False,
)
MATRIX = np.array(
    [
        [0, 2, 31.5, 2, 1],
        [1, 1, np.nan, 0, 0],
        [np.nan, 4, 12.25, np.nan, np.nan],
        [2, 2, 80.0, 3, 1],
        [3, 0, 31.5, 2, 0],
        [1, 1, 4.0, 1, 1],
        [4, 3, np.nan, np.nan, 0],
        [0, 2, -7.5, 0, 1],
    ]
)


class Capsule:
    """Nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: object) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def pandas_as(**dtypes: object) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(LISTS[name], dtype=dtypes.get(name)) for name in NAMES}
    )


def objects(gap: object) -> pd.DataFrame:
    filled = {
        name: [gap if value is None else value for value in values]
        for name, values in LISTS.items()
    }
    return pd.DataFrame(filled, dtype=object)


def arrow_frame() -> pd.DataFrame:
    table = pa.table(LISTS)
    types = dict(zip(NAMES, table.schema.types, strict=True))
    return pandas_as(**{name: pd.ArrowDtype(types[name]) for name in NAMES})


def arrow_dictionaries() -> pa.Table:
    table = pa.table(LISTS)
    for j in (0, 1):
        table = table.set_column(j, NAMES[j], table[j].dictionary_encode())
    return table


def polars_enum() -> pl.DataFrame:
    levels = pl.Enum(["z", "東京", *reversed(CITIES[:-1]), *GRADES])  # more than used
    return pl.DataFrame(LISTS).with_columns(pl.col("city", "grade").cast(levels))


def in_chunks(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([frame[:3], frame[3:]], rechunk=False)


NAMED = {
    "pandas": lambda: pd.DataFrame(LISTS),
    "pandas object": lambda: pd.DataFrame(LISTS).astype(object),
    "pandas object NaN": lambda: objects(np.nan),
    "pandas object NA": lambda: objects(pd.NA),
    "pandas string": lambda: pandas_as(
        city="string", grade="string", children="Int64", member="boolean"
    ),
    "pandas string python": lambda: pandas_as(
        city="string[python]", grade="string[python]", age="Float64", children="Int8"
    ),
    "pandas category": lambda: pandas_as(city="category", grade="category"),
    "pandas more categories": lambda: pandas_as(
        city=pd.CategoricalDtype(["Paris", *reversed(CITIES)]),
        grade=pd.CategoricalDtype(["z", *GRADES], ordered=True),
    ),
    "pandas arrow": arrow_frame,
    "pandas arrow dictionary": lambda: pandas_as(
        city=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())), grade="category"
    ),
    "polars": lambda: pl.DataFrame(LISTS),
    "polars chunks": lambda: in_chunks(pl.DataFrame(LISTS)),
    "polars categorical": lambda: pl.DataFrame(LISTS).with_columns(
        pl.col("city", "grade").cast(pl.Categorical)
    ),
    "polars enum": polars_enum,
    "pyarrow": lambda: pa.table(LISTS),
    "pyarrow chunks": lambda: pa.concat_tables(
        [pa.table(LISTS)[:3], pa.table(LISTS)[3:]]
    ),
    "pyarrow dictionary": arrow_dictionaries,
    "pyarrow dictionary chunks": lambda: pa.concat_tables(
        [
            pa.table(LISTS)[rows].set_column(
                0, "city", pa.table(LISTS)[rows]["city"].dictionary_encode()
            )
            for rows in (slice(0, 3), slice(3, 8))
        ]
    ),
    "record batch": lambda: pa.RecordBatch.from_pydict(LISTS),
    "batch reader": lambda: pa.table(LISTS).to_reader(),
    "capsule": lambda: Capsule(pa.table(LISTS)),
}
if hasattr(pa, "string_view"):
    NAMED["pyarrow views"] = lambda: pa.table(LISTS).set_column(
        0, "city", pa.table(LISTS)["city"].cast(pa.string_view())
    )
if hasattr(pl.DataFrame, "__arrow_c_stream__"):
    NAMED["capsule of polars"] = lambda: Capsule(pl.DataFrame(LISTS))
WITHOUT_NAMES = {
    "object": lambda: np.array(ROWS, dtype=object),
    "object F": lambda: np.asfortranarray(np.array(ROWS, dtype=object)),
    "object NaN": lambda: np.array(
        [[np.nan if cell is None else cell for cell in row] for row in ROWS],
        dtype=object,
    ),
    "object of NumPy": lambda: np.array(
        [[np.asarray(cell)[()] for cell in row] for row in ROWS], dtype=object
    ),
    "rows": lambda: ROWS,
    "rows with NaN": lambda: [
        [np.nan if cell is None else cell for cell in row] for row in ROWS
    ],
    "numbered columns": lambda: pd.DataFrame(ROWS),
    "masked": lambda: np.ma.masked_array(
        [["?" if cell is None else cell for cell in row] for row in ROWS],
        [[cell is None for cell in row] for row in ROWS],
        dtype=object,
    ),
}


@pytest.mark.parametrize("kind", NAMED)
def test_one_table_has_one_schema_in_every_library(kind):
    table = Table(NAMED[kind]())
    assert table.schema == SCHEMA
    assert [type(c) for column in table.schema.columns for c in column.categories] == (
        [str] * 10
    )
    assert table.columns == NAMES
    np.testing.assert_array_equal(table.to_numpy(), MATRIX)
    np.testing.assert_array_equal(SCHEMA.matrix(NAMED[kind]()), MATRIX)


@pytest.mark.parametrize("kind", WITHOUT_NAMES)
def test_one_table_has_one_schema_without_names(kind):
    table = Table(WITHOUT_NAMES[kind]())
    assert table.schema == UNNAMED
    assert table.columns is None
    np.testing.assert_array_equal(table.to_numpy(), MATRIX)
    np.testing.assert_array_equal(UNNAMED.matrix(WITHOUT_NAMES[kind]()), MATRIX)


@pytest.mark.parametrize("kind", [*NAMED, *WITHOUT_NAMES])
def test_one_table_grows_one_tree(kind):
    X = {**NAMED, **WITHOUT_NAMES}[kind]
    one = DecisionTreeClassifier().fit(X(), LABELS)
    other = DecisionTreeClassifier().fit(NAMED["pandas"](), LABELS)
    for name in one.tree_.ARRAYS:
        np.testing.assert_array_equal(
            getattr(one.tree_, name), getattr(other.tree_, name), name
        )
    assert one.predict(X()).tolist() == other.predict(NAMED["polars"]()).tolist()


cells = st.tuples(
    st.none() | st.text(max_size=2),
    st.none() | st.integers(-3, 3),
    st.none() | st.sampled_from([0.5, 1.0, -2.25]),
    st.none() | st.booleans(),
)


@LAWS
@given(rows=st.lists(cells, min_size=1, max_size=12), data=st.data())
def test_the_order_of_rows_and_columns_does_not_matter(rows, data):
    names = ["text", "whole", "real", "flag"]
    types = {
        "text": pl.String,
        "whole": pl.Int8,
        "real": pl.Float64,
        "flag": pl.Boolean,
    }
    frame = pl.DataFrame(rows, schema=types, orient="row")
    table = Table(frame, categorical_features=["text", "flag", "whole"])
    matrix = table.to_numpy()
    order = data.draw(st.permutations(range(len(rows))))
    turned = frame[order].select(data.draw(st.permutations(names)))
    again = Table(turned, categorical_features=["text", "flag", "whole"])
    assert {c.name: c for c in again.schema.columns} == {
        c.name: c for c in table.schema.columns
    }
    np.testing.assert_array_equal(table.schema.matrix(turned), matrix[order])
    np.testing.assert_array_equal(table.schema.matrix(again), matrix[order])
    text = [row[0] for row in rows]
    assert table.schema.columns[0].categories == tuple(
        sorted({value for value in text if value is not None})
    )
    for other in (turned.to_arrow(), turned.to_pandas(), np.array(rows, dtype=object)):
        if isinstance(other, np.ndarray):
            expected = Table(other, categorical_features=[0, 1, 3])
            np.testing.assert_array_equal(expected.to_numpy(), matrix)
        else:
            np.testing.assert_array_equal(table.schema.matrix(other), matrix[order])


def test_arrays_of_text_hold_categories():
    table = Table(np.array([["b", "1"], ["a", "nan"], ["b", "10"]]))
    assert table.schema.columns[0].categories == ("a", "b")
    assert table.schema.columns[1].categories == ("1", "10", "nan")
    if hasattr(np.dtypes, "StringDType"):
        text = np.array([["b"], ["a"], [None]], np.dtypes.StringDType(na_object=None))
        np.testing.assert_array_equal(Table(text).to_numpy(), [[1], [0], [np.nan]])


def test_rows_of_lists_keep_the_types_of_their_cells():
    table = Table([["b", 1, True], ["a", np.nan, False], [np.nan, 2.5, None]])
    assert table.schema.kinds == ["categorical", "numeric", "numeric"]
    assert table.schema.columns[0].categories == ("a", "b")
    np.testing.assert_array_equal(table.to_numpy()[:, 0], [1, 0, np.nan])


def test_masked_numbers_are_missing():
    X = np.ma.masked_array([[1.0, 9.0], [3.0, 4.0]], [[False, True], [False, False]])
    np.testing.assert_array_equal(Table(X).to_numpy(), [[1, np.nan], [3, 4]])


def test_a_frame_may_name_a_column_as_it_likes():
    for name in ("columns", "shape", "as_source", "schema", "names", ""):
        frame = pd.DataFrame({name: ["b", "a"], "x": [1, 2]})
        assert Table(frame).columns == [name, "x"]


@pytest.mark.parametrize("has_pyarrow", [True, False])
def test_the_arrow_interface_needs_pyarrow_or_polars(monkeypatch, has_pyarrow):
    found = importlib.util.find_spec
    installed = ["polars", "pyarrow"] if has_pyarrow else ["polars"]

    def find_spec(name, package=None):
        is_gone = name in ("polars", "pyarrow") and name not in installed
        return None if is_gone else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    assert Table(Capsule(pa.table(LISTS))).schema == SCHEMA
    installed.clear()
    with pytest.raises(ImportError, match=r"Capsule.*install pyarrow or polars"):
        Table(Capsule(pa.table(LISTS)))


# --- which columns are categorical ----------------------------------------------------

NUMBERS = pd.DataFrame({"code": [3, 1, 2, 1], "size": [0.5, 2.0, np.nan, 2.0]})


@pytest.mark.parametrize(
    "chosen",
    [
        ["code"],
        ("code",),
        {"code"},
        [0],
        [0, 0],
        np.array([0]),
        range(1),
        [np.int8(0)],
        [True, False],
        np.array([True, False]),
        np.array(["code"]),
        pd.Index(["code"]),
    ],
)
def test_columns_are_chosen_by_name_index_or_mask(chosen):
    table = Table(NUMBERS, categorical_features=chosen)
    assert table.schema.columns == (
        ColumnInfo("code", "categorical", (1, 2, 3)),
        ColumnInfo("size"),
    )
    assert table.core.is_categorical(0)
    assert not table.core.is_categorical(1)
    np.testing.assert_array_equal(table.to_numpy()[:, 0], [2, 0, 1, 0])


@pytest.mark.parametrize(
    "chosen", ["from_dtype", None, [], (), np.array([], dtype=int)]
)
def test_numbers_are_numbers_unless_chosen(chosen):
    assert Table(NUMBERS, categorical_features=chosen).schema.kinds == ["numeric"] * 2


CHOICES = {
    "array": lambda X: X,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "object": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "pandas": pd.DataFrame,
}


@pytest.mark.parametrize("kind", CHOICES)
def test_numbers_may_be_categories_in_any_container(kind):
    X = np.array([[2.0, 0.5, 7.0], [0.0, 0.0, 7.0], [-3.0, np.nan, 0.0]])
    table = Table(CHOICES[kind](X), categorical_features=[0, 1])
    assert table.schema == Schema(
        (
            ColumnInfo("x0", "categorical", (-3, 0, 2)),
            ColumnInfo("x1", "categorical", (0.0, 0.5)),
            ColumnInfo("x2"),
        ),
        has_names=False,
    )
    expected = [[2, 1, 7], [1, 0, 7], [0, np.nan, 0]]
    np.testing.assert_array_equal(table.to_numpy(), expected)
    np.testing.assert_array_equal(table.schema.matrix(CHOICES[kind](X)), expected)
    np.testing.assert_array_equal(
        Table(CHOICES[kind](X), categorical_features=[True, True, False]).to_numpy(),
        expected,
    )


def test_categories_keep_their_type():
    frame = pd.DataFrame(
        {
            "flag": [True, False, True],
            "whole": [2.0, 1.0, np.nan],
            "real": [0.1, 3, -0.0],
            "large": [2**60 + 1, 2**60, 2**60 + 1],
            "gaps": pd.array([2**60 + 1, None, 2**60], dtype="Int64"),
            "level": pd.Categorical([3, 1, 3]),
        }
    )
    columns = Table(frame, categorical_features=list(frame.columns)).schema.columns
    assert [column.categories for column in columns] == [
        (False, True),
        (1, 2),
        (0.0, 0.1, 3.0),
        (2**60, 2**60 + 1),
        (2**60, 2**60 + 1),
        (1, 3),
    ]
    kinds = [{type(value) for value in column.categories} for column in columns]
    assert kinds == [{bool}, {int}, {float}, {int}, {int}, {int}]
    assert str(columns[2].categories[0]) == "0.0"


def test_a_categorical_type_makes_numbers_categories_unless_others_are_chosen():
    frame = pd.DataFrame({"level": pd.Categorical([3, 1, 2, 1]), "b": [1, 2, 3, 4]})
    assert Table(frame).schema.columns[0].categories == (1, 2, 3)
    for chosen in (None, ["b"]):
        table = Table(frame, categorical_features=chosen)
        np.testing.assert_array_equal(table.to_numpy()[:, 0], [3, 1, 2, 1])


WRONG_CHOICES = [
    (["cody"], r"has 'cody', which is no column of X; did you mean 'code'\?"),
    ([2], "has the index 2, but X has 2 columns; use indices from 0 to 1"),
    ([-1], "has the index -1, but X has 2 columns"),
    ([True], "is a mask of 1 values, but X has 2 columns"),
    ([True] * 3, "is a mask of 3 values, but X has 2 columns"),
    ("code", "='code' is not allowed; use 'from_dtype', None"),
    ("all", "='all' is not allowed; use"),
    (3, "=3 is not allowed; use"),
    (1.5, "=1.5 is not allowed; use"),
    ([1.5], r"=\[1.5\] is not allowed; use"),
    ([0, "size"], r"=\[0, 'size'\] is not allowed; use"),
    ([True, 1], r"=\[True, 1\] is not allowed; use"),
    ([None], r"=\[None\] is not allowed; use"),
    ({"code": 1}, r"=\{'code': 1\} is not allowed; use"),
    (np.array(0), "is not allowed; use"),
    (np.zeros((2, 2)), "is not allowed; use"),
]


@pytest.mark.parametrize(("chosen", "message"), WRONG_CHOICES)
def test_a_wrong_choice_of_columns_is_named(chosen, message):
    for make in (
        lambda: Table(NUMBERS, categorical_features=chosen),
        lambda: DecisionTreeClassifier(categorical_features=chosen).fit(
            NUMBERS, [0, 1, 0, 1]
        ),
    ):
        with pytest.raises(ValueError, match=f"categorical_features.*{message}"):
            make()


def test_names_cannot_choose_where_there_are_none():
    with pytest.raises(ValueError, match=r"name 'code', but the columns of X have no"):
        Table(NUMBERS.to_numpy(), categorical_features=["code"])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_text_that_is_not_chosen_is_an_error_that_names_all_of_it(library):
    frame = library({"a": [1, 2], "city": ["Oslo", "Rome"], "job": ["x", None]})
    with pytest.raises(
        ValueError,
        match=r"column 'city' has 'Oslo' in row 0, which is not a number; "
        r"categorical_features leaves out 'city', 'job'",
    ):
        Table(frame, categorical_features=["a"])
    with pytest.raises(ValueError, match=r"column 'job' has 'x'.*leaves out 'job':"):
        Table(frame, categorical_features=["city"])
    with pytest.raises(ValueError, match=r"leaves out 'city', 'job'"):
        DecisionTreeClassifier(categorical_features=None).fit(frame, [0, 1])
    with pytest.raises(ValueError, match=r"column 1 has 'Oslo'.*leaves out 1, 2:"):
        Table([[1, "Oslo", "x"], [2, "Rome", None]], categorical_features=[0])


def test_a_table_is_categorical_where_the_estimator_wants_it():
    table = Table(NUMBERS, categorical_features=["code"])
    y = [0, 1, 0, 1]
    for chosen in ("from_dtype", ["code"], [0], [True, False]):
        DecisionTreeClassifier(categorical_features=chosen).fit(table, y)
    for chosen, name in ((None, "code"), (["size"], "code"), ([0, 1], "size")):
        with pytest.raises(ValueError, match=f"column '{name}' is .*the same categ"):
            DecisionTreeClassifier(categorical_features=chosen).fit(table, y)


# --- sparse matrices ------------------------------------------------------------------

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, bool])
def test_sparse_matrices_are_their_dense_selves(make, form, dtype):
    rng = np.random.default_rng(0)
    dense = (rng.integers(1, 9, (40, 6)) * (rng.random((40, 6)) < 0.3)).astype(dtype)
    y = rng.integers(0, 2, 40)
    X = make(dense).asformat(form)
    table = Table(X)
    assert table.schema == Table(dense).schema
    np.testing.assert_array_equal(table.to_numpy(), dense.astype(float))
    one = DecisionTreeClassifier().fit(X, y)
    other = DecisionTreeClassifier().fit(dense, y)
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(dense))


def test_zeros_are_values_and_nan_is_missing_in_sparse_matrices():
    X = sparse.csr_matrix(np.array([[0.0, 2.0], [np.nan, 0.0], [5.0, 0.0]]))
    core = Table(X).core
    assert core.codes(0).tolist() == [0, 2, 1]
    assert [core.n_missing(0), core.n_missing(1)] == [1, 0]
    np.testing.assert_array_equal(Table(X).to_numpy(), X.toarray())


def test_sparse_cells_that_are_stored_twice_add_up():
    X = sparse.coo_matrix(([1.0, 2.0, 0.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(Table(X).to_numpy(), [[0, 3], [0, 0]])


def test_wide_sparse_matrices_are_encoded_in_parts(monkeypatch):
    monkeypatch.setattr("ramify.table.sources._CHUNK_CELLS", 100)
    X = sparse.random(30, 17, density=0.3, format="csr", random_state=0)
    chosen = [1, 2, 3, 16]  # parts with some, with all and without categories
    for categorical_features in ("from_dtype", chosen):
        parts = Table(X, categorical_features=categorical_features)
        whole = Table(X.toarray(), categorical_features=categorical_features)
        assert parts.schema == whole.schema
        assert parts.shape == (30, 17)
        np.testing.assert_array_equal(parts.to_numpy(), whole.to_numpy())
    bad = X.tolil()
    bad[7, 13] = -np.inf
    with pytest.raises(ValueError, match="column 13 is -inf in row 7; use NaN"):
        Table(bad)
    with pytest.raises(ValueError, match="column 13 is -inf in row 7; use NaN"):
        Table(bad, categorical_features=[13])
    model = DecisionTreeClassifier().fit(X, np.arange(30) % 2)
    with pytest.raises(ValueError, match="column 13 is -inf in row 7; use NaN"):
        model.predict(bad)


def test_sparse_matrices_of_other_things_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        Table(sparse.csr_matrix(np.eye(2) * 1j))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        Table(sparse.coo_array(np.ones(3)))
    with pytest.raises(ValueError, match="X has no rows"):
        Table(sparse.csr_matrix((0, 3)))
    with pytest.raises(ValueError, match="which is more than 2147483647 cells"):
        Table(sparse.csr_matrix((10**6, 10**6)))


# --- bad input ------------------------------------------------------------------------


def fit(X: object) -> DecisionTreeClassifier:
    return DecisionTreeClassifier().fit(X, [0, 1, 0])


MAKERS = pytest.mark.parametrize("make", [fit, Table], ids=["fit", "Table"])


@pytest.mark.parametrize("gap", [None, np.nan, float("nan"), pd.NA, pd.NaT])
def test_a_missing_level_is_not_the_word_nan(gap):
    X = np.array([["nan"], [gap], ["None"], ["nan"]], dtype=object)
    for held in (X, pd.DataFrame(X), pd.DataFrame(X).astype("category")):
        table = Table(held)
        assert table.schema.columns[0].categories == ("None", "nan")
        assert table.core.n_missing(0) == 1
        np.testing.assert_array_equal(table.to_numpy().ravel(), [1, np.nan, 0, 1])


MIXED = {
    "text and numbers": (["Oslo", None, 5], "text and numbers: 'Oslo' .* 0 and 5 .* 2"),
    "numbers and text": ([5.5, "a", "b"], r"numbers and text: 5.5 .* 0 and 'a' .* 1"),
    "late": (["a"] * 200 + [1], "text and numbers: 'a' in row 0 and 1 in row 200"),
    "text and booleans": (["a", True, "b"], "text and booleans: 'a' .* and True .* 1"),
}


@pytest.mark.parametrize("kind", MIXED)
def test_a_column_of_mixed_types_is_refused_with_both_values(kind):
    values, message = MIXED[kind]
    column = np.array(values, dtype=object)
    y = np.arange(len(values)) % 2
    for X, name in ((column[:, None], "0"), (pd.DataFrame({"city": column}), "'city'")):
        for make in (
            lambda X=X: Table(X),
            lambda X=X: DecisionTreeClassifier().fit(X, y),
        ):
            with pytest.raises(ValueError, match=f"column {name} mixes {message}"):
                make()
    levels = pd.Categorical(values, [value for value in dict.fromkeys(values) if value])
    with pytest.raises(ValueError, match=f"column 'city' mixes {message}"):
        Table(pd.DataFrame({"city": levels}))


def test_numbers_and_booleans_mix_as_numbers_but_not_as_categories():
    X = np.array([[True], [np.nan], [1], [False]], dtype=object)
    np.testing.assert_array_equal(Table(X).to_numpy().ravel(), [1, np.nan, 1, 0])
    with pytest.raises(ValueError, match=r"booleans and numbers: True .* 0 and 1 in"):
        Table(X, categorical_features=[0])
    flags = np.array([[True], [np.nan], [None], [False]], dtype=object)
    table = Table(flags, categorical_features=[0])
    assert table.schema.columns[0].categories == (False, True)
    np.testing.assert_array_equal(table.to_numpy().ravel(), [1, np.nan, np.nan, 0])


EMPTY = {
    "category": pd.DataFrame({"a": pd.Categorical([None] * 3), "b": [1, 2, 3]}),
    "declared": pd.DataFrame(
        {"a": pd.Categorical([None] * 3, ["x", "y"]), "b": [1, 2, 3]}
    ),
    "string": pd.DataFrame({"a": pd.array([None] * 3, "string"), "b": [1, 2, 3]}),
    "polars": pl.DataFrame(
        {"a": [None] * 3, "b": [1, 2, 3]}, schema={"a": pl.String, "b": pl.Int8}
    ),
    "enum": pl.DataFrame(
        {"a": [None] * 3, "b": [1, 2, 3]}, schema={"a": pl.Enum(["x"]), "b": pl.Int8}
    ),
    "arrow": pa.table({"a": pa.array([None] * 3, pa.string()), "b": [1, 2, 3]}),
    "arrow dictionary": pa.table(
        {
            "a": pa.array([None] * 3, pa.dictionary(pa.int8(), pa.string())),
            "b": [1, 2, 3],
        }
    ),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_categorical_column_without_levels_is_never_used(kind):
    model = fit(EMPTY[kind])
    assert model.schema_.columns[0] == ColumnInfo("a", "categorical", ())
    assert set(model.tree_.feature) <= {-2, 1}
    assert model.predict(EMPTY[kind]).tolist() == [0, 1, 0]
    new = pd.DataFrame({"a": ["x", None, 3.5][:2], "b": [1, 2]})
    assert model.predict(new).tolist() == [0, 1]


BLANK = {
    "object": np.full((3, 1), None),
    "NaN": np.full((3, 1), np.nan),
    "pandas": pd.DataFrame({"a": [None] * 3}),
    "NA": pd.DataFrame({"a": pd.array([pd.NA] * 3, dtype="Int64")}),
    "polars": pl.DataFrame({"a": [None] * 3}),
    "arrow": pa.table({"a": [None] * 3}),
    "pandas arrow": pd.DataFrame({"a": pd.array([None] * 3, pd.ArrowDtype(pa.null()))}),
}


@pytest.mark.parametrize("kind", BLANK)
def test_a_column_without_values_fits_any_kind(kind):
    model = fit(BLANK[kind])
    assert model.tree_.node_count == 1
    assert model.schema_.kinds == ["numeric"]
    np.testing.assert_array_equal(
        Table(BLANK[kind]).to_numpy(), np.full((3, 1), np.nan)
    )
    has_names = not isinstance(BLANK[kind], np.ndarray)
    for categories in (("u", "v"), (1, 2), (False, True), ()):
        name = "a" if has_names else "x0"
        schema = Schema((ColumnInfo(name, "categorical", categories),), has_names)
        assert np.isnan(schema.matrix(BLANK[kind])).all()


def test_columns_of_one_name_are_refused():
    pandas = pd.DataFrame([["x", 1], ["y", 2]], columns=["a", "a"])
    arrow = pa.table([["x", "y"], [1, 2]], names=["a", "a"])
    for X in (pandas, arrow):
        with pytest.raises(ValueError, match="more than one column named 'a'"):
            Table(X)
    for X in (Capsule(arrow), arrow.to_reader()):
        with pytest.raises(ValueError, match=r"(?s)name of their own.*'a'"):
            Table(X)


def test_names_of_text_and_numbers_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["a", 0])
    with pytest.raises(TypeError, match=r"Feature names .* int, str; make all of them"):
        Table(frame)


@MAKERS
@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((2, 2, 2)),
        np.full((1, 2, 2), "a"),
        [[["a"]]],
        np.zeros(3),
        ["a", "b"],
        pd.Series([1, 2]),
        pl.Series(["a"]),
        pa.chunked_array([[1, 2]]),
        "text",
        None,
        {"a": [1, 2]},
    ],
    ids=lambda wrong: type(wrong).__name__,
)
def test_anything_but_two_dimensions_is_refused(make, wrong):
    with pytest.raises(ValueError, match=r"Expected 2D array, got \dD array instead"):
        make(wrong)


@MAKERS
def test_frames_that_are_not_computed_are_refused(make):
    with pytest.raises(TypeError, match=r"LazyFrame, which has not.*X.collect\(\)"):
        make(pl.DataFrame(LISTS).lazy())


DAY, SPAN = datetime.datetime(2020, 2, 29), datetime.timedelta(days=1)
DATES = {
    "NumPy": np.full((3, 1), np.datetime64("2020-02-29")),
    "NumPy spans": np.full((3, 1), np.timedelta64(3, "s")),
    "objects": np.array([["a"], [DAY], ["b"]], dtype=object),
    "dates": np.array([[DAY.date()], [None], [None]], dtype=object),
    "spans": np.array([[SPAN], [None], [None]], dtype=object),
    "NumPy objects": [[np.datetime64("2020-02-29")], [None], [None]],
    "pandas": pd.DataFrame({"a": [pd.Timestamp(DAY)] * 3}),
    "pandas zone": pd.DataFrame({"a": [pd.Timestamp(DAY, tz="UTC")] * 3}),
    "pandas spans": pd.DataFrame({"a": [pd.Timedelta(SPAN)] * 3}),
    "pandas categories": pd.DataFrame({"a": pd.Categorical([DAY] * 3)}),
    "pandas objects": pd.DataFrame({"a": pd.Series([DAY.date()] * 3, dtype=object)}),
    "pandas arrow": pd.DataFrame(
        {"a": pd.array([DAY.date()] * 3, pd.ArrowDtype(pa.date32()))}
    ),
    "polars": pl.DataFrame({"a": [DAY] * 3}),
    "polars dates": pl.DataFrame({"a": [DAY.date()] * 3}),
    "polars times": pl.DataFrame({"a": [DAY.time()] * 3}),
    "polars spans": pl.DataFrame({"a": [SPAN] * 3}),
    "arrow": pa.table({"a": [DAY] * 3}),
    "arrow spans": pa.table({"a": [SPAN] * 3}),
}


@MAKERS
@pytest.mark.parametrize("kind", DATES)
def test_dates_are_refused_with_advice(kind, make):
    with pytest.raises(
        TypeError, match=r"column ('a'|0) has .*turn dates into numbers"
    ):
        make(DATES[kind])
    has_names = hasattr(DATES[kind], "columns")
    column = ColumnInfo("a" if has_names else "x0", "categorical", ("u",))
    with pytest.raises(TypeError, match="turn dates into numbers"):
        Schema((column,), has_names).matrix(DATES[kind])
    if kind != "objects":  # text is met before the date
        with pytest.raises(TypeError, match="turn dates into numbers"):
            Schema((ColumnInfo(column.name),), has_names).matrix(DATES[kind])


OTHERS = {
    "complex": (np.full((3, 1), 1j), ValueError, "Complex data not supported: X has"),
    "complex objects": (
        np.array([[1.5], [1j], [2]], dtype=object),
        ValueError,
        r"Complex data not supported: column 0 has 1j in row 1",
    ),
    "complex pandas": (
        pd.DataFrame({"a": [1j] * 3}),
        ValueError,
        "Complex data not supported: column 'a' has dtype",
    ),
    "bytes": (
        np.array([[b"u"], [b"v"], [b"u"]]),
        ValueError,
        "column 0 has b'u' in row 0, which is bytes, not text; decode it",
    ),
    "bytes objects": (
        np.array([["u"], [b"v"], [None]], dtype=object),
        ValueError,
        "column 0 has b'v' in row 1, which is bytes",
    ),
    "bytes polars": (
        pl.DataFrame({"a": [b"u"] * 3}),
        ValueError,
        "column 'a' has b'u' in row 0, which is bytes",
    ),
    "bytes arrow": (
        pa.table({"a": [None, b"u", b"u"]}),
        ValueError,
        "column 'a' has b'u' in row 1, which is bytes",
    ),
    "dict": (
        np.array([[1.0], [{"a": 1}], [2.0]], dtype=object),
        TypeError,
        r"column 0 has \{'a': 1\} in row 1.*argument must be a string or a real number",
    ),
    "dict among text": (
        np.array([["u"], [{"a": 1}], [None]], dtype=object),
        TypeError,
        r"column 0 has \{'a': 1\} in row 1, which is neither a number nor text",
    ),
    "intervals": (
        pd.DataFrame({"a": pd.cut([1, 2, 3], 2)}),
        TypeError,
        r"column 'a' has Interval\(.*neither a number nor text",
    ),
    "lists": (
        pl.DataFrame({"a": [[1], [2], [3]]}),
        TypeError,
        r"column 'a' has dtype List\(Int64\); give each of its parts a column",
    ),
    "structs": (pa.table({"a": [{"b": 1}] * 3}), TypeError, "column 'a' has dtype Str"),
    "huge": (
        np.array([[10**400], [1], [2]], dtype=object),
        ValueError,
        "column 0 has 1000.* in row 0, which is beyond the largest float",
    ),
}


@MAKERS
@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_neither_number_nor_text_is_refused(kind, make):
    X, error, message = OTHERS[kind]
    with pytest.raises(error, match=message):
        make(X)


@pytest.mark.parametrize(
    "X",
    [
        [["a", np.inf], ["b", 1.0]],
        pd.DataFrame({"x0": ["a", "b"], "x1": [np.inf, 1.0]}),
        np.array([["a", float("inf")], ["b", 1]], dtype=object),
    ],
    ids=["list", "pandas", "object"],
)
def test_infinite_numbers_are_named_beside_text_and_as_categories(X):
    name = "'x1'" if hasattr(X, "columns") else "1"
    message = f"contains infinity: column {name} is inf in row 0; use NaN"
    with pytest.raises(ValueError, match=message):
        Table(X)
    with pytest.raises(ValueError, match=message):
        Table(X, categorical_features=[0, 1])
    fine = [["a", 1.0], ["b", 2.0]]
    fine = pd.DataFrame(fine, columns=["x0", "x1"]) if hasattr(X, "columns") else fine
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier().fit(fine, [0, 1]).predict(X)


HALF = Decimal("0.5")
UNUSUAL = {
    "decimals": np.array([[HALF], [None]], dtype=object),
    "fractions": np.array([[Fraction(1, 2)], [Decimal("NaN")]], dtype=object),
    "polars decimals": pl.DataFrame({"a": [HALF, None]}),
    "arrow decimals": pa.table({"a": [HALF, None]}),
    "pandas decimals": pd.DataFrame({"a": [HALF, None]}, dtype=object),
    "long": np.array([[0.5], [np.nan]], dtype=np.longdouble),
    "half": np.array([[0.5], [np.nan]], dtype=np.float16),
    "polars halves": pl.DataFrame({"a": [0.5, None]}, schema={"a": pl.Float32}),
    "sparse pandas": pd.DataFrame({"a": pd.arrays.SparseArray([0.5, np.nan])}),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_numbers_are_numbers(kind):
    np.testing.assert_array_equal(Table(UNUSUAL[kind]).to_numpy(), [[0.5], [np.nan]])
    table = Table(UNUSUAL[kind], categorical_features=[0])
    assert table.schema.columns[0].categories == (0.5,)
    np.testing.assert_array_equal(table.to_numpy(), [[0], [np.nan]])


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="polars has no Int128 yet")
def test_very_large_integers_are_numbers():
    X = pl.DataFrame({"a": [2**100, None]}, schema={"a": pl.Int128})
    np.testing.assert_array_equal(Table(X).to_numpy(), [[2.0**100], [np.nan]])


def test_other_libraries_go_through_narwhals():
    frame = nw.from_native(pl.DataFrame(LISTS), eager_only=True)
    assert Table(frame).schema == SCHEMA
