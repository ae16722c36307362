# SPDX-License-Identifier: BSD-3-Clause
"""An online model from its file: it goes on learning where it stopped."""

from __future__ import annotations

import zipfile
from typing import Any

from ramify.estimators.online.certainty import first_certain
from ramify.estimators.online.classifier import OnlineTreeClassifier
from ramify.estimators.validation.reading import remember_columns
from ramify.estimators.validation.target import class_attributes
from ramify.serialization.archive import read_member
from ramify.serialization.plain import read_labels, read_parameters
from ramify.table.schema import Schema

__all__ = ["ONLINE_MODELS", "read_online"]

ONLINE_MODELS: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (OnlineTreeClassifier,)
}


def read_online(archive: zipfile.ZipFile, header: dict[str, Any]) -> Any:
    """Rebuild a model that goes on learning."""
    parameters = read_parameters(header["parameters"])
    chosen = parameters.get("criterion")
    if isinstance(chosen, dict):
        named = [str(each) for each in chosen["first_certain"]]
        parameters["criterion"] = first_certain(*named, types=chosen["types"])
    model = ONLINE_MODELS[header["kind"]](**parameters)
    model._columns = schema = Schema.from_dict(header["schema"], any_order=True)
    if schema.n_columns != int(header["n_features"]):
        raise ValueError(
            f"it names {schema.n_columns} columns of {header['n_features']}"
        )
    (labels,) = header["classes"]
    class_attributes(model, [read_labels(labels)])
    names = schema.names if schema.has_names else None
    remember_columns(model, names, schema.n_columns)
    model._check()
    model._restore(read_member(archive, "state"))
    return model
