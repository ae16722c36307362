// SPDX-License-Identifier: BSD-3-Clause
#include "online/judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "grow/checks.hpp"
#include "select/admissible.hpp"
#include "util/rng.hpp"

namespace ramify::online {
namespace {

/// So heavy that no search makes a table of logarithms: the rows to come are not known.
constexpr double any_weight = 0x1p40;

double sum_of(std::span<const double> weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// The columns as searches know them: codebooks without rows.
Table codebooks(const Columns& columns) {
  Table table;
  for (const Column& column : columns.all) {
    ramify::Column made;
    made.is_categorical = column.is_categorical;
    made.n_categories = column.is_categorical ? column.n_categories : 0;
    if (!column.is_categorical) {
      std::vector<double> lowest{column.cuts.empty() ? 0 : column.cuts[0] - 1};
      lowest.insert(lowest.end(), column.cuts.begin(), column.cuts.end());
      made.lowest = Values(std::move(lowest));
    }
    made.n_missing = column.has_missing;
    table.columns.push_back(std::move(made));
  }
  return table;
}

}  // namespace

SplitJudge::SplitJudge(const Rules& rules, const Columns& columns, std::size_t n_classes)
    : rules_(rules),
      columns_(columns),
      n_classes_(n_classes),
      table_(codebooks(columns)),
      engines_(rules.contests.size()) {}

SplitJudge::Engine& SplitJudge::engine(std::size_t contest, bool is_weighted) {
  std::unique_ptr<Engine>& engine = engines_[contest][is_weighted];
  if (engine) return *engine;
  auto made = std::make_unique<Engine>();
  made->target.n_classes = {static_cast<int>(n_classes_)};
  made->target.weight = {any_weight};
  made->target.unit = is_weighted ? 1 / LeafSums::per_row : 1;
  made->plan = rules_.contests[contest].plan;
  made->plan.is_binned = true;
  made->plan.n_threads = 1;
  made->plan.training_weight = any_weight;
  check_plan(table_, {}, made->target, made->plan);
  made->search = std::make_unique<Search>(table_, std::span<const std::uint32_t>{}, made->target,
                                          made->plan, store_, pool_);
  engine = std::move(made);
  return *engine;
}

void SplitJudge::refuse_what_sums_cannot_show() {
  for (std::size_t i = 0; i < rules_.contests.size(); ++i) {
    const Plan& plan = rules_.contests[i].plan;
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument("criterion='" + name_of(plan.criterion) + "' " + why +
                                  ", and an online tree keeps class weights alone; use a "
                                  "criterion of ramify.criteria.names()");
    };
    if (reads_rows(plan)) refuse("looks at rows");
    if (plan.criterion.numeric) refuse("is for numbers");
    if (plan.criterion.builtin && plan.criterion.builtin->n_extra > 0)
      refuse("needs further sums, such as those of treated rows");
    engine(i, false);
  }
}

/// All columns, or those that are drawn for an attempt.
std::vector<std::uint32_t> SplitJudge::columns_of(std::uint64_t key) const {
  std::vector<std::uint32_t> all(columns_.size());
  std::iota(all.begin(), all.end(), 0u);
  const std::size_t n = rules_.max_columns;
  if (n == 0 || n >= all.size()) return all;
  Rng rng(key);
  for (std::size_t i = 0; i < n; ++i)
    std::swap(all[i], all[i + rng.below(static_cast<std::uint32_t>(all.size() - i))]);
  all.resize(n);
  std::ranges::sort(all);
  return all;
}

SplitJudge::Found SplitJudge::best(Engine& engine, const Question& question,
                                   std::vector<std::uint32_t> columns) const {
  const LeafSums::Table& table = question.table;
  Node node;
  node.n_elsewhere = table.n_rows;
  node.depth = question.depth;
  node.key = question.key;
  node.sums = table.by_class;
  node.non_constant = std::move(columns);
  const auto share_of_rows = static_cast<std::uint64_t>(
      std::ceil(rules_.min_branch_share * static_cast<double>(table.n_rows)));
  engine.plan.min_leaf_rows = std::max({rules_.min_leaf_rows, share_of_rows, std::uint64_t{1}});
  const NodeSums sums{.cells = table.cells.data(),
                      .first_cell = table.first_cell.data(),
                      .n_classes = n_classes_,
                      .n_first = n_classes_,
                      .n_counts = table.n_counts};
  engine.scratch[0].codes.given = &sums;
  Found found;
  try {
    found.split = engine.search->best(node, engine.scratch);
  } catch (...) {  // it was left halfway
    engine.scratch = std::vector<Scratch>(1);
    throw;
  }
  const double weight = weight_of(engine.target, node.sums);
  if (!pays(engine.plan, engine.target, found.split, 1, weight)) found.split = {};
  if (!found.split.exists()) return found;

  const auto column = static_cast<std::size_t>(found.split.column);
  const std::uint32_t n_codes = columns_.all[column].n_codes();
  const std::vector<std::uint32_t> branch = branch_of_codes(found.split, n_codes);
  found.left.resize(n_classes_);
  found.right.resize(n_classes_);
  double rows[2] = {};
  std::vector<bool> is_seen(n_codes + std::size_t{1});
  for (std::uint32_t code = 0; code <= n_codes; ++code) {
    const std::int64_t* cell = sums.cell(column, code);
    const auto n_rows = static_cast<double>(sums.rows(cell));
    is_seen[code] = n_rows > 0;
    rows[branch[code] != 0] += n_rows;
    std::vector<double>& side = branch[code] == 0 ? found.left : found.right;
    for (std::size_t k = 0; k < n_classes_; ++k)
      side[k] += static_cast<double>(cell[k]) * table.unit;
  }
  const double left = sum_of(found.left), right = sum_of(found.right);
  found.heavier_left = left >= right;
  const bool by_code = found.split.kind == SplitKind::threshold && found.split.codes.empty();
  for (std::uint32_t cell = 1; cell < 256; ++cell) {
    const std::uint32_t code = cell - 1;
    const bool is_listed = code < n_codes && (by_code || is_seen[code]);
    const bool is_left = is_listed ? branch[code] == 0 : by_code ? false : found.heavier_left;
    found.sides.set(cell, is_left);
  }
  // Missing values, where none was missing, follow the heavier child, as in other trees.
  const Plan& plan = engine.plan;
  const bool missing_left = is_seen[n_codes]              ? branch[n_codes] == 0
                            : is_side_named(plan.missing) ? is_left_named(plan.missing)
                            : by_code                     ? left > right
                                                          : found.heavier_left;
  found.sides.set(0, missing_left);
  return found;
}

/// What the information of the split must exceed: see 3.2 of the design page.
double SplitJudge::needed(const Question& question, const Found& found, double log_p) const {
  const Column& column = columns_.all[static_cast<std::size_t>(found.split.column)];
  const auto n_present = static_cast<double>(
      std::ranges::count_if(question.table.by_class, [](double weight) { return weight > 0; }));
  if (column.is_categorical)
    return needed_for_subset(log_p, n_present, column.n_codes() + (column.has_missing ? 1.0 : 0.0));
  return needed_for_cut(log_p, n_present, column.n_codes() - 1.0, column.has_missing);
}

/// The share of one of the cuts that the winner was chosen from.
double SplitJudge::log_p_of_cut(const Found& found, double log_p) const {
  const Column& column = columns_.all[static_cast<std::size_t>(found.split.column)];
  if (column.is_categorical)
    return log_p - (column.n_codes() + (column.has_missing ? 1.0 : 0.0) - 1) * std::log(2.0);
  const double n_cuts = column.n_codes() - 1.0;
  return log_p - std::log(column.has_missing ? 2 * n_cuts + 1 : n_cuts);
}

double SplitJudge::score(Engine& engine, std::span<const double> left,
                         std::span<const double> right) const {
  Node node;
  for (std::size_t k = 0; k < n_classes_; ++k) node.sums.push_back(left[k] + right[k]);
  node.n_elsewhere = static_cast<std::uint64_t>(sum_of(node.sums));
  const NodeChannels channels = engine.search->present_classes(node);
  std::vector<double> sides(static_cast<std::size_t>(channels.size()) * CutBlock::stride);
  double scores[CutBlock::stride] = {};
  for (std::size_t k = 0; k < n_classes_; ++k)
    if (node.sums[k] > 0 || channels.size() == static_cast<int>(n_classes_))
      for (int i = 0; i < padded(1); ++i)
        sides[channels.place(k) * CutBlock::stride + static_cast<std::size_t>(i)] = left[k];
  engine.search->scorer().score_sides(channels, sides.data(), 1, scores);
  return scores[0];
}

/// n times what one more row of each class, on the left and then on the right, adds to the score.
std::vector<double> SplitJudge::influences(Engine& engine, const Found& found) const {
  const double unit = engine.target.unit;
  std::vector<double> left, right;
  for (std::size_t k = 0; k < n_classes_; ++k) {
    left.push_back(found.left[k] / unit);
    right.push_back(found.right[k] / unit);
  }
  const double n = (sum_of(left) + sum_of(right)) * unit, before = score(engine, left, right);
  std::vector<double> all;
  for (std::vector<double>* side : {&left, &right})
    for (double& weight : *side) {
      weight += 1 / unit;
      all.push_back(n * (score(engine, left, right) - before));
      weight -= 1 / unit;
    }
  return all;
}

/// The standard deviation of the difference of influences over the last rows of the leaf.
double SplitJudge::deviation(Engine& engine, const Question& question, const Found& first,
                             const Found* second) const {
  const std::vector<double> a = influences(engine, first);
  const std::vector<double> b = second ? influences(engine, *second) : std::vector<double>();
  const RecentRows& recent = question.recent;
  const std::size_t n = recent.labels.size(), d = columns_.size();
  const auto influence = [&](const std::vector<double>& all, const Found& found, std::size_t row) {
    const auto column = static_cast<std::size_t>(found.split.column);
    const bool is_left = found.sides.is_left(recent.cells[row * d + column]);
    return all[(is_left ? 0 : n_classes_) + recent.labels[row]];
  };
  double mean = 0, squares = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const double of_second = second ? influence(b, *second, row) : 0;
    const double x = influence(a, first, row) - of_second, from_mean = x - mean;
    mean += from_mean / static_cast<double>(row + 1);
    squares += from_mean * (x - mean);
  }
  return n > 1 ? std::sqrt(squares / static_cast<double>(n)) : 0;
}

