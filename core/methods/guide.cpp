// SPDX-License-Identifier: BSD-3-Clause
#include "methods/guide.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "select/ties.hpp"
#include "util/contingency.hpp"

namespace ramify {
namespace {

/// The significance level of all tests of a node together.
constexpr double guide_level = 0.05;

/// Rows per class from which on there are four groups.
constexpr double rows_for_four_groups = 20;

/// Wilson and Hilferty's transformation of a chi-square with several degrees of freedom to one.
double to_one_degree(const ChiSquareTest& test) {
  const double nu = test.degrees;
  if (nu <= 1) return test.statistic;
  const double root = 7.0 / 9 + std::sqrt(nu) * (std::cbrt(test.statistic / nu) - 1 + 2 / (9 * nu));
  return std::pow(std::max(0.0, root), 3);
}

double middle_of(const Column& info, std::uint32_t code) {
  return std::midpoint(info.lower(code), info.upper(code));
}

/// Where a numeric column is cut into three or four groups.
std::vector<double> group_cuts(const Column& info, const CategorySums& categories,
                               std::size_t n_known, double factor) {
  double n = 0, mean = 0, squares = 0;
  std::vector<double> weight(n_known), by_class(static_cast<std::size_t>(categories.n_channels));
  for (std::size_t i = 0; i < n_known; ++i) {
    for (std::size_t k = 0; k < by_class.size(); ++k) by_class[k] += categories.of(i)[k];
    const auto own = categories.of(i);
    weight[i] = std::accumulate(own.begin(), own.end(), 0.0) * factor;
    n += weight[i];
  }
  for (std::size_t i = 0; i < n_known; ++i)
    mean += weight[i] / n * middle_of(info, categories.code[i]);
  for (std::size_t i = 0; i < n_known; ++i) {
    const double away = middle_of(info, categories.code[i]) - mean;
    squares += weight[i] * away * away;
  }
  const double s = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  const auto n_classes = std::ranges::count_if(by_class, [](double w) { return w > 0; });
  const double slack = 1e-12 * (std::abs(mean) + s);  // values on a cut go left
  if (n < rows_for_four_groups * static_cast<double>(n_classes) - 1e-9)
    return {mean - s * std::sqrt(3.0) / 3 + slack, mean + s * std::sqrt(3.0) / 3 + slack};
  return {mean - s * std::sqrt(3.0) / 2 + slack, mean + slack,
          mean + s * std::sqrt(3.0) / 2 + slack};
}

/// How much the classes of some groups differ; sums are [group][class].
double score_of_groups(std::span<const double> sums, std::size_t n_classes, double factor) {
  return to_one_degree(chi_square(sums.size() / n_classes, n_classes, factor, [&](std::size_t i) {
    return sums.subspan(i * n_classes, n_classes);
  }));
}

double factor_of(const Training& training, const NodeChannels& channels, bool are_counts) {
  return are_counts ? training.target.unit : channels.n_rows / channels.outputs[0].total;
}

/// The groups of a column for the tests of pairs: categories, or values below and above the median;
/// missing values are the last group.
class PairGroups {
 public:
  PairGroups(const Training& training, const Node& node, int column)
      : info_(training.column(column)), weight_(info_.n_codes() + std::size_t{1}) {
    each_code(training, node, column, [&](std::uint32_t row, std::uint32_t code) {
      weight_[std::min(code, info_.n_codes())] += training.target.weight_of(row);
    });
    if (info_.is_categorical) return;
    const double half = std::accumulate(weight_.begin(), weight_.end() - 1, 0.0) / 2;
    double below = 0;
    for (median_ = 0; median_ + 1 < info_.n_codes(); ++median_)
      if ((below += weight_[median_]) >= half) break;
  }
  std::uint32_t size() const { return info_.is_categorical ? info_.n_codes() + 1 : 3; }
  std::uint32_t of(std::uint32_t code) const {
    if (info_.is_categorical) return std::min(code, info_.n_codes());
    return code >= info_.n_codes() ? 2 : code > median_;
  }

