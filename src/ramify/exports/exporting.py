# SPDX-License-Identifier: BSD-3-Clause
"""Write a model in another form, and certify that it answers as before."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ramify.exports.base import Artefact, ExportRefused, Format
from ramify.exports.certificates.certificate import (
    Certificate,
    ExportMismatch,
    certificate_for,
    find_runtime,
)
from ramify.exports.certificates.command import Command
from ramify.exports.reading import walk_of
from ramify.exports.registry import FORMATS, format_named, format_of_file
from ramify.exports.walk import Walk
from ramify.io.writing import (
    check_output,
    is_special,
    write_bytes,
    write_together,
)
from ramify.tree.moment import as_tree

__all__ = ["Export", "certify", "export", "export_formats"]

CERTIFICATE = ".certificate.json"


@dataclass(frozen=True, eq=False)
class Export:
    """A model in another form.

    Attributes
    ----------
    artefact : str or bytes
        The file.
    certificate : Certificate or None
        What was replayed; None if that was not wanted, or is not possible.
    files : dict
        Other files that belong to it, by name; those that were written, by path.
    format : str
        The format.
    """

    artefact: str | bytes
    certificate: Certificate | None
    files: Mapping[str, str]
    format: str

    def __repr__(self) -> str:
        size = len(self.artefact)
        return f"Export({self.format!r}, {size} characters, {self.certificate!r})"


def export(
    model: Any,
    format: str,
    path: str | os.PathLike[str] | None = None,
    *,
    certify: Any = True,
    n_rows: int = 20_000,
    allow_mismatch: bool = False,
    feature_names: Sequence[str] | None = None,
    times: Sequence[float] | None = None,
    **options: Any,
) -> Export:
    """Write a fitted model in another form that answers as `predict` does.

    What the format cannot hold is refused. The result is replayed on made-up rows that
    reach every leaf and every border, in the real runtime where that is installed, and
    a certificate says with what result; it is written beside the file, unless the path
    leads to a device or a pipe.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest, gradient boosting or tuned tree. Of survival trees and
        forests the risk is exported, as a number.
    format : str
        One of ``ramify.export_formats()``, such as "sql", "c", "onnx" or "json".
    path : path, optional
        Where to write it. Without it nothing is written.
    certify : bool or table, default=True
        Whether to replay it; a table of rows is replayed, too.
    n_rows : int, default=20_000
        Most rows that are made for that.
    allow_mismatch : bool, default=False
        Write it even if rows are answered otherwise, with a warning.
    feature_names : sequence of str, optional
        Names of the columns, if the model was not fitted on a data frame.
    times : sequence of float, optional
        Of survival trees and forests: export survival at each of these times, as
        several numbers, in place of the risk.
    **options
        Choices of the format, such as ``dialect="duckdb"`` for SQL.

    Returns
    -------
    Export

    Raises
    ------
    ExportRefused
        If the format cannot hold the model (a ValueError).
    ExportMismatch
        If a row is answered otherwise (a ValueError); nothing is written.

    Examples
    --------
    >>> import ramify
    >>> X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    >>> tree = ramify.DecisionTreeClassifier().fit(X, y)
    >>> made = ramify.export(tree, "python", feature_names=["size"])
    >>> made.certificate.is_exact
    True
    >>> module = {}
    >>> exec(made.artefact, module)
    >>> module["predict"]({"size": 1.5})
    'a'
    """
    form = format_named(format)
    chosen = form.options_with(options)
    if path is not None:
        check_output(path)
    model = as_tree(model)
    if form.shows_times and times is not None:
        chosen["times"] = times
    else:
        model = numbers_of(model, times, keeps_curves=form.shows_times)
    walk = walk_of(model, feature_names)
    form.check(walk, FORMATS.values())
    _check_text(walk)
    require(form)
    artefact = form.write(model if form.from_model else walk, chosen)
    certificate = None
    if form.exact_on != "picture" and not (isinstance(certify, bool) and not certify):
        given = None if isinstance(certify, bool) else certify
        certificate = certificate_for(
            *(model, walk, form, artefact, chosen), given=given, n_rows=n_rows
        )
        if times is not None:
            certificate.facts["model"]["times"] = list(map(float, times))
        _judge(form, chosen, certificate, path, allow_mismatch)
    files = dict(artefact.files)
    if certificate is not None:
        files[CERTIFICATE] = json.dumps(certificate.to_dict(), indent=1) + "\n"
    if path is not None and is_special(path):  # which has no place beside it
        write_bytes(path, artefact.content)
    elif path is not None:
        target = Path(path)
        data = {"": artefact.content} | {k: v.encode() for k, v in files.items()}
        write_together({f"{target}{ending}": each for ending, each in data.items()})
        files = {f"{target}{ending}": each for ending, each in files.items()}
    return Export(artefact.data, certificate, files, form.name)


def certify(
    model: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    *,
    format: str | None = None,
    n_rows: int = 20_000,
    feature_names: Sequence[str] | None = None,
    runtime: str | Sequence[str] | None = None,
    times: Sequence[float] | None = None,
    **options: Any,
) -> Certificate:
    """Replay a file that was exported before, maybe elsewhere; give a certificate.

    Parameters
    ----------
    model : estimator
        The model that the file should be of.
    path : path
        The file. A certificate beside it names its format and options; if the file
        was changed after that was made, the new certificate has a note of it.
    X : table, optional
        Rows to replay besides those that are made.
    format : str, optional
        The format; by default what the certificate, or the name of the file, says.
    n_rows : int, default=20_000
        Most rows that are made.
    feature_names : sequence of str, optional
        Names of the columns in the file, if the model has none.
    runtime : str or sequence of str, optional
        A command that runs the file, in which ``{file}`` is its path, for a program
        that Ramify does not know. It reads a row a line, ``{"age": 41.5, "city":
        null}``, and writes an answer a line, ``{"prediction": "van", "probabilities":
        [0.25, 0.75]}``, ``{"prediction": 3.5}`` for a number, or ``null`` if it
        refuses the row.
    times : sequence of float, optional
        Of survival trees and forests: the times of survival that it was exported with.
    **options
        Choices with which it was exported, if there is no certificate.

    Returns
    -------
    Certificate
        Look at ``certificate.is_exact``.

    Raises
    ------
    ValueError
        If the certificate beside the file is of another model, or nobody is here to
        replay the file, or it is too damaged for that.
    """
    place = Path(path)
    data = place.read_bytes()
    beside = Path(f"{place}{CERTIFICATE}")
    old: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    if beside.exists():
        old = _old_certificate(beside)
        notes = _changes(data, old["artefact"]["sha256"], beside)
        format = format or old["artefact"]["format"]
        options = {**old["artefact"]["options"], **options}
        times = old["model"]["times"] if times is None else times
    form = format_named(format) if format else format_of_file(str(place))
    chosen = form.options_with(options)
    model = numbers_of(as_tree(model), times, keeps_curves=False)
    walk = walk_of(model, feature_names)
    if old is not None and old["model"]["hash"] != walk.hash():
        raise ValueError(
            f"{beside} is of another model: {old['model']['hash'][:19]}..., not "
            f"{walk.hash()[:19]}...; export this one again"
        )
    form.check(walk, FORMATS.values())
    require(form)
    if form.exact_on == "picture":
        raise ValueError(f"{place} is a picture ({form.name}): it answers nothing")
    command = None if runtime is None else Command(runtime, place.absolute())
    if command is None and find_runtime(form, chosen) is None:
        raise ValueError(
            f"nobody is here to replay {place}: install {form.wanted(chosen)}"
        )
    side = {
        str(each).removeprefix(str(place)): each.read_text(errors="replace")
        for each in place.parent.glob(f"{glob_safe(place.name)}.*")
        if each.suffix in (".json", ".sql") and each != beside
    }
    is_binary = b"\0" in data[:4096]
    artefact = Artefact(
        data if is_binary else _text(data, place), side, notes, is_foreign=True
    )
    return certificate_for(
        *(model, walk, form, artefact, chosen),
        given=X,
        n_rows=n_rows,
        runtime=command,
    )


def numbers_of(model: Any, times: Any, *, keeps_curves: bool) -> Any:
    """Return the regressor that stands for a survival model; others as they are."""
    found = getattr(model, "best_estimator_", model)
    if not hasattr(found, "as_regressor"):
        if times is not None:
            raise ValueError(
                f"times={times!r} is for survival trees and forests, not "
                f"{type(model).__name__}; leave it out"
            )
        return model
    if keeps_curves:
        return model
    return found.as_regressor("risk" if times is None else ("survival", times))


def _check_text(walk: Walk) -> None:
    """Refuse names, categories and labels that no file of text holds."""
    for info in walk.columns:
        _check_characters(info.name, "the column name", "pass feature_names")
        for category in info.categories:
            _check_characters(
                category, f"the category of column {info.name!r}", "rename it"
            )
    for output in walk.vote.outputs:
        for label in () if output.labels is None else output.labels.tolist():
            _check_characters(label, "the label", "rename it")


def _check_characters(value: Any, what: str, advice: str) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ExportRefused(
                f"{what} {value!r} has half a character (a lone surrogate), which no "
                f"text file holds; {advice}, and export again"
            ) from None


def glob_safe(name: str) -> str:
    """Write a name so that it matches itself only."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _text(data: bytes, place: Path) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _old_certificate(path: Path) -> dict[str, Any]:
    try:
        old = json.loads(path.read_text())
        if old["certificate"] != "ramify-export":
            raise ValueError("it is none")
        made = {
            "format": str(old["artefact"]["format"]),
            "options": {**old["artefact"]["options"]},
            "sha256": str(old["artefact"]["sha256"]),
        }
        known = {"hash": str(old["model"]["hash"]), "times": old["model"].get("times")}
        return {"artefact": made, "model": known}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} cannot be read as a certificate ({error}); remove it to go by the "
            "name of the file"
        ) from error


