# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of openml.org, fetched and kept by scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as sklearn_datasets

from ramify.datasets.dataset import Dataset

__all__ = ["load_openml"]


def load_openml(name: str, target: str | None = None) -> Dataset:
    """Load a data set by its name or number there, such as "credit-g" or "31"."""
    shown = f"data set 'openml:{name}'"
    if not name:
        raise ValueError(
            "'openml:' lacks a name or number, such as openml:credit-g or openml:31."
        )
    which = {"data_id": int(name)} if name.isdecimal() else {"name": name}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # several versions: the oldest active one
            found = sklearn_datasets.fetch_openml(
                **which,
                target_column="default-target" if target is None else target,
                as_frame=False,
                parser="liac-arff",  # the other one needs pandas
            )
    except ImportError as error:
        raise ValueError(f"{shown} cannot be read: {_in_one_line(error)}") from None
    except OSError as error:
        raise ValueError(
            f"{shown} cannot be fetched: {_in_one_line(error)}; it needs a network "
            "the first time."
        ) from None
    except (ValueError, KeyError) as error:
        raise ValueError(f"{shown} cannot be read: {_in_one_line(error)}") from None
    return _dataset(name, found, shown)


def _dataset(name: str, found: Any, shown: str) -> Dataset:
    if found.target is None or np.ndim(found.target) != 1:
        raise ValueError(f"{shown} has no single target; name one.")
    if hasattr(found.data, "tocsc"):
        raise ValueError(f"{shown} is sparse; only dense data sets are read.")
    y = np.asarray(found.target)
    is_known = np.array([value is not None and value == value for value in y.tolist()])
    if not is_known.any():
        raise ValueError(f"the target of {shown} has no labels.")
    y = _labels(y[is_known], shown)
    categories = found.categories or {}
    columns = [
        _column(found.data[is_known, j], categories.get(column))
        for j, column in enumerate(found.feature_names)
    ]
    details = found.get("details", {})
    return Dataset(
        str(details.get("name", name)),
        columns,
        y,
        list(map(str, found.feature_names)),
        [str(value) for value in np.unique(y)],
        f"OpenML data set {details.get('id', name)}, by scikit-learn.",
        int((~is_known).sum()),
    )


def _labels(y: NDArray[Any], shown: str) -> NDArray[Any]:
    if y.dtype.kind == "f":
        if not (y == np.round(y)).all():
            raise ValueError(
                f"the target of {shown} holds numbers with fractions, such as "
                f"{y[y != np.round(y)][0]}; a class label must be an integer or text."
            )
        return y.astype(np.int64)
    return y.astype(str) if y.dtype == object else y


def _column(values: NDArray[Any], categories: list[Any] | None) -> NDArray[Any]:
    """Return numbers as they are, and the category for each code."""
    if categories is None:
        try:
            return values.astype(np.float64)
        except ValueError:  # text that is not nominal
            return np.array([None if v is None else str(v) for v in values], object)
    known = np.array([*map(str, categories), None], dtype=object)
    codes = values.astype(np.float64)
    return known[np.where(np.isnan(codes), -1, codes).astype(np.intp)]


def _in_one_line(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    return " ".join(str(error if reason is None else reason).split()) or repr(error)
