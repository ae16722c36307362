// SPDX-License-Identifier: BSD-3-Clause
#include "online/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "util/rng.hpp"

namespace ramify::online {
namespace {

// What a new leaf takes from its parent, as if it came from so many rows.
constexpr double inherited_rows = 10, inherited_rows_per_class = 5;
constexpr std::uint64_t rows_between_checks = 10'000;  // of the memory

double sum_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

OnlineTree::OnlineTree(const Rules& rules, const Columns& columns, std::size_t n_classes,
                       std::uint64_t seed)
    : rules_(rules), columns_(columns), n_classes_(n_classes) {
  state_.seed = seed;
  state_.root = add_node();
  node(state_.root).key = mix(state_.seed);
  node(state_.root).leaf = add_leaf(new_leaf());
}

Leaf OnlineTree::new_leaf() const {
  Leaf leaf;
  leaf.sums = LeafSums(n_classes_);
  leaf.class_weights.assign(n_classes_, 0);
  if (rules_.predictor != Predictor::majority) leaf.bayes = NaiveBayes(columns_, n_classes_);
  return leaf;
}

std::int32_t OnlineTree::add_node() {
  if (!state_.free_nodes.empty()) {
    const std::int32_t id = state_.free_nodes.back();
    state_.free_nodes.pop_back();
    node(id) = {};
    return id;
  }
  state_.nodes.emplace_back();
  return static_cast<std::int32_t>(state_.nodes.size()) - 1;
}

std::int32_t OnlineTree::add_leaf(Leaf leaf) {
  if (!state_.free_leaves.empty()) {
    const std::int32_t id = state_.free_leaves.back();
    state_.free_leaves.pop_back();
    state_.leaves[static_cast<std::size_t>(id)] = std::move(leaf);
    return id;
  }
  state_.leaves.push_back(std::move(leaf));
  return static_cast<std::int32_t>(state_.leaves.size()) - 1;
}

void OnlineTree::free_subtree(std::int32_t id) {
  std::vector<std::int32_t> waiting{id};
  while (!waiting.empty()) {
    const std::int32_t each = waiting.back();
    waiting.pop_back();
    Node& gone = node(each);
    if (gone.is_leaf()) {
      state_.leaves[static_cast<std::size_t>(gone.leaf)] = {};
      state_.free_leaves.push_back(gone.leaf);
    } else {
      waiting.insert(waiting.end(), {gone.left, gone.right});
    }
    if (gone.monitor != none) {
      Monitor& monitor = monitor_of(each);
      if (monitor.alternate != none) waiting.push_back(monitor.alternate);
      monitor = {};
      state_.free_monitors.push_back(gone.monitor);
    }
    gone = {};
    state_.free_nodes.push_back(each);
  }
}

SplitJudge& OnlineTree::judge() {
  if (!judge_) judge_ = std::make_unique<SplitJudge>(rules_, columns_, n_classes_);
  return *judge_;
}

void OnlineTree::rearrange(const Cells& old, const Cells& old_categories, std::size_t n_classes) {
  judge_.reset();
  n_classes_ = n_classes;
  for (Leaf& leaf : state_.leaves) {
    leaf.sums.rearrange(columns_, old, n_classes);
    leaf.bayes.rearrange(columns_, old_categories, n_classes);
    leaf.class_weights.resize(n_classes);
  }
  for (Monitor& monitor : state_.monitors) monitor.sums.rearrange(columns_, old, n_classes);
}

void OnlineTree::set(State state) {
  state_ = std::move(state);
  judge_.reset();
}

// --- answers ------------------------------------------------------------------------------------

std::uint32_t OnlineTree::answer_at(std::int32_t id, const Row& row) {
  Leaf& leaf = leaf_of(id);
  return leaf.answers_by_bayes(rules_.predictor)
             ? leaf.bayes.answer(columns_, row.bayes, leaf.class_weights)
             : leaf.majority();
}

std::uint32_t OnlineTree::answer(const Row& row) {
  return answer_at(walk(state_.root, row.bayes.cells), row);
}

void OnlineTree::probabilities(const Row& row, double* to) {
  Leaf& leaf = leaf_of(walk(state_.root, row.bayes.cells));
  const double weight = leaf.weight();
  if (!(weight > 0)) {
    std::fill_n(to, n_classes_, 1.0 / static_cast<double>(n_classes_));
  } else if (leaf.answers_by_bayes(rules_.predictor)) {
    leaf.bayes.log_posteriors(columns_, row.bayes, leaf.class_weights, to);
    const double top = *std::max_element(to, to + n_classes_);
    double sum = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) sum += to[k] = std::exp(to[k] - top);
    for (std::size_t k = 0; k < n_classes_; ++k) to[k] /= sum;
  } else {
    for (std::size_t k = 0; k < n_classes_; ++k) to[k] = leaf.class_weights[k] / weight;
  }
}

// --- learning -----------------------------------------------------------------------------------

std::uint32_t OnlineTree::learn(const Row& row) {
  if (!(row.weight > 0)) return answer(row);
  ++state_.n_rows;
  std::uint32_t answered = 0;
  if (rules_.drift == Drift::none) {
    answered = learn_at(walk(state_.root, row.bayes.cells), row);
  } else {
    path_.clear();
    std::int32_t id = state_.root;
    for (; !node(id).is_leaf(); id = node(id).child(row.bayes.cells)) path_.push_back(id);
    answered = learn_at(id, row);
    if (row.is_coded)
      for (const std::int32_t inner : path_) {
        const bool was_replaced =
            rules_.drift == Drift::replace ? watch(inner, row, answered) : reevaluate(inner, row);
        if (was_replaced) break;  // what stood below is gone
      }
  }
  if (rules_.max_bytes > 0 && state_.n_rows % rows_between_checks == 0) limit_memory();
  return answered;
}

std::uint32_t OnlineTree::learn_at(std::int32_t id, const Row& row) {
  Leaf& leaf = leaf_of(id);
  const std::uint32_t majority = leaf.majority();
  std::uint32_t answered = majority;
  if (!leaf.bayes.empty()) {
    const bool by_bayes = leaf.answers_by_bayes(rules_.predictor);
    const std::uint32_t bayes = leaf.bayes.answer(columns_, row.bayes, leaf.class_weights);
    if (by_bayes) answered = bayes;
    if (majority == row.label) leaf.majority_right += row.weight;
    if (bayes == row.label) leaf.bayes_right += row.weight;
    leaf.bayes.learn(columns_, row.bayes, row.label, row.weight);
  }
  leaf.class_weights[row.label] += row.weight;
  leaf.n_rows += 1;
  leaf.own_weight += row.weight;
  if (!row.is_coded || leaf.is_asleep) return answered;
  leaf.sums.add(columns_, row);
  if (rules_.keeps_recent()) leaf.recent.add(columns_, row);
  if (++leaf.waiting >= rules_.grace_period) attempt(id);
  return answered;
}

Question OnlineTree::question_of(const LeafSums& sums, const RecentRows& recent,
                                 const LeafSums::Table& table, std::uint64_t attempts,
                                 std::int32_t id) const {
  return {.table = table,
          .is_weighted = sums.is_weighted(),
          .attempt = static_cast<double>(attempts),
          .depth = node(id).depth,
          .key = mix(node(id).key ^ mix(attempts)),
          .recent = recent};
}

void OnlineTree::attempt(std::int32_t id) {
  Leaf& leaf = leaf_of(id);
  leaf.waiting = 0;
  if (leaf.largest_share() > rules_.max_share || node(id).depth >= rules_.max_depth) return;
  if (rules_.max_leaves > 0 && n_leaves() >= rules_.max_leaves) return;
  ++leaf.attempts;
  const LeafSums::Table table = leaf.sums.table(columns_);
  const Verdict verdict =
      judge().judge(question_of(leaf.sums, leaf.recent, table, leaf.attempts, id));
  if (!verdict.is_certain) return;
  note(Event::Kind::split, id, &verdict, leaf.attempts);
  split(id, verdict);
}

/// The children know nothing yet that counts in a test; for answers they inherit.
void OnlineTree::split(std::int32_t id, const Verdict& verdict) {
  Leaf parent = std::move(leaf_of(id));
  const std::int32_t own_leaf = node(id).leaf;
  const bool by_bayes = parent.answers_by_bayes(rules_.predictor);
  const double effective = parent.sums.effective();
  NaiveBayes bayes;
  if (!parent.bayes.empty()) bayes = parent.bayes.scaled(inherited_rows_per_class);
  std::int32_t children[2];
  for (int side = 0; side < 2; ++side) {
    const std::vector<double>& weights = side == 0 ? verdict.left : verdict.right;
    const double weight = sum_of(weights), scale = std::min(1.0, inherited_rows / weight);
    Leaf child;
    child.sums = LeafSums(n_classes_);
    for (const double each : weights) child.class_weights.push_back(each * scale);
    child.bayes = bayes;
    child.prefers_bayes = by_bayes;
    children[side] = add_node();
    Node& made = node(children[side]);
    made.parent = id;
    made.depth = node(id).depth + 1;
    made.key = mix(state_.seed ^ mix(++state_.n_born));
    made.born_rows = std::nearbyint(weight);
    made.born_weight = weight / effective;
    // The first child takes the place of its parent among the leaves.
    if (side == 0) {
      state_.leaves[static_cast<std::size_t>(own_leaf)] = std::move(child);
      made.leaf = own_leaf;
    } else {
      const std::int32_t place = add_leaf(std::move(child));
      node(children[side]).leaf = place;
    }
  }
  Node& own = node(id);
  own.leaf = none;
  own.left = children[0];
  own.right = children[1];
  own.column = verdict.split.column;
  own.code = verdict.split.code;
  own.heavier_left = verdict.heavier_left;
  own.gain = verdict.split.score;
  own.sides = verdict.sides;
  if (rules_.drift != Drift::none) add_monitor(id);
  if (rules_.drift == Drift::reevaluate) {
    monitor_of(id).sums = std::move(parent.sums);
    monitor_of(id).recent = std::move(parent.recent);
    monitor_of(id).attempts = parent.attempts;
  }
}

void OnlineTree::add_monitor(std::int32_t id) {
  std::int32_t place = static_cast<std::int32_t>(state_.monitors.size());
  if (!state_.free_monitors.empty()) {
    place = state_.free_monitors.back();
    state_.free_monitors.pop_back();
  } else {
    state_.monitors.emplace_back();
  }
  state_.monitors[static_cast<std::size_t>(place)] = {};
  node(id).monitor = place;
}

void OnlineTree::note(Event::Kind kind, std::int32_t id, const Verdict* verdict,
                      std::uint64_t attempt) {
  Event event;
  event.kind = kind;
  event.row = state_.n_rows;
  event.depth = node(id).depth;
  event.attempt = attempt;
  event.threshold = std::numeric_limits<double>::quiet_NaN();
  event.column = node(id).column;
  if (verdict) {
    event.column = verdict->split.column;
    const Column& column = columns_.all[static_cast<std::size_t>(event.column)];
    if (!column.is_categorical)
      event.threshold = verdict->split.code < column.cuts.size()
                            ? column.cuts[verdict->split.code]
                            : std::numeric_limits<double>::infinity();
    event.information = verdict->information;
    event.needed = verdict->needed;
    event.table = verdict->left;
    event.table.insert(event.table.end(), verdict->right.begin(), verdict->right.end());
  }
  state_.history.push_back(std::move(event));
}

std::size_t OnlineTree::n_leaves() const {
  return state_.leaves.size() - state_.free_leaves.size();
}

std::size_t OnlineTree::n_bytes() const {
  std::size_t bytes = state_.nodes.size() * sizeof(Node);
  for (const Leaf& leaf : state_.leaves) bytes += leaf.n_bytes();
  for (const Monitor& monitor : state_.monitors) bytes += monitor.n_bytes();
  return bytes;
}

}  // namespace ramify::online
