// SPDX-License-Identifier: BSD-3-Clause
// The search where numbers are learnt and not classes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "split/each_block.hpp"

namespace ramify {

NodeChannels Search::number_channels(const Node& node, std::span<const double> sums,
                                     std::uint32_t n_rows) const {
  NodeChannels result;
  result.n_rows = n_rows;
  result.numbers = &node.numbers;
  result.parent.assign(sums.begin(), sums.end());
  for (int o = 0; o < target.n_outputs(); ++o) {
    const int first = o * numbers->n_stats();
    const int n_present = node.numbers.outputs[static_cast<std::size_t>(o)].is_varied ? 2 : 1;
    result.outputs.push_back({first, 1, n_present, sums[static_cast<std::size_t>(first)]});
  }
  numbers->set(result.channels);
  return result;
}

/// Scores cuts by the share of the node's impurity that they take away: a number without a unit, so
/// that ties and gains of nothing are the same whatever the numbers are measured in.
void Search::score_numbers(ScoreNumbers function, const NodeChannels& channels, const double* left,
                           int n_cuts, double* scores) const {
  mean_of_outputs(channels, n_cuts, scores, [&](const auto& output, double* out) {
    NumberCall call =
        number_call(*channels.numbers, static_cast<std::size_t>(&output - channels.outputs.data()),
                    channels.parent.data() + output.first);
    call.left = left + output.first * CutBlock::stride;
    call.n_cuts = n_cuts;
    function(call, out);
  });
}

/// All of a call but its cuts.
NumberCall Search::number_call(const NodeNumbers& known, std::size_t output,
                               const double* parent) const {
  const auto [centre, scale] = known.outputs[output].ruler;
  const double mean = centre + scale * (parent[1] / parent[0]);
  const NumberLoss loss = plan.criterion.loss();
  const double unit = loss == NumberLoss::poisson ? mean
                      : loss == NumberLoss::gamma ? 1
                                                  : scale * scale;
  return {.parent = parent,
          .left = nullptr,
          .n_cuts = 0,
          .relative = scale / mean,
          .factor = unit / known.impurity};
}

/// All columns are sorted lists without gaps, there is one output, and nothing limits the cuts but
/// the number of rows.
bool Search::may_be_simple(const Table& table, const Plan& plan, const Numbers* numbers) {
  if (!numbers || numbers->n_channels() != 2 || plan.criterion.is_ordered() ||
      plan.min_leaf_share > 0 || plan.gives_up || !plan.monotonic.empty())
    return false;
  return std::ranges::none_of(table.columns, [](const Column& column) {
    return column.is_narrow() || column.is_categorical || column.n_missing > 0;
  });
}

/// The best split of a node that is small, by some of its columns. Fully grown trees have as many
/// nodes as rows; so here everything is done once per node and not once per column. Removes from
/// `node.live` what turns out constant.
Split Search::best_of_simple(Node& node, std::span<const std::uint32_t> columns,
                             Scratch& scratch) const {
  if (plan.random_cuts) return best_of_random(node, columns);
  const ItemLayout layout = store.layout();
  const int shift = layout.code_shift();
  const std::uint32_t n = node.n_rows();
  const LeafLimits limits = tried_limits(plan);
  double left[2 * CutBlock::stride];
  double *weight = left, *sum = left + CutBlock::stride, *scores = scratch.scores[0];
  std::uint32_t* rows_left = scratch.block.rows_left;
  NumberCall call = number_call(node.numbers, 0, node.sums.data());
  call.left = left;
  const auto items_of = [&](std::uint32_t column) {
    return store.list(static_cast<int>(column)) + node.begin;
  };
  const auto is_constant = [&](const std::uint64_t* items) {
    return items[0] >> shift == items[n - 1] >> shift;
  };
  /// Notes the sums on the left of each cut; add(row) gives the weight and the sum so far.
  const auto walk = [&](const std::uint64_t* items, auto add) {
    int m = 0;
    for (std::uint32_t i = 1; i < n; ++i) {
      rows_left[m] = i;
      add(layout.row(items[i - 1]), m);
      m += ((items[i - 1] ^ items[i]) >> shift != 0) & limits.allow_rows(i, n);
    }
    return m;
  };
  const double* marks = numbers->marks();
  const bool is_counted = numbers->n_marks() == 1;
  Split best;
  bool has_constant = false;
  for (const std::uint32_t column : columns) {
    const std::uint64_t* items = items_of(column);
    if (is_constant(items)) {
      has_constant = true;
      continue;
    }
    double moved = 0, sum_moved = 0;
    const int m = is_counted ? walk(items,
                                    [&](std::uint32_t row, int cut) {
                                      weight[cut] = moved += 1;
                                      sum[cut] = sum_moved += marks[row];
                                    })
                             : walk(items, [&](std::uint32_t row, int cut) {
                                 const double* own = marks + std::size_t{2} * row;
                                 weight[cut] = moved += own[0];
                                 sum[cut] = sum_moved += own[1];
                               });
    if (m == 0) continue;
    for (int i = m; i % RAMIFY_KERNELS::pack_width; ++i) {  // packs read beyond the last cut
      weight[i] = weight[m - 1];
      sum[i] = sum[m - 1];
    }
    call.n_cuts = m;
    plan.criterion.numeric->score(call, scores);
    const double top = m == 1 ? scores[0] : kernels_.largest(scores, m);
    if (!(top > minus_infinity) || (best.exists() && !beats(top, best.best))) continue;
    int i = 0;
    while (scores[i] < enough(top)) ++i;
    best.column = static_cast<int>(column);
    best.score = scores[i];
    best.best = top;
    best.rows_left = rows_left[i];
    best.code = layout.code(items[best.rows_left - 1]);
    best.next_code = layout.code(items[best.rows_left]);
    best.share_left = weight[i] / node.sums[0];
  }
  if (best.exists()) set_threshold(plan, table.columns[best.column], best);
  if (has_constant)
    std::erase_if(node.live, [&](std::uint32_t column) {
      return std::ranges::binary_search(columns, column) && is_constant(items_of(column));
    });
  return best;
}

void leave_ruler(const Ruler& ruler, double* sums, std::size_t stride, std::size_t n) {
  const auto [centre, scale] = ruler;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = sums[i], sum = scale * sums[stride + i],
                 squares = scale * scale * sums[2 * stride + i];
    sums[stride + i] = centre * weight + sum;
    sums[2 * stride + i] = squares + 2 * centre * sum + centre * centre * weight;
  }
}

