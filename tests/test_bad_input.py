# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: a clear error that names column and value, and nothing half done."""

import datetime
import io
import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from strategies import random_table
from twins import OF_CLASSES

import ramify
from ramify import DecisionTreeClassifier, Table, Tree

X, Y = load_iris(return_X_y=True)
SMALL = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 1.0], [4.0, 5.0]])
LABELS = np.array([0, 0, 1, 1])


def fit(X: object, y: object, **params: object) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(**params).fit(X, y)


# --- tables ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [0, 4])
@pytest.mark.parametrize("make", [fit, lambda X, y: Table(X)], ids=["fit", "Table"])
def test_a_table_without_rows_or_columns_is_refused(n_rows, make):
    empty = np.empty((n_rows, 0 if n_rows else 3))
    what = "no columns" if n_rows else "no rows"
    with pytest.raises(ValueError, match=f"minimum of 1 is required: X has {what}"):
        make(empty, np.zeros(n_rows, dtype=int))


def test_a_view_without_rows_is_refused():
    with pytest.raises(ValueError, match="X has no rows"):
        fit(Table(SMALL)[[]], np.array([], dtype=int))
    with pytest.raises(ValueError, match="X has no rows"):
        fit(pd.DataFrame({"a": np.array([])}), [])


@pytest.mark.parametrize("wrong", [[1.0, 2.0], 3.0, None, np.zeros((2, 2, 2)), "text"])
def test_anything_but_two_dimensions_is_refused(wrong):
    with pytest.raises(ValueError, match=r"Expected 2D|dim 3"):
        fit(wrong, [0, 1])
    with pytest.raises(ValueError, match=r"Expected 2D array, got \dD array"):
        Table(wrong)


def test_rows_of_different_length_are_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        fit([[1.0], [2.0, 3.0]], [0, 1])


