// SPDX-License-Identifier: BSD-3-Clause
#include "split/search.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "split/each_block.hpp"
#include "split/urn.hpp"

namespace ramify {
namespace {

/// Nodes with more cells than this are worth waking the other threads for.
constexpr std::size_t parallel_cells = 40'000;

/// Leaves but one cut in a block; false if there is none (-1).
bool keep_cut(CutBlock& block, int n_channels, int cut) {
  if (cut < 0) return false;
  for (int k = 0; k < n_channels; ++k) {
    double* left = block.left + k * CutBlock::stride;
    std::fill_n(left, padded(1), left[cut]);  // packs read beyond the end
  }
  block.rows_left[0] = block.rows_left[cut];
  block.code[0] = block.code[cut];
  block.next_code[0] = block.next_code[cut];
  block.n_cuts = 1;
  return true;
}

}  // namespace

Search::Search(const Table& table_, std::span<const std::uint32_t> rows, const Target& target_,
               const Plan& plan_, const Store& store_, Pool& pool, const Numbers* numbers_)
    : table(table_),
      target(target_),
      plan(plan_),
      store(store_),
      numbers(numbers_),
      has_simple_(may_be_simple(table_, plan_, numbers_)),
      pool_(pool) {
  prepare_structure(rows);
  std::uint32_t at = 0;
  for (const int n_classes : target.n_classes) {
    first_class_.push_back(at);
    at += static_cast<std::uint32_t>(n_classes);
  }
  log_table_ = make_log_table(target, plan);
}

std::vector<double> make_log_table(const Target& target, const Plan& plan) {
  const bool uses_logs = plan.criterion.composed || !plan.also.empty() ||
                         (plan.criterion.builtin && plan.criterion.builtin->uses_logs);
  const double total = target.total_weight();
  if (!uses_logs || total > 1 << 21) return {};
  std::vector<double> table(static_cast<std::size_t>(total) + 1);
  for (std::size_t x = 1; x < table.size(); ++x)
    table[x] = static_cast<double>(x) * RAMIFY_KERNELS::log2_of(static_cast<double>(x));
  return table;
}

NodeChannels Search::channels_of(std::span<const double> sums, std::uint32_t n_rows,
                                 bool present_only) const {
  NodeChannels result;
  result.n_rows = n_rows;
  const std::size_t n_classes = target.n_all_classes();
  result.channel.resize(n_classes);
  result.parent.reserve(sums.size());
  std::size_t at = 0;
  for (const int n : target.n_classes) {
    NodeChannels::Output output{static_cast<int>(result.parent.size())};
    for (int k = 0; k < n; ++k, ++at) {
      const double weight = sums[at];
      // A user's criterion knows its classes by place; ours see only those that occur.
      result.is_present.push_back(weight > 0);
      if (weight <= 0 && present_only) continue;
      result.channel[at] = static_cast<std::uint32_t>(result.parent.size());
      result.parent.push_back(weight);
      ++output.n_classes;
      output.n_present += weight > 0;
      output.total += weight;
    }
    result.outputs.push_back(output);
  }
  result.parent.insert(result.parent.end(), sums.begin() + static_cast<std::ptrdiff_t>(n_classes),
                       sums.end());
  Channels& c = result.channels;
  c.n_channels = static_cast<int>(result.parent.size());
  c.channel = result.channel.data();
  c.weight = target.weight.empty() ? nullptr : target.weight.data();
  c.times = target.times.empty() ? nullptr : target.times.data();
  c.is_general = !target.is_plain();
  c.n_outputs = target.n_outputs();
  c.classes = target.classes.data();
  c.first_class = first_class_.data();
  c.n_extra = target.n_extra;
  c.extra = target.extra.data();
  return result;
}

void Search::score_builtin(Score function, const NodeChannels& channels, const double* left,
                           int n_cuts, double* scores) const {
  mean_of_outputs(channels, n_cuts, scores, [&](const auto& output, double* out) {
    function({channels.parent.data() + output.first, output.total, output.n_classes,
              left + output.first * CutBlock::stride, n_cuts,
              log_table_.empty() ? nullptr : log_table_.data(), target.unit},
             out);
  });
}

/// Scores the block in `scratch`.
void Search::score(const NodeChannels& channels, Scratch& scratch, double* scores) const {
  if (plan.criterion.numeric)
    return score_numbers(plan.criterion.numeric->score, channels, scratch.block.left,
                         scratch.block.n_cuts, scores);
  if (plan.criterion.is_builtin())
    return score_builtin(plan.criterion.builtin->score, channels, scratch.block.left,
                         scratch.block.n_cuts, scores);
  if (plan.criterion.composed) {
    const CutBlock& block = scratch.block;
    return evaluate(plan.criterion.composed->score, channels, block.left, CutBlock::stride,
                    static_cast<std::size_t>(block.n_cuts), scratch.score_values,
                    scratch.n_cuts_before, scores);
  }
  mean_of_outputs(channels, scratch.block.n_cuts, scores, [&](const auto& output, double* out) {
    score_compiled(channels, output, scratch, out);
  });
}

/// Scores it by the measure that settles ties.
void Search::score_ties(const NodeChannels& channels, Scratch& scratch, double* ties) const {
  const CutBlock& block = scratch.block;
  if (plan.criterion.composed)
    return evaluate(plan.criterion.composed->tie, channels, block.left, CutBlock::stride,
                    static_cast<std::size_t>(block.n_cuts), scratch.tie_values,
                    scratch.n_cuts_before, ties);
  score_builtin(plan.criterion.builtin->tie_break, channels, block.left, block.n_cuts, ties);
}

void Search::score_compiled(const NodeChannels& channels, const NodeChannels::Output& output,
                            Scratch& scratch, double* scores) const {
  const CutBlock& block = scratch.block;
  const int n_stats = n_stats_of(output);
  scratch.packed.resize(static_cast<std::size_t>(n_stats) * block.n_cuts);
  scratch.right.resize(scratch.packed.size());
  for (int k = 0; k < n_stats; ++k) {
    const double* left = block.left + (output.first + k) * CutBlock::stride;
    double* packed = scratch.packed.data() + k * block.n_cuts;
    double* right = scratch.right.data() + k * block.n_cuts;
    const double whole = channels.parent[output.first + k];
    for (int i = 0; i < block.n_cuts; ++i) {
      packed[i] = left[i] * target.unit;
      right[i] = (whole - left[i]) * target.unit;
    }
  }
  std::vector<double>& parent = scratch.parent;
  parent.resize(static_cast<std::size_t>(n_stats));
  for (int k = 0; k < n_stats; ++k) parent[k] = channels.parent[output.first + k] * target.unit;
  if (numbers) {
    const Ruler& ruler = channels.ruler_of(output);
    const auto n = static_cast<std::size_t>(block.n_cuts);
    leave_ruler(ruler, parent.data(), 1, 1);
    leave_ruler(ruler, scratch.packed.data(), n, n);
    leave_ruler(ruler, scratch.right.data(), n, n);
  }
  plan.criterion.compiled(block.n_cuts, n_stats, parent.data(), scratch.packed.data(),
                          scratch.right.data(), scores, plan.criterion.user_data);
  check_compiled(scores, block.n_cuts);
}

void Search::score_sides(const NodeChannels& channels, double* left, int n_ways,
                         double* scores) const {
  for (int k = 0; k < channels.size(); ++k) {  // packs read beyond the end
    double* way = left + k * CutBlock::stride;
    std::fill(way + n_ways, way + padded(n_ways), way[n_ways - 1]);
  }
  const ChosenCriterion& criterion = plan.criterion;
  if (criterion.is_builtin())
    return score_builtin(criterion.builtin->score, channels, left, n_ways, scores);
  if (criterion.composed)
    return evaluate(criterion.composed->score, channels, left, CutBlock::stride,
                    static_cast<std::size_t>(n_ways), {}, 0, scores);
  ExpressionStep step;
  step.kind =
      criterion.interpreted ? ExpressionStep::Kind::function : ExpressionStep::Kind::compiled;
  step.function = criterion.interpreted;
  step.compiled = criterion.compiled;
  step.user_data = criterion.user_data;
  ask_user(step, channels, channels.outputs[0], left, n_ways, scores);
}

void check_compiled(const double* scores, int n_cuts) {
  for (int i = 0; i < n_cuts; ++i)
    if (!(scores[i] < std::numeric_limits<double>::infinity()))
      throw std::invalid_argument("the compiled criterion returned " +
                                  std::string(std::isnan(scores[i]) ? "NaN" : "+inf") +
                                  "; scores must be finite, or -inf to refuse a cut");
}

/// Sums of the codes of some narrow columns, into scratch.sums[0], [1], ...
void Search::sum_columns(const Node& node, const NodeChannels& channels,
                         std::span<const std::uint32_t> columns, Scratch& scratch) const {
  const std::size_t n = columns.size();
  if (scratch.buffers.size() < n) {
    scratch.buffers.resize(n);
    scratch.sums.resize(n);
  }
  if (scratch.given) return take_sums(channels, columns, scratch);
  // Losses that need the order of numbers look at rows; only categories are summed for them.
  if (plan.criterion.is_ordered() && !table.columns[columns[0]].is_categorical) return;
  const bool counted = target.is_counted(), whole = target.is_whole();
  const auto cells = static_cast<std::size_t>(CodeSums::max_codes) * channels.size();
  int offsets[CodeSums::columns_at_once];
  for (std::size_t j = 0; j < n;
       ++j) {  // walk_codes leaves everything at zero: only growth needs care
    CodeSumsBuffer& buffer = scratch.buffers[j];
    if (whole && buffer.counts.size() < cells) buffer.counts.resize(cells);
    if (!whole && buffer.sums.size() < cells) buffer.sums.resize(cells);
    if (!counted) buffer.rows.resize(CodeSums::max_codes);
    scratch.sums[j].counts = buffer.counts.data();
    scratch.sums[j].sums = buffer.sums.data();
    scratch.sums[j].rows = buffer.rows.data();
    offsets[j] = store.record_offset(static_cast<int>(columns[j]));
  }
  const RecordView records = store.records(node.begin, node.end);
  if (!whole)
    kernels_.sum_codes(records, offsets[0], channels.channels, scratch.sums[0]);
  else
    kernels_.count_codes(records, offsets, static_cast<int>(n), channels.channels,
                         scratch.sums.data());
}

/// The same from sums that were counted elsewhere.
void Search::take_sums(const NodeChannels& channels, std::span<const std::uint32_t> columns,
                       Scratch& scratch) const {
  const auto n = static_cast<std::size_t>(channels.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    CodeSumsBuffer& buffer = scratch.buffers[j];
    CodeSums& sums = scratch.sums[j];
    buffer.sums.assign(CodeSums::max_codes * n, 0);
    buffer.rows.assign(CodeSums::max_codes, 0);
    sums.sums = buffer.sums.data();
    sums.rows = buffer.rows.data();
    for (std::uint64_t& word : sums.present) word = 0;
    for (std::size_t code = 0; code <= table.columns[columns[j]].n_codes(); ++code) {
      const std::int64_t* cell = scratch.given->cell(columns[j], code);
      const std::size_t n_classes = scratch.given->n_classes;
      if (cell[n_classes] == 0) continue;
      sums.present[code / 64] |= std::uint64_t{1} << (code % 64);
      sums.rows[code] = static_cast<std::uint32_t>(cell[n_classes]);
      for (std::size_t k = 0; k < n_classes; ++k)
        if (cell[k] != 0) sums.sums[code * n + channels.channel[k]] = static_cast<double>(cell[k]);
    }
  }
}

Search::ListView Search::list_of(const Node& node, const NodeChannels& channels, int column) const {
  const Column& info = table.columns[column];
  const ItemLayout layout = store.layout();
  const std::uint64_t* items = store.list(column) + node.begin;
  std::uint32_t n = node.n_rows();
  if (info.n_missing > 0)
    n = static_cast<std::uint32_t>(
        std::lower_bound(items, items + n, layout.make(info.n_codes(), 0, 0)) - items);
  return {items, n, channels.n_rows - n, layout};
}

/// Prepares a block for the cuts of a sorted list.
void Search::start_block(const ListView& list, int column, CutBlock& block) const {
  block.items = list.items;
  block.layout = list.layout;
  block.n_valued = list.n;
  block.missing_code = table.columns[column].n_codes();
}

Judge Search::judge_of(const Node& node, const NodeChannels& channels, int column,
                       std::uint32_t first_code, std::uint32_t last_code, std::uint32_t n_missing,
                       std::span<const double> missing) const {
  const int n_classes = channels.outputs[0].n_classes;
  const double weight =
      n_missing > 0 ? std::accumulate(missing.begin(), missing.begin() + n_classes, 0.0) : 0;
  Judge judge(table, target, plan, node, column, channels.n_rows, n_missing, weight, n_classes,
              channels.outputs[0].total);
  if (plan.random_cuts && !table.columns[column].is_categorical)
    judge.draw_threshold(first_code, last_code);
  return judge;
}

/// Many classes, but a criterion that sees them through one sum per side: score while walking.
Split Search::best_by_sums(const Node& node, const NodeChannels& channels, int column,
                           Scratch& scratch) const {
  const ListView list = list_of(node, channels, column);
  if (list.is_constant()) return Split::constant();
  const auto n_classes = static_cast<std::size_t>(channels.size());
  scratch.missing.resize(n_classes * 2);
  if (list.n_missing > 0)
    kernels_.sum_items(list.items + list.n, list.n_missing, list.layout, channels.channels,
                       scratch.missing.data());
  Judge judge = judge_of(node, channels, column, list.first_code(), list.last_code(),
                         list.n_missing, scratch.missing);
  CutBlock& block = scratch.block;
  block.left = nullptr;
  start_block(list, column, block);

  scratch.class_counts.resize(3 * n_classes);
  scratch.terms.resize(4 * n_classes);
  std::uint32_t* in_parent = scratch.class_counts.data() + 2 * n_classes;
  for (std::size_t k = 0; k < n_classes; ++k)
    in_parent[k] = static_cast<std::uint32_t>(channels.parent[k]);
  const auto start_walk = [&](bool missing_left) {
    std::uint32_t* in_left = scratch.class_counts.data() + (missing_left ? n_classes : 0);
    double* terms = scratch.terms.data() + (missing_left ? 2 * n_classes : 0);
    for (std::size_t k = 0; k < n_classes; ++k)
      in_left[k] = missing_left ? static_cast<std::uint32_t>(scratch.missing[k]) : 0;
    return SumWalk{list.items,
                   list.n,
                   0,
                   list.n_missing > 0,
                   list.layout,
                   channels.channel.data(),
                   channels.size(),
                   channels.parent.data(),
                   channels.outputs[0].total,
                   missing_left ? list.n_missing : 0,
                   in_parent,
                   in_left,
                   terms,
                   terms + n_classes,
                   log_table_.empty() ? nullptr : log_table_.data()};
  };
  SumWalk right_walk = start_walk(false), left_walk = start_walk(true);
  const WalkSums walk_sums = plan.criterion.builtin->walk_sums;
  while (true) {
    double *right = scratch.scores[0], *left = list.n_missing > 0 ? scratch.scores[1] : nullptr;
    if (left) walk_sums(left_walk, block, left);
    walk_sums(right_walk, block, right);
    if (block.n_cuts == 0) break;
    judge.refuse(block, false, right);
    if (left) judge.refuse(block, true, left);
    double top = kernels_.largest(right, block.n_cuts);
    if (left) top = std::max(top, kernels_.largest(left, block.n_cuts));
    judge.offer(block, top, right, left, scratch.to_beat);
  }
  return judge.result();
}

Split Search::best_of_column(const Node& node, const NodeChannels& channels, int column,
                             CodeSums* sums, Scratch& scratch) const {
  if (plan.by_test == ByTest::chaid) return best_by_chaid(node, channels, column, sums, scratch);
  if (plan.by_test == ByTest::quest) return test_by_quest(node, channels, column, sums, scratch);
  if (table.columns[column].is_categorical && plan.categories == Categories::multiway)
    return best_multiway(node, channels, column, sums, scratch);
  const bool by_sums = plan.criterion.builtin && plan.criterion.builtin->walk_sums &&
                       target.is_counted() && channels.size() > 2 && !keeps_top() &&
                       !plan.random_cuts && !table.columns[column].is_narrow() &&
                       !table.columns[column].is_categorical;
  if (by_sums) return best_by_sums(node, channels, column, scratch);

  if (plan.criterion.is_ordered()) return best_by_order(node, channels, column, sums, scratch);
  start_column(node, column, scratch);
  std::optional<Judge> judge;
  const auto start = [&](std::uint32_t first_code, std::uint32_t last_code,
                         std::uint32_t n_missing) {
    judge.emplace(
        judge_of(node, channels, column, first_code, last_code, n_missing, scratch.missing));
  };
  const auto visit = [&](std::uint32_t n_missing) {
    CutBlock& block = scratch.block;
    if (judge->is_random() && !keeps_top() && !plan.criterion.composed)  // one will do
      if (!keep_cut(block, channels.size(), judge->random_cut(block))) return;
    const int n_cuts = block.n_cuts;
    double *right = scratch.scores[0], *left = n_missing > 0 ? scratch.scores[1] : nullptr;
    score(channels, scratch, right);
    judge->refuse(block, false, right);
    double top = kernels_.largest(right, n_cuts);
    if (left) {
      move_missing(block, true, scratch.missing, channels.size());
      // The cut of all values against the missing rows leaves nothing on the right now; do not show
      // it to a user's code. refuse() gives it its score.
      const bool has_end = block.next_code_at(n_cuts - 1) >= table.columns[column].n_codes();
      if (!plan.criterion.is_builtin() && has_end) --block.n_cuts;
      if (block.n_cuts > 0) score(channels, scratch, left);
      block.n_cuts = n_cuts;
      judge->refuse(block, true, left);
      top = std::max(top, kernels_.largest(left, n_cuts));
    }
    const std::size_t first_cut = scratch.n_cuts_before;
    scratch.n_cuts_before += static_cast<std::size_t>(n_cuts);
    if (!plan.criterion.has_tie_break()) {
      if (keeps_top()) {
        if (left)
          keep_top(*judge, block, channels.size(), true, left, nullptr, first_cut, scratch.top);
        move_missing(block, false, scratch.missing, channels.size());
        keep_top(*judge, block, channels.size(), false, right, nullptr, first_cut, scratch.top);
      }
      return judge->offer(block, top, right, left, scratch.to_beat);
    }
    // Spare the second measure where the first decides.
    if (!keeps_top() && !judge->may_matter(top, scratch.to_beat)) return;
    scratch.n_cuts_before = first_cut;
    double *right_ties = scratch.ties[0], *left_ties = scratch.ties[1];
    if (left) score_ties(channels, scratch, left_ties);
    if (left && keeps_top())
      keep_top(*judge, block, channels.size(), true, left, left_ties, first_cut, scratch.top);
    move_missing(block, false, scratch.missing, channels.size());
    score_ties(channels, scratch, right_ties);
    if (keeps_top())
      keep_top(*judge, block, channels.size(), false, right, right_ties, first_cut, scratch.top);
    judge->offer_with_ties(block, right, right_ties, left, left_ties);
    scratch.n_cuts_before += static_cast<std::size_t>(n_cuts);
  };
  return each_block(node, channels, column, sums, scratch, start, visit) ? judge->result()
                                                                         : Split::constant();
}

std::vector<Split> Search::best_of_each(const Node& node, const NodeChannels& channels,
                                        std::span<const std::uint32_t> columns,
                                        std::span<Scratch> scratch) const {
  std::vector<Split> found(columns.size());
  if (plan.missing == Missing::fractional) {
    // A column with missing values is judged by its known rows, so each has sums of its own.
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int column = static_cast<int>(columns[i]);
      scratch[0].to_beat = minus_infinity;
      found[i] = is_fractional(column)
                     ? best_of_known(node, column, scratch[0])
                     : best_of_one(node, channels, columns.subspan(i, 1), scratch[0]);
    }
    return found;
  }
  const bool is_batched = plan.criterion.interpreted && plan.by_test == ByTest::none;
  if (is_batched) return best_of_batch(node, channels, columns, scratch[0]);
  std::vector<std::uint32_t> wide, narrow, wide_places, narrow_places;
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    const bool is_narrow = table.columns[columns[i]].is_narrow();
    (is_narrow ? narrow : wide).push_back(columns[i]);
    (is_narrow ? narrow_places : wide_places).push_back(i);
  }
  const bool parallel =
      scratch.size() > 1 && std::size_t{node.n_rows()} * columns.size() > parallel_cells;
  // Plain counts are taken of several columns at a time; with two threads, each gets a part of the
  // columns.
  const bool counted = target.is_whole();
  constexpr std::size_t at_once = CodeSums::columns_at_once;
  const std::size_t n_parts = parallel ? std::min(scratch.size(), narrow.size()) : 1;
  const std::size_t n_groups = narrow.empty() ? 0
                               : !counted
                                   ? narrow.size()
                                   : std::max((narrow.size() + at_once - 1) / at_once, n_parts);
  for (Scratch& each : scratch) each.to_beat = minus_infinity;
  const auto search_column = [&](std::uint32_t place, CodeSums* sums, Scratch& mine) {
    const Split best = best_of_column(node, channels, static_cast<int>(columns[place]), sums, mine);
    if (!plan.c45.any()) mine.to_beat = std::max(mine.to_beat, surely_below(best.best));
    found[place] = best;
  };
  const auto task = [&](int i, int worker) {
    Scratch& mine = scratch[static_cast<std::size_t>(worker)];
    const auto task_index = static_cast<std::size_t>(i);
    if (task_index < wide.size()) return search_column(wide_places[task_index], nullptr, mine);
    const std::size_t group = task_index - wide.size();
    const std::size_t first = group * narrow.size() / n_groups,
                      last = (group + 1) * narrow.size() / n_groups;
    sum_columns(node, channels, std::span(narrow).subspan(first, last - first), mine);
    for (std::size_t j = first; j < last; ++j)
      search_column(narrow_places[j], &mine.sums[j - first], mine);
  };
  const int n_tasks = static_cast<int>(wide.size() + n_groups);
  if (parallel)
    pool_.run(n_tasks, task);
  else
    for (int i = 0; i < n_tasks; ++i) task(i, 0);
  return found;
}

