// SPDX-License-Identifier: BSD-3-Clause
#include "structure/requested_cuts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "linear_algebra/vectors.hpp"

namespace ramify {

RequestedCuts::Wish RequestedCuts::wish_of(const Plan& plan) {
  Wish wish{false, false, plan.criterion.sees_present_classes(), plan.threshold_is_value};
  each_expression(plan, [&](const Expression& expression) {
    for (const ExpressionStep& step : expression) {
      if (!looks_at_rows(step)) continue;
      (step.measure == Measure::bnm ? wish.margins : wish.separation) = true;
    }
  });
  return wish;
}

RequestedCuts::RequestedCuts(const Table& table, const NodeSums& sums, double unit, Wish wish)
    : table_(table), unit_(unit), wish_(wish) {
  for (std::size_t k = 0; k < sums.n_first; ++k) {
    std::int64_t weight = 0;
    for (std::size_t code = 0; code <= table.columns[0].n_codes(); ++code)
      weight += sums.cell(0, code)[k];
    if (weight > 0 || !wish_.present_only) classes_.push_back(k);
  }
  cells_.n_classes = static_cast<int>(classes_.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    cells_.first.push_back(cells_.value.size());
    for (std::uint32_t code = 0; code < table.columns[j].n_codes(); ++code) {
      const std::int64_t* cell = sums.cell(j, code);
      if (sums.rows(cell) == 0) continue;
      cells_.value.push_back(table.columns[j].lower(code));
      code_.push_back(code);
      for (const std::size_t k : classes_)
        cells_.weight.push_back(static_cast<double>(cell[k]) * unit_);
    }
  }
  cells_.first.push_back(cells_.value.size());
  if (wish_.margins)
    make_cube();
  else
    n_columns_known_ = static_cast<std::uint32_t>(table.columns.size());
}

const std::vector<double>& RequestedCuts::left_of(Cut cut) {
  static const std::vector<double> unknown;
  const auto found = std::ranges::find(known_, cut, &Known::cut);
  if (found != known_.end()) return found->left;
  if (std::ranges::find(wanted_, cut) == wanted_.end()) wanted_.push_back(cut);
  return unknown;
}

void RequestedCuts::respond(const NodeSums& left) {
  const Cut cut = wanted_.front();
  std::vector<double> weight;
  weight.reserve(cells_.weight.size());
  std::size_t column = 0;
  bool can_be = true;
  for (std::size_t i = 0; i < cells_.value.size(); ++i) {
    while (i >= cells_.first[column + 1]) ++column;
    const std::int64_t* cell = left.cell(column, code_[i]);
    const bool is_own = static_cast<int>(column) == cut.column;
    for (std::size_t y = 0; y < classes_.size(); ++y) {
      const double own = static_cast<double>(cell[classes_[y]]) * unit_;
      const double all = cells_.weight[cells_.at(i) + y];
      can_be =
          can_be && own >= 0 && own <= all && (!is_own || own == (code_[i] <= cut.code ? all : 0));
      weight.push_back(own);
    }
  }
  if (!can_be)
    throw std::invalid_argument("the sums on the left of a cut do not fit those of its " +
                                std::string("node: some were lost or counted twice"));
  known_.push_back({cut, std::move(weight)});
  wanted_.erase(wanted_.begin());
}

// --- margins ------------------------------------------------------------------------------------

void RequestedCuts::make_cube() {
  cube_.emplace(cells_, cells_.weight);
  if (!cube_->make_exact())
    throw std::invalid_argument(
        "the rows of a node weigh too much for exact sums of points, which 'bnm' needs if rows are "
        "in partitions; use smaller weights, or fit in memory");
  const std::size_t k = classes_.size(), m = cube_->varies.size();
  rest_.assign(k * m, 0);
  length_.assign(cells_.weight.size(), 0);
  for (std::size_t j = 0; j < m; ++j) {
    const auto [begin, end] = cube_->varies[j];
    varies_.push_back(static_cast<std::size_t>(std::ranges::upper_bound(cells_.first, begin) -
                                               cells_.first.begin() - 1));
    for (std::size_t cell = begin; cell < end; ++cell)
      for (std::size_t y = 0; y < k; ++y)
        rest_[y * m + j] += cells_.weight[cells_.at(cell) + y] * cube_->point[cells_.at(cell) + y];
  }
}

void RequestedCuts::write_points(const Layout& layout, std::span<double> points) const {
  const auto n_all = static_cast<std::size_t>(layout.n_classes[0]);
  std::ranges::fill(points, 0);
  for (std::size_t j = 0; j < varies_.size(); ++j) {
    const auto [begin, end] = cube_->varies[j];
    for (std::size_t cell = begin; cell < end; ++cell)
      for (std::size_t y = 0; y < classes_.size(); ++y)
        points[(layout.first_cell[varies_[j]] + code_[cell]) * n_all + classes_[y]] =
            cube_->point[cells_.at(cell) + y];
  }
}

void RequestedCuts::respond_points(const Layout& layout, std::uint32_t end,
                                   std::span<const double> sums) {
  const auto n_all = static_cast<std::size_t>(layout.n_classes[0]);
  const std::size_t d = layout.n_codes.size(), m = varies_.size();
  const std::size_t first = layout.first_cell[n_columns_known_];
  bool can_be = true;
  std::vector<double> sum(m);
  for (const std::size_t column : varies_) {
    if (column < n_columns_known_ || column >= end) continue;
    for (std::size_t y = 0; y < classes_.size(); ++y) {
      std::ranges::fill(sum, 0);
      for (std::size_t cell = cells_.first[column]; cell < cells_.first[column + 1]; ++cell) {
        const std::size_t at = layout.first_cell[column] + code_[cell] - first;
        const double* own = sums.data() + (at * n_all + classes_[y]) * d;
        for (std::size_t j = 0; j < m; ++j) sum[j] += own[varies_[j]];  // exact
        length_[cells_.at(cell) + y] = dot(sum.data(), sum.data(), m);
      }
      can_be = can_be && std::ranges::equal(sum, std::span(rest_).subspan(y * m, m));
    }
  }
  if (!can_be)
    throw std::invalid_argument("the sums of points do not fit the rows of their node: " +
                                std::string("some were lost or counted twice"));
  n_columns_known_ = end;
}

std::vector<double> RequestedCuts::margins(const ExpressionStep& step, int column) const {
  const auto c = static_cast<std::size_t>(column);
  if (std::ranges::find(varies_, c) == varies_.end()) return {};
  const std::size_t begin = cells_.first[c], end = cells_.first[c + 1], k = classes_.size();
  const Column& info = table_.columns[c];
  const double low = cells_.value[begin], scale = 1 / (cells_.value[end - 1] - low);
  const auto place = [&](std::size_t cell) { return (cells_.value[cell] - low) * scale; };
  const auto occurs = [&](std::size_t cell, std::size_t y) {
    return cells_.weight[cells_.at(cell) + y] > 0;
  };
  constexpr std::size_t stride = SpaceSums::capacity;  // a column has no more cuts
  SpaceSums sums;
  sums.start(k);
  const std::size_t n_cuts = end - begin - 1;
  for (std::size_t y = 0; y < k; ++y) {
    double weight = 0, last = 0, next = 0;
    for (std::size_t i = 0; i < n_cuts; ++i) {
      weight += cells_.weight[cells_.at(begin + i) + y];
      if (occurs(begin + i, y)) last = place(begin + i);
      sums.weight[y * stride + i] = weight;
      sums.last[y * stride + i] = last;
      sums.length[y * stride + i] = length_[cells_.at(begin + i) + y];
    }
    for (std::size_t i = n_cuts; i-- > 0;) {
      if (occurs(begin + i + 1, y)) next = place(begin + i + 1);
      sums.next[y * stride + i] = next;
    }
  }
  for (std::size_t i = 0; i < n_cuts; ++i) {
    const std::uint32_t code = code_[begin + i], behind = code_[begin + i + 1];
    const double at = wish_.threshold_is_value ? info.upper(code) : info.midpoint(code, behind);
    sums.threshold[i] = (at - low) * scale;
  }
  std::vector<double> found(n_cuts);
  margins_of(cube_->space, sums, margin_kind(step), n_cuts, found.data());
  return found;
}

double RequestedCuts::margin_of(const ExpressionStep& step, Cut cut) const {
  const auto c = static_cast<std::size_t>(cut.column);
  std::size_t i = 0;
  while (code_[cells_.first[c] + i] != cut.code) ++i;
  return margins(step, cut.column)[i];
}

}  // namespace ramify
