// SPDX-License-Identifier: BSD-3-Clause
#include "search/search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "expressions/batch.hpp"
#include "methods/chaid.hpp"
#include "methods/ctree.hpp"
#include "methods/guide.hpp"
#include "methods/quest.hpp"
#include "search/column_sampler.hpp"
#include "select/columns.hpp"

namespace ramify {
namespace {

/// Nodes with more cells than this are worth waking the other threads for.
constexpr std::size_t parallel_cells = 40'000;

}  // namespace

Search::Search(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, const Store& store, Pool& pool, const RegressionTarget* regression)
    : training{table, target, plan, store},
      pool_(pool),
      regression_(regression),
      classes_(target),
      scorer_(training, classes_, rows),
      finalists_(training, classes_, scorer_.evaluator()),
      blocks_(training, scorer_, finalists_),
      class_sums_(training, scorer_.classes()),
      weights_are_counts_(is_cut_by_criterion(plan.by_test) && weights_are_counts(target)) {
  if (plan.criterion.is_ordered()) order_.emplace(training, *regression);
  for (int column = 0; column < static_cast<int>(table.columns.size()); ++column)
    ways_.push_back(way_of(column));
}

Search::Way Search::way_of(int column) const {
  const Plan& plan = training.plan;
  if (plan.by_test == ByTest::chaid) return Way::chaid;
  if (plan.by_test == ByTest::quest) return Way::quest;
  if (training.column(column).is_categorical && plan.categories == Categories::multiway)
    return Way::multiway;
  if (order_) return Way::order;
  return class_sums_.fits(column) && !finalists_.are_wanted() ? Way::class_sums : Way::blocks;
}

Split Search::best_of_column(const NodeColumn& column, Scratch& scratch) const {
  switch (ways_[static_cast<std::size_t>(column.number)]) {
    case Way::chaid:
      return best_by_chaid(training, column, scratch.categories.sums);
    case Way::quest:
      return test_by_quest(training, column, scratch.categories.sums);
    case Way::multiway:
      return best_multiway(training, column, scratch.categories);
    case Way::order:
      return training.column(column.number).is_categorical
                 ? order_->best_of_categories(column, scratch.categories, scratch.cuts,
                                              scratch.order)
                 : order_->best(column, scratch.cuts, scratch.order);
    case Way::class_sums:
      if (column.channels.size() > 2)
        return class_sums_.best(column, scratch.cuts, scratch.class_sums);
      [[fallthrough]];
    default:
      return blocks_.best(column, scratch);
  }
}

NodeChannels Search::channels_of(const Node& node, std::span<const double> sums,
                                 std::uint64_t n_rows) const {
  return regression_ ? regression_channels(*regression_, node, sums, n_rows)
                     : classes_.of(sums, n_rows, training.plan.criterion.sees_present_classes());
}

/// The sums of the rows that have a value in a column.
NodeChannels Search::known_channels(const Node& node, int column) const {
  std::vector<double> sums(node.sums.size());
  std::uint64_t n_rows = 0;
  const std::uint32_t n_codes = training.column(column).n_codes();
  each_code(training, node, column, [&](std::uint32_t row, std::uint32_t code) {
    if (code >= n_codes) return;
    ++n_rows;
    regression_ ? regression_->add_row(row, sums) : training.target.add_row(row, sums);
  });
  NodeChannels known = channels_of(node, sums, n_rows);
  known.known_only = n_rows < node.n_rows();
  return known;
}

template <class Use>
void Search::look_again(const Node& node, int column, Scratch& scratch, Use use) const {
  const bool known_only =
      goes_everywhere(training.plan.missing) && training.column(column).n_missing > 0;
  const NodeChannels channels =
      known_only ? known_channels(node, column) : channels_of(node, node.sums, node.n_rows());
  use(summed_column(training, node, channels, column, scratch.codes));
}

/// Prepares the threads for a node.
void Search::start(const Node& node, const NodeChannels& channels,
                   std::span<Scratch> scratch) const {
  NodeRows& rows = scratch[0].scores.own_rows;
  if (scorer_.structure().reads_rows() && !rows.elsewhere)
    scorer_.structure().read_rows(node, channels, rows);
  for (Scratch& each : scratch) {
    each.scores.node_rows = &rows;
    finalists_.start(each.top);
  }
}

std::vector<Split> Search::best_of_each(const Node& node, const NodeChannels& channels,
                                        std::span<const std::uint32_t> columns,
                                        std::span<Scratch> scratch) const {
  const bool tests = is_cut_by_criterion(training.plan.by_test);
  if (goes_everywhere(training.plan.missing) && !tests)
    return best_of_known(node, channels, columns, scratch[0]);
  if (!tests && blocks_.has_bounds(scratch[0]))
    return best_of_bounded(node, channels, columns, scratch);
  if (asks_in_batches() && !tests) return best_of_batch(node, channels, columns, scratch[0]);
  std::vector<Split> found(columns.size());
  std::vector<std::uint32_t> high_cardinality, low_cardinality, high_cardinality_places,
      low_cardinality_places;
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    const bool is_low_cardinality = training.table.columns[columns[i]].is_low_cardinality();
    (is_low_cardinality ? low_cardinality : high_cardinality).push_back(columns[i]);
    (is_low_cardinality ? low_cardinality_places : high_cardinality_places).push_back(i);
  }
  const bool parallel =
      scratch.size() > 1 && std::size_t{node.n_rows()} * columns.size() > parallel_cells;
  // Plain counts are taken of several columns at a time; with two threads, each gets a part of the
  // columns.
  const bool counted = training.target.is_integer();
  constexpr std::size_t at_once = CodeSums::columns_at_once;
  const std::size_t n_parts = parallel ? std::min(scratch.size(), low_cardinality.size()) : 1;
  const std::size_t n_groups =
      low_cardinality.empty() ? 0
      : !counted              ? low_cardinality.size()
                              : std::max((low_cardinality.size() + at_once - 1) / at_once, n_parts);
  for (Scratch& each : scratch) each.cuts.to_beat = minus_infinity;
  const auto search_column = [&](std::uint32_t place, CodeSums* sums, Scratch& mine) {
    const NodeColumn column{node, channels, static_cast<int>(columns[place]), sums,
                            mine.codes.given};
    const Split best = tests ? tested(column, mine) : best_of_column(column, mine);
    double& to_beat = mine.cuts.to_beat;
    if (!training.plan.corrects_scores()) to_beat = std::max(to_beat, surely_below(best.best));
    found[place] = best;
  };
  const auto task = [&](int i, int worker) {
    Scratch& mine = scratch[static_cast<std::size_t>(worker)];
    const auto task_index = static_cast<std::size_t>(i);
    if (task_index < high_cardinality.size())
      return search_column(high_cardinality_places[task_index], nullptr, mine);
    const std::size_t group = task_index - high_cardinality.size();
    const std::size_t first = group * low_cardinality.size() / n_groups,
                      last = (group + 1) * low_cardinality.size() / n_groups;
    sum_columns(training, node, channels, std::span(low_cardinality).subspan(first, last - first),
                mine.codes);
    for (std::size_t j = first; j < last; ++j)
      search_column(low_cardinality_places[j], &mine.codes.sums[j - first], mine);
  };
  const int n_tasks = static_cast<int>(high_cardinality.size() + n_groups);
  if (parallel)
    pool_.run(n_tasks, task);
  else
    for (int i = 0; i < n_tasks; ++i) task(i, 0);
  return found;
}

