// SPDX-License-Identifier: BSD-3-Clause
// The whole state of a model: copied before a batch that may fail, and written to files.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "online/model.hpp"

namespace ramify::online {
namespace {

template <class Bytes>
void transfer_column(Bytes& bytes, Column& column) {
  bytes(column.is_categorical, column.has_missing, column.cuts, column.n_categories,
        column.max_categories);
}

[[noreturn]] void damaged(const std::string& what) {
  throw std::invalid_argument("the state of the online model is damaged: " + what);
}

/// Visits the nodes of a tree and of those beside its nodes; each must be there, once.
class Inspector {
 public:
  Inspector(const OnlineTree::State& state, const Columns& columns, std::size_t n_classes)
      : state_(state),
        columns_(columns),
        n_classes_(n_classes),
        nodes_(state.nodes.size()),
        leaves_(state.leaves.size()),
        monitors_(state.monitors.size()) {}

  std::string wrong() {
    std::vector<std::pair<std::int32_t, std::int32_t>> waiting{{state_.root, none}};
    while (!waiting.empty()) {
      const auto [id, parent] = waiting.back();
      waiting.pop_back();
      if (!take(nodes_, id)) return "a node is missing, or in two places";
      const Node& node = state_.nodes[static_cast<std::size_t>(id)];
      if (node.parent != parent) return "a node has another parent";
      if (node.monitor != none) {
        if (!take(monitors_, node.monitor)) return "the errors of a node are missing";
        const Monitor& monitor = state_.monitors[static_cast<std::size_t>(node.monitor)];
        if (!monitor.sums.fits(columns_, n_classes_) || !fits(monitor.recent))
          return "the sums of a node have other sizes";
        if (monitor.alternate != none) waiting.emplace_back(monitor.alternate, none);
      }
      if (node.is_leaf()) {
        if (!take(leaves_, node.leaf)) return "a leaf is missing";
        const Leaf& leaf = state_.leaves[static_cast<std::size_t>(node.leaf)];
        if (!leaf.sums.fits(columns_, n_classes_) || !fits(leaf.recent) ||
            !leaf.bayes.fits(columns_, n_classes_) || leaf.class_weights.size() != n_classes_)
          return "a leaf has other sizes";
        continue;
      }
      if (node.column < 0 || static_cast<std::size_t>(node.column) >= columns_.size())
        return "a node has a column that there is not";
      waiting.emplace_back(node.left, id);
      waiting.emplace_back(node.right, id);
    }
    const bool is_free = take_all(nodes_, state_.free_nodes) &&
                         take_all(leaves_, state_.free_leaves) &&
                         take_all(monitors_, state_.free_monitors);
    return is_free ? "" : "a free place is in use";
  }

 private:
  static bool take(std::vector<std::uint8_t>& taken, std::int32_t id) {
    const auto place = static_cast<std::size_t>(id);
    return id >= 0 && place < taken.size() && !std::exchange(taken[place], std::uint8_t{1});
  }
  static bool take_all(std::vector<std::uint8_t>& taken, const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids)
      if (!take(taken, id)) return false;
    return std::ranges::all_of(taken, [](std::uint8_t is_taken) { return is_taken != 0; });
  }
  bool fits(const RecentRows& recent) const {
    return recent.cells.size() == recent.labels.size() * columns_.size() &&
           recent.labels.size() <= RecentRows::most &&
           std::ranges::all_of(recent.labels, [&](auto label) { return label < n_classes_; });
  }

  const OnlineTree::State& state_;
  const Columns& columns_;
  std::size_t n_classes_;
  std::vector<std::uint8_t> nodes_, leaves_, monitors_;
};

std::string what_is_wrong(const OnlineTree::State& state, const Columns& columns,
                          std::size_t n_classes) {
  return Inspector(state, columns, n_classes).wrong();
}

}  // namespace

