# SPDX-License-Identifier: BSD-3-Clause
"""Names that were replaced: they work for a while, and warn (`docs/versions.md`)."""

import warnings
from collections.abc import Mapping

__all__ = ["current_name"]


def current_name(owner: str, name: str, renamed: Mapping[str, tuple[str, str]]) -> str:
    """Return the name that stands for an old one, with a `FutureWarning`, or itself.

    Parameters
    ----------
    owner : str
        The module or class that has the name.
    name : str
        What was written.
    renamed : dict of str to (str, str)
        For each old name the new one, and the version in which the old one goes.

    Examples
    --------
    >>> import warnings
    >>> from ramify.deprecation import current_name
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     current_name("ramify.forest", "of", {"of": ("from_estimator", "0.4")})
    'from_estimator'
    >>> print(caught[0].message)
    ramify.forest.of is now ramify.forest.from_estimator; the old name goes in 0.4
    >>> current_name("ramify.forest", "grow", {"of": ("from_estimator", "0.4")})
    'grow'
    """
    if name not in renamed:
        return name
    new, goes_in = renamed[name]
    warnings.warn(
        f"{owner}.{name} is now {owner}.{new}; the old name goes in {goes_in}",
        FutureWarning,
        stacklevel=3,
    )
    return new