namespace {

constexpr std::uint32_t no_category = 0xffffffffu;

/// Which numbers of a node are left, and how far they lie from their quantile, while rows leave.
class Leaving {
 public:
  Leaving(const Numbers& numbers, const Target& target, const Node& node, int output, double level,
          OrderBuffers& room)
      : numbers_(numbers),
        target_(target),
        node_(node),
        output_(output),
        level_(level),
        room_(room) {
    room.places.resize(room.rows.size());
    for (std::size_t i = 0; i < room.rows.size(); ++i)
      room.places[i] = numbers.place(room.rows[i], output);
  }

  /// Removes the absent rows, these, and then the moving ones, from the front or from the back.
  /// At each cut it calls at_cut(cut, quantile). Returns the loss of all rows that count.
  template <class AtCut>
  double run(std::span<const std::uint32_t> first, bool from_front, AtCut at_cut) {
    const auto ascending = numbers_.ascending(node_, output_);
    if (target_.weight.empty()) {
      CountedQuantile quantile(ascending, level_, room_);
      return leave(quantile, first, from_front, at_cut);
    }
    const auto rows = numbers_.rows_ascending(node_, output_);
    WeightedQuantile quantile(
        ascending, level_, room_, [&](std::size_t i) { return target_.weight[rows[i]]; },
        [&](std::size_t i) { return numbers_.weighted(rows[i], output_); });
    return leave(quantile, first, from_front, at_cut);
  }

 private:
  template <class Quantile>
  void remove(Quantile& quantile, std::uint32_t row, std::uint32_t place) const {
    if (target_.weight.empty())
      quantile.remove(place, 1, 0);
    else
      quantile.remove(place, target_.weight[row], numbers_.weighted(row, output_));
  }
  template <class Quantile>
  void remove(Quantile& quantile, std::uint32_t row) const {
    remove(quantile, row, numbers_.place(row, output_));
  }

