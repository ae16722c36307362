# SPDX-License-Identifier: BSD-3-Clause
"""The index of pandas is no column to learn from."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main
from ramify.io import open_file
from ramify.io.pandas_index import index_columns

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N_ROWS = 120
LEFT_OUT = "was the index of a pandas frame and is left out"


def frame():
    """Make rows sorted by class, so that their numbers tell the class."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"x": rng.normal(size=N_ROWS), "y": np.repeat(["a", "b"], N_ROWS // 2)}
    )


def indexed(kind):
    df = frame()
    if kind == "without a name":
        df.index = np.arange(N_ROWS) + 7.5
    elif kind == "with a name":
        df.index = pd.Index(np.arange(N_ROWS) + 7.5, name="id")
    elif kind == "of two levels":
        df.index = pd.MultiIndex.from_arrays([np.arange(N_ROWS), np.arange(N_ROWS) * 2])
    elif kind == "of text":
        df.index = [f"row {i}" for i in range(N_ROWS)]
    return df


every_index = pytest.mark.parametrize(
    "kind", ["without a name", "with a name", "of two levels", "of text"]
)


def fitted(path, **options):
    return ramify.DecisionTreeClassifier(max_depth=2).fit_stream(path, "y", **options)


@every_index
def test_a_stream_leaves_the_index_out_and_says_so_once(kind, tmp_path):
    for i in range(3):
        indexed(kind).to_parquet(tmp_path / f"{i}.parquet")
    with pytest.warns(UserWarning, match=LEFT_OUT) as told:
        tree = fitted(tmp_path)
    assert tree.feature_names_in_.tolist() == ["x"]
    assert len([one for one in told if LEFT_OUT in str(one.message)]) == 1


@every_index
def test_arrow_files_and_batches_leave_the_index_out(kind, tmp_path):
    table = pa.Table.from_pandas(indexed(kind))
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as file:
        file.write_table(table)
    for source in (tmp_path / "t.arrow", lambda: iter([table, table])):
        with pytest.warns(UserWarning, match=LEFT_OUT):
            tree = fitted(source)
        assert tree.feature_names_in_.tolist() == ["x"]


@every_index
def test_a_parquet_file_and_an_arrow_table_leave_the_index_out(kind, tmp_path):
    path = tmp_path / "t.parquet"
    indexed(kind).to_parquet(path)
    with pytest.warns(UserWarning, match=LEFT_OUT):
        assert open_file(path).names == ["x", "y"]
    X = pq.read_table(path).drop_columns(["y"])
    with pytest.warns(UserWarning, match=LEFT_OUT):
        tree = ramify.DecisionTreeClassifier().fit(X, frame()["y"])
    assert tree.feature_names_in_.tolist() == ["x"]


@every_index
@pytest.mark.filterwarnings("ignore:.*was the index")
def test_the_command_line_leaves_the_index_out(kind, tmp_path):
    path, model = tmp_path / "t.parquet", tmp_path / "m.ramify"
    indexed(kind).to_parquet(path)
    new = tmp_path / "new.parquet"
    indexed(kind).drop(columns="y").to_parquet(new)
    for data in ([path], [path, "--memory", "100MB"]):
        words = ["fit", *data, "--target", "y", "-o", model]
        result = CliRunner().invoke(main, list(map(str, words)))
        assert result.exit_code == 0, result.output
        assert ramify.load(model).feature_names_in_.tolist() == ["x"]
    for rows in ([new], [new, new]):
        result = CliRunner().invoke(main, ["predict", str(model), *map(str, rows)])
        assert result.exit_code == 0, result.output


@pytest.mark.filterwarnings("ignore:.*was the index")
def test_an_index_that_is_named_is_read(tmp_path):
    path = tmp_path / "t.parquet"
    frame().set_index("y").to_parquet(path)
    assert fitted(path).feature_names_in_.tolist() == ["x"]
    words = ["fit", path, "--target", "y", "-o", tmp_path / "m.ramify"]
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    frame().assign(w=2.0).set_index("w").to_parquet(path)
    assert fitted(path, weight="w").tree_.weighted_n_node_samples[0] == 2 * N_ROWS


def test_a_range_and_a_plain_file_are_read_as_they_are(tmp_path):
    frame().to_parquet(tmp_path / "range.parquet")
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}), tmp_path / "p.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted(tmp_path / "range.parquet").n_features_in_ == 1
        assert fitted(tmp_path / "p.parquet").n_features_in_ == 1
        assert open_file(tmp_path / "range.parquet").names == ["x", "y"]


@pytest.mark.parametrize(
    "told", [b"no json", b"[]", b'{"index_columns": 3}', b'{"index_columns": [[1]]}']
)
def test_odd_metadata_name_no_index(told):
    assert index_columns({b"pandas": told}) == []
    assert index_columns(None) == []


def test_only_an_index_is_nothing_to_learn_from(tmp_path):
    frame()[["y"]].set_index(np.arange(N_ROWS) + 1.5).to_parquet(tmp_path / "t.parquet")
    with (
        pytest.warns(UserWarning, match=LEFT_OUT),
        pytest.raises(ValueError, match="no column is left to learn from"),
    ):
        fitted(tmp_path / "t.parquet")


def test_row_numbers_without_a_name_are_told_of(tmp_path):
    few = frame().iloc[50:70]
    path = tmp_path / "t.csv"
    few.to_csv(path)
    again = pd.read_csv(path)
    with pytest.warns(ramify.UniqueColumnWarning, match="'Unnamed: 0' counts the rows"):
        ramify.DecisionTreeClassifier().fit(again[["Unnamed: 0", "x"]], again["y"])
    again.to_csv(path, index=False)
    words = ["fit", path, "--target", "y", "-o", tmp_path / "m.ramify"]
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 2
    assert "--ignore 'Unnamed: 0'" in result.stderr
