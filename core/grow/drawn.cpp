// SPDX-License-Identifier: BSD-3-Clause
#include "grow/drawn.hpp"

#include <algorithm>

#include "grow/steps.hpp"
#include "split/drawn.hpp"

namespace ramify {

bool looks_at_few(const Table& table, const Target& target, const Plan& plan) {
  const std::size_t n_columns = table.columns.size();
  const bool draws =
      plan.random_cuts || (plan.max_columns > 0 && 2 * plan.max_columns <= n_columns);
  const CriterionKernel* criterion = plan.criterion.builtin;
  if (!draws || !criterion || criterion->tie_break || plan.criterion.splits_on_ties) return false;
  const bool has_rules = plan.c45.any() || plan.by_test != ByTest::none || plan.dgmml ||
                         plan.oblique || plan.gives_up || plan.min_leaf_share > 0 ||
                         !plan.monotonic.empty() || plan.n_recorded > 0;
  if (has_rules || plan.max_leaves > 0 || plan.n_threads > 1) return false;
  const bool has_numbers = std::ranges::none_of(table.columns, [](const Column& column) {
    return column.is_categorical || column.n_missing > 0;
  });
  return has_numbers && target.is_whole() && key_bits(table, target) <= 31;
}

namespace {

class DrawnGrower {
 public:
  explicit DrawnGrower(const DrawnTask& task)
      : target_(task.target),
        plan_(task.plan),
        rows_(task.table, task.rows, task.target),
        search_(task.table, task.target, task.plan, rows_),
        spare_(task.target.n_rows),
        recorder_{task.table, task.target, task.plan.missing},
        n_classes_(task.target.n_all_classes()) {}

  void grow(const Node& root, Fragment& fragment) {
    fragment.unit = target_.unit;
    const std::size_t n_expected = target_.n_rows / 2;  // pages that are not reached cost nothing
    fragment.nodes.reserve(n_expected);
    fragment.sums.reserve(n_expected * n_classes_);
    live_ = root.live;
    stack_.push_back({root.begin, root.end, root.depth, fragment.add(root, n_classes_), root.key,
                      static_cast<std::uint32_t>(live_.size()), 0});
    while (!stack_.empty()) {
      const Pending node = stack_.back();
      stack_.pop_back();
      if (n_seen_++ % nodes_per_question == 0 && progress_.must_stop()) throw Stopped{};
      live_.resize(node.live_begin + node.n_live);  // what nodes below the last sibling noted
      if (!split(node, fragment))
        progress_.rows_done.fetch_add(node.end - node.begin, std::memory_order_relaxed);
    }
  }

 private:
  /// A node that waits. Its class weights are in the fragment; its live columns are behind those of
  /// its ancestors, or the same.
  struct Pending {
    std::uint32_t begin, end;
    int depth, place;
    std::uint64_t key;
    std::uint32_t n_live, live_begin;
  };

  /// Splits a node, and puts its children on the stack; false if it is a leaf.
  bool split(Pending node, Fragment& fragment) {
    const double* own = fragment.sums.data() + static_cast<std::size_t>(node.place) * n_classes_;
    sums_.assign(own, own + n_classes_);
    if (is_leaf(plan_, target_, node.depth, node.end - node.begin, node.n_live > 0, sums_))
      return false;
    const std::span<Member> members = rows_.members(node.begin, node.end);
    columns_.assign(live_.begin() + node.live_begin, live_.end());
    const Split split = search_.best(members, sums_, node.key, columns_);
    if (!split.exists() || split.score <= 1e-12) return false;
    if (!gains_enough(plan_, split.score, weight_of(target_, sums_) * target_.unit)) return false;
    if (columns_.size() < node.n_live) {
      node.live_begin = static_cast<std::uint32_t>(live_.size());
      node.n_live = static_cast<std::uint32_t>(columns_.size());
      live_.insert(live_.end(), columns_.begin(), columns_.end());
    }
    counts_.assign(n_classes_, 0);
    const std::uint32_t n_left = kernels().part_members(
        {rows_.records(), members.data(), node.end - node.begin, rows_.layout(),
         static_cast<std::uint32_t>(split.column), split.code, spare_.data(),
         static_cast<int>(n_classes_), counts_.data()});
    const std::uint32_t middle = node.begin + n_left;
    left_.assign(counts_.begin(), counts_.end());
    for (std::size_t k = 0; k < n_classes_; ++k) sums_[k] -= left_[k];  // now of the right
    const int first = fragment.add(n_left, left_);
    fragment.add(node.end - middle, sums_);
    recorder_.write(fragment, node.place, split, first,
                    weight_of(target_, sums_) > weight_of(target_, left_));
    const auto child = [&](int branch, std::uint32_t begin, std::uint32_t end) {
      stack_.push_back({begin, end, node.depth + 1, first + branch,
                        child_key(node.key, static_cast<std::size_t>(branch)), node.n_live,
                        node.live_begin});
    };
    child(1, middle, node.end);
    child(0, node.begin, middle);
    return true;
  }

  const Target& target_;
  const Plan& plan_;
  MemberRows rows_;
  DrawnSearch search_;
  std::vector<Member> spare_;
  Recorder recorder_;
  std::size_t n_classes_;
  Progress progress_{plan_};
  static constexpr unsigned nodes_per_question = 32;  // to look at the clock takes time
  unsigned n_seen_ = 0;
  std::vector<Pending> stack_;
  std::vector<std::uint32_t> live_;  // columns of the nodes on the stack, none twice
  // Of the node at hand:
  std::vector<double> sums_, left_;
  std::vector<std::uint32_t> columns_, counts_;
};

}  // namespace

void grow_drawn(const DrawnTask& task, Node root, std::vector<Fragment>& fragments) {
  DrawnGrower(task).grow(root, fragments.emplace_back());
}

}  // namespace ramify
