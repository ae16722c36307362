# SPDX-License-Identifier: BSD-3-Clause
"""All problems of a file at once, the command for them, workbooks and databases."""

import datetime
import importlib.util
import json
import shlex
import sqlite3

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ramify
from ramify import datasets
from ramify.cli import main
from ramify.datasets.copies import are_by_chance, first_copies
from ramify.io import open_file
from ramify.io.kinds import MISSING_WORDS, Notation


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def fields(seed=0, n_rows=200):
    """Rows of a messy European export: id, date, price, age, city, country, label."""
    rng = np.random.default_rng(seed)
    day = datetime.date(2015, 1, 1)
    rows = []
    for i in range(n_rows):
        since = day + datetime.timedelta(days=int(rng.integers(1500)))
        price = f"{rng.integers(1, 9)}.{rng.integers(100, 999)},{rng.integers(10, 99)}"
        age = "unknown" if rng.random() < 0.05 else str(rng.integers(18, 90))
        city = rng.choice(["Köln", "köln", "Berlin", "k.A."])
        label = "die" if i % 3 == 0 else rng.choice(["LIVE", "live "])
        rows.append([f"T-{i}", f"{since:%d.%m.%Y}", price, age, city, "DE", label])
    return rows


NAMES = ["ticket", "since", "price", "age", "city", "country", "outcome"]


@pytest.fixture
def messy(tmp_path):
    rows = fields()
    rows += rows[:7]
    lines = ["Export der Kunden;;;;;;", "Stand: heute", "", ";".join(NAMES)]
    lines += [";".join(row) for row in rows]
    path = tmp_path / "messy.csv"
    path.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    return path


ALL = [
    ("encoding", {"encoding": "cp1252"}),
    ("preamble", {"skip_lines": 3}),
    ("dates", {"dates": "numeric"}),
    ("missing values", {"missing_values": ["+unknown"]}),
    ("missing values", {"missing_values": ["+k.A."]}),
    ("spellings", {"merge_spellings": ["outcome"]}),
    ("spellings", {"merge_spellings": ["city"]}),
    ("identifier", {"ignore": ["ticket"]}),
    ("constant", {"ignore": ["country"]}),
    ("duplicates", {"drop_duplicates": True}),
]


def test_all_problems_of_a_file_are_found_at_once(messy):
    found = datasets.check(messy, "outcome")
    assert [(one.kind, dict(one.options)) for one in found] == ALL
    texts = {one.kind: one.text for one in found}
    assert "'ö' in cp1252" in texts["encoding"]
    assert "'Export der Kunden'" in texts["preamble"]
    assert "7 rows are copies" in texts["duplicates"]


def test_fit_prints_all_problems_and_the_command_that_solves_them(messy, tmp_path):
    model = tmp_path / "model.ramify"
    result = run("fit", messy, "--target", "outcome", "-o", model)
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0].endswith("has 10 problems:")
    assert lines[-2] == "this command solves them:"
    command = shlex.split(lines[-1])
    assert command[:2] == ["ramify", "fit"]

    solved = run(*command[1:])
    assert solved.exit_code == 0, solved.stderr
    assert "this command solves" not in solved.output
    assert "7 rows that equal an earlier one dropped" in solved.output
    tree = ramify.load(model)
    assert tree.classes_.tolist() == ["LIVE", "die"]
    assert tree.file_["spellings"]["city"]["köln"] in ("Köln", "köln")


def test_the_model_reads_other_files_as_the_command_did(messy, tmp_path):
    model = tmp_path / "model.ramify"
    problems = run("check", messy, "--target", "outcome")
    assert problems.exit_code == 1
    command = shlex.split(problems.stdout.splitlines()[-1])
    command[-1] = str(model)
    assert run(*command[1:]).exit_code == 0
    predicted = run("predict", model, messy, "--id", "ticket")
    assert predicted.exit_code == 0, predicted.stderr
    assert "not seen in fit" not in predicted.stderr
    labels = [row[-1].strip() for row in fields()]
    labels = ["die" if label == "die" else "LIVE" for label in labels]
    shown = [line.split(",")[1] for line in predicted.stdout.splitlines()[1:201]]
    assert shown == labels  # a tree grown fully knows its rows


