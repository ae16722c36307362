# SPDX-License-Identifier: BSD-3-Clause
"""Data that change between two passes over a stream are refused, with the reason."""

import numpy as np
import pandas as pd
import pytest

import ramify

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N_ROWS = 400


def frame(seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(size=N_ROWS),
            "k": rng.integers(0, 9, N_ROWS),
            "city": pd.Categorical(rng.choice(["Oslo", "Bergen", "Rome"], N_ROWS)),
            "y": rng.choice(["a", "b"], N_ROWS),
        }
    )


def changing(change, second=1):
    """Yield a function of batches of which one is another in the second pass."""
    passes = []

    def batches():
        passes.append(0)
        for number in range(3):
            df = frame(number)
            if len(passes) > 1 and number == second:
                df = change(df)
            yield df

    return batches


def another_number(df):
    df.loc[7, "x"] += 1e-9
    return df


def another_count(df):
    df.loc[7, "k"] += 1
    return df


def another_city(df):
    df.loc[7, "city"] = "Oslo" if df.loc[7, "city"] != "Oslo" else "Rome"
    return df


def another_label(df):
    df.loc[7, "y"] = "a" if df.loc[7, "y"] == "b" else "b"
    return df


def a_gap(df):
    df.loc[7, "x"] = np.nan
    return df


def a_row_less(df):
    return df.iloc[:-1]


MODELS = {
    "tree": lambda: ramify.DecisionTreeClassifier(max_depth=3),
    "forest": lambda: ramify.RandomForestClassifier(3, bootstrap="poisson"),
    "forest by codes": lambda: ramify.RandomForestClassifier(3, bootstrap=True),
    "boosted": lambda: ramify.BoostedTreesClassifier(n_estimators=2),
}
every_model = pytest.mark.parametrize("model", MODELS)


@every_model
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (another_number, "has other values in column 'x'"),
        (another_count, "has other values in column 'k'"),
        (another_city, "has other values in column 'city'"),
        (a_gap, "has other values in column 'x'"),
        (a_row_less, "the data have 1200 rows at first and 1199"),
    ],
)
def test_values_that_changed_between_passes_are_refused(model, change, words):
    with pytest.raises(ValueError, match=f"^partition 1: .*{words}"):
        MODELS[model]().fit_stream(changing(change), "y")


@every_model
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda df: df.assign(more=1.0), "column 'more' was not there"),
        (lambda df: df.drop(columns="k"), "column 'k', .* is not there"),
        (lambda df: df.drop(columns="city"), "column 'city', .* is not there"),
        (lambda df: df.rename(columns={"k": "z"}), "column 'z' was not there"),
        (lambda df: df[["k", "x", "city", "y"]], "the columns are in another order"),
    ],
    ids=["one more", "one less", "the last less", "another name", "another order"],
)
def test_columns_that_changed_between_passes_are_refused(model, change, words):
    with pytest.raises(ValueError, match=f"^partition 1: {words}.*the data changed"):
        MODELS[model]().fit_stream(changing(change), "y")


def test_arrays_that_get_a_column_between_passes_are_refused():
    passes = []

    def batches():
        passes.append(0)
        X = np.random.default_rng(0).normal(size=(50, 1 + len(passes)))
        yield X, X[:, 0] > 0

    with pytest.raises(ValueError, match=r"^partition 0: column 'x\d' was not there"):
        ramify.DecisionTreeClassifier().fit_stream(batches)


def test_a_zero_that_is_missing_in_the_second_pass_is_refused():
    X = np.arange(40.0).reshape(20, 2)  # the first is 0.0, whose bits are all zero
    passes = []

    def batches():
        passes.append(0)
        yield np.where((X == 0) & (len(passes) % 2 == 0), np.nan, X), np.arange(20) % 2

    with pytest.raises(ValueError, match="other values in column 0"):
        ramify.DecisionTreeClassifier().fit_stream(batches)


def test_numbers_of_passes_over_scratch_files_are_compared_too():
    tree = ramify.DecisionTreeClassifier(max_depth=3)
    with pytest.raises(ValueError, match=r"^partition 2: .*column 'x'"):
        tree.fit_stream(changing(another_number, second=2), "y", memory="1MiB")


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_a_target_that_changed_between_passes_is_refused(task):
    if task == "classes":
        model, change = ramify.DecisionTreeClassifier(), another_label
    else:
        model, change = ramify.DecisionTreeRegressor(), another_number
    with pytest.raises(ValueError, match=r"^partition 1: .*in the target than"):
        model.fit_stream(changing(change), "y" if task == "classes" else "x")


def test_another_cut_into_batches_and_another_order_are_no_change():
    whole = pd.concat([frame(0), frame(1)], ignore_index=True)
    cuts = iter([100, 7])
    orders = iter([1, -1])

    def batches():
        cut, order = next(cuts, 50), next(orders, 1)
        for begin in range(0, len(whole), cut):
            yield whole.iloc[begin : begin + cut].iloc[::order]

    model = ramify.DecisionTreeClassifier(max_depth=3).fit_stream(batches, "y")
    same = ramify.DecisionTreeClassifier(max_depth=3, max_bins=255)
    same.fit(whole.drop(columns="y"), whole["y"])
    np.testing.assert_array_equal(model.tree_.threshold, same.tree_.threshold)


def test_a_file_that_is_written_to_is_named(tmp_path, monkeypatch):
    for number in range(2):
        frame(number).to_parquet(tmp_path / f"{number}.parquet")
    encode = ramify.distributed.files.engine.FileEngine.encode

    def encode_later(self, book):
        another_number(frame(1)).to_parquet(tmp_path / "1.parquet")
        return encode(self, book)

    monkeypatch.setattr(
        ramify.distributed.files.engine.FileEngine, "encode", encode_later
    )
    tree = ramify.DecisionTreeClassifier(max_depth=3)
    with pytest.raises(ValueError, match=r"1\.parquet.*has other values in column 'x'"):
        tree.fit_stream(tmp_path, "y")


@pytest.mark.parametrize("first", ["int", "text"])
def test_labels_of_two_types_are_refused_with_both_files(first, tmp_path):
    one, two = (0, 1) if first == "int" else (1, 0)
    frame().assign(y=np.arange(N_ROWS) % 2).to_parquet(tmp_path / f"{one}.parquet")
    frame().to_parquet(tmp_path / f"{two}.parquet")
    with pytest.raises(ValueError, match=r"the labels are .*parquet.*use one type"):
        ramify.DecisionTreeClassifier().fit_stream(tmp_path, "y")


def test_a_category_of_the_second_pass_is_named():
    def change(df):
        city = df["city"].astype(object)
        city[3] = "Paris"
        return df.assign(city=city.astype("category"))

    with pytest.raises(ValueError, match=r"^partition 1: column 'city' .* 'Paris'"):
        ramify.DecisionTreeClassifier().fit_stream(changing(change), "y")


@pytest.mark.parametrize("label", ["c", 5])
def test_a_label_of_the_second_pass_is_named(label):
    def change(df):
        return df.assign(y=label)

    with pytest.raises(ValueError, match=f"^partition 1: the label {label!r}"):
        ramify.DecisionTreeClassifier().fit_stream(changing(change), "y")
