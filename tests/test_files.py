# SPDX-License-Identifier: BSD-3-Clause
"""CSV and Parquet files, good and bad; with pyarrow and without it."""

import gzip
import importlib
import io
import os
import sys
import threading

import numpy as np
import pytest

from ramify import datasets
from ramify.io import open_file, rows, text
from ramify.io.arrow import ArrowColumn
from ramify.io.kinds import MISSING_WORDS


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        raw = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


@pytest.fixture(params=["csv module", "pyarrow"])
def reader(request, monkeypatch):
    """Read every file either way, however small it is."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(text, "_FAST_FROM", 0 if request.param == "pyarrow" else 2**60)


@pytest.fixture
def without(monkeypatch):
    """Hide a library."""

    def hide(*names):
        real = importlib.import_module

        def import_module(name, *rest):
            if name.split(".")[0] in names:
                raise ImportError(name)
            return real(name, *rest)

        monkeypatch.setattr(importlib, "import_module", import_module)

    return hide


def columns(data):
    """Return the columns as lists, with None for what is missing."""
    return {
        name: [None if value != value else value for value in values.tolist()]
        for name, values in data.columns.items()
    }


# --- kinds -----------------------------------------------------------------------


def test_numbers_text_gaps_and_names(write, reader):
    path = write("a,city,b,y\n1,Oslo,2.5,no\n,,-3e2,yes\n+.5,Bergen,NA,no\n")
    data = datasets.read_file(path, "y")
    assert columns(data) == {
        "a": [1, None, 0.5],
        "city": ["Oslo", None, "Bergen"],
        "b": [2.5, -300, None],
    }
    assert data.categorical == ("city",)
    assert data.y.tolist() == ["no", "yes", "no"]
    assert data.target_names == ("no", "yes")
    assert (data.name, data.n_dropped) == ("data", 0)


@pytest.mark.parametrize("word", ["", "  ", *MISSING_WORDS])
def test_missing_words(write, reader, word):
    path = write(f"a,b,y\n1,u,0\n{word},{word},1\n")
    assert columns(datasets.read_file(path)) == {"a": [1, None], "b": ["u", None]}


def test_missing_words_can_be_chosen(write, reader):
    path = write("a,b,c,y\n1,u,,0\n-99,NA,x,1\nxx,xx,x,0\n")
    data = datasets.read_file(path, missing_values=["-99", "xx"])
    assert columns(data) == {
        "a": [1, None, None],
        "b": ["u", "NA", None],
        "c": [None, "x", "x"],
    }


@pytest.mark.parametrize("odd", ["x", "1_000", "NAN", "1,5", "1 2", "0x1"])
def test_one_field_of_text_makes_a_column_of_text(write, reader, odd):
    path = write(f'a,y\n1,0\n"{odd}",1\n01,0\n1.0,1\n')
    assert columns(datasets.read_file(path))["a"] == ["1", odd, "01", "1.0"]


def test_blanks_around_a_field_mean_nothing(write, reader):
    path = write("a , b,y\n 1 , Oslo ,0\n\t2,Oslo,1\n")
    data = datasets.read_file(path)
    assert columns(data) == {"a": [1, 2], "b": ["Oslo", "Oslo"]}


def test_column_without_values_is_numeric(write, reader):
    data = datasets.read_file(write("a,b,y\n1,,0\n2,NA,1\n"))
    assert data.columns["b"].dtype == np.float64
    assert columns(data)["b"] == [None, None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["3", "1", "", "3.0"], [3, 1, None, 3]),
        (["03", "1", "?", "3"], ["03", "1", None, "3"]),
        (["1.5", "2", "2", "2"], ["1.5", "2", "2", "2"]),
        (["9" * 20, "1", "1", "1"], ["9" * 20, "1", "1", "1"]),
        (["x", "1", "1", "1"], ["x", "1", "1", "1"]),
        (["", "", "", ""], [None] * 4),
    ],
)
def test_numbers_as_categories(write, reader, fields, expected):
    rows = [f"{field},{i % 2}" for i, field in enumerate(fields)]
    path = write("\n".join(["a,y", *rows]))
    data = datasets.read_file(path, categorical=["a"])
    assert data.categorical == ("a",)
    assert data.columns["a"].tolist() == expected


def test_text_in_a_numeric_column_is_named_with_its_line(write, reader):
    path = write('a,b,y\n1,"two\nlines",0\n\n2,x,1\n many ,x,0\n')
    with pytest.raises(ValueError, match=r"'a' of .* not numeric: line 6 has 'many'"):
        datasets.read_file(path, numeric=["a"])


def test_columns_are_left_out(write, reader):
    data = datasets.read_file(write("id,a,y,z\n1,2,0,9\n2,3,1,9\n"), ignore=["z", "id"])
    assert columns(data) == {"a": [2, 3]}
    assert data.y.tolist() == [0, 1]


@pytest.mark.parametrize("date", ["2024-01-{:02}", "2024-01-{:02} 10:30:00", "?"])
def test_dates_are_refused_with_advice(write, reader, date):
    rows = [f"{date.format(day)},{day % 2}" for day in range(1, 4)]
    path = write("\n".join(["day,y", "2024-02-29,1", *rows]))
    with pytest.raises(ValueError, match=r"'day' .* dates, .*ignore=\['day'\]"):
        datasets.read_file(path)
    assert datasets.read_file(path, categorical=["day"]).categorical == ("day",)


@pytest.mark.parametrize("odd", ["2024-13-01", "2024-01", "soon"])
def test_not_only_dates_is_text(write, reader, odd):
    path = write(f"day,y\n2024-01-01,0\n{odd},1\n")
    assert datasets.read_file(path).categorical == ("day",)


def test_decimal_comma(write, reader):
    path = write("a;b;c;y\n1,5;2;1.5;0\n-2,25;NA;2;1\n")
    data = datasets.read_file(path, decimal=",")
    assert columns(data) == {"a": [1.5, -2.25], "b": [2, None], "c": ["1.5", "2"]}
    found = datasets.read_file(path)
    assert columns(found) == {"a": [1.5, -2.25], "b": [2, None], "c": [1.5, 2]}
    assert "with a decimal comma; categorical=['a']" in found.notes["a"]
    with pytest.raises(ValueError, match="decimal=';'"):
        datasets.read_file(path, decimal=";")


# --- labels ----------------------------------------------------------------------


def test_target_may_stand_anywhere_and_is_the_last_column_by_default(write, reader):
    path = write("y,a\n1,7\n0,8\n")
    assert datasets.read_file(path, "y").y.tolist() == [1, 0]
    assert datasets.load(path).y.tolist() == [7, 8]
    assert datasets.load(path, "y").feature_names == ("a",)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "-2", "0"], [1, -2, 0]),
        (["007", "7", "8"], ["007", "7", "8"]),
        (["1.0", "2.0", "1.0"], ["1.0", "2.0", "1.0"]),
        (["1", "two", "3"], ["1", "two", "3"]),
        (["9" * 30, "1", "2"], ["9" * 30, "1", "2"]),
        (["-", "+", "-"], ["-", "+", "-"]),
        (["None", "Mild", "None"], ["None", "Mild", "None"]),
    ],
)
def test_labels_print_as_they_were_read(write, reader, labels, expected):
    lines = [f"{i},{label}" for i, label in enumerate(labels)]
    data = datasets.read_file(write("\n".join(["a,y", *lines])), "y")
    assert data.y.tolist() == expected


def test_rows_without_a_label_are_dropped_and_counted(write, reader):
    path = write("a,b,y\n1,u,no\n2,v,\n3,w,NA\n4,,yes\n")
    data = datasets.read_file(path)
    assert columns(data) == {"a": [1, 4], "b": ["u", None]}
    assert (data.y.tolist(), data.n_dropped) == (["no", "yes"], 2)


# --- dialects --------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa,y\r\n1,0\r\n2,1\r\n",
        "a, y\n 1 ,0\n\n2, 1",
        '"a","y"\n"1","0"\n"2","1"\n',
        "a;y\n1;0\n2;1\n",
        "a\ty\n1\t0\n2\t1\n",
        "a|y\r1|0\r2|1\r",
        '"a", "y"\n"1", "0"\n"2", "1"\n',
    ],
    ids=["bom and crlf", "blanks", "quotes", "semicolon", "tab", "pipe", "both"],
)
def test_dialects_of_everyday_programs(write, reader, content):
    data = datasets.read_file(write(content), "y")
    assert columns(data) == {"a": [1, 2]}
    assert data.y.tolist() == [0, 1]


def test_what_separates_the_columns_is_said(write):
    assert datasets.read_file(write("a;b\n1;2\n")).source.endswith("separated by ';'.")
    assert datasets.read_file(write("a,b\n1,2\n")).source.endswith("column 'b'.")


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        ("a,b", "d.csv", ","),
        ("a|b,c", "d.csv", ","),
        ("a,b\tc", "d.tsv", "\t"),
        ("a,b\tc", "d.csv", ","),
        ('"a;b";"c,d,e,f";g', "d.csv", ";"),
        ("alone", "d.csv", ","),
    ],
)
def test_header_tells_what_separates(write, head, name, expected):
    assert open_file(write(f"{head}\n", name)).delimiter == expected


def test_quotes_commas_and_newlines(write, reader):
    path = write(
        '"a\n1",note,y\n1,"Oslo, ""the"" city",0\n2,"two\nlines",1\n3,5" nail,0\n'
    )
    data = datasets.read_file(path)
    assert columns(data) == {
        "a\n1": [1, 2, 3],
        "note": ['Oslo, "the" city', "two\nlines", '5" nail'],
    }


ODD_QUOTES = [
    'a,b\n1, "x,y"\n',
    'a,b\n1, "x"\n',
    'a,b\n1,"x"y\n',
    'a,b\n1,"x" \n',
    'a,b\n1,"x ""y"" z"w"v"\n',
    'a,b\n1,""\n2,""""\n',
    'a,b\n1,"u\nv"\n2,"u\nv"\n',
    'a,b\r\n1,"u\r\nv"\r\n',
    'a,b\n1,"x',
    "a,b\n\n\n1,2\n\n",
    'a,b\n1,\t"x"\n',
]


