// SPDX-License-Identifier: BSD-3-Clause
// dGMML-MDT (Li, Chen 2022): the closed-form weights of dGMML combined into one direction. Reads
// the matrix row by row, as doubles.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"

namespace ramify {
namespace {

enum class Rule { gap, median, mean, midpoint };

/// How far apart the classes are in each column, and how wide they are.
struct Spread {
  std::vector<double> means;            // [label][column]
  std::vector<double> between, within;  // [column]; `within` is 0 if it is so up to rounding
};

Spread spread_of(const ObliqueProblem& problem) {
  const std::size_t d = problem.n_columns, n_classes = problem.class_weight.size();
  Spread spread{class_means(problem), std::vector<double>(d), std::vector<double>(d)};
  const std::vector<double>& means = spread.means;
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const double* x = problem.values + row * d;
    const double* mean = means.data() + problem.label[row] * d;
    const double weight = problem.weight_of(row);
    for (std::size_t j = 0; j < d; ++j)
      spread.within[j] += weight * (x[j] - mean[j]) * (x[j] - mean[j]);
  }
  const double total = problem.total();
  for (std::size_t j = 0; j < d; ++j) {
    double plain_mean = 0, mean = 0, scatter = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      plain_mean += means[k * d + j] / static_cast<double>(n_classes);
      mean += means[k * d + j] * (problem.class_weight[k] / total);
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double apart = means[k * d + j] - plain_mean, off = means[k * d + j] - mean;
      // Summed over all pairs of classes, the squared differences are these times the number of
      // classes.
      spread.between[j] += static_cast<double>(n_classes) * apart * apart;
      scatter += problem.class_weight[k] * off * off;
    }
    if (spread.within[j] <= 1e-12 * (spread.within[j] + scatter)) spread.within[j] = 0;
  }
  return spread;
}

/// The two classes farthest apart, relative to their widths.
std::pair<std::size_t, std::size_t> widest_pair(const Spread& spread, std::size_t n_classes) {
  const std::size_t d = spread.within.size();
  std::pair<std::size_t, std::size_t> widest{0, 1};
  double farthest = -1;
  for (std::size_t a = 0; a < n_classes; ++a)
    for (std::size_t b = a + 1; b < n_classes; ++b) {
      double distance = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double apart = spread.means[b * d + j] - spread.means[a * d + j];
        distance += apart * apart / spread.within[j];
      }
      if (distance > farthest) {
        farthest = distance;
        widest = {a, b};
      }
    }
  return widest;
}

/// A column that separates the classes perfectly is used alone. Empty if no column separates them
/// at all.
std::vector<double> weights(const Spread& spread, std::size_t n_classes, bool is_signed) {
  const std::size_t d = spread.within.size();
  std::vector<double> weight(d);
  const auto sharp = std::ranges::find(spread.within, 0.0);
  if (sharp != spread.within.end()) {
    weight[static_cast<std::size_t>(sharp - spread.within.begin())] = 1;
    return weight;
  }
  const auto [low, high] = widest_pair(spread, n_classes);
  bool is_zero = true;
  for (std::size_t j = 0; j < d; ++j) {
    weight[j] = std::sqrt(spread.between[j] / spread.within[j]);
    if (is_signed) {
      const double apart = spread.means[high * d + j] - spread.means[low * d + j];
      weight[j] = apart < 0 ? -weight[j] : apart > 0 ? weight[j] : 0;
    }
    is_zero = is_zero && weight[j] == 0;
  }
  if (is_zero) weight.clear();
  return weight;
}

