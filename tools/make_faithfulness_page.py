# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/design/faithfulness.md: the source papers, formula by formula.

Fails if a row names a test that does not exist, if a row that is not equal lacks its
sentence, or if a numbered equation, table or figure has no row. With --check nothing is
written, and the exit code is 1 if the page is out of date.
"""

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from faithfulness import (
    CHANGED,
    EQUAL,
    INTERPRETED,
    N_BEFORE,
    N_SINCE,
    NOT_OURS,
    OUTSIDE,
    SOURCES,
    Changed,
    Outside,
    Row,
    Source,
)
from pages import DOCS, note, table, write_or_check

TESTS = Path(__file__).parent.parent / "tests"


@cache
def tests_of(file: str) -> frozenset[str]:
    """Return the names of the tests in a file; none if there is no such file."""
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    return frozenset(name for name in found if name.startswith("test_"))


def faults(sources: tuple[Source, ...] = SOURCES) -> list[str]:
    """Return what is wrong with the rows, a sentence each."""
    found = []
    for source in sources:
        covered = {place for row in source.rows for place in row.places}
        lost = [place for place in source.numbered if place not in covered]
        found += [f"{source.title}: no row covers {place}." for place in lost]
        for row in source.rows:
            found += lost_tests(row.what, row)
            if row.state not in (EQUAL, INTERPRETED, NOT_OURS):
                found.append(f"{row.what}: {row.state!r} is no state.")
            if (row.state == EQUAL) == bool(row.why):
                found.append(f"{row.what}: a sentence says why it is not equal.")
    found += [fault for row in OUTSIDE for fault in lost_tests(row.what, row)]
    found += [fault for row in CHANGED for fault in lost_tests(row.models, row)]
    return found


def lost_tests(what: str, row: Row | Outside | Changed) -> list[str]:
    """Return a sentence for each test of a row that is not there."""
    lost = []
    for each in row.tests:
        file, _, test = each.partition("::")
        if test not in tests_of(file):
            lost.append(f"{what}: there is no test {each}.")
    return lost


def places(row: Row) -> str:
    """Write the places of a row, equations of consecutive numbers as a range."""
    kinds: dict[str, list[str]] = {}
    for place in row.places:
        kind, _, number = place.rpartition(" ")
        kinds.setdefault(kind, []).append(number)
    parts = []
    for kind, numbers in kinds.items():
        is_range = len(numbers) > 1 and all(map(str.isdigit, numbers))
        text = f"{numbers[0]} to {numbers[-1]}" if is_range else ", ".join(numbers)
        parts.append(f"{kind} {text}".strip())
    return "; ".join(parts)


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row."""
    state = f"**{row.state}**" + (f": {row.why}" if row.why else "")
    tests = ", ".join(f"`{each}`" for each in row.tests)
    return row.what, places(row), row.name, tests, state


def page() -> str:
    """Write the page."""
    counts = Counter(row.state for source in SOURCES for row in source.rows)
    total = sum(counts.values())
    lines = [
        note(__file__),
        "# Faithfulness",
        "",
        "What of the five source papers is in Ramify: every numbered equation, table",
        "and figure, what it is called here, and the test that compares the two.",
        f"Of {total} rows {counts[EQUAL]} are equal, {counts[INTERPRETED]} are",
        f"interpreted, and {counts[NOT_OURS]} are not ours. A row that is interpreted",
        "says what the paper leaves open or gets wrong, and what Ramify does. The rows",
        "are in `tools/faithfulness.py`.",
        "",
        "[Reproductions](../reproductions/README.md) have the experiments' numbers",
        "beside the printed ones.",
        "",
    ]
    head = ("formula or experiment", "place", "in Ramify", "test", "state")
    for source in SOURCES:
        lines += [f"## {source.title}", "", *table(head, map(cells, source.rows)), ""]
    lines += [*outside(), *changed()]
    return re.sub(r"\n+$", "\n", "\n".join(lines) + "\n")


def outside() -> list[str]:
    """Write the section on programs that others wrote."""
    rows = [
        (row.program, row.what, row.result, f"`{row.test}`", f"`{row.command}`")
        if row.command
        else (row.program, row.what, row.result, f"`{row.test}`", "the test")
        for row in OUTSIDE
    ]
    head = ("program", "what is compared", "result", "test", "measured by")
    text = (
        "The commands compare three samples of up to 600 rows of each of 35 data sets "
        "with the programs themselves, which must be installed; the tests hold trees "
        "that these have printed."
    )
    return ["## Programs that others wrote", "", text, "", *table(head, rows), ""]


def changed() -> list[str]:
    """Write the section on reference models that are no longer what they were."""
    rows = [(row.models, str(row.n), row.why, f"`{row.test}`") for row in CHANGED]
    text = (
        f"Of the {N_BEFORE:,} reference models of `nox -s trees` "
        f"{sum(row.n for row in CHANGED)} became others when formulas were read again "
        f"beside the papers and programs; {N_SINCE - N_BEFORE} are new, 126 of them "
        "wide float32 tables, on which a defect had shown. All others are the same to "
        "the bit."
    )
    head = ("models", "number", "why", "test")
    return ["## Reference models that changed", "", text, "", *table(head, rows), ""]


def main() -> int:
    """Check the rows, and write or check the page."""
    wrong = faults()
    for fault in wrong:
        print(fault, file=sys.stderr)
    pages = {"faithfulness.md": page()}
    return write_or_check(DOCS / "design", pages, __file__, is_whole=False) or bool(
        wrong
    )


if __name__ == "__main__":
    sys.exit(main())
