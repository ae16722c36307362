# SPDX-License-Identifier: BSD-3-Clause
"""Trees as pages: one to walk around in, or two face to face.

The module can be called: ``ramify.view(tree, X, y, "tree.html")`` is `view`.
"""

from ramify.callables import make_callable
from ramify.view.page import Page
from ramify.view.viewing import view

__all__ = ["Page", "view"]

make_callable(__name__, view)
