# SPDX-License-Identifier: BSD-3-Clause
"""Files of data, whole and broken: read, or refused with the place."""

from __future__ import annotations

import tempfile
from pathlib import Path

from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify import datasets

WHOLE = {
    "d.csv": 'a,b,y\n1,x,yes\n2,"y,z",no\n,x,yes\n4.5,NA,no\n5,x,yes\n6,y,no\n',
    "d.arff": (
        "% made up\n@relation d\n@attribute a numeric\n@attribute b {x,y}\n"
        "@attribute class {yes,no}\n@data\n1,x,yes\n2,y,no\n?,x,yes\n{0 3, 2 no}\n"
    ),
    "d.dat": (
        "@relation d\n@attribute a real [0.0, 9.0]\n@attribute class {yes, no}\n"
        "@inputs a\n@outputs class\n@data\n1.0, yes\n2.5, no\n3.0, yes\n4.0, no\n"
    ),
    "d.libsvm": "1 1:0.5 3:2\n-1 2:1 # last\n1 1:3\n-1 3:1e3\n",
}
PIECES = ("", ",", "\n", '"', "'", "?", "@data", "@attribute", "{", "}", "1e999", "nan",
          "-", ":", "0:1", "9:9", "é", "\0", "\ufeff", "%", "#", "\r", "\r\n", " ",
          "\t", "x" * 1000, "1" * 400, "inf")  # fmt: skip


def data_files(rng: Rng) -> list[str]:
    """Change a file of data and read it."""
    name = pick(rng, *WHOLE)
    text = WHOLE[name]
    for _ in range(rng.integers(0, 6)):
        at, end = sorted(rng.integers(len(text) + 1, size=2))
        end = at if rng.integers(2) else min(end, at + 5)
        text = text[:at] + pick(rng, *PIECES) + text[end:]
    encoding = pick(rng, "utf-8", "utf-8", "utf-16", "latin-1")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode(encoding, errors="replace"))
        try:
            data = datasets.load(str(path))
        except (ValueError, TypeError) as error:
            must(len(str(error)) > 10, "an error says what was wrong", repr(error))
            must(name in str(error), "an error of a file names it", repr(error))
            return [f"{name}: refused"]
    must(len(data.y) > 0, "a data set that was read has rows")
    return [f"{name}: read"]
