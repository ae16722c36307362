# SPDX-License-Identifier: BSD-3-Clause
"""SQL over the text of a file answers as `ramify predict` does with the file itself."""

import csv
import json
import sqlite3

import numpy as np
import pytest
from click.testing import CliRunner

import ramify
from ramify.cli import main
from ramify.exports import ExportRefused
from ramify.io.number_formats import NumberManner, TimeManner

DIALECTS = ["sqlite", "duckdb", "postgres"]


def ok(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result


def amount_text(value):
    whole, cents = f"{value:.2f}".split(".")
    return f"{int(whole):,}".replace(",", ".") + f",{cents} EUR"


def european_rows(n_rows=300):
    rng = np.random.default_rng(0)
    days = np.datetime64("2010-01-01") + rng.integers(3650, size=n_rows)
    seen = np.datetime64("2020-01-01T00:00:00") + rng.integers(10**8, size=n_rows)
    rows = []
    for i, (day, moment) in enumerate(zip(days.tolist(), seen.tolist(), strict=True)):
        amount = float(rng.choice([12, 999.5, 1000, 2500, 12000.25]) + rng.integers(99))
        city = str(rng.choice(["Oslo", "K\u00f6ln", "?", "NA ", "Bern"]))
        label = (amount > 900) ^ (day.month < 5 and day.year > 2014) ^ (city == "Oslo")
        rows.append(
            {
                "id": i,
                "amount": "" if rng.random() < 0.05 else amount_text(amount),
                "since": "?" if rng.random() < 0.05 else f"{day:%d.%m.%Y}",
                "city": city,
                "seen": moment.isoformat(sep=" "),
                "note": "unused",
                "y": "yes" if label ^ (moment.hour < 4) else "no",
            }
        )
    return rows


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """A folder with a European file and the model that fit makes of it."""
    place = tmp_path_factory.mktemp("trial")
    rows = european_rows()
    with open(place / "raw.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    ok(
        *("fit", place / "raw.csv", "--target", "y", "--id", "id", "--ignore", "note"),
        *("--dates", "parts", "-o", place / "tree.ramify"),
    )
    ok("predict", place / "tree.ramify", place / "raw.csv", "-o", place / "said.csv")
    return place


def said_by_predict(place):
    with open(place / "said.csv", newline="") as file:
        return [row["prediction"] for row in csv.DictReader(file)]


def table_of(place):
    """The columns of the file, all as text; what the model leaves out is not there."""
    with open(place / "raw.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    names = ["id", "amount", "since", "city", "seen"]
    return names, [[row[name] for name in names] for row in rows]


def in_sqlite(statement, names, rows):
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE rows ({', '.join(f'{n} TEXT' for n in names)})")
        marks = ", ".join("?" * len(names))
        database.executemany(f"INSERT INTO rows VALUES ({marks})", rows)
        cursor = database.execute(statement)
        shown = [each[0] for each in cursor.description]
        answer = [dict(zip(shown, line, strict=True)) for line in cursor.fetchall()]
    database.close()
    return sorted(answer, key=lambda line: int(line["id"]))


def in_duckdb(statement, names, rows):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        database.execute(
            f"CREATE TABLE rows ({', '.join(f'{n} VARCHAR' for n in names)})"
        )
        parts = ", ".join(
            f"unnest(CAST(${k + 1} AS VARCHAR[]))" for k in range(len(names))
        )
        columns = [list(column) for column in zip(*rows, strict=True)]
        database.execute(f"INSERT INTO rows SELECT {parts}", columns)
        cursor = database.execute(statement)
        shown = [each[0] for each in cursor.description]
        answer = [dict(zip(shown, line, strict=True)) for line in cursor.fetchall()]
    return sorted(answer, key=lambda line: int(line["id"]))


ENGINES = {"sqlite": in_sqlite, "duckdb": in_duckdb, "postgres": in_duckdb}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_on_the_text_of_the_file_answers_as_predict(trial, dialect, tmp_path):
    out = tmp_path / "tree.sql"
    told = ok(
        *("export", trial / "tree.ramify", "--to", "sql", "--dialect", dialect),
        *("--raw-table", "--certify", trial / "raw.csv", "-o", out),
    )
    assert "answered as by the model" in told.output
    answer = ENGINES[dialect](out.read_text(), *table_of(trial))
    assert [line["prediction"] for line in answer] == said_by_predict(trial)
    assert not any(line["refused"] for line in answer)


def test_the_certificate_holds_the_rows_of_the_file_as_they_are(trial, tmp_path):
    out = tmp_path / "tree.sql"
    ok(
        *("export", trial / "tree.ramify", "--to", "sql", "--raw-table"),
        *("--certify", trial / "raw.csv", "-o", out),
    )
    facts = json.loads((tmp_path / "tree.sql.certificate.json").read_text())
    assert facts["rows"]["given"] == 300
    assert facts["result"]["rows_differ"] == 0
    assert facts["coverage"]["leaves"][0] == facts["coverage"]["leaves"][1]
    assert ok("certify", trial / "tree.ramify", out, "--data", trial / "raw.csv")
    broken = (
        out.read_text().replace("'day before month'", "").replace("'.', '')", "'', '')")
    )
    out.write_text(broken)
    again = CliRunner().invoke(main, ["certify", str(trial / "tree.ramify"), str(out)])
    assert again.exit_code == 3, again.output


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("amount", "1549,34.5 EUR"),
        ("amount", "12.34,5"),
        ("amount", "much"),
        ("since", "31.02.2018"),
        ("since", "2018-12-31"),
        ("seen", "2020-01-01 25:00"),
        ("seen", "yesterday"),
    ],
)
def test_text_that_predict_refuses_is_refused_in_sql(
    trial, dialect, column, text, tmp_path
):
    model = ramify.load(trial / "tree.ramify")
    made = ramify.export(model, "sql", raw_table=True, dialect=dialect, certify=False)
    names, rows = table_of(trial)
    rows = [rows[0].copy(), rows[1]]
    rows[0][names.index(column)] = text
    answer = ENGINES[dialect](made.artefact, names, rows)
    assert [line["refused"] for line in answer] == [1, 0]
    assert answer[0]["prediction"] is None
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(";".join(line) for line in [names, *rows]), "utf-8")
    told = CliRunner().invoke(main, ["predict", str(trial / "tree.ramify"), str(bad)])
    assert told.exit_code == 2


