# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of methods: what their trees predict over the plane of two columns."""

from drawing import finish, panels
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from method_examples import plane_model

import ramify


def picture(name: str) -> Figure:
    """Draw the decision regions of a method in the plane."""
    model, X, y = plane_model(ramify.methods.get(name))
    figure, (ax,) = panels(1, 5.2, 3.4)
    ramify.plot_partition(
        model,
        X,
        y,
        ax,
        resolution=240,
        feature_names=["x0", "x1"],
    )
    for mesh in ax.collections:
        if isinstance(mesh, QuadMesh):  # a model of many trees, asked at many points
            mesh.set_rasterized(True)
    finish(ax, "", ax.get_xlabel(), ax.get_ylabel())
    return figure
