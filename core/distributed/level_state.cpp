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

void write_statistics(ByteWriter& to, const RegressionStatistics& regression) {
  for (const RegressionStatistics::Output& output : regression.outputs) {
    for (const double number : {output.fixed_point.centre, output.fixed_point.scale, output.value})
      to.add(number);
    to.add(static_cast<std::uint8_t>(output.is_varied));
  }
  to.add(regression.impurity);
}

RegressionStatistics read_statistics(ByteReader& from, std::size_t n_outputs) {
  RegressionStatistics regression;
  for (std::size_t o = 0; o < n_outputs; ++o) {
    RegressionStatistics::Output& output = regression.outputs.emplace_back();
    for (double* number : {&output.fixed_point.centre, &output.fixed_point.scale, &output.value}) {
      *number = from.next<double>();
      need_state(std::isfinite(*number));
    }
    need_state(output.fixed_point.scale > 0);
    output.is_varied = from.next<std::uint8_t>() != 0;
  }
  regression.impurity = from.next<double>();
  need_state(regression.impurity >= 0 && std::isfinite(regression.impurity));
  return regression;
}

}  // namespace

std::vector<std::uint8_t> LevelGrower::state() const {
  ByteWriter to;
  to.add(items_[0].node.sums);
  to.add(static_cast<std::uint8_t>(search_ != nullptr));
  to.add(static_cast<std::uint64_t>(log_.size()));
  for (const int id : log_) {
    to.add(id);
    if (id == -1) continue;
    if (id < -1) {
      write_statistics(to, item(-2 - id).node.regression);
      to.add(item(-2 - id).heaviest);
      continue;
    }
    const Outcome& outcome = item(id).outcome;
    write(to, outcome.split);
    to.add(static_cast<std::uint64_t>(outcome.children.size()));
    for (const Outcome::Child& child : outcome.children) {
      to.add(child.n_rows);
      to.add(child.sums);
    }
    to.add(outcome.non_constant);
    write(to, outcome.recorded);
  }
  return to.take();
}

Outcome LevelGrower::read_outcome(ByteReader& from, const Node& node) const {
  Outcome outcome;
  const std::size_t n_columns = layout_.n_codes.size();
  outcome.split = read_split(from, n_columns);
  outcome.children.resize(from.length(16));
  std::vector<double> sums(node.sums.size());
  std::vector<double> known = node.sums;
  if (is_numeric()) std::fill(known.begin() + 1, known.end(), 0.0);  // for children only the weight
  std::uint64_t n_rows = 0;
  for (Outcome::Child& child : outcome.children) {
    child.n_rows = from.next<std::uint64_t>();
    child.sums = from.list<double>();
    need_state(child.sums.size() == sums.size() && child.n_rows > 0);
    n_rows += child.n_rows;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      need_state(child.sums[k] >= 0);
      sums[k] += child.sums[k];
    }
  }
  outcome.non_constant = from.list<std::uint32_t>();
  outcome.recorded = read_candidates(from, n_columns);
  const Split& split = outcome.split;
  for (const std::uint32_t column : outcome.non_constant) need_state(column < n_columns);
  if (split.column >= 0)
    for (const std::uint32_t code : split.codes)
      need_state(code <= layout_.n_codes[static_cast<std::size_t>(split.column)]);
  if (outcome.children.empty()) return outcome;
  need_state(split.exists() && split.n_branches == outcome.children.size() &&
             n_rows == node.n_rows() && sums == known);
  const std::uint32_t n_codes = layout_.n_codes[static_cast<std::size_t>(split.column)];
  if (split.kind == SplitKind::threshold)
    need_state(split.n_branches == 2 && split.code < n_codes + 1);
  return outcome;
}

void LevelGrower::restore(std::span<const std::uint8_t> state) {
  need_state(!search_ && log_.empty());
  ByteReader from(state);
  const std::vector<double> sums = from.list<double>();
  need_state(sums.size() == layout_.n_classes_all);
  const bool has_begun = from.next<std::uint8_t>() != 0;
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
    need_state(search_ && static_cast<std::size_t>(id) < items_.size() && waits(item(id)));
    settle(id, read_outcome(from, item(id).node));
    std::erase(open_, id);
  }
  need_state(from.is_at_end());
}

}  // namespace ramify