def test_identifiers_can_be_kept(messy):
    kinds = [
        one["kind"]
        for one in json.loads(
            run(
                "check", messy, "--target", "outcome", "--keep", "ticket", "--json"
            ).stdout
        )["problems"]
    ]
    assert "identifier" not in kinds
    assert "duplicates" in kinds


def test_check_as_json(messy):
    result = run("check", messy, "--target", "outcome", "--json")
    found = json.loads(result.stdout)
    assert [(one["kind"], one["options"]) for one in found["problems"]] == ALL
    assert "--encoding cp1252" in found["command"]


def test_a_clean_file_has_no_problems(tmp_path):
    path = tmp_path / "clean.csv"
    path.write_text("x,y\n1,a\n2,b\n3,a\n")
    result = run("check", path, "--target", "y")
    assert (result.exit_code, result.stdout) == (0, f"{path}: no problems found\n")
    assert datasets.check(path) == []


def test_what_no_option_solves_is_listed_with_the_rest(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_bytes("city,y\nKöln,a\nBonn,b\nUlm\n".encode("cp1252"))
    kinds = [one.kind for one in datasets.check(path, "y")]
    assert kinds == ["encoding", "other"]
    text = run("check", path, "--target", "y").stdout
    assert "line 4: 1 field, but the header names 2" in text
    assert "this command solves all but the last" in text
    path.write_text("city,y\nBonn,b\nUlm\n")
    with pytest.raises(ValueError, match="line 3: 1 field"):  # nothing else is wrong
        datasets.check(path, "y")


def test_options_of_text_are_not_proposed_for_other_files(tmp_path):
    """A wrong target of a Parquet file was answered with an encoding, once."""
    path = tmp_path / "some.parquet"
    pd.DataFrame({"x": [1.5, 2, 3, 4], "y": list("abab")}).to_parquet(path)
    with pytest.raises(ValueError, match="has no column 'none' for the target"):
        datasets.check(path, "none")
    arff = b"@relation r\n@attribute x numeric\n@attribute y {\xe4,b}\n@data\n1,b,2\n"
    (tmp_path / "some.arff").write_bytes(arff)
    kinds = [one.kind for one in datasets.check(tmp_path / "some.arff", "y")]
    assert kinds == ["encoding", "other"]  # and no lines above a header
    model = tmp_path / "model.ramify"
    ramify.save(ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1]), model)
    (tmp_path / "bytes.csv").write_bytes(bytes(range(256)) * 9)
    for file, words in ((model, "has no array 'X'"), ("bytes.csv", "the byte 0")):
        result = run("fit", tmp_path / file, "--target", "y", "-o", tmp_path / "m")
        assert result.exit_code == 2
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_byte_that_is_no_character_is_named(tmp_path):
    path = tmp_path / "some.csv"
    path.write_bytes(b"x,y\n\x90,a\n2,b\n")
    with pytest.raises(ValueError, match="the byte 0x90 is no character there"):
        datasets.check(path, "y", encoding="cp1252")


def test_harmless_problems_do_not_stop_a_fit(tmp_path):
    path = tmp_path / "some.csv"
    rows = [f"{i},{i * i % 83},{'ab'[i % 2]},1" for i in range(0, 99, 3)]
    path.write_text("\n".join(["x,z,y,same", *rows, *rows[:4]]) + "\n")
    result = run("fit", path, "--target", "y", "-o", tmp_path / "m.ramify")
    assert result.exit_code == 0
    assert "4 rows are copies of others" in result.stdout
    assert "--ignore same --drop-duplicates" in result.stdout


@pytest.mark.parametrize(
    ("text", "n_lines"),
    [
        ("a,b\n1,2\n", 0),
        ("Report\na,b\n1,2\n3,4\n", 1),
        ("Report\n\n\na;b;c\n1;2;3\n3;4;5\n", 3),
        ('"two\nlines"\na,b\n1,2\n3,4\n', 2),
        ("Report,,\na,b,c\n1,2,3\n", 1),
        (",a,b\n0,1,2\n1,3,4\n", 0),  # the index of a frame: no preamble
    ],
)
def test_lines_above_the_header_are_counted(tmp_path, text, n_lines):
    from ramify.io import Source
    from ramify.io.preamble import preamble_of

    path = tmp_path / "a.csv"
    path.write_text(text)
    assert preamble_of(Source(path))[0] == n_lines


