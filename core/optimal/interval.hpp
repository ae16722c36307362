// SPDX-License-Identifier: BSD-3-Clause
// Bounds along one column, with their proofs.
//
// Let c(S) be the least cost (loss, and penalty per split) of a tree of some depth on the rows S.
//
// Monotone: c(S') <= c(S) for S' in S. Keep the tree and drop the rows. Losses are not negative, so
// no leaf loses more by it, and a leaf that is left empty may be cut off with its split.
//
// Height: c(S) <= c(S') + h(S \ S'), where h sums what each row can at most lose in a leaf. Send
// the other rows down the tree of S'; each adds at most its height to the leaf that it reaches. (In
// regression the answers of that tree are means of rows of S', so they lie in the range of S, and
// heights are taken from that range.)
//
// The left sides of the cuts of a column are nested. Call position p of a cut the sum of heights on
// its left, L(p) and R(p) the costs of its sides (or lower bounds of them). For cuts a < p < b:
//   L(p) >= L(a) and R(p) >= R(b)                             (monotone)
//   L(p) >= L(b) - (b - p) and R(p) >= R(a) - (p - a)         (height)
// A cut is of interest if L(p) + R(p) < Z. So, adding one bound of L to one of R,
//   B1: L(a) + R(b) < Z, or no cut between a and b is.
//   B2: L(b) + R(a) - (b - a) < Z, likewise: (b - p) + (p - a) = b - a.
//   B3: p > a + (L(a) + R(a) - Z), from L(a) + R(a) - (p - a) < Z.
//   B4: p < b - (L(b) + R(b) - Z), from L(b) - (b - p) + R(b) < Z.
// B1 and B2 close an interval, B3 and B4 leave one range of it, found by bisection.
#pragma once

#include <algorithm>
#include <cstdint>

#include "optimal/rows.hpp"

namespace ramify::optimal {

/// What is known of a cut, or of the ends of a column, where one side has all rows.
struct Sides {
  double position = 0, left = 0, right = 0;
};

/// The cuts first .. last - 1 of a column that may still be of interest, between two known ones.
struct Interval {
  std::uint32_t column = 0, first = 0, last = 0;
  Sides below, above;

  bool is_empty() const { return first >= last; }
  /// No cut of the interval costs less than this, and a penalty.
  double bound() const {
    return std::max(below.left + above.right,
                    above.left + below.right - (above.position - below.position));
  }
  /// Bounds of what the sides of one of its cuts cost.
  double left_bound(double position) const {
    return std::max(below.left, above.left - (above.position - position));
  }
  double right_bound(double position) const {
    return std::max(above.right, below.right - (position - below.position));
  }
  /// Leaves only cuts that may cost less than `wanted`.
  void shrink(const RowSet& rows, double wanted) {
    if (!(bound() < wanted)) {
      last = first;
      return;
    }
    const double above_this = below.position + (below.left + below.right - wanted);
    const double below_this = above.position - (above.left + above.right - wanted);
    first = first_where(rows, [&](double p) { return p > above_this; });
    last = first_where(rows, [&](double p) { return p >= below_this; });
  }
  /// The width of what is open.
  double width(const RowSet& rows) const {
    return rows.position(column, last - 1) - rows.position(column, first);
  }
  /// The cut nearest to a share of the open range, by heights.
  std::uint32_t at_share(const RowSet& rows, double share) const {
    const double low = rows.position(column, first), high = rows.position(column, last - 1);
    const double aim = low + (high - low) * share;
    const std::uint32_t cut = first_where(rows, [&](double p) { return p >= aim; });
    if (cut >= last) return last - 1;
    if (cut > first && aim - rows.position(column, cut - 1) < rows.position(column, cut) - aim)
      return cut - 1;
    return cut;
  }

 private:
  template <class Condition>
  std::uint32_t first_where(const RowSet& rows, Condition is_true) const {
    std::uint32_t low = first, high = last;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (is_true(rows.position(column, middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
};

}  // namespace ramify::optimal
