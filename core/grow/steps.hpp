// SPDX-License-Identifier: BSD-3-Clause
// Steps of the growth loop: check whether to go on, write a split.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "grow/fragment.hpp"
#include "select/admissible.hpp"
#include "util/rng.hpp"

namespace ramify {

/// Checks now and then whether the caller wants to go on.
struct Progress {
  const Plan& plan;
  std::atomic<std::uint64_t> rows_done{0};
  std::chrono::steady_clock::time_point next_request = std::chrono::steady_clock::now();

  bool must_stop();
};

/// The heaviest child: the first of several, and the last.
struct MajorityChild {
  std::int64_t first = 0, last = 0;

  void add(std::int64_t child, double weight) {
    if (weight < max_) return;
    if (weight > max_) first = child;
    max_ = weight;
    last = child;
  }

 private:
  double max_ = -std::numeric_limits<double>::infinity();
};

/// Indices of some sizes, from the largest to the smallest; equal ones stay in order.
std::vector<std::uint32_t> largest_first(std::span<const std::uint32_t> sizes);

/// Writes splits into fragments.
struct Recorder {
  const Table& table;
  const Target& target;
  Missing missing;

  /// Weight of a node, from its statistics.
  double weight_of(std::span<const double> statistics) const;
  /// Writes the split of a node whose children are in the fragment already.
  void write(Fragment& fragment, int place, const Split& split, int first_place,
             const MajorityChild& heaviest) const;

 private:
  std::int64_t missing_branch(const Split& split, const MajorityChild& heaviest) const;
  void list(Fragment& fragment, Fragment::Grown& grown, const Split& split) const;
};

}  // namespace ramify
