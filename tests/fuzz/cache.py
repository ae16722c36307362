# SPDX-License-Identifier: BSD-3-Clause
"""The file of results of a comparison, changed: taken up again, or refused."""

from __future__ import annotations

import functools
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick

ODD = (None, "", "null", "[]", "{}", "1", '{"accuracy": null}', '{"accuracy": "x"}',
       "not json", b"\xff", -1, 2**62)  # fmt: skip


def _compare(path: Path) -> ramify.comparison.Comparison:
    return ramify.compare(["cart", "ihd"], ["iris"], cv=2, cache=path, n_jobs=1)


@functools.cache
def _whole() -> tuple[bytes, tuple[object, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.sqlite"
        records = _compare(path).records
        return path.read_bytes(), tuple(r.values["accuracy"] for r in records)


def cache(rng: Rng) -> list[str]:
    """Change the file and run the comparison again."""
    data, expected = _whole()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.sqlite"
        if rng.integers(2):
            changed = bytearray(data)
            for _ in range(rng.integers(1, 20)):
                changed[rng.integers(len(changed))] = rng.integers(256)
            path.write_bytes(bytes(changed))
        else:
            path.write_bytes(data)
            column = pick(rng, "numbers", "dataset", "method", "repeat", "fold")
            with closing(sqlite3.connect(path)) as base:
                try:
                    base.execute(f"UPDATE cell SET {column} = ?", (pick(rng, *ODD),))
                    base.commit()
                except sqlite3.IntegrityError:
                    return ["not changed"]
        try:
            found = _compare(path)
        except (ValueError, TypeError, OSError) as error:
            must(len(str(error)) > 10, "an error says what was wrong", repr(error))
            return ["refused"]
    got = tuple(record.values.get("accuracy") for record in found.records)
    return ["taken up" if got == expected else "other figures taken up"]
