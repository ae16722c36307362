// SPDX-License-Identifier: BSD-3-Clause
// Times to an event: what is learnt of the rows of a survival tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// When each row was seen last, and whether its event happened then.
struct SurvivalTarget {
  std::vector<double> times;            // the distinct times of all rows, ascending
  std::vector<std::uint32_t> place;     // by row: of its time among these
  std::vector<std::uint8_t> event;      // by row: 1 if the event happened, 0 if it was censored
  std::vector<double> weight;           // by row; empty if all weigh one
  std::vector<std::uint8_t> has_event;  // by time: whether it counts as an event time

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(place.size()); }
};

/// Weights as integers. Whole weights stay as they are; others are rounded to a 2^-20 of the
/// largest, so that every sum over rows is exact.
struct WholeWeights {
  std::vector<std::uint32_t> weight;  // in units
  double unit = 1;
  bool are_whole = true;  // in the user's unit

  explicit WholeWeights(std::span<const double> given, std::size_t n);
};

/// The rows of a tree in the order of their times: a row is its place in this order from here on,
/// so that the rows of a node, ascending, are in the order of time.
struct TimeOrder {
  TimeOrder(const SurvivalTarget& target, std::span<const std::uint32_t> rows);

  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(place.size()); }

  std::vector<std::uint32_t> table_row;  // in the table
  std::vector<std::uint32_t> place;      // of its time
  std::vector<std::uint8_t> event;
  std::vector<std::uint32_t> weight;  // in units
  double unit = 1;
  bool are_whole = true;
  std::vector<double> times;                // the distinct times
  std::vector<std::uint32_t> later_events;  // by time: event times of the training data from it on
};

}  // namespace ramify
