// SPDX-License-Identifier: BSD-3-Clause
#include "online/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "util/rng.hpp"

namespace ramify::online {
namespace {

/// Rows that trees of a forest learn side by side before their answers are joined.
constexpr std::size_t rows_at_once = 512;
/// Batches of more rows can be interrupted, and are copied before.
constexpr std::size_t many_rows = 4096;

/// A draw of the Poisson distribution, from 53 random bits.
std::uint32_t poisson(double mean, std::uint64_t bits) {
  const double u = static_cast<double>(bits >> 11) * 0x1p-53;
  double p = std::exp(-mean), sum = p;
  std::uint32_t k = 0;
  while (u >= sum && k < 1000) {
    p *= mean / ++k;
    if (sum + p == sum) break;
    sum += p;
  }
  return k;
}

std::uint32_t first_largest(const double* values, std::size_t n) {
  return static_cast<std::uint32_t>(std::max_element(values, values + n) - values);
}

}  // namespace

Model::Model(ModelRules rules, std::vector<Column> columns, std::size_t n_classes)
    : rules_(std::move(rules)), n_classes_(n_classes) {
  columns_.all = std::move(columns);
  columns_.arrange();
  if (rules_.warm_up == 0) has_cuts_ = columns_.numeric.empty();
  add_members();
  SplitJudge(rules_.tree, columns_, n_classes_).refuse_what_sums_cannot_show();
}

OnlineTree Model::new_tree(std::uint32_t member, std::uint64_t number) const {
  const std::uint64_t seed = mix(mix(mix(rules_.seed) ^ (member + 1)) ^ number);
  return {rules_.tree, columns_, n_classes_, seed};
}

void Model::add_members() {
  members_.clear();
  const int n = std::max(rules_.forest.n_trees, 1);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n); ++i)
    members_.push_back({.tree = new_tree(i, 0),
                        .background = std::nullopt,
                        .warning = Adwin(rules_.forest.warning),
                        .drift = Adwin(rules_.forest.drift),
                        .number = i,
                        .swaps = {}});
}

// --- reading ------------------------------------------------------------------------------------

void Model::encode(const double* rows, std::size_t n) {
  const std::size_t d = columns_.size(), width = (columns_.numeric.size() + 3) / 4 * 4;
  cells_.resize(n * d);
  is_missing_.resize(n);
  numbers_.assign(n * width, 0);
  for (std::size_t i = 0; i < n; ++i) {
    columns_.encode(rows + i * d, cells_.data() + i * d);
    double* to = numbers_.data() + i * width;
    std::uint8_t is_missing = 0;
    for (const std::uint32_t j : columns_.numeric) {
      *to = rows[i * d + j];
      is_missing |= static_cast<std::uint8_t>(std::isnan(*to++));
    }
    is_missing_[i] = is_missing;
  }
}

Row Model::row(std::size_t i, const Batch& batch) const {
  const std::size_t width = (columns_.numeric.size() + 3) / 4 * 4, at = i - first_row_;
  return {.bayes = {.numbers = numbers_.data() + at * width,
                    .cells = cells_.data() + at * columns_.size(),
                    .has_missing = is_missing_[at] != 0},
          .is_coded = has_cuts_,
          .label = batch.labels.empty() ? 0 : batch.labels[i],
          .weight = batch.weights.empty() ? 1 : batch.weights[i]};
}

/// Notes what is new in a row. Returns whether anything is.
bool Model::note(const double* row) {
  if (!columns_.is_new(row)) return false;
  if (columns_.note(row)) {
    const Cells old = columns_.cells, old_categories = columns_.category_cells;
    columns_.arrange();
    for (Member& member : members_) {
      member.tree.rearrange(old, old_categories, n_classes_);
      if (member.background) member.background->rearrange(old, old_categories, n_classes_);
    }
  }
  for (Member& member : members_) {
    member.tree.restart_search();
    if (member.background) member.background->restart_search();
  }
  return true;
}

