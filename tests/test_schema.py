# SPDX-License-Identifier: BSD-3-Clause
"""The schema of fit is kept by value and checked at predict."""

import copy
import json
import pickle
import warnings

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

FRAME = pd.DataFrame(
    {
        "city": ["Oslo", "Rome", None, "Bergen", "Rome", "Oslo"],
        "age": [30.5, 20, np.nan, 41, 20, 50],
        "level": [3, 1, 2, 1, 3, 2],
        "flag": [True, False, True, True, False, False],
    }
)
CHOSEN = ["city", "level", "flag"]
LABELS = [0, 1, 0, 1, 1, 0]
SCHEMA = Table(FRAME, categorical_features=CHOSEN).schema
MATRIX = np.array(
    [
        [1, 30.5, 2, 1],
        [2, 20, 0, 0],
        [np.nan, np.nan, 1, 1],
        [0, 41, 0, 1],
        [2, 20, 2, 0],
        [1, 50, 1, 0],
    ]
)


def schema_of(*categories: object, has_names: bool = False) -> Schema:
    """Make a schema with one categorical column."""
    name = "a" if has_names else "x0"
    return Schema((ColumnInfo(name, "categorical", categories),), has_names)


# --- what it knows --------------------------------------------------------------------


def test_a_schema_knows_its_columns():
    assert SCHEMA.names == ["city", "age", "level", "flag"]
    assert SCHEMA.kinds == ["categorical", "numeric", "categorical", "categorical"]
    assert SCHEMA.n_columns == 4
    assert SCHEMA.has_names
    assert SCHEMA.is_categorical
    assert SCHEMA.columns[0].categories == ("Bergen", "Oslo", "Rome")
    assert SCHEMA.columns[0].codes == {"Bergen": 0, "Oslo": 1, "Rome": 2}
    assert [column.is_categorical for column in SCHEMA.columns] == [True, False] + (
        [True] * 2
    )
    assert SCHEMA.label(0) == "column 'city'"
    assert schema_of("a").label(0) == "column 0"


def test_a_numeric_schema_needs_no_data():
    assert Schema.numeric(2) == Table(np.eye(2)).schema
    assert (
        Schema.numeric(2, ["a", "b"])
        == Table(pd.DataFrame(np.eye(2), columns=[*"ab"])).schema
    )
    assert not Schema.numeric(2).is_categorical


def test_a_schema_is_a_value():
    for other in (copy.deepcopy(SCHEMA), pickle.loads(pickle.dumps(SCHEMA))):
        assert other == SCHEMA
        assert hash(other) == hash(SCHEMA)
        np.testing.assert_array_equal(other.matrix(FRAME), SCHEMA.matrix(FRAME))
    assert schema_of("a") != schema_of("a", "b")
    with pytest.raises(AttributeError):
        SCHEMA.has_names = False


# --- columns by name ------------------------------------------------------------------

LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "Table": lambda frame: Table(
        frame,
        categorical_features=[
            name
            for name in frame.columns
            if name in CHOSEN or not pd.api.types.is_numeric_dtype(frame[name])
        ],
    ),
}
each_library = pytest.mark.parametrize("library", LIBRARIES)


@each_library
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
def test_columns_are_matched_by_name_in_any_order(library, order):
    names = [FRAME.columns[j] for j in order]
    X = LIBRARIES[library](FRAME[names])
    np.testing.assert_array_equal(SCHEMA.matrix(X), MATRIX)


def test_columns_of_numbers_are_matched_by_name_too():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.nan]})
    schema = Table(frame).schema
    for turned in (frame[["b", "a"]], Table(frame[["b", "a"]])):
        np.testing.assert_array_equal(schema.matrix(turned), frame.to_numpy())


