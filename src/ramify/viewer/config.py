# SPDX-License-Identifier: BSD-3-Clause
"""How fitted models show themselves in a notebook."""

from __future__ import annotations

__all__ = ["get_config", "set_config"]

_DISPLAYS = ("tree", "text")
_chosen = {"display": "tree"}


def set_config(*, display: str | None = None) -> None:
    """Choose how fitted models show themselves in a notebook.

    Parameters
    ----------
    display : {"tree", "text"}, optional
        "tree" shows scikit-learn's box, and under it a small live tree, or the summary
        of a forest or of a comparison. "text" shows one line of text.

    Examples
    --------
    >>> import ramify
    >>> ramify.set_config(display="text")
    >>> ramify.get_config()
    {'display': 'text'}
    >>> ramify.set_config(display="tree")
    """
    if display is None:
        return
    if display not in _DISPLAYS:
        raise ValueError(f"display={display!r} is not allowed; use 'tree' or 'text'")
    _chosen["display"] = display


def get_config() -> dict[str, str]:
    """Return what `set_config` has chosen, as a dict."""
    return dict(_chosen)