 private:
  const Column& info_;
  std::vector<double> weight_;
  std::uint32_t median_ = 0;
};

}  // namespace

Split test_by_guide(const Training& training, const NodeColumn& column, bool are_counts,
                    CategorySums& categories) {
  const Column& info = training.column(column.number);
  collect_categories(training, column, categories);
  if (categories.size() < 2) return Split::constant();
  Split split;
  split.column = column.number;
  const double factor = factor_of(training, column.channels, are_counts);
  const auto n_classes = static_cast<std::size_t>(categories.n_channels);
  if (info.is_categorical) {
    split.score = split.best = score_of_groups(categories.sums, n_classes, factor);
    return split;
  }
  const bool has_missing = categories.code.back() == info.n_codes();
  const std::size_t n_known = categories.size() - has_missing;
  const std::vector<double> cuts = group_cuts(info, categories, n_known, factor);
  std::vector<double> sums((cuts.size() + 2) * n_classes);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    std::size_t group = cuts.size() + 1;  // missing
    if (i < n_known) {
      const double x = middle_of(info, categories.code[i]);
      group = static_cast<std::size_t>(
          std::ranges::count_if(cuts, [&](double cut) { return x > cut; }));
    }
    for (std::size_t k = 0; k < n_classes; ++k) sums[group * n_classes + k] += categories.of(i)[k];
  }
  split.score = split.best = score_of_groups(sums, n_classes, factor);
  return split;
}

std::vector<Split> rank_by_guide(std::span<const Split> found) {
  std::vector<Split> ranked;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    const auto after = std::ranges::find_if(
        ranked, [&](const Split& other) { return beats(split.score, other.score); });
    ranked.insert(after, split);
  }
  return ranked;
}

std::optional<std::pair<int, int>> find_interaction(const Training& training, const Node& node,
                                                    bool are_counts, std::span<const Split> found) {
  std::vector<int> columns;
  double highest = 0;
  for (const Split& split : found) {
    if (!split.exists()) continue;
    columns.push_back(split.column);
    highest = std::max(highest, split.score);
  }
  const auto m = static_cast<double>(columns.size());
  const auto is_significant = [](double score, double n_tests) {
    return log_chi2_tail(score, 1) < std::log(guide_level / n_tests);
  };
  if (columns.size() < 2 || is_significant(highest, m)) return {};
  const Target& target = training.target;
  // The rows of the node, wherever they are in a column.
  std::vector<std::uint32_t> place(target.n_rows), rows;
  std::vector<std::vector<std::uint32_t>> group(columns.size());
  std::vector<std::uint32_t> n_groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const PairGroups groups(training, node, columns[i]);
    n_groups.push_back(groups.size());
    group[i].resize(node.n_rows());
    each_code(training, node, columns[i], [&](std::uint32_t row, std::uint32_t code) {
      if (i == 0) {
        place[row] = static_cast<std::uint32_t>(rows.size());
        rows.push_back(row);
      }
      group[i][place[row]] = groups.of(code);
    });
  }
  double weight = 0;
  for (const std::uint32_t row : rows) weight += target.weight_of(row);
  const double factor = are_counts ? target.unit : static_cast<double>(rows.size()) / weight;
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  std::optional<std::pair<int, int>> best;
  double top = minus_infinity;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      std::vector<double> sums(std::size_t{n_groups[a]} * n_groups[b] * n_classes);
      for (std::size_t i = 0; i < rows.size(); ++i)
        sums[(std::size_t{group[a][i]} * n_groups[b] + group[b][i]) * n_classes +
             target.classes[rows[i]]] += target.weight_of(rows[i]);
      const double score = score_of_groups(sums, n_classes, factor);
      if (!beats(score, top)) continue;
      top = score;
      best = {columns[a], columns[b]};
    }
  return is_significant(top, m * (m - 1)) ? best : std::nullopt;
}

}  // namespace ramify
