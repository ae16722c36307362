# SPDX-License-Identifier: BSD-3-Clause
"""The table format x kind of model in docs/how_to/production.md, every cell of it run.

``python tools/make_export_table.py`` exports each model of tests/exported.py in each
format, replays it in the runtime that is here, and writes what was found.
"""

import argparse
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import exported  # noqa: E402  # beside the tests

import ramify  # noqa: E402
from ramify.exports import ExportRefused  # noqa: E402
from ramify.exports.formats.sql.words import DIALECTS  # noqa: E402
from ramify.exports.reading import walk_of  # noqa: E402
from ramify.exports.registry import FORMATS  # noqa: E402

PAGE = ROOT / "docs" / "how_to" / "production.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def cell(model, name, dialects):
    """Export a model; say "exact", "link" or "refused", and by whom it was replayed."""
    found, who = set(), []
    for options in dialects:
        try:
            made = ramify.export(model, name, n_rows=4000, **options)
        except ExportRefused:
            return "refused", who
        facts = made.certificate.facts
        if facts["runtime"] is None:
            return "not replayed", who
        link = walk_of(model).vote.link
        found.add("exact" if link == "none" or name == "skops" else "link")
        who.append(f"{facts['runtime']['name']} {facts['runtime']['version']}")
    return found.pop(), who


def to_sklearn(model):
    """Return whether scikit-learn can hold a model."""
    try:
        ramify.to_sklearn(model)
    except ExportRefused:
        return "refused"
    return "exact for float32 rows"


def table():
    """Run all cells; give the table."""
    names = [name for name, form in FORMATS.items() if form.exact_on != "picture"]
    lines = [
        f"| model | {' | '.join(names)} | to_sklearn |",
        f"| --- {'| --- ' * (len(names) + 1)}|",
    ]
    runtimes = {}
    for kind, words in exported.SHOWN.items():
        model = exported.model(kind)
        cells = []
        for name in names:
            dialects = [{}]
            if name == "sql":
                dialects = [{"dialect": each} for each in DIALECTS]
            said, who = cell(model, name, dialects)
            cells.append(said)
            runtimes |= dict.fromkeys(who)
        lines.append(f"| {words} | {' | '.join(cells)} | {to_sklearn(model)} |")
        print(lines[-1], flush=True)
    tried = ", ".join(sorted(runtimes))
    return "\n".join([*lines, "", f"Replayed by {tried}."])


def main():
    """Run all cells, and write the table or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = table()
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    if not is_check:
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    elif text.split("\n\n")[0] != old.strip().split("\n\n")[0]:
        sys.exit(f"{PAGE} has another table; run {Path(__file__).name}")


if __name__ == "__main__":
    main()
