# SPDX-License-Identifier: BSD-3-Clause
"""Exports with hostile names, categories and labels: exact, or refused."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import ramify
from fuzz.hostile import rows_and_labels
from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify.exports import ExportMismatch
from ramify.exports.exporting import require
from ramify.exports.registry import FORMATS

# Compilers and Node take long to start: a few cases of each.
_SLOW = {"c": "cc", "javascript": "node"}


@functools.cache
def _formats() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the formats that can be written here: the quick, and the slow ones."""
    quick = []
    for name, form in FORMATS.items():
        try:
            require(form)
        except ImportError:
            continue
        if name not in _SLOW:
            quick += [name] * (3 if name == "sql" else 1)
    slow = [name for name, program in _SLOW.items() if shutil.which(program)]
    return tuple(quick), tuple(slow)


def _model(rng: Rng, rows: Any, y: Any) -> Any:
    limits = {"max_depth": int(rng.integers(1, 4)), "random_state": 0}
    unseen = pick(rng, "heavier", "missing", "error")
    kind = rng.integers(5)
    if kind == 0:
        model: Any = ramify.RandomForestClassifier(2, unseen=unseen, **limits)
    elif kind == 1:
        return ramify.DecisionTreeRegressor(**limits).fit(rows, np.arange(len(y)) % 5)
    else:
        categories = pick(rng, "subset", "multiway", "one_vs_rest")
        missing = pick(rng, "both", "both", "fractional")
        model = ramify.DecisionTreeClassifier(
            unseen=unseen, categories=categories, missing=missing, **limits
        )
    return model.fit(rows, y)


def _options(rng: Rng, format: str) -> dict[str, Any]:
    if format == "sql":
        dialect = pick(rng, "sqlite", "duckdb", "postgres", "plain")
        layout = pick(rng, "case", "case", "nodes")
        return {"dialect": dialect, "layout": layout}
    if format == "c":
        return {"layout": pick(rng, "tables", "ifelse")}
    return {"missing_text": pick(rng, "", "?", "a")} if format == "onnx" else {}


def exports(rng: Rng) -> list[str]:
    """Export a model, certify it once more from its file, and damage that."""
    rows, y = rows_and_labels(rng)
    quick, slow = _formats()
    format = pick(rng, *slow) if slow and rng.random() < 0.02 else pick(rng, *quick)
    try:
        model = _model(rng, rows, y)
    except ValueError as error:
        must("lone surrogate" in str(error), "words can be learnt", repr(error))
        return ["not fitted: half a character"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"m{FORMATS[format].suffix}"
        try:
            options = _options(rng, format)
            made = ramify.export(model, format, path, n_rows=30, **options)
        except ExportMismatch as error:
            must(False, "an export answers as the model", repr(error))
        except (ValueError, TypeError) as error:
            _is_sentence(error)
            must(not list(Path(folder).iterdir()), "what is refused leaves no file")
            return [f"{format}: refused"]
        if made.certificate is None:
            return [f"{format}: drawn"]
        exact = made.certificate.is_exact
        must(exact, "an export answers as the model", made.certificate.first)
        again = ramify.certify(model, path, n_rows=30) if rng.random() < 0.3 else None
        must(again is None or again.is_exact, "a file is certified as it was made")
        seen = [f"{format}: exact"]
        if format not in (*_SLOW, "treelite"):  # which start a process each
            seen += _damaged(rng, model, path)
    return seen


def _damaged(rng: Rng, model: Any, path: Path) -> list[str]:
    data = bytearray(path.read_bytes())
    for _ in range(rng.integers(1, 5)):
        data[rng.integers(len(data))] = rng.integers(256)
    if rng.integers(3) == 0:
        del data[rng.integers(len(data)) :]
    if path.suffix == ".py":  # which is run: damaged code may do anything
        return []
    path.write_bytes(bytes(data))
    try:
        found = ramify.certify(model, path, n_rows=30)
    except (ValueError, TypeError) as error:
        _is_sentence(error)
        return ["damaged: refused"]
    return ["damaged: exact" if found.is_exact else "damaged: differs"]


def _is_sentence(error: Exception) -> None:
    must(len(str(error)) > 20, "an error says what was wrong", repr(error))
    foreign = isinstance(error, UnicodeError) or "incompatible function" in str(error)
    must(not foreign, "an error is ours", repr(error))