double SplitJudge::epsilon(const Contest& contest, Engine& engine, const Question& question,
                           const Found& first, const Found* second, double log_p) const {
  const double n = sum_of(first.left) + sum_of(first.right);
  if (rules_.certain == Certain::hoeffding) {
    const double bits = contest.is_in_bits ? std::log2(static_cast<double>(n_classes_)) : 1;
    return hoeffding(contest.range * bits, std::log(rules_.delta), n);
  }
  const double log_cut = log_p_of_cut(first, log_p);
  if (contest.bound == Bound::mcdiarmid)
    return mcdiarmid(contest.impurity, contest.type, log_cut, n, static_cast<double>(n_classes_));
  return normal_quantile(log_cut) * deviation(engine, question, first, second) / std::sqrt(n);
}

Verdict SplitJudge::judge_one(std::size_t number, const Question& question, double delta,
                              const std::vector<std::uint32_t>& columns) {
  Engine& own = engine(number, question.is_weighted);
  Found first = best(own, question, columns);
  Verdict verdict;
  if (!first.split.exists()) return verdict;
  const double log_p = log_share(delta, question.attempt, static_cast<double>(columns.size()));
  verdict.information = information({first.left, first.right});
  verdict.needed = needed(question, first, log_p);
  // VFDT asks for nothing else than its own bound.
  verdict.is_certain = rules_.certain == Certain::hoeffding || verdict.information > verdict.needed;
  if (verdict.is_certain && rules_.certain != Certain::split) {
    std::vector<std::uint32_t> others = columns;
    std::erase(others, static_cast<std::uint32_t>(first.split.column));
    Found second;
    if (!others.empty()) second = best(own, question, others);
    // Where no other column has a split, the winner competes with none at all.
    const bool has_second = second.split.exists();
    const double apart = first.split.score - (has_second ? std::max(second.split.score, 0.0) : 0);
    const double least = epsilon(rules_.contests[number], own, question, first,
                                 has_second ? &second : nullptr, log_p);
    verdict.is_certain = apart > least || least < rules_.tie_threshold;
  }
  verdict.split = std::move(first.split);
  verdict.sides = first.sides;
  verdict.heavier_left = first.heavier_left;
  verdict.left = std::move(first.left);
  verdict.right = std::move(first.right);
  return verdict;
}

