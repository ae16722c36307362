// SPDX-License-Identifier: BSD-3-Clause
#include "rows/sorted_lists.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <variant>

namespace ramify {
namespace {

/// Regression rows have one class.
FlagLayout layout_of(const Target& target) {
  const int n_classes = target.is_numeric() ? 1 : target.n_classes[0];
  return {std::max(1, static_cast<int>(std::bit_width(target.n_rows - 1))),
          std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(n_classes - 1))))};
}

/// Counting sort: rows by code, those of one code in ascending order.
template <class Codes>
void fill_list(const Codes& codes, std::uint32_t n_codes, bool is_complete,
               std::span<const std::uint32_t> rows, const std::uint32_t* bodies,
               std::vector<std::uint32_t>& starts, std::uint32_t* list) {
  constexpr std::uint32_t flag = FlagLayout::flag;
  const std::size_t n = rows.size();
  if (n_codes == n && is_complete) {  // every row has its own code
    for (std::size_t i = 0; i < n; ++i) list[codes[rows[i]]] = bodies[i] | flag;
    return;
  }
  starts.assign(n_codes + std::size_t{1}, 0);
  for (const std::uint32_t row : rows) ++starts[codes[row]];
  std::uint32_t before = 0;
  for (std::uint32_t& start : starts) before += std::exchange(start, before);
  for (std::size_t i = 0; i < n; ++i) list[starts[codes[rows[i]]]++] = bodies[i];
  // The place behind the rows of a code is the first of the next code that occurs.
  if (n > 0) list[0] |= flag;
  for (const std::uint32_t end : starts)
    if (end < n) list[end] |= flag;
}

/// The same where the order of all rows is known; an item also has its class.
static_assert(SortedRows::begins == FlagLayout::flag);
void label_list(const Target& target, FlagLayout layout, std::uint32_t* list) {
  if (target.is_numeric()) return;
  const std::uint32_t* classes = target.classes.data();
  for (std::uint32_t i = 0; i < target.n_rows; ++i)
    list[i] |= classes[list[i] & ~SortedRows::begins] << layout.row_bits;
}

/// Whether no row occurs twice.
bool is_ascending(std::span<const std::uint32_t> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] <= rows[i - 1]) return false;
  return true;
}

}  // namespace

bool SortedLists::fit(const Target& target) {
  const FlagLayout layout = layout_of(target);
  return layout.row_bits + layout.class_bits + 1 <= 32;
}

SortedLists::SortedLists(const Table& table, std::span<const std::uint32_t> rows,
                         const Target& target, Pool& pool)
    : table_(table),
      rows_(rows),
      n_(target.n_rows),
      is_complete_(n_ == table.n_rows && is_ascending(rows)),
      layout_(layout_of(target)) {
  if (!target.weight.empty() && !target.is_numeric()) weight_ = target.weight.data();
  for (const Column& column : table.columns)
    codes_.push_back(std::visit(
        [](const auto& codes) {
          return CodePointer{codes.data(), static_cast<int>(sizeof(codes[0]))};
        },
        column.codes));
  SortedRows order = is_complete_ ? table.take_order() : SortedRows();
  fill(order, target, pool);
}

/// Builds the lists, in the memory of the known row order.
void SortedLists::fill(SortedRows& order, const Target& target, Pool& pool) {
  const std::size_t n_columns = table_.columns.size();
  lists_ = order.take();
  if (!lists_) lists_ = big_array<std::uint32_t>(n_ * n_columns);
  std::vector<std::uint32_t> bodies;
  std::size_t n_known = 0;
  for (std::size_t j = 0; j < n_columns; ++j) n_known += order.knows(j);
  if (n_known < n_columns) {
    bodies.resize(n_);
    std::iota(bodies.begin(), bodies.end(), 0u);
    if (!target.is_numeric())
      for (std::uint32_t i = 0; i < n_; ++i) bodies[i] |= target.classes[i] << layout_.row_bits;
  }
  std::vector<std::vector<std::uint32_t>> starts(static_cast<std::size_t>(pool.size()));
  pool.run(static_cast<int>(n_columns), [&](int j, int worker) {
    const auto at = static_cast<std::size_t>(j);
    std::uint32_t* list = lists_.get() + at * n_;
    if (order.knows(at)) return label_list(target, layout_, list);
    std::visit(
        [&](const auto& codes) {
          fill_list(codes, table_.columns[at].n_codes(), is_complete_, rows_, bodies.data(),
                    starts[static_cast<std::size_t>(worker)], list);
        },
        table_.columns[at].codes);
  });
}

void SortedLists::add_classes(const ListSegment& node, std::uint32_t column, std::uint32_t begin,
                              std::uint32_t end, double* sums) const {
  const std::uint32_t* list = items(node, column);
  for (std::uint32_t i = begin; i < end; ++i)
    sums[layout_.label(list[i])] += weight_ ? weight_[layout_.row(list[i])] : 1;
}

std::uint32_t SortedLists::n_valued(const ListSegment& node, std::uint32_t column) const {
  const Column& info = table_.columns[column];
  if (info.n_missing == 0) return node.n_rows();
  std::uint32_t low = 0, high = node.n_rows();  // the first place with a missing value
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (row_code(column, row_at(node, column, middle)) < info.n_codes())
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace ramify
