// SPDX-License-Identifier: BSD-3-Clause
// Rows leave a node one after the other: the loss of those that remain.
#pragma once

#include <cstdint>
#include <span>

#include "regression/pair_sums.hpp"

namespace ramify {

/// The target values that remain in a node, and their loss around the quantile, while rows leave.
class Leaving {
 public:
  Leaving(const RegressionTarget& regression, const Target& target, const Node& node, int output,
          const ChosenCriterion& criterion, OrderBuffers& room)
      : regression_(regression),
        target_(target),
        node_(node),
        output_(output),
        criterion_(criterion),
        room_(room) {
    room.places.resize(room.rows.size());
    for (std::size_t i = 0; i < room.rows.size(); ++i)
      room.places[i] = regression.place(room.rows[i], output);
  }

  /// Removes the absent rows, then those of `first`, then the moving ones, from the front or from
  /// the back. At each cut it calls at_cut(cut, quantile). Returns the loss of all rows that count.
  template <class AtCut>
  double run(std::span<const std::uint32_t> first, bool from_front, AtCut at_cut) {
    const auto ascending = regression_.ascending(node_, output_);
    const bool is_counted = target_.weight.empty(),
               has_pairs = criterion_.loss() == RegressionLoss::crps;
    if (is_counted && !has_pairs) {
      CountedQuantile quantile(ascending, criterion_.level(), room_);
      return leave(quantile, first, from_front, at_cut);
    }
    const auto rows = regression_.rows_ascending(node_, output_);
    const auto weight = [&](std::size_t i) { return target_.weight_of(rows[i]); };
    const RemainingSums sums(ascending.size(), room_, weight, [&](std::size_t i) {
      return is_counted ? ascending[i] : regression_.weighted(rows[i], output_);
    });
    if (has_pairs) {
      PairSums pairs(ascending, weight, sums, criterion_.values[0] != 0 ? target_.unit : 0);
      return leave(pairs, first, from_front, at_cut);
    }
    WeightedQuantile quantile(ascending, criterion_.level(), sums);
    return leave(quantile, first, from_front, at_cut);
  }

 private:
  template <class Quantile>
  void remove(Quantile& quantile, std::uint32_t row, std::uint32_t place) const {
    if (target_.weight.empty())
      quantile.remove(place, 1, regression_.ascending(node_, output_)[place]);
    else
      quantile.remove(place, target_.weight[row], regression_.weighted(row, output_));
  }
  template <class Quantile>
  void remove(Quantile& quantile, std::uint32_t row) const {
    remove(quantile, row, regression_.place(row, output_));
  }

  template <class Quantile, class AtCut>
  double leave(Quantile& quantile, std::span<const std::uint32_t> first, bool from_front,
               AtCut at_cut) {
    for (const std::uint32_t row : room_.absent) remove(quantile, row);
    const double whole = quantile.loss();
    for (const std::uint32_t row : first) remove(quantile, row);
    const auto& rows = room_.rows;
    const auto& cuts = room_.cut;
    const auto n = static_cast<std::uint32_t>(rows.size());
    constexpr std::uint32_t ahead = 12;
    if (from_front) {
      std::uint32_t at = 0;
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        for (; at < cuts[i]; ++at) {
          if (at + ahead < n) quantile.prefetch_at(room_.places[at + ahead]);
          remove(quantile, rows[at], room_.places[at]);
        }
        at_cut(i, quantile);
      }
    } else {
      std::uint32_t at = n;
      for (std::size_t i = cuts.size(); i-- > 0;) {
        while (at > cuts[i]) {
          --at;
          if (at >= ahead) quantile.prefetch_at(room_.places[at - ahead]);
          remove(quantile, rows[at], room_.places[at]);
        }
        at_cut(i, quantile);
      }
    }
    return whole;
  }

  const RegressionTarget& regression_;
  const Target& target_;
  const Node& node_;
  int output_;
  const ChosenCriterion& criterion_;
  OrderBuffers& room_;
};

}  // namespace ramify
