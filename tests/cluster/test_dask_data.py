# SPDX-License-Identifier: BSD-3-Clause
"""X, labels and weights of a cluster lie together, however each was cut."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from ramify.distributed.dask.data import partitions_of

N = 600


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=N) for j in range(12)}
    return pd.DataFrame(
        {"id": np.arange(N), **columns, "y": np.arange(N) % 3, "w": np.arange(N) * 0.5}
    )


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """Files of 100 rows, which Dask reads several at once if few columns are asked."""
    path = tmp_path_factory.mktemp("files")
    for i in range(6):
        frame[100 * i : 100 * i + 100].to_parquet(path / f"{i}.parquet")
    return path


def read(client, X, y, w=None):
    parts = partitions_of(X, ("y", y), ("sample_weight", w), client=client)
    futures = client.compute(parts)
    try:
        found = client.gather(futures)
    finally:
        client.cancel(futures)
    for rows, labels, weights in found:
        ids = np.asarray(rows)[:, 0].astype(int)
        assert np.array_equal(np.asarray(labels).ravel(), ids % 3)
        if w is not None:
            assert np.array_equal(np.asarray(weights), ids * 0.5)
        else:
            assert weights is None
    assert sum(len(rows) for rows, *_ in found) == N
    return [len(rows) for rows, *_ in found]


def test_columns_of_one_parquet_frame_lie_together(client, folder):
    ddf = dd.read_parquet(folder)
    X = ddf[["id", *(f"x{j}" for j in range(12))]]
    assert ddf["y"].optimize().npartitions < X.npartitions == 6  # Dask reads otherwise
    assert read(client, X, ddf["y"], ddf["w"]) == [100] * 6
    assert read(client, X, ddf["y"]) == [100] * 6
    assert read(client, X, ddf[["y"]]) == [100] * 6


def test_arrays_of_unknown_lengths_are_cut_as_x_is(client, folder):
    ddf = dd.read_parquet(folder)
    X = ddf[["id", "x1", "x2"]]
    assert len(read(client, X, ddf["y"].to_dask_array(), ddf["w"])) < 6
    read(client, X.to_dask_array(), ddf["y"], ddf["w"].to_dask_array())
    read(client, X.to_dask_array(), ddf[["y"]].to_dask_array())


@pytest.mark.parametrize("chunk", [20, 250, N])
def test_arrays_cut_otherwise_are_cut_by_position(client, frame, chunk):
    X = dd.from_pandas(frame[["id", "x1"]], npartitions=5)
    y = da.from_array(frame["y"].to_numpy(), chunks=chunk)
    w = da.from_array(frame["w"].to_numpy(), chunks=77)
    assert len(read(client, X, y, w)) == 5
    array = da.from_array(frame[["id", "x1"]].to_numpy(), chunks=(130, 2))
    assert read(client, array, y, w) == [130, 130, 130, 130, 80]
    assert read(client, array, y, None) == [130, 130, 130, 130, 80]


def test_empty_partitions_are_partitions(client, frame):
    ddf = dd.from_pandas(frame, npartitions=6)
    few = dd.concat([ddf[ddf["id"] < 0], ddf, ddf[ddf["id"] < 0]])
    y = da.from_array(frame["y"].to_numpy(), chunks=99)
    lengths = read(client, few[["id", "x1"]], y, few["w"])
    assert lengths == [0] * 6 + [100] * 6 + [0] * 6


def refused(client, error, match, X, y, w=None):
    with pytest.raises(error, match=match):
        read(client, X, y, w)


def test_what_does_not_fit_together_is_refused(client, frame):
    ddf = dd.from_pandas(frame, npartitions=6)
    X, y = ddf[["id", "x1"]], ddf["y"]
    refused(client, TypeError, "class of ramify without .dask", frame[["id"]], y)
    refused(client, TypeError, "y is a Series in memory", X, frame["y"])
    refused(client, TypeError, "X is a Series", y, y)
    few = y.repartition(npartitions=3)
    refused(client, ValueError, "X has 6 partitions, y has 3", X, few)
    other = dd.from_pandas(frame.sort_values("y").reset_index()["y"][::-1], 6)
    other = other.repartition(divisions=[0, 50, 200, 300, 400, 500, 599])
    refused(client, ValueError, "the divisions of X and y differ: number 1", X, other)
    odd = y[y > 0].clear_divisions()
    refused(client, ValueError, "X has 100 rows, y has 6[67]", X.clear_divisions(), odd)
    short = da.zeros(599, chunks=100)
    refused(client, ValueError, "X has 600 rows, y has 599", X, short)
    wide = da.zeros((600, 4), chunks=(100, 2))
    refused(client, ValueError, r"2 chunks of columns.*X\.rechunk", wide, short)
    refused(client, ValueError, "X has 3 dimensions; 2", da.zeros((6, 2, 2)), short)
    refused(client, ValueError, "X has 1 dimensions; 2", da.zeros(6), short)


def test_a_partition_of_other_columns_is_refused(client, frame):
    def other(part):
        return part.rename(columns={"x1": "z"}) if part["id"].iloc[0] >= 300 else part

    ddf = dd.from_pandas(frame[["id", "x1", "y"]], npartitions=3)
    odd = ddf.map_partitions(other, meta=ddf._meta, enforce_metadata=False)
    match = r"it has the columns \['id', 'z', 'y'\]"
    refused(client, ValueError, match, odd, ddf["y"])
