# SPDX-License-Identifier: BSD-3-Clause
"""Trees as pages: one to walk around in, or two face to face.

The module can be called: ``ramify.view(tree, X, y, "tree.html")`` is `view`.
"""

import sys
from types import ModuleType

from ramify.view.page import Page
from ramify.view.viewing import view

__all__ = ["Page", "view"]


class _CallableModule(ModuleType):
    """A module that does, when called, what it is named for."""

    __call__ = staticmethod(view)


sys.modules[__name__].__class__ = _CallableModule
