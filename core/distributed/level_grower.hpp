// SPDX-License-Identifier: BSD-3-Clause
// A grower that requests the sums of many nodes and receives them as responses: the rows may be in
// files or on other machines. Its decisions come from the same search that grows trees in memory,
// so that the tree is identical bit by bit. The order of responses, which sums are derived from
// others, and which subtrees are grown elsewhere do not change the tree.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "distributed/requests.hpp"
#include "distributed/sum_search.hpp"
#include "distributed/undecided_nodes.hpp"
#include "grow/detached_subtree.hpp"
#include "grow/steps.hpp"
#include "rows/block.hpp"

namespace ramify {

class ByteReader;

/// What was found for a node once its sums were known.
struct Outcome {
  struct Child {
    std::uint64_t n_rows = 0;
    std::vector<double> sums;
  };
  Split split;  // does not exist if the node is a leaf
  std::vector<Child> children;
  std::vector<std::uint32_t> non_constant;
  std::vector<Recorded> recorded;
};

/// Larger than other classes: all that responses change, in any order, is one state, which is
/// written and restored as a whole.
class LevelGrower {
 public:
  struct Open {
    int node, depth;
    std::uint64_t n_rows;
  };

  /// `table` has codebooks and no rows; weights are integer multiples of `unit`. `budget` is the
  /// number of bytes for sums of split nodes, from which those of a child are derived. Throws
  /// std::invalid_argument if the plan needs more than sums can show.
  LevelGrower(Table table, Layout layout, double unit, const Plan& plan, std::uint64_t n_rows,
              std::size_t budget);

  /// Lets a user's function, whose cuts carry their node, be called for many nodes at once instead
  /// of one after the other.
  void score_together(BatchScorer::Function function);

  /// The nodes that wait to be split; none if the tree is complete, apart from subtrees set aside.
  std::vector<Open> open() const;
  /// Leaves a node to be grown elsewhere; returns what its subtree needs.
  NodeContext set_aside(int node);
  /// The nodes whose target statistics are needed before their sums are requested, a slot each;
  /// none in classification. As long as there are any, `regression_request` is the next request.
  const std::vector<int>& to_learn();
  RegressionRequest regression_request() const { return learner_->request(); }
  template <class Number>
  void respond_regression(std::span<const Number> response);

  /// The nodes whose sums are needed next, a slot each; at most `max_slots` unless one needs more.
  const std::vector<int>& request_nodes(std::size_t max_slots);
  /// The fixed-point scales of the requested nodes.
  std::vector<RegressionScale> scales() const;
  /// Whether the requested sums fit into four bytes.
  bool sums_are_small() const;
  /// Where the rows of all nodes go that were split so far.
  const Ways& ways() const { return ways_; }
  /// Supplies the sums of the requested slots. Throws std::invalid_argument if they do not add up
  /// to the rows of the nodes: then a partial sum was lost, or counted twice.
  template <class Sum>
  void respond(std::span<const Sum> sums);
  /// The supplied nodes some of whose cuts must be counted before they are decided; as long as
  /// there are some, nothing else may be requested.
  const UndecidedNodes& undecided() const { return undecided_; }
  void respond_points(const PointWish& wish, std::span<const double> sums);
  /// Whether the sums of cuts fit into four bytes.
  bool trials_are_small() const;
  template <class Sum>
  void respond_trials(std::span<const Sum> sums);
  /// Supplies the subtree of a node that was set aside.
  void respond(int node, DetachedSubtree part);
  Tree tree() const;
  /// Fraction of rows that have reached a leaf or were set aside.
  double progress() const;

  /// The results so far; a new grower of the same plan that restores them goes on from there.
  std::vector<std::uint8_t> state() const;
  void restore(std::span<const std::uint8_t> state);

  const Layout& layout() const { return layout_; }
  /// Statistics of a node in a fragment; see statistics_of.
  std::size_t n_statistics() const {
    return is_numeric() ? layout_.n_classes.size() + 2 : layout_.n_classes_all;
  }

 private:
  /// A node by its index, to which rows are routed; its place in the fragment differs, and is known
  /// once it is certain to be in the tree.
  struct Item {
    Node node;
    int parent = -1, place = -1;
    int first_child = -1, n_children = 0;
    bool is_leaf = false, is_decided = false, is_aside = false, is_committed = false;
    bool is_learnt = false;  // in regression
    double heaviest = 1;     // weight of the heaviest row, in regression
    Outcome outcome;
    std::vector<std::int64_t> sums;  // kept for its children
  };