/// Where to cut a line of projected rows.
class LineCuts {
 public:
  LineCuts(const ObliqueProblem& problem, const MdtRules& rules, std::span<const double> place)
      : problem_(problem), rules_(rules), place_(place), rows_(problem.class_weight.size()) {
    for (std::size_t row = 0; row < problem.n_rows; ++row)
      rows_[problem.label[row]].push_back(static_cast<std::uint32_t>(row));
    for (const auto& rows : rows_) means_.push_back(mean_of(rows));
    order_.resize(rows_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t k) { return std::pair(means_[k], k); });
    lowest_ = std::ranges::min(place);
    highest_ = std::ranges::max(place);
  }

  /// The best cut by a rule, or by the next rule that leaves enough rows on both sides.
  std::optional<double> best(SideJudge& judge) const {
    SplitJudge split_judge(problem_, judge);
    const Rule wanted = rules_.cut == MdtRules::Cut::gap      ? Rule::gap
                        : rules_.cut == MdtRules::Cut::median ? Rule::median
                                                              : Rule::mean;
    std::optional<double> found = best_of(cuts_by(wanted), split_judge);
    for (const Rule rule : {Rule::gap, Rule::median, Rule::mean, Rule::midpoint})
      if (!found && rule != wanted) found = best_of(cuts_by(rule), split_judge);
    return found;
  }

 private:
  /// Rows this little above a cut are above it by rounding alone.
  double slack() const { return 1e-13 * (highest_ - lowest_); }

  double mean_of(std::span<const std::uint32_t> rows) const {
    double sum = 0, total = 0;
    for (const std::uint32_t row : rows) {
      sum += problem_.weight_of(row) * place_[row];
      total += problem_.weight_of(row);
    }
    return sum / total;
  }

  /// One cut, or one for every two classes that are adjacent in the order of their means.
  std::vector<double> cuts_by(Rule rule) const {
    if (rule == Rule::median) return {median()};
    if (rule == Rule::mean) return {mean()};
    std::vector<double> cuts;
    for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
      const std::size_t low = order_[i], high = order_[i + 1];
      cuts.push_back(rule == Rule::gap
                         ? mean_of_extremes(low, 1) / 2 + mean_of_extremes(high, -1) / 2
                         : means_[low] / 2 + means_[high] / 2);
    }
    std::ranges::sort(cuts);
    return cuts;
  }

  double mean() const {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < means_.size(); ++k) {
      sum += problem_.class_weight[k] * means_[k];
      total += problem_.class_weight[k];
    }
    return sum / total;
  }

  /// The value up to which half of the weight lies; the midpoint of two values if exactly half
  /// does.
  double median() const {
    std::vector<std::pair<double, double>> items;  // place, weight
    double total = 0;
    for (std::size_t row = 0; row < problem_.n_rows; ++row) {
      items.emplace_back(place_[row], problem_.weight_of(row));
      total += items.back().second;
    }
    std::ranges::sort(items);
    double before = 0;
    std::size_t i = 0;
    while (i + 1 < items.size() && before + items[i].second < total / 2)
      before += items[i++].second;
    const bool is_half = i + 1 < items.size() && before + items[i].second == total / 2;
    return is_half ? items[i].first / 2 + items[i + 1].first / 2 : items[i].first;
  }

  /// The weighted mean of the q highest rows of a class (sign 1) or its q lowest (-1). All rows at
  /// the last value, which differ only in weight, are included by equal fractions, so that the
  /// order of rows does not matter.
  double mean_of_extremes(std::size_t label, int sign) const {
    const std::vector<std::uint32_t>& rows = rows_[label];
    const std::size_t q = std::min<std::size_t>(
        static_cast<std::size_t>(std::max(1, rules_.n_gap_points / 2)), rows.size());
    std::vector<double> key;
    for (const std::uint32_t row : rows) key.push_back(sign * place_[row]);
    const auto last = key.begin() + static_cast<std::ptrdiff_t>(q - 1);
    std::ranges::nth_element(key, last, std::greater{});
    double sum = 0, total = 0, tied_weight = 0, n_beyond = 0, n_tied = 0;
    for (const std::uint32_t row : rows) {
      if (sign * place_[row] < *last) continue;
      if (sign * place_[row] == *last) {
        tied_weight += problem_.weight_of(row);
        ++n_tied;
        continue;
      }
      sum += problem_.weight_of(row) * place_[row];
      total += problem_.weight_of(row);
      ++n_beyond;
    }
    const double taken = tied_weight * ((static_cast<double>(q) - n_beyond) / n_tied);
    return (sum + taken * sign * *last) / (total + taken);
  }

  std::optional<double> best_of(std::span<const double> cuts, SplitJudge& judge) const {
    std::optional<double> best;
    double best_score = no_score;
    for (const double cut : cuts) {
      const double score =
          judge.score([&](std::size_t row) { return place_[row] <= cut + slack(); });
      if (!beats(score, best_score)) continue;
      best_score = score;
      best = clear_of_rows(cut);
    }
    return best;
  }

  /// Moves a cut that coincides with a row by next to nothing, so that the row stays left whatever
  /// the rounding.
  double clear_of_rows(double cut) const {
    double below = lowest_, above = highest_;
    for (const double place : place_)
      if (place <= cut + slack())
        below = std::max(below, place);
      else
        above = std::min(above, place);
    const double margin = std::min((above - below) / 2, 1e-10 * (highest_ - lowest_));
    return std::clamp(cut, below + margin, std::max(below + margin, above - margin));
  }

  const ObliqueProblem& problem_;
  const MdtRules& rules_;
  std::span<const double> place_;
  std::vector<std::vector<std::uint32_t>> rows_;  // by class
  std::vector<double> means_;                     // by class
  std::vector<std::size_t> order_;                // classes by mean
  double lowest_ = 0, highest_ = 0;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const MdtRules& rules) {
  std::vector<double> weight =
      weights(spread_of(problem), problem.class_weight.size(), rules.is_signed);
  if (weight.empty() || problem.must_stop()) return {};
  std::vector<double> place(problem.n_rows);
  project(problem, weight, place);
  const auto cut = LineCuts(problem, rules, place).best(*problem.judges[0]);
  if (!cut) return {};
  return Direction{std::move(weight), -*cut, true};
}

}  // namespace ramify
