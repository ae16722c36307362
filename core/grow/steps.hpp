// SPDX-License-Identifier: BSD-3-Clause
// Steps that every way of growing takes: ask whether to go on, stop at a leaf, make children, write
// a split down.
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <vector>

#include "grow/fragment.hpp"

namespace ramify {

/// Asks the caller now and then whether to go on.
struct Progress {
  const Plan& plan;
  std::atomic<std::uint64_t> rows_done{0};
  std::chrono::steady_clock::time_point next_question = std::chrono::steady_clock::now();

  bool must_stop();
};

/// Is there nothing left to split, or nothing that may be split?
bool is_leaf(const Plan& plan, const Target& target, const Node& node);

/// The n children of a node, still without rows.
std::vector<Node> children_of(const Node& node, std::uint32_t n);

/// Writes splits into fragments.
struct Recorder {
  const Table& table;
  const Target& target;
  Missing missing;

  /// Writes down a split and adds the children to the fragment. `weight` says which child is the
  /// heaviest; the rows with a value alone may count. Returns the place of the first child.
  int record(Fragment& fragment, int place, const Split& split, std::span<const Node> children,
             std::span<const double> weight) const;
  int record(Fragment& fragment, int place, const Split& split,
             std::span<const Node> children) const;

 private:
  std::int64_t missing_branch(const Split& split, std::int64_t heaviest) const;
  void list(Fragment& fragment, Fragment::Grown& grown, const Split& split) const;
};

}  // namespace ramify
