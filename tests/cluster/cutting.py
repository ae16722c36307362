# SPDX-License-Identifier: BSD-3-Clause
"""Rows for tests of a cluster, cut into partitions in many ways; models as bytes."""

import dask.dataframe as dd
import numpy as np
import pandas as pd

import ramify

N = 1500


def rows(seed=0, n=N):
    """Numbers with gaps and ties, categories, three classes, weights."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "height": rng.normal(size=n),
            "steps": np.round(rng.normal(size=n), 1),
            "age": rng.integers(0, 60, n),
            "town": rng.choice(["Ulm", "Graz", "Bern", "Linz"], n),
            "code": rng.choice([f"c{i:02}" for i in range(30)], n),
            "height2": -np.abs(rng.normal(size=n)) * 1e6,
        }
    )
    X.loc[rng.random(n) < 0.15, "height"] = np.nan
    X.loc[rng.random(n) < 0.1, "town"] = None
    known = X["height"].fillna(0.3)
    score = known + (X["town"] == "Graz") * X["steps"] + (X["code"] < "c11")
    score += rng.normal(size=n) * 0.4
    y = pd.cut(score, [-np.inf, 0.0, 0.8, np.inf], labels=["low", "mid", "top"])
    weights = {
        "none": None,
        "whole": pd.Series(rng.integers(0, 4, n) * 1.0),
        "fractional": pd.Series(rng.gamma(1.0, 1.0, n)),
    }
    return X, y.astype(str), weights


def ends(how, n=N):
    """Return the ends of partitions."""
    if isinstance(how, int):
        return np.linspace(0, n, how + 1).astype(int)[1:].tolist()
    return {
        "ragged": [1, 2, 40, 41, 700, 1400, n],
        "first empty": [0, 600, n],
        "middle empty": [600, 600, 600, n],
        "last empty": [300, n, n],
        "one of five": [0, 0, n, n, n],
    }[how]


CUTS = (1, 2, 5, 16, 61, "ragged", "first empty", "middle empty", "last empty")
CUTS = (*CUTS, "one of five")


def cut(frame, how):
    """Return a frame of the cluster, cut into partitions."""
    last = ends(how, len(frame))
    first = [0, *last[:-1]]
    pieces = [frame.iloc[low:high] for low, high in zip(first, last, strict=True)]
    return dd.from_map(_same, pieces, meta=frame.iloc[:0])


def _same(piece):
    return piece


def together(X, y, weight=None):
    """Put columns, labels and weights into one frame."""
    frame = X.assign(y=y.to_numpy() if hasattr(y, "to_numpy") else y)
    return frame if weight is None else frame.assign(w=weight.to_numpy())


def split(frame, X, weight):
    """Return X, y and weights of a frame of the cluster."""
    return frame[list(X.columns)], frame["y"], None if weight is None else frame["w"]


def bytes_of(model, folder):
    """Return the model file."""
    path = folder / "model.ramify"
    # What intervals and sets are made of; rows that are read in parts do not tell it.
    for fact in ("_deviation", "calibration_"):
        model.__dict__.pop(fact, None)
    model.save(path)
    return path.read_bytes()


def local(X, y, weight=None, **given):
    """Grow the tree of one machine."""
    tree = ramify.DecisionTreeClassifier(**{"max_bins": 255, **given})
    return tree.fit(X, y, sample_weight=weight)
