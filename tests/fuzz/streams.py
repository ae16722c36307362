# SPDX-License-Identifier: BSD-3-Clause
"""Streams that change between the passes: the tree of the rows, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

import ramify
from fuzz.promise import must
from fuzz.tables import Rng, pick

Change = Callable[[Rng, pd.DataFrame], pd.DataFrame]


def _frame(rng: Rng) -> pd.DataFrame:
    n = int(rng.integers(20, 60))
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.choice(["x", "y", "z"], n).astype(object),
            "c": rng.integers(0, 5, n),
        }
    )
    frame["y"] = np.where((frame["a"] > 0) ^ (frame["b"] == "x"), "no", "yes")
    frame.loc[frame.index[rng.random(n) < 0.1], "b"] = None
    return frame


# --- what a source may do between two passes ---------------------------------------


def _number(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    changed = frame.copy()
    changed.iloc[rng.integers(len(frame)), 0] += float(pick(rng, 1e-9, 1.0, 1e6))
    return changed


def _gap(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    changed = frame.copy()
    changed.iloc[rng.integers(len(frame)), 0] = np.nan
    return changed


def _category(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    changed = frame.copy()
    changed.iloc[rng.integers(len(frame)), 1] = pick(rng, "new", "")
    return changed


def _label(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    changed = frame.astype({"y": object})
    changed.iloc[rng.integers(len(frame)), 3] = pick(rng, "maybe", 3, None)
    return changed


def _whole_labels(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(y=np.arange(len(frame)) % 2)


def _fewer(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return frame[: rng.integers(len(frame))]


def _more(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame[:1]])


def _columns(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return pick(rng, frame.drop(columns="a"), frame.rename(columns={"a": "z"}),
                frame.assign(more=1.0), frame[["b", "a", "c", "y"]])  # fmt: skip


def _text(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(a=frame["a"].astype(str).astype(object))


def _swapped(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[rng.permutation(len(frame))]


CHANGES: tuple[Change, ...] = (
    *(_number, _gap, _category, _label, _whole_labels, _fewer, _more, _columns),
    *(_text, _swapped),
)


def _batches(frame: pd.DataFrame, size: int) -> Iterator[pd.DataFrame]:
    for begin in range(0, len(frame), size):
        yield frame[begin : begin + size].reset_index(drop=True)


def streams(rng: Rng) -> list[str]:
    """Fit a tree on a stream that changes at some pass, or does not."""
    frame, size = _frame(rng), int(rng.integers(5, 40))
    change = pick(rng, None, None, *CHANGES)
    at = int(rng.integers(0, 3))
    seeds = int(rng.integers(2**31))
    n_passes = [0]

    def source() -> Iterator[pd.DataFrame]:
        given = frame
        if change is not None and n_passes[0] >= at:
            given = change(np.random.default_rng(seeds), frame)
        n_passes[0] += 1
        return _batches(given, size)

    name = "unchanged" if change is None else change.__name__[1:]
    model = _model(rng)
    memory = pick(rng, "1GiB", 2**20)
    try:
        model.fit_stream(source, "y", memory=memory)
    except (ValueError, TypeError) as error:
        must(len(str(error)) > 20, "an error says what was wrong", repr(error))
        foreign = isinstance(error, UnicodeError) or "incompatible" in str(error)
        must(not foreign, "an error is ours", repr(error))
        must(change is not None, "a stream that stays is fitted", repr(error))
        return [f"{name}: refused"]
    if change is None or at >= n_passes[0]:
        _is_that_of(model, frame)
        return ["unchanged: the tree of fit"]
    if at == 0:  # all passes see the same
        _is_that_of(model, change(np.random.default_rng(seeds), frame))
        return [f"{name}: the tree of fit"]
    if change in (_label, _whole_labels):  # which forests on codes read only once
        _is_that_of(model, change(np.random.default_rng(seeds), frame))
    else:
        must(change is _swapped, "a stream that changes is refused", name)
    return [f"{name}: fitted"]


def _model(rng: Rng) -> Any:
    kind = rng.integers(3)
    if kind == 0:
        return ramify.RandomForestClassifier(2, bootstrap=False, random_state=0)
    return ramify.DecisionTreeClassifier(max_depth=pick(rng, None, 2), random_state=0)


def _is_that_of(model: Any, frame: pd.DataFrame) -> None:
    X, y = frame.drop(columns="y"), frame["y"].to_numpy()
    fitted = type(model)(**model.get_params()).set_params(max_bins=255).fit(X, y)
    same = np.array_equal(fitted.predict_proba(X), model.predict_proba(X))
    must(same, "a stream gives the tree of fit", model)