def test_skipped_lines_count_in_messages(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Report\n\nx,y\n1,a\nno,b\n")
    with pytest.raises(ValueError, match="line 5 has 'no'"):
        datasets.read_file(path, "y", skip_lines=2, numeric=["x"])
    for wrong in (-1, 1.5):
        with pytest.raises(ValueError, match=f"skip_lines={wrong} is not allowed"):
            datasets.read_file(path, "y", skip_lines=wrong)


def test_large_files_skip_lines_too(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "large.csv"
    rows = "\n".join(f"{i},{'ab'[i % 2]}" for i in range(50_000))
    path.write_text(f"Report\n\nx,y\n{rows}\n")
    data = datasets.read_file(path, "y", skip_lines=2)
    np.testing.assert_array_equal(data.columns["x"], np.arange(50_000.0))


def test_missing_words_can_be_added():
    usual = frozenset(("", *MISSING_WORDS))
    assert Notation.from_options(["+unknown"]).missing == usual | {"unknown"}
    assert Notation.from_options(["unknown"]).missing == {"", "unknown"}
    assert Notation.from_options(["+"]).missing == {"", "+"}  # itself
    with pytest.raises(ValueError, match=r"mixes words with \+ and without"):
        Notation.from_options(["+unknown", "-99"])


def test_added_missing_words_leave_the_classes_plus_and_minus(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\nunknown,+\n2,-\n?,None\n")
    data = datasets.read_file(path, "y", missing_values=["+unknown"])
    assert data.target_names == ("+", "-", "None")
    assert np.isnan(data.columns["x"]).tolist() == [True, False, True]


def test_sentinels_are_found_where_all_else_is_positive(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,z,y\n-999,-9,a\n2,-8,b\n3,5,a\n")
    assert [dict(one.options) for one in datasets.check(path, "y")] == [
        {"missing_values": ["+-999"]}
    ]


def test_merged_spellings_keep_the_frequent_one(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("city,y\nNew York,a\nnew  york,a\nNew York,b\nOslo,b\n")
    data = datasets.read_file(path, "y", merge_spellings=["city"])
    assert data.columns["city"].tolist() == ["New York"] * 3 + ["Oslo"]
    assert data.spellings == {"city": {"new york": "New York", "oslo": "Oslo"}}
    known = {"city": {"new york": "NY"}}
    data = datasets.read_file(path, "y", merge_spellings=known)
    assert data.columns["city"].tolist() == ["NY"] * 3 + ["Oslo"]
    with pytest.raises(ValueError, match="has no column 'town'"):
        datasets.read_file(path, "y", merge_spellings=["town"])


def test_raw_sql_refuses_merged_spellings(tmp_path):
    path, model = tmp_path / "a.csv", tmp_path / "m.ramify"
    rows = [f"{'Oslo' if i % 2 else 'ulm'},{'ab'[i % 2]}" for i in range(30)]
    path.write_text("\n".join(["city,y", *rows, "OSLO,b"]) + "\n")
    run("fit", path, "--target", "y", "--merge-spellings", "city", "-o", model)
    out = tmp_path / "m.sql"
    result = run("export", model, "--to", "sql", "--raw-table", "-o", out)
    assert result.exit_code == 2
    assert "spellings of column 'city' were merged" in result.stderr


# --- copies ---------------------------------------------------------------------


def test_first_copies_are_those_of_a_dictionary():
    rng = np.random.default_rng(0)
    numbers = rng.integers(3, size=200).astype(float)
    numbers[rng.random(200) < 0.2] = np.nan
    words = rng.choice(np.array(["a", "b", None], dtype=object), 200)
    seen, expected = {}, []
    for i, (x, word) in enumerate(zip(numbers, words, strict=True)):
        expected.append(seen.setdefault((None if x != x else x, word), i))
    assert first_copies([numbers, words]).tolist() == expected


def test_copies_by_chance_are_no_problem():
    rng = np.random.default_rng(0)
    few = [rng.integers(3, size=100).astype(float) for _ in range(3)]
    assert are_by_chance(few)[1]
    many = [rng.random(100) for _ in range(3)]
    doubled = [np.r_[column, column[:5]] for column in many]
    first, by_chance = are_by_chance(doubled)
    assert not by_chance
    assert first[100:].tolist() == list(range(5))


def copied(n_rows=100, n_copies=40):
    rng = np.random.default_rng(1)
    X, y = rng.random((n_rows, 3)), rng.integers(2, size=n_rows)
    rows = np.r_[np.arange(n_rows), rng.integers(n_rows, size=n_copies)]
    names = ["a", "b", "c"]
    return datasets.Dataset("copied", X[rows], y[rows], names, ["0", "1"], "By hand.")


def test_without_duplicates_keeps_the_first_of_each():
    data = copied()
    clean = data.without_duplicates()
    assert clean.shape == (100, 3)
    assert clean.n_duplicates == 40
    np.testing.assert_array_equal(clean.X, data.X[:100])
    assert data.shape == (140, 3)


def test_compare_warns_of_copies_in_different_folds():
    result = ramify.compare(["gini", "entropy"], copied(), cv=5)
    (note,) = [note for note in result.notes if "copies of training rows" in note]
    assert note.startswith("copied: ")
    clean = ramify.compare(["gini", "entropy"], copied().without_duplicates(), cv=5)
    assert not any("copies" in note for note in clean.notes)


def test_compare_does_not_warn_if_groups_keep_copies_together():
    data = copied()
    groups = data.first_copies()
    result = ramify.compare(["gini", "entropy"], data, cv=5, groups=groups)
    assert not any("copies" in note for note in result.notes)


def test_fit_warns_of_copies_in_different_folds(tmp_path):
    data, path = copied(), tmp_path / "copied.csv"
    rows = [",".join(map(str, [*x, y])) for x, y in zip(data.X, data.y, strict=True)]
    path.write_text("\n".join(["a,b,c,y", *rows]) + "\n")
    fit = ("fit", path, "--target", "y", "-o", tmp_path / "m.ramify")
    assert "are copies of training rows" in run(*fit).stdout
    assert "--drop-duplicates leaves them out" in run(*fit).stdout
    clean = run(*fit, "--drop-duplicates").stdout
    assert "rows                     100" in clean
    assert "copies of" not in clean
    found = json.loads(run(*fit, "--json").stdout)
    assert "copies of training rows" in found["copies_in_folds"]


# --- workbooks and databases ------------------------------------------------------

FRAME = {
    "x": [1, 2, 3.5, None],
    "since": [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)],
    "price": ["1,5", "2", "?", "7"],
    "y": ["a", "b", "a", "b"],
}


def check_frame(data):
    np.testing.assert_array_equal(data.columns["x"], [1, 2, 3.5, np.nan])
    np.testing.assert_array_equal(data.columns["since"], 18262.0 + np.arange(4))
    np.testing.assert_array_equal(data.columns["price"], [1.5, 2, np.nan, 7])
    assert data.y.tolist() == ["a", "b", "a", "b"]


def write_book(path, sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)


BOOK = [list(FRAME), *map(list, zip(*FRAME.values(), strict=True))]


@pytest.mark.parametrize("reader", ["python_calamine", "openpyxl"])
def test_excel_sheets_are_read(tmp_path, monkeypatch, reader):
    pytest.importorskip(reader)
    path, report = tmp_path / "book.xlsx", tmp_path / "report.xlsx"
    write_book(path, {"data": BOOK, "empty": []})
    write_book(report, {"data": [["Report"], [], *BOOK]})
    real = importlib.import_module

    def only(name, package=None):
        if name in {"python_calamine", "openpyxl"} - {reader}:
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("ramify.io.sheets.importlib.import_module", only)
    check_frame(datasets.read_file(path, "y", dates="numeric"))
    assert datasets.check(report, "y")[0].options == {"skip_lines": 2}
    check_frame(datasets.read_file(report, "y", dates="numeric", skip_lines=2))


def test_a_workbook_with_several_sheets_asks_which(tmp_path):
    path = tmp_path / "book.xlsx"
    write_book(path, {"notes": [["this", "that"], [1, 2]], "data": BOOK})
    with pytest.raises(ValueError, match="2 sheets, 'notes', 'data'; choose one by"):
        datasets.read_file(path, "y")
    with pytest.raises(ValueError, match="no sheet 'dat'; it has 'notes', 'data'"):
        datasets.read_file(path, "y", from_table="dat")
    check_frame(datasets.read_file(path, "y", dates="numeric", from_table="data"))


@pytest.mark.parametrize(("target", "sheet"), [("y", "data"), ("that", "notes")])
def test_check_chooses_the_sheet_that_has_the_target(tmp_path, target, sheet):
    path = tmp_path / "book.xlsx"
    write_book(
        path,
        {
            "cover": [["Report of 2018"]],
            "notes": [["this", "that"], [1, 2]],
            "data": [["Report"], [], *BOOK],
        },
    )
    assert datasets.check(path, target)[0].options == {"from_table": sheet}


def test_ods_sheets_are_read(tmp_path):
    pytest.importorskip("python_calamine")
    pytest.importorskip("odf")
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "book.ods"
    pandas.DataFrame(FRAME).to_excel(path, index=False, engine="odf")
    check_frame(datasets.read_file(path, "y", dates="numeric"))


def test_a_workbook_without_a_reader_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04")
    real = importlib.import_module

    def none(name, package=None):
        if name in ("python_calamine", "openpyxl"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("ramify.io.sheets.importlib.import_module", none)
    with pytest.raises(ImportError, match=r"pip install 'ramify\[excel\]'"):
        open_file(path)


def write_database(path, name="t"):
    name = name.replace('"', '""')
    rows = list(zip(*FRAME.values(), strict=True))
    if path.suffix == ".duckdb":
        connection = pytest.importorskip("duckdb").connect(str(path))
    else:
        connection = sqlite3.connect(path)
        rows = [[x, since.isoformat(), *rest] for x, since, *rest in rows]
    connection.execute(
        f'CREATE TABLE "{name}" (x REAL, since DATE, price TEXT, y TEXT)'
    )
    connection.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?, ?)', rows)
    connection.commit()
    connection.close()


@pytest.mark.parametrize("suffix", [".sqlite", ".db", ".duckdb"])
def test_tables_of_databases_are_read(tmp_path, suffix):
    path = tmp_path / f"base{suffix}"
    write_database(path, 'odd "name"')
    data = datasets.read_file(path, "y", dates="numeric")
    check_frame(data)
    assert "table 'odd \"name\"'" in data.source
    write_database(path, "another")
    with pytest.raises(ValueError, match=r"2 tables, 'another', .*by from_table="):
        datasets.read_file(path, "y")
    with pytest.raises(ValueError, match="has no table 'none'; it has 'another', "):
        datasets.read_file(path, "y", from_table="none")
    check_frame(datasets.read_file(path, "y", dates="numeric", from_table="another"))


def test_fit_and_predict_on_a_database(tmp_path):
    path, model = tmp_path / "base.sqlite", tmp_path / "m.ramify"
    write_database(path)
    how = ("--dates", "numeric", "--from-table", "t")
    fitted = run("fit", path, "--target", "y", *how, "-o", model)
    assert fitted.exit_code == 0, fitted.stderr
    assert run("predict", model, path).stdout.split() == ["prediction", *"abab"]
    csv = tmp_path / "new.csv"  # which has no tables
    csv.write_text('x,since,price\n1,2020-01-01,"1,5"\n')
    assert run("predict", model, csv).stdout.split() == ["prediction", "a"]


def test_options_of_tables_are_refused_for_other_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(
        ValueError, match="from_table='t' is for workbooks and databases"
    ):
        datasets.read_file(path, "y", from_table="t")
    base = tmp_path / "base.sqlite"
    write_database(base)
    with pytest.raises(ValueError, match="skip_lines=2 is for CSV files and sheets"):
        datasets.read_file(base, "y", skip_lines=2)
    base.write_bytes(b"no database at all")
    with pytest.raises((ValueError, ImportError)):
        datasets.read_file(base, "y")