@each_library
def test_missing_and_extra_columns_are_named(library):
    def wrong(frame: pd.DataFrame) -> str:
        with pytest.raises(ValueError, match="The feature names should match") as info:
            SCHEMA.matrix(LIBRARIES[library](frame))
        return str(info.value)

    start = "The feature names should match those that were passed during fit.\n"
    assert wrong(FRAME.drop(columns="age")) == (
        start + "Feature names seen at fit time, yet now missing:\n- age\n"
        "ramify.fill_unused(model, X) adds those that no split looks at.\n"
    )
    assert wrong(FRAME.assign(zip=1, town=2)) == (
        start + "Feature names unseen at fit time:\n- town\n- zip\n"
    )
    assert wrong(FRAME.rename(columns={"age": "Age"})) == (
        start
        + "Feature names unseen at fit time:\n- Age (did you mean 'age'?)\n"
        + "Feature names seen at fit time, yet now missing:\n- age\n"
    )
    many = FRAME.assign(**{f"n{j}": j for j in range(8)})
    assert wrong(many).endswith("- n0\n- n1\n- n2\n- n3\n- n4\n- and 3 more\n")


def test_names_on_one_side_only_are_warned_about():
    model = DecisionTreeClassifier(categorical_features=CHOSEN).fit(FRAME, LABELS)
    array = FRAME.to_numpy(dtype=object)
    plain = DecisionTreeClassifier(categorical_features=[0, 2, 3]).fit(array, LABELS)
    named = "X does not have valid feature names, but DecisionTreeClassifier was fitted"
    for X in (array, array.tolist(), Table(array, categorical_features=[0, 2, 3])):
        with pytest.warns(UserWarning, match=named):
            assert model.predict(X).tolist() == LABELS
    for X in (FRAME, pl.from_pandas(FRAME)):
        with pytest.warns(UserWarning, match="X has feature names, but Decis"):
            assert plain.predict(X).tolist() == LABELS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(FRAME)
        plain.predict(array)
        plain.predict(pd.DataFrame(array))  # numbered columns have no names


@pytest.mark.parametrize("n_columns", [1, 3])
def test_a_wrong_number_of_columns_is_named(n_columns):
    schema = Schema.numeric(2)
    message = f"X has {n_columns} features, but the model is expecting 2 features"
    X = np.zeros((2, n_columns))
    for asked in (X, X.tolist(), X.astype(object), sparse.csr_matrix(X), Table(X)):
        with pytest.raises(ValueError, match=message):
            schema.matrix(asked)


# --- numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_floats_are_passed_on_without_a_copy(dtype, order):
    X = np.asarray(np.arange(6).reshape(3, 2), dtype=dtype, order=order)
    assert np.shares_memory(Schema.numeric(2).matrix(X), X)
    assert Schema.numeric(2).matrix(X).dtype == dtype


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, bool, np.float16, ">f8", object])
def test_other_numbers_become_floats(dtype):
    X = np.array([[0, 1], [1, 0]], dtype=dtype)
    matrix = Schema.numeric(2).matrix(X)
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, X.astype(float))
    np.testing.assert_array_equal(
        Schema.numeric(2).matrix(sparse.csr_matrix(X.astype(int))), X.astype(float)
    )


def test_booleans_of_fit_may_be_numbers_later():
    flags = pd.DataFrame({"a": [True, False, True]})
    for chosen in (None, ["a"]):
        schema = Table(flags, categorical_features=chosen).schema
        for asked in ([1, 0, 1], [1.0, 0.0, 1.0], [True, False, True]):
            matrix = schema.matrix(pd.DataFrame({"a": asked}))
            np.testing.assert_array_equal(matrix, [[1], [0], [1]])
    missing = pd.DataFrame({"a": [True, None, False]})
    np.testing.assert_array_equal(schema.matrix(missing), [[1], [np.nan], [0]])
    numbers = schema_of(0, 1, 2, has_names=True)
    np.testing.assert_array_equal(numbers.matrix(flags), [[1], [0], [1]])


