// SPDX-License-Identifier: BSD-3-Clause
// The splitter of trees of numbers that draw their cuts: one pass over the values of the rows finds
// the ends of all columns, a second one what lies left of the cuts. Nothing is sorted or coded.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "choose/admissible.hpp"
#include "numbers/numbers.hpp"
#include "rows/near_rows.hpp"
#include "split/drawn_kernels.hpp"
#include "split/live_columns.hpp"
#include "split/splitter.hpp"
#include "split/urn.hpp"
#include "util/parallel.hpp"

namespace ramify {

class RandomNumbers {
 public:
  struct Waiting {
    std::uint32_t begin, end;
    int depth, place;
    std::uint64_t key;
    LiveColumns::Part live;
    int level;     // of the copies that its members point to; see NearRows
    bool is_leaf;  // there is nothing left to split, or nothing that may be split
    NodeNumbers::Output output;
    double impurity, sums[2];
    std::uint32_t n_rows() const { return end - begin; }
  };
  static constexpr unsigned nodes_per_question = 32;

  /// Does it grow such trees? One output, a criterion of sums, rows with a value in every column.
  static bool fits(const Table& table, const Target& target, const Plan& plan);

  RandomNumbers(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan, Pool& pool);

  /// Measures the node, too.
  Waiting root(Node& node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t n_rows) const {
    return std::min(std::size_t{2} * n_rows, std::size_t{1} << 18);
  }
  bool is_leaf(const Waiting& node, std::span<const double>) const {
    return node.is_leaf || node.live.n == 0;
  }
  Split best(Waiting& node, std::span<const double> facts, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting& node, std::span<const double>, const Split& split) const {
    return pays(plan_, target_, split, node.impurity, node.sums[0]);
  }
  double gain_unit(const Waiting& node) const { return node.impurity; }
  void part(Waiting& node, std::span<const double> facts, Split& split, Workers workers,
            std::vector<Waiting>& children);
  std::span<const double> facts(const Waiting& node, std::size_t, Workers workers);
  Bounds bounds(const Waiting&) const {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  void finish(Waiting&, Workers) const {}
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    NearRows near;
    LiveColumns live{};
    Urn urn{};
    Node node{};  // to be measured
    NumberBuffers numbers{};
    std::vector<Member> spare{};
    std::vector<double> least{}, most{}, threshold{};  // by column, floats or doubles
    std::vector<double> weight{}, sum{};               // by column, left of its cut
    std::vector<std::uint32_t> n_left{};
    std::vector<double> facts{};
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  ValueRecords values(const Waiting& node, const Desk& mine) const;
  void move_near(Waiting& node, Desk& mine);
  Waiting measured(Waiting node, Desk& mine);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine);
  Split best_of_two(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine);
  Split choose(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine) const;

  const Target& target_;
  const Plan& plan_;
  Numbers numbers_;
  ValueRecords records_;
  std::vector<Member> members_;  // by target and by record
  std::vector<std::unique_ptr<Desk>> desks_;
  std::vector<std::vector<std::uint32_t>> handed_over_;
};

}  // namespace ramify
