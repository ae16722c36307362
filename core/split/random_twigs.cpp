// SPDX-License-Identifier: BSD-3-Clause
// All that grows from a small node of numbers by random cuts.
#include <algorithm>
#include <bit>

#include "choose/judge.hpp"
#include "split/random_numbers.hpp"
#include "split/twig_kernels.hpp"

namespace ramify {

const Twig& RandomNumbers::grow_twig(const Waiting& node, std::span<const double> facts,
                                     Workers workers) {
  Desk& mine = desk(workers);
  TwigDesk& own = mine.twig;
  mine.make_room(records_.n_columns);
  const auto members = std::span(members_).subspan(node.begin, node.n_rows());
  const ValueRecords records = values(node, mine);
  own.rows.start(members, records.values, records.n_columns, records.width,
                 [](const Member&) { return 1u; });
  const auto n_marks = static_cast<std::size_t>(numbers_.n_marks());
  for (std::size_t i = 0; i < members.size(); ++i) {
    own.number[i] = target_.numbers[members[i].low];
    own.weight[i] = target_.weight_of(members[i].low);
    own.marks[i] = numbers_.marks()[members[i].low * n_marks + n_marks - 1];
  }
  own.twig.start(facts.size());
  TwigWaiting first{node, own.rows.all()};
  first.live = own.live.start_with(mine.live.view(node.live));
  first.begin = 0;
  first.end = node.n_rows();
  first.place = own.twig.add(node.n_rows(), facts.back());
  std::ranges::copy(facts, own.twig.facts_of(first.place).begin());
  own.waiting.assign(1, first);
  while (!own.waiting.empty()) {
    const TwigWaiting next = own.waiting.back();
    own.waiting.pop_back();
    split_twig(next, mine);
  }
  return own.twig;
}

/// Makes the children of a node, if a cut pays.
void RandomNumbers::split_twig(TwigWaiting node, Desk& mine) {
  TwigDesk& own = mine.twig;
  mine.urn.fill(own.live.view(node.live), plan_.max_columns, node.key);
  own.constant.clear();
  Split split;
  std::uint64_t left = 0;
  // Two rows are parted alike by every column that tells them apart, which ties: the first will do.
  const std::size_t at_once = node.n_rows() == 2 ? 1 : TwigCall::most_columns;
  for (auto columns = mine.urn.draw(); !columns.empty() && !split.exists();
       columns = mine.urn.draw())
    for (std::size_t first = 0; first < columns.size() && !(at_once == 1 && split.exists());
         first += at_once) {
      const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
      best_in_twig(node, group, mine, split, left);
    }
  if (!is_worth(node, {}, split)) return;
  std::ranges::sort(own.constant);
  own.live.drop(node.live, own.constant);
  TwigWaiting children[2];
  const std::uint64_t rows[] = {left, node.rows & ~left};
  for (std::size_t branch = 0; branch < 2; ++branch) {
    TwigWaiting& child = children[branch];
    child.rows = rows[branch];
    child.end = static_cast<std::uint32_t>(std::popcount(rows[branch]));
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    child.live = node.live;
    measure_twig(child, mine);
    child.place = own.twig.add(child.n_rows(), child.sums[0]);
    const std::span<double> facts = own.twig.facts_of(child.place);
    facts[0] = child.output.value;
    facts[1] = child.impurity;
    facts[2] = child.sums[0];
  }
  Twig::Grown& grown = own.twig.nodes[static_cast<std::size_t>(node.place)];
  grown.first_child = children[0].place;
  grown.column = split.column;
  grown.threshold = split.threshold;
  grown.gain = split.score * gain_unit(node);
  for (std::size_t branch = 2; branch-- > 0;)
    if (!is_leaf(children[branch], {})) own.waiting.push_back(children[branch]);
}

/// Looks at some columns, notes which are constant, and keeps the best split with its left rows.
void RandomNumbers::best_in_twig(const TwigWaiting& node, std::span<const std::uint32_t> columns,
                                 Desk& mine, Split& best, std::uint64_t& best_left) {
  constexpr int most = TwigCall::most_columns;
  TwigDesk& own = mine.twig;
  const void* values[most];
  double least[most], most_of[most], threshold[most], sum[most], weight[most];
  std::uint64_t left[most];
  std::uint32_t n_left[most], tried[most];
  for (std::size_t j = 0; j < columns.size(); ++j) values[j] = own.rows.column(columns[j]);
  TwigCall call{own.rows.width(),   values,    static_cast<int>(columns.size()),
                own.rows.n_lanes(), node.rows, own.rows.firsts()};
  const TwigKernels& kernels = twig_kernels();
  kernels.find_ends(call, least, most_of);
  int n = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!(least[j] < most_of[j])) {
      own.constant.push_back(columns[j]);
      continue;
    }
    values[n] = values[j];
    tried[n] = columns[j];
    threshold[n++] =
        random_threshold(least[j], most_of[j], static_cast<int>(columns[j]), node.key);
  }
  if (n == 0) return;
  call.n_columns = n;
  kernels.find_left(call, threshold, left, n_left);
  kernels.sum_lanes(left, n, call.n_lanes, own.marks, sum);
  const bool is_counted = numbers_.n_marks() == 1;
  if (!is_counted) kernels.sum_lanes(left, n, call.n_lanes, own.weight, weight);
  for (int j = 0; j < n; ++j) {
    const std::uint32_t column = tried[j];
    mine.threshold[column] = threshold[j];
    mine.n_left[column] = n_left[j];
    mine.weight[column] = is_counted ? n_left[j] : weight[j];
    mine.sum[column] = sum[j];
  }
  const Split found = choose(node, std::span(tried, static_cast<std::size_t>(n)), mine);
  if (!found.exists() || (best.exists() && !beats(found.best, best.best))) return;
  best = found;
  for (int j = 0; j < n; ++j)
    if (static_cast<int>(tried[j]) == found.column) best_left = left[j];
}