@pytest.mark.parametrize("content", ODD_QUOTES)
def test_both_readers_see_the_same_fields(write, monkeypatch, content):
    pytest.importorskip("pyarrow")
    seen = []
    for limit in (0, 2**60):
        monkeypatch.setattr(text, "_FAST_FROM", limit)
        read = open_file(write(content)).read(["a", "b"])
        pairs = [column.fields() for column in read.values()]
        seen.append([[fields[i] for i in codes] for codes, fields in pairs])
    assert seen[0] == seen[1]


def test_pyarrow_reads_big_files(write, monkeypatch):
    pytest.importorskip("pyarrow")
    path = write("a,y\n" + "1,0\n2,1\n" * 40_000)
    assert path.stat().st_size > text._FAST_FROM
    assert type(open_file(path).read(["a"])["a"]) is ArrowColumn
    assert datasets.read_file(path).shape == (80_000, 1)


def test_without_pyarrow_the_csv_module_reads(write, without, monkeypatch):
    monkeypatch.setattr(text, "_FAST_FROM", 0)
    without("pyarrow")
    path = write("a,y\n1,0\n2,1\n")
    assert type(open_file(path).read(["a"])["a"]) is rows.JoinedColumn


def test_random_tables_are_read_alike(write, monkeypatch):
    pytest.importorskip("pyarrow")
    rng = np.random.RandomState(0)
    alphabet = np.array(["1", "2.5", "-3e7", "", "NA", "x", "ä ö", '"q"', "a,b", " 7 "])
    for n_kinds in (2, 4, 6, len(alphabet)):
        fields = alphabet[rng.randint(n_kinds, size=(200, 5))]
        lines = [
            ",".join(['"' + field.replace('"', '""') + '"' for field in row] + ["u"])
            for row in fields.tolist()
        ]
        path = write("\n".join(["a,b,c,d,e,y", *lines, *lines[:9]]))
        found = []
        for limit in (0, 2**60):
            monkeypatch.setattr(text, "_FAST_FROM", limit)
            data = datasets.read_file(path, "y", ignore=["b"])
            found.append((columns(data), data.y.tolist(), data.n_dropped))
        assert found[0] == found[1]


