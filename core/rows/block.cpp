// SPDX-License-Identifier: BSD-3-Clause
#include "rows/block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace ramify {

Layout::Layout(std::vector<std::uint32_t> codes, std::vector<int> classes, bool weighted, int stats,
               bool by_class)
    : n_codes(std::move(codes)),
      n_classes(std::move(classes)),
      is_weighted(weighted),
      n_stats(stats),
      counts_classes(by_class) {
  for (std::size_t j = 0; j < n_codes.size(); ++j) {
    place.push_back(
        static_cast<std::uint32_t>(is_low_cardinality(j) ? n_byte_columns++ : n_int_columns++));
    first_cell.push_back(n_cells);
    n_cells += n_codes[j] + std::size_t{1};
  }
  n_classes_all = is_numeric()
                      ? n_classes.size() * static_cast<std::size_t>(n_stats)
                      : std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0});
}

namespace {

/// Rows are routed in chunks of this size before they are counted: their codes are still in the
/// cache then.
constexpr std::size_t rows_at_once = 2048;

template <class Use>
auto with_labels(const Block& block, Use use) {
  if (block.label_bytes == 1) return use(static_cast<const std::uint8_t*>(block.labels));
  if (block.label_bytes == 2) return use(static_cast<const std::uint16_t*>(block.labels));
  return use(static_cast<const std::uint32_t*>(block.labels));
}

struct Router {
  const Block& block;
  const Layout& layout;
  const Ways& ways;

  std::uint32_t code(std::size_t row, std::size_t column) const {
    const std::size_t at = layout.place[column];
    return layout.is_low_cardinality(column) ? block.byte_codes[row * layout.n_byte_columns + at]
                                             : block.int_codes[row * layout.n_int_columns + at];
  }
  std::int32_t end_of(std::size_t row, std::int32_t node) const {
    while (true) {
      if (node < 0) return node;
      if (static_cast<std::size_t>(node) >= ways.of_node.size())
        throw std::invalid_argument("a row is in node " + std::to_string(node) + ", of " +
                                    std::to_string(ways.of_node.size()));
      const Way& way = ways.of_node[static_cast<std::size_t>(node)];
      if (way.column < 0) return node;
      const auto column = static_cast<std::size_t>(way.column);
      const std::uint32_t own = code(row, column);
      std::uint32_t branch;
      if (way.begin >= 0)
        branch = ways.branches[static_cast<std::size_t>(way.begin) + own];
      else
        branch = own == layout.n_codes[column] ? way.missing : own > way.highest;
      node = way.first_child + static_cast<std::int32_t>(branch);
    }
  }
};

/// Unit weights, one output, all codes of one byte.
template <class Sum, class Label>
void add_counts(const Block& block, const Layout& layout, const Label* labels,
                std::span<const std::uint32_t> rows, std::span<const std::int32_t> slots,
                Sum* sums) {
  const std::size_t n = layout.n_byte_columns, channels = layout.n_channels();
  std::vector<std::size_t> first(n);
  for (std::size_t j = 0; j < n; ++j) first[j] = layout.first_cell[j] * channels;
  const std::size_t slot_size = layout.slot_size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    Sum* own = sums + static_cast<std::size_t>(slots[i]) * slot_size + labels[row];
    const std::uint8_t* codes = block.byte_codes + row * n;
    for (std::size_t j = 0; j < n; ++j) own[first[j] + codes[j] * channels] += 1;
  }
}

template <class Sum, class Label>
void add_rows(const Block& block, const Layout& layout, const Label* labels,
              std::span<const std::uint32_t> rows, std::span<const std::int32_t> slots, Sum* sums) {
  const std::size_t d = layout.n_codes.size(), channels = layout.n_channels();
  const std::size_t n_outputs = layout.n_classes.size();
  const Router router{block, layout, {}};
  std::vector<std::size_t> channel(n_outputs);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    Sum* slot = sums + static_cast<std::size_t>(slots[i]) * layout.slot_size();
    const auto weight = static_cast<Sum>(block.times(row));
    std::size_t first = 0;
    for (std::size_t o = 0; o < n_outputs; ++o) {
      channel[o] = first + labels[row * n_outputs + o];
      first += static_cast<std::size_t>(layout.n_classes[o]);
    }
    const std::size_t counted = layout.n_classes_all + (layout.counts_classes ? channel[0] : 0);
    for (std::size_t j = 0; j < d; ++j) {
      Sum* cell = slot + (layout.first_cell[j] + router.code(row, j)) * channels;
      for (const std::size_t k : channel) cell[k] += weight;
      if (layout.is_weighted) cell[counted] += 1;
    }
  }
}

