# SPDX-License-Identifier: BSD-3-Clause
"""Tables as they come: numbers with commas, dates, ids, gaps, doubles in the header."""

import csv
import datetime
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import ramify
from ramify import datasets
from ramify.cli import main
from ramify.io.number_formats import (
    NumberManner,
    TimeManner,
    manner_from,
    number_manner,
    time_manner,
)
from ramify.table.schema import Schema


def ok(*arguments):
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result


# --- numbers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "found", "numbers"),
    [
        (["2,252.81", "13", "-1,000"], (".", ",", ""), [2252.81, 13, -1000]),
        (["1.234,5", "7", "1.000.000"], (",", ".", ""), [1234.5, 7, 1e6]),
        (["1,5", "-2,25"], (",", "", ""), [1.5, -2.25]),
        (["1 234,5", "12"], (",", " ", ""), [1234.5, 12]),
        (["1\u202f234", "1"], (".", " ", ""), [1234, 1]),
        (["1'234.50"], (".", "'", ""), [1234.5]),
        (["$2,252.81", "-$3", "$ 4"], (".", ",", "$"), [2252.81, -3, 4]),
        (["12 €", "3,5 €"], (",", "", "€"), [12, 3.5]),
        (["EUR 12", "13"], (".", "", "EUR"), [12, 13]),
        (["12%", "3.5 %"], (".", "", "%"), [12, 3.5]),
        (["1,234"], (".", ",", ""), [1234]),
    ],
)
def test_manners_of_numbers(fields, found, numbers):
    manner = number_manner(fields, None, None, ".")
    assert manner == NumberManner(*found)
    assert [manner.number(field) for field in fields] == numbers
    assert manner_from(json.loads(json.dumps(manner.to_list()))) == manner


@pytest.mark.parametrize(
    "fields",
    [["yes"], ["1,5", "1.5"], ["1,23,4"], ["$1", "1 €"], ["12,3456,789"], ["1_000,5"]],
)
def test_what_is_no_number_stays_text(fields):
    assert number_manner(fields, None, None, ".") is None


def test_what_is_asked_for_counts():
    assert number_manner(["1,234"], ",", None, ".").number("1,234") == 1.234
    assert number_manner(["1,234"], None, "", ".").number("1,234") == 1.234
    assert number_manner(["1,234"], None, None, ",").number("1,234") == 1.234
    assert number_manner(["1,5"], ".", None, ".") is None


@given(st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 2)), min_size=1))
def test_numbers_written_with_commas_are_read_back(numbers):
    fields = [f"{x:,.2f}" for x in numbers]
    manner = number_manner([*fields, "1,000.00"], None, None, ".")
    assert [manner.number(field) for field in fields] == numbers


def test_codes_with_leading_zeros_stay_text(tmp_path):
    for n in (3, 40_000):  # by the csv module, and by pyarrow if it is there
        path = tmp_path / "codes.csv"
        rows = [f"{318 + i % 9:05},{i % 2},0.5" for i in range(n)]
        path.write_text("\n".join(["code,y,half", *rows]) + "\n")
        data = datasets.read_file(path, "y")
        assert data.categorical == ("code",)
        assert data.columns["code"][0] == "00318"
        assert "leading zeros" in data.notes["code"]
        asked = datasets.read_file(path, "y", numeric=["code"])
        assert asked.columns["code"][0] == 318


@pytest.mark.parametrize("word", ["n/a", "null", "-", "NA", "<NA>", "#N/A"])
def test_words_for_a_gap(tmp_path, word):
    path = tmp_path / "gaps.csv"
    path.write_text(f"a,y\n1,0\n{word},1\n")
    assert np.isnan(datasets.read_file(path, "y").columns["a"][1])


