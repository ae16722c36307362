// SPDX-License-Identifier: BSD-3-Clause
#include "dgmml/search.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "dgmml/moment_kernels.hpp"
#include "scan/set_criterion.hpp"
#include "search/column_sampler.hpp"
#include "search/search.hpp"

namespace ramify {
namespace {

/// Columns that are tried before a node becomes a leaf.
constexpr int max_tries = 5;

/// A score that stands for infinity: gains are summed, and must be finite.
constexpr double highest_score = 1e300;

/// Minimum fraction of the sum of squares that must remain as deviations of a column; below it they
/// are recomputed from the rows.
constexpr double min_share = 1e-8;

/// Moments that are derived from those of other nodes change a score by less than this fraction,
/// except scores below `min_certain`.
constexpr double doubtful_share = 1e-6, min_certain = 1e-9;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether a column has lost too many digits to differences, or its values are so close to equal
/// that nothing but last digits remains.
bool is_doubtful(const Moments& moments, std::size_t j, const Spreads& spreads) {
  const double within = spreads.within[j], mean = moments.mean[j];
  const double noise = 1e-28 * mean * mean * spreads.total[j];
  return within < min_share * moments.scale[j] || !(within + spreads.scatter[j] > noise);
}

void find(const Moments& moments, Spreads& spreads) {
  const std::size_t n = moments.n_columns;
  for (auto* numbers : {&spreads.total, &spreads.within, &spreads.pairs, &spreads.scatter})
    numbers->resize(n);
  moment_kernels().find_spreads(
      {n, moments.n_channels(), moments.has_missing, moments.weight.data(), moments.mean.data(),
       moments.deviation.data(), spreads.total.data(), spreads.within.data(), spreads.pairs.data(),
       spreads.scatter.data()});
}

}  // namespace

/// The spread, within classes and by scatter, determines what counts as zero: sums of squares are
/// exact to about 1e-16 of it, and means to the root of that.
double squared_weight(double between, double within, double scatter) {
  const double spread = within + scatter;
  if (!(scatter > 1e-20 * spread) || !(spread < infinity)) return 0;
  return within <= 1e-12 * spread ? infinity : between / within;
}

double ColumnMoments::total_mean() const {
  double all = 0, sum = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    all += weight[k];
    sum += weight[k] * mean[k];
  }
  return origin + sum / all;
}

DgmmlSearch::DgmmlSearch(const Table& table, std::span<const std::uint32_t> rows,
                         const Target& target, const Plan& plan, const ValueBlock* block)
    : table_(table),
      rows_(rows),
      by_code_(plan.dgmml->by_code),
      target_(target),
      plan_(plan),
      rules_(*plan.dgmml),
      block_(block),
      by_gini_(plan) {
  by_gini_.criterion = {.builtin = set_criterion("gini")};
  by_gini_.dgmml.reset();
  by_gini_.max_columns = 0;
  by_gini_.n_threads = 1;
  for (std::uint32_t i = 0; i < rows.size() && in_order_; ++i) in_order_ = rows[i] == i;
}

void DgmmlSearch::read_codes(std::span<const std::uint32_t> rows, int column,
                             std::vector<std::uint32_t>& codes) const {
  codes.resize(rows.size());
  std::visit(
      [&](const auto& from) {
        std::uint32_t* to = codes.data();
        if (in_order_)
          for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
        else
          for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows_[rows[i]]];
      },
      table_.columns[column].codes);
}

std::span<const std::uint32_t> DgmmlSearch::codes_of(std::span<const std::uint32_t> rows,
                                                     int column, DgmmlScratch& scratch) const {
  if (!by_code_ && scratch.column == column) return scratch.codes;
  read_codes(rows, column, scratch.row_codes);
  return scratch.row_codes;
}

void DgmmlSearch::read_column(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  scratch.column = column;
  if (!by_code_) return read_codes(node.rows, column, scratch.codes);
  const std::size_t n_codes = table_.columns[column].n_codes();
  const std::size_t n_cells = (n_codes + 1) * scratch.n_channels;
  if (scratch.cell_rows.size() < n_cells) {
    scratch.cell_rows.resize(n_cells);
    scratch.cell_weight.resize(n_cells);
  }
  if (node.given)
    take_counts(node, scratch);
  else
    count_rows(node, n_cells, scratch);
  make_items(n_cells, node.given ? node.given->n_counts > 0 : !target_.weight.empty(), scratch);
}

std::pair<std::uint32_t, std::uint32_t> DgmmlSearch::known_range(
    int column, const DgmmlScratch& scratch) const {
  const std::uint32_t n_codes = table_.columns[column].n_codes();
  std::uint32_t lowest = n_codes, highest = 0;
  for (const std::uint32_t code : scratch.codes) {
    lowest = std::min(lowest, code);
    highest = std::max(highest, code == n_codes ? 0 : code);
  }
  return {lowest, highest};
}

