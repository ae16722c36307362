# SPDX-License-Identifier: BSD-3-Clause
"""The page of promises names tests that exist."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "guarantees.md"
NAMED = re.findall(r"`(test_\w+\.py)(?:::(test_\w+))?`", PAGE.read_text())


@pytest.mark.parametrize(("file", "test"), sorted(set(NAMED)))
def test_a_promise_is_held_by_a_test_that_exists(file, test):
    text = (HERE / file).read_text()
    assert not test or f"\ndef {test}(" in text


def test_every_promise_names_its_test():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    promises = [row for row in rows if row.count("|") == 4 and "---" not in row]
    promises = [row for row in promises if not row.endswith("| tests |")]
    assert len(promises) > 15
    assert all(".py" in row for row in promises)
