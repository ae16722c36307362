# SPDX-License-Identifier: BSD-3-Clause
"""What a fit on a cluster would take, calculated; and what importing it takes."""

import subprocess
import sys
from pathlib import Path

import pytest

from ramify.dask import Rates, estimate

LOADED = """
import sys
print([name for name in ("dask", "distributed", "pyarrow") if name in sys.modules])
"""


@pytest.fixture(scope="module")
def large():
    """Ten thousand million rows of a hundred columns, on a hundred workers."""
    return estimate(1e10, 100, n_workers=100, cores=16, max_depth=15)


# Level, bytes per group, compute, reduce, reduce in blocks: worked out by hand.
BY_HAND = [
    (4, 8 * 25600 * 2 * 4, 0.65625, 0.02752512, 0.00262144),
    (8, 128 * 25600 * 2 * 4, 0.65625, 0.44040192, 0.04194304),
    (14, 8192 * 25600 * 2 * 4, 0.65625, 28.18572288, 2.68435456),
]


@pytest.mark.parametrize(("level", "size", "compute", "reduce", "cut"), BY_HAND)
def test_levels_are_as_worked_out_by_hand(large, level, size, compute, reduce, cut):
    found = large.levels[level]
    assert (found.nodes, found.counted) == (2**level, 2 ** (level - 1))
    assert (found.bytes_per_group, found.bytes) == (size, 100 * size)
    assert found.compute == pytest.approx(compute)
    assert found.reduce == pytest.approx(reduce)
    assert found.reduce_cut == pytest.approx(cut)
    assert found.tasks == pytest.approx((100 + 13 + 2 + 1) * 0.004)


def test_counters_have_eight_bytes_while_a_node_has_more_than_four_can_hold(large):
    root, second, third = large.levels[:3]
    assert root.bytes_per_group == second.bytes_per_group == 25600 * 2 * 8
    assert third.bytes_per_group == 2 * 25600 * 2 * 4
    assert root.compute == pytest.approx(1.28125)


def test_phases_and_memory_are_as_worked_out_by_hand(large):
    assert large.seconds["read"] == pytest.approx(160)
    assert large.seconds["bin"] == pytest.approx(9.125)
    assert large.memory_per_worker == 10**8 * 105 + 2**30
    assert large.total_seconds == pytest.approx(sum(large.seconds.values()))
    with_handoff = estimate(1e10, 100, 100, 16, 10, handoff=True).seconds["handoff"]
    assert with_handoff == pytest.approx(10.1 / 1.25 + 6.25e6 * 100 * 20e-9)


def test_advice_follows_from_the_figures(large):
    assert any("reading dominates" in each for each in large.advice)
    assert any("from level 12 on" in each for each in large.advice)
    many = estimate(1e6, 10, n_workers=50)
    assert any("fewer workers" in each for each in many.advice)
    one = estimate(1e9, 10, n_workers=1, rates=Rates(disk=1e12))
    assert not any("fewer workers" in each or "reading" in each for each in one.advice)


def test_the_page_shows_what_is_calculated():
    tool = Path(__file__).parents[1] / "tools" / "make_cluster_table.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_it_is_shown_as_a_table(large):
    lines = str(large).splitlines()
    assert "calculated, not run" in lines[0]
    assert lines[2].split()[:3] == ["level", "open", "counted"]
    assert len({len(line) for line in lines[2:18]}) == 1


@pytest.mark.parametrize("name", ["n_rows", "n_columns", "n_workers", "max_depth"])
@pytest.mark.parametrize("value", [0, -3, 1.5])
def test_sizes_that_mean_nothing_are_refused(name, value):
    given = {"n_rows": 10, "n_columns": 2, "n_workers": 1} | {name: value}
    with pytest.raises(ValueError, match=f"{name}={value}"):
        estimate(**given)


@pytest.mark.parametrize(
    "line", ["import ramify.cli", "from ramify.dask import estimate", "import ramify"]
)
def test_neither_dask_nor_pyarrow_is_imported_unasked(line):
    command = [sys.executable, "-c", f"{line}\n{LOADED}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_dask_the_error_says_how_to_get_it():
    hidden = "import sys; sys.modules['distributed'] = None; import ramify.dask"
    command = [sys.executable, "-c", f"{hidden}; ramify.dask.local_client"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "pip install 'ramify[dask]'" in done.stderr


def test_names_are_there_when_asked_for():
    import ramify.dask

    assert dir(ramify.dask) == ramify.dask.__all__
    with pytest.raises(AttributeError, match="no attribute 'trees'"):
        _ = ramify.dask.trees
