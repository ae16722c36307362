# SPDX-License-Identifier: BSD-3-Clause
"""Does an artefact decide as `predict` does? Tried on rows on every border."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ramify.exports.base import Answers, Artefact, ExportRefused, Format, Runtime
from ramify.exports.certificates.coverage import coverage_of
from ramify.exports.certificates.probes import make_rows
from ramify.exports.certificates.rows import Rows, columns_for, source_for, spoiled
from ramify.exports.certificates.written import FileText, as_written, read_back
from ramify.exports.origins import column_notes
from ramify.exports.walk import Walk

__all__ = [
    "Certificate",
    "ExportMismatch",
    "certificate_for",
    "coded_rows",
    "find_runtime",
    "truth",
]

Floats = NDArray[np.float64]
_LONGEST = 1000  # characters of what a runtime complains


class ExportMismatch(ValueError):  # noqa: N818  # named after what happened
    """An artefact answers otherwise than the model."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What was replayed, by whom, and with what result.

    Attributes
    ----------
    facts : dict
        Everything, as plain values; see `to_dict`.
    first : str or None
        The first row that was answered otherwise, in words.
    """

    facts: Mapping[str, Any]
    first: str | None = field(default=None)

    @property
    def is_exact(self) -> bool:
        """Whether every row was answered as by the model."""
        return self.n_different == 0

    @property
    def n_different(self) -> int:
        """Rows that were answered otherwise."""
        return int(self.facts["result"]["rows_differ"])

    @property
    def n_replayed(self) -> int:
        """Rows that were replayed."""
        return int(self.facts["rows"]["replayed"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return dict(self.facts)

    def __repr__(self) -> str:
        runtime = self.facts["runtime"]
        who = "nobody" if runtime is None else f"{runtime['name']} {runtime['version']}"
        return (
            f"Certificate({self.facts['artefact']['format']}, {self.n_replayed} rows "
            f"by {who}, {self.n_different} differ)"
        )


def find_runtime(form: Format, options: Mapping[str, Any]) -> Runtime | None:
    """Return the first runtime of a format that is here."""
    here = (each for each in form.runtimes_for(options) if each.version() is not None)
    return next(here, None)


def certificate_for(
    model: Any,
    walk: Walk,
    form: Format,
    artefact: Artefact,
    options: Mapping[str, Any],
    *,
    given: Any = None,
    n_rows: int = 20_000,
    runtime: Runtime | None = None,
) -> Certificate:
    """Replay rows in a runtime, and compare with what the model says of them.

    Parameters
    ----------
    model : estimator
        Predicts through `predict` and `predict_proba`.
    walk : Walk
        Of the model, with the names that the artefact has.
    form, artefact, options
        What is replayed.
    given : table, optional
        Rows to replay besides those that are made, as they are and with values missing.
    n_rows : int
        Most rows that are made.
    runtime : Runtime, optional
        Who replays; by default the first that is here.
    """
    runtime = runtime or find_runtime(form, options)
    begun = time.perf_counter()
    rows = make_rows(walk, n_rows)
    notes = [*artefact.notes, *walk.by_hand]
    is_raw = bool(options.get("raw_table"))
    n_given, text = 0, None
    if given is not None:
        own = given.X if isinstance(given, FileText) else given
        matrix, answered = coded_rows(model, walk, own)
        n_given = len(matrix)
        spoilt = spoiled(walk, matrix)
        rows = rows.and_(spoilt, "given, with missing values").and_(matrix, "given")
    if is_raw:
        text = as_written(walk, rows.matrix)
        if isinstance(given, FileText):  # the last rows as they stand in the file
            for name, column in text.items():
                kept = np.array(given.fields[name], dtype=object)[answered]
                column[len(column) - n_given :] = kept.tolist()
        rows = Rows(read_back(walk, text), rows.purpose)
    made = time.perf_counter()
    facts: dict[str, Any] = {
        "certificate": "ramify-export",
        "version": 1,
        "made_by": f"ramify {version('ramify')}",
        "model": {
            "hash": walk.hash(),
            "kind": walk.estimator,
            "trees": walk.n_trees,
            "nodes": walk.n_nodes,
            "leaves": walk.n_leaves,
        },
        "artefact": {
            "format": form.name,
            "options": {key: options[key] for key in sorted(options)},
            "sha256": hashlib.sha256(artefact.content).hexdigest(),
            "exact_on": form.exact_on,
        },
        "runtime": None,
        "rows": {"made": len(rows) - 2 * n_given, "given": n_given, "replayed": 0},
        "result": {"rows_differ": 0, "tolerance": form.tolerance[walk.vote.link]},
        "refused_inputs": _refused_inputs(walk),
        "columns": column_notes(walk),
        "notes": notes,
    }
    if runtime is None:
        notes.append(f"nobody was here to replay it: {form.wanted(options)}")
        return Certificate(facts)
    source = source_for(walk, rows.matrix)
    given = rows.matrix if text is None else text
    said = _replayed(runtime, form, artefact, walk, given, options)
    done = time.perf_counter()
    expected = truth(model, walk, source)
    if is_raw and isinstance(given, FileText):
        _check_reading(model, walk, own, expected, answered)
    differ, facts["result"] = _compared(form, walk, expected, said)
    facts["runtime"] = {
        "name": runtime.name,
        "version": runtime.version(),
        "own_interpreter": runtime.is_own,
    }
    facts["rows"] |= {"replayed": len(rows), "by_purpose": rows.by_purpose()}
    facts["coverage"] = coverage_of(walk, rows.matrix).to_dict()
    facts["seconds"] = {
        "rows": round(made - begun, 3),
        "replay": round(done - made, 3),
    }
    first = None
    if differ.any():
        first = _first(walk, rows, expected, said, int(differ.argmax()))
    return Certificate(facts, first)


def _replayed(
    runtime: Runtime,
    form: Format,
    artefact: Artefact,
    walk: Walk,
    matrix: Floats | Mapping[str, list[str]],
    options: Mapping[str, Any],
) -> Answers:
    """Run a runtime; whatever it raises of a damaged file becomes one sentence."""
    try:
        said = runtime.replay(artefact, walk, matrix, options)  # type: ignore[arg-type]  # text, if the options say so
        numbers = np.asarray(said.numbers, dtype=np.float64)
        if said.decision is not None and len(said.decision) != len(numbers):
            raise ValueError("it gives other numbers of labels and of probabilities")
    except (ExportRefused, ExportMismatch, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())[:_LONGEST]
        if isinstance(error, UnicodeError):
            text = "it is not UTF-8 text"
        elif type(error) is not ValueError:  # of somebody else
            text = f"{type(error).__name__}: {text}"
        raise ValueError(
            f"{runtime.name} cannot replay the {form.name} file ({text}); export the "
            "model again"
        ) from error
    return said


def _refused_inputs(walk: Walk) -> list[str]:
    found = ["infinity"]
    if walk.missing == "error":
        found.append("missing values")
    if walk.unseen == "error" or (walk.unseen == walk.missing == "missing"):
        found.append("unseen categories")
    return found


def _check_reading(
    model: Any, walk: Walk, X: Any, expected: Answers, answered: NDArray[np.bool_]
) -> None:
    """See that text was read for the comparison as `predict` reads the file."""
    own = truth(model, walk, X)
    n_given = int(answered.sum())
    if not np.array_equal(
        own.numbers[answered], expected.numbers[len(expected.numbers) - n_given :]
    ):
        raise ExportMismatch(
            "the text of the file is not read row by row as predict reads it; pass "
            "how it is written (decimal, thousands, dates, missing_values) to fit"
        )


def coded_rows(model: Any, walk: Walk, given: Any) -> tuple[Floats, NDArray[np.bool_]]:
    """Read rows of a user as numbers and codes; say which of them are answered."""
    model = getattr(model, "best_estimator_", model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = model.schema_.matrix(given, unseen="heavier")
    matrix = np.asarray(matrix, dtype=np.float64)
    if np.isinf(matrix).any():
        row, column = (int(at) for at in np.argwhere(np.isinf(matrix))[0])
        raise ValueError(
            f"column {walk.columns[column].name!r} is infinite in row {row}; predict "
            "refuses that, and so it cannot be replayed"
        )
    answered = np.ones(len(matrix), dtype=bool)
    if walk.missing == "error":
        answered &= ~np.isnan(matrix).any(axis=1)
    is_set = np.array([info.is_categorical for info in walk.columns])
    if walk.unseen not in ("heavier", "parent"):
        new = (matrix < 0) & is_set
        if walk.unseen == "error" or walk.missing == "error":
            answered &= ~new.any(axis=1)
    return matrix[answered], answered


def truth(model: Any, walk: Walk, source: Any) -> Answers:
    """Predict by the model's public methods."""
    vote = walk.vote
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names given for the export only
        predicted = np.asarray(model.predict(source))
        predicted = predicted.reshape(len(predicted), -1)
        if vote.is_number:
            return Answers(predicted.astype(np.float64), None)
        shares = model.predict_proba(source)
    numbers = np.concatenate(shares, axis=1) if isinstance(shares, list) else shares
    columns = []
    for j, output in enumerate(vote.outputs):
        assert output.labels is not None
        place = {label: i for i, label in enumerate(output.labels.tolist())}
        columns.append([place[label] for label in predicted[:, j].tolist()])
    return Answers(np.asarray(numbers), np.array(columns, dtype=np.int64).T)


