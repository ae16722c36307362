// SPDX-License-Identifier: BSD-3-Clause
// Requests for the target statistics of nodes, to rows that are stored in blocks. Each response
// consists of integers that add up over the blocks, or of values of which the maximum counts; the
// next request follows from the responses to the one before. The results equal those of
// `RegressionTarget::learn` in memory bit by bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "criteria/kernel.hpp"
#include "plan/plan.hpp"
#include "rows/block.hpp"
#include "rows/node.hpp"

namespace ramify {

/// One request about many nodes, a slot each.
struct RegressionRequest {
  enum class Kind : std::uint8_t {
    weight,        // number of rows, and their weight
    range,         // per output the negated minimum and the maximum; heaviest weight
    far,           // the largest distance from `at`, times the weight if weights are not repeats
    distance,      // per output the sums of the steps of distances; rows
    largest_loss,  // like `far`, for losses
    loss           // like `distance`, for losses
  };
  Kind kind = Kind::weight;
  RegressionLoss loss = RegressionLoss::squared;
  double parameter = 0;  // of the loss
  std::size_t n_slots = 0, n_outputs = 1;
  std::vector<double> at;        // by slot and output: the origin of distances or losses
  std::vector<TermSteps> steps;  // by slot and output

  /// Whether the response is a maximum rather than a sum.
  bool is_of_largest() const {
    return kind == Kind::range || kind == Kind::far || kind == Kind::largest_loss;
  }
  /// Number of values in a response, per slot.
  std::size_t width() const;
};

/// Adds the response of a block's rows, which were routed to their nodes.
void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<double> largest);
void respond(const Block& block, const RegressionRequest& request,
             std::span<const std::int32_t> node_of_row, std::span<const std::int32_t> slot_of_node,
             std::span<std::int64_t> sums);

/// Nodes whose target statistics are being requested.
class RegressionLearner {
 public:
  struct Subject {
    int node = 0;
    double n_rows = 0, weight = 0;  // an unknown weight is 0
    double heaviest = 1;
    RegressionStatistics regression{};
    std::vector<double> low{}, high{}, largest{};
  };

  RegressionLearner(const Plan& plan, std::size_t n_outputs);

  void start(std::vector<Subject> subjects);
  bool is_requesting() const { return !subjects_.empty(); }
  RegressionRequest request() const;
  /// Returns the finished nodes, once everything is known. Throws std::invalid_argument if the
  /// response of a block was lost or counted twice.
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