def test_many_rows_are_read_in_order(write, monkeypatch):
    monkeypatch.setattr(rows, "_CHUNK_ROWS", 7)
    lines = [f"{i},t{i},{i % 3}" for i in range(50)]
    data = datasets.read_file(write("\n".join(["a,b,y", *lines])), "y")
    assert columns(data) == {"a": list(range(50)), "b": [f"t{i}" for i in range(50)]}
    assert data.y.tolist() == [i % 3 for i in range(50)]


def test_blank_line_of_a_one_column_file_is_a_missing_value(write, reader):
    column = open_file(write("a\n1\n\n3\n")).read(["a"])["a"]
    numbers = column.numbers(frozenset([""]), ".")
    assert np.array_equal(numbers, [1, np.nan, 3], equal_nan=True)


# --- sources ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["data.csv.gz", "data.tsv.gz", "data.txt"])
def test_names_of_files(write, reader, name):
    data = datasets.read_file(write("a,y\n1,0\n2,1\n", name), "y")
    assert data.name == "data"
    assert data.y.tolist() == [0, 1]


@pytest.mark.parametrize("zipped", [False, True])
def test_standard_input(reader, zipped, monkeypatch):
    raw = b"a,city,y\n1,Oslo,0\n2,x,1\n"
    raw = gzip.compress(raw) if zipped else raw
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    data = datasets.load("-")
    assert columns(data) == {"a": [1, 2], "city": ["Oslo", "x"]}
    assert data.name == "standard input"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("a,y\n1,0\n2,1\n",))
    writer.start()
    assert columns(datasets.read_file(path)) == {"a": [1, 2]}
    writer.join()