def test_an_encoding_is_named(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("stadt,y\nKöln,0\nBonn,1\n".encode("latin1"))
    with pytest.raises(ValueError, match="encoding='cp1252'"):
        datasets.read_file(path, "y")
    read = datasets.read_file(path, "y", encoding="latin1")
    assert read.columns["stadt"][0] == "Köln"
    assert "encoding='latin1'" in read.code
    with pytest.raises(ValueError, match="encoding='klingon' is unknown"):
        datasets.read_file(path, "y", encoding="klingon")
    with pytest.raises(ValueError, match="is not text in encoding='utf-16"):
        datasets.read_file(path, "y", encoding="utf-16")


def test_wrong_wishes_are_refused(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,y\n1,0\n2,1\n")
    for options, words in (
        ({"thousands": ";"}, "thousands=';' is not allowed"),
        ({"thousands": ",", "decimal": ","}, "are the same"),
        ({"dates": "yes"}, "dates='yes' is not allowed"),
    ):
        with pytest.raises(ValueError, match=words):
            datasets.read_file(path, "y", **options)


# --- times -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "order", "unit"),
    [
        (["2024-12-31", "2025-1-1"], "iso", "days"),
        (["2024/12/31"], "iso", "days"),
        (["31.12.2024"], "day.month", "days"),
        (["31/12/2024", "01/02/2024"], "day/month", "days"),
        (["12/31/2024", "01/02/2024"], "month/day", "days"),
        (["2024-12-31T10:15:30Z"], "iso", "seconds"),
        (["2024-12-31 10:15"], "iso", "seconds"),
        (["2024-12-31 00:00:00"], "iso", "days"),
    ],
)
def test_manners_of_times(fields, order, unit):
    assert time_manner(fields) == TimeManner(order, unit)


@pytest.mark.parametrize(
    "fields", [["01/02/2024"], ["2024-13-01"], ["2024-01-01 25:00"], ["soon"], []]
)
def test_what_may_be_no_time(fields):
    assert time_manner(fields) is None


@given(st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1)))
def test_seconds_are_those_of_the_clock(when):
    exact = when.replace(tzinfo=datetime.UTC, microsecond=0)
    for text in (exact.strftime("%Y-%m-%d %H:%M:%S"), exact.isoformat()):
        found = TimeManner("iso", "seconds").number(text.rjust(19, "0"))
        assert found == exact.timestamp()


DAYS = ["2024-01-01", "2024-01-02", "2024-03-01", None]


@pytest.fixture(params=["dates", "text", "objects"])
def frame(request):
    pandas = pytest.importorskip("pandas")
    days = pandas.Series(pandas.to_datetime(DAYS), name="day")
    if request.param == "text":
        days = pandas.Series(DAYS, name="day")
    elif request.param == "objects":
        days = pandas.Series(
            [d and datetime.date.fromisoformat(d) for d in DAYS], dtype=object
        )
    return pandas.DataFrame({"day": days, "x": [1.0, 2.0, 3.0, 4.0]})


def test_dates_of_a_frame_become_numbers(frame, tmp_path):
    table = ramify.Table(frame, dates="numeric")
    assert table.schema.kinds == ["numeric", "numeric"]
    days = table.to_numpy()[:, 0]
    assert days[:3].tolist() == [19723, 19724, 19783]
    assert np.isnan(days[3])
    tree = ramify.DecisionTreeClassifier().fit(table, [0, 0, 1, 1])
    assert tree.predict(frame).tolist() == [0, 0, 1, 1]
    ramify.save(tree, tmp_path / "m.ramify")
    again = ramify.load(tmp_path / "m.ramify")
    assert again.predict(frame).tolist() == [0, 0, 1, 1]
    assert again.schema_.columns[0].times == "iso days"
    with pytest.raises(ValueError, match="held times in fit, and has 'soon' in row 1"):
        again.predict(frame.assign(day=["2024-01-01", "soon", "2024-01-03", None]))


def test_dates_are_refused_unless_asked_for():
    pandas = pytest.importorskip("pandas")
    dates = pandas.DataFrame({"day": pandas.to_datetime(DAYS)})
    with pytest.raises(TypeError, match=r"ramify.Table\(X, dates='numeric'\)"):
        ramify.DecisionTreeClassifier().fit(dates, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="dates='yes' is not allowed"):
        ramify.Table(dates, dates="yes")


def test_times_of_polars_and_numpy():
    polars = pytest.importorskip("polars")
    when = [datetime.datetime(2024, 1, 1, 6), datetime.datetime(2024, 1, 1, 12)]
    stored = polars.DataFrame({"when": when, "gap": [w - when[0] for w in when]})
    numbers = ramify.Table(stored, dates="numeric").to_numpy()
    assert np.diff(numbers, axis=0).tolist() == [[21600, 21600]]
    days = np.array([["2024-01-01"], ["NaT"]], dtype="datetime64[D]")
    assert ramify.Table(days, dates="numeric").to_numpy()[0, 0] == 19723


