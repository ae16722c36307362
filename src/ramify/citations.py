# SPDX-License-Identifier: BSD-3-Clause
"""`cite`: the publications behind criteria, methods and data sets, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import ramify
from ramify import criteria, datasets, methods
from ramify.criteria.measures import MEASURES
from ramify.datasets.bundled import REFERENCES
from ramify.datasets.survival_sets import SURVIVAL_REFERENCES
from ramify.messages import ask_or_stop

__all__ = ["cite"]

_KINDS = ("criteria", "uplift", "measures", "expressions", "regression")

# One work of a reference, as in "in trees: Park, Ghosh (2014), Ensembles of Trees".
_WORK = re.compile(
    r"(?:[^;(]*: |as in )?(?P<authors>[^:;(]+) \((?P<year>\d{4})\), (?P<rest>.+)"
)
# What follows a title: an edition, a chapter, the journal with its volume, a place.
_AFTER = re.compile(
    r", (?=chapters? |eqs?\. |\d+\w\w edition|technical report|UCI |[^,]+ \d+\(\d+\))"
)


def cite(*names: str) -> str:
    """Return the publications behind criteria, methods and data sets as BibTeX.

    Parameters
    ----------
    *names : str
        Names or aliases of criteria, measures and named expressions
        (`ramify.criteria.names`), methods (`ramify.methods.names`) and bundled data
        sets (`ramify.datasets.names`), registered ones among them. Without a name:
        Ramify itself.

    Returns
    -------
    str
        One entry for each work: family names of the authors, year and title, and what
        else the catalogue knows, such as the journal, as a note. A line that begins
        with ``%``, which BibTeX skips, says where there is no published reference.

    Examples
    --------
    >>> import ramify
    >>> print(ramify.cite("wodt"))
    @misc{yang2019weighted,
      author = {Yang and Shen and Gao},
      title = {{Weighted Oblique Decision Trees}},
      year = {2019},
    }
    >>> print(ramify.cite("xor"))
    % xor: no published reference is known
    """
    if not names:
        return _ramify()
    entries = dict.fromkeys(entry for name in names for entry in _entries(name))
    return "\n\n".join(entries)


def _ramify() -> str:
    lines = [
        "@software{ramify,",
        "  author = {{The Ramify developers}},",
        "  title = {{Ramify: decision trees with every splitting criterion of the "
        "literature, and any you write}},",
        f"  version = {{{ramify.__version__}}},",
        "}",
    ]
    return "\n".join(lines)


def _entries(name: str) -> list[str]:
    """Return the entries of whatever has that name."""
    about = list(_about(name))
    if not about:
        bundled = _bundled()
        named = [each for kind in _KINDS for each in criteria.names(kind)]
        known = [*methods.names(), *named, *bundled]
        raise ValueError(
            f"{name!r} is not the name of a criterion, a method or a bundled data set"
            f"{ask_or_stop(name, known)}"
        )
    given = [bibtex for _, bibtex in about if bibtex]
    if given:
        return given
    references = list(dict.fromkeys(reference for reference, _ in about if reference))
    works = [
        work
        for reference in references
        for part in reference.split("; ")
        if (work := _WORK.fullmatch(part))
    ]
    if works:
        return [_entry(work) for work in works]
    said = "; ".join(references) or "no published reference is known"
    return [f"% {name}: {' '.join(said.split())}"]


def _about(name: str) -> Iterator[tuple[str, str]]:
    """Yield reference and BibTeX of the method, criterion or data set of that name.

    A method and a criterion of the same name may have different ones.
    """
    if name in methods.names():
        yield _facts(methods.get(name))
    if name in MEASURES:
        yield _facts(MEASURES[name])
    for find in (criteria.registered, criteria.get, criteria.for_regression):
        try:
            found = find(name)
        except ValueError:
            continue
        if hasattr(found, "reference"):
            yield _facts(found)
    if name in _bundled():
        yield {**REFERENCES, **SURVIVAL_REFERENCES}.get(name, ""), ""


def _bundled() -> list[str]:
    tasks = ("classification", "regression", "survival")
    return [name for task in tasks for name in datasets.names(task)]


def _facts(about: Any) -> tuple[str, str]:
    return about.reference, getattr(about, "bibtex", "")


def _entry(work: re.Match[str]) -> str:
    """Return a work as an entry of BibTeX."""
    title, *more = _AFTER.split(work["rest"], maxsplit=1)
    names = work["authors"].strip().replace(" et al.", ", others").split(", ")
    words = re.findall(r"\w+", title)
    first = next((word for word in words if len(word) > 3), words[0])
    lines = [
        f"  author = {{{' and '.join(map(_author, names))}}},",
        f"  title = {{{{{_escaped(title)}}}}},",
        f"  year = {{{work['year']}}},",
    ]
    note, _, doi = more[0].partition("doi:") if more else ("", "", "")
    if note:
        lines.append(f"  note = {{{_escaped(note.rstrip(', '))}}},")
    if doi:
        lines.append(f"  doi = {{{doi}}},")
    key = _key(f"{names[0]}{work['year']}{first}")
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _author(name: str) -> str:
    """Return a family name; one of several words in braces, which keep it together."""
    return f"{{{_escaped(name)}}}" if " " in name else _escaped(name)


def _escaped(text: str) -> str:
    return re.sub(r"([&%#_])", r"\\\1", text)


def _key(text: str) -> str:
    """Return letters and digits of ASCII, in lower case."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", letters.lower())
