# SPDX-License-Identifier: BSD-3-Clause
"""Times to an event are read from all their forms, and refused with a way out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ramify import datasets
from ramify.survival import Surv, read_survival_target

TIME, EVENT = [5.0, 8.5, 2.0], [True, False, True]
STRUCTURED = np.array(
    list(zip(EVENT, TIME, strict=True)), dtype=[("dead", bool), ("days", float)]
)
FORMS = {
    "structured": STRUCTURED,
    "other order": STRUCTURED[["days", "dead"]],
    "whole days": STRUCTURED.astype([("dead", bool), ("days", "i4")]),
    "0 and 1": STRUCTURED.astype([("dead", "u1"), ("days", float)]),
    "pair": (TIME, EVENT),
    "pair of 0 and 1": (np.array(TIME), [1, 0, 1]),
    "event first": (np.array(EVENT), np.array(TIME)),
    "surv": Surv.from_arrays([1.0, 0.0, 1.0], TIME),
    "pandas": pd.DataFrame({"days": TIME, "dead": EVENT}),
    "pandas 0 and 1": pd.DataFrame({"dead": [1, 0, 1], "days": TIME}),
    "polars": pl.DataFrame({"days": TIME, "dead": EVENT}),
    "arrow": pl.DataFrame({"days": TIME, "dead": EVENT}).to_arrow(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form):
    target = read_survival_target(FORMS[form])
    expected = np.floor(TIME) if form == "whole days" else TIME
    assert target.time.tolist() == list(expected)
    assert target.event.tolist() == EVENT
    assert target.time.dtype == np.float64
    assert target.event.dtype == np.bool_
    assert len(target) == 3
    again = read_survival_target(target.to_structured())
    assert again.event_name == target.event_name


def test_times_of_0_and_1_go_with_events_of_0_and_1():
    target = read_survival_target(([1, 0, 1], [0, 1, 1]))
    assert target.time.tolist() == [1, 0, 1]
    assert target.event.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed, but the target y is None"),
        (np.column_stack([TIME, EVENT]), r"event=y\[:, 1\], time=y\[:, 0\]"),
        (np.array(TIME), "has no times and events; give a pair"),
        ([1, 2, 3], "y is a list, which has no times and events"),
        (([1.0, np.nan], [1, 0]), "time has nan in row 1; times must be finite"),
        (([1.0, np.inf], [1, 0]), "time has inf in row 1"),
        (([3, -1.0], [1, 0]), "time has -1.0 in row 1; .* not negative"),
        (([3, 1], [1, 2]), "event has 2 in row 1; .* event=.status == 1."),
        (([3.0, 1], [1, np.nan]), "event has nan in row 1"),
        (([3.0, 1], ["a", "b"]), "event has dtype"),
        (([3.0, 1], [None, True]), "event has None in row 0"),
        ((["a", "b"], [1, 0]), "time has dtype .* times must be numbers"),
        (([None, 2.0], [1, 0]), "time has nan in row 0"),
        ((pd.to_timedelta([1, 2], unit="D").to_numpy(), [1, 0]), "choose a unit"),
        (([True, False], [True, True]), "is bool; times are numbers"),
        (([1, 2, 3], [1, 0]), "inconsistent numbers of samples: time has 3"),
        (pd.DataFrame({"a": [1.0], "b": [2], "c": [True]}), "y has 3 columns"),
        (pd.DataFrame({"a": [1.5, 2], "b": [2.5, 3]}), "which is the event; make"),
        (
            pd.DataFrame({"a": [1.5, 2], "b": pd.array([True, None])}),
            "None|NA|which is the event",
        ),
        (STRUCTURED[["days"]], "must have two"),
        (STRUCTURED.reshape(3, 1), "y has shape"),
    ],
)
def test_what_is_no_target_is_refused_with_a_way_out(y, words):
    with pytest.raises(ValueError, match=words):
        read_survival_target(y)


def test_rows_and_events_are_counted_where_asked():
    with pytest.raises(ValueError, match="X has 4 rows and y has 3"):
        read_survival_target((TIME, EVENT), 4)
    with pytest.raises(ValueError, match="all samples are censored"):
        read_survival_target((TIME, [0, 0, 0]), allow_all_censored=False)


def test_fields_are_named():
    y = Surv.from_arrays(EVENT, TIME, name_event="dead", name_time="days")
    assert y.dtype.names == ("dead", "days")
    frame = pd.DataFrame({"dead": EVENT, "days": TIME, "age": [1, 2, 3]})
    assert (Surv.from_dataframe("dead", "days", frame) == y).all()
    with pytest.raises(ValueError, match="give two names"):
        Surv.from_arrays(EVENT, TIME, name_event="t", name_time="t")
    with pytest.raises(ValueError, match="no column 'died'; it has 'dead', 'days'"):
        Surv.from_dataframe("died", "days", frame)
    with pytest.raises(TypeError, match="data is a dict"):
        Surv.from_dataframe("dead", "days", {"dead": EVENT, "days": TIME})


SETS = {
    "veteran": (137, 6, 128),
    "lung": (228, 8, 165),
    "pbc": (418, 17, 161),
    "gbsg": (686, 8, 299),
    "rotterdam": (2982, 10, 1272),
}


def test_every_bundled_set_has_its_shape():
    assert list(SETS) == datasets.names("survival")
    for name, expected in SETS.items():
        data = datasets.load(name)
        target = read_survival_target(data.y)
        assert (*data.shape, target.event.sum()) == expected
        assert data.table().shape == data.shape
        assert data.task == "survival"
        assert data.class_counts() == {}
        assert data.labels is data.y
        assert len(data.without_duplicates().y) <= data.shape[0]


def test_a_bundled_set_has_no_classes():
    with pytest.raises(ValueError, match="'veteran' has times to learn, no classes"):
        _ = datasets.load("veteran").codes