  template <class Quantile, class AtCut>
  double leave(Quantile& quantile, std::span<const std::uint32_t> first, bool from_front,
               AtCut at_cut) {
    for (const std::uint32_t row : room_.absent) remove(quantile, row);
    const double whole = quantile.loss();
    for (const std::uint32_t row : first) remove(quantile, row);
    const auto& rows = room_.rows;
    const auto& cuts = room_.cut;
    const auto n = static_cast<std::uint32_t>(rows.size());
    constexpr std::uint32_t ahead = 12;
    if (from_front) {
      std::uint32_t at = 0;
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        for (; at < cuts[i]; ++at) {
          if (at + ahead < n) quantile.expect(room_.places[at + ahead]);
          remove(quantile, rows[at], room_.places[at]);
        }
        at_cut(i, quantile);
      }
    } else {
      std::uint32_t at = n;
      for (std::size_t i = cuts.size(); i-- > 0;) {
        while (at > cuts[i]) {
          --at;
          if (at >= ahead) quantile.expect(room_.places[at - ahead]);
          remove(quantile, rows[at], room_.places[at]);
        }
        at_cut(i, quantile);
      }
    }
    return whole;
  }

  const Numbers& numbers_;
  const Target& target_;
  const Node& node_;
  int output_;
  double level_;
  OrderBuffers& room_;
};

}  // namespace

/// Lists the rows of a column by code, and where it may be cut; those without a value apart.
void Search::list_rows(const Node& node, const NodeChannels& channels, int column,
                       OrderBuffers& order) const {
  const Column& info = table.columns[column];
  const std::uint32_t n = node.n_rows(), n_codes = info.n_codes();
  order.rows.clear();
  order.fixed.clear();
  order.absent.clear();
  order.cut.clear();
  order.code.clear();
  const auto add_code = [&](std::uint32_t code) {  // the rows so far are of lower codes
    if (!order.rows.empty()) order.cut.push_back(static_cast<std::uint32_t>(order.rows.size()));
    order.code.push_back(code);
  };
  auto& without = channels.known_only ? order.absent : order.fixed;
  if (info.is_narrow()) {
    const RecordView records = store.records(node.begin, node.end);
    const std::uint8_t* codes = records.codes + store.record_offset(column);
    order.start.assign(n_codes + 2, 0);
    for (std::uint32_t i = 0; i < n; ++i) ++order.start[codes[i * records.stride] + 1u];
    const std::uint32_t n_known = n - order.start[n_codes + 1];
    for (std::uint32_t code = 0; code < n_codes; ++code)
      if (order.start[code + 1] > 0) {
        if (!order.code.empty()) order.cut.push_back(order.start[code]);
        order.code.push_back(code);
        order.start[code + 1] += order.start[code];
      } else {
        order.start[code + 1] = order.start[code];
      }
    order.rows.resize(n_known);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = codes[i * records.stride];
      if (code == n_codes)
        without.push_back(records.rows[i]);
      else
        order.rows[order.start[code]++] = records.rows[i];
    }
  } else {
    const std::uint64_t* items = store.list(column) + node.begin;
    const ItemLayout layout = store.layout();
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t code = layout.code(items[i]), row = layout.row(items[i]);
      if (code == n_codes) {
        without.push_back(row);
        continue;
      }
      if (order.code.empty() || order.code.back() != code) add_code(code);
      order.rows.push_back(row);
    }
  }
  // All values against the missing ones.
  if (!order.fixed.empty() && !order.rows.empty())
    order.cut.push_back(static_cast<std::uint32_t>(order.rows.size()));
}

