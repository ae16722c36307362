// SPDX-License-Identifier: BSD-3-Clause
// Nodes that cannot be decided by their sums alone: some of their cuts are counted first.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "rows/block.hpp"
#include "structure/requested_cuts.hpp"

namespace ramify {

/// Nodes whose sums of points are needed, by the codes of some columns.
struct PointWish {
  std::vector<int> nodes;  // a slot each
  std::uint32_t begin = 0, end = 0;
};

/// A cut of a node whose left side must be counted.
struct Trial {
  int node, column;
  std::uint32_t code;  // the highest on the left
};

class UndecidedNodes {
 public:
  struct Undecided {
    int id;
    std::vector<std::int64_t> sums;
    RequestedCuts cuts;
  };
  /// Decides a node if all is known of the cuts that matter; else these are recorded in its cuts.
  using Decide = std::function<bool(Undecided&)>;

  UndecidedNodes(const Layout& layout, Decide decide)
      : layout_(layout), decide_(std::move(decide)) {}

  /// Adds a node, unless it can be decided at once.
  void add(Undecided undecided) {
    if (!decide_(undecided)) all_.push_back(std::move(undecided));
  }
  bool empty() const { return all_.empty(); }
  const std::list<Undecided>& all() const { return all_; }

  /// The nodes whose sums of points are needed next: of all columns, or of some columns of one
  /// node; at most `max_numbers` values. None if no node waits for such sums.
  PointWish point_wish(std::size_t max_numbers) const;
  /// The points of these nodes by code and class, [slot][cell][class].
  std::vector<double> points(const PointWish& wish) const;
  /// The sums of the points of their rows, [slot][cell of the columns][class][column].
  void respond_points(const PointWish& wish, std::span<const double> sums);

  /// The cuts whose left sides are needed next, at most `max_slots`.
  std::vector<Trial> trials(std::size_t max_slots) const;
  /// Supplies the sums on the left of the first cuts needed, a slot each.
  template <class Sum>
  void respond_trials(std::span<const Sum> sums);

 private:
  const Layout& layout_;
  Decide decide_;
  std::list<Undecided> all_;
};

}  // namespace ramify
