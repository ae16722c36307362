// SPDX-License-Identifier: BSD-3-Clause
// The state of LevelGrower as bytes, to resume from.
#include <cmath>
#include <stdexcept>

#include "distributed/level_grower.hpp"
#include "util/bytes.hpp"

namespace ramify {

namespace {

void need_state(bool is_true) {
  if (!is_true) throw std::invalid_argument("the state does not belong to this tree");
}

/// Writes or reads the target statistics of a node, whose outputs are there.
template <class Bytes, class Statistics>
void transfer_statistics(Bytes& bytes, Statistics& regression) {
  for (auto& output : regression.outputs)
    bytes(output.fixed_point.centre, output.fixed_point.scale, output.value, output.is_varied);
  bytes(regression.impurity);
}

template <class Bytes, class AnyOutcome>
void transfer_outcome(Bytes& bytes, AnyOutcome& outcome) {
  transfer(bytes, outcome.split);
  bytes.each(outcome.children, 16, [&](auto& child) { bytes(child.n_rows, child.sums); });
  bytes(outcome.non_constant);
  transfer(bytes, outcome.recorded);
}

RegressionStatistics read_statistics(ByteReader& from, std::size_t n_outputs) {
  RegressionStatistics regression;
  regression.outputs.resize(n_outputs);
  transfer_statistics(from, regression);
  for (const RegressionStatistics::Output& output : regression.outputs)
    need_state(std::isfinite(output.fixed_point.centre) &&
               std::isfinite(output.fixed_point.scale) && output.fixed_point.scale > 0 &&
               std::isfinite(output.value));
  need_state(regression.impurity >= 0 && std::isfinite(regression.impurity));
  return regression;
}

}  // namespace

std::vector<std::uint8_t> LevelGrower::state() const {
  ByteWriter to;
  to(items_[0].node.sums, search_.has_started());
  to.each(log_, sizeof(int), [&](int id) {
    to(id);
    if (id < -1) {
      transfer_statistics(to, item(-2 - id).node.regression);
      to(item(-2 - id).heaviest);
    } else if (id >= 0) {
      transfer_outcome(to, item(id).outcome);
    }
  });
  return to.take();
}

Outcome LevelGrower::read_outcome(ByteReader& from, const Node& node) const {
  Outcome outcome;
  const std::size_t n_columns = layout_.n_codes.size();
  transfer_outcome(from, outcome);
  check_split(outcome.split, n_columns);
  check_candidates(outcome.recorded, n_columns);
  std::vector<double> sums(node.sums.size());
  std::vector<double> known = node.sums;
  if (is_numeric()) std::fill(known.begin() + 1, known.end(), 0.0);  // for children only the weight
  std::uint64_t n_rows = 0;
  for (const Outcome::Child& child : outcome.children) {
    need_state(child.sums.size() == sums.size() && child.n_rows > 0);
    n_rows += child.n_rows;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      need_state(child.sums[k] >= 0);
      sums[k] += child.sums[k];
    }
  }
  const Split& split = outcome.split;
  for (const std::uint32_t column : outcome.non_constant) need_state(column < n_columns);
  if (split.column >= 0)
    for (const std::uint32_t code : split.codes) need_state(code <= layout_.n_codes[split.column]);
  if (outcome.children.empty()) return outcome;
  need_state(split.exists() && split.n_branches == outcome.children.size() &&
             n_rows == node.n_rows() && sums == known);
  const std::uint32_t n_codes = layout_.n_codes[split.column];
  if (split.kind == SplitKind::threshold)
    need_state(split.n_branches == 2 && split.code < n_codes + 1);
  return outcome;
}

void LevelGrower::restore(std::span<const std::uint8_t> state) {
  need_state(!search_.has_started() && log_.empty());
  ByteReader from(state);
  std::vector<double> sums;
  bool has_begun = false;
  from(sums, has_begun);
  need_state(sums.size() == layout_.n_classes_all);
  need_state(!has_begun || weight_of(target_, sums) > 0);
  if (is_numeric())
    items_[0].node.sums[0] = sums[0];
  else if (has_begun)
    learn_root(sums);
  const std::size_t n = from.length(4);
  for (std::size_t i = 0; i < n; ++i) {
    const int id = from.next<int>();
    if (id == -1) {
      go_on();
      continue;
    }
    if (id < -1) {
      const auto learnt = static_cast<std::size_t>(-2 - static_cast<std::int64_t>(id));
      need_state(is_numeric() && learnt < items_.size() && !items_[learnt].is_learnt);
      RegressionStatistics regression = read_statistics(from, layout_.n_classes.size());
      learn(static_cast<int>(learnt), std::move(regression), from.next<double>());
      continue;
    }
    need_state(search_.has_started() && static_cast<std::size_t>(id) < items_.size() &&
               waits(item(id)));
    settle(id, read_outcome(from, item(id).node));
    std::erase(open_, id);
  }
  need_state(from.is_at_end());
}

}  // namespace ramify