template <class Bytes>
void Model::Saved::transfer(Bytes& bytes) {
  transfer_all(bytes, trees);
  transfer_all(bytes, backgrounds);
  transfer_all(bytes, warnings);
  transfer_all(bytes, drifts);
  bytes(has_background, right, seen, n_trees);
  if constexpr (std::is_same_v<Bytes, ByteReader>)
    columns.all.resize(bytes.length(1));
  else
    bytes.wide(columns.all.size());
  for (Column& column : columns.all) transfer_column(bytes, column);
  bytes.wide(n_classes, n_rows);
  bytes(has_cuts, kept);
  transfer_all(bytes, swaps);
}

Model::Saved Model::save() const {
  Saved saved;
  for (const Member& member : members_) {
    saved.trees.push_back(member.tree.state());
    saved.has_background.push_back(member.background.has_value());
    if (member.background) saved.backgrounds.push_back(member.background->state());
    saved.warnings.push_back(member.warning);
    saved.drifts.push_back(member.drift);
    saved.right.push_back(member.right);
    saved.seen.push_back(member.seen);
    saved.n_trees.push_back(member.n_trees);
  }
  saved.columns = columns_;
  saved.n_classes = n_classes_;
  saved.has_cuts = has_cuts_;
  saved.n_rows = n_rows_;
  saved.kept = kept_;
  saved.swaps = swaps_;
  return saved;
}

void Model::take(Saved saved) {
  columns_ = std::move(saved.columns);
  columns_.arrange();
  n_classes_ = saved.n_classes;
  has_cuts_ = saved.has_cuts;
  n_rows_ = saved.n_rows;
  kept_ = std::move(saved.kept);
  swaps_ = std::move(saved.swaps);
  add_members();
  std::size_t next = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.tree.set(std::move(saved.trees[i]));
    if (saved.has_background[i]) {
      member.background.emplace(new_tree(member.number, saved.n_trees[i]));
      member.background->set(std::move(saved.backgrounds[next++]));
    }
    member.warning = saved.warnings[i];
    member.drift = saved.drifts[i];
    member.right = saved.right[i];
    member.seen = saved.seen[i];
    member.n_trees = saved.n_trees[i];
  }
}

/// Refuses what no model could have written, before anything is changed.
void Model::check(const Saved& saved) const {
  const std::size_t n = members_.size(), d = columns_.size();
  for (const std::size_t size :
       {saved.trees.size(), saved.has_background.size(), saved.warnings.size(), saved.drifts.size(),
        saved.right.size(), saved.seen.size(), saved.n_trees.size()})
    if (size != n) damaged("it has " + std::to_string(size) + " trees of " + std::to_string(n));
  const auto n_backgrounds = static_cast<std::size_t>(
      std::ranges::count_if(saved.has_background, [](std::uint8_t has) { return has != 0; }));
  if (saved.backgrounds.size() != n_backgrounds) damaged("trees in the background are missing");
  if (saved.n_classes != n_classes_) damaged("it has other classes");
  if (saved.columns.size() != d) damaged("it has other columns");
  for (std::size_t j = 0; j < d; ++j) {
    const Column &found = saved.columns.all[j], &own = columns_.all[j];
    const bool is_right =
        found.is_categorical == own.is_categorical && found.max_categories == own.max_categories &&
        found.n_categories <= own.max_categories + 1 && found.cuts.size() < 255 &&
        std::ranges::is_sorted(found.cuts) &&
        std::ranges::all_of(found.cuts, [](double x) { return std::isfinite(x); });
    if (!is_right) damaged("column " + std::to_string(j) + " makes no sense");
  }
  if (!saved.has_cuts ? saved.kept.size() % std::max<std::size_t>(d, 1) != 0 : !saved.kept.empty())
    damaged("the rows of its warm-up are no rows");
  Columns columns = saved.columns;
  columns.arrange();
  for (const auto* states : {&saved.trees, &saved.backgrounds})
    for (const OnlineTree::State& state : *states)
      if (const std::string wrong = what_is_wrong(state, columns, n_classes_); !wrong.empty())
        damaged(wrong);
}

std::vector<std::uint8_t> Model::state() {
  ByteWriter writer;
  save().transfer(writer);
  return writer.take();
}

void Model::restore(std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  Saved saved;
  saved.transfer(reader);
  if (!reader.is_at_end()) damaged("it goes on after its end");
  check(saved);
  take(std::move(saved));
}

}  // namespace ramify::online
