# SPDX-License-Identifier: BSD-3-Clause
"""How models show themselves in a notebook: scikit-learn's box, and what was grown."""

from __future__ import annotations

from typing import Any

__all__ = ["ShowsItself"]


class ShowsItself:
    """Adds a live tree to the box of a fitted estimator; for text, leaves out both."""

    @property
    def _repr_html_(self) -> Any:
        if _is_text():
            raise AttributeError("_repr_html_ is not there with display='text'")
        # Refused by scikit-learn's own configuration, too.
        inner = super()._repr_html_  # type: ignore[misc]
        return lambda: inner() + self._shown()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        found: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if _is_text():
            found.pop("text/html", None)
        elif "text/html" in found:
            found["text/html"] += self._shown()
        return found

    def _shown(self) -> str:
        """Return what is shown under the box; nothing before fit."""
        if not hasattr(self, "tree_"):
            return ""
        from ramify.viewer.summary import tree_html

        return tree_html(self)


# Most fits are never shown, and need not wait for what draws them: late imports.
def _is_text() -> bool:
    from ramify.viewer.config import get_config

    return get_config()["display"] == "text"
