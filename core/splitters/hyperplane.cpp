// SPDX-License-Identifier: BSD-3-Clause
#include "splitters/hyperplane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oblique/scan.hpp"
#include "regression/scores.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// Nodes with more cells than this are worth waking the other threads for.
constexpr std::size_t shared_products = 20'000;

class CriterionJudge final : public SideJudge {
 public:
  CriterionJudge(const Search& search, const NodeChannels& channels)
      : search_(search), channels_(channels) {
    static_assert(stride == CutBlock::stride && capacity == CutBlock::capacity);
  }
  Form form() const override {
    const SetCriterion* kernel = search_.training.plan.criterion.builtin.get();
    return kernel ? form_of(*kernel) : Form::any;
  }
  void score(double* left, int n_cuts, double* scores) override {
    search_.scorer().score_sides(channels_, left, n_cuts, scores);
  }

 private:
  const Search& search_;
  const NodeChannels& channels_;
};

}  // namespace

/// A node whose columns are to be mixed.
struct ObliqueSearch::View {
  const Node& node;
  NodeChannels channels;
  MixedRows rows;
  std::vector<CriterionJudge> judges;  // one per thread that may help
  ObliqueProblem problem;              // all but the matrix
  std::vector<SideJudge*> judge_list;
  Pool* pool;  // null if this thread is on its own
};

ObliqueSearch::ObliqueSearch(const Search& search, std::span<const std::uint32_t> rows, Pool& pool,
                             const RegressionTarget* regression)
    : search_(search),
      plan_(search.training.plan),
      rules_(*search.training.plan.oblique),
      rows_(rows),
      pool_(pool),
      regression_(regression),
      range_(search.training.table.columns.size()) {
  std::size_t n_numbers = 0;
  for (std::size_t j = 0; j < range_.size(); ++j) {
    const Column& column = search.training.table.columns[j];
    if (column.is_categorical) continue;
    ++n_numbers;
    range_[j] = range_of(column, {}, rows);
  }
  min_rows_ = rules_.min_rows < 0 ? 2 * n_numbers : static_cast<std::size_t>(rules_.min_rows);
}

/// What the criterion sees of a node: of its classes, or of its numbers.
NodeChannels ObliqueSearch::channels(const Node& node) const {
  return regression_ ? regression_channels(*regression_, node, node.sums, node.n_rows())
                     : search_.present_classes(node);
}

/// What a row adds to the sum of the numbers in its node.
double ObliqueSearch::weighted_number(std::uint32_t row) const {
  return regression_->n_quantised() == 1 ? regression_->quantised()[row]
                                         : regression_->weighted(row, 0);
}

Split ObliqueSearch::best(Node& node, std::span<Scratch> scratch,
                          const std::function<bool()>& must_stop) const {
  if (node.n_rows() <= min_rows_) return search_.best(node, scratch);
  const bool knows_axis = rules_.compare_axis || starts_from_axis();
  const Split axis = knows_axis ? search_.best(node, scratch) : best_of_categories(node, scratch);
  const Split oblique = best_hyperplane(node, axis, scratch, must_stop);
  const bool is_good = oblique.exists() && oblique.score > 1e-12;
  const bool competes = rules_.compare_axis || axis.kind != SplitKind::threshold;
  if (is_good && !(competes && axis.exists() && axis.best >= enough(oblique.score))) return oblique;
  return knows_axis || is_good ? axis : search_.best(node, scratch);
}

/// Does the method begin with the best split of one column?
bool ObliqueSearch::starts_from_axis() const {
  const auto starts = [](const auto& rules) {
    if constexpr (requires { rules.random_start; })
      return !rules.random_start;
    else
      return false;
  };
  if (const auto* several = std::get_if<HeterogeneousRules>(&rules_.method))
    return std::ranges::any_of(several->methods,
                               [&](const SingleRules& rules) { return std::visit(starts, rules); });
  return std::visit(starts, rules_.method);
}

/// The best split of a column of categories: those always compete with hyperplanes.
Split ObliqueSearch::best_of_categories(Node& node, std::span<Scratch> scratch) const {
  const auto& columns = search_.training.table.columns;
  std::vector<std::uint32_t> numbers = node.non_constant;
  std::erase_if(numbers, [&](std::uint32_t j) { return columns[j].is_categorical; });
  if (numbers.size() == node.non_constant.size()) return {};
  std::erase_if(node.non_constant, [&](std::uint32_t j) { return !columns[j].is_categorical; });
  const Split split = search_.best(node, scratch);
  node.non_constant.insert(node.non_constant.end(), numbers.begin(), numbers.end());
  std::ranges::sort(node.non_constant);
  return split;
}