/// The best split of one column, in the simplest way.
Split Search::best_of_one(const Node& node, const NodeChannels& channels,
                          std::span<const std::uint32_t> column, Scratch& scratch) const {
  if (plan.criterion.interpreted && plan.by_test == ByTest::none)
    return best_of_batch(node, channels, column, scratch)[0];
  if (table.columns[column[0]].is_narrow()) sum_columns(node, channels, column, scratch);
  return best_of_column(node, channels, static_cast<int>(column[0]), scratch.sums.data(), scratch);
}

/// The sums of the rows that have a value in a column.
NodeChannels Search::known_channels(const Node& node, int column) const {
  std::vector<double> sums(node.sums.size());
  std::uint32_t n_rows = 0;
  const auto add = [&](std::uint32_t row) {
    ++n_rows;
    numbers ? numbers->add_row(row, sums) : target.add_row(row, sums);
  };
  const Column& info = table.columns[column];
  if (info.is_narrow()) {
    const RecordView records = store.records(node.begin, node.end);
    const std::uint8_t* code = records.codes + store.record_offset(column);
    for (std::uint32_t i = 0; i < records.n; ++i, code += records.stride)
      if (*code < info.n_codes()) add(records.rows[i]);
  } else {
    const std::uint64_t* items = store.list(column) + node.begin;
    for (std::uint32_t i = 0; i < node.n_rows(); ++i)
      if (store.layout().code(items[i]) < info.n_codes()) add(store.layout().row(items[i]));
  }
  NodeChannels known = numbers ? number_channels(node, sums, n_rows) : channels_of(sums, n_rows);
  known.known_only = n_rows < node.n_rows();
  return known;
}

