// SPDX-License-Identifier: BSD-3-Clause
#include "split/random_numbers.hpp"

#include <algorithm>

#include "choose/judge.hpp"
#include "numbers/scores.hpp"

namespace ramify {

bool RandomNumbers::fits(const Table& table, const Target& target, const Plan& plan) {
  const bool is_plain = target.is_numeric() && target.n_outputs() == 1 && plan.random_cuts &&
                        plan.criterion.numeric && !plan.criterion.is_ordered();
  const bool has_rules = plan.gives_up || plan.min_leaf_share > 0 || !plan.monotonic.empty() ||
                         plan.n_recorded > 0 || plan.max_leaves > 0 || plan.by_test != ByTest::none;
  return is_plain && !has_rules && table.row_values().values;
}

RandomNumbers::RandomNumbers(const Table& table, std::span<const std::uint32_t> rows,
                             const Target& target, const Plan& plan, Pool& pool)
    : MeasuredSplitter(target, plan), records_(table.row_values()), members_(target.n_rows) {
  for (std::uint32_t i = 0; i < target.n_rows; ++i) members_[i] = {i, rows[i]};
  const auto width = static_cast<std::size_t>(records_.width);
  for (int worker = 0; worker < pool.size(); ++worker)
    desks_.push_back(
        std::make_unique<Desk>(Desk{NearRows(width * table.columns.size(), target.n_rows)}));
}

RandomNumbers::Waiting RandomNumbers::root(Node& node) {
  handed_over_.begin(node.live);
  Waiting first;
  first.begin = node.begin;
  first.end = node.end;
  first.depth = node.depth;
  first.key = node.key;
  first.live.n = static_cast<std::uint32_t>(node.live.size());
  measure(first, *desks_[0]);
  node.numbers.outputs = {first.output};
  node.numbers.impurity = first.impurity;
  node.sums.assign(first.sums, first.sums + 2);
  return first;
}

ValueRecords RandomNumbers::values(const Waiting& node, const Desk& mine) const {
  ValueRecords values = records_;
  if (node.level > 0) values.values = mine.near.at(node.level);
  return values;
}

/// Copies the values of the rows of a node, if it is small enough and they are not near yet.
void RandomNumbers::move_near(Waiting& node, Desk& mine) {
  const int wanted = mine.near.wanted(node.n_rows());
  if (wanted <= node.level) return;
  const auto members = std::span(members_).subspan(node.begin, node.n_rows());
  mine.near.copy(wanted, values(node, mine).values, members.size(),
                 [&](std::size_t i) { return members[i].row; });
  for (std::uint32_t i = 0; i < members.size(); ++i) members[i].row = i;
  node.level = wanted;
}

void RandomNumbers::measure(Waiting& node, Desk& mine) {
  std::vector<std::uint32_t>& rows = mine.numbers.left;
  rows.resize(node.n_rows());
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) rows[i] = members_[node.begin + i].low;
  MeasuredSplitter::measure(node, rows, mine.numbers);
}

Split RandomNumbers::best(Waiting& node, std::span<const double>, Workers workers,
                          const std::function<bool()>&) {
  Desk& mine = desk(workers);
  if (workers.n == 1) move_near(node, mine);
  std::vector<std::uint32_t>& live = mine.live.take(node.live);
  mine.urn.fill(live, plan_.max_columns, node.key);
  Split split;
  for (auto columns = mine.urn.draw(); !columns.empty() && !split.exists();
       columns = mine.urn.draw()) {
    split = best_of(node, columns, mine);
    std::size_t i = 0;
    std::erase_if(live, [&](std::uint32_t column) {
      while (i < columns.size() && columns[i] < column) ++i;
      if (i == columns.size() || columns[i] != column) return false;
      return mine.threshold[column] != mine.threshold[column];  // constant: no threshold
    });
  }
  if (split.exists()) mine.live.keep(node.live);
  return split;
}

