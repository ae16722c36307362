# SPDX-License-Identifier: BSD-3-Clause
"""Write your own criterion: in NumPy, and compiled by numba."""

import math
import time

import numpy as np
from numba import cfunc, types
from sklearn.datasets import make_classification

import ramify


def tsallis(parent, left, right):
    """Decrease of the Tsallis entropy with q = 1.5, for all cuts at once."""

    def impurity(weights):
        share = weights / weights.sum(-1, keepdims=True)
        return 2 * (1 - (share * np.sqrt(share)).sum(-1))

    n, n_left, n_right = parent.sum(), left.sum(1), right.sum(1)
    children = n_left * impurity(left) + n_right * impurity(right)
    return impurity(parent) - children / n


double_array = types.CPointer(types.double)


@cfunc(
    types.void(types.int64, types.int64, *[double_array] * 4, types.voidptr),
    error_model="numpy",  # divide as C does, without Python's exceptions
)
def compiled_tsallis(n_cuts, n_stats, parent, left, right, scores, user_data):
    """Compute the same for cut after cut; class k of cut i is left[k * n_cuts + i]."""
    n, whole = 0.0, 0.0
    for k in range(n_stats):
        n += parent[k]
    for k in range(n_stats):
        share = parent[k] / n
        whole += share * math.sqrt(share)
    for i in range(n_cuts):
        n_left, n_right, in_left, in_right = 0.0, 0.0, 0.0, 0.0
        for k in range(n_stats):
            n_left += left[k * n_cuts + i]
            n_right += right[k * n_cuts + i]
        for k in range(n_stats):
            share = left[k * n_cuts + i] / n_left
            in_left += share * math.sqrt(share)
            share = right[k * n_cuts + i] / n_right
            in_right += share * math.sqrt(share)
        children = n_left * (1 - in_left) + n_right * (1 - in_right)
        scores[i] = 2 * (1 - whole) - 2 * children / n


print(ramify.criteria.check(tsallis), end="\n\n")

X, y = make_classification(5000, n_features=10, n_informative=6, random_state=0)
table = ramify.Table(X)
criteria = {
    "gini": "gini",
    "tsallis, NumPy": tsallis,
    "tsallis, numba": ramify.criteria.compiled(compiled_tsallis),
}
trees = {}
for name, criterion in criteria.items():
    start = time.perf_counter()
    trees[name] = ramify.DecisionTreeClassifier(criterion).fit(table, y)
    seconds = time.perf_counter() - start
    print(f"{name:<16}{trees[name].get_n_leaves():5d} leaves {1000 * seconds:8.1f} ms")

numpy_tree, numba_tree = trees["tsallis, NumPy"].tree_, trees["tsallis, numba"].tree_
assert np.array_equal(numpy_tree.threshold, numba_tree.threshold)