/// Records channel and weight of each row.
void DgmmlSearch::start(const DgmmlNode& node, DgmmlScratch& scratch) const {
  const std::vector<double>& sums = node.node.sums;
  scratch.column = -1;
  scratch.n_rows = node.node.n_rows();
  scratch.channel_of.assign(sums.size(), 0);  // of classes whose rows have zero weight, too
  scratch.parent.clear();
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (sums[k] > 0) {
      scratch.channel_of[k] = static_cast<std::uint32_t>(scratch.parent.size());
      scratch.parent.push_back(sums[k]);
    }
  scratch.n_channels = scratch.parent.size();
  std::vector<std::uint32_t>& channel = by_code_ ? scratch.row_channel : scratch.channel;
  channel.resize(node.rows.size());
  for (std::size_t i = 0; i < node.rows.size(); ++i)
    channel[i] = scratch.channel_of[target_.classes[node.rows[i]]];
  if (target_.weight.empty() || by_code_) return;
  scratch.weight.resize(node.rows.size());
  for (std::size_t i = 0; i < node.rows.size(); ++i)
    scratch.weight[i] = target_.weight[node.rows[i]];
}

/// The moments of a column, from those of the node or from its rows.
void DgmmlSearch::look_up(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  if (!node.moments) return look_at_rows(node, column, scratch);
  const Moments& all = *node.moments;
  const std::size_t j = block_->slot(static_cast<std::uint32_t>(column)), n = all.n_columns;
  ColumnMoments& own = scratch.moments;
  own.resize(scratch.n_channels);
  own.origin = block_->origin(j);
  for (std::size_t k = 0; k < own.size(); ++k) {
    own.weight[k] = all.weight_at(k, j);
    own.mean[k] = all.mean[k * n + j];
    own.deviation[k] = all.deviation[k * n + j];
  }
}

/// The same in two passes over items: first the means, then deviations from them.
void DgmmlSearch::look_at_rows(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  read_column(node, column, scratch);
  const Column& info = table_.columns[column];
  const std::vector<std::uint32_t>& codes = scratch.codes;
  ColumnMoments& own = scratch.moments;
  own.resize(scratch.n_channels);
  const auto [lowest, highest] = known_range(column, scratch);
  own.is_constant = lowest >= highest;
  if (own.is_constant) return;
  own.origin = info.lower(lowest);
  const auto each_known = [&](auto visit) {
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (codes[i] < info.n_codes())
        visit(scratch.channel[i], info.lower(codes[i]) - own.origin, scratch.weight_of(i));
  };
  each_known([&](std::uint32_t k, double x, double weight) {
    own.weight[k] += weight;
    own.mean[k] += weight * x;
  });
  for (std::size_t k = 0; k < own.size(); ++k)
    if (own.weight[k] > 0) own.mean[k] /= own.weight[k];
  each_known([&](std::uint32_t k, double x, double weight) {
    own.deviation[k] += weight * (x - own.mean[k]) * (x - own.mean[k]);
  });
}

/// Replaces doubtful moments of the node by those of the column.
void DgmmlSearch::put_back(const DgmmlNode& node, int column, const DgmmlScratch& scratch) const {
  const ColumnMoments& own = scratch.moments;
  Moments& all = *node.moments;
  const std::size_t j = block_->slot(static_cast<std::uint32_t>(column)), n = all.n_columns;
  all.scale[j] = 0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    all.mean[k * n + j] = own.mean[k] + (own.origin - block_->origin(j));
    all.deviation[k * n + j] = own.deviation[k];
    all.scale[j] += own.deviation[k];
  }
}

double DgmmlSearch::score_regression(const ColumnMoments& moments) const {
  const std::size_t n = moments.size();
  double all = 0, within = 0, sum = 0, weighted_sum = 0;
  int n_present = 0;
  const double origin = moments.mean[0];
  for (std::size_t k = 0; k < n; ++k) {
    if (moments.weight[k] <= 0) continue;
    ++n_present;
    all += moments.weight[k];
    within += moments.deviation[k];
    sum += moments.mean[k] - origin;
    weighted_sum += moments.weight[k] * (moments.mean[k] - origin);
  }
  if (n_present < 2) return 0;
  const double middle = origin + sum / n_present, mean = origin + weighted_sum / all;
  double between = 0, scatter = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (moments.weight[k] <= 0) continue;
    const double m = moments.mean[k];
    between += (m - middle) * (m - middle);
    scatter += moments.weight[k] * (m - mean) * (m - mean);
  }
  // The sum over all pairs of classes is n_present times the sum around the mean.
  between = rules_.by_scatter ? scatter : between * n_present / target_.unit;
  return squared_weight(between, within, scatter);
}

double DgmmlSearch::score(const DgmmlNode& node, int column, DgmmlScratch& scratch) const {
  if (table_.columns[column].is_categorical) {
    sum_categories(node, column, scratch);
    return scratch.categories.size() < 2 ? -1 : score_categories(scratch.categories);
  }
  look_at_rows(node, column, scratch);
  if (scratch.moments.is_constant) return -1;
  if (node.moments) put_back(node, column, scratch);
  return score_regression(scratch.moments);
}

