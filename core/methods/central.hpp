// SPDX-License-Identifier: BSD-3-Clause
// The mean and the median of a column in a node, for trees that cut nowhere else: Very Fast C4.5
// (Cherfi, Nouira, Ferchichi 2018).
#pragma once

#include <optional>

#include "scan/cuts.hpp"
#include "select/split.hpp"

namespace ramify {

class CentralCuts {
 public:
  /// Ignores missing values.
  CentralCuts(const Training& training, const NodeColumn& column);

  /// Keeps only the cuts of a block at the mean or at the median.
  void keep(CutBlock& block, int n_channels) const;
  /// The mean if the split is there, else the median.
  double threshold(const Split& split) const;

 private:
  /// Whether a threshold lies between two neighbouring codes.
  bool lies_between(double threshold, std::uint32_t code, std::uint32_t next_code) const;

  const Column& column_;
  double mean_ = 0, median_ = 0;
};

}  // namespace ramify
