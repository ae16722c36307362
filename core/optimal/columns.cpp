// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/columns.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ramify::optimal {
namespace {

std::vector<std::uint32_t> codes_of(const Column& column, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> codes(rows.size());
  std::visit(
      [&](const auto& all) {
        for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = all[rows[i]];
      },
      column.codes);
  return codes;
}

/// Codes without gaps, to compare columns by; of two values, the first row has the lower.
std::vector<std::uint32_t> ranks_of(const std::vector<std::uint32_t>& codes) {
  std::vector<std::uint32_t> rank(*std::ranges::max_element(codes) + 1);
  for (const std::uint32_t code : codes) rank[code] = 1;
  std::uint32_t n = 0;
  for (std::uint32_t& each : rank) each = each ? n++ : 0;
  const std::uint32_t turned = n == 2 ? rank[codes[0]] : 0;
  std::vector<std::uint32_t> ranks(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) ranks[i] = rank[codes[i]] ^ turned;
  return ranks;
}

std::uint64_t hash_of(const std::vector<std::uint32_t>& ranks) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint32_t rank : ranks) hash = (hash ^ rank) * 0x100000001b3;
  return hash;
}

/// Collects search columns; finds those that it has already.
class Columns {
 public:
  explicit Columns(Problem& problem) : problem_(problem) {}

  void add(SearchColumn column) {
    const std::uint32_t owner = column.column;
    std::vector<std::uint32_t> ranks = ranks_of(column.codes);
    const auto place = static_cast<std::uint32_t>(problem_.columns.size());
    auto& alike = known_[hash_of(ranks)];
    for (const std::uint32_t other : alike)
      if (ranks_of(problem_.columns[other].codes) == ranks) {
        problem_.columns_of[owner].push_back(other);
        return;
      }
    alike.push_back(place);
    problem_.columns_of[owner].push_back(place);
    problem_.columns.push_back(std::move(column));
  }

 private:
  Problem& problem_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known_;
};

void add_numeric(Columns& columns, std::uint32_t j, std::vector<std::uint32_t> codes,
                 std::uint32_t missing) {
  SearchColumn last{.column = j, .left_categories = {}, .codes = std::move(codes)};
  if (std::ranges::find(last.codes, missing) == last.codes.end())
    return columns.add(std::move(last));
  SearchColumn first{
      .column = j, .missing_first = true, .left_categories = {}, .codes = last.codes};
  for (std::uint32_t& code : first.codes) code = code == missing ? 0 : code + 1;
  columns.add(std::move(last));
  columns.add(std::move(first));
}

/// The last of the categories that occur is always on the right; a missing value is one more.
void add_categories(Columns& columns, std::uint32_t j, const std::vector<std::uint32_t>& codes,
                    std::uint32_t missing) {
  std::vector<std::uint32_t> present(missing + 1);
  for (const std::uint32_t code : codes) present[code] = 1;
  std::vector<std::uint32_t> values;
  for (std::uint32_t code = 0; code <= missing; ++code)
    if (present[code]) values.push_back(code);
  const auto n = static_cast<std::uint32_t>(values.size());
  const auto add = [&](auto is_left) {
    SearchColumn column{.column = j, .is_categorical = true, .left_categories = {}, .codes = {}};
    column.left_categories.resize(missing + 1);
    for (std::uint32_t i = 0; i < n; ++i) column.left_categories[values[i]] = is_left(i);
    for (const std::uint32_t code : codes)
      column.codes.push_back(column.left_categories[code] ? 0 : 1);
    columns.add(std::move(column));
  };
  if (n <= max_subset_categories)
    for (std::uint32_t subset = 1; subset < 1u << (n - 1); ++subset)
      add([subset](std::uint32_t i) { return subset >> i & 1; });
  else
    for (std::uint32_t own = 0; own < n; ++own) add([own](std::uint32_t i) { return i == own; });
}

}  // namespace

void add_columns(Problem& problem, const Table& table, std::span<const std::uint32_t> rows) {
  Columns columns(problem);
  problem.columns_of.resize(table.columns.size());
  for (std::uint32_t j = 0; j < table.columns.size(); ++j) {
    const Column& column = table.columns[j];
    std::vector<std::uint32_t> codes = codes_of(column, rows);
    if (column.is_categorical)
      add_categories(columns, j, codes, column.n_codes());
    else
      add_numeric(columns, j, std::move(codes), column.n_codes());
  }
}

}  // namespace ramify::optimal