@each_library
def test_text_in_a_column_of_numbers_is_named(library):
    bad = FRAME.assign(age=["30", None, "x", "y", "z", "30"])
    with pytest.raises(
        ValueError,
        match=r"column 'age' has '30' in row 0, which is not a number; the column "
        r"held numbers in fit",
    ):
        SCHEMA.matrix(LIBRARIES[library](bad))


def test_text_among_numbers_is_named_with_its_row():
    bad = FRAME.astype({"age": object})
    bad.loc[3, "age"] = "old"
    with pytest.raises(ValueError, match="column 'age' has 'old' in row 3, which is"):
        SCHEMA.matrix(bad)
    with pytest.raises(ValueError, match="column 1 has 'old' in row 0, which is not"):
        Schema.numeric(2).matrix([[1.0, "old"]])


# --- categories -----------------------------------------------------------------------


@each_library
def test_categories_have_the_codes_of_fit(library):
    X = FRAME[FRAME["city"] != "Bergen"].reset_index(drop=True)
    expected = MATRIX[[0, 1, 2, 4, 5]]
    np.testing.assert_array_equal(SCHEMA.matrix(LIBRARIES[library](X)), expected)


def test_codes_do_not_depend_on_the_other_rows():
    for row in range(len(FRAME)):
        one = FRAME.iloc[[row]].reset_index(drop=True)
        np.testing.assert_array_equal(SCHEMA.matrix(one), MATRIX[[row]])
        declared = one.assign(
            city=one["city"].astype(
                pd.CategoricalDtype([*"zyx", "Rome", "Oslo", "Bergen"])
            )
        )
        np.testing.assert_array_equal(SCHEMA.matrix(declared), MATRIX[[row]])


@each_library
def test_an_unseen_category_is_heavier_missing_or_an_error(library):
    X = LIBRARIES[library](
        FRAME.assign(city=["Rome", "Paris", "Oslo", None, "Rome", "Ås"])
    )
    expected = MATRIX.copy()
    expected[:, 0] = [2, -1, 1, np.nan, 2, -1]
    np.testing.assert_array_equal(SCHEMA.matrix(X), expected)
    np.testing.assert_array_equal(SCHEMA.matrix(X, unseen="heavier"), expected)
    expected[[1, 5], 0] = np.nan
    np.testing.assert_array_equal(SCHEMA.matrix(X, unseen="missing"), expected)
    message = (
        "column 'city' has category 'Paris', not seen in fit; pass unseen='missing' to "
        "treat new categories as missing."
    )
    with pytest.raises(ValueError, match="not seen in fit") as info:
        SCHEMA.matrix(X, unseen="error")
    assert str(info.value) == message


def test_an_unseen_number_is_unseen():
    schema = schema_of(1, 2)
    X = np.array([[1.0], [1.5], [np.nan], [2.0], [3.0]])
    np.testing.assert_array_equal(schema.matrix(X), [[0], [-1], [np.nan], [1], [-1]])
    with pytest.raises(ValueError, match=r"column 0 has category 1.5, not seen in fit"):
        schema.matrix(X, unseen="error")
    flags = schema_of(False, True)
    np.testing.assert_array_equal(flags.matrix([[1], [0], [2]]), [[1], [0], [-1]])
    fine = np.array([[1], [2]])
    np.testing.assert_array_equal(schema.matrix(fine, unseen="error"), [[0], [1]])


def test_neighbouring_large_numbers_are_different_categories():
    schema = schema_of(2**60, 2**60 + 1)
    np.testing.assert_array_equal(
        schema.matrix(np.array([[2**60 + 1], [2**60], [2**60 + 2]])), [[1], [0], [-1]]
    )
    np.testing.assert_array_equal(schema.matrix(np.array([[2.0**60]])), [[0]])


@pytest.mark.parametrize("wrong", ["ignore", None, True, 0])
def test_another_word_for_unseen_is_refused(wrong):
    with pytest.raises(ValueError, match=r"unseen=.* is not allowed; use 'heavier'"):
        SCHEMA.matrix(FRAME, unseen=wrong)


