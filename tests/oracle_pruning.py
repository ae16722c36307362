# SPDX-License-Identifier: BSD-3-Clause
"""Pruning written down slowly: trees as nested nodes, and all their subtrees."""

import math

import numpy as np
from small_trees import Node

Z = 0.6744897501960817  # normal quantile of 0.75


def leaves(node):
    """List the leaves below a node."""
    if not node.children:
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def subtrees(node):
    """List all pruned subtrees: each as a nested node with fewer children."""
    found = [Node(node.counts, [], node.split, node.v)]
    if node.children:
        ways = [[]]
        for child in node.children:
            ways = [[*way, small] for way in ways for small in subtrees(child)]
        found += [Node(node.counts, way, node.split, node.v) for way in ways]
    return found


def n_subtrees(node):
    """Count them without making them."""
    return 1 + (math.prod(map(n_subtrees, node.children)) if node.children else 0)


def total(node):
    return sum(node.counts)


def errors(node):
    return total(node) - max(node.counts)


def n_leaves(node):
    return sum(total(leaf) > 0 for leaf in leaves(node))


def gini(node):
    n = total(node)
    return 1 - sum((c / n) ** 2 for c in node.counts) if n else 0.0


def entropy(node):
    n = total(node)
    return -sum(c / n * math.log2(c / n) for c in node.counts if c) if n else 0.0


def risk(node, name, whole):
    """Return the risk of a node as a share of the whole."""
    if name == "error":
        return errors(node) / whole
    return total(node) / whole * {"gini": gini, "entropy": entropy}[name](node)


def risk_of_tree(node, name, whole):
    return sum(risk(leaf, name, whole) for leaf in leaves(node))


def static_error(node, m, prior):
    n = total(node) + m
    pairs = zip(node.counts, prior, strict=True)
    return 1 - max((c + m * p) / n for c, p in pairs) if n else 0.0


def expected_errors(node, m, prior):
    """Sum, over leaves, their weight times their static error."""
    return sum(total(leaf) * static_error(leaf, m, prior) for leaf in leaves(node))


def label_bits(node):
    n, k = total(node), len(node.counts)
    if n == 0:
        return 0.0
    bits = sum(c * math.log2(n / c) for c in node.counts if c)
    bits += (k - 1) / 2 * math.log2(n / 2)
    bits += k / 2 * math.log2(math.pi) - math.lgamma(k / 2) / math.log(2)
    return max(bits, 0.0)


def description(node, bits):
    """Return the length of a tree whose tests all take so many bits."""
    if not node.children:
        return 1 + label_bits(node)
    return 1 + bits + sum(description(child, bits) for child in node.children)


def added(n, e):
    """Return the errors that J48 adds, at a confidence of 0.25."""
    if n < 1e-6:
        return 0.0
    base = n * (1 - 0.25 ** (1 / n))
    if e == 0:
        return base
    if e < 1:
        return base + e * (added(n, 1) - base)
    if e + 0.5 >= n:
        return max(n - e, 0)
    f = e + 0.5
    root = math.sqrt(f * (1 - f / n) + Z * Z / 4)
    return n * (f + Z * Z / 2 + Z * root) / (n + Z * Z) - e


def error_based(node):
    """Prune as J48 without raising does; give the tree that is left."""

    def collapsed(node):
        below = sum(map(errors, leaves(node)))
        if not node.children or below >= errors(node) - 1e-3:
            return Node(node.counts)
        return Node(node.counts, [collapsed(child) for child in node.children])

    def upper(node):
        return errors(node) + added(total(node), errors(node))

    def pruned(node):
        if not node.children:
            return node
        small = Node(node.counts, [pruned(child) for child in node.children])
        whole = sum(upper(leaf) for leaf in leaves(small))
        return Node(node.counts) if upper(node) <= whole + 0.1 + 1e-6 else small

    return pruned(collapsed(node))


def pessimistic(node):
    """Prune from the root down, each node with its unpruned subtree."""
    if not node.children:
        return node
    below = sum(errors(leaf) + 0.5 for leaf in leaves(node) if total(leaf))
    n = total(node)
    spread = math.sqrt(max(below * (n - below) / n, 0)) if n else 0.0
    if errors(node) + 0.5 <= below + spread + 1e-9 * max(1, errors(node) + 0.5):
        return Node(node.counts)
    return Node(node.counts, [pessimistic(child) for child in node.children])


def shape(node):
    """Return the counts of a tree's nodes, nested, to compare two trees."""
    return (tuple(map(float, node.counts)), tuple(map(shape, node.children)))


def shape_of(tree, node=0):
    """Return the same of a tree of arrays."""
    counts = tree.value[node, 0] * tree.weighted_n_node_samples[node]
    below = tuple(shape_of(tree, child) for child in tree.children(node))
    return (tuple(np.round(counts, 9).tolist()), below)