Split ObliqueSearch::best_hyperplane(const Node& node, const Split& axis,
                                     std::span<Scratch> scratch,
                                     const std::function<bool()>& must_stop) const {
  View view{node, channels(node), {}, {}, {}, {}, nullptr};
  const RecordView records = search_.training.store.records(node.begin, node.end);
  const Target& target = search_.training.target;
  MixedRows& rows = view.rows;
  const bool is_numeric = target.is_numeric();
  const std::vector<double> whole{view.channels.parent[0]};  // weight of a node of numbers
  rows.n_classes = is_numeric ? 1 : view.channels.size();
  for (std::uint32_t i = 0; i < records.n; ++i) {
    rows.row.push_back(rows_[records.rows[i]]);
    rows.label.push_back(is_numeric ? 0 : view.channels.channel[records.labels[i]]);
    if (is_numeric) rows.number.push_back(weighted_number(records.rows[i]));
    if (!target.weight.empty()) rows.weight.push_back(target.weight[records.rows[i]]);
  }
  const bool is_big = records.n * node.non_constant.size() > shared_products;
  const std::size_t n_threads = is_big ? scratch.size() : 1;
  view.pool = n_threads > 1 ? &pool_ : nullptr;
  view.judges.reserve(n_threads);
  for (std::size_t i = 0; i < n_threads; ++i) view.judges.emplace_back(search_, view.channels);
  for (CriterionJudge& judge : view.judges) view.judge_list.push_back(&judge);

  ObliqueProblem& problem = view.problem;
  problem.n_rows = rows.size();
  problem.label = rows.label;
  problem.weight = rows.weight;
  problem.number = rows.number;
  problem.class_weight = is_numeric ? std::span(whole) : std::span(view.channels.parent);
  problem.unit = target.unit;
  problem.min_rows = tried_limits(plan_).rows;
  problem.min_weight = tried_limits(plan_).weight;
  problem.key = mix(node.key ^ 0x6f626c69717565u);
  problem.judges = view.judge_list;
  problem.run = [pool = view.pool](int n, const std::function<void(int, int)>& task) {
    if (pool) return pool->run(n, task);
    for (int i = 0; i < n; ++i) task(i, 0);
  };
  problem.must_stop = must_stop;

  if (rules_.groups.empty()) return of_columns(view, draw(node, node.non_constant), axis);
  Split best;
  for (const auto& group : rules_.groups) {
    std::vector<std::uint32_t> columns;
    std::ranges::set_intersection(node.non_constant, group, std::back_inserter(columns));
    const Split split = of_columns(view, draw(node, columns), axis);
    if (split.exists() && (!best.exists() || beats(split.score, best.score))) best = split;
  }
  return best;
}

/// As many of the columns as may be looked at in a node.
std::vector<std::uint32_t> ObliqueSearch::draw(const Node& node,
                                               std::vector<std::uint32_t> columns) const {
  const std::size_t n = plan_.max_columns;
  if (n == 0 || n >= columns.size()) return columns;
  Rng rng(node.key);
  for (std::size_t i = 0; i < n; ++i)
    std::swap(columns[i], columns[i + rng.below(static_cast<std::uint32_t>(columns.size() - i))]);
  columns.resize(n);
  std::ranges::sort(columns);
  return columns;
}

std::vector<MixedColumn> ObliqueSearch::mixed_columns(
    const View& view, std::span<const std::uint32_t> columns) const {
  std::vector<std::optional<MixedColumn>> found(columns.size());
  view.problem.run(static_cast<int>(columns.size()), [&](int i, int) {
    const std::uint32_t column = columns[static_cast<std::size_t>(i)];
    found[static_cast<std::size_t>(i)] =
        mixed_column(search_.training.table, view.rows, column, rules_.scale, range_[column]);
  });
  std::vector<MixedColumn> mixed;
  for (auto& column : found)
    if (column) mixed.push_back(std::move(*column));
  return mixed;
}