Split RandomNumbers::best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                             Desk& mine) {
  mine.make_room(records_.n_columns);
  std::ranges::fill(mine.threshold, std::numeric_limits<double>::quiet_NaN());
  const ValuePasses call{values(node, mine), members_.data() + node.begin,
                         node.n_rows(),      columns.data(),
                         columns.size(),     mine.least.data(),
                         mine.most.data(),   mine.threshold.data(),
                         numbers_.marks(),   numbers_.n_marks(),
                         mine.n_left.data(), mine.weight.data(),
                         mine.sum.data()};
  drawn_kernels().find_ends(call);
  for (const std::uint32_t column : columns)
    if (mine.least[column] < mine.most[column])
      mine.threshold[column] = random_threshold(mine.least[column], mine.most[column],
                                                static_cast<int>(column), node.key);
  drawn_kernels().sum_up_to(call);
  const Choice choice = choose(node, node.n_rows(), columns, mine);
  Split split;
  if (choice.column < 0) return split;
  split.column = choice.column;
  split.score = split.best = choice.score;
  split.threshold = mine.threshold[static_cast<std::size_t>(choice.column)];
  split.is_optimal = false;
  return split;
}

/// Arrays by column.
void RandomNumbers::Desk::make_room(std::size_t n_columns) {
  constexpr std::size_t lanes = ValuePasses::lanes;
  const std::size_t room = (n_columns + lanes) / lanes * lanes;
  if (n_left.size() == room) return;
  for (auto* numbers : {&least, &most, &threshold, &weight, &sum}) numbers->resize(room);
  n_left.resize(room);
}

/// The first of the best cuts, whose sums are known.
RandomNumbers::Choice RandomNumbers::choose(const MeasuredNode& node, std::uint32_t n_rows,
                                            std::span<const std::uint32_t> columns,
                                            const Desk& mine) const {
  const LeafLimits limits = tried_limits(plan_);
  double left[2 * CutBlock::stride], scores[CutBlock::stride];
  std::uint32_t tried[CutBlock::capacity];
  const NumberCall call = number_call(plan_.criterion, node.output.ruler, node.impurity, node.sums);
  Choice best;
  int m = 0;
  const auto score = [&] {
    for (int i = m; i % RAMIFY_KERNELS::pack_width; ++i) {  // packs read beyond the last cut
      left[i] = left[m - 1];
      left[CutBlock::stride + i] = left[CutBlock::stride + m - 1];
    }
    NumberCall mine_too = call;
    mine_too.left = left;
    mine_too.n_cuts = m;
    if (m > 0) plan_.criterion.numeric->score(mine_too, scores);
    for (int i = 0; i < m; ++i) {
      if (!(scores[i] > minus_infinity) || (best.column >= 0 && !beats(scores[i], best.score)))
        continue;
      best = {static_cast<int>(tried[i]), scores[i]};
    }
    m = 0;
  };
  for (const std::uint32_t column : columns) {
    const bool is_constant = mine.threshold[column] != mine.threshold[column];
    if (is_constant || !limits.allow_rows(mine.n_left[column], n_rows)) continue;
    left[m] = mine.weight[column];
    left[CutBlock::stride + m] = mine.sum[column];
    tried[m++] = column;
    if (m == CutBlock::capacity) score();
  }
  score();
  return best;
}

void RandomNumbers::part(Waiting& node, std::span<const double>, Split& split, Workers workers,
                         std::vector<Waiting>& children) {
  Desk& mine = desk(workers);
  if (mine.spare.size() < node.n_rows()) mine.spare.resize(node.n_rows());
  const std::uint32_t n_left = drawn_kernels().part_values(
      {values(node, mine), nullptr, members_.data() + node.begin, node.n_rows(),
       static_cast<std::uint32_t>(split.column), split.threshold, mine.spare.data()});
  children.clear();
  const auto add = [&](std::size_t branch, std::uint32_t begin, std::uint32_t end) {
    Waiting& child = children.emplace_back();
    child.begin = begin;
    child.end = end;
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    child.live = node.live;
    child.level = node.level;
    measure(child, mine);
  };
  add(0, node.begin, node.begin + n_left);
  add(1, node.begin + n_left, node.end);
}

std::span<const double> RandomNumbers::facts(const Waiting& node, std::size_t, Workers workers) {
  Desk& mine = desk(workers);
  return mine.facts = {node.output.value, node.impurity, node.sums[0]};
}

void RandomNumbers::hand_over(Waiting& node) { handed_over_.give(desks_[0]->live, node.live); }

void RandomNumbers::take_over(Waiting& node, Workers workers) {
  handed_over_.take(node.live, desk(workers).live);
}

}  // namespace ramify