def _changes(data: bytes, then: str, beside: Path) -> tuple[str, ...]:
    """Say that a file is not the one that its certificate was made of."""
    now = hashlib.sha256(data).hexdigest()
    if now == then:
        return ()
    return (
        f"the file was changed after {beside.name} was made: its sha256 is "
        f"{now[:12]}..., that of the certificate {then[:12]}...",
    )


def export_formats() -> list[dict[str, Any]]:
    """List the formats: what each can hold, what it needs, and who replays it.

    Examples
    --------
    >>> import ramify
    >>> [each["name"] for each in ramify.export_formats()][:2]
    ['json', 'python']
    """
    return [
        {
            "name": form.name,
            "suffix": form.suffix,
            "about": form.about,
            "exact_on": form.exact_on,
            "packages": list(form.packages),
            "runtimes": [runtime.name for runtime in form.runtimes],
            "options": {
                name: {"default": option.default, "help": option.help}
                | ({"choices": list(option.choices)} if option.choices else {})
                for name, option in form.options.items()
            },
        }
        for form in FORMATS.values()
    ]


def require(form: Format) -> None:
    """Say what to install if a format needs a package that is not here."""
    for package in form.packages:
        if importlib.util.find_spec(package) is None:
            raise ImportError(
                f"format={form.name!r} needs {package}: pip install 'ramify[export]'"
            )


def _judge(
    form: Format,
    options: Mapping[str, Any],
    certificate: Certificate,
    path: Any,
    allow_mismatch: bool,
) -> None:
    """Raise, or warn, if rows are predicted otherwise, or nothing could run."""
    runtime = certificate.facts["runtime"]
    if runtime is None:
        warnings.warn(
            f"the {form.name} export was not replayed: {form.wanted(options)} is not "
            "installed; run "
            "ramify.certify where it is",
            stacklevel=3,
        )
        return
    if certificate.is_exact:
        return
    message = (
        f"{path or form.name}: {certificate.n_different} of {certificate.n_replayed} "
        f"rows are answered otherwise by {runtime['name']} {runtime['version']}; "
        f"{certificate.first}"
    )
    if not allow_mismatch:
        raise ExportMismatch(
            f"{message}. Nothing was written; allow_mismatch=True writes it"
        )
    warnings.warn(message, stacklevel=3)