def test_one_row_is_a_single_leaf():
    model = fit([[3.0, 4.0]], ["a"])
    assert model.get_n_leaves() == 1
    assert model.predict([[9.0, 9.0]]).tolist() == ["a"]
    assert model.predict_proba([[9.0, 9.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("criterion", OF_CLASSES)
def test_one_class_is_a_single_leaf(criterion):
    model = fit(X, np.full(150, "only"), criterion=criterion)
    assert model.tree_.node_count == 1
    assert set(model.predict(X)) == {"only"}
    assert model.feature_importances_.tolist() == [0, 0, 0, 0]
    assert model.predict_log_proba(X).max() == 0


@pytest.mark.parametrize("criterion", OF_CLASSES)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_constant_columns_and_columns_without_values_are_never_used(
    criterion, splitter
):
    blank = np.full((150, 1), np.nan)
    flat = np.full((150, 1), 7.0)
    options = {"criterion": criterion, "splitter": splitter, "random_state": 0}
    assert fit(np.hstack([blank, flat]), Y, **options).tree_.node_count == 1
    model = fit(np.hstack([blank, X, flat]), Y, **options)
    used = set(model.tree_.feature[model.tree_.feature >= 0])
    assert used
    assert used <= {1, 2, 3, 4}
    assert model.predict(np.full((1, 6), np.nan)).shape == (1,)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_infinite_values_are_named_with_column_and_row(value, dtype, order):
    bad = np.asarray(np.tile(SMALL, (1, 2)), dtype=dtype, order=order).copy(order)
    fine = bad.copy()
    bad[2, 3] = value
    message = f"contains infinity: column 3 is {value} in row 2; use NaN"
    with pytest.raises(ValueError, match=message):
        fit(bad, LABELS)
    with pytest.raises(ValueError, match=message):
        Table(bad)
    model = fit(fine, LABELS)
    for ask in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises(ValueError, match=message):
            ask(bad)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_infinite_values_of_a_frame_are_named_with_column_and_row(library):
    fine = library({"age": [1.0, 2.0], "size": [1.0, 3.0]})
    bad = library({"age": [1.0, 2.0], "size": [1.0, -np.inf]})
    message = "column 'size' is -inf in row 1"
    with pytest.raises(ValueError, match=message):
        fit(bad, [0, 1])
    with pytest.raises(ValueError, match=message):
        fit(fine, [0, 1]).predict(bad)


STRINGS = {
    "object": np.array([[1, 2.0], [2, "Oslo"]], dtype=object),
    "str": np.array([["1", "2"], ["3", "4"]]),
    "list": [[1.0, 2.0], [2.0, "Oslo"]],
}


@pytest.mark.parametrize("kind", STRINGS)
def test_text_where_fit_saw_numbers_is_named_with_column_and_value(kind):
    with pytest.raises(ValueError, match=r"column [01] has '(Oslo|1|2)' in row [01]"):
        fit(SMALL, LABELS).predict(STRINGS[kind])


FRAMES = {
    "pandas": pd.DataFrame({"a": [1, 2], "city": ["Oslo", "Rome"]}),
    "pandas digits": pd.DataFrame({"a": [1, 2], "city": ["1", "2"]}),
    "pandas categories": pd.DataFrame(
        {"a": [1, 2], "city": pd.Categorical(["Oslo", "Rome"])}
    ),
    "polars": pl.DataFrame({"a": [1, 2], "city": ["Oslo", "Rome"]}),
    "polars digits": pl.DataFrame({"a": [1, 2], "city": ["1", "2"]}),
    "polars categories": pl.DataFrame({"a": [1, 2], "city": ["Oslo", "Rome"]}).cast(
        {"city": pl.Categorical}
    ),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_text_in_a_frame_where_fit_saw_numbers_is_named(kind):
    value = "1" if "digits" in kind else "Oslo"
    model = fit(pd.DataFrame({"a": [1, 2], "city": [3, 4]}), [0, 1])
    with pytest.raises(ValueError, match=f"column 'city' has '{value}' in row 0"):
        model.predict(FRAMES[kind])


@pytest.mark.parametrize("kind", FRAMES)
def test_text_is_refused_if_no_column_may_be_categorical(kind):
    value = "1" if "digits" in kind else "Oslo"
    for make in (
        lambda: fit(FRAMES[kind], [0, 1], categorical_features=None),
        lambda: Table(FRAMES[kind], categorical_features=[]),
    ):
        with pytest.raises(ValueError, match=f"column 'city' has '{value}'"):
            make()


def test_objects_that_are_no_numbers_are_named():
    bad = np.array([[1.0, {"a": 1}], [2.0, 3.0]], dtype=object)
    with pytest.raises(TypeError, match=r"column 1 has \{'a': 1\} in row 0"):
        fit(bad, [0, 1])


DATES = {
    "NumPy": np.array([["2020-01-01"], ["2021-01-01"]], dtype="M8[D]"),
    "durations": np.array([[1], [2]], dtype="m8[s]"),
    "pandas": pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
    "pandas durations": pd.DataFrame({"day": pd.to_timedelta([1, 2])}),
    "polars": pl.DataFrame({"day": [datetime.date(2020, 1, 1)] * 2}),
    "polars times": pl.DataFrame({"day": [datetime.datetime(2020, 1, 1)] * 2}),
}


@pytest.mark.parametrize("kind", DATES)
def test_dates_are_refused_with_advice(kind):
    for make in (lambda: fit(DATES[kind], [0, 1]), lambda: Table(DATES[kind])):
        with pytest.raises(TypeError, match="turn dates into numbers first"):
            make()


def test_complex_numbers_are_refused():
    for make in (lambda: fit(SMALL * 1j, LABELS), lambda: Table(SMALL * 1j)):
        with pytest.raises(ValueError, match="Complex data not supported"):
            make()
    with pytest.raises(ValueError, match=r"Complex data not supported: column 'z'"):
        fit(pd.DataFrame({"z": [1j, 2j]}), [0, 1])


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame(SMALL, columns=["age", "age"])
    for make in (lambda: fit(frame, LABELS), lambda: Table(frame)):
        with pytest.raises(ValueError, match="more than one column named 'age'"):
            make()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ">f8", np.int8, bool, "O"])
@pytest.mark.parametrize("shape", [(2**31, 1), (2**20, 2**12), (2, 2**30)])
def test_more_cells_than_fit_are_refused_before_any_is_read(dtype, shape):
    huge = np.broadcast_to(np.ones(1, dtype=dtype), shape)
    message = f"{shape[0]} rows and {shape[1]} columns, which is more than 2147483647"
    with pytest.raises(ValueError, match=message):
        Table(huge)
    if dtype != "O":
        with pytest.raises(ValueError, match=message):
            fit(huge, [0])
        with pytest.raises(ValueError, match=message):
            fit(SMALL, LABELS).predict(huge)


# --- prediction -----------------------------------------------------------------------


@pytest.mark.parametrize("n_columns", [1, 3, 5])
def test_a_wrong_number_of_columns_is_named(n_columns):
    model, other = fit(X, Y), np.zeros((2, n_columns))
    for asked in (other, other.tolist(), Table(other)):
        with pytest.raises(
            ValueError, match=f"{n_columns} features, but .* expecting 4 features"
        ):
            model.predict(asked)


def test_wrong_names_of_columns_are_named():
    frame = pd.DataFrame(SMALL, columns=["age", "size"])
    model = fit(frame, LABELS)
    renamed = frame.rename(columns={"size": "height"})
    for asked in (renamed, pl.DataFrame(renamed.to_dict("list")), Table(renamed)):
        with pytest.raises(ValueError, match=r"(?s)names should match.*height|size"):
            model.predict(asked)


def test_columns_in_another_order_are_matched_by_name():
    frame = pd.DataFrame(SMALL, columns=["age", "size"])
    model = fit(frame, LABELS)
    for asked in (frame[["size", "age"]], Table(frame[["size", "age"]])):
        assert (model.predict(asked) == model.predict(frame)).all()


def test_a_table_of_other_bins_is_refused():
    with pytest.raises(
        ValueError, match="max_bins=9, but X is a Table with max_bins=4"
    ):
        fit(Table(X, max_bins=4), Y, max_bins=9)


# --- labels and weights ---------------------------------------------------------------


@pytest.mark.parametrize("n_labels", [1, 3, 5, 1000])
def test_as_many_labels_as_rows_are_needed(n_labels):
    for table in (SMALL, Table(SMALL)):
        with pytest.raises(ValueError, match=f"X has 4 rows and y has {n_labels}"):
            fit(table, np.zeros(n_labels, dtype=int))


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (None, ValueError, "requires y to be passed"),
        ([0, 1, np.nan, 1], ValueError, "y contains NaN"),
        ([0, 1, np.inf, 1], ValueError, "y contains infinity"),
        (["a", None, "b", "a"], ValueError, "label of row 1 is None"),
        ([0.5, 1.5, 2.5, 0.1], ValueError, "Unknown label type: continuous"),
        (np.array(["a", 1, "b", 2], dtype=object), TypeError, "types int, str"),
        (np.zeros((4, 1, 1)), ValueError, "dim 3"),
        (np.zeros((4, 0), dtype=int), ValueError, "at least one column"),
        ([], ValueError, "0 sample"),
        (3, TypeError, "at least 1 dimension"),
    ],
)
def test_labels_that_are_no_classes_are_refused(labels, error, message):
    with pytest.raises(error, match=message):
        fit(SMALL, labels)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -2, 1], r"negative values: -2.0 in row 2; weights must be"),
        ([0, 0, 0, 0], "at least one non-zero number"),
        (0, "at least one non-zero number"),
        ([1, np.nan, 1, 1], "NaN or infinity values: nan in row 1"),
        ([1, np.inf, 1, 1], "NaN or infinity values: inf in row 1"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([[1, 1, 1, 1]], "Sample weights must be 1D"),
        (["a", "b", "c", "d"], "could not convert string to float"),
        ([1j, 1, 1, 1], "Complex data not supported"),
        ([1e308] * 4, "largest weight is 1e.308, .* divide all weights by 1e.308"),
        ([1e-200] * 4, "largest weight is 1e-200"),
        ([1, 1, 1e-18, 1], "smallest above 0 is 1e-18; with 4 rows weights below"),
    ],
)
def test_weights_that_are_no_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier().fit(SMALL, LABELS, sample_weight=weight)