/// Adds regression targets, as integer steps in the fixed-point scale of their slot.
void add_numbers(const Block& block, const Count& what, std::span<const std::uint32_t> rows,
                 std::span<const std::int32_t> slots, std::int64_t* sums) {
  const Layout& layout = what.layout;
  const std::size_t d = layout.n_codes.size(), channels = layout.n_channels();
  const std::size_t n_outputs = layout.n_classes.size();
  const auto n_stats = static_cast<std::size_t>(layout.n_stats);
  const Router router{block, layout, {}};
  std::vector<std::int64_t> adds(channels, 1);  // the last is the row itself, if it has a weight
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i], slot = static_cast<std::size_t>(slots[i]);
    const double times = block.times(row);
    for (std::size_t o = 0; o < n_outputs; ++o) {
      const RegressionScale& scale = what.scales[slot * n_outputs + o];
      const double z = (block.values[row * n_outputs + o] - scale.centre) * scale.per_unit;
      std::int64_t* own = adds.data() + o * n_stats;
      own[0] = static_cast<std::int64_t>(times);
      own[1] = static_cast<std::int64_t>(scale.steps.steps(z, times));
      if (n_stats > 2) own[2] = static_cast<std::int64_t>(scale.steps.steps(z * z, times));
    }
    std::int64_t* first = sums + slot * layout.slot_size();
    for (std::size_t j = 0; j < d; ++j) {
      std::int64_t* cell = first + (layout.first_cell[j] + router.code(row, j)) * channels;
      for (std::size_t k = 0; k < channels; ++k) cell[k] += adds[k];
    }
  }
}

}  // namespace

bool is_within(const Block& block, const Layout& layout) {
  const Router router{block, layout, {}};
  for (std::size_t j = 0; j < layout.n_codes.size(); ++j)
    for (std::size_t row = 0; row < block.n_rows; ++row)
      if (router.code(row, j) > layout.n_codes[j]) return false;
  if (layout.is_numeric()) return true;
  return with_labels(block, [&](auto* labels) {
    const std::size_t n = layout.n_classes.size();
    for (std::size_t i = 0; i < block.n_rows * n; ++i)
      if (labels[i] >= static_cast<std::uint32_t>(layout.n_classes[i % n])) return false;
    return true;
  });
}

void route(const Block& block, const Layout& layout, const Ways& ways,
           std::span<std::int32_t> node_of_row) {
  const Router router{block, layout, ways};
  for (std::size_t row = 0; row < block.n_rows; ++row)
    node_of_row[row] = router.end_of(row, node_of_row[row]);
}

template <class Sum>
std::uint64_t count(const Block& block, const Count& what, std::span<std::int32_t> node_of_row,
                    std::span<Sum> sums) {
  const Layout& layout = what.layout;
  const Router router{block, layout, what.ways};
  const bool is_plain = !block.weight && !layout.is_weighted && layout.n_classes.size() == 1 &&
                        layout.n_int_columns == 0;
  std::array<std::uint32_t, rows_at_once> rows;
  std::array<std::int32_t, rows_at_once> slots;
  std::uint64_t n_seen = 0;
  for (std::size_t begin = 0; begin < block.n_rows; begin += rows_at_once) {
    const std::size_t end = std::min(begin + rows_at_once, block.n_rows);
    std::size_t n = 0;
    for (std::size_t row = begin; row < end; ++row) {
      const std::int32_t node = router.end_of(row, node_of_row[row]);
      node_of_row[row] = node;
      const std::int32_t slot = node < 0 ? -1 : what.slot_of_node[static_cast<std::size_t>(node)];
      rows[n] = static_cast<std::uint32_t>(row);
      slots[n] = slot;
      n += slot >= 0;
    }
    n_seen += n;
    if constexpr (std::is_same_v<Sum, std::int64_t>)
      if (layout.is_numeric()) {
        add_numbers(block, what, std::span(rows.data(), n), std::span(slots.data(), n),
                    sums.data());
        continue;
      }
    with_labels(block, [&](auto* labels) {
      const std::span some(rows.data(), n);
      const std::span theirs(slots.data(), n);
      if (is_plain)
        add_counts(block, layout, labels, some, theirs, sums.data());
      else
        add_rows(block, layout, labels, some, theirs, sums.data());
    });
  }
  return n_seen;
}

template std::uint64_t count(const Block&, const Count&, std::span<std::int32_t>,
                             std::span<std::uint32_t>);
template std::uint64_t count(const Block&, const Count&, std::span<std::int32_t>,
                             std::span<std::int64_t>);

}  // namespace ramify
