# SPDX-License-Identifier: BSD-3-Clause
"""A model for treelite, whose own library (GTIL) predicts from it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import numpy as np

from ramify.exports.base import EXACT, Answers, Artefact, Format
from ramify.exports.formats.chains import Link, chain
from ramify.exports.walk import CATEGORIES, INTERVALS, KNOWN, LEAF, THRESHOLD, Walk

__all__ = ["FORMAT"]


def write(walk: Walk, options: Mapping[str, Any]) -> Artefact:
    """Write a model as treelite serialises it."""
    from treelite.model_builder import (
        Metadata,
        ModelBuilder,
        PostProcessorFunc,
        TreeAnnotation,
    )

    vote = walk.vote
    by_score = len(vote.start) > 1 and walk.width == 1  # a tree per class
    sizes = [output.size for output in vote.outputs]
    is_binary = vote.decide == "positive"
    shape = (1, 1)
    if not by_score and not is_binary:
        shape = (len(sizes), max(sizes))
    n_class = [1] if is_binary else sizes
    task = "kRegressor"
    if not vote.is_number:
        task = "kBinaryClf" if is_binary else "kMultiClf"
    link = {
        "none": "identity" if vote.is_number else "identity_multiclass",
        "expit": "sigmoid",
        "softmax": "softmax",
        "exp": "exponential",
    }[vote.link]
    # Leaves that are vectors speak of all classes and targets: -1.
    target_id = -1 if shape[0] > 1 else 0
    class_id = [-1 if shape[1] > 1 else 0] * walk.n_trees
    if by_score:
        class_id = vote.first.tolist()
    builder = ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=len(walk.columns),
            task_type=task,
            average_tree_output=vote.divide > 1,
            num_target=len(sizes),
            num_class=n_class,
            leaf_vector_shape=shape,
        ),
        tree_annotation=TreeAnnotation(
            num_tree=walk.n_trees,
            target_id=[target_id] * walk.n_trees,
            class_id=class_id,
        ),
        postprocessor=PostProcessorFunc(name=link),
        base_scores=[0.0] * (len(sizes) * max(n_class)),
    )
    started: set[int] = set()
    for t in range(walk.n_trees):
        # GTIL adds its base last; in the first trees it comes first, as it should.
        first = int(vote.first[t])
        start = vote.start[first : first + walk.width]
        values = walk.value if first in started else start + walk.value
        started.add(first)
        _add_tree(builder, walk, int(walk.root[t]), values, shape, sizes)
    data = builder.commit().serialize_bytes()
    side = {}
    notes = []
    if any(info.is_categorical for info in walk.columns):
        side[".codes.json"] = json.dumps(_codes(walk), indent=1) + "\n"
        notes.append("categories are fed as codes: see .codes.json")
    if not vote.is_number:
        notes.append("a class is decided by the first of the largest margins, or > 0")
    return Artefact(bytes(data), side, tuple(notes))


def _codes(walk: Walk) -> dict[str, Any]:
    """Return how a caller encodes text."""
    unseen: Any = "missing" if walk.unseen == "missing" else "number of the categories"
    return {
        "columns": [
            {"name": info.name, "categories": [*info.categories]}
            if info.is_categorical
            else {"name": info.name}
            for info in walk.columns
        ],
        "code": "the place of a category in its list, from 0",
        "unseen": unseen,
        "missing": "NaN",
        "classes": [
            None if output.labels is None else output.labels.tolist()
            for output in walk.vote.outputs
        ],
    }


def _add_tree(
    builder: Any, walk: Walk, root: int, values: Any, shape: Any, sizes: list[int]
) -> None:
    builder.start_tree()
    keys: dict[Any, int] = {}

    def key_of(what: Any) -> int:
        return keys.setdefault(what, len(keys))

    stack: list[tuple[Any, list[Link], int]] = [(("node", root), [], 0)]
    while stack:
        what, links, i = stack.pop()
        builder.start_node(key_of(what))
        if what[0] == "node":
            node = what[1]
            if walk.kind[node] == LEAF:
                builder.leaf(_leaf(values[walk.leaf[node]].tolist(), shape, sizes))
                builder.end_node()
                continue
            links, i = chain(walk, node), 0
        link = links[i]
        on = ("node", link.on)
        off = ("node", link.off) if link.off >= 0 else ("link", link.node, i + 1)
        column = int(walk.column[link.node])
        if link.members is None:
            builder.numerical_test(
                feature_id=column,
                threshold=link.at_most,
                default_left=link.missing,
                opname="<=",
                left_child_key=key_of(on),
                right_child_key=key_of(off),
            )
        else:
            builder.categorical_test(
                feature_id=column,
                default_left=link.missing,
                category_list=list(link.members),
                category_list_right_child=False,
                left_child_key=key_of(on),
                right_child_key=key_of(off),
            )
        builder.end_node()
        stack += [(off, links, i + 1), (on, [], 0)]
    builder.end_tree()


def _leaf(line: list[float], shape: tuple[int, int], sizes: list[int]) -> Any:
    if shape == (1, 1):
        return line[0]
    padded, begin = [], 0
    for size in sizes:
        own = line[begin : begin + size]
        padded += own + [0.0] * (shape[1] - size)
        begin += size
    return padded


def _predict(data: bytes, rows: Any) -> tuple[Any, Any]:
    """Return what a file says of rows: what is shown, and the margins."""
    import treelite

    model = treelite.Model.deserialize_bytes(data)
    shown = treelite.gtil.predict(model, rows, nthread=1)
    margin = treelite.gtil.predict(model, rows, nthread=1, pred_margin=True)
    return shown, margin


# treelite trusts its files: a damaged one may end the process.
_CHILD = """
import sys
import numpy as np
from ramify.exports.formats.treelite import _predict
model, rows, shown, margin = sys.argv[1:]
said = _predict(open(model, "rb").read(), np.load(rows))
np.save(shown, said[0])
np.save(margin, said[1])
"""


def _predict_apart(data: bytes, rows: Any) -> tuple[Any, Any]:
    """Predict in a process of its own, which may crash."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("model.tl", "rows.npy", "shown.npy", "margin.npy")
        model, given, shown, margin = (Path(folder) / name for name in names)
        model.write_bytes(data)
        np.save(given, rows)
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, *map(str, (model, given, shown, margin))],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise ValueError(f"the process ended with {done.returncode}: {last}")
        return np.load(shown), np.load(margin)