def test_a_class_of_weight_zero_leaves_the_others():
    model = DecisionTreeClassifier().fit(SMALL, LABELS, sample_weight=[1, 1, 0, 0])
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(SMALL).tolist() == [[1, 0]] * 4


# --- parameters -----------------------------------------------------------------------

WRONG = {
    "splitter": ["worst", None, 3],
    "threshold": ["middle", None],
    "max_depth": [0, -1, 1.5, "3", True],
    "min_samples_split": [1, 0, 0.0, 1.5, "2", None],
    "min_samples_leaf": [0, 1.0, -1, "1", None],
    "min_weight_fraction_leaf": [-0.1, 0.6, "0", None, np.nan],
    "max_features": [0, -1, 0.0, 1.1, "all", True],
    "max_leaf_nodes": [0, 1, 2.5, "9"],
    "min_impurity_decrease": [-1, np.nan, "0", None],
    "class_weight": ["equal", 3],
    "ccp_alpha": [-1, np.nan, "0", None],
    "max_bins": [0, 1, 256, "9", True, 2.5],
    "laplace": ["no", None, 2],
    "n_jobs": [0, "2", 1.5, True],
    "verbose": ["yes", None, -1],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, all in WRONG.items() for value in all]
)
def test_a_wrong_parameter_is_named_with_what_would_be_right(name, value):
    with pytest.raises(ValueError, match=rf"{name}=.* is not allowed; use "):
        fit(SMALL, LABELS, **{name: value})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"random_state": "a", "splitter": "random"}, "'a' cannot be used to seed"),
        ({"random_state": -1, "splitter": "random"}, "Seed must be between"),
        ({"class_weight": {0: -1}}, "negative values: -1.0 in row 0"),
        ({"class_weight": {0: np.nan}}, "NaN or infinity values: nan in row 0"),
        ({"class_weight": {5: 1}}, "not in class_weight"),
        ({"monotonic_cst": [1]}, r"shape \(1,\), expected one sign per column, \(2,\)"),
        ({"monotonic_cst": [2, 0]}, r"must hold -1, 0 or 1, not \[2, 0\]"),
        ({"monotonic_cst": "up"}, "expected one sign per column"),
        ({"criterion_params": {"q": 1}}, "'q', which criterion='gini' does not take"),
        (
            {"criterion": "gain_ratio", "criterion_params": {"q": 1}},
            "it takes: threshold_cost, average_gain, min_branch",
        ),
        (
            {"criterion": "gain_ratio", "criterion_params": {"min_branch": -1}},
            r"criterion_params\['min_branch'\]=-1 must be",
        ),
        (
            {"criterion": "gain_ratio", "criterion_params": {"min_branch": "two"}},
            r"criterion_params\['min_branch'\]='two' must be",
        ),
        (
            {"criterion": "gain_ratio", "criterion_params": {"average_gain": 1}},
            r"criterion_params\['average_gain'\]=1 must be True or False",
        ),
        (
            {
                "criterion": "gain_ratio",
                "criterion_params": {"average_gain": True},
                "splitter": "random",
            },
            "need splitter='best'",
        ),
    ],
)
def test_a_wrong_value_inside_a_parameter_is_named(params, message):
    with pytest.raises(ValueError, match=message):
        fit(SMALL, LABELS, **params)


