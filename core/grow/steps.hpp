// SPDX-License-Identifier: BSD-3-Clause
// Steps that every way of growing takes: ask whether to go on, stop at a leaf, make children, write
// a split down.
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <vector>

#include "grow/fragment.hpp"
#include "util/rng.hpp"

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
/// The same by what a node is made of, if classes are learnt.
bool is_leaf(const Plan& plan, const Target& target, int depth, std::uint32_t n_rows,
             bool has_columns, std::span<const double> sums);

/// Does a split of this gain pay, in a node of this weight?
bool gains_enough(const Plan& plan, double gain, double weight);

/// Names the child of a node, and seeds its random numbers.
inline std::uint64_t child_key(std::uint64_t key, std::size_t branch) {
  return mix(key ^ (branch + 1));
}

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
  /// The same for children that are in the fragment already.
  void write(Fragment& fragment, int place, const Split& split, int first_place,
             std::int64_t heaviest) const;

 private:
  std::int64_t missing_branch(const Split& split, std::int64_t heaviest) const;
  void list(Fragment& fragment, Fragment::Grown& grown, const Split& split) const;
};

}  // namespace ramify
