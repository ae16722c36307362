# SPDX-License-Identifier: BSD-3-Clause
"""A model file: a zip archive of one JSON header and one NumPy file per array.

``model.json`` holds the format's version, the class of the estimator, its parameters,
the labels and what is known of the columns; ``tree/<array>.npy`` holds each array of
the tree, or ``trees/<i>/<array>.npy`` those of each tree of a forest. ``edits.json`` is
there if the tree was edited by hand (`ramify.edit`). Nothing in it can run code.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from typing import Any

from ramify.io.writing import write_bytes

__all__ = [
    "BOOSTED",
    "EDITS",
    "FORESTS",
    "FORMAT",
    "ONLINE",
    "TREES",
    "VERSION",
    "Part",
    "check_size",
    "of_survival",
    "read_header",
    "read_member",
    "version_of",
    "write",
]

FORMAT = "ramify-model"
EDITS = "edits.json"  # what an editor of the tree remembers; in few files
VERSION = 3
_VERSION_OF_SURVIVAL = 4  # leaves have curves

# The classes of which a file can hold a model.
TREES = (
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ModelTreeRegressor",
    "ObliqueTreeClassifier",
    "SurvivalTree",
    "ExtraSurvivalTree",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
)
FORESTS = (
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "CommitteeRegressor",
    "RandomForestRegressor",
    "ExtraTreesRegressor",
    "RandomTreesEmbedding",
    "RandomSurvivalForest",
    "ExtraSurvivalTrees",
)
# Of these it holds the state, from which they go on learning.
ONLINE = ("OnlineTreeClassifier", "OnlineTreeRegressor", "OnlineForestClassifier")
BOOSTED = ("BoostedTreesClassifier", "BoostedTreesRegressor")

_EVERY = {"format", "version", "kind", "parameters", "n_features", "schema", "classes"}
# A forest also says of what class its trees are, and the seed of each.
_KEYS: dict[str, set[str]] = {
    **dict.fromkeys(TREES, _EVERY | {"max_features"}),
    **dict.fromkeys(ONLINE, _EVERY),
    **dict.fromkeys(FORESTS, _EVERY | {"max_features", "tree", "seeds"}),
    **dict.fromkeys(
        BOOSTED, _EVERY | {"baseline", "train_score", "validation_score", "seed"}
    ),
}
# Boosting by SAMME has trees like those of a forest, and what their votes weigh.
_OF_SAMME = (
    _EVERY
    | {"max_features", "tree", "seeds", "votes", "errors"}
    | {"train_score", "validation_score", "seed"}
)

# What fit may have read or learnt, or not: its file, what treatment changes, how far
# numbers are spread, errors on rows that were not fitted, and what a search has proved.
_NOT_ALWAYS = {"file", "uplift", "deviation", "calibration", "search"}


def of_survival(kind: str) -> bool:
    """Return whether models of a class have curves in their leaves."""
    return "Survival" in kind


def version_of(kind: str) -> int:
    """Return the version of the format that holds a model of a class."""
    return _VERSION_OF_SURVIVAL if of_survival(kind) else VERSION


class Part:
    """The part of an archive that holds one tree of many."""

    def __init__(self, archive: zipfile.ZipFile, number: int) -> None:
        self._archive, self._number = archive, number

    def _path(self, name: str) -> str:
        return f"trees/{self._number}/{name.removeprefix('tree/')}"

    def writestr(self, name: str, data: bytes) -> None:
        """Add a file of the tree."""
        self._archive.writestr(self._path(name), data)

    def getinfo(self, name: str) -> zipfile.ZipInfo:
        """Find a file of the tree."""
        return self._archive.getinfo(self._path(name))

    def read(self, info: zipfile.ZipInfo) -> bytes:
        """Unpack a file that was found."""
        return self._archive.read(info)


class _Timeless(zipfile.ZipFile):
    """An archive that does not say when it was written: the same model, same bytes."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *more: Any) -> None:
        """Add a file of the first day that an archive can name."""
        if isinstance(zinfo_or_arcname, str):
            info = zipfile.ZipInfo(zinfo_or_arcname)
            info.compress_type = self.compression
            info.external_attr = 0o600 << 16
            zinfo_or_arcname = info
        super().writestr(zinfo_or_arcname, data, *more)


def write(
    path: str | os.PathLike[str],
    header: dict[str, Any],
    add_arrays: Callable[[zipfile.ZipFile], None],
) -> None:
    """Write header and arrays to a file."""
    packed = io.BytesIO()  # the same bytes for a pipe, in which zip cannot go back
    with _Timeless(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(header, indent=1))
        add_arrays(archive)
    write_bytes(path, packed.getbuffer())


# What a model may take unpacked, unless the user allows more: so many bytes, or so many
# times the bytes of its file.
_ALWAYS_ALLOWED = 2**28
_MAX_RATIO = 100
_BYTES_OF_JSON = 10  # each takes about that many as Python's objects


def check_size(archive: zipfile.ZipFile, n_packed: int, max_bytes: int | None) -> None:
    """Refuse a file that would take far more memory than its size says.

    Such as by arrays of zeros for classes that a forger made up. Sizes are those that
    the archive names; no more is ever unpacked.
    """
    n_bytes = sum(
        entry.file_size * (_BYTES_OF_JSON if entry.filename == "model.json" else 1)
        for entry in archive.infolist()
    )
    allowed = max_bytes
    if allowed is None:
        allowed = max(_ALWAYS_ALLOWED, _MAX_RATIO * n_packed)
    if n_bytes > allowed:
        raise ValueError(
            f"it takes {n_bytes} bytes unpacked, {n_bytes / n_packed:.0f} times those "
            f"of the file, and {allowed} are allowed; if you trust it, load it with "
            f"max_bytes={n_bytes}"
        )


def read_header(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Read what the file says of its model; refuse what this release cannot read."""
    header = json.loads(read_member(archive, "model.json"))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("it is not a model of Ramify")
    version, kind = header["version"], header["kind"]
    known = version_of(str(kind))
    if version != known:
        raise ValueError(
            f"it has format version {version!r}; this release reads version {known} of "
            "such models"
        )
    if kind not in _KEYS:
        raise ValueError(f"it holds a {kind!r}, which is no model that can be saved")
    is_samme = kind == "BoostedTreesClassifier" and "votes" in header
    odd = (set(header) - _NOT_ALWAYS) ^ (_OF_SAMME if is_samme else _KEYS[kind])
    if odd:
        raise ValueError(f"its header lacks, or should not have, {sorted(odd)}")
    return header


def read_member(archive: Any, name: str, most: int | None = None) -> bytes:
    """Unpack one file, unless a forger made it explode.

    Header and links between nodes do not repeat themselves; they never shrink a
    hundredfold, unless they are small.
    """
    info = archive.getinfo(name)
    if most is None:
        most = 2**24 + 100 * info.compress_size
    if info.file_size > most:
        raise ValueError(
            f"{name} has {info.file_size} bytes, at most {most} make sense"
        )
    data: bytes = archive.read(info)
    return data