def test_monotonic_constraints_need_two_classes():
    with pytest.raises(ValueError, match="one target of two classes"):
        fit(X, Y, monotonic_cst=[1, 0, 0, 0])


@pytest.mark.slow
def test_a_monstrous_number_of_threads_does_no_harm():
    script = (
        "import numpy as np, ramify\n"
        "X = np.random.default_rng(0).random((5000, 4))\n"
        "y = (X[:, 0] > 0.5).astype(int)\n"
        "model = ramify.DecisionTreeClassifier(n_jobs=10**9).fit(X, y)\n"
        "print((model.predict(X) == y).all())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=50
    )
    assert done.stdout == "True\n", done.stderr


# --- criteria -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("ginni", "gini"),
        ("Gini", "gini"),
        ("entropie", "entropy"),
        ("helinger", "hellinger"),
        ("hellingr", "hellinger"),
        ("gain-ratio", "gain_ratio"),
    ],
)
def test_an_unknown_criterion_is_answered_with_the_nearest(name, nearest):
    message = f"criterion='{name}' is unknown; did you mean '{nearest}'"
    with pytest.raises(ValueError, match=message):
        fit(SMALL, LABELS, criterion=name)
    with pytest.raises(ValueError, match=message):
        ramify.criteria.get(name)


@pytest.mark.parametrize("wrong", [3, None, dict, [], ("gini",), 1.5])
def test_what_is_no_criterion_is_refused(wrong):
    with pytest.raises(TypeError, match="is not a criterion; give a name"):
        fit(SMALL, LABELS, criterion=wrong)
    with pytest.raises(TypeError, match="name of a criterion is a str"):
        ramify.criteria.get(wrong)


