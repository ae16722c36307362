# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints with something changed: refused, or a fit that goes on to its end."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

import ramify
from fuzz import model_files
from fuzz.promise import must
from fuzz.tables import Rng, pick
from ramify.distributed.core import forest_checkpoint
from ramify.distributed.files.engine import FileEngine


class _StoppedError(Exception):
    """Stands for what ends a process."""


@functools.cache
def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300)).round(1)
    city = rng.choice(["x", "y", "z"], 300).astype(object)
    y = np.where((a > b) ^ (city == "x"), "no", "yes")
    return pd.DataFrame({"a": a, "b": b, "city": city, "y": y})


def _source() -> list[pd.DataFrame]:
    frame = _frame()
    return [frame[:200], frame[200:]]


def _model(kind: str) -> Any:
    if kind == "tree":
        return ramify.DecisionTreeClassifier(max_depth=6, random_state=0)
    if kind == "best first":
        return ramify.DecisionTreeClassifier(max_leaf_nodes=12, record_candidates=2)
    return ramify.RandomForestClassifier(
        3, bootstrap=False, max_features=1, max_depth=4, random_state=0
    )


def _fit(kind: str, folder: Path) -> Any:
    return _model(kind).fit_stream(_source, "y", memory=2**20, checkpoint=folder)


@functools.cache
def _stopped(kind: str) -> dict[str, bytes]:
    """Return the files of a fit that was stopped, by name."""
    n_left = [2]

    def stopping(whole: Any) -> Any:
        def counted(*given: Any) -> Any:
            n_left[0] -= 1
            if n_left[0] < 0:
                raise _StoppedError
            return whole(*given)

        return counted

    with tempfile.TemporaryDirectory() as folder:
        sums, add = FileEngine.sums, forest_checkpoint.KeptTrees.add
        finish = mock.patch.object(FileEngine, "to_finish", return_value=[])
        where = (
            mock.patch.object(forest_checkpoint.KeptTrees, "add", stopping(add))
            if kind == "forest"
            else mock.patch.object(FileEngine, "sums", stopping(sums))
        )
        with where, finish, contextlib.suppress(_StoppedError):
            _fit(kind, Path(folder))
        return {each.name: each.read_bytes() for each in Path(folder).iterdir()}


def checkpoints(rng: Rng) -> list[str]:
    """Change a file of a checkpoint, and go on with the fit."""
    kind = pick(rng, "tree", "best first", "forest")
    whole = _stopped(kind)
    must(len(whole) > 0, "a fit that is stopped leaves a checkpoint", kind)
    name = pick(rng, *whole)
    changes = [model_files.change_bytes, model_files.change_member]
    if "meta.json" in model_files.members_of(whole[name]):
        changes.append(functools.partial(model_files.change_json, file="meta.json"))
    changes.append(model_files.change_array)
    with tempfile.TemporaryDirectory() as folder:
        for each, data in whole.items():
            (Path(folder) / each).write_bytes(data)
        (Path(folder) / name).write_bytes(pick(rng, *changes)(rng, whole[name]))
        try:
            model = _fit(kind, Path(folder))
        except (ValueError, TypeError) as error:
            must(len(str(error)) > 20, "an error says what was wrong", repr(error))
            must(
                "checkpoint" in str(error), "an error names what it is of", repr(error)
            )
            return [f"{kind}: refused"]
    shares = model.predict_proba(_frame()[["a", "b", "city"]])
    must(bool(np.allclose(shares.sum(axis=1), 1)), "probabilities sum to 1")
    return [f"{kind}: gone on"]
