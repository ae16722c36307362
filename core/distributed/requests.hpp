// SPDX-License-Identifier: BSD-3-Clause
// What has to be known of the numbers of a node, asked of rows that lie in parts. Each question is
// answered by whole numbers that add up over the parts, or by numbers of which the largest counts;
// the next question follows from the answers to the one before. What comes out is what
// `Numbers::learn` finds in memory, bit by bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "criteria/kernel.hpp"
#include "plan/plan.hpp"
#include "rows/block.hpp"
#include "rows/node.hpp"

namespace ramify {

/// One question about many nodes, a slot each.
struct RegressionRequest {
  enum class Kind : std::uint8_t {
    weight,    // rows, and what they weigh
    range,     // of each output the least number, its sign turned, and the largest; heaviest weight
    far,       // the largest distance from `at`, times the weight where weights are no repeats
    distance,  // of each output the sums of the steps of distances; rows
    cost_weight,  // as `far`, of losses
    loss          // as `distance`, of losses
  };
  Kind kind = Kind::weight;
  RegressionLoss loss = RegressionLoss::squared;
  double parameter = 0;  // of the loss
  std::size_t n_slots = 0, n_outputs = 1;
  std::vector<double> at;        // by slot and output: what distances or losses are measured from
  std::vector<TermSteps> steps;  // by slot and output

  /// Is the largest wanted, or the sum?
  bool is_of_largest() const {
    return kind == Kind::range || kind == Kind::far || kind == Kind::cost_weight;
  }
  /// Numbers of an answer, by slot.
  std::size_t width() const;
};

/// Adds what the rows of a block have to say, which were routed to their nodes.
void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<double> largest);
void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<std::int64_t> sums);

/// Nodes whose numbers are being learnt.
class RegressionLearner {
 public:
  struct Subject {
    int node = 0;
    double n_rows = 0, weight = 0;  // the weight may be unknown, and is 0 then
    double heaviest = 1;
    RegressionStatistics regression{};
    std::vector<double> low{}, high{}, largest{};
  };

  RegressionLearner(const Plan& plan, std::size_t n_outputs);

  void start(std::vector<Subject> subjects);
  bool is_asking() const { return !subjects_.empty(); }
  RegressionRequest request() const;
  /// Gives the nodes that are learnt, when all is known. Throws std::invalid_argument if a part was
  /// lost or counted twice.
  std::vector<Subject> respond(std::span<const double> largest);
  std::vector<Subject> respond(std::span<const std::int64_t> sums);

 private:
  using Kind = RegressionRequest::Kind;
  std::vector<Subject> next(Kind kind);
  bool is_needed(Kind kind) const;
  void take_range(std::span<const double> supplied);
  void take_sums(std::span<const std::int64_t> supplied);
  TermSteps steps_of(const Subject& subject, std::size_t output) const;
  std::vector<Subject> finish();

  RegressionLoss loss_;
  double parameter_;
  std::size_t n_outputs_;
  Kind kind_ = Kind::weight;
  std::vector<Subject> subjects_;
};

}  // namespace ramify
