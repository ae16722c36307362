// SPDX-License-Identifier: BSD-3-Clause
// A grower that asks, as bytes: to be taken up again.
#include <cmath>
#include <stdexcept>

#include "grow/asked.hpp"
#include "util/bytes.hpp"

namespace ramify {

namespace {

void need_state(bool is_true) {
  if (!is_true) throw std::invalid_argument("the state is not one of this tree");
}

void write_numbers(ByteWriter& to, const NodeNumbers& numbers) {
  for (const NodeNumbers::Output& output : numbers.outputs) {
    for (const double number : {output.ruler.centre, output.ruler.scale, output.value})
      to.add(number);
    to.add(static_cast<std::uint8_t>(output.is_varied));
  }
  to.add(numbers.impurity);
}

NodeNumbers read_numbers(ByteReader& from, std::size_t n_outputs) {
  NodeNumbers numbers;
  for (std::size_t o = 0; o < n_outputs; ++o) {
    NodeNumbers::Output& output = numbers.outputs.emplace_back();
    for (double* number : {&output.ruler.centre, &output.ruler.scale, &output.value}) {
      *number = from.next<double>();
      need_state(std::isfinite(*number));
    }
    need_state(output.ruler.scale > 0);
    output.is_varied = from.next<std::uint8_t>() != 0;
  }
  numbers.impurity = from.next<double>();
  need_state(numbers.impurity >= 0 && std::isfinite(numbers.impurity));
  return numbers;
}

}  // namespace

std::vector<std::uint8_t> AskedGrower::state() const {
  ByteWriter to;
  to.add(items_[0].node.sums);
  to.add(static_cast<std::uint8_t>(search_ != nullptr));
  to.add(static_cast<std::uint64_t>(log_.size()));
  for (const int id : log_) {
    to.add(id);
    if (id == -1) continue;
    if (id < -1) {
      write_numbers(to, item(-2 - id).node.numbers);
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
    to.add(outcome.live);
    write(to, outcome.recorded);
  }
  return to.take();
}

Outcome AskedGrower::read_outcome(ByteReader& from, const Node& node) const {
  Outcome outcome;
  const std::size_t n_columns = layout_.n_codes.size();
  outcome.split = read_split(from, n_columns);
  outcome.children.resize(from.length(16));
  std::vector<double> sums(node.sums.size());
  std::vector<double> known = node.sums;
  if (is_numeric()) std::fill(known.begin() + 1, known.end(), 0.0);  // of children the weight
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
  outcome.live = from.list<std::uint32_t>();
  outcome.recorded = read_candidates(from, n_columns);
  const Split& split = outcome.split;
  for (const std::uint32_t column : outcome.live) need_state(column < n_columns);
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

void AskedGrower::restore(std::span<const std::uint8_t> state) {
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
      NodeNumbers numbers = read_numbers(from, layout_.n_classes.size());
      learn(static_cast<int>(learnt), std::move(numbers), from.next<double>());
      continue;
    }
    need_state(search_ && static_cast<std::size_t>(id) < items_.size() && waits(item(id)));
    settle(id, read_outcome(from, item(id).node));
    std::erase(open_, id);
  }
  need_state(from.is_at_end());
}

}  // namespace ramify
