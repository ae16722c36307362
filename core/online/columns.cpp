// SPDX-License-Identifier: BSD-3-Clause
#include "online/columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "data/column.hpp"
#include "simd/clones.hpp"

namespace ramify::online {
namespace {

constexpr std::uint32_t cuts_at_once = 8;

/// The number of cuts below x; their number is a multiple of eight.
RAMIFY_CLONES std::uint32_t n_below(const double* cuts, std::uint32_t n, double x) {
  std::int64_t below[4] = {};
  for (std::uint32_t i = 0; i < n; i += 4)
    for (std::uint32_t lane = 0; lane < 4; ++lane) below[lane] += cuts[i + lane] < x ? 1 : 0;
  return static_cast<std::uint32_t>(below[0] + below[1] + below[2] + below[3]);
}

/// Where a column of numbers is cut: halfway between neighbouring bins.
std::vector<double> cuts_of(std::vector<double> values, std::uint32_t max_bins) {
  if (values.empty()) return {};
  const std::vector<double> lowest = learn_bins(values, max_bins);
  std::ranges::sort(values);
  std::vector<double> cuts;
  for (std::size_t bin = 1; bin < lowest.size(); ++bin) {
    const double high = lowest[bin], low = *(std::ranges::lower_bound(values, high) - 1);
    const double middle = low / 2 + high / 2;
    cuts.push_back(middle < high && middle >= low ? middle : low);
  }
  return cuts;
}

/// The code of a category by its number; of all further ones, the last.
std::uint32_t code_of(const Column& column, double number) {
  return std::min(static_cast<std::uint32_t>(number), column.max_categories);
}

}  // namespace

Cells::Cells(std::span<const Column> columns) {
  for (const Column& column : columns) {
    first.push_back(n_cells);
    // Room for twice the categories: tables are not moved for each new one.
    const std::uint32_t room =
        column.is_categorical
            ? std::min(std::bit_ceil(std::max(column.n_categories, 4u)), column.max_categories + 1)
            : column.n_codes();
    capacity.push_back(room + 1);
    n_cells += room + 1;
  }
}

void Columns::arrange() {
  padded_cuts.clear();
  first_cut.assign(1, 0);
  numeric.clear();
  categorical.clear();
  std::vector<Column> only_categorical;
  for (std::uint32_t j = 0; j < all.size(); ++j) {
    const Column& column = all[j];
    (column.is_categorical ? categorical : numeric).push_back(j);
    if (column.is_categorical) only_categorical.push_back(column);
    padded_cuts.insert(padded_cuts.end(), column.cuts.begin(), column.cuts.end());
    while (padded_cuts.size() % cuts_at_once != 0)
      padded_cuts.push_back(std::numeric_limits<double>::infinity());
    first_cut.push_back(static_cast<std::uint32_t>(padded_cuts.size()));
  }
  cells = Cells(all);
  category_cells = Cells(only_categorical);
}

void Columns::learn_cuts(std::span<const double> rows, std::uint32_t max_bins) {
  for (const std::uint32_t j : numeric) {
    std::vector<double> values;
    for (std::size_t at = j; at < rows.size(); at += all.size())
      if (!std::isnan(rows[at])) values.push_back(rows[at]);
    all[j].cuts = cuts_of(std::move(values), max_bins);
  }
  arrange();
}

bool Columns::is_new(const double* row) const {
  for (std::size_t j = 0; j < all.size(); ++j) {
    const Column& column = all[j];
    if (std::isnan(row[j])
            ? !column.has_missing
            : column.is_categorical && code_of(column, row[j]) >= column.n_categories)
      return true;
  }
  return false;
}

bool Columns::note(const double* row) {
  bool needs_room = false;
  for (std::size_t j = 0; j < all.size(); ++j) {
    Column& column = all[j];
    if (std::isnan(row[j])) {
      column.has_missing = true;
    } else if (column.is_categorical) {
      const std::uint32_t code = code_of(column, row[j]);
      column.n_categories = std::max(column.n_categories, code + 1);
      needs_room |= code + 1 >= cells.capacity[j];
    }
  }
  return needs_room;
}

void Columns::encode(const double* row, std::uint8_t* to) const {
  for (std::size_t j = 0; j < all.size(); ++j) {
    const double x = row[j];
    if (std::isnan(x))
      to[j] = 0;
    else if (all[j].is_categorical)
      to[j] = static_cast<std::uint8_t>(code_of(all[j], x) + 1);
    else
      to[j] = static_cast<std::uint8_t>(
          n_below(padded_cuts.data() + first_cut[j], first_cut[j + 1] - first_cut[j], x) + 1);
  }
}

}  // namespace ramify::online