Proposal ObliqueSearch::propose_on(const View& view, std::span<const MixedColumn> columns,
                                   const Split& axis) const {
  const bool by_column = reads_columns(rules_.method);
  const std::vector<double> matrix =
      mixed_matrix(search_.training.table, view.rows, columns, by_column, view.pool);
  ObliqueProblem problem = view.problem;
  problem.n_columns = columns.size();
  problem.by_column = by_column;
  problem.values = matrix.data();
  const auto is_split = [&](const MixedColumn& mixed) {
    return static_cast<int>(mixed.column) == axis.column;
  };
  const auto at = std::ranges::find_if(columns, is_split);
  if (axis.exists() && axis.kind == SplitKind::threshold && at != columns.end() &&
      std::isfinite(axis.threshold)) {
    Direction start{std::vector<double>(columns.size()), -at->scaled(axis.threshold)};
    start.weight[static_cast<std::size_t>(at - columns.begin())] = 1;
    problem.start = std::move(start);
  }
  if (problem.is_numeric()) return propose_for_numbers(problem, rules_.method);
  return std::visit([&](const auto& rules) { return propose(problem, rules); }, rules_.method);
}

/// The best hyperplane that mixes some columns.
Split ObliqueSearch::of_columns(const View& view, std::span<const std::uint32_t> columns,
                                const Split& axis) const {
  std::vector<MixedColumn> mixed = mixed_columns(view, columns);
  const auto is_mixed = [](std::span<const MixedColumn> some) {
    return some.size() > 1 || (some.size() == 1 && some[0].is_categorical);
  };
  if (!is_mixed(mixed)) return {};
  Proposal proposal = propose_on(view, mixed, axis);
  if (!proposal) return {};
  const auto n_terms = [&] {
    return static_cast<std::size_t>(
        std::ranges::count_if(proposal->weight, [](double w) { return w != 0; }));
  };
  if (rules_.max_terms == 0 || n_terms() <= rules_.max_terms) return judged(view, mixed, *proposal);
  // Keep the columns that matter most, and ask once more.
  std::vector<std::size_t> order(mixed.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) {
    return std::abs(proposal->weight[j]) * mixed[j].spread;
  });
  order.resize(rules_.max_terms);
  std::ranges::sort(order);
  std::vector<MixedColumn> kept;
  Direction rest{{}, proposal->bias, false};
  for (const std::size_t j : order) {
    kept.push_back(mixed[j]);
    rest.weight.push_back(proposal->weight[j]);
  }
  proposal = is_mixed(kept) ? propose_on(view, kept, axis) : Proposal{};
  return judged(view, kept, proposal ? *proposal : rest);
}

/// What a hyperplane parts, by the arithmetic that prediction uses.
Split ObliqueSearch::judged(const View& view, std::span<const MixedColumn> columns,
                            const Direction& direction) const {
  RawHyperplane plane = in_raw_units(columns, direction);
  Split split;
  if (plane.terms.empty()) return split;
  const std::vector<double> sums = project(view.rows, plane.terms);
  if (!std::ranges::all_of(sums, [](double sum) { return std::isfinite(sum); })) return split;
  SideJudge& judge = *view.problem.judges[0];
  if (direction.has_cut && !rules_.scans) {
    split.threshold = std::nextafter(plane.threshold, minus_infinity);  // below it is left
    split.score = SplitJudge(view.problem, judge).score([&](std::size_t row) {
      return sums[row] <= split.threshold;
    });
  } else {
    const LineCut cut = LineScan(view.problem).best(sums, judge);
    split.threshold = cut.at;
    split.score = cut.score;
  }
  if (!(split.score > minus_infinity) || !std::isfinite(split.threshold)) return {};
  check_finite(plan_, view.node, split.score);
  split.best = split.score;
  split.kind = SplitKind::hyperplane;
  split.column = plane.column;
  split.terms = std::move(plane.terms);
  split.is_optimal = false;
  return split;
}

std::vector<double> ObliqueSearch::project(const MixedRows& rows,
                                           std::span<const Term> terms) const {
  std::vector<double> sums(rows.size());
  for (const Term& term : terms)
    add_term(search_.training.table.columns[static_cast<std::size_t>(term.column)], term, rows.row,
             sums.data());
  return sums;
}

std::vector<double> ObliqueSearch::project(const Node& node, std::span<const Term> terms) const {
  const RecordView records = search_.training.store.records(node.begin, node.end);
  MixedRows rows;
  for (std::uint32_t i = 0; i < records.n; ++i) rows.row.push_back(rows_[records.rows[i]]);
  return project(rows, terms);
}

}  // namespace ramify
