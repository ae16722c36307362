# SPDX-License-Identifier: BSD-3-Clause
"""Bundled data sets, and CSV files good and bad."""

import gzip

import numpy as np
import pytest

from ramify import datasets

SHAPES = {
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "xor": (500, 4, 2),
    "rings": (600, 2, 3),
    "waveform": (1000, 21, 3),
    "imbalanced": (1200, 6, 2),
}


def test_every_bundled_name_has_its_shape():
    assert list(SHAPES) == datasets.names()


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_set_is_whole(name):
    data = datasets.load(name)
    assert data.name == name
    assert (*data.X.shape, len(data.target_names)) == SHAPES[name]
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert len(data.feature_names) == data.X.shape[1]
    assert np.array_equal(np.unique(data.y), np.arange(len(data.target_names)))
    assert data.source.endswith(".")


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("xor", -0.165955990594852),
        ("rings", 0.1751958530001747),
        ("waveform", 0.21061134841812365),
        ("imbalanced", 0.8587410566701655),
    ],
)
def test_generated_sets_never_change(name, first):
    data = datasets.load(name)
    assert data.X[0, 0] == pytest.approx(first, rel=1e-9)
    assert np.array_equal(data.X, datasets.load(name).X)


def test_xor_gains_nothing_at_the_root():
    data = datasets.load("xor")
    assert np.array_equal(data.y, (data.X[:, 0] * data.X[:, 1] < 0).astype(int))


def test_imbalanced_has_a_rare_class():
    assert np.bincount(datasets.load("imbalanced").y).tolist() == [1140, 60]


def test_unknown_name_tells_the_nearest():
    with pytest.raises(ValueError, match="'irs' is unknown; did you mean 'iris'"):
        datasets.load("irs")


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        raw = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


def test_csv_gives_numbers_missing_values_and_names(write):
    data = datasets.read_csv(write("a,b,y\n1,2.5,no\n,-3e2,yes\n"), "y")
    assert np.array_equal(data.X, [[1, 2.5], [np.nan, -300]], equal_nan=True)
    assert data.y.tolist() == ["no", "yes"]
    assert data.feature_names == ("a", "b")
    assert data.target_names == ("no", "yes")
    assert data.name == "data"


def test_target_may_stand_anywhere_and_is_the_last_column_by_default(write):
    path = write("y,a\n1,7\n0,8\n")
    assert datasets.read_csv(path, "y").y.tolist() == [1, 0]
    assert datasets.load(path).y.tolist() == [7, 8]
    assert datasets.load(path, "y").feature_names == ("a",)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa,y\r\n1,0\r\n2,1\r\n",
        "a, y\n 1 ,0\n\n2, 1",
        '"a","y"\n"1","0"\n"2","1"\n',
    ],
    ids=["byte order mark and CRLF", "blanks and a blank line", "quotes"],
)
def test_csv_dialects_of_everyday_programs(write, content):
    data = datasets.read_csv(write(content), "y")
    assert data.feature_names == ("a",)
    assert data.X.ravel().tolist() == [1, 2]
    assert data.y.tolist() == [0, 1]


def test_gzip_is_read(write):
    data = datasets.read_csv(write("a,y\n1,0\n2,1\n", "data.csv.gz"), "y")
    assert data.name == "data"
    assert data.y.tolist() == [0, 1]


def test_many_rows_are_read_in_order(write, monkeypatch):
    monkeypatch.setattr(datasets, "_CHUNK_ROWS", 7)
    rows = [f"{i},{i % 3}" for i in range(50)]
    data = datasets.read_csv(write("\n".join(["a,y", *rows])), "y")
    assert data.X.ravel().tolist() == list(range(50))
    assert data.y.tolist() == [i % 3 for i in range(50)]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "-2", "0"], [1, -2, 0]),
        (["007", "7", "8"], ["007", "7", "8"]),
        (["1.0", "2.0", "1.0"], ["1.0", "2.0", "1.0"]),
        (["1", "two", "3"], ["1", "two", "3"]),
        (["9" * 30, "1", "2"], ["9" * 30, "1", "2"]),
    ],
)
def test_labels_print_as_they_were_read(write, labels, expected):
    lines = [f"{i},{label}" for i, label in enumerate(labels)]
    data = datasets.read_csv(write("\n".join(["a,y", *lines])), "y")
    assert data.y.tolist() == expected


def test_blank_line_of_a_one_column_file_is_a_missing_value(write):
    with datasets.open_csv(write("a\n1\n\n3\n")) as file:
        X, _ = file.read(["a"])
    assert np.array_equal(X.ravel(), [1, np.nan, 3], equal_nan=True)


BAD = {
    "empty": ("", "is empty"),
    "no rows": ("a,y\n", "has a header but no rows"),
    "no target": ("a,why\n1,2\n", "no column 'y' for the target"),
    "only target": ("y\n1\n", "no column besides the target 'y'"),
    "text": ("a,city,y\n1,2,0\n1,Oslo,0\n", "column 'city' .* line 3 has 'Oslo'"),
    "underscore": ("a,y\n1_000,0\n", "column 'a' .* line 2 has '1_000'"),
    "infinite": ("a,y\n1,0\n-inf,0\n", "column 'a' .* line 3 has '-inf'"),
    "NA": ("a,y\nNA,0\n", "line 2 has 'NA'; .* empty field for a missing value"),
    "ragged": ("a,y\n1,0\n1,2,3\n", "line 3: 3 fields, but the header names 2"),
    "twice": ("a,a,y\n1,2,0\n", "two columns named 'a'"),
    "nameless": (",a,y\n0,1,0\n", "column 1 .* has no name"),
    "semicolons": ("a;y\n1;0\n", "separated by ';'; commas are needed"),
    "no label": ("a,y\n1,0\n2,\n", "'y' .* is empty in line 3"),
    "fraction": ("a,y\n1,0\n2,1.5\n", "'y' .* fractions, such as '1.5'"),
    "latin-1": (b"a,y\n1,caf\xe9\n", "not UTF-8 text .* 0xe9"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_csv_is_a_clear_error(write, case):
    content, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        datasets.read_csv(write(content), "y")


def test_nearest_column_is_named_whatever_its_case(write):
    with pytest.raises(ValueError, match="did you mean 'Species'"):
        datasets.read_csv(write("a,Species\n1,2\n"), "species")


def test_broken_gzip_is_a_clear_error(write, tmp_path):
    path = write("a,y\n" + "1,0\n" * 1000, "data.csv.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ValueError, match="not a whole gzip file"):
        datasets.read_csv(path, "y")
    plain = tmp_path / "plain.csv.gz"
    plain.write_bytes(b"a,y\n1,0\n")
    with pytest.raises(ValueError, match="not a whole gzip file"):
        datasets.read_csv(plain, "y")


def test_missing_file_stays_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        datasets.read_csv(tmp_path / "none.csv", "y")