class OwnError(Exception):
    """Nobody else raises this."""


@pytest.mark.parametrize("error", [OwnError, ZeroDivisionError, SystemExit])
def test_an_exception_of_a_function_arrives_as_it_is(error):
    def judge(parent, left, right):
        raise raised

    raised = error("mine")
    with pytest.raises(error) as caught:
        fit(X, Y, criterion=judge)
    assert caught.value is raised
    assert any(entry.name == "judge" for entry in caught.traceback)


def test_an_exception_of_a_function_may_come_late():
    def judge(parent, left, right):
        if parent.sum() < 60:
            raise OwnError("small node")
        return np.minimum(left, right).sum(1) + 1.0

    for n_jobs in (1, 2):
        with pytest.raises(OwnError, match="small node"):
            fit(X, Y, criterion=judge, n_jobs=n_jobs)
    with pytest.raises(OwnError, match="small node"):
        fit(X, Y, criterion=judge, max_leaf_nodes=20)


ANSWERS = {
    "a column": (
        lambda left: np.zeros((len(left), 1)),
        r"shape \(\d+, 1\) for \d+ cuts",
    ),
    "a number": (lambda left: 0.0, r"shape \(\) for \d+ cuts"),
    "nothing": (lambda left: None, r"shape \(\) for \d+ cuts"),
    "too many": (lambda left: np.zeros(len(left) + 1), r"one score per cut, shape"),
    "too few": (lambda left: np.zeros(len(left) - 1), r"one score per cut, shape"),
    "NaN": (
        lambda left: np.where(left[:, 0] > 1, np.nan, 1),
        "nan for parent=.*-inf to refuse",
    ),
    "infinity": (
        lambda left: np.full(len(left), np.inf),
        "inf for parent=.*must be finite",
    ),
    "NaN and infinities": (
        lambda left: np.resize([np.inf, -np.inf, np.nan], len(left)),
        "inf for parent",
    ),
    "complex numbers": (lambda left: left[:, 0] * 1j, "complex128.*must be real"),
    "text": (lambda left: ["good"] * len(left), "scores must be real"),
    "objects": (lambda left: np.array([None] * len(left)), "scores must be real"),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_that_is_no_score_per_cut_is_refused(kind):
    answer, message = ANSWERS[kind]

    def my_criterion(parent, left, right):
        return answer(left)

    with pytest.raises(
        ValueError, match=f"criterion my_criterion returned .*{message}"
    ):
        fit(X, Y, criterion=my_criterion)


def test_a_function_of_the_wrong_arguments_is_refused():
    with pytest.raises(TypeError, match="positional argument"):
        fit(X, Y, criterion=lambda parent: 0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1, 2, 3], "criterion_data has 3 rows, X has 4"),
        ([1, 2, 3, np.nan], "criterion_data contains NaN"),
        (["a"] * 4, "could not convert string"),
        (np.ones((4, 1, 1)), "dim 3"),
    ],
)
def test_own_data_that_do_not_fit_are_refused(data, message):
    model = DecisionTreeClassifier(lambda parent, left, right: left[:, 0])
    with pytest.raises(ValueError, match=message):
        model.fit(SMALL, LABELS, criterion_data=data)


