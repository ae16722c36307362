// SPDX-License-Identifier: BSD-3-Clause
// What the searches of one fit have in common.
#pragma once

#include "data/table.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "rows/store.hpp"

namespace ramify {

/// What is learnt from, what was asked for, and how the rows lie.
struct Training {
  const Table& table;
  const Target& target;
  const Plan& plan;
  const Store& store;

  const Column& column(int number) const { return table.columns[number]; }
};

/// Calls visit(row, code) for the rows of a node, in the order in which they lie.
template <class Visit>
void each_code(const Training& training, const Node& node, int column, Visit visit) {
  const Store& store = training.store;
  if (training.column(column).is_low_cardinality()) {
    const RecordView records = store.records(node.begin, node.end);
    const std::uint8_t* codes = records.codes + store.record_offset(column);
    for (std::uint32_t i = 0; i < records.n; ++i) visit(records.rows[i], codes[i * records.stride]);
    return;
  }
  const std::uint64_t* items = store.list(column) + node.begin;
  const ItemLayout layout = store.layout();
  for (std::uint32_t i = 0; i < node.n_rows(); ++i)
    visit(layout.row(items[i]), layout.code(items[i]));
}

}  // namespace ramify
