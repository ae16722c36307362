// SPDX-License-Identifier: BSD-3-Clause
// What dGMML sees of a binned column: the rows of each class and code, counted here or elsewhere.
#include <algorithm>
#include <utility>

#include "dgmml/search.hpp"

namespace ramify {
namespace {

/// Up to this many cells per row, scanning all cells is faster than sorting the used ones.
constexpr std::size_t cells_per_row = 4;

}  // namespace

/// Adds the rows of a node to their cells.
void DgmmlSearch::count_rows(const DgmmlNode& node, std::size_t n_cells,
                             DgmmlScratch& scratch) const {
  read_codes(node.rows, scratch.column, scratch.row_codes);
  const std::size_t n = scratch.n_channels;
  scratch.codes.clear();  // of the used cells, where these are few
  const bool lists = node.rows.size() * cells_per_row < n_cells;
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const std::size_t cell = scratch.row_codes[i] * n + scratch.row_channel[i];
    if (scratch.cell_rows[cell]++ == 0 && lists)
      scratch.codes.push_back(static_cast<std::uint32_t>(cell));
  }
  if (target_.weight.empty()) return;
  for (std::size_t i = 0; i < node.rows.size(); ++i)
    scratch.cell_weight[scratch.row_codes[i] * n + scratch.row_channel[i]] +=
        target_.weight[node.rows[i]];
}

/// The same from supplied counts.
void DgmmlSearch::take_counts(const DgmmlNode& node, DgmmlScratch& scratch) const {
  const NodeSums& given = *node.given;
  const auto column = static_cast<std::size_t>(scratch.column);
  const std::size_t n_codes = table_.columns[column].n_codes();
  scratch.codes.clear();
  for (std::size_t code = 0; code <= n_codes; ++code) {
    const std::int64_t* cell = given.cell(column, code);
    for (std::size_t k = 0; k < given.n_classes; ++k) {
      const std::size_t to = code * scratch.n_channels + scratch.channel_of[k];
      scratch.cell_rows[to] += static_cast<std::uint64_t>(given.rows(cell, k));
      if (given.n_counts > 0) scratch.cell_weight[to] += static_cast<double>(cell[k]);
    }
  }
}

/// Makes an item of each cell that has rows, in their order, and empties it.
void DgmmlSearch::make_items(std::size_t n_cells, bool is_weighted, DgmmlScratch& scratch) {
  std::vector<std::uint32_t>& codes = scratch.codes;
  if (codes.empty()) {
    for (std::size_t cell = 0; cell < n_cells; ++cell)
      if (scratch.cell_rows[cell] > 0) codes.push_back(static_cast<std::uint32_t>(cell));
  } else {
    std::ranges::sort(codes);
  }
  const auto n = static_cast<std::uint32_t>(scratch.n_channels);
  scratch.channel.resize(codes.size());
  scratch.times.resize(codes.size());
  scratch.weight.resize(is_weighted ? codes.size() : 0);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::uint32_t cell = codes[i];
    scratch.times[i] = std::exchange(scratch.cell_rows[cell], 0);
    if (!scratch.weight.empty()) scratch.weight[i] = std::exchange(scratch.cell_weight[cell], 0);
    scratch.channel[i] = cell % n;
    codes[i] = cell / n;
  }
}

}  // namespace ramify
