// SPDX-License-Identifier: BSD-3-Clause
#include "search/class_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "select/ties.hpp"

namespace ramify {
namespace {

/// What floats lose in a sum over all classes, and more: see docs/design/bounds.md.
constexpr double kept_share = 1 - 2e-5;
/// More than a product of a few floats loses.
constexpr float rounded_up = 1 + 1e-6f;
/// Of the rows of a node: more than a deviation loses; and of its weight, for each class.
constexpr double count_slack = 1.0 / (1 << 21), weight_slack = 1.0 / (1 << 16);
/// Rows that a float counts one by one.
constexpr std::uint32_t max_exact = 1 << 24;
/// Rows of a node of which it is written down what is needed for each number of them on the left.
constexpr std::uint32_t max_filled = 1 << 21;
/// What is needed is written anew when the score to reach has grown by this share.
constexpr double worth_filling = 1.0 / 32;

CutNorm norm_of(const DeviationBound& bound, bool is_two, bool is_bent) {
  if (is_two) return is_bent ? CutNorm::two_bent : CutNorm::squares;
  if (bound.is_cumulative) return CutNorm::cumulative;
  if (bound.norm == DeviationNorm::magnitudes) return CutNorm::magnitudes;
  if (bound.norm == DeviationNorm::largest)
    return is_bent ? CutNorm::largest_bent : CutNorm::largest;
  return is_bent ? CutNorm::bent : CutNorm::squares;
}

}  // namespace

bool ClassBound::is_usable(const NodeView& node) {
  if (!criterion_ || !bound() || node.n_rows >= max_exact) return false;
  const int n_classes = static_cast<int>(node.parent.size());
  is_filled_ = bound().fill && !node.row_weights && node.n_rows <= max_filled;
  if (!is_filled_ && !bound().min) return false;
  return n_classes <= (node.row_weights ? SortedScan::max_weighted : SortedScan::max_classes);
}

bool ClassBound::start(const NodeView& node) {
  if (!is_usable(node)) return false;
  n_rows_ = node.n_rows;
  min_rows_ = std::min(node.min_rows, node.n_rows);
  bound_node_ = {.parent = node.parent.data(),
                 .n_classes = static_cast<int>(node.parent.size()),
                 .total = node.total,
                 .unit = node.unit,
                 .settings = &criterion_->settings,
                 .classes = node.labels.data()};
  find_statistics(node);
  set_classes(node);
  const std::size_t n = n_rows_ + 1 + SortedScan::room_behind;
  by_place_.resize(std::max(by_place_.size(), 3 * n));
  scan_.shares = by_place_.data();
  scan_.left_to_right = by_place_.data() + n;
  scan_.right_to_left = by_place_.data() + 2 * n;
  sorted_kernels().shares(n_rows_, min_rows_, node.row_weights != nullptr, by_place_.data());
  if (scan_.norm == CutNorm::bent || scan_.norm == CutNorm::two_bent ||
      scan_.norm == CutNorm::largest_bent)
    set_ratios(node);
  filled_for_ = none;
  begin_peaks();
  return true;
}

/// Tables of the sizes of sides, which are made once, and what the bound wants to know.
void ClassBound::find_statistics(const NodeView& node) {
  if (is_filled_ && bound().fill_sides) {
    const std::size_t n = node.n_rows + 1;
    const int n_classes = bound_node_.n_classes;
    auto& sides = sides_[n_classes];
    if (sides.size() < 2 * n) {
      const std::size_t m = std::max(n, std::min<std::size_t>(sides.size(), max_filled));
      sides.resize(2 * m);
      bound().fill_sides(criterion_->settings, n_classes, static_cast<int>(m), sides.data());
    }
    bound_node_.sides = sides.data();
    bound_node_.terms = sides.data() + sides.size() / 2;
  }
  if (bound().find_statistics) bound().find_statistics(bound_node_);
}

void ClassBound::set_classes(const NodeView& node) {
  const std::size_t n_classes = node.parent.size();
  const bool has_weights = node.row_weights != nullptr, is_two = n_classes == 2 && !has_weights;
  // Where rows have weights a factor does not bend: it is what it may become.
  const bool is_bent = bound().bend && !has_weights;
  const std::size_t padded = n_classes + 4;
  by_class_.assign(3 * padded, 0);
  float *share = by_class_.data(), *factor = share + padded, *bend = factor + padded;
  scan_ = {.norm = norm_of(bound(), is_two, is_bent),
           .layout = node.layout,
           .total = static_cast<float>(node.total),
           .n_classes = is_two ? 1 : static_cast<int>(n_classes),
           .share = share,
           .factor = factor,
           .bend = bend,
           .weight = node.row_weights};
  const bool are_roots = bound().norm == DeviationNorm::magnitudes;
  double sum = 0, largest = 0, max_bend = 0;
  labels_.assign(padded, -1);
  counted_.clear();
  for (std::size_t k = 0; k < n_classes; ++k) {
    const int own = static_cast<int>(k);
    const double own_bend = bound().bend ? bound().bend(bound_node_, own) : 0;
    const double square = bound().factor(bound_node_, own) * (has_weights ? 1 + own_bend : 1);
    share[k] = static_cast<float>(node.parent[k] / node.total);
    factor[k] = static_cast<float>(are_roots && !is_two ? std::sqrt(square) : square);
    bend[k] = static_cast<float>(own_bend / node.parent[k]);
    max_bend = std::max(max_bend, own_bend);
    sum += are_roots ? std::sqrt(square) : square;
    largest = std::max(largest, square);
    labels_[k] = static_cast<std::int32_t>(node.labels[k] << node.layout.row_bits);
    counted_.push_back(static_cast<std::uint32_t>(k));
  }
  const bool is_largest = bound().norm == DeviationNorm::largest;
  const double both = are_roots ? sum * sum : is_largest ? largest : sum;
  if (is_two) {  // both deviate by the same
    for (std::size_t k = 0; k < 2; ++k) bend[k] *= factor[k];
    share[0] = share[1];
    factor[0] = static_cast<float>(both);
    labels_[0] = std::exchange(labels_[1], -1);
    counted_ = {1};
  }
  scan_.label = labels_.data();
  const double times = bound().is_cumulative ? static_cast<double>(n_classes) : 1;
  const double lost = has_weights ? weight_slack : count_slack;
  slack_ =
      times * lost * node.total * std::sqrt(both) * (is_bent ? 2 * std::sqrt(1 + max_bend) : 1);
  scan_.slack = static_cast<float>(slack_);
  scan_.weight_slack = static_cast<float>(lost * node.total);
}

void ClassBound::set_ratios(const NodeView& node) {
  const std::size_t n = n_rows_ + 1 + SortedScan::room_behind;
  float *left_to_right = by_place_.data() + n, *right_to_left = by_place_.data() + 2 * n;
  const auto total = static_cast<float>(node.n_rows);
  for (std::uint32_t i = 0; i <= node.n_rows; ++i) {
    const auto left = static_cast<float>(static_cast<std::int32_t>(i));
    left_to_right[i] = left / (total - left);
    right_to_left[i] = (total - left) / left;
  }
}

/// Writes what a score needs, as shares: the value of a cut that may reach it is one or more.
void ClassBound::fill(double score, double tie) {
  filled_for_ = score;
  filled_for_tie_ = tie;
  needed_.resize(std::max(needed_.size(), std::size_t{n_rows_} + 1));
  const RowRange rows{1, static_cast<int>(n_rows_)};
  if (bound().fill_tied && tie > none)
    bound().fill_tied(bound_node_, surely_below(score), surely_below(tie), rows, needed_.data());
  else
    bound().fill(bound_node_, surely_below(score), rows, needed_.data());
  float* shares = by_place_.data();
  const float growth = sorted_kernels().shares_of_needed(
      needed_.data(), min_rows_, n_rows_ - min_rows_ + 1, static_cast<float>(kept_share),
      static_cast<float>(slack_), shares);
  is_open_ = std::isinf(growth);
  growth_ *= growth * rounded_up;
  if (!is_open_) return;
  std::fill(shares + min_rows_, shares + (n_rows_ - min_rows_ + 1), 1.0f);
  growth_ = std::numeric_limits<float>::infinity();
}

float ClassBound::wanted(double score, double tie) {
  constexpr float anything = -1;
  if (score == none) return anything;
  if (is_filled_) {
    const bool is_tied = bound().fill_tied && tie > none;
    if (filled_for_ == none || score - filled_for_ > worth_filling * std::abs(score) ||
        (is_tied && tie != filled_for_tie_))
      fill(score, tie);
    return is_open_ ? anything : static_cast<float>(kept_share);
  }
  const double min = bound().min(bound_node_, surely_below(score)) * kept_share;
  if (!(min > 0)) return anything;
  if (scan_.weight) return static_cast<float>(min);
  // The most uneven cut loses most.
  const double sides = min_rows_ * static_cast<double>(n_rows_ - min_rows_);
  const double root = std::sqrt(min) - slack_ / std::sqrt(sides);
  return root > 0 ? static_cast<float>(root * root * kept_share) : anything;
}

}  // namespace ramify