# --- Parquet ---------------------------------------------------------------------


@pytest.fixture
def parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {
            "a": [1.5, None, 3.0],
            "n": pandas.array([1, 2, None], dtype="Int64"),
            "city": ["Oslo", None, "NA"],
            "zip": ["01", "02", "02"],
            "level": pandas.Categorical(["low", "high", "low"]),
            "flag": [True, False, True],
            "y": [1, 0, 1],
        }
    )
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    return path


@pytest.mark.parametrize("hidden", ["polars", "pyarrow"])
def test_parquet_keeps_its_types(parquet, without, hidden):
    pytest.importorskip("polars")
    without(hidden)
    data = datasets.read_file(parquet)
    assert columns(data) == {
        "a": [1.5, None, 3],
        "n": [1, 2, None],
        "city": ["Oslo", None, None],
        "zip": ["01", "02", "02"],
        "level": ["low", "high", "low"],
        "flag": ["True", "False", "True"],
    }
    assert (data.name, data.y.tolist()) == ("data", [1, 0, 1])
    assert data.categorical == ("city", "zip", "level", "flag")
    data = datasets.read_file(parquet, categorical=["n"], numeric=["zip"])
    assert columns(data)["n"] == [1, 2, None]
    assert columns(data)["zip"] == [1, 2, 2]
    with pytest.raises(ValueError, match="not numeric: row 1 has 'Oslo'"):
        datasets.read_file(parquet, numeric=["city"])


def test_csv_and_parquet_of_one_table_are_read_alike(tmp_path, write):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    known = datasets.load("passengers")
    frame = pandas.DataFrame({**known.columns, "y": known.y})
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    one = datasets.read_file(tmp_path / "p.csv")
    two = datasets.read_file(tmp_path / "p.parquet")
    assert columns(one) == columns(two) == columns(known)
    assert np.array_equal(one.y, two.y)