/// The share of the node's loss that each cut takes away, with the fixed rows on the right and, if
/// there are any, on the left.
void Search::judge_order(const Node& node, const NodeChannels& channels,
                         OrderBuffers& order) const {
  const std::size_t n_cuts = order.cut.size();
  const int n_ways = order.fixed.empty() ? 1 : 2;
  const bool is_absolute = plan.criterion.loss() == NumberLoss::absolute;
  const double level = is_absolute ? 0.5 : plan.criterion.level;
  const double total = channels.outputs[0].total;
  const auto n_outputs = static_cast<double>(channels.outputs.size());
  const double unit = (is_absolute ? 2 : 1) / (total * n_outputs * node.numbers.impurity);
  for (int way = 0; way < n_ways; ++way) {
    order.loss[way].assign(n_cuts, 0);
    order.left_value[way].assign(n_cuts, 0);
    order.right_value[way].assign(n_cuts, 0);
  }
  for (std::size_t o = 0; o < channels.outputs.size(); ++o) {
    if (channels.outputs[o].n_present < 2) continue;
    const auto [centre, scale] = node.numbers.outputs[o].ruler;
    Leaving leaving(*numbers, target, node, static_cast<int>(o), level, order);
    for (int way = 0; way < n_ways; ++way) {
      const std::span<const std::uint32_t> none, fixed = order.fixed;
      std::vector<double>& loss = order.loss[way];
      leaving.run(way == 0 ? fixed : none, false, [&](std::size_t cut, const auto& quantile) {
        loss[cut] -= quantile.loss() * (unit * scale);
        if (o == 0 && !plan.monotonic.empty())
          order.left_value[way][cut] = centre + scale * quantile.value();
      });
      const double whole =
          leaving.run(way == 0 ? none : fixed, true, [&](std::size_t cut, const auto& quantile) {
            loss[cut] -= quantile.loss() * (unit * scale);
            if (o == 0 && !plan.monotonic.empty())
              order.right_value[way][cut] = centre + scale * quantile.value();
          });
      for (double& gain : loss) gain += whole * (unit * scale);
    }
  }
}

/// What breaks their ties: the squared error. Its sums say what the sides weigh besides.
void Search::judge_ties(const NodeChannels& channels, OrderBuffers& order) const {
  const std::size_t n_cuts = order.cut.size();
  const int n_ways = order.fixed.empty() ? 1 : 2;
  const double total = channels.outputs[0].total;
  for (int way = 0; way < n_ways; ++way) order.tie[way].assign(n_cuts, 0);
  std::vector<double> left(channels.parent.size()), fixed(channels.parent.size());
  for (const std::uint32_t row : order.fixed) numbers->add_row(row, fixed);
  order.left_weight.resize(n_cuts);
  std::vector<double> mean(channels.parent.size());
  for (const auto& output : channels.outputs) {
    const auto k = static_cast<std::size_t>(output.first);
    mean[k] = channels.parent[k + 1] / channels.parent[k];
  }
  std::uint32_t at = 0;
  for (std::size_t cut = 0; cut < n_cuts; ++cut) {
    while (at < order.cut[cut]) numbers->add_row(order.rows[at++], left);
    order.left_weight[cut] = left[0];
    for (int way = 0; way < n_ways; ++way)
      for (const auto& output : channels.outputs) {
        const auto k = static_cast<std::size_t>(output.first);
        const double weight = left[k] + way * fixed[k], sum = left[k + 1] + way * fixed[k + 1];
        const double moved = sum - weight * mean[k];
        order.tie[way][cut] += moved * moved / (weight * (total - weight));
      }
  }
}