def test_numbers_where_text_was_are_refused():
    text, numbers = schema_of("a", "b"), schema_of(1, 2)
    with pytest.raises(
        ValueError,
        match=r"column 0 held text in fit, such as 'a', and holds numbers now: 5 in "
        r"row 1; give it the type it had in fit",
    ):
        text.matrix(np.array([[np.nan], [5.0]]))
    with pytest.raises(
        ValueError,
        match=r"column 0 held numbers in fit, such as 1, and holds text now: '2' in",
    ):
        numbers.matrix([["2"], ["1"]])
    for frame in (pd.DataFrame({"a": [5]}), pl.DataFrame({"a": [5]})):
        with pytest.raises(ValueError, match="column 'a' held text in fit"):
            schema_of("a", has_names=True).matrix(frame)
    with pytest.raises(ValueError, match="column 0 mixes numbers and text"):
        text.matrix([[5], ["a"]])


def test_missing_values_may_be_refused():
    with pytest.raises(
        ValueError,
        match=r"missing='error', but column 'city' has no value in row 2 \(Input X "
        r"contains NaN\)",
    ):
        SCHEMA.matrix(FRAME, missing_error=True)
    with pytest.raises(ValueError, match="column 1 has no value in row 1"):
        Schema.numeric(2).matrix([[1, 2], [3, np.nan]], missing_error=True)
    full = FRAME.drop(index=2)
    np.testing.assert_array_equal(
        SCHEMA.matrix(full, missing_error=True), MATRIX[[0, 1, 3, 4, 5]]
    )
    new = full.assign(city="Paris")
    assert (SCHEMA.matrix(new, missing_error=True)[:, 0] == -1).all()
    for unseen, advice in (
        ("missing", "unseen='missing' makes it missing, and missing='error' refuses"),
        ("error", "pass unseen='missing' to treat"),
    ):
        message = f"category 'Paris', not seen in fit; {advice}"
        with pytest.raises(ValueError, match=message):
            SCHEMA.matrix(new, missing_error=True, unseen=unseen)


# --- tables ---------------------------------------------------------------------------


def test_a_table_is_translated_by_value():
    other = FRAME.iloc[[3, 1]].assign(city=["Ås", "Rome"])
    table = Table(other, categorical_features=CHOSEN)
    assert table.schema != SCHEMA
    expected = MATRIX[[3, 1]]
    expected[0, 0] = -1
    np.testing.assert_array_equal(SCHEMA.matrix(table), expected)
    np.testing.assert_array_equal(SCHEMA.matrix(table[[1, 0, 1]]), expected[[1, 0, 1]])
    with pytest.raises(ValueError, match="category 'Ås', not seen in fit"):
        SCHEMA.matrix(table, unseen="error")
    np.testing.assert_array_equal(  # its other rows are not asked about
        SCHEMA.matrix(table[[1]], unseen="error"), expected[[1]]
    )


def test_a_table_of_numbers_serves_a_column_of_categories():
    table = Table(FRAME, categorical_features=["city"])
    np.testing.assert_array_equal(SCHEMA.matrix(table), MATRIX)
    numeric = Table(FRAME.drop(columns="city")).schema
    coded = Table(FRAME.drop(columns="city"), categorical_features=["level"])
    np.testing.assert_array_equal(numeric.matrix(coded)[:, 1], FRAME["level"])


def test_views_of_a_table_share_the_schema_but_not_the_categories_of_a_model():
    table = Table(FRAME, categorical_features=CHOSEN)
    model = DecisionTreeClassifier().fit(table[[1, 2, 4]], [0, 1, 0])
    assert model.schema_.columns[0].categories == ("Rome",)
    assert model.schema_.columns[2].categories == (1, 2, 3)
    same = DecisionTreeClassifier(categorical_features=CHOSEN)
    same.fit(FRAME.iloc[[1, 2, 4]], [0, 1, 0])
    assert same.schema_ == model.schema_
    np.testing.assert_array_equal(model.predict(table), same.predict(FRAME))