def test_parquet_with_dates_or_lists_is_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "d.parquet"
    day = pandas.to_datetime(["2024-01-01", "2024-01-02"])
    pandas.DataFrame({"day": day, "y": [0, 1]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"'day' .* holds dates"):
        datasets.read_file(path)
    pandas.DataFrame({"l": [[1], [2]], "y": [0, 1]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"'l' .* has dtype List"):
        datasets.read_file(path)


def test_parquet_without_a_reader_says_what_to_install(write, without):
    without("pyarrow", "polars")
    with pytest.raises(ImportError, match="pip install pyarrow"):
        datasets.read_file(write(b"PAR1", "d.parquet"))


@pytest.mark.parametrize("hidden", ["polars", "pyarrow"])
def test_broken_parquet_is_a_clear_error(parquet, without, hidden):
    pytest.importorskip("polars")
    without(hidden)
    parquet.write_bytes(parquet.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"data\.parquet cannot be read as Parquet"):
        datasets.read_file(parquet)
    parquet.unlink()
    with pytest.raises(FileNotFoundError):
        datasets.read_file(parquet)


# --- bad input -------------------------------------------------------------------

BAD = {
    "empty": ("", "is empty"),
    "no rows": ("a,y\n", "has a header but no rows"),
    "no target": ("a,why\n1,2\n", "no column 'y' for the target"),
    "only target": ("y\n1\n", "no column besides the target 'y'"),
    "infinite": ("a,y\n1,0\n-inf,0\n", "'a' .* is infinite: line 3 has '-inf'"),
    "too large": ("a,y\n1,0\n1e999,0\n", "'a' .* is infinite: line 3 has '1e999'"),
    "ragged": ("a,y\n1,0\n1,2,3\n", "line 3: 3 fields, but the header names 2"),
    "short": ("a,b,y\n1,0,1\n1\n", "line 3: 1 field, but the header names 3"),
    "nameless": (",a,y\n0,1,0\n", "column 1 .* has no name"),
    "no label": ("a,y\n1,\n2,NA\n", "target column 'y' .* has no labels"),
    "fraction": ("a,y\n1,0\n2,1.5\n", "'y' .* fractions, such as '1.5'"),
    "latin-1": (
        b"a,y\n1,x\n1,caf\xe9\n",
        r"not UTF-8 text \(line 3, byte 6 is 0xe9, 'é' in cp1252\); .*='cp1252'",
    ),
    "odd byte": (b"a,y\n1,\x8d\xe9\n", "line 2, byte 3 is 0x8d.*encoding='latin1'"),
    "mixed": (
        "a,y\n1,æ\n2,b\n".encode() + b"3,\xe6\n",
        "mixes encodings: line 2 is UTF-8 text, but line 4, byte 3 is 0xe6, 'æ' in cp",
    ),
    "mixed late": (
        b"a,y\n3,\xe6\n" + "1,æ\n".encode(),
        "mixes encodings: line 3 is UTF-8 text, but line 2, byte 3 is 0xe6",
    ),
    "utf-16": ("a,y\n1,x\n".encode("utf-16"), "is UTF-16, .*encoding='utf-16'"),
    "excel": (b"PK\x03\x04\xff\xff", "zip or Excel file; save it as CSV"),
    "zero byte": (b"a,y\n1,x\0y\n2,z\n", "not text: it has a zero byte"),
    "open at the end": ('a,y\n1,0\n2,"1\n3,0', "quote opened in line 3 is never"),
    "open quote": ('a,y\n1,0\n2,"1\n3,0\n4,1\n', "quote opened in line 3 is never"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_a_clear_error(write, reader, case):
    content, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        datasets.read_file(write(content), "y")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"ignore": ["ag"]}, r"no column 'ag' \(ignored\); did you mean 'age'\?"),
        ({"categorical": ["CITY"]}, r"no column 'CITY' \(categorical\); .* 'city'"),
        ({"numeric": ["q"]}, r"no column 'q' \(numeric\)\. It has 'age', 'city'"),
        ({"numeric": ["age"], "ignore": ["age"]}, "'age' is given as numeric and as"),
        ({"categorical": "age"}, r"is one name; give a list, \['age'\]"),
        ({"ignore": ["y"], "target": "y"}, "'y' is the target; it cannot be ignored"),
        ({"ignore": ["age", "city", "y"]}, "all columns of .* are ignored"),
        ({"target": "Y "}, "no column 'Y ' for the target; did you mean 'y'"),
    ],
)
def test_wrong_wishes_are_clear_errors(write, asked, message):
    with pytest.raises(ValueError, match=message):
        datasets.read_file(write("age,city,y\n1,u,0\n2,v,1\n"), **asked)


def test_broken_gzip_is_a_clear_error(write, tmp_path, reader):
    path = write("a,y\n" + "1,0\n" * 1000, "data.csv.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ValueError, match="not a whole gzip file"):
        datasets.read_file(path, "y")
    plain = tmp_path / "plain.csv.gz"
    plain.write_bytes(b"a,y\n1,0\n")
    with pytest.raises(ValueError, match="not a whole gzip file"):
        datasets.read_file(plain, "y")


def test_missing_file_stays_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        datasets.read_file(tmp_path / "none.csv", "y")
