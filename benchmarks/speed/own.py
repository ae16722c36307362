# SPDX-License-Identifier: BSD-3-Clause
"""Gini written by a user, three times: in NumPy, with numba, and in C.

Each must grow the very tree of the built-in `"gini"`; the table says if one does not.
"""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .peers import CannotError


def numpy_gini(parent: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    n, n_left, n_right = parent.sum(), left.sum(axis=1), right.sum(axis=1)
    children = (left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / n_right
    return np.asarray((children - (parent**2).sum() / n) / n)


# The C signature of a compiled criterion (include/ramify/criterion.h): it scores n_cuts
# cuts at once; cut i has left[k * n_cuts + i] weight of class k on its left.
C_SOURCE = """
#include <stdint.h>

void gini(int64_t n_cuts, int64_t n_stats, const double *parent, const double *left,
          const double *right, double *scores, void *user_data) {
  (void)user_data;
  double n = 0, q = 0;
  for (int64_t k = 0; k < n_stats; ++k) n += parent[k], q += parent[k] * parent[k];
  for (int64_t i = 0; i < n_cuts; ++i) {
    double n_left = 0, q_left = 0, n_right = 0, q_right = 0;
    for (int64_t k = 0; k < n_stats; ++k) {
      const double l = left[k * n_cuts + i], r = right[k * n_cuts + i];
      n_left += l, q_left += l * l, n_right += r, q_right += r * r;
    }
    scores[i] = (q_left / n_left + q_right / n_right - q / n) / n;
  }
}
"""


@cache
def c_gini(quasi_convex: bool = False) -> Any:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise CannotError("no C compiler found")
    folder = Path(tempfile.mkdtemp())
    (folder / "gini.c").write_text(C_SOURCE)
    command = [compiler, "-O3", "-shared", "-fPIC", "gini.c", "-o", "gini.so"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "gini.so"))
    shutil.rmtree(folder)  # the loaded library stays in memory
    return _as_criterion(library.gini, quasi_convex)


@cache
def numba_gini() -> Any:
    from numba import carray, cfunc, types  # type: ignore[attr-defined]

    doubles = types.CPointer(types.float64)  # type: ignore[no-untyped-call]
    signature = types.void(
        types.int64, types.int64, doubles, doubles, doubles, doubles, types.voidptr
    )

    @cfunc(signature)
    def gini(n_cuts, n_stats, parent_, left_, right_, scores_, user_data):  # type: ignore[no-untyped-def]
        parent = carray(parent_, n_stats)
        left = carray(left_, (n_stats, n_cuts))
        right = carray(right_, (n_stats, n_cuts))
        scores = carray(scores_, n_cuts)
        n = q = 0.0
        for k in range(n_stats):
            n += parent[k]
            q += parent[k] ** 2
        for i in range(n_cuts):
            n_left = q_left = n_right = q_right = 0.0
            for k in range(n_stats):
                n_left += left[k, i]
                q_left += left[k, i] ** 2
                n_right += right[k, i]
                q_right += right[k, i] ** 2
            scores[i] = (q_left / n_left + q_right / n_right - q / n) / n

    return _as_criterion(gini)


def _as_criterion(pointer: Any, quasi_convex: bool = False) -> Any:
    """Hand a numba cfunc or a ctypes function to Ramify; only this knows how."""
    import ramify

    return ramify.criteria.compiled(pointer, quasi_convex=quasi_convex)
