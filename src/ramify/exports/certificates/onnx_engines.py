# SPDX-License-Identifier: BSD-3-Clause
"""Who reads an ONNX file: onnxruntime, or the evaluator of the onnx package."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from importlib.metadata import version as version_of
from typing import Any

import numpy as np

from ramify.exports.base import Answers, Artefact, codes_of_labels
from ramify.exports.certificates.rows import columns_for
from ramify.exports.walk import Walk

__all__ = ["Onnxruntime", "ReferenceEvaluation"]


class _Reader:
    """What both readers share."""

    name, package, is_own = "onnxruntime", "onnxruntime", False

    def version(self) -> str | None:
        """Return the version of the package; None if it is not here."""
        if importlib.util.find_spec(self.package) is None:
            return None
        return version_of(self.package)

    def _run(self, data: bytes, feeds: Any) -> tuple[list[str], list[Any]]:
        raise NotImplementedError

    def replay(
        self, artefact: Artefact, walk: Walk, matrix: Any, options: Mapping[str, Any]
    ) -> Answers:
        """Predict rows with the file."""
        vote = walk.vote
        names, said = self._run(artefact.content, _feeds(walk, matrix, options))
        by_name = dict(zip(names, said, strict=True))
        if vote.is_number:
            return Answers(np.asarray(said[0], dtype=np.float64), None)
        values = list(by_name.values())
        numbers = np.concatenate(values[1::2], axis=1)
        labels = [list(each.tolist()) for each in values[0::2]]
        return Answers(numbers, codes_of_labels(walk, labels))


def _feeds(walk: Walk, matrix: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    number = np.dtype(options["input"])
    if not any(info.is_categorical for info in walk.columns):
        return {"X": matrix.astype(number)}
    feeds: dict[str, Any] = {}
    for info, cells in zip(walk.columns, columns_for(walk, matrix), strict=True):
        is_text = not info.categories or isinstance(info.categories[0], str)
        if info.is_categorical and is_text:
            missing_text = options["missing_text"]
            column = np.array(
                [missing_text if x is None else x for x in cells], dtype=object
            )
        else:
            kind = np.float64 if info.is_categorical else number
            column = np.array([np.nan if x is None else x for x in cells], dtype=kind)
        feeds[info.name] = column[:, None]
    return feeds


class Onnxruntime(_Reader):
    """Runs the file in onnxruntime."""

    def _run(self, data: bytes, feeds: Any) -> tuple[list[str], list[Any]]:
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            data,
            settings,
            providers=["CPUExecutionProvider"],
            enable_fallback=0,  # which would print that it tries once more
        )
        names = [each.name for each in session.get_outputs()]
        return names, session.run(names, feeds)


class ReferenceEvaluation(_Reader):
    """Runs the file in the evaluator of the onnx package."""

    name, package, is_own = "the reference evaluator of onnx", "onnx", True

    def _run(self, data: bytes, feeds: Any) -> tuple[list[str], list[Any]]:
        import onnx
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(onnx.load_from_string(data))
        names = list(evaluator.output_names)
        return names, list(evaluator.run(names, feeds))