/// The best split of a column if the loss needs the order of the numbers.
Split Search::best_by_order(const Node& node, const NodeChannels& channels, int column,
                            CodeSums* sums, Scratch& scratch) const {
  if (table.columns[column].is_categorical)
    return best_categories_by_order(node, channels, column, sums, scratch);
  OrderBuffers& order = scratch.order;
  list_rows(node, channels, column, order);
  if (order.cut.empty()) return Split::constant();
  judge_order(node, channels, order);
  double top = minus_infinity;
  for (int way = 0; way < (order.fixed.empty() ? 1 : 2); ++way)
    top = std::max(top, std::ranges::max(order.loss[way]));
  if (top < scratch.to_beat) return {};  // an earlier column is better
  judge_ties(channels, order);
  const auto n_missing = static_cast<std::uint32_t>(order.fixed.size());
  scratch.missing.assign(channels.parent.size(), 0);
  for (const std::uint32_t row : order.fixed) numbers->add_row(row, scratch.missing);
  Judge judge = judge_of(node, channels, column, order.code.front(), order.code.back(), n_missing,
                         scratch.missing);
  CutBlock& block = scratch.block;
  scratch.left.resize(5 * CutBlock::stride);
  block.left = scratch.left.data();
  block.items = nullptr;
  block.missing_moved = false;
  for (std::size_t first = 0; first < order.cut.size(); first += CutBlock::capacity) {
    block.n_cuts =
        static_cast<int>(std::min<std::size_t>(CutBlock::capacity, order.cut.size() - first));
    for (int i = 0; i < block.n_cuts; ++i) {
      const std::size_t cut = first + static_cast<std::size_t>(i);
      block.rows_left[i] = order.cut[cut];
      block.code[i] = order.code[cut];
      block.next_code[i] =
          cut + 1 < order.code.size() ? order.code[cut + 1] : table.columns[column].n_codes();
      block.left[i] = order.left_weight[cut];
      for (int way = 0; way < 2 && !plan.monotonic.empty() && cut < order.loss[way].size(); ++way) {
        block.left[(1 + 2 * way) * CutBlock::stride + i] = order.left_value[way][cut];
        block.left[(2 + 2 * way) * CutBlock::stride + i] = order.right_value[way][cut];
      }
    }
    for (int way = 0; way < (n_missing > 0 ? 2 : 1); ++way) {
      std::copy_n(order.loss[way].begin() + static_cast<std::ptrdiff_t>(first), block.n_cuts,
                  scratch.scores[way]);
      std::copy_n(order.tie[way].begin() + static_cast<std::ptrdiff_t>(first), block.n_cuts,
                  scratch.ties[way]);
      judge.refuse(block, way == 1, scratch.scores[way]);
    }
    judge.offer_with_ties(block, scratch.scores[0], scratch.ties[0],
                          n_missing > 0 ? scratch.scores[1] : nullptr, scratch.ties[1]);
  }
  return judge.result();
}

/// Calls visit(row, code) for the rows of a node.
template <class Visit>
void Search::each_code(const Node& node, int column, Visit visit) const {
  if (table.columns[column].is_narrow()) {
    const RecordView records = store.records(node.begin, node.end);
    const std::uint8_t* codes = records.codes + store.record_offset(column);
    for (std::uint32_t i = 0; i < records.n; ++i) visit(records.rows[i], codes[i * records.stride]);
    return;
  }
  const std::uint64_t* items = store.list(column) + node.begin;
  for (std::uint32_t i = 0; i < node.n_rows(); ++i)
    visit(store.layout().row(items[i]), store.layout().code(items[i]));
}

/// The same for a column of categories. Prefixes of one order are judged as the cuts of a number;
/// other subsets one by one.
Split Search::best_categories_by_order(const Node& node, const NodeChannels& channels, int column,
                                       CodeSums* sums, Scratch& scratch) const {
  const Column& info = table.columns[column];
  scratch.left.resize(static_cast<std::size_t>(channels.size()) * CutBlock::stride);
  CutBlock& block = scratch.block;
  block.left = scratch.left.data();
  block.missing_moved = false;
  block.items = nullptr;
  if (!start_subsets(node, channels, column, sums, scratch)) return Split::constant();
  OrderBuffers& order = scratch.order;
  const CategorySums& categories = scratch.categories;
  const auto only = scratch.subsets.only_order();
  // Places in the order, or the order of codes if there is none.
  std::vector<std::uint32_t> sequence(only.begin(), only.end());
  if (sequence.empty()) {
    sequence.resize(categories.size());
    std::iota(sequence.begin(), sequence.end(), 0u);
  }
  std::vector<std::uint32_t> category_of(info.n_codes() + 1, no_category);
  for (std::uint32_t i = 0; i < categories.size(); ++i) category_of[categories.code[i]] = i;
  std::vector<std::uint32_t> begin(categories.size());
  order.cut.clear();
  std::uint32_t n_rows = 0;
  for (const std::uint32_t i : sequence) {
    if (n_rows > 0) order.cut.push_back(n_rows);
    begin[i] = n_rows;
    n_rows += categories.rows[i];
  }
  order.rows.resize(n_rows);
  order.fixed.clear();
  order.absent.clear();
  order.category.assign(node.n_rows(), no_category);
  each_code(node, column, [&](std::uint32_t row, std::uint32_t code) {
    const std::uint32_t i = category_of[code];
    if (i == no_category) return (channels.known_only ? order.absent : order.fixed).push_back(row);
    order.rows[begin[i]++] = row;
    order.category[numbers->place(row, 0)] = i;
  });
  if (!only.empty()) {
    judge_order(node, channels, order);
    judge_ties(channels, order);
  }
  const bool fixed_left = !order.fixed.empty() && plan.missing == Missing::left;
  Judge judge = judge_of(node, channels, column, 0, 0, 0, scratch.missing);
  for (scratch.subsets.next(block); block.n_cuts > 0; scratch.subsets.next(block)) {
    for (int i = 0; i < block.n_cuts; ++i) {
      const std::uint32_t number = block.code[i];
      if (number < order.cut.size() && !only.empty()) {
        // The first category is on the left of a subset, perhaps on the right of the cut.
        const auto left = scratch.subsets.left_of(number);
        const bool is_turned = !left[sequence.front()];
        const int way = !order.fixed.empty() && fixed_left != is_turned;
        scratch.scores[0][i] = order.loss[way][number];
        scratch.ties[0][i] = order.tie[way][number];
      } else {
        judge_subset(node, channels, scratch.subsets.left_of(number), fixed_left, order,
                     scratch.scores[0][i], scratch.ties[0][i]);
      }
    }
    judge.refuse(block, false, scratch.scores[0]);
    judge.offer_with_ties(block, scratch.scores[0], scratch.ties[0], nullptr, nullptr);
  }
  return judge.result();
}

