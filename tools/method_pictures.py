# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of methods: what their trees predict over the plane of two columns."""

import contextlib
import io
from typing import Any

from drawing import finish, panels
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from method_examples import example_source

import ramify


def picture(name: str) -> Figure:
    """Draw the model of the worked example on a method's page."""
    scope: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(example_source(ramify.methods.get(name)), scope)
    figure, (ax,) = panels(1, 5.2, 3.4)
    ramify.plot_partition(
        scope["model"],
        scope["X"],
        scope["y"],
        ax,
        resolution=240,
        feature_names=["x0", "x1"],
    )
    for mesh in ax.collections:
        if isinstance(mesh, QuadMesh):  # a model of many trees, asked at many points
            mesh.set_rasterized(True)
    finish(ax, "", ax.get_xlabel(), ax.get_ylabel())
    return figure
