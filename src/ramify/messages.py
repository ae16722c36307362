# SPDX-License-Identifier: BSD-3-Clause
"""What the messages of errors have in common."""

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["ask_or_stop", "did_you_mean"]


def did_you_mean(
    word: Any,
    known: Iterable[str],
    form: str = "; {}",
    *,
    n_words: int = 1,
    cutoff: float = 0.6,
) -> str:
    """Return the question whether a similar word was meant, or "" if none is similar.

    Parameters
    ----------
    word : object
        What was given. Upper and lower case are the same.
    known : iterable of str
        What would be right.
    form : str
        The question in its sentence; ``{}`` stands for the question.
    n_words : int
        The number of similar words named.
    cutoff : float
        How similar a word must be, from 0 (any) to 1 (equal).

    Examples
    --------
    >>> from ramify.messages import did_you_mean
    >>> did_you_mean("Ginni", ["gini", "entropy"])
    "; did you mean 'gini'?"
    >>> did_you_mean("age", ["gini", "entropy"])
    ''
    """
    folded: dict[str, str] = {}
    for each in known:
        folded.setdefault(each.casefold(), each)
    near = difflib.get_close_matches(
        str(word).strip().casefold(), folded, n=n_words, cutoff=cutoff
    )
    if not near:
        return ""
    words = " or ".join(repr(folded[each]) for each in near)
    return form.format(f"did you mean {words}?")


def ask_or_stop(word: Any, known: Iterable[str]) -> str:
    """Return the end of a sentence on an unknown word: the question, or a full stop.

    >>> ask_or_stop("irys", ["iris", "wine"]), ask_or_stop("x", ["iris", "wine"])
    ("; did you mean 'iris'?", '.')
    """
    return did_you_mean(word, known, n_words=3) or "."
