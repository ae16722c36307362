# SPDX-License-Identifier: BSD-3-Clause
"""The speed guard sounds for a row that became slower, and for no other."""

import itertools
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

# The tests of an installed wheel are run without the benchmarks.
main = pytest.importorskip("benchmarks.guard.__main__")
rows = pytest.importorskip("benchmarks.guard.rows")


@pytest.fixture
def clock(monkeypatch):
    """Replace the clock by one that only work moves."""
    now = [0.0]
    monkeypatch.setattr(main.time, "process_time", lambda: now[0])

    def work(*seconds):
        durations = itertools.cycle(seconds)

        def run():
            now[0] += next(durations)

        return run

    return work


def test_a_row_that_is_15_percent_worse_is_an_alarm(clock, capsys):
    races = [
        rows.Race("slower", lambda: (clock(1.2), clock(10.0))),
        rows.Race("as before", lambda: (clock(1.1), clock(10.0))),
        rows.Race("new", lambda: (clock(0.01), clock(10.0))),
    ]
    found, worse = main.watch(races, {"slower": 10.0, "as before": 10.0}, again=True)
    assert worse == ["slower"]
    assert found == pytest.approx({"slower": 8.333, "as before": 9.091, "new": 1000})
    assert "-17% **slower**" in capsys.readouterr().out


def test_one_disturbed_turn_of_many_is_no_alarm(clock):
    races = [rows.Race("noisy", lambda: (clock(0.1, 0.1, 0.1, 5.0), clock(0.5)))]
    assert main.watch(races, {"noisy": 5.0}, again=True)[1] == []


def test_the_reference_has_exactly_the_rows_that_are_run():
    known = json.loads(main.REFERENCE.read_text())["rows"]
    assert list(known) == [race.name for race in rows.all_races()]