/// Keeps a row of the warm-up; after the last one cuts are learnt.
void Model::keep(const double* row) {
  kept_.insert(kept_.end(), row, row + columns_.size());
  if (kept_.size() < std::size_t{rules_.warm_up} * columns_.size()) return;
  columns_.learn_cuts(kept_, rules_.max_bins);
  kept_ = {};
  has_cuts_ = true;
  for (Member& member : members_) {
    member.tree.restart_search();
    if (member.background) member.background->restart_search();
  }
}

void Model::set_cuts(std::vector<std::vector<double>> cuts) {
  for (const std::uint32_t j : columns_.numeric) columns_.all[j].cuts = std::move(cuts.at(j));
  columns_.arrange();
  has_cuts_ = true;
  add_members();
}

/// Makes room for classes that are new.
void Model::set_classes(std::size_t n_classes) {
  if (n_classes <= n_classes_) return;
  n_classes_ = n_classes;
  for (Member& member : members_) {
    member.tree.rearrange(columns_.cells, columns_.category_cells, n_classes);
    if (member.background)
      member.background->rearrange(columns_.cells, columns_.category_cells, n_classes);
  }
}

// --- learning -----------------------------------------------------------------------------------

/// Whether a search may fail: those of built-in criteria do not.
bool Model::may_throw() const {
  return std::ranges::any_of(rules_.tree.contests, [](const Contest& contest) {
    return !contest.plan.criterion.is_builtin();
  });
}

void Model::learn(const Batch& batch, std::span<std::uint32_t> answers, int n_threads, Stop& stop) {
  const std::size_t d = columns_.size();
  const bool may_fail = may_throw() || batch.n_rows > many_rows;
  std::optional<Saved> before;
  if (may_fail) before = save();
  try {
    Pool pool(std::min<int>(n_threads, static_cast<int>(members_.size())));
    std::size_t begin = 0;
    while (begin < batch.n_rows) {
      if (batch.n_rows > many_rows) stop.is_wanted(0);
      const double* rows = batch.cells.data() + begin * d;
      note(rows);
      set_classes(std::size_t{batch.labels[begin]} + 1);
      // As many rows as tell nothing new of columns and classes.
      std::size_t end = begin + 1;
      const std::size_t most = std::min(batch.n_rows, begin + rows_at_once);
      const std::size_t n_more = has_cuts_ ? most - begin : 1;
      for (; end < begin + n_more; ++end) {
        const double* row = batch.cells.data() + end * d;
        if (columns_.is_new(row) || batch.labels[end] >= n_classes_) break;
      }
      first_row_ = begin;
      encode(rows, end - begin);
      learn_stretch(batch, begin, end, answers, pool);
      if (!has_cuts_ && (batch.weights.empty() || batch.weights[begin] > 0)) keep(rows);
      n_rows_ += end - begin;
      begin = end;
    }
  } catch (...) {
    if (before) take(std::move(*before));
    throw;
  }
}

void Model::learn_stretch(const Batch& batch, std::size_t begin, std::size_t end,
                          std::span<std::uint32_t> answers, Pool& pool) {
  if (rules_.forest.n_trees == 0) {
    OnlineTree& tree = members_[0].tree;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t answer = tree.learn(row(i, batch));
      if (!answers.empty()) answers[i] = answer;
    }
    return;
  }
  const std::size_t n = end - begin, size = n * n_classes_;
  std::vector<double> votes(members_.size() * size);
  pool.run(static_cast<int>(members_.size()), [&](int i, int) {
    const auto place = static_cast<std::size_t>(i);
    learn_member(members_[place], batch, begin, end, votes.data() + place * size);
  });
  for (Member& member : members_) {
    swaps_.insert(swaps_.end(), member.swaps.begin(), member.swaps.end());
    member.swaps.clear();
  }
  if (answers.empty()) return;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> sum(n_classes_);
    for (std::size_t m = 0; m < members_.size(); ++m)
      for (std::size_t k = 0; k < n_classes_; ++k) sum[k] += votes[m * size + i * n_classes_ + k];
    answers[begin + i] = first_largest(sum.data(), n_classes_);
  }
}