class _Gtil:
    """Predicts with treelite's own library."""

    name, is_own = "treelite", False

    def version(self) -> str | None:
        if importlib.util.find_spec("treelite") is None:
            return None
        return version_of("treelite")

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        vote = walk.vote
        coded = matrix.copy()
        for j, info in enumerate(walk.columns):
            if info.is_categorical:
                new = np.nan if walk.unseen == "missing" else len(info.categories)
                coded[coded[:, j] < 0, j] = new
        coded = np.ascontiguousarray(coded)
        predict = _predict_apart if artefact.is_foreign else _predict
        shown, margin = predict(artefact.content, coded)
        n = len(matrix)
        if vote.is_number:
            return Answers(np.asarray(shown, dtype=np.float64).reshape(n, -1), None)
        if vote.decide == "positive":
            second = np.asarray(shown, dtype=np.float64).reshape(n)
            decision = (np.asarray(margin).reshape(n, 1) > 0).astype(np.int64)
            return Answers(np.column_stack([1 - second, second]), decision)
        sizes = [output.size for output in vote.outputs]
        shown = np.asarray(shown, dtype=np.float64).reshape(n, len(sizes), -1)
        margin = np.asarray(margin).reshape(n, len(sizes), -1)
        numbers = [shown[:, j, :size] for j, size in enumerate(sizes)]
        best = [margin[:, j, :size].argmax(axis=1) for j, size in enumerate(sizes)]
        return Answers(np.concatenate(numbers, axis=1), np.column_stack(best))


FORMAT = Format(
    name="treelite",
    suffix=".tl",
    write=write,
    about="for treelite and programs that read its models",
    kinds=frozenset([LEAF, THRESHOLD, CATEGORIES, INTERVALS, KNOWN]),
    fractional=False,
    decides=frozenset(["number", "argmax", "positive"]),
    decides_apart=False,
    tolerance={**EXACT, "softmax": 1e-6},  # softmax in float32
    packages=("treelite",),
    runtimes=(_Gtil(),),
)