def test_own_data_need_a_criterion_of_one_output_that_looks_at_them():
    own = np.ones(4)
    with pytest.raises(ValueError, match="criterion='gini' does not look at it"):
        DecisionTreeClassifier().fit(SMALL, LABELS, criterion_data=own)
    model = DecisionTreeClassifier(lambda parent, left, right: left[:, 0])
    with pytest.raises(ValueError, match="several outputs"):
        model.fit(SMALL, np.column_stack([LABELS, LABELS]), criterion_data=own)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (([2, 2], [[1, 1, 0]], [[1, 1]]), r"\(K,\) and \(m, K\)"),
        (([2, 2], [[1, 1]], [[1, 0]]), "left \\+ right must be parent"),
        (([2, 2], [[2, 2]], [[0, 0]]), "both sides of a cut"),
        (([2, 2], [[3, 1]], [[-1, 1]]), "right must hold finite weights"),
        (([2, np.nan], [[1, np.nan]], [[1, 1]]), "left must hold finite weights"),
        (([[2, 2]], [[1, 1]], [[1, 1]]), r"\(K,\) and \(m, K\)"),
    ],
)
def test_tables_of_counts_that_do_not_add_up_are_refused(tables, message):
    with pytest.raises(ValueError, match=message):
        ramify.criteria.get("gini")(*tables)


# --- model files ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a good model."""
    data = random_table(1, n_rows=40, n_classes=3)
    path = tmp_path_factory.mktemp("model") / "model.ramify"
    ramify.save(fit(data.X, data.y), path)
    return path.read_bytes()


def load(data: bytes, folder: object) -> DecisionTreeClassifier:
    path = folder / "forged.ramify"
    path.write_bytes(data)
    return ramify.load(path)


def use(model: DecisionTreeClassifier) -> None:
    """Do everything that reads the arrays of a tree."""
    rows = np.vstack(
        [np.random.default_rng(0).normal(size=(50, 3)), np.full(3, np.nan)]
    )
    model.predict(rows)
    model.predict_proba(rows)
    model.decision_path(rows)
    ramify.export_text(model)
    assert np.isfinite(model.feature_importances_).any()
    assert model.get_depth() < model.tree_.node_count


def forge(saved: bytes, change: object) -> bytes:
    """Write the parts of a model again, after `change` had a go at them."""
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def set_header(**changes: object) -> object:
    def change(parts: dict[str, bytes]) -> None:
        header = json.loads(parts["model.json"])
        for key, value in changes.items():
            if value is ...:
                del header[key]
            else:
                header[key] = value
        parts["model.json"] = json.dumps(header).encode()

    return change


def set_array(name: str, edit: object) -> object:
    def change(parts: dict[str, bytes]) -> None:
        array = np.load(io.BytesIO(parts[f"tree/{name}.npy"]))
        edited = edit(array)
        buffer = io.BytesIO()
        np.save(buffer, array if edited is None else edited)
        parts[f"tree/{name}.npy"] = buffer.getvalue()

    return change


def put(place: object, value: object) -> object:
    return lambda array: array.__setitem__(place, value)


def test_forging_nothing_leaves_a_good_model(saved, tmp_path):
    use(load(saved, tmp_path))
    use(load(forge(saved, lambda parts: None), tmp_path))


