// SPDX-License-Identifier: BSD-3-Clause
// Branches that no longer fit: another tree grows beside and takes over (HAT; Bifet, Gavalda 2009),
// or the split of a node is chosen again (EFDT; Manapragada et al. 2018).
#include <cmath>

#include "online/tree.hpp"
#include "util/rng.hpp"

namespace ramify::online {
namespace {

constexpr std::uint64_t first_look = 300, rows_between_looks = 100, last_look = 20'000;
constexpr double chance_of_any_look = 0.05;
constexpr std::uint32_t grace_periods_between_second_looks = 10;

}  // namespace

/// Notes whether the tree was right on a row of this node, lets the tree beside learn it, and swaps
/// the two where a sign test says so. Returns whether it did.
bool OnlineTree::watch(std::int32_t id, const Row& row, std::uint32_t answer) {
  const bool was_right = answer == row.label;
  {
    Monitor& monitor = monitor_of(id);
    const double before = monitor.errors.mean();
    const bool has_changed = monitor.errors.add(was_right ? 0 : 1);
    if (monitor.alternate == none) {
      if (!has_changed || monitor.errors.mean() <= before) return false;
      const std::int32_t root = add_node(), leaf = add_leaf(new_leaf());
      node(root).depth = node(id).depth;
      node(root).key = mix(state_.seed ^ mix(++state_.n_born));
      node(root).leaf = leaf;
      monitor_of(id).alternate = root;
      monitor_of(id).n_rows = monitor_of(id).looks = 0;
      monitor_of(id).only_new = monitor_of(id).only_old = 0;
      note(Event::Kind::alternate, id, nullptr, 0);
      return false;
    }
  }
  const std::uint32_t other = learn_at(walk(monitor_of(id).alternate, row.bayes.cells), row);
  Monitor& monitor = monitor_of(id);  // a split may have moved it
  ++monitor.n_rows;
  if (was_right != (other == row.label)) (was_right ? monitor.only_old : monitor.only_new) += 1;
  if (monitor.n_rows < first_look || monitor.n_rows % rows_between_looks != 0) return false;
  const auto look = static_cast<double>(++monitor.looks);
  const double either = monitor.only_new + monitor.only_old,
               lead = monitor.only_new - monitor.only_old,
               least = std::sqrt(2 * either * std::log(look * (look + 1) / chance_of_any_look));
  if (lead > least) {
    take_over(id);
    return true;
  }
  if (-lead > least || monitor.n_rows >= last_look) {
    const std::int32_t gone = monitor.alternate;
    monitor.alternate = none;
    note(Event::Kind::dropped, id, nullptr, monitor.looks);
    free_subtree(gone);
  }
  return false;
}

/// The tree beside a node takes its place.
void OnlineTree::take_over(std::int32_t id) {
  const std::int32_t winner = monitor_of(id).alternate, parent = node(id).parent;
  note(Event::Kind::replaced, id, nullptr, monitor_of(id).looks);
  monitor_of(id).alternate = none;
  node(winner).parent = parent;
  node(winner).born_rows = node(id).born_rows;
  node(winner).born_weight = node(id).born_weight;
  if (parent != none)
    (node(parent).left == id ? node(parent).left : node(parent).right) = winner;
  else
    state_.root = winner;
  free_subtree(id);
}

/// Adds a row to the sums of an inner node, and now and then looks whether another column would
/// certainly be better. Returns whether the branch was replaced.
bool OnlineTree::reevaluate(std::int32_t id, const Row& row) {
  Monitor& monitor = monitor_of(id);
  monitor.sums.add(columns_, row);
  if (rules_.keeps_recent()) monitor.recent.add(columns_, row);
  if (++monitor.waiting < grace_periods_between_second_looks * rules_.grace_period) return false;
  monitor.waiting = 0;
  ++monitor.attempts;
  const LeafSums::Table table = monitor.sums.table(columns_);
  const Verdict verdict =
      judge().reconsider(question_of(monitor.sums, monitor.recent, table, monitor.attempts, id),
                         static_cast<std::uint32_t>(node(id).column));
  if (!verdict.is_certain) return false;
  note(Event::Kind::reevaluated, id, &verdict, monitor.attempts);
  Leaf leaf = new_leaf();
  leaf.prefers_bayes = false;  // its moments begin anew
  leaf.sums = std::move(monitor.sums);
  leaf.recent = std::move(monitor.recent);
  leaf.attempts = monitor.attempts;
  leaf.class_weights = leaf.sums.by_class();
  const std::int32_t left = node(id).left, right = node(id).right;
  state_.free_monitors.push_back(node(id).monitor);
  monitor = {};
  node(id).monitor = none;
  free_subtree(left);
  free_subtree(right);
  const std::int32_t place = add_leaf(std::move(leaf));
  node(id).leaf = place;
  split(id, verdict);
  return true;
}

}  // namespace ramify::online