  /// Children that are requested together: those that are counted, and the one that is derived.
  struct Family {
    int parent = -1;
    std::vector<int> counted;
    int derived = -1;
  };

  Item& item(int id) { return items_[id]; }
  const Item& item(int id) const { return items_[id]; }
  bool is_best_first() const { return plan_.max_leaves > 0; }
  bool waits(const Item& item) const;
  bool is_numeric() const { return layout_.is_numeric(); }
  std::vector<double> statistics_of(const Node& node) const;
  double gain_unit(const Node& node) const;
  QuantisedSteps steps_of(const Item& item) const;
  std::vector<double> units_of(const Item& item) const;
  Family family_of(int parent, std::vector<int> waiting) const;
  template <class Sum>
  std::vector<double> totals(std::span<const Sum> slot) const;
  void check(int id, std::span<const double> totals) const;
  void learn_root(std::span<const double> totals);
  void learn(int id, RegressionStatistics regression, double heaviest);
  void take_totals(Item& item, std::span<const double> totals) const;
  void end_family(int parent);
  template <class Sum, class Use, class End>
  void each_supplied(std::span<const Sum> supplied, std::span<const Family> families, Use use,
                     End end);
  template <class Sum>
  void search_together(std::span<const Sum> supplied, std::span<const Family> families);
  Outcome decide(int id, std::span<const std::int64_t> sums, RequestedCuts* cuts);
  bool look_closer(UndecidedNodes::Undecided& undecided);
  void keep_sums(int id, std::vector<std::int64_t> sums);
  std::vector<Outcome::Child> children_of(const Split& split, const NodeSums& sums) const;
  void settle(int id, std::vector<std::int64_t> sums);
  void settle(int id, Outcome outcome);
  void drop_sums(int id);
  void expand(int id);
  void add_way(int id);
  void commit(int id);
  bool is_worse(int a, int b) const;
  void offer(int id);
  void go_on();
  Outcome read_outcome(ByteReader& from, const Node& node) const;

  Table table_;
  Layout layout_;
  Target target_;  // its weights only state that there are some
  Plan plan_;
  std::size_t budget_, n_kept_ = 0;
  std::unique_ptr<RegressionLearner> learner_;
  std::vector<int> learning_;  // nodes whose target statistics are requested
  SumSearch search_;
  std::unique_ptr<BatchScorer> scorer_;  // if a user's function may be called for many nodes
  std::map<int, FoundSplit> found_;      // by it, for the supplied nodes
  UndecidedNodes undecided_;
  Recorder recorder_;
  std::vector<Fragment> fragments_{1};
  std::vector<Item> items_;
  Ways ways_;
  std::vector<int> open_;         // nodes that wait
  std::vector<Family> families_;  // the first of these are requested
  std::vector<int> slots_;        // counted for them
  std::size_t n_requested_ = 0;   // of the nodes that wait
  std::vector<int> log_;          // settled nodes, in order; -1: then it went on; below: learnt
  std::vector<int> frontier_;     // best-first: decided, in the tree, not yet split
  std::uint32_t n_leaves_ = 1;
  double rows_done_ = 0;
};

/// Calls use(node, sums) for all nodes whose sums were supplied, or follow from them; and
/// end(family) after those of one parent.
template <class Sum, class Use, class End>
void LevelGrower::each_supplied(std::span<const Sum> supplied, std::span<const Family> families,
                                Use use, End end) {
  const std::size_t size = layout_.slot_size();
  std::size_t slot = 0;
  for (const Family& family : families) {
    std::vector<std::int64_t> rest;
    if (family.derived >= 0) rest = item(family.parent).sums;
    for (const int id : family.counted) {
      const auto of_slot = supplied.subspan(slot++ * size, size);
      std::vector<std::int64_t> sums(of_slot.begin(), of_slot.end());
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= sums[i];
      if (waits(item(id))) use(id, std::move(sums));
    }
    if (family.derived >= 0) use(family.derived, std::move(rest));
    end(family);
  }
}

}  // namespace ramify
