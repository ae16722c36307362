# SPDX-License-Identifier: BSD-3-Clause
"""Four clusters, two classes: what structure adds to purity.

Run it as ``python xor_structure.py [picture.png]``.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import ramify

centres = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
cluster = np.repeat(np.arange(4), 60)
labels = np.array(["A", "A", "B", "B"])[cluster]

# No first split of an XOR gains much purity, so purity alone starts with a poor split.
# BNM prefers splits that leave a margin between the two sides of a class, and CSN
# prefers children with compact classes.
trees = {
    "Gini": ramify.methods.make(
        "cart", threshold="value", leaf_rule="give_up", min_samples_leaf=2
    ),
    "BNM + Gini": ramify.methods.make("bnm", w2=0.1),
    "CSN + Gini": ramify.methods.make("csn", k=30),
    "BNM + CSN + Gini": ramify.methods.make("bnm_csn", w2=0.1, k=30),
}


def draw(seed):
    return np.random.default_rng(seed).normal(centres[cluster], 0.15)


print("mean leaves over 20 samples, and how often there are four")
for name, tree in trees.items():
    leaves = [tree.fit(draw(seed), labels).get_n_leaves() for seed in range(20)]
    print(f"{name:<18}{np.mean(leaves):5.2f}{leaves.count(4):5d}")

X = draw(seed=0)
figure = Figure(figsize=(12, 3.8), layout="constrained")
for panel, (name, tree) in zip(figure.subplots(1, 4), trees.items(), strict=True):
    tree.fit(X, labels)
    ramify.plot_partition(tree, X, labels, panel, legend=name.startswith("BNM + CSN"))
    size = f"{tree.get_n_leaves()} leaves, depth {tree.get_depth()}"
    panel.set_title(name, fontsize=12, fontweight="bold", pad=20)
    panel.text(0.5, 1.025, size, transform=panel.transAxes, ha="center", fontsize=10)
    panel.set(aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    panel.label_outer()

# Two levels are enough for the four clusters: each gets its own leaf.
tree = trees["BNM + CSN + Gini"]
leaf = tree.apply(X)
home = np.array([np.bincount(leaf[cluster == c]).argmax() for c in range(4)])
assert tree.get_depth() == 2
assert len(set(home)) == tree.get_n_leaves() == 4
assert (leaf == home[cluster]).mean() > 0.95

path = Path((sys.argv[1:] or [tempfile.mkdtemp()])[0])
if path.is_dir():
    path /= "xor_partition.png"
figure.savefig(path, dpi=150)
print(f"\nthe picture is {path}")