def test_every_export_says_how_the_columns_were_read(trial, tmp_path):
    out = tmp_path / "tree.sql"
    told = ok("export", trial / "tree.ramify", "--to", "sql", "-o", out)
    assert "--raw-table" in told.output
    head = out.read_text().split("WITH")[0]
    assert "amount: read as numbers with '.' between thousands" in head
    assert "since: times, read as days since 1970, day before month" in head
    assert "missing: an empty field, #N/A, -," in head
    out = tmp_path / "tree.json"
    told = ok("export", trial / "tree.ramify", "--to", "json", "-o", out)
    assert "'amount', 'since'" in told.output
    facts = json.loads((tmp_path / "tree.json.certificate.json").read_text())
    assert any(line.startswith("seen: times") for line in facts["columns"])


def test_only_columns_that_the_tree_uses_are_selected(trial):
    X = {"a": [1.0, 2.0, 3.0, 4.0], "b": [0.0, 0.0, 0.0, 0.0]}
    pandas = pytest.importorskip("pandas")
    tree = ramify.DecisionTreeClassifier().fit(pandas.DataFrame(X), [0, 0, 1, 1])
    text = ramify.export(tree, "sql").artefact
    assert '"a"' in text
    assert '"b"' not in text


def test_what_cannot_be_translated_is_refused(trial):
    tree = ramify.DecisionTreeClassifier().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ExportRefused, match="fitted on a table"):
        ramify.export(tree, "sql", raw_table=True)
    model = ramify.load(trial / "tree.ramify")
    with pytest.raises(ExportRefused, match="plain SQL lacks"):
        ramify.export(model, "sql", raw_table=True, dialect="plain")


