// SPDX-License-Identifier: BSD-3-Clause
// The growing loop: take a node, ask for its best split, partition its rows, go on with the
// children.
#include "grow/grow.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <queue>

#include "grow/fragment.hpp"
#include "split/search.hpp"

namespace ramify {
namespace {

/// Threads share the columns of nodes above this size; smaller nodes go, with all that grows from
/// them, to one thread.
constexpr std::uint32_t min_shared_rows = 2048;

class Grower {
 public:
  Grower(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
         const Plan& plan)
      : target_(target),
        plan_(plan),
        pool_(plan.criterion.interpreted ? 1 : std::max(1, plan.n_threads)),
        store_(table, rows, target, pool_),
        search_(table, target, plan, store_, pool_),
        scratch_(static_cast<std::size_t>(pool_.size())),
        n_classes_(target.n_all_classes()) {
    n_columns_ = static_cast<std::uint32_t>(table.columns.size());
  }

  Tree grow() {
    Node root;
    root.end = target_.n_rows;
    root.key = mix(plan_.seed);
    root.live.resize(n_columns_);
    std::iota(root.live.begin(), root.live.end(), 0u);
    root.sums.resize(n_classes_ + static_cast<std::size_t>(target_.n_extra));
    for (std::uint32_t row = 0; row < target_.n_rows; ++row) add_row(row, root.sums);
    total_weight_ = weight_of(target_, root.sums);

    fragments_.resize(1);
    if (plan_.max_leaves > 0)
      grow_best_first(std::move(root));
    else
      grow_depth_first(std::move(root));
    store_.clear();  // what has grown needs the room
    scratch_.clear();
    return assemble(fragments_, target_, plan_.impurity);
  }

 private:
  struct Pending {
    Node node;
    int place;  // in its fragment
  };

  void grow_depth_first(Node root) {
    const std::uint32_t shared =
        pool_.size() == 1 ? 0
                          : std::max(min_shared_rows,
                                     target_.n_rows / (8u * static_cast<unsigned>(pool_.size())));
    std::vector<Pending> subtrees;
    grow_fragment(0, std::move(root), shared, scratch_, 0, &subtrees);
    if (subtrees.empty()) return;
    // Big subtrees first, so that the threads finish together.
    std::ranges::stable_sort(subtrees, std::greater{},
                             [](const Pending& p) { return p.node.n_rows(); });
    fragments_.resize(1 + subtrees.size());
    for (std::size_t i = 0; i < subtrees.size(); ++i)
      fragments_[0].nodes[subtrees[i].place].continued_in = static_cast<int>(i) + 1;
    pool_.run(static_cast<int>(subtrees.size()), [&](int i, int worker) {
      grow_fragment(i + 1, std::move(subtrees[i].node), 0, std::span(scratch_).subspan(worker, 1),
                    worker, nullptr);
    });
    if (stopped_) throw Stopped{};
  }

  /// Grows all that follows from a node. Nodes of fewer than `shared` rows are left to others.
  void grow_fragment(int fragment_index, Node first, std::uint32_t shared,
                     std::span<Scratch> scratch, int worker, std::vector<Pending>* subtrees) {
    Fragment fragment;
    std::vector<Pending> stack;
    stack.push_back({std::move(first), 0});
    fragment.add(stack[0].node, n_classes_);
    while (!stack.empty()) {
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (must_stop(worker)) break;
      Node& node = pending.node;
      if (is_leaf(node)) {
        finish(node);
        continue;
      }
      if (subtrees && node.n_rows() < shared) {
        subtrees->push_back(std::move(pending));
        continue;
      }
      const Split split = search_.best(node, scratch);
      if (!is_worth(node, split)) {
        finish(node);
        continue;
      }
      auto [left, right] = part(node, split, scratch);
      const auto [left_place, right_place] = record(fragment, pending.place, split, left, right);
      stack.push_back({std::move(right), right_place});
      stack.push_back({std::move(left), left_place});
    }
    if (stopped_) {
      if (worker == 0) throw Stopped{};
      return;
    }
    fragments_[fragment_index] = std::move(fragment);
  }

  void grow_best_first(Node root) {
    struct Candidate {
      Pending pending;
      Split split;
      double improvement;
    };
    const auto worse = [](const Candidate& a, const Candidate& b) {
      if (a.improvement != b.improvement) return a.improvement < b.improvement;
      return a.pending.place > b.pending.place;
    };
    Fragment& fragment = fragments_[0];
    std::vector<Candidate> frontier;
    const auto offer = [&](Node node, int place) {
      if (must_stop(0)) throw Stopped{};
      if (is_leaf(node)) return finish(node);
      const Split split = search_.best(node, scratch_);
      if (!is_worth(node, split)) return finish(node);
      const double improvement = split.score * weight_of(target_, node.sums);
      frontier.push_back({{std::move(node), place}, split, improvement});
      std::ranges::push_heap(frontier, worse);
    };
    const int place = fragment.add(root, n_classes_);
    offer(std::move(root), place);
    for (std::uint32_t n_leaves = 1; !frontier.empty() && n_leaves < plan_.max_leaves; ++n_leaves) {
      std::ranges::pop_heap(frontier, worse);
      Candidate best = std::move(frontier.back());
      frontier.pop_back();
      auto [left, right] = part(best.pending.node, best.split, scratch_);
      const auto [left_place, right_place] =
          record(fragment, best.pending.place, best.split, left, right);
      offer(std::move(left), left_place);
      offer(std::move(right), right_place);
    }
  }

