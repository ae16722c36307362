# SPDX-License-Identifier: BSD-3-Clause
"""A model file becomes an estimator again; it is checked like any input."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.distributed.files.engine import check_memory
from ramify.estimators.boosting import BoostedTreesClassifier, BoostedTreesRegressor
from ramify.estimators.boosting.gradient import TreeSum
from ramify.estimators.boosting.samme import Samme
from ramify.estimators.conformal import PredictsSets
from ramify.estimators.conformal.calibrated import Calibrated
from ramify.estimators.conformal.calibration import read_calibration, read_deviation
from ramify.estimators.conformal.intervals import METHODS as INTERVAL_METHODS
from ramify.estimators.conformal.sets import METHODS as SET_METHODS
from ramify.estimators.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    CommitteeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from ramify.estimators.forest.regressor import ForestRegressor
from ramify.estimators.online.loading import ONLINE_MODELS, read_online
from ramify.estimators.optimal import OptimalTreeClassifier, OptimalTreeRegressor
from ramify.estimators.survival import (
    ExtraSurvivalTree,
    ExtraSurvivalTrees,
    RandomSurvivalForest,
    SurvivalForest,
    SurvivalTree,
)
from ramify.estimators.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ModelTreeRegressor,
    ObliqueTreeClassifier,
)
from ramify.estimators.tree.one_vs_rest import OneVsRestTreeClassifier
from ramify.estimators.validation.reading import remember_columns
from ramify.estimators.validation.target import class_attributes
from ramify.serialization.archive import (
    EDITS,
    Part,
    check_size,
    read_header,
    read_member,
)
from ramify.serialization.curves_file import read_curves, read_times
from ramify.serialization.plain import (
    read_labels,
    read_parameters,
    read_scores,
    read_search,
    read_uplift,
)
from ramify.serialization.tree_file import read_tree, read_trees
from ramify.table.schema import Schema
from ramify.tree import Tree
from ramify.tree.inspect import predicted_classes

__all__ = ["load", "read_tree_model"]


def _by_name(*kinds: type[Any]) -> dict[str, type[Any]]:
    return {kind.__name__: kind for kind in kinds}


_TREES = _by_name(
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ModelTreeRegressor,
    ObliqueTreeClassifier,
    SurvivalTree,
    ExtraSurvivalTree,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
)
_FORESTS = _by_name(
    CommitteeRegressor,
    RandomForestClassifier,
    ExtraTreesClassifier,
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    RandomForestRegressor,
    ExtraTreesRegressor,
    RandomTreesEmbedding,
    RandomSurvivalForest,
    ExtraSurvivalTrees,
)
_BOOSTED = _by_name(BoostedTreesClassifier, BoostedTreesRegressor)
_OF_SURVIVAL = (SurvivalTree, SurvivalForest)
_OF_REGRESSION = (
    *(DecisionTreeRegressor, ForestRegressor, RandomTreesEmbedding),
    *_OF_SURVIVAL,  # whose nodes have risks
)


def load(path: str | os.PathLike[str], *, max_bytes: int | str | None = None) -> Any:
    """Read a model that `save` wrote, in this release or an earlier one.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int or str, optional
        How much the model may take unpacked, such as ``"4GB"``: a file that was made to
        harm can take a thousand times its size. By default 256 MiB, or a hundred times
        the size of the file if that is more. Models with very many classes may need
        more.

    Raises
    ------
    ValueError
        If the file is damaged, is no model of Ramify, or takes more than `max_bytes`.
    """
    if max_bytes is not None:
        max_bytes = check_memory(max_bytes, "max_bytes")
    data = Path(path).read_bytes()  # now, so that damage is no error of the system
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_size(archive, len(data), max_bytes)
            header = read_header(archive)
            model = _read(archive, header)
        _set_calibration(model, header)
        if "search" in header:
            vars(model).update(read_search(header["search"]))
        return model
    except MemoryError as error:
        raise ValueError(f"{path} cannot be read as a model: too large") from error
    except Exception as error:
        raise ValueError(f"{path} cannot be read as a model: {error}") from error


def _read(archive: zipfile.ZipFile, header: dict[str, Any]) -> Any:
    """Rebuild the model of an archive."""
    if "votes" in header:
        return _read_samme(archive, header)
    if header["kind"] in _BOOSTED:
        return _read_boosted(archive, header)
    if header["kind"] in ONLINE_MODELS:
        return read_online(archive, header)
    kind = {**_TREES, **_FORESTS}[header["kind"]]
    numeric = issubclass(kind, _OF_REGRESSION)
    classes = [
        _read_number(each) if numeric else read_labels(each)
        for each in header["classes"]
    ]
    n_classes = [len(labels) for labels in classes]
    schema = _read_schema(header)
    own = header.get("tree", header)["kind"]
    has_lines = issubclass(_TREES[own], ModelTreeRegressor)
    times = read_times(archive) if issubclass(kind, _OF_SURVIVAL) else None
    if header["kind"] in _FORESTS:
        n_trees = len(header["seeds"])
        trees = []
        for part in _parts(archive, n_trees):
            tree = read_tree(part, schema, n_classes, numeric, has_lines)
            if times is not None:
                tree.curves = read_curves(part, times, tree.n_leaves, True)
            trees.append(tree)
        model = _rebuild_forest(header, schema, classes, trees)
        models = model.estimators_
    else:
        tree = read_tree(archive, schema, n_classes, numeric, has_lines)
        if times is not None:
            tree.curves = read_curves(archive, times, tree.n_leaves, False)
        model = _rebuild(header, schema, classes, tree)
        models = [model]
        if EDITS in archive.namelist():
            model.edits_ = _read_edits(archive, tree)
    if "uplift" in header:
        for each, stored in zip(models, header["uplift"], strict=True):
            each.uplift_ = read_uplift(stored, each.tree_.node_count)
    return model


def _set_calibration(model: Any, header: dict[str, Any]) -> None:
    """Set what a model knows of its errors on rows that were not fitted."""
    if "calibration" not in header:
        return
    if not isinstance(model, Calibrated):
        raise ValueError(f"a {header['kind']} has no calibration")
    stored = header["calibration"]
    if isinstance(model, PredictsSets):
        sizes = [len(classes) for classes in model._known_classes()]
        found = read_calibration(stored, sizes, SET_METHODS, len(sizes))
    else:
        n_outputs = getattr(model, "n_outputs_", 1)
        found = read_calibration(stored, None, INTERVAL_METHODS, n_outputs)
    model._keep(found)


def _read_edits(archive: zipfile.ZipFile, tree: Tree) -> dict[str, Any]:
    """Read what an editor of the tree remembers; it checks the rest when it goes on."""
    edits = json.loads(read_member(archive, EDITS))
    here = edits["here"]
    for said in (here["notes"], here["overrides"]):
        if any(not 0 <= int(node) < tree.node_count for node in said):
            raise ValueError("its edits speak of a node that is not there")
    shape = tree.value.shape[1:]
    for each in here["overrides"].values():
        if any(np.shape(each[key]) != shape for key in ("value", "rows_say")):
            raise ValueError("its edits set a leaf to something else than it can say")
        each["note"] = str(each["note"])
    return dict(edits)


def _read_schema(header: dict[str, Any]) -> Schema:
    n_columns = int(header["n_features"])
    schema = Schema.from_dict(header["schema"])
    if len(schema.columns) != n_columns:
        raise ValueError(f"it names {len(schema.columns)} columns of {n_columns}")
    return schema


def read_tree_model(kind: str, parameters: dict[str, Any]) -> Any:
    """Return a single tree that is not fitted, from what a file says of it."""
    if kind not in _TREES:
        raise ValueError(f"it speaks of a {kind!r}, which is no single tree")
    return _TREES[kind](**read_parameters(parameters))


def _rebuild(
    header: dict[str, Any], schema: Schema, classes: list[NDArray[Any]], tree: Tree
) -> Any:
    parameters = header["parameters"]
    model = _TREES[header["kind"]](**read_parameters(parameters))
    model.tree_ = tree
    _set_facts(model, header, schema, classes)
    if not isinstance(model, _OF_REGRESSION):
        predicted_classes(model)  # fails if the costs do not fit the classes
    return model


def _rebuild_forest(
    header: dict[str, Any],
    schema: Schema,
    classes: list[NDArray[Any]],
    trees: list[Tree],
) -> Any:
    if not trees:
        raise ValueError("it is a forest without trees")
    parameters = header["parameters"]
    forest = _FORESTS[header["kind"]](**read_parameters(parameters))
    forest.estimators_ = [
        _rebuild_member(header, schema, classes, seed, tree.packed())
        for seed, tree in zip(header["seeds"], trees, strict=True)
    ]
    _set_facts(forest, header, schema, classes)
    forest._set_trees()
    return forest


def _rebuild_member(
    header: dict[str, Any],
    schema: Schema,
    classes: list[NDArray[Any]],
    seed: Any,
    tree: Tree,
) -> Any:
    """Rebuild one of many trees, which differ in their seeds only."""
    kind, parameters = header["tree"]["kind"], header["tree"]["parameters"]
    whole = {**_TREES, **_FORESTS, **_BOOSTED}[header["kind"]]
    if any(
        issubclass(_TREES[kind], some) != issubclass(whole, some)
        for some in (_OF_REGRESSION, _OF_SURVIVAL)
    ):
        raise ValueError(f"it is a {header['kind']} with trees of {kind}")
    own = {**header, "kind": kind, "parameters": {**parameters, "random_state": seed}}
    return _rebuild(own, schema, classes, tree)


def _read_file_facts(stored: Any) -> dict[str, Any]:
    """Check what a model remembers of the file that it was fitted on."""
    if not isinstance(stored, dict) or not isinstance(stored.get("target"), str):
        raise ValueError("what it says of the file it was fitted on has no target")
    ignored = stored.get("ignored")
    if not isinstance(ignored, list) or not all(isinstance(n, str) for n in ignored):
        raise ValueError("the columns it ignored are not a list of names")
    whole = stored.get("whole", [])
    if not isinstance(whole, list) or not all(isinstance(n, str) for n in whole):
        raise ValueError("its columns of whole numbers are not a list of names")
    manners = stored.get("manners", {})
    if not isinstance(manners, dict) or not all(
        isinstance(plain, list) and plain for plain in manners.values()
    ):
        raise ValueError("how its numbers were written is not a list per column")
    spellings = stored.get("spellings", {})
    if not isinstance(spellings, dict) or not all(
        isinstance(known, dict) and all(isinstance(w, str) for w in known.values())
        for known in spellings.values()
    ):
        raise ValueError("its spellings are not a text for each text of a column")
    return stored


def _set_facts(
    model: Any, header: dict[str, Any], schema: Schema, classes: list[NDArray[Any]]
) -> None:
    """Set what a model knows of its columns and classes."""
    model.schema_ = schema
    if "file" in header:
        model.file_ = _read_file_facts(header["file"])
    model.max_features_ = int(header["max_features"])
    names = schema.names if schema.has_names else None
    remember_columns(model, names, schema.n_columns)
    if isinstance(model, _OF_REGRESSION):
        model.n_outputs_ = len(classes)
        if "deviation" in header:
            model._deviation = read_deviation(header["deviation"], len(classes))
    else:
        class_attributes(model, classes)
    if isinstance(model, _OF_SURVIVAL):
        one: Any = model if isinstance(model, SurvivalTree) else model.estimators_[0]
        model.unique_times_ = one.tree_.curves.times
        model.is_event_time_ = one.tree_.curves.is_event


def _read_boosted(archive: zipfile.ZipFile, header: dict[str, Any]) -> Any:
    """Rebuild a model of gradient boosting."""
    schema = _read_schema(header)
    baseline = np.array(header["baseline"], dtype=np.float64)
    trees = read_trees(archive, schema)
    n_scores = baseline.size
    if baseline.ndim != 1 or n_scores == 0 or not np.isfinite(baseline).all():
        raise ValueError("its scores do not start at numbers")
    if len(trees) != n_scores * len(header["train_score"]):
        raise ValueError(f"it has {len(trees)} trees, which are no whole rounds")
    for tree in trees:
        if (tree.kind > Tree.CATEGORIES).any() or tree.is_fractional:
            raise ValueError("it has a tree that was not boosted")
    model = _BOOSTED[header["kind"]](**read_parameters(header["parameters"]))
    model.sum_ = TreeSum(
        baseline,
        [trees[i : i + n_scores] for i in range(0, len(trees), n_scores)],
    )
    _set_rounds(model, header, schema)
    if isinstance(model, BoostedTreesClassifier):
        model.classes_ = read_labels(header["classes"])
        model.n_classes_ = len(model.classes_)
        if max(n_scores, 2) != model.n_classes_:
            raise ValueError(f"it has {n_scores} scores, {model.n_classes_} classes")
    elif n_scores != 1:
        raise ValueError(f"it predicts numbers from {n_scores} scores")
    return model


def _set_rounds(model: Any, header: dict[str, Any], schema: Schema) -> None:
    """Set what a boosted model knows of its columns and rounds."""
    model.schema_ = schema
    if "file" in header:
        model.file_ = _read_file_facts(header["file"])
    remember_columns(
        model, schema.names if schema.has_names else None, schema.n_columns
    )
    model.train_score_ = read_scores(header["train_score"])
    model.validation_score_ = read_scores(header["validation_score"])
    model.n_iter_ = len(model.train_score_)
    model._seed = int(header["seed"])


def _read_samme(archive: zipfile.ZipFile, header: dict[str, Any]) -> Any:
    """Rebuild a model that was boosted by SAMME."""
    schema, labels = _read_schema(header), read_labels(header["classes"])
    model = BoostedTreesClassifier(**read_parameters(header["parameters"]))
    if model.method == "gradient" or len(labels) < 2:
        raise ValueError("it has votes, and is no model of SAMME")
    seeds, votes, errors = header["seeds"], header["votes"], header["errors"]
    n_rounds, n_parts = len(votes), len(seeds) // max(1, len(votes))
    is_by_class = isinstance(model._tree(), OneVsRestTreeClassifier)
    expected = len(labels) if is_by_class and len(labels) > 2 else 1
    if n_rounds == 0 or len(seeds) != n_rounds * expected:
        raise ValueError(f"it has {len(seeds)} trees and {n_rounds} votes")
    if len(header["train_score"]) != n_rounds or len(errors) != n_rounds:
        raise ValueError(f"it has {n_rounds} votes, and others are its losses")
    if not all(0 < vote < np.inf for vote in [*votes, sum(votes)]):
        raise ValueError("it has a vote that is no positive number")
    if not all(0 <= error < 1 for error in errors):
        raise ValueError("it has a tree whose share of errors is not below 1")
    codes = np.arange(len(labels)) if n_parts == 1 else np.array([False, True])
    trees = [
        _rebuild_member(
            header, schema, [codes], seed, read_tree(part, schema, [len(codes)])
        )
        for seed, part in zip(seeds, _parts(archive, len(seeds)), strict=True)
    ]
    if is_by_class:
        members = [
            OneVsRestTreeClassifier.from_trees(
                trees[i : i + n_parts], np.arange(len(labels))
            )
            for i in range(0, len(trees), n_parts)
        ]
    else:
        members = trees
    model.samme_ = Samme(len(labels), members, list(votes), list(errors))
    _set_rounds(model, header, schema)
    model.classes_, model.n_classes_ = labels, len(labels)
    return model


def _parts(archive: zipfile.ZipFile, n_trees: int) -> list[Part]:
    return [Part(archive, i) for i in range(n_trees)]


def _read_number(stored: Any) -> NDArray[Any]:
    """Return the one "class" of an output that is a number."""
    if stored is not None:
        raise ValueError("it predicts numbers, and has classes")
    return np.zeros(1)