/// The best split of a column whose missing rows will go down every branch: they have no say, but
/// what is gained is gained by the known share only.
Split Search::best_of_known(const Node& node, int column, Scratch& scratch) const {
  const NodeChannels known = known_channels(node, column);
  if (known.n_rows == 0) return Split::constant();
  Split split;
  // Categories that gain nothing still count in the average gain of C4.5.
  const bool counts = plan.c45.average_gain && table.columns[column].is_categorical;
  if (counts ||
      std::ranges::any_of(known.outputs, [](const auto& out) { return out.n_present > 1; })) {
    const auto name = static_cast<std::uint32_t>(column);
    const double share = known.outputs[0].total / weight_of(target, node.sums);
    TopCandidates others = scratch.top.set_aside();
    split = best_of_one(node, known, std::span(&name, 1), scratch);
    for (Candidate& candidate : scratch.top.candidates()) {
      candidate.split.score *= share;
      candidate.split.saw_missing = known.known_only;
      if (others.wants(candidate.split.score)) others.add(std::move(candidate));
    }
    scratch.top = std::move(others);
  }
  if (!split.exists() || !known.known_only) return split;
  split.saw_missing = true;
  if (plan.by_test != ByTest::none) return split;
  const double share = known.outputs[0].total / weight_of(target, node.sums);
  split.score *= share;
  split.best *= share;
  split.tie_break *= share;
  // The branch entropy has one more branch, for the rows without a value.
  split.branch_entropy =
      share * split.branch_entropy -
      (share * RAMIFY_KERNELS::log2_of(share) + (1 - share) * RAMIFY_KERNELS::log2_of(1 - share));
  return split;
}