/// One subset of categories, by looking at all rows.
void Search::judge_subset(const Node& node, const NodeChannels& channels,
                          std::span<const std::uint8_t> is_left, bool fixed_left,
                          const OrderBuffers& order, double& score, double& tie) const {
  const bool is_absolute = plan.criterion.loss() == NumberLoss::absolute;
  const double level = is_absolute ? 0.5 : plan.criterion.level;
  const double total = channels.outputs[0].total;
  score = tie = 0;
  // -1 for rows that do not count.
  const auto side_of = [&](std::uint32_t row) {
    const std::uint32_t i = order.category[numbers->place(row, 0)];
    if (i != no_category) return is_left[i] ? 0 : 1;
    return channels.known_only ? -1 : fixed_left ? 0 : 1;
  };
  std::vector<double> sums[2];
  for (auto& side : sums) side.assign(channels.parent.size(), 0);
  for (const std::uint32_t row : numbers->rows_ascending(node, 0))
    if (const int side = side_of(row); side >= 0) numbers->add_row(row, sums[side]);
  for (std::size_t o = 0; o < channels.outputs.size(); ++o) {
    if (channels.outputs[o].n_present < 2) continue;
    const auto first = static_cast<std::size_t>(channels.outputs[o].first);
    const auto rows = numbers->rows_ascending(node, static_cast<int>(o));
    const auto ascending = numbers->ascending(node, static_cast<int>(o));
    double before[3] = {}, sum_before[3] = {}, quantile[3] = {};  // of both sides, and of all
    bool is_found[3] = {};
    double loss[3] = {};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const int side = side_of(rows[i]);
      if (side < 0) continue;
      const double weight = target.weight_of(rows[i]);
      const double sum =
          target.weight.empty() ? ascending[i] : numbers->weighted(rows[i], static_cast<int>(o));
      for (const int j : {side, 2}) {
        if (is_found[j]) continue;
        const double all = j == 2 ? total : sums[j][first];
        if (before[j] + weight > weight_below(level, all)) {
          is_found[j] = true;
          quantile[j] = ascending[i];
          continue;
        }
        before[j] += weight;
        sum_before[j] += sum;
      }
    }
    for (int j = 0; j < 3; ++j) {
      const double all = j == 2 ? total : sums[j][first];
      const double sum = j == 2 ? channels.parent[first + 1] : sums[j][first + 1];
      loss[j] = pinball(level, quantile[j], all, sum, before[j], sum_before[j]);
    }
    score += (loss[2] - loss[0] - loss[1]) * node.numbers.outputs[o].ruler.scale;
    const double weight = sums[0][first];
    const double moved =
        sums[0][first + 1] - weight * (channels.parent[first + 1] / channels.parent[first]);
    tie += moved * moved / (weight * (total - weight));
  }
  score *= (is_absolute ? 2 : 1) /
           (total * static_cast<double>(channels.outputs.size()) * node.numbers.impurity);
}

}  // namespace ramify