def test_a_truncated_file_is_refused(saved, tmp_path):
    for size in [0, 1, 3, 30, *range(50, len(saved), 37), len(saved) - 1]:
        with pytest.raises(
            ValueError, match=r"forged.ramify cannot be read as a model"
        ):
            load(saved[:size], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [0x01, 0x80, 0xFF])
def test_a_flipped_byte_is_refused_or_harmless(saved, tmp_path, bits):
    for place in range(0, len(saved), 7 if bits == 0xFF else 31):
        broken = bytearray(saved)
        broken[place] ^= bits
        try:
            model = load(bytes(broken), tmp_path)
        except ValueError as error:
            assert "cannot be read as a model" in str(error)  # noqa: PT017
        else:
            use(model)


@pytest.mark.slow
@pytest.mark.parametrize("name", Tree.ARRAYS)
def test_a_flipped_byte_inside_an_array_is_refused_or_harmless(saved, tmp_path, name):
    rng = np.random.default_rng(0)
    for _ in range(40):

        def change(parts):
            data = bytearray(parts[f"tree/{name}.npy"])
            data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
            parts[f"tree/{name}.npy"] = bytes(data)

        try:
            model = load(forge(saved, change), tmp_path)
        except ValueError as error:
            assert "cannot be read as a model" in str(error)  # noqa: PT017
        else:
            use(model)


PICKLED = pickle.dumps(OwnError("run me"))


def pickled_array(_: object) -> np.ndarray:
    return np.array([OwnError("run me")], dtype=object)


FORGERIES = {
    "no header": lambda parts: parts.pop("model.json"),
    "empty header": lambda parts: parts.update({"model.json": b""}),
    "a list": lambda parts: parts.update({"model.json": b"[1, 2]"}),
    "deep nesting": lambda parts: parts.update({"model.json": b"[" * 100_000}),
    "not UTF-8": lambda parts: parts.update({"model.json": b"\xff\xfe{}"}),
    "a pickle": lambda parts: parts.update({"model.json": PICKLED}),
    "another format": set_header(format="other"),
    "a later version": set_header(version=99),
    "another class": set_header(kind="os.system"),
    "no classes": set_header(classes=[]),
    "no labels": set_header(classes=[{"dtype": "<i8", "values": []}]),
    "few labels": set_header(classes=[{"dtype": "<i8", "values": [1]}]),
    "many labels": set_header(classes=[{"dtype": "<i8", "values": [1, 2, 3, 4]}]),
    "more outputs": set_header(classes=[{"dtype": "<i8", "values": [1, 2, 3]}] * 2),
    "nested labels": set_header(classes=[{"dtype": "<i8", "values": [[1], [2], [3]]}]),
    "objects": set_header(classes=[{"dtype": "O8", "values": [1, 2, 3]}]),
    "void labels": set_header(classes=[{"dtype": "V4", "values": [1, 2, 3]}]),
    "endless labels": set_header(
        classes=[{"dtype": "<U500000000", "values": ["a", "b", "c"]}]
    ),
    "no parameters": set_header(parameters=...),
    "strange parameters": set_header(parameters={"magic": 1}),
    "parameters in a list": set_header(parameters=[1]),
    "no columns": set_header(n_features=0),
    "fewer columns": set_header(n_features=1),
    "columns below zero": set_header(n_features=-3),
    "endless columns": set_header(n_features=10**30),
    "columns as text": set_header(n_features="many"),
    "an array is gone": lambda parts: parts.pop("tree/value.npy"),
    "an empty array": lambda parts: parts.update({"tree/value.npy": b""}),
    "a pickle as array": lambda parts: parts.update({"tree/feature.npy": PICKLED}),
    "a pickle inside": lambda parts: parts.update(
        {"tree/gain.npy": b"\x80\x04\x95" + PICKLED}
    ),
    "an archive inside": lambda parts: parts.update(
        {"tree/gain.npy": b"PK\x03\x04" + bytes(40)}
    ),
    "single floats": set_array("threshold", lambda a: a.astype(np.float32)),
    "another byte order": set_array("threshold", lambda a: a.astype(">f8")),
    "floats as columns": set_array("feature", lambda a: a.astype(np.float64)),
    "small integers": set_array("children_left", lambda a: a.astype(np.int32)),
    "more dimensions": set_array("threshold", lambda a: a[:, None]),
    "no dimension": set_array("feature", lambda a: np.int64(3)),
    "no nodes": set_array("feature", lambda a: a[:0]),
    "one node less": set_array("threshold", lambda a: a[:-1]),
    "one child less": set_array("children_left", lambda a: a[:-1]),
    "records": set_array("value", lambda a: np.zeros(3, dtype=[("a", "f8")])),
    "flat values": set_array("value", lambda a: a.reshape(-1)),
    "a cycle": set_array("children_left", put(0, 0)),
    "a longer cycle": set_array("children_right", put(1, 0)),
    "a child far away": set_array("children_right", put(0, 10**12)),
    "a child just outside": set_array("children_right", lambda a: put(0, len(a))(a)),
    "one child": set_array("children_right", put(0, -1)),
    "the other child": set_array("children_left", put(0, -1)),
    "two parents": set_array("children_right", put(1, 2)),
    "a column far away": set_array("feature", put(0, 2**40)),
    "a column just outside": set_array("feature", put(0, 3)),
    "a column below zero": set_array("feature", put(0, -1)),
    "a threshold that is none": set_array("threshold", put(0, np.nan)),
    "shares that are none": set_array("value", put(0, np.nan)),
    "endless shares": set_array("value", put(0, np.inf)),
    "no weight": set_array("weighted_n_node_samples", put(slice(None), 0)),
    "weights that are none": set_array("weighted_n_node_samples", put(1, np.nan)),
}


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_file_is_refused(saved, tmp_path, kind):
    with pytest.raises(ValueError, match=r"forged.ramify cannot be read as a model"):
        load(forge(saved, FORGERIES[kind]), tmp_path)


