# SPDX-License-Identifier: BSD-3-Clause
"""Model files with something changed: refused, or a model that answers."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick

ODD = (None, True, -1, 0, 1, 2**31, 2**63, 1e308, float("nan"), "", "x", [], {}, [[]])


@functools.cache
def _models() -> tuple[tuple[bytes, Any], ...]:
    """Small models of each kind as files, and rows to ask them about."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": np.round(rng.normal(size=60), 1),
            "b": rng.choice(["x", "y", "z"], 60),
            "c": np.where(rng.random(60) < 0.2, np.nan, rng.integers(0, 5, 60)),
        }
    )
    y = rng.choice(["no", "yes", "so"], 60)
    numbers = X[["a", "c"]].fillna(0.0)
    target = rng.normal(size=60)
    depth = {"max_depth": 3, "random_state": 0}
    fitted = (
        (ramify.DecisionTreeClassifier(**depth).fit(X, y), X),
        (ramify.DecisionTreeClassifier(categories="multiway", **depth).fit(X, y), X),
        (ramify.DecisionTreeClassifier(missing="fractional", **depth).fit(X, y), X),
        (ramify.DecisionTreeRegressor(**depth).fit(X, target), X),
        (ramify.ObliqueTreeClassifier("fisher", **depth).fit(numbers, y), numbers),
        (ramify.RandomForestClassifier(2, **depth).fit(X, y), X),
        (ramify.RandomForestRegressor(2, **depth).fit(X, target), X),
        (ramify.BoostedTreesClassifier(n_estimators=2, **depth).fit(X, y), X),
        (ramify.BoostedTreesRegressor(n_estimators=2, **depth).fit(X, target), X),
    )
    files = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.ramify"
        for model, rows in fitted:
            ramify.save(model, path)
            files.append((path.read_bytes(), rows))
    return tuple(files)


def model_files(rng: Rng) -> list[str]:
    """Change a model file and load it."""
    models = _models()
    whole, X = models[rng.integers(len(models))]
    kind = pick(
        rng, change_bytes, change_json, change_array, change_array, change_member
    )
    data = kind(rng, whole)
    what = kind.__name__.removeprefix("change_")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.ramify"
        path.write_bytes(data)
        try:
            model = ramify.load(path)
        except (ValueError, TypeError) as error:
            must(len(str(error)) > 10, "an error says what was wrong", repr(error))
            return [f"{what}: refused"]
    try:
        answer = np.asarray(model.predict(X))
    except (ValueError, TypeError):
        return [f"{what}: loaded, other columns"]
    must(len(answer) == len(X), "a model that loads predicts")
    return [f"{what}: loaded"]


def change_bytes(rng: Rng, data: bytes) -> bytes:
    """Change some bytes, or cut the file."""
    changed = bytearray(data)
    for _ in range(rng.integers(1, 6)):
        changed[rng.integers(len(changed))] = rng.integers(256)
    if rng.integers(4) == 0:
        del changed[rng.integers(len(changed)) :]
    return bytes(changed)


def members_of(data: bytes) -> dict[str, bytes]:
    """Unpack an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def change_member(rng: Rng, data: bytes) -> bytes:
    """Remove, replace or cut a file of the archive."""
    members = members_of(data)
    names = list(members)
    name = pick(rng, *names)
    kind = rng.integers(3)
    if kind == 0:
        del members[name]
    elif kind == 1:
        members[name] = members[pick(rng, *names)]
    else:
        members[name] = members[name][: rng.integers(len(members[name]) + 1)]
    return _zip(members)


def change_json(rng: Rng, data: bytes, file: str = "model.json") -> bytes:
    """Put something odd into the header."""
    members = members_of(data)
    facts = json.loads(members[file])
    place: Any = facts
    for _ in range(rng.integers(1, 6)):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = pick(rng, *keys)
        if isinstance(place[key], dict | list) and rng.random() < 0.8:
            place = place[key]
        else:
            place[key] = pick(rng, *ODD)
            break
    members[file] = json.dumps(facts).encode()
    return _zip(members)


def change_array(rng: Rng, data: bytes) -> bytes:
    """Change an array: an entry, its length or its type."""
    members = members_of(data)
    name = pick(rng, *(name for name in members if name.endswith(".npy")))
    array = np.load(io.BytesIO(members[name]))
    kind = rng.integers(4)
    if kind == 0 and array.size:
        odd = pick(rng, -1, 0, 1, 2, 255, 2**31 - 1, -(2**31), array.flat[0])
        flat = array.reshape(-1).astype(array.dtype)
        with np.errstate(all="ignore"):
            flat[rng.integers(flat.size)] = np.array(odd).astype(array.dtype)
        array = flat.reshape(array.shape)
    elif kind == 1:
        array = array[: rng.integers(len(array) + 1)] if array.ndim else array
    elif kind == 2:
        array = array.astype(pick(rng, np.float32, np.int8, np.complex128, object))
    elif array.size and array.dtype.kind == "f":
        array = array.copy()
        array.flat[rng.integers(array.size)] = pick(rng, np.nan, np.inf, -np.inf, 1e308)
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    members[name] = out.getvalue()
    return _zip(members)
