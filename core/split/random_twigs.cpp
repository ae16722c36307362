// SPDX-License-Identifier: BSD-3-Clause
// All that grows from a small node of numbers by random cuts.
#include <algorithm>
#include <bit>
#include <cmath>

#include "choose/judge.hpp"
#include "numbers/loss_terms.hpp"
#include "split/random_numbers.hpp"
#include "split/twig_kernels.hpp"
#include "util/exact_sum.hpp"

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
  TwigWaiting first{node, own.rows.all(), node.n_rows()};
  first.live = own.live.start_with(mine.live.view(node.live));
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
  TwigChoice best;
  // Two rows are parted alike by every column that tells them apart, which ties: the first will do.
  const std::size_t at_once = node.n_rows == 2 ? 1 : TwigCall::most_columns;
  for (auto columns = mine.urn.draw(); !columns.empty() && best.column < 0;
       columns = mine.urn.draw())
    for (std::size_t first = 0; first < columns.size() && (at_once > 1 || best.column < 0);
         first += at_once)
      best_in_twig(node, columns.subspan(first, std::min(at_once, columns.size() - first)), mine,
                   best);
  if (best.column < 0 || !score_pays(plan_, target_, best.score, gain_unit(node), node.sums[0]))
    return;
  std::ranges::sort(own.constant);
  own.live.drop(node.live, own.constant);
  TwigWaiting children[] = {node, node};
  children[0].rows = best.left;
  children[0].n_rows = best.n_left;
  children[1].rows = node.rows & ~best.left;
  children[1].n_rows = node.n_rows - best.n_left;
  for (std::size_t branch = 0; branch < 2; ++branch) {
    TwigWaiting& child = children[branch];
    child.depth = node.depth + 1;
    child.key = child_key(node.key, branch);
    measure_twig(child, mine);
    child.place = own.twig.add(child.n_rows, child.sums[0]);
    const std::span<double> facts = own.twig.facts_of(child.place);
    facts[0] = child.output.value;
    facts[1] = child.impurity;
    facts[2] = child.sums[0];
  }
  Twig::Grown& grown = own.twig.nodes[static_cast<std::size_t>(node.place)];
  grown.first_child = children[0].place;
  grown.column = best.column;
  grown.threshold = best.threshold;
  grown.gain = best.score * gain_unit(node);
  for (std::size_t branch = 2; branch-- > 0;)
    if (!is_leaf(children[branch], {})) own.waiting.push_back(children[branch]);
}

/// Looks at some columns, notes which are constant, and keeps the first of the best cuts.
void RandomNumbers::best_in_twig(const TwigWaiting& node, std::span<const std::uint32_t> columns,
                                 Desk& mine, TwigChoice& best) {
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
    threshold[n++] = random_threshold(least[j], most_of[j], static_cast<int>(columns[j]), node.key);
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
  const Choice found =
      choose(node, node.n_rows, std::span(tried, static_cast<std::size_t>(n)), mine);
  if (found.column < 0 || (best.column >= 0 && !beats(found.score, best.score))) return;
  const auto at = std::ranges::find(tried, static_cast<std::uint32_t>(found.column)) - tried;
  best = {found, n_left[at], left[at], threshold[at]};
}

namespace {

/// What Numbers::learn_one finds by squared error, of rows that count once.
double learn_lanes(const LaneNumbers& lanes, double n, NodeNumbers::Output& output) {
  double low, high;
  twig_kernels().number_ends(lanes, &low, &high);
  set_ruler(low, high, output);
  if (!output.is_varied) return 0;
  const auto sum_of = [&](double from, bool is_squared, double largest) {
    if (largest == 0) return 0.0;
    const TermSteps steps(n, n, largest);
    LaneTerms terms{from, is_squared, steps.up, steps.finer, 0, 0};
    twig_kernels().number_terms(lanes, terms);
    return steps.sum(terms.coarse, terms.fine);
  };
  return measure_squares(n, low, high, output, sum_of) / n;
}

}  // namespace

/// Learns the numbers of a node, and makes it ready to be split unless it is a leaf.
void RandomNumbers::measure_twig(TwigWaiting& node, Desk& mine) {
  TwigDesk& own = mine.twig;
  if (node.n_rows == 1) {
    const int lane = std::countr_zero(node.rows);
    return measure_row(node, own.number[lane], own.weight[lane]);
  }
  if (numbers_.n_marks() == 1 && plan_.criterion.loss() == NumberLoss::squared) {
    const LaneNumbers lanes{own.number, node.rows, own.rows.n_lanes()};
    const double n = node.sums[0] = node.n_rows;
    node.sums[1] = 0;
    node.impurity = learn_lanes(lanes, n, node.output);
    ask_leaf(node, node.n_rows, mine.numbers.node);
    if (node.is_leaf) return;
    const MarkSteps steps(n, n, 1);
    const auto [centre, scale] = node.output.ruler;
    node.sums[1] =
        twig_kernels().number_marks(lanes, centre, 1 / scale, steps.up, steps.down, own.marks);
    return;
  }
  NumberBuffers& buffers = mine.numbers;
  buffers.number.resize(node.n_rows);
  buffers.weight.resize(target_.weight.empty() ? 0 : node.n_rows);
  int lanes[Twig::most_rows];
  std::size_t n = 0;
  for (std::uint64_t rows = node.rows; rows != 0; rows &= rows - 1) {
    lanes[n] = std::countr_zero(rows);
    buffers.number[n] = own.number[lanes[n]];
    ++n;
  }
  for (std::size_t i = 0; i < buffers.weight.size(); ++i) buffers.weight[i] = own.weight[lanes[i]];
  learn(node, buffers);
  if (node.is_leaf) return;
  node.sums[1] = Numbers::mark_one(buffers, node.sums[0], node.output.ruler, own.found);
  for (std::size_t i = 0; i < n; ++i) own.marks[lanes[i]] = own.found[i];
}

}  // namespace ramify