  bool is_leaf(const Node& node) const {
    return node.depth >= plan_.max_depth || node.n_rows() < plan_.min_split_rows ||
           node.n_rows() / 2 < plan_.min_leaf_rows || node.live.empty() ||
           is_pure(target_, node.sums) || weight_of(target_, node.sums) < 2 * plan_.min_leaf_weight;
  }

  bool is_worth(const Node& node, const Split& split) const {
    if (!split.exists()) return false;
    if (plan_.criterion.splits_on_ties) {
      if (split.score < -1e-12 || (split.score <= 1e-12 && split.tie_break <= 1e-12)) return false;
    } else if (split.score <= 1e-12) {
      return false;
    }
    const double share = weight_of(target_, node.sums) / total_weight_;
    return share * split.score + 1e-12 >= plan_.min_decrease;
  }

  /// Parts the rows of a node. The rows of a child that will not be split again are not kept in
  /// order.
  std::pair<Node, Node> part(const Node& node, const Split& split, std::span<Scratch> scratch) {
    Node left, right;
    left.sums.resize(node.sums.size());
    mark(node, split, left);
    right.sums = node.sums;
    for (std::size_t k = 0; k < right.sums.size(); ++k) right.sums[k] -= left.sums[k];
    left.begin = node.begin;
    left.end += node.begin;  // mark() counted the rows
    right.begin = left.end;
    right.end = node.end;
    left.depth = right.depth = node.depth + 1;
    left.key = mix(node.key ^ 1);
    right.key = mix(node.key ^ 2);
    left.live = right.live = node.live;
    set_bounds(node, split, left, right);

    const bool keep_left = !is_leaf(left), keep_right = !is_leaf(right);
    if (!keep_left && !keep_right) return {std::move(left), std::move(right)};
    const Keep keep = keep_left && keep_right ? Keep::both : keep_left ? Keep::left : Keep::right;
    partition(node, split, keep, scratch);
    return {std::move(left), std::move(right)};
  }

  /// Does a code of a narrow column go left?
  auto code_test(const Split& split) const {
    const std::uint32_t n_codes = search_.table.columns[split.column].n_codes();
    return [=, highest = split.code, missing_left = split.missing_left](std::uint32_t code) {
      return code == n_codes ? missing_left : code <= highest;
    };
  }

  /// Says for each row of the node whether it goes left, and sums and counts those that do.
  void mark(const Node& node, const Split& split, Node& left) {
    const Column& column = search_.table.columns[split.column];
    std::uint8_t* goes_left = store_.goes_left();
    const bool counted = target_.is_counted();
    std::vector<std::uint32_t> counts(counted ? n_classes_ : 0);
    const auto count = [&](std::uint32_t row, std::uint32_t label, std::uint32_t is_left) {
      left.end += is_left;
      if (counted)
        counts[label] += is_left;
      else if (is_left)
        add_row(row, left.sums);
    };
    if (column.is_narrow()) {
      const RecordView records = store_.records(node.begin, node.end);
      const auto is_left = code_test(split);
      for (std::uint32_t i = 0; i < records.n; ++i) {
        const std::uint8_t code =
            records.codes[i * records.stride + store_.record_offset(split.column)];
        count(records.rows[i], records.labels[i], is_left(code));
        if (store_.has_lists()) goes_left[records.rows[i]] = is_left(code);
      }
    } else {
      const std::uint64_t* items = store_.list(split.column) + node.begin;
      const ItemLayout layout = store_.layout();
      for (std::uint32_t i = 0; i < node.n_rows(); ++i) {
        const bool is_left = i < split.rows_left ||
                             (split.missing_left && layout.code(items[i]) == column.n_codes());
        goes_left[layout.row(items[i])] = is_left;
        count(layout.row(items[i]), layout.label(items[i]), is_left);
      }
    }
    for (std::size_t k = 0; k < counts.size(); ++k) left.sums[k] = counts[k];
  }