Split Search::best(Node& node, std::span<Scratch> scratch) const {
  const bool simple = is_simple(node);
  const NodeChannels channels = simple ? NodeChannels() : channels_of(node);
  if (!simple) start_composed(node, channels, scratch);
  const auto forget_constant = [&](std::span<const std::uint32_t> columns,
                                   std::span<const Split> found) {
    std::size_t i = 0;
    std::erase_if(node.live, [&](std::uint32_t column) {
      if (i == columns.size() || columns[i] != column) return false;
      return found[i++].is_constant;
    });
  };
  const auto chosen_of = [&](std::span<const Split> found) {
    const Split best = choose(table, target, plan, node, found);
    return keeps_top() ? choose_top(node, channels, best, scratch) : best;
  };
  const auto with_codes = [&](Split split) {
    if (!split.exists()) return split;
    if (plan.by_test == ByTest::quest) cut_by_quest(node, split, scratch[0]);
    if (!split.exists()) return split;  // the only cut that QUEST knows was not admissible
    if (split.kind == SplitKind::categories && split.codes.empty())
      list_codes(node, split, scratch[0]);
    set_threshold(plan, table.columns[split.column], split);
    return split;
  };
  // Go on beyond max_columns only until one admits a cut.
  Urn urn;
  urn.fill(node.live, plan.max_columns, node.key);
  for (auto columns = urn.draw(); !columns.empty(); columns = urn.draw()) {
    if (simple) {
      const Split split = best_of_simple(node, columns, scratch[0]);
      if (split.exists()) return split;
      continue;
    }
    const auto found = best_of_each(node, channels, columns, scratch);
    forget_constant(columns, found);
    const Split split = chosen_of(found);
    if (split.exists()) return with_codes(split);
  }
  return {};
}

}  // namespace ramify
