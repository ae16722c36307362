// SPDX-License-Identifier: BSD-3-Clause
// The nodes of an online tree, which grow, and may be replaced.
#pragma once

#include <cstdint>
#include <vector>

#include "online/adwin.hpp"
#include "online/bytes.hpp"
#include "online/judge.hpp"

namespace ramify::online {

constexpr std::int32_t none = -1;

struct Node {
  std::int32_t parent = none, left = none, right = none;
  std::int32_t leaf = none;     // its place among the leaves, as long as it is one
  std::int32_t monitor = none;  // of drift, or the sums of an inner node
  std::int32_t column = none;
  std::uint32_t code = 0;  // the highest on the left, of a numeric column
  std::int32_t depth = 0;
  std::uint64_t key = 0;
  bool heavier_left = false;  // where unseen categories go
  double gain = 0;
  // Rows and weight that its parent saw on this side before it was born.
  double born_rows = 0, born_weight = 0;
  Sides sides;

  bool is_leaf() const { return leaf != none; }
  std::int32_t child(const std::uint8_t* cells) const {
    return sides.is_left(cells[column]) ? left : right;
  }

  template <class Bytes>
  void transfer(Bytes& bytes) {
    bytes(parent, left, right, leaf, monitor, column, code, depth, key, heavier_left, gain,
          born_rows, born_weight);
    for (std::uint64_t& word : sides.words()) bytes(word);
  }
};

/// What an inner node keeps in order to be replaced.
struct Monitor {
  // Drift: the errors of the tree on its rows, and a tree beside that may take over.
  Adwin errors{0.002};
  std::int32_t alternate = none;  // the root of that tree
  std::uint64_t n_rows = 0, looks = 0;
  double only_new = 0, only_old = 0;  // rows where just one of the two was right
  // A second look: the sums of all its rows since it was split.
  LeafSums sums;
  RecentRows recent;
  std::uint32_t waiting = 0;
  std::uint64_t attempts = 0;

  template <class Bytes>
  void transfer(Bytes& bytes) {
    errors.transfer(bytes);
    sums.transfer(bytes);
    recent.transfer(bytes);
    bytes(alternate, n_rows, looks, only_new, only_old, waiting, attempts);
  }
  std::size_t n_bytes() const { return errors.n_bytes() + sums.n_bytes() + sizeof(*this); }
};

/// What happened to a tree: a split, or a branch that was replaced.
struct Event {
  enum class Kind : std::uint8_t { split, alternate, replaced, dropped, reevaluated };
  Kind kind = Kind::split;
  std::uint64_t row = 0;  // how many rows the model had learnt
  std::int32_t column = none, depth = 0;
  double threshold = 0;
  std::uint64_t attempt = 0;
  double information = 0, needed = 0;
  std::vector<double> table;  // by class, on the left, then on the right

  template <class Bytes>
  void transfer(Bytes& bytes) {
    bytes(kind, row, column, depth, threshold, attempt, information, needed, table);
  }
};

}  // namespace ramify::online