def _compared(
    form: Format, walk: Walk, truth: Answers, said: Answers
) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    tolerance = form.tolerance[walk.vote.link]
    if said.numbers.shape != truth.numbers.shape:
        raise ExportMismatch(
            f"{form.name} answers with the shape {said.numbers.shape}, the model with "
            f"{truth.numbers.shape}"
        )
    with np.errstate(invalid="ignore"):
        difference = np.abs(said.numbers - truth.numbers)
        scale = np.maximum(1.0, np.abs(truth.numbers))
    difference = np.where(np.isnan(difference), np.inf, difference)
    none: NDArray[np.bool_] = np.zeros(len(difference), dtype=np.bool_)
    decided = refused = none
    if truth.decision is not None and said.decision is not None:
        decided = np.asarray((said.decision != truth.decision).any(axis=1))
    if said.refused is not None:
        refused = said.refused
    differ = (
        np.asarray((difference > tolerance * scale).any(axis=1)) | decided | refused
    )
    finite = difference[np.isfinite(difference)]
    return differ, {
        "rows_differ": int(differ.sum()),
        "decisions_differ": int(decided.sum()),
        "refused": int(refused.sum()),
        "largest_difference": float(finite.max(initial=0.0)),
        "tolerance": tolerance,
    }


def _first(walk: Walk, rows: Rows, truth: Answers, said: Answers, i: int) -> str:
    """Describe the first row that is predicted otherwise."""
    cells = [column[0] for column in columns_for(walk, rows.matrix[i : i + 1])]
    shown = [
        f"{info.name}={cell!r}"
        for info, cell in zip(walk.columns, cells, strict=True)
        if cell is not None
    ]
    if len(shown) > 6:
        shown[6:] = [f"{len(shown) - 6} more"]
    return (
        f"the first ({rows.purpose[i]}) has {', '.join(shown) or 'no values'} "
        f"(predict: {_said(walk, truth, i)}, the file: {_said(walk, said, i)})"
    )


def _said(walk: Walk, answers: Answers, i: int) -> str:
    if answers.refused is not None and answers.refused[i]:
        return "refused"
    numbers = ", ".join(f"{x:.17g}" for x in answers.numbers[i, :4].tolist())
    if answers.decision is None:
        return numbers
    labels = []
    for j, output in enumerate(walk.vote.outputs):
        code = int(answers.decision[i, j])
        assert output.labels is not None
        known = 0 <= code < output.size
        labels.append(repr(output.labels.tolist()[code]) if known else "no class")
    return f"{', '.join(labels)} [{numbers}]"