@pytest.mark.parametrize("kind", ["a pickle inside", "an object array"])
def test_nothing_in_a_file_is_run(saved, tmp_path, kind):
    ran = []

    class Trap:
        def __reduce__(self):
            return (ran.append, (1,))

    def change(parts):
        buffer = io.BytesIO()
        np.save(buffer, np.array([Trap()], dtype=object), allow_pickle=True)
        trap = buffer.getvalue() if kind == "an object array" else pickle.dumps(Trap())
        parts["tree/threshold.npy"] = trap

    with pytest.raises(ValueError, match="cannot be read as a model"):
        load(forge(saved, change), tmp_path)
    assert ran == []


@pytest.mark.parametrize("name", ["model.json", "tree/value.npy", "tree/feature.npy"])
def test_a_file_that_unpacks_to_gigabytes_is_refused(saved, tmp_path, name):
    # 64 MB of blanks in 64 kB: enough to tell, without harm if they are unpacked.
    def change(parts):
        filler = b" " if name == "model.json" else b"\0"
        parts[name] = parts[name] + filler * (64 * 2**20)

    with pytest.raises(ValueError, match=r"bytes(, at most| unpacked, )"):
        load(forge(saved, change), tmp_path)


@pytest.mark.parametrize("n_rows", [10**9, 10**15, 2**62])
def test_an_array_that_claims_to_be_huge_is_refused(saved, tmp_path, n_rows):
    def change(parts):
        buffer = io.BytesIO()
        header = {"descr": "<f8", "fortran_order": False, "shape": (n_rows,)}
        np.lib.format.write_array_header_1_0(buffer, header)
        parts["tree/threshold.npy"] = buffer.getvalue()

    with pytest.raises(ValueError, match="cannot be read as a model"):
        load(forge(saved, change), tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"not a zip", PICKLED, b"PK\x05\x06" + bytes(18)]
)
def test_another_kind_of_file_is_refused(content, tmp_path):
    with pytest.raises(ValueError, match=r"forged.ramify cannot be read as a model"):
        load(content, tmp_path)
