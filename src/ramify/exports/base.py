# SPDX-License-Identifier: BSD-3-Clause
"""What a format is: what it can hold, what it needs, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ramify.exports.walk import KIND_NAMES, Walk
from ramify.messages import did_you_mean

__all__ = [
    "ALL_KINDS",
    "ALL_LINKS",
    "Answers",
    "Artefact",
    "ExportRefused",
    "Format",
    "Option",
    "Runtime",
    "codes_of_labels",
]

Floats = NDArray[np.float64]

ALL_KINDS = frozenset(range(6))
ALL_LINKS = frozenset(["none", "expit", "softmax", "exp"])
EXACT = {"none": 0.0, "expit": 1e-12, "softmax": 1e-12, "exp": 1e-12}


class ExportRefused(ValueError, TypeError):  # noqa: N818  # it is not an error of ours
    """A format cannot say what the model does."""


@dataclass(frozen=True, eq=False)
class Artefact:
    """What a format makes of a model.

    Attributes
    ----------
    data : str or bytes
        The file.
    files : dict
        Side files, by what is put behind the name of the file, such as ".names.json".
    notes : tuple of str
        What a user should know; goes into the certificate.
    is_foreign : bool
        Whether it was read from a file that may be damaged.
    """

    data: str | bytes
    files: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_foreign: bool = False

    @property
    def content(self) -> bytes:
        """The file as bytes."""
        return self.data if isinstance(self.data, bytes) else self.data.encode()

    @property
    def text(self) -> str:
        """The file as text."""
        return self.data if isinstance(self.data, str) else self.data.decode()


@dataclass(frozen=True, eq=False)
class Answers:
    """What a runtime said of some rows.

    Attributes
    ----------
    numbers : ndarray of shape (n_rows, n_answers)
        Probabilities, or the numbers predicted.
    decision : ndarray of int64, of shape (n_rows, n_outputs), or None
        Places of the classes decided for; -9 for a label that is none.
    refused : ndarray of bool, of shape (n_rows,), or None
        Rows that it would not answer for.
    """

    numbers: Floats
    decision: NDArray[np.int64] | None
    refused: NDArray[np.bool_] | None = None

    @classmethod
    def of_rows(cls, walk: Walk, said: Sequence[tuple[Any, Any] | None]) -> Answers:
        """Gather answers that came row by row.

        Each is None if the row was refused, or a pair as `predict` and `predict_proba`
        give it: with one output not in a list.
        """
        vote = walk.vote
        is_one = len(vote.outputs) == 1
        numbers = np.full((len(said), vote.n_answers), np.nan)
        labels: list[Any] = []
        for i, each in enumerate(said):
            if each is None:
                labels.append([None] * len(vote.outputs))
                continue
            labels.append([each[0]] if is_one else each[0])
            flat = is_one or vote.is_number
            numbers[i] = each[1] if flat else [x for part in each[1] for x in part]
        decision = None
        if not vote.is_number:
            decision = codes_of_labels(walk, list(zip(*labels, strict=True)))
        refused = np.array([each is None for each in said], dtype=bool)
        return cls(numbers, decision, refused)


class Runtime(Protocol):
    """A program that reads a format."""

    name: str
    is_own: bool  # our reading of the file, for want of the real program

    def version(self) -> str | None:
        """Return which version is here; None if none is."""

    def replay(
        self,
        artefact: Artefact,
        walk: Walk,
        matrix: Floats,
        options: Mapping[str, Any],
    ) -> Answers:
        """Read the artefact and predict rows with it.

        Of the walk it may use the columns and labels only.
        """


@dataclass(frozen=True)
class Option:
    """A choice that a format offers."""

    default: Any
    help: str
    choices: tuple[str, ...] | None = None
    is_list: bool = False  # may be a list of words, too

    def refusal(self, value: Any) -> str:
        """Describe what would be right in place of a value; nothing if it is."""
        if self.choices is not None:
            if isinstance(value, str) and value in self.choices:
                return ""
            known = _or(map(repr, self.choices))
            return f"{known}{did_you_mean(value, self.choices, cutoff=0.5)}"
        if isinstance(self.default, bool):
            return "" if isinstance(value, bool) else "True or False"
        if not isinstance(self.default, str):
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            is_right = value == self.default or (is_whole and value >= 0)
            return "" if value is None or is_right else "a whole number, or None"
        words = value if self.is_list and isinstance(value, list | tuple) else [value]
        is_text = len(words) > 0 and all(isinstance(word, str) for word in words)
        return "" if is_text else "text" + (", or a list of it" * self.is_list)


@dataclass(frozen=True)
class Format:
    """One row of the table of formats.

    Attributes
    ----------
    name, suffix : str
        As in ``ramify.export(model, "sql", "tree.sql")``.
    write : callable
        ``(walk, options) -> Artefact``; deterministic, and touches no disk.
    kinds : frozenset of int
        Kinds of nodes that it can hold.
    fractional : bool
        Whether missing values may go down every branch.
    lines : bool
        Whether leaves may have lines.
    outputs : int or None
        Most outputs; None: any number.
    links, decides : frozenset of str
        What it can compute, of `Vote`.
    decides_apart : bool
        Whether decisions may look at other numbers than those shown.
    exact_on : {"float64", "float32", "picture"}
        The rows for which it is exact; a picture answers nothing.
    tolerance : dict
        Largest difference of probabilities, by link.
    packages : tuple of str
        What must be installed to write it.
    runtimes : tuple of Runtime
        Who replays it; the first that is here does.
    options : dict of Option
        Its choices.
    about : str
        What it is for.
    from_model : bool
        Whether `write` takes the model itself and not its walk.
    """

    name: str
    suffix: str
    write: Callable[[Any, Mapping[str, Any]], Artefact]
    about: str
    kinds: frozenset[int] = ALL_KINDS
    fractional: bool = True
    lines: bool = False
    outputs: int | None = None
    links: frozenset[str] = ALL_LINKS
    decides: frozenset[str] = frozenset(["number", "argmax", "positive", "argmin_cost"])
    decides_apart: bool = True
    exact_on: str = "float64"
    tolerance: Mapping[str, float] = field(default_factory=lambda: EXACT)
    packages: tuple[str, ...] = ()
    runtimes: tuple[Runtime, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    from_model: bool = False

    def runtimes_for(self, options: Mapping[str, Any]) -> list[Runtime]:
        """Return the programs that read what is written with these options."""
        return [
            each
            for each in self.runtimes
            if not hasattr(each, "takes") or each.takes(options)
        ]

    def wanted(self, options: Mapping[str, Any]) -> str:
        """Name the programs that would replay it, one of which should be installed."""
        names = (each.name for each in self.runtimes_for(options) if not each.is_own)
        return " or ".join(names)

    def reasons(self, walk: Walk) -> list[str]:
        """Return what of a model it cannot hold; nothing if it can."""
        found = []
        for kind in sorted(walk.kinds - self.kinds):
            node = int(np.flatnonzero(walk.kind == kind)[0])
            found.append(f"node {node} ({_node(walk, node)})")
        if walk.is_fractional and not self.fractional:
            inner = (walk.kind > 0) & (walk.missing_branch < 0)
            node = int(np.flatnonzero(inner)[0])
            found.append(
                f"missing='fractional' (node {node} sends missing values down "
                "every branch)"
            )
        if walk.lines is not None and not self.lines:
            found.append("lines in leaves")
        vote = walk.vote
        if self.outputs is not None and len(vote.outputs) > self.outputs:
            found.append(f"{len(vote.outputs)} outputs")
        if vote.link not in self.links:
            found.append(f"scores with the link {vote.link!r}")
        if vote.decide not in self.decides:
            found.append("decisions by the cost of errors (cost_matrix)")
        if vote.decide_from and not self.decides_apart:
            found.append("decisions by other numbers than the probabilities shown")
        return found

    def check(self, walk: Walk, others: Iterable[Format]) -> None:
        """Refuse a model that it cannot hold, and name formats that can."""
        reasons = self.reasons(walk)
        if reasons:
            able = [
                repr(other.name)
                for other in others
                if other.exact_on == "float64" and not other.reasons(walk)
            ]
            raise ExportRefused(
                f"format={self.name!r} cannot say {reasons[0]}; use {_or(able)}"
            )

    def options_with(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options; refuse unknown ones, and values that are no choice."""
        for name, value in given.items():
            if name not in self.options:
                raise ValueError(
                    f"format={self.name!r} has no option {name!r}"
                    f"{did_you_mean(name, self.options, cutoff=0.5)}"
                )
            right = self.options[name].refusal(value)
            if right:
                raise ValueError(f"{name}={value!r} is not allowed; use {right}")
        return {name: option.default for name, option in self.options.items()} | dict(
            given
        )


def _node(walk: Walk, node: int) -> str:
    kind = int(walk.kind[node])
    name = KIND_NAMES[kind]
    n_terms = int(walk.term_begin[node + 1] - walk.term_begin[node])
    return f"a {name} of {n_terms} terms" if n_terms else f"a {name}"


def _or(words: Iterable[str]) -> str:
    *most, last = [*words] or ["another format"]
    return f"{', '.join(most)} or {last}" if most else last


def codes_of_labels(
    walk: Walk, labels: Sequence[Sequence[Any]], by_text: bool = False
) -> NDArray[np.int64]:
    """Return the places of labels among the classes, per output; -9 if there is none.

    `labels` has one sequence per output. With `by_text`, labels are compared as text.
    """
    columns = []
    for output, given in zip(walk.vote.outputs, labels, strict=True):
        assert output.labels is not None
        known = output.labels.tolist()
        place = {str(k) if by_text else k: i for i, k in enumerate(known)}
        columns.append([place.get(str(x) if by_text else x, -9) for x in given])
    return np.array(columns, dtype=np.int64).T.reshape(-1, len(columns))