/// Learns the numbers of a node, and makes it ready to be split unless it is a leaf.
void RandomNumbers::measure_twig(TwigWaiting& node, Desk& mine) {
  TwigDesk& own = mine.twig;
  if (node.n_rows() == 1) {
    const int lane = std::countr_zero(node.rows);
    node.output.value = node.output.ruler.centre = own.number[lane];
    node.sums[0] = own.weight[lane];
    node.is_leaf = true;
    return;
  }
  NumberBuffers& buffers = mine.numbers;
  buffers.number.resize(node.n_rows());
  buffers.weight.resize(target_.weight.empty() ? 0 : node.n_rows());
  int lanes[Twig::most_rows];
  std::size_t n = 0;
  for (std::uint64_t rows = node.rows; rows != 0; rows &= rows - 1) {
    lanes[n] = std::countr_zero(rows);
    buffers.number[n] = own.number[lanes[n]];
    ++n;
  }
  node.sums[0] = static_cast<double>(n);
  if (!buffers.weight.empty()) {
    node.sums[0] = 0;
    for (std::size_t i = 0; i < n; ++i) node.sums[0] += buffers.weight[i] = own.weight[lanes[i]];
  }
  node.impurity = numbers_.learn_one(buffers, node.sums[0], node.output);
  Node& as_node = mine.node;  // as others ask
  as_node.begin = 0;
  as_node.end = node.n_rows();
  as_node.depth = node.depth;
  as_node.live.assign(node.live.n > 0, 0);
  as_node.numbers.impurity = node.impurity;
  as_node.sums.assign(node.sums, node.sums + 2);
  node.is_leaf = ramify::is_leaf(plan_, target_, as_node);
  if (node.is_leaf) return;
  node.sums[1] = Numbers::mark_one(buffers, node.sums[0], node.output.ruler, own.found);
  for (std::size_t i = 0; i < n; ++i) own.marks[lanes[i]] = own.found[i];
}

}  // namespace ramify