def test_a_wrong_note_on_times_is_refused():
    plain = {"name": "day", "kind": "numeric", "times": "iso weeks"}
    with pytest.raises(ValueError, match="times='iso weeks'"):
        Schema.from_dict({"has_names": True, "columns": [plain]})


# --- ids -------------------------------------------------------------------------


def test_fit_warns_of_columns_that_tell_every_row_apart():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"id": [f"K{i}" for i in range(100)], "x": np.arange(100) % 7}
    )
    y = np.arange(100) % 2
    with pytest.warns(
        ramify.UniqueColumnWarning, match="column 'id' is unique in nearly"
    ):
        ramify.DecisionTreeClassifier().fit(frame, y)
    with pytest.warns(ramify.UniqueColumnWarning) as told:
        ramify.RandomForestClassifier(5).fit(frame, y)
    assert len(told) == 1
    assert issubclass(ramify.UniqueColumnWarning, UserWarning)
    ramify.DecisionTreeClassifier().fit(frame[["x"]], y)


# --- the messy file --------------------------------------------------------------

HEADER = [
    *("client no", "signed up", "city", "plan", "spend", "discount", "usage"),
    *("constant", "note", "note", "mixed", "zip", "left"),
]


def messy_rows(n_rows=3000):
    rng = np.random.RandomState(7)
    start = datetime.date(2020, 1, 1)
    for i in range(n_rows):
        left = rng.rand() < 0.02
        spend = rng.gamma(2, 900) + 2500 * left
        day = start + datetime.timedelta(days=int(rng.randint(1500)))
        yield [
            f"C-{i:05}",
            "" if i % 40 == 3 else day.isoformat(),
            f"city {int(500 * rng.rand() ** 2)}",
            rng.choice(["basic", "plus", "n/a"]),
            f"{spend:,.2f}" if i % 11 else "",
            f"{rng.randint(30)}%",
            f"{rng.rand():.3f}".replace(".", ","),
            "always",
            rng.choice(["", "late", "early"]),
            rng.choice(["", "x"]),
            rng.choice(["1", "2", "many", "null"]),
            f"{rng.randint(9999):05}",
            "yes" if left else "no",
        ]


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    with open(folder / "clients.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *messy_rows()])
    return folder / "clients.csv"


def test_the_messy_file_from_fit_to_predict_and_compare(messy):
    model = messy.parent / "clients.ramify"
    reading = ("--target", "left", "--ignore", "client no", "--dates", "parts")
    out = ok("fit", messy, *reading, "--min-samples-leaf", 5, "-o", model).stdout
    for line in (
        "spend: read as numbers with ',' between thousands; --categorical spend takes",
        "discount: read as numbers with %",
        "usage: read as numbers with a decimal comma",
        "signed up: times, read as days since 1970",
        "zip: has leading zeros, taken as text",
        "constant: has one value only",
        "mixed: mixes numbers and text, such as 'many'; taken as text",
        "note.2: another column named 'note'",
    ):
        assert line in out, out
    tree = ramify.load(model)
    assert "signed up.weekday" in tree.schema_.names
    data = datasets.read_file(messy, "left", ignore=["client no"], dates="parts")
    assert set(data.categorical) == {
        *("city", "plan", "constant", "note", "note.2", "mixed", "zip")
    }
    assert np.isnan(data.columns["spend"]).mean() == pytest.approx(1 / 11, abs=0.01)
    assert data.columns["plan"].tolist().count(None) > 900

    predicted = ok("predict", model, messy, "--id", "client no").stdout.splitlines()
    assert predicted[0] == "client no,prediction"
    expected = [str(label) for label in tree.predict(data.raw())]
    assert [line.split(",")[1] for line in predicted[1:]] == expected

    out = ok(
        *("compare", messy, *reading, "--methods", "gini,hellinger", "--cv", 3),
        *("--n-jobs", 1, "--out", messy.parent / "out"),
    ).stdout
    assert "balanced" in out
    assert "class 'yes' of clients is rare" in " ".join(out.split())


def test_the_messy_file_in_a_frame(messy):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(messy, dtype={"zip": str}).drop(columns=["client no"])
    y = frame.pop("left")
    frame["spend"] = pandas.to_numeric(frame["spend"].str.replace(",", ""))
    table = ramify.Table(frame, dates="numeric")
    assert table.schema.columns[0].times == "iso days"
    tree = ramify.DecisionTreeClassifier(max_depth=4).fit(table, y)
    assert (tree.predict(frame) == tree.predict(table)).all()
