// SPDX-License-Identifier: BSD-3-Clause
// The tree that a search has found, as every tree of the library is written.
#pragma once

#include <optional>
#include <span>

#include "optimal/found.hpp"
#include "tree/tree.hpp"

namespace ramify::optimal {

enum class LeafImpurity : std::uint8_t { misclassification, gini, entropy, variance };

/// What a tree is written from.
struct TreeSource {
  const Problem& problem;
  const Table& table;
  const Target& target;
  std::span<const std::uint32_t> rows;  // of the table, as in the problem
  LeafImpurity impurity = LeafImpurity::misclassification;
};

struct WrittenTree {
  Tree tree;
  double loss = 0;  // of all leaves
};

/// Leaves with the same answer under one parent are joined, and splits that save nothing are left
/// out. Thresholds lie midway between the values of a node.
WrittenTree write_tree(const TreeSource& source, const Found& found);

/// A tree that was grown elsewhere on these rows, without splits that save nothing; or nothing if
/// it has a test that the search does not know, such as a subset of many categories.
std::optional<Found> known_tree(const TreeSource& source, const TreeView& tree);

/// The leaves of a tree that is written out to the last level, as a known one is.
std::int64_t n_leaves(const Found& found);

}  // namespace ramify::optimal
