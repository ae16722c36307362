// SPDX-License-Identifier: BSD-3-Clause
// What a criterion's bound says of the cuts of a node: how its lists are scanned in floats, and the
// value that a cut must reach there to reach a score. See docs/design/bounds.md.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "criteria/bound.hpp"
#include "rows/layout.hpp"
#include "scan/kernels.hpp"
#include "scan/sorted_scan.hpp"

namespace ramify {

class ClassBound {
 public:
  /// Without a criterion, or with one that has no bound, nothing is promised.
  explicit ClassBound(const SetCriterion* criterion) : criterion_(criterion) {}

  /// A node: the weights and labels of the classes that occur, the rows, and how many of them must
  /// be on either side of a cut. `row_weights` are null if all rows weigh one.
  struct NodeView {
    std::span<const double> parent;
    std::span<const std::uint32_t> labels;
    std::uint32_t n_rows, min_rows;
    double total, unit;
    FlagLayout layout;
    const double* row_weights;
  };
  /// Prepares the scan. Is there a bound?
  bool start(const NodeView& node);

  const SortedScan& scan() const { return scan_; }
  /// Does the bound say nothing of cuts where a class is absent on a side?
  bool needs_all_classes() const { return bound().of_all_classes; }
  /// Classes that are counted, as places among those of the node.
  std::span<const std::uint32_t> counted() const { return counted_; }
  /// Does what is needed depend on the rows on the left? Then peaks need a score to compare with.
  bool needs_score() const { return is_filled_ && filled_for_ == none; }
  /// What a cut must reach in the scan to score so much; or to tie with it and reach `tie`.
  float wanted(double score, double tie);
  /// Peaks are found from now on. What is needed may be written anew after that.
  void begin_peaks() { growth_ = 1; }
  /// What a value that was found with the peaks has become at most.
  float value_now(float value) const { return value > 0 ? value * growth_ : 0; }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  bool is_usable(const NodeView& node);
  void set_classes(const NodeView& node);
  void set_ratios(const NodeView& node);
  void find_statistics(const NodeView& node);
  void fill(double score, double tie);
  const DeviationBound& bound() const { return criterion_->bound; }

  const SetCriterion* criterion_;
  SortedScan scan_;
  BoundNode bound_node_;
  std::uint32_t n_rows_ = 0, min_rows_ = 1;
  bool is_filled_ = false, is_open_ = false;
  double filled_for_ = 0, filled_for_tie_ = 0;
  float growth_ = 1;                          // of values since the peaks, at most
  double slack_ = 0;                          // of the root of a norm
  std::map<int, std::vector<double>> sides_;  // by the number of classes
  std::vector<std::uint32_t> counted_;
  std::vector<std::int32_t> labels_;
  std::vector<float> by_class_;  // shares, factors and bends
  std::vector<float> by_place_;  // shares and ratios
  std::vector<double> needed_;
};

}  // namespace ramify
