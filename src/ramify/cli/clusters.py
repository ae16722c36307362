# SPDX-License-Identifier: BSD-3-Clause
"""Files that the workers of a Dask cluster read: what ``fit --dask`` does."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ramify.cli.options import cluster
from ramify.distributed.files.sources import expand

__all__ = ["fit_on_cluster"]


def fit_on_cluster(
    model: Any,
    data: Sequence[str],
    target: str,
    how: dict[str, Any],
    kinds: Mapping[str, Sequence[str]],
) -> None:
    """Fit a model on Parquet files that workers read.

    Parameters
    ----------
    model : estimator
        What to fit.
    data : list of str
        Files, folders, patterns, or addresses such as s3://bucket/train.
    target : str
        The column to predict.
    how : dict
        dask, the address; memory, weight and checkpoint; None where not given.
    kinds : dict
        Names of columns that are "categorical", "numeric" or "ignore".
    """
    if how["scratch"] is not None:
        raise click.UsageError("--scratch is for streams; leave it out with --dask.")
    with cluster(how["dask"]) as client:
        from ramify.distributed.dask.estimators import of
        from ramify.distributed.dask.files import read_files

        try:
            there = of(model, client=client)
        except TypeError as error:
            raise click.UsageError(str(error)) from error
        is_there = any("://" in each for each in data)
        ddf = read_files(list(data) if is_there else expand(data))
        features = _features(ddf, target, how["weight"], kinds)
        text = [name for name in features if not _is_numeric(ddf[name].dtype)]
        odd = [name for name in kinds["numeric"] if name in text]
        if odd:
            raise ValueError(f"column {odd[0]!r} of {data[0]} holds text, not numbers")
        if kinds["categorical"]:
            chosen = {*kinds["categorical"], *text}
            there.set_params(
                categorical_features=[name for name in features if name in chosen]
            )
        for name in ("memory", "checkpoint"):
            if how[name] is not None:
                there.set_params(**{name: how[name]})
        weight = None if how["weight"] is None else ddf[how["weight"]]
        there.fit(ddf[features], ddf[target], sample_weight=weight)
    own = model.get_params(deep=False)
    learnt = vars(there.to_local()).items()
    model.__dict__.update({name: each for name, each in learnt if name not in own})
    ignored = [*kinds["ignore"], *([] if how["weight"] is None else [how["weight"]])]
    model.file_ = {"target": target, "ignored": ignored}


def _features(
    ddf: Any, target: str, weight: str | None, kinds: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the columns to learn from; refuse names that are not there."""
    names = list(map(str, ddf.columns))
    wanted = [target, *kinds["categorical"], *kinds["numeric"], *kinds["ignore"]]
    for name in [*wanted, *([] if weight is None else [weight])]:
        if name not in names:
            raise ValueError(
                f"there is no column {name!r}; there are {', '.join(names[:12])}"
            )
    others = {target, weight, *kinds["ignore"]}
    features = [name for name in names if name not in others]
    if not features:
        raise ValueError("no column is left to learn from")
    return features


def _is_numeric(dtype: Any) -> bool:
    return getattr(dtype, "kind", "O") in "fiub"
