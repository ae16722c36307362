// SPDX-License-Identifier: BSD-3-Clause
// The one growth loop: takes a waiting node, lets the splitter find its best split and partition
// its rows, and goes on with the children. One queue, in one of two orders: depth-first, where
// threads share the large nodes and then take whole subtrees; or best-first, until there are enough
// leaves.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "grow/steps.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

template <Splitter S>
class Loop {
 public:
  using Waiting = typename S::Waiting;
  /// Takes a node whose rows go down several branches, with its split, place and fragment.
  using PartitionElsewhere =
      std::function<void(Waiting&, const Split&, Fragment&, int fragment_index)>;

  Loop(S& splitter, const Plan& plan, const Recorder& recorder, Pool& pool, Progress& progress,
       std::vector<Fragment>& fragments, PartitionElsewhere partition_elsewhere = nullptr)
      : splitter_(splitter),
        plan_(plan),
        recorder_(recorder),
        pool_(pool),
        progress_(progress),
        fragments_(fragments),
        partition_elsewhere_(std::move(partition_elsewhere)),
        desks_(static_cast<std::size_t>(pool.size())) {
    for (int worker = 0; worker < pool.size(); ++worker)
      desks_[worker].must_stop = [this, worker] { return must_stop(worker); };
  }

  /// Grows the subtree of a root, as further fragments. Throws Stopped.
  void grow(Waiting root, std::span<const double> statistics) {
    const auto first = static_cast<int>(fragments_.size());
    fragments_.emplace_back();
    if (plan_.max_leaves > 0)
      best_first(std::move(root), statistics, fragments_[first]);
    else
      depth_first(std::move(root), statistics, first);
  }

 private:
  /// What a thread needs while it grows.
  struct Desk {
    unsigned n_seen = 0;
    std::function<bool()> must_stop;
    std::vector<Waiting> children;
  };
  struct Subtree {
    Waiting node;
    std::vector<double> statistics;
    Bounds bounds;
  };

  Fragment start(Waiting& root, std::span<const double> statistics, Bounds bounds) const {
    Fragment fragment;
    fragment.unit = splitter_.unit();
    fragment.n_statistics = statistics.size();
    const std::size_t n_expected = splitter_.expected_nodes(root.n_rows());
    fragment.nodes.reserve(n_expected);  // untouched pages cost nothing
    fragment.sums.reserve(n_expected * statistics.size());
    root.place = fragment.add(root.n_rows(), statistics, bounds);
    return fragment;
  }

  void depth_first(Waiting root, std::span<const double> statistics, int first) {
    const auto n_rows = root.n_rows();
    const std::uint32_t shared =
        pool_.size() == 1 ? 0
                          : std::max(splitter_.min_shared_rows(),
                                     n_rows / (8u * static_cast<unsigned>(pool_.size())));
    std::vector<Subtree> subtrees;
    const Bounds bounds = splitter_.bounds(root);
    grow_fragment(first, {std::move(root), {statistics.begin(), statistics.end()}, bounds}, shared,
                  {0, pool_.size()}, &subtrees);
    if (subtrees.empty()) return;
    // Big subtrees first, so that the threads finish together.
    std::vector<std::uint32_t> sizes;
    for (const Subtree& subtree : subtrees) sizes.push_back(subtree.node.n_rows());
    const std::vector<std::uint32_t> order = largest_first(sizes);
    fragments_.resize(fragments_.size() + subtrees.size());
    for (std::size_t i = 0; i < subtrees.size(); ++i)
      fragments_[first]
          .nodes[static_cast<std::size_t>(subtrees[order[i]].node.place)]
          .continued_in = first + static_cast<int>(i) + 1;
    pool_.run(static_cast<int>(subtrees.size()), [&](int i, int worker) {
      grow_fragment(first + i + 1, std::move(subtrees[order[i]]), 0, {worker, 1}, nullptr);
    });
    if (stopped_) throw Stopped{};
  }

  /// Grows the subtree of a node. Nodes of fewer than `shared` rows are left to others.
  void grow_fragment(int index, Subtree first, std::uint32_t shared, Workers workers,
                     std::vector<Subtree>* subtrees) {
    Desk& desk = desks_[workers.first];
    splitter_.take_over(first.node, workers);
    Fragment fragment = start(first.node, first.statistics, first.bounds);
    std::vector<Waiting> stack;
    stack.push_back(std::move(first.node));
    while (!stack.empty()) {
      Waiting node = std::move(stack.back());
      stack.pop_back();
      if (desk.n_seen++ % S::nodes_per_request == 0 && must_stop(workers.first)) break;
      const std::span<const double> statistics = fragment.statistics(node.place);
      if (splitter_.is_leaf(node, statistics)) {
        finish(node, workers);
        continue;
      }
      if (subtrees && node.n_rows() < shared) {
        splitter_.hand_over(node);
        const Bounds bounds = fragment.bounds(node.place);
        subtrees->push_back({std::move(node), {statistics.begin(), statistics.end()}, bounds});
        continue;
      }
      Split split = splitter_.best(node, statistics, workers, desk.must_stop);
      if (!splitter_.is_worth(node, statistics, split)) {
        write_ledger(fragment, node.place, workers, false);
        finish(node, workers);
        continue;
      }
      split.score *= splitter_.gain_unit(node);
      const bool is_split = partition(node, split, fragment, index, workers, desk.children);
      for (std::size_t i = desk.children.size(); i-- > 0;)
        stack.push_back(std::move(desk.children[i]));
      finish(node, workers, !is_split);
    }
    if (stopped_) {
      if (workers.first == 0) throw Stopped{};
      return;
    }
    fragments_[index] = std::move(fragment);
  }