/// Where scores have bounds: the most promising column first, until no other could matter. Those
/// that are looked at are all within reach of the best, so that ties are settled as ever.
std::vector<Split> Search::best_of_bounded(const Node& node, const NodeChannels& channels,
                                           std::span<const std::uint32_t> columns,
                                           std::span<Scratch> scratch) const {
  std::vector<Split> found(columns.size());
  const bool parallel =
      scratch.size() > 1 && std::size_t{node.n_rows()} * columns.size() > parallel_cells;
  const std::size_t n_parts = parallel ? scratch.size() : 1;
  const auto column_at = [&](std::size_t place, Scratch& mine) {
    return summed_column(training, node, channels, static_cast<int>(columns[place]), mine.codes);
  };
  const auto search_part = [&](int part, int worker) {
    Scratch& mine = scratch[static_cast<std::size_t>(worker)];
    mine.cuts.to_beat = minus_infinity;
    std::vector<std::size_t> places;
    for (auto place = static_cast<std::size_t>(part); place < columns.size(); place += n_parts) {
      found[place] = blocks_.bound(column_at(place, mine), mine);
      places.push_back(place);
    }
    std::ranges::stable_sort(places, std::greater{}, [&](std::size_t i) { return found[i].best; });
    for (const std::size_t place : places) {
      if (!(found[place].best > minus_infinity)) break;
      if (found[place].best < blocks_.min_that_matters(mine)) break;
      found[place] = blocks_.best(column_at(place, mine), mine);
      mine.cuts.to_beat = std::max(mine.cuts.to_beat, far_below(found[place].best));
    }
  };
  if (parallel)
    pool_.run(static_cast<int>(n_parts), search_part);
  else
    search_part(0, 0);
  return found;
}