# --- fewer categories -----------------------------------------------------------------


def test_a_restricted_schema_keeps_what_occurs():
    fewer, new_codes = SCHEMA.restricted(
        {0: np.array([2, 0, 3, 2]), 3: np.array([], dtype=np.int64)}
    )
    assert fewer.columns[0].categories == ("Bergen", "Rome")
    assert fewer.columns[1:3] == SCHEMA.columns[1:3]
    assert fewer.columns[3] == ColumnInfo("flag", "categorical", ())
    assert {j: codes.tolist() for j, codes in new_codes.items()} == {
        0: [0, -1, 1],
        3: [-1, -1],
    }
    assert SCHEMA.restricted({}) == (SCHEMA, {})
    whole, identity = SCHEMA.restricted({0: np.arange(3)})
    assert whole == SCHEMA
    assert identity[0].tolist() == [0, 1, 2]


# --- files ----------------------------------------------------------------------------

text = st.text(max_size=4) | st.text(st.characters(), max_size=3)  # surrogates, too
categories = st.one_of(
    st.sets(text),
    st.sets(st.integers()),
    st.sets(st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)),
    st.sets(st.booleans()),
).map(lambda values: tuple(sorted(values)))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    has_names = draw(st.booleans())
    names = draw(st.lists(text, min_size=1, max_size=5, unique=True))
    columns = []
    for j, name in enumerate(names):
        called = name if has_names else f"x{j}"
        is_numeric = draw(st.booleans())
        columns.append(
            ColumnInfo(called)
            if is_numeric
            else ColumnInfo(called, "categorical", draw(categories))
        )
    return Schema(tuple(columns), has_names)


@LAWS
@given(schema=schemas())
def test_a_schema_survives_a_file(schema):
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    kinds = [[type(value) for value in column.categories] for column in again.columns]
    assert kinds == [[type(v) for v in column.categories] for column in schema.columns]


GOOD = SCHEMA.to_dict()


def column(**changes: object) -> dict[str, object]:
    return {"name": "x0", "kind": "categorical", "categories": ["a", "b"], **changes}


def plain(*columns: object, has_names: object = False) -> dict[str, object]:
    return {"has_names": has_names, "columns": list(columns)}


FORGED = {
    "nothing": None,
    "a list": [1],
    "no columns": plain(),
    "no list": {"has_names": False, "columns": {"a": 1}},
    "no key": {"columns": [column()]},
    "more keys": {**plain(column()), "more": 1},
    "names as text": plain(column(), has_names="yes"),
    "a column as text": plain("x0"),
    "a column without name": plain({"kind": "numeric"}),
    "a name that is a number": plain(column(name=3), has_names=True),
    "another kind": plain(column(kind="ordinal")),
    "a kind that is a list": plain(column(kind=["numeric"])),
    "more parts": plain(column(extra=1)),
    "numeric with categories": plain(column(kind="numeric")),
    "categorical without": plain({"name": "x0", "kind": "categorical"}),
    "categories as text": plain(column(categories="ab")),
    "not in order": plain(column(categories=["b", "a"])),
    "twice": plain(column(categories=["a", "a"])),
    "mixed": plain(column(categories=["a", 1])),
    "mixed numbers": plain(column(categories=[1, 2.5])),
    "numbers and booleans": plain(column(categories=[0, True])),
    "nested": plain(column(categories=[["a"], ["b"]])),
    "null": plain(column(categories=[None])),
    "NaN": plain(column(categories=[float("nan")])),
    "infinity": plain(column(categories=[1.5, float("inf")])),
    "one name twice": plain(column(name="a"), column(name="a"), has_names=True),
    "names that are none": plain(column(name="city")),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_schema_is_refused(kind):
    assert Schema.from_dict(GOOD) == SCHEMA
    with pytest.raises(ValueError, match=r".+"):
        Schema.from_dict(FORGED[kind])