def fitted_on(manner):
    """A stump on one column that was written so."""
    tree = ramify.DecisionTreeClassifier().fit(
        np.arange(8.0).reshape(-1, 1), np.arange(8) // 4
    )
    tree.file_ = {
        **{"target": "y", "ignored": [], "missing_values": None, "decimal": None},
        **{"thousands": None, "dates": "numeric", "encoding": None},
        "manners": {tree.schema_.columns[0].name: manner.to_list()},
    }
    return tree


MANNERS = [
    NumberManner(".", ",", "$"),
    NumberManner(",", ".", "EUR"),
    NumberManner(",", " ", ""),
    NumberManner(".", "'", "%"),
    TimeManner("iso", "days"),
    TimeManner("iso", "seconds"),
    TimeManner("day.month", "seconds"),
    TimeManner("month/day", "days"),
]
PIECES = [
    *(*"0123456789.,-+'$%/:TZe ", "EUR", "2024", "12", "00", "1,234", "31.12.2018"),
    *("2024-02-29", " 10:15", "T23:59:59", "+02:00", "12/31/2020", "1.234", "1e5"),
]


def made_up_texts(n=3000):
    """Text that is a number or a time now and then."""
    rng = np.random.default_rng(5)
    return ["".join(rng.choice(PIECES, size=rng.integers(1, 5))) for _ in range(n)]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("manner", MANNERS, ids=str)
def test_any_text_is_read_alike(dialect, manner):
    """What SQL reads is what `number` reads; what is no number there is refused."""
    texts = made_up_texts()
    model = fitted_on(manner)
    name = model.schema_.columns[0].name
    made = ramify.export(model, "sql", raw_table=True, dialect=dialect, certify=False)
    reading = made.artefact.split("stage1 AS")[0].rstrip().rstrip(",")
    statement = f"{reading} SELECT k0 AS id, c0, unread FROM input"
    rows = [[str(i), text] for i, text in enumerate(texts)]
    answer = ENGINES[dialect](statement, ["id", name], rows)
    words = ("", *ramify.io.kinds.MISSING_WORDS)
    for line, text in zip(answer, texts, strict=True):
        field = text.strip()
        number = None if field in words else manner.number(field)
        if number is None:
            assert line["c0"] is None, text
            assert line["unread"] == (field not in words), text
        else:
            assert line["c0"] == pytest.approx(number, rel=1e-15), text


def test_the_head_of_sql_says_what_the_model_is(trial, tmp_path):
    """The tree as text, its accuracy, the date and the version; shares as decimals."""
    model, out = tmp_path / "small.ramify", tmp_path / "small.sql"
    ok(
        *("fit", trial / "raw.csv", "--target", "y", "--id", "id", "--ignore", "note"),
        *("--dates", "parts", "--max-depth", "2", "-o", model),
    )
    ok("export", model, "--to", "sql", "-o", out)
    head = out.read_text().split("WITH")[0]
    assert f"made by ramify {ramify.__version__}" in head
    assert "cross-validated accuracy" in head
    assert "Fitted on 20" in head
    first = ramify.export_text(ramify.load(model)).splitlines()[0]
    assert first.split(":")[0] in head
    leaves = out.read_text().split("leaf (id")[1].split("SELECT")[0]
    assert "CAST(" not in leaves
    assert "/ 4503599627370496" not in leaves


def test_comments_of_sql_have_letters_as_they_are_and_no_line_breaks():
    X = np.array([["K\u00f6ln"], ["a\nDROP\u2028b"], ["Bern"]] * 2, dtype=object)
    tree = ramify.DecisionTreeClassifier().fit(X, ["u", "v", "w"] * 2)
    sql = str(ramify.export(tree, "sql").artefact)
    comments = [line for line in sql.splitlines() if line.startswith("--")]
    assert any("K\u00f6ln" in line for line in comments)
    assert any("a\\nDROP\\u2028b" in line for line in comments)