Verdict SplitJudge::judge(const Question& question) {
  const std::vector<std::uint32_t> columns = columns_of(question.key);
  const double delta = rules_.delta / static_cast<double>(rules_.contests.size());
  Verdict first;
  for (std::size_t i = 0; i < rules_.contests.size(); ++i) {
    Verdict verdict = judge_one(i, question, delta, columns);
    if (verdict.is_certain) return verdict;
    if (i == 0) first = std::move(verdict);
  }
  return first;
}

Verdict SplitJudge::reconsider(const Question& question, std::uint32_t column) {
  const Contest& contest = rules_.contests[0];
  Engine& own = engine(0, question.is_weighted);
  std::vector<std::uint32_t> columns = columns_of(question.key);
  const auto n_columns = static_cast<double>(columns.size());
  std::erase(columns, column);
  Verdict verdict;
  if (columns.empty()) return verdict;
  Found other = best(own, question, columns);
  if (!other.split.exists()) return verdict;
  Found now = best(own, question, {column});
  const double log_p = log_share(rules_.delta, question.attempt, n_columns);
  verdict.information = information({other.left, other.right});
  verdict.needed = needed(question, other, log_p);
  const bool has_now = now.split.exists();
  const double apart = other.split.score - (has_now ? std::max(now.split.score, 0.0) : 0);
  const double least = epsilon(contest, own, question, other, has_now ? &now : nullptr, log_p);
  verdict.is_certain = verdict.information > verdict.needed && apart > least;
  verdict.split = std::move(other.split);
  verdict.sides = other.sides;
  verdict.heavier_left = other.heavier_left;
  verdict.left = std::move(other.left);
  verdict.right = std::move(other.right);
  return verdict;
}

}  // namespace ramify::online