  void best_first(Waiting root, std::span<const double> statistics, Fragment& fragment) {
    struct Open {
      Waiting node;
      Split split;
      double improvement;
      std::vector<Recorded> recorded;
    };
    const auto is_worse = [](const Open& a, const Open& b) {
      if (a.improvement != b.improvement) return a.improvement < b.improvement;
      return a.node.place > b.node.place;
    };
    const Workers workers{0, pool_.size()};
    Desk& desk = desks_[0];
    const Bounds bounds = splitter_.bounds(root);
    fragment = start(root, statistics, bounds);
    std::vector<Open> open;  // a heap: the best first, and of equal ones the first added
    const auto offer = [&](Waiting node) {
      if (must_stop(0)) throw Stopped{};
      const std::span<const double> own = fragment.statistics(node.place);
      if (splitter_.is_leaf(node, own)) return finish(node, workers);
      Split split = splitter_.best(node, own, workers, desk.must_stop);
      if (!splitter_.is_worth(node, own, split)) {
        write_ledger(fragment, node.place, workers, false);
        return finish(node, workers);
      }
      split.score *= splitter_.gain_unit(node);
      const double improvement = split.score * recorder_.weight_of(own);
      open.push_back({std::move(node), std::move(split), improvement, recorded(workers)});
      std::ranges::push_heap(open, is_worse);
    };
    offer(std::move(root));
    std::uint32_t n_leaves = 1;
    while (!open.empty() && n_leaves < plan_.max_leaves) {
      std::ranges::pop_heap(open, is_worse);
      Open best = std::move(open.back());
      open.pop_back();
      if (n_leaves + best.split.n_branches - 1 > plan_.max_leaves) continue;  // too many branches
      restore(workers, std::move(best.recorded));
      const bool is_split = partition(best.node, best.split, fragment, -1, workers, desk.children);
      finish(best.node, workers, !is_split);
      if (!is_split) continue;
      n_leaves += best.split.n_branches - 1;
      for (Waiting& child : std::exchange(desk.children, {})) offer(std::move(child));
    }
  }

  /// Partitions the rows of a node, and writes the split and the children. Returns false if there
  /// are no children.
  bool partition(Waiting& node, Split& split, Fragment& fragment, int index, Workers workers,
                 std::vector<Waiting>& children) {
    if constexpr (requires { splitter_.has_fractions(split); }) {
      if (partition_elsewhere_ && index >= 0 && splitter_.has_fractions(split)) {
        write_ledger(fragment, node.place, workers, true);
        children.clear();
        partition_elsewhere_(node, split, fragment, index);
        return true;
      }
    }
    splitter_.partition(node, fragment.statistics(node.place), split, workers, children);
    write_ledger(fragment, node.place, workers, !children.empty());
    if (children.empty()) return false;
    const auto first_place = static_cast<int>(fragment.nodes.size());
    MajorityChild heaviest;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const std::span<const double> statistics = splitter_.statistics(children[i], i, workers);
      heaviest.add(static_cast<std::int64_t>(i), recorder_.weight_of(statistics));
      children[i].place =
          fragment.add(children[i].n_rows(), statistics, splitter_.bounds(children[i]));
    }
    recorder_.write(fragment, node.place, split, first_place, heaviest);
    return true;
  }

  std::vector<Recorded> recorded(Workers workers) {
    if constexpr (requires { splitter_.recorded(workers); })
      return std::exchange(splitter_.recorded(workers), {});
    return {};
  }
  void restore(Workers workers, std::vector<Recorded> kept) {
    if constexpr (requires { splitter_.recorded(workers); })
      splitter_.recorded(workers) = std::move(kept);
  }

  /// Records the candidate splits of a node, if requested.
  void write_ledger(Fragment& fragment, int place, Workers workers, bool is_split) {
    if (plan_.n_recorded == 0) return;
    std::vector<Recorded> candidates = recorded(workers);
    for (Recorded& candidate : candidates) candidate.split.is_chosen &= is_split;
    fragment.ledger.push_back({place, std::move(candidates)});
  }

  /// Finishes a node; leaves count towards the progress.
  void finish(Waiting& node, Workers workers, bool is_leaf = true) {
    if (is_leaf) progress_.rows_done.fetch_add(node.n_rows(), std::memory_order_relaxed);
    splitter_.finish(node, workers);
  }

  /// Only the calling thread checks whether to stop.
  bool must_stop(int worker) {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (worker == 0 && progress_.must_stop()) stopped_ = true;
    return stopped_;
  }

  S& splitter_;
  const Plan& plan_;
  const Recorder& recorder_;
  Pool& pool_;
  Progress& progress_;
  std::vector<Fragment>& fragments_;
  PartitionElsewhere partition_elsewhere_;
  std::vector<Desk> desks_;  // by thread
  std::atomic<bool> stopped_{false};
};

}  // namespace ramify