/// The cuts of many columns in one call of an interpreted criterion.
std::vector<Split> Search::best_of_batch(const Node& node, const NodeChannels& channels,
                                         std::span<const std::uint32_t> columns,
                                         Scratch& scratch) const {
  CutBatches batches(training, scorer_.users(), &finalists_, channels, columns.size(),
                     &scratch.top);
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const NodeColumn column =
        summed_column(training, node, channels, static_cast<int>(columns[place]), scratch.codes);
    each_cut(
        training, column, scratch.categories, scratch.cuts,
        [&](const ColumnRange& range) {
          batches.start(place, {training, column, range, scratch.cuts.missing});
        },
        [&](std::uint64_t n_missing) { batches.add(place, scratch.cuts, n_missing); });
  }
  return batches.finish();
}

/// The best split of one column, in the simplest way.
Split Search::best_of_one(const Node& node, const NodeChannels& channels, int column,
                          Scratch& scratch) const {
  const auto name = static_cast<std::uint32_t>(column);
  if (asks_in_batches()) return best_of_batch(node, channels, std::span(&name, 1), scratch)[0];
  return best_of_column(summed_column(training, node, channels, column, scratch.codes), scratch);
}

/// The best split of each column, where those with missing values are judged by their known rows:
/// so each has sums of its own.
std::vector<Split> Search::best_of_known(const Node& node, const NodeChannels& channels,
                                         std::span<const std::uint32_t> columns,
                                         Scratch& scratch) const {
  std::vector<Split> found;
  for (const std::uint32_t each : columns) {
    const int column = static_cast<int>(each);
    scratch.cuts.to_beat = minus_infinity;
    found.push_back(training.column(column).n_missing > 0
                        ? best_of_known(node, column, scratch)
                        : best_of_one(node, channels, column, scratch));
  }
  return found;
}

/// The best split of a column whose missing rows will go down every branch: they have no say, but
/// what is gained is gained by the known share only.
Split Search::best_of_known(const Node& node, int column, Scratch& scratch) const {
  const Plan& plan = training.plan;
  const NodeChannels known = known_channels(node, column);
  if (known.n_rows == 0) return Split::constant();
  Split split;
  const double share = known.outputs[0].total / weight_of(training.target, node.sums);
  // Categories that gain nothing still count in the average gain of C4.5.
  const bool counts = plan.c45.average_gain && training.column(column).is_categorical;
  if (counts ||
      std::ranges::any_of(known.outputs, [](const auto& out) { return out.n_present > 1; })) {
    TopCandidates others = scratch.top.set_aside();
    split = best_of_one(node, known, column, scratch);
    for (Candidate& candidate : scratch.top.candidates()) {
      candidate.split.score *= share;
      candidate.split.saw_missing = known.known_only;
      if (others.wants(candidate.split.score)) others.add(std::move(candidate));
    }
    scratch.top = std::move(others);
  }
  if (!split.exists() || !known.known_only) return split;
  split.saw_missing = true;
  if (plan.by_test == ByTest::chaid || plan.by_test == ByTest::quest) return split;
  split.score *= share;
  split.best *= share;
  split.tie_break *= share;
  // The branch entropy has one more branch, for the rows without a value.
  split.branch_entropy =
      share * split.branch_entropy -
      (share * RAMIFY_KERNELS::log2_of(share) + (1 - share) * RAMIFY_KERNELS::log2_of(1 - share));
  return split;
}

/// One split from the best of each column.
Split Search::choose(const Node& node, const NodeChannels& channels, std::span<const Split> found,
                     std::span<Scratch> scratch) const {
  const auto& [table, target, plan, store] = training;
  const Split best = plan.by_test == ByTest::quest
                         ? choose_by_quest(table, plan, found)
                         : ramify::choose(table, target, plan, node, found);
  if (!finalists_.are_wanted()) return best;
  std::vector<Candidate> kept;
  for (Scratch& each : scratch) {
    std::ranges::move(each.top.candidates(), std::back_inserter(kept));
    each.top.candidates().clear();
  }
  std::ranges::sort(kept, std::less{}, &Candidate::place);
  const NodeRows& rows = *scratch[0].scores.node_rows;
  const Split chosen = finalists_.choose(node, channels, best, kept, rows);
  if (plan.n_recorded == 0) return chosen;
  scratch[0].recorded = finalists_.record(node, chosen, std::move(kept), rows, [&](Split& split) {
    look_again(node, split.column, scratch[0], [&](const NodeColumn& column) {
      list_codes(training, column, split, scratch[0].categories);
    });
  });
  return chosen;
}