  void partition(const Node& node, const Split& split, Keep keep, std::span<Scratch> scratch) {
    const Kernels& kernel = kernels();
    std::vector<int> tasks;
    bool has_narrow = false;
    for (const std::uint32_t column : node.live) {
      const bool is_narrow = search_.table.columns[column].is_narrow();
      has_narrow = has_narrow || is_narrow;
      const bool in_order = static_cast<int>(column) == split.column && !split.missing_left;
      if (!is_narrow && !in_order) tasks.push_back(static_cast<int>(column));
    }
    if (has_narrow) tasks.insert(tasks.begin(), -1);
    const auto task = [&](int i, int worker) {
      Scratch& mine = scratch[static_cast<std::size_t>(worker)];
      if (tasks[i] < 0) return partition_records(node, split, keep, mine.record_spare);
      if (mine.list_spare.size() < node.n_rows()) mine.list_spare.resize(node.n_rows());
      kernel.partition_list(store_.list(tasks[i]) + node.begin, node.n_rows(), store_.layout(),
                            store_.goes_left(), keep, mine.list_spare.data());
    };
    if (scratch.size() > 1)
      pool_.run(static_cast<int>(tasks.size()), task);
    else
      for (int i = 0; i < static_cast<int>(tasks.size()); ++i) task(i, 0);
  }

  void partition_records(const Node& node, const Split& split, Keep keep,
                         std::vector<std::uint64_t>& spare) {
    const RecordView all = store_.records(0, target_.n_rows);
    if (search_.table.columns[split.column].is_narrow()) {
      const std::uint8_t* codes = all.codes + store_.record_offset(split.column);
      const auto is_left = code_test(split);
      store_.partition_records(node.begin, node.end, keep, spare,
                               [&](std::uint32_t i) { return is_left(codes[i * all.stride]); });
    } else {
      const std::uint8_t* goes_left = store_.goes_left();
      store_.partition_records(node.begin, node.end, keep, spare,
                               [&](std::uint32_t i) { return goes_left[all.rows[i]] != 0; });
    }
  }

  /// Below a monotonic split neither child may cross the middle of the two.
  void set_bounds(const Node& node, const Split& split, Node& left, Node& right) const {
    left.lower = right.lower = node.lower;
    left.upper = right.upper = node.upper;
    if (plan_.monotonic.empty() || plan_.monotonic[split.column] == 0) return;
    const auto share = [&](const Node& child) {
      return child.sums[1] / weight_of(target_, child.sums);
    };
    const double middle = (share(left) + share(right)) / 2;
    (plan_.monotonic[split.column] > 0 ? left.upper : left.lower) = middle;
    (plan_.monotonic[split.column] > 0 ? right.lower : right.upper) = middle;
  }

  std::pair<int, int> record(Fragment& fragment, int place, const Split& split, const Node& left,
                             const Node& right) {
    const int left_place = fragment.add(left, n_classes_);
    const int right_place = fragment.add(right, n_classes_);
    Fragment::Grown& grown = fragment.nodes[place];
    grown.left = left_place;
    grown.right = right_place;
    grown.column = split.column;
    grown.threshold = split.threshold;
    grown.gain = split.score;
    // Where no row was missing there is nothing to learn: follow the crowd.
    grown.missing_left = split.saw_missing
                             ? split.missing_left
                             : weight_of(target_, left.sums) >= weight_of(target_, right.sums);
    return {left_place, right_place};
  }

  void add_row(std::uint32_t row, std::vector<double>& sums) const {
    const double weight = target_.weight_of(row);
    const auto n_outputs = static_cast<std::size_t>(target_.n_outputs());
    std::size_t first = 0;
    for (std::size_t o = 0; o < n_outputs; ++o) {
      sums[first + target_.classes[row * n_outputs + o]] += weight;
      first += static_cast<std::size_t>(target_.n_classes[o]);
    }
    for (int j = 0; j < target_.n_extra; ++j)
      sums[n_classes_ + j] += weight * target_.extra[std::size_t{row} * target_.n_extra + j];
  }

  void finish(const Node& node) { rows_done_.fetch_add(node.n_rows(), std::memory_order_relaxed); }

  /// Asks the caller now and then, in the caller's own thread, whether to go on.
  bool must_stop(int worker) {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (worker != 0 || !plan_.should_stop) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_question_) return false;
    next_question_ = now + std::chrono::milliseconds(50);
    if (plan_.should_stop(static_cast<double>(rows_done_) / target_.n_rows)) stopped_ = true;
    return stopped_;
  }

  const Target& target_;
  const Plan& plan_;
  Pool pool_;
  Store store_;
  Search search_;
  std::vector<Scratch> scratch_;
  std::size_t n_classes_;  // of all outputs
  std::uint32_t n_columns_ = 0;
  double total_weight_ = 0;
  std::vector<Fragment> fragments_;
  std::atomic<std::uint64_t> rows_done_{0};
  std::atomic<bool> stopped_{false};
  std::chrono::steady_clock::time_point next_question_ = std::chrono::steady_clock::now();
};

}  // namespace

Tree grow(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
          const Plan& plan) {
  Plan mine = plan;
  mine.min_leaf_weight = plan.min_leaf_share * target.total_weight();
  return Grower(table, rows, target, mine).grow();
}

}  // namespace ramify