/// The scores of some columns, from the moments of the node where these are not doubtful.
void DgmmlSearch::score_all(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                            DgmmlScratch& scratch) const {
  scratch.scores.resize(columns.size());
  scratch.is_certain.assign(columns.size(), 1);
  if (!node.moments) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      scratch.scores[i] = score(node, static_cast<int>(columns[i]), scratch);
    return;
  }
  Spreads& spreads = scratch.spreads;
  find(*node.moments, spreads);
  const double* between = (rules_.by_scatter ? spreads.scatter : spreads.pairs).data();
  const double unit = rules_.by_scatter ? 1 : target_.unit;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t j = block_->slot(columns[i]);
    const bool is_seen = j == ValueBlock::no_slot || is_doubtful(*node.moments, j, spreads);
    scratch.is_certain[i] = is_seen;
    scratch.scores[i] =
        is_seen ? score(node, static_cast<int>(columns[i]), scratch)
                : squared_weight(between[j] / unit, spreads.within[j], spreads.scatter[j]);
  }
}

/// In binned columns the best is found by scores of class counts, which do not depend on the nodes
/// above; columns that cannot be the best need not be known as exactly.
void DgmmlSearch::make_certain(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                               DgmmlScratch& scratch) const {
  if (!by_code_ || !node.moments) return;
  for (bool is_certain = false; !is_certain;) {
    const double highest = *std::ranges::max_element(scratch.scores);
    const double min = highest < min_certain ? -infinity
                       : highest < infinity  ? highest * (1 - doubtful_share)
                                             : highest;
    is_certain = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (scratch.is_certain[i] || scratch.scores[i] < min) continue;
      scratch.scores[i] = score(node, static_cast<int>(columns[i]), scratch);
      scratch.is_certain[i] = 1;
      is_certain = false;
    }
  }
}

/// Ranks some columns, and cuts the first that can be cut.
Split DgmmlSearch::best_of(const DgmmlNode& node, std::span<const std::uint32_t> columns,
                           DgmmlScratch& scratch) const {
  score_all(node, columns, scratch);
  make_certain(node, columns, scratch);  // which may find more that are constant
  std::vector<double>& scores = scratch.scores;
  std::size_t at = 0;
  std::erase_if(node.node.non_constant, [&](std::uint32_t column) {
    if (at == columns.size() || columns[at] != column) return false;
    return scores[at++] < 0;
  });
  for (int tries = 0; tries < max_tries; ++tries) {
    make_certain(node, columns, scratch);
    const double highest = *std::ranges::max_element(scores);
    if (highest <= 0) return tries == 0 && rules_.falls_back ? fall_back(node, columns) : Split{};
    const auto first = std::ranges::find_if(
        scores, [&](double score) { return score >= highest * (1 - tied_share_of_weights); });
    const int column = static_cast<int>(columns[static_cast<std::size_t>(first - scores.begin())]);
    Split split = table_.columns[column].is_categorical ? part(node, column, scratch)
                                                        : cut(node, column, scratch);
    if (split.column >= 0) {
      split.score = std::min(std::sqrt(*first), highest_score);
      split.is_optimal = false;
      return split;
    }
    *first = 0;
  }
  return {};
}

Split DgmmlSearch::best(const DgmmlNode& node, DgmmlScratch& scratch) const {
  start(node, scratch);
  ColumnSampler sampler;
  sampler.fill(node.node.non_constant, plan_.max_columns, node.node.key);
  for (auto columns = sampler.draw(); !columns.empty(); columns = sampler.draw()) {
    const Split split = best_of(node, columns, scratch);
    if (split.exists()) return split;
  }
  return {};
}

/// The best split by Gini, found in a store of the node's own.
Split DgmmlSearch::fall_back(const DgmmlNode& node, std::span<const std::uint32_t> columns) const {
  Node own = node.node;
  std::erase_if(own.non_constant,
                [&](std::uint32_t column) { return !std::ranges::binary_search(columns, column); });
  Pool pool(1);
  std::vector<Scratch> scratch(1);
  const auto worth = [&](const Split& split) {
    return split.exists() && scores_enough(by_gini_, split.score) ? split : Split{};
  };
  if (node.given) {
    scratch[0].codes.given = node.given;
    return worth(Search(table_, {}, target_, by_gini_, Store(), pool).best(own, scratch));
  }
  Target target;
  target.n_rows = static_cast<std::uint32_t>(node.rows.size());
  target.n_classes = target_.n_classes;
  target.unit = target_.unit;
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : node.rows) {
    rows.push_back(rows_[row]);
    target.classes.push_back(target_.classes[row]);
    if (!target_.weight.empty()) target.weight.push_back(target_.weight[row]);
  }
  own.begin = 0;
  own.end = target.n_rows;
  const Store store(table_, rows, target, pool, false, false);
  return worth(Search(table_, rows, target, by_gini_, store, pool).best(own, scratch));
}

}  // namespace ramify