void Model::learn_member(Member& member, const Batch& batch, std::size_t begin, std::size_t end,
                         double* votes) {
  const ForestRules& forest = rules_.forest;
  const std::uint64_t key = mix(mix(rules_.seed) ^ (std::uint64_t{member.number} << 32 | 1));
  for (std::size_t i = begin; i < end; ++i, votes += n_classes_) {
    Row own = row(i, batch);
    member.tree.probabilities(own, votes);
    const std::uint32_t answer = first_largest(votes, n_classes_);
    const double accuracy = member.accuracy();
    for (std::size_t k = 0; k < n_classes_; ++k) votes[k] *= accuracy;
    if (!(own.weight > 0)) continue;
    const bool is_right = answer == own.label;
    member.seen += own.weight;
    if (is_right) member.right += own.weight;
    const std::uint64_t number = n_rows_ + (i - begin);
    own.weight *= poisson(forest.poisson, mix(key ^ mix(number)));
    if (own.weight > 0) {
      member.tree.learn(own);
      if (member.background) member.background->learn(own);
    }
    if (!(forest.drift > 0)) continue;
    const auto grows = [&](Adwin& errors) {
      const double before = errors.mean();
      return errors.add(is_right ? 0 : 1) && errors.mean() > before;
    };
    const bool warns = grows(member.warning), drifts = grows(member.drift);
    if (warns && !drifts) member.background.emplace(new_tree(member.number, ++member.n_trees));
    if (!drifts) continue;
    member.swaps.push_back({number + 1, member.number, member.background ? 1u : 0u});
    member.tree.set(member.background ? member.background->take_state()
                                      : new_tree(member.number, ++member.n_trees).take_state());
    member.background.reset();
    member.warning = Adwin(forest.warning);
    member.drift = Adwin(forest.drift);
    member.right = member.seen = 0;
  }
}

// --- answers ------------------------------------------------------------------------------------

void Model::forest_probabilities(const Row& row, double* to, std::vector<double>& room) {
  if (rules_.forest.n_trees == 0) return members_[0].tree.probabilities(row, to);
  room.resize(n_classes_);
  std::fill_n(to, n_classes_, 0.0);
  double total = 0;
  for (Member& member : members_) {
    member.tree.probabilities(row, room.data());
    total += member.accuracy();
    for (std::size_t k = 0; k < n_classes_; ++k) to[k] += room[k] * member.accuracy();
  }
  for (std::size_t k = 0; k < n_classes_; ++k)
    to[k] = total > 0 ? to[k] / total : 1.0 / static_cast<double>(n_classes_);
}

void Model::predict(const Batch& batch, std::span<std::uint32_t> answers, Stop& stop) {
  std::vector<double> sum(n_classes_), room;
  for (std::size_t begin = 0; begin < batch.n_rows; begin += rows_at_once) {
    stop.is_wanted(0);
    const std::size_t end = std::min(batch.n_rows, begin + rows_at_once);
    first_row_ = begin;
    encode(batch.cells.data() + begin * columns_.size(), end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (rules_.forest.n_trees == 0) {
        answers[i] = members_[0].tree.answer(row(i, batch));
        continue;
      }
      forest_probabilities(row(i, batch), sum.data(), room);
      answers[i] = first_largest(sum.data(), n_classes_);
    }
  }
}

void Model::predict_proba(const Batch& batch, std::span<double> probabilities, Stop& stop) {
  std::vector<double> room;
  for (std::size_t begin = 0; begin < batch.n_rows; begin += rows_at_once) {
    stop.is_wanted(0);
    const std::size_t end = std::min(batch.n_rows, begin + rows_at_once);
    first_row_ = begin;
    encode(batch.cells.data() + begin * columns_.size(), end - begin);
    for (std::size_t i = begin; i < end; ++i)
      forest_probabilities(row(i, batch), probabilities.data() + i * n_classes_, room);
  }
}

std::size_t Model::n_bytes() const {
  std::size_t bytes = kept_.size() * sizeof(double);
  for (const Member& member : members_) {
    bytes += member.tree.n_bytes();
    if (member.background) bytes += member.background->n_bytes();
  }
  return bytes;
}

}  // namespace ramify::online