/// What is found out of a split only when it is chosen: its cut, its categories, its threshold.
Split Search::finished(const Node& node, Split split, Scratch& scratch) const {
  if (training.plan.by_test == ByTest::quest)
    look_again(node, split.column, scratch, [&](const NodeColumn& column) {
      split = cut_by_quest(training, column, split, scratch.categories.sums);
    });
  if (!split.exists()) return split;  // the only cut that QUEST knows was not admissible
  if (split.kind == SplitKind::categories && split.codes.empty())
    look_again(node, split.column, scratch, [&](const NodeColumn& column) {
      list_codes(training, column, split, scratch.categories);
    });
  set_threshold(training.plan, training.column(split.column), split);
  return split;
}

/// The test of a column whose cut the criterion will choose.
Split Search::tested(const NodeColumn& column, Scratch& scratch) const {
  CategorySums& sums = scratch.categories.sums;
  return training.plan.by_test == ByTest::ctree
             ? test_by_ctree(training, column, weights_are_counts_, sums)
             : test_by_guide(training, column, weights_are_counts_, sums);
}

/// The best cut of one column.
Split Search::best_cut_of(const Node& node, const NodeChannels& channels, int column,
                          Scratch& scratch) const {
  scratch.cuts.to_beat = minus_infinity;
  const bool known_only =
      goes_everywhere(training.plan.missing) && training.column(column).n_missing > 0;
  const Split cut = known_only ? best_of_known(node, column, scratch)
                               : best_of_one(node, channels, column, scratch);
  return cut.exists() ? finished(node, cut, scratch) : cut;
}

/// The cut of the column that the tests put first; of the next, where no cut is admissible.
Split Search::best_by_test(const Node& node, const NodeChannels& channels,
                           std::span<const Split> found, Scratch& scratch) const {
  const Plan& plan = training.plan;
  if (plan.by_test == ByTest::guide && plan.guide_interactions) {
    const auto pair = find_interaction(training, node, weights_are_counts_, found);
    if (pair) {
      const Split one = best_cut_of(node, channels, pair->first, scratch),
                  other = best_cut_of(node, channels, pair->second, scratch);
      if (one.exists() || other.exists())
        return !one.exists() || beats(other.score, one.score) ? other : one;
    }
  }
  const bool is_ctree = plan.by_test == ByTest::ctree;
  for (const Split& test : is_ctree ? rank_by_ctree(plan, found) : rank_by_guide(found)) {
    Split cut = best_cut_of(node, channels, test.column, scratch);
    if (!cut.exists()) continue;
    if (is_ctree) cut.score = cut.best = test.score;
    return cut;
  }
  return {};
}

Split Search::best(Node& node, std::span<Scratch> scratch) const {
  const NodeChannels channels = channels_of(node, node.sums, node.n_rows());
  start(node, channels, scratch);
  const auto forget_constant = [&](std::span<const std::uint32_t> columns,
                                   std::span<const Split> found) {
    std::size_t i = 0;
    std::erase_if(node.non_constant, [&](std::uint32_t column) {
      if (i == columns.size() || columns[i] != column) return false;
      return found[i++].is_constant;
    });
  };
  // Go on beyond max_columns only until one admits a cut.
  ColumnSampler sampler;
  sampler.fill(node.non_constant, training.plan.max_columns, node.key);
  for (auto columns = sampler.draw(); !columns.empty(); columns = sampler.draw()) {
    const auto found = best_of_each(node, channels, columns, scratch);
    forget_constant(columns, found);
    if (is_cut_by_criterion(training.plan.by_test)) {
      const Split cut = best_by_test(node, channels, found, scratch[0]);
      const bool was_tested = std::ranges::any_of(found, &Split::exists);
      if (cut.exists() || (was_tested && training.plan.by_test == ByTest::ctree)) return cut;
      continue;
    }
    const Split split = choose(node, channels, found, scratch);
    if (split.exists()) return finished(node, split, scratch[0]);
  }
  return {};
}

}  // namespace ramify
