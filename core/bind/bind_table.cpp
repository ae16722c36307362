// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "data/content_order.hpp"
#include "data/raw_block.hpp"
#include "data/sorted_column.hpp"
#include "data/table.hpp"
#include "util/parallel.hpp"
#include "util/stop.hpp"

namespace ramify {
namespace {

std::string name_of(const std::vector<std::string>& names, std::size_t column) {
  return column < names.size() ? "column '" + names[column] + "'"
                               : "column " + std::to_string(column);
}

[[noreturn]] void refuse_infinite(const std::string& column, const InfiniteValue& found) {
  refuse("Input X contains infinity: " + column + " is " + (found.value > 0 ? "inf" : "-inf") +
         " in row " + std::to_string(found.row) +
         "; use NaN for a missing value, or a large finite number");
}

/// The codes of a categorical column, as Python numbered them.
std::span<const std::int32_t> category_numbers(const RawColumn& raw) {
  if (raw.type != RawColumn::Type::i32 || raw.stride != sizeof(std::int32_t))
    throw nb::type_error("categories must be codes in a contiguous int32 array");
  return {static_cast<const std::int32_t*>(raw.data), raw.n_rows};
}

Table encode_table(const std::vector<AnyArray>& arrays, std::uint32_t max_codes, int n_threads,
                   const std::vector<std::string>& names,
                   const std::vector<std::int64_t>& n_categories,
                   const std::vector<std::optional<Array1<double>>>& bins, bool keeps_order) {
  const auto raw = raw_columns(arrays);
  if (!n_categories.empty() && n_categories.size() != raw.size())
    refuse("n_categories must have one entry per column");
  if (!bins.empty() && bins.size() != raw.size()) refuse("bins must have one entry per column");
  Table table;
  if (!raw.empty()) table.n_rows = raw[0].n_rows;
  for (std::size_t j = 0; j < raw.size(); ++j)
    if (raw[j].n_rows != table.n_rows)
      refuse(name_of(names, j) + " has " + std::to_string(raw[j].n_rows) + " rows, the first has " +
             std::to_string(table.n_rows));
  table.columns.resize(raw.size());
  for (std::size_t j = 0; j < n_categories.size(); ++j)
    if (n_categories[j] >= 0)
      table.columns[j] =
          encode_categories(category_numbers(raw[j]), static_cast<std::uint32_t>(n_categories[j]));
  std::vector<std::optional<InfiniteValue>> infinite(raw.size());
  {
    const nb::gil_scoped_release release;
    Pool pool(std::min(n_threads, static_cast<int>(raw.size())));
    Stop stop(raise_signals);
    SortedRows order;
    constexpr std::size_t min_cells = 400'000;  // with fewer it saves nothing
    if (keeps_order && std::size_t{table.n_rows} * raw.size() >= min_cells &&
        table.n_rows < SortedRows::begins)
      order = SortedRows(table.n_rows, raw.size());
    std::vector<encoding::SortRoom> rooms(static_cast<std::size_t>(pool.size()));
    const auto encode_one = [&](std::size_t j, const RawColumn& column, int worker) {
      if (table.columns[j].is_categorical) return;
      try {
        const bool is_known = !bins.empty() && bins[j];
        if (is_known) {
          table.columns[j] = encode_with(column, view(*bins[j]));
          return;
        }
        table.columns[j] =
            encode(column, max_codes, stop.pause_of(worker), rooms[worker], order.room(j));
        if (order.room(j) && !table.columns[j].is_low_cardinality()) order.note(j);
      } catch (const CalledOff&) {  // the calling thread has the reason
        return;
      } catch (const InfiniteValue& value) {
        infinite[j] = value;
      }
    };
    const std::vector<std::size_t> firsts = RawBlock::begins(raw, pool.size());
    pool.run(static_cast<int>(firsts.size()), [&](int i, int worker) {
      const auto at = static_cast<std::size_t>(i);
      const std::size_t first = firsts[at];
      const std::size_t last = at + 1 < firsts.size() ? firsts[at + 1] : raw.size();
      RawBlock block{std::span(raw).subspan(first, last - first), order.room(first)};
      for (std::size_t j = first; j < last; ++j) {
        encode_one(j, block[j - first], worker);
        block.release(j - first);
      }
    });
    if (keeps_order) table.keep_order(std::move(order));
  }
  for (std::size_t j = 0; j < raw.size(); ++j)
    if (infinite[j]) refuse_infinite(name_of(names, j), *infinite[j]);
  return table;
}

std::size_t size_in_bytes(const Table& table) {
  std::size_t bytes = 0;
  for (const Column& column : table.columns) {
    bytes +=
        std::visit([](const auto& codes) { return codes.size() * sizeof(codes[0]); }, column.codes);
    bytes += column.lowest.n_bytes() + column.highest.n_bytes();
  }
  return bytes;
}

}  // namespace

std::vector<std::uint32_t> used_rows(const Table& table, const Maybe<std::uint32_t>& rows) {
  std::vector<std::uint32_t> used = copy(rows);
  if (!rows) {
    used.resize(table.n_rows);
    std::iota(used.begin(), used.end(), 0u);
  }
  for (const std::uint32_t row : used)
    if (row >= table.n_rows) refuse("a row is not in the table");
  return used;
}

void bind_table(nb::module_& m) {
  nb::class_<Table>(m, "Table", "Columns as ordered codes.")
      .def_ro("n_rows", &Table::n_rows)
      .def_prop_ro("n_columns", [](const Table& table) { return table.columns.size(); })
      .def_prop_ro("nbytes", &size_in_bytes)
      .def(
          "n_codes",
          [](const Table& table, std::size_t column) { return table.columns.at(column).n_codes(); },
          "column"_a)
      .def(
          "n_missing",
          [](const Table& table, std::size_t column) { return table.columns.at(column).n_missing; },
          "column"_a)
      .def(
          "is_categorical",
          [](const Table& table, std::size_t column) {
            return table.columns.at(column).is_categorical;
          },
          "column"_a)
      .def(
          "append",
          [](Table& table, Table& other) {
            if (other.n_rows != table.n_rows) refuse("both tables must have the same rows");
            std::ranges::move(other.columns, std::back_inserter(table.columns));
            other.columns.clear();
            table.forget_order();  // columns are numbered by position
          },
          "other"_a, "Move the columns of another table behind its own.")
      .def(
          "codes",
          [](const Table& table, std::size_t column) {
            return std::visit(
                [](const auto& codes) {
                  return to_numpy(std::vector<std::uint32_t>(codes.begin(), codes.end()));
                },
                table.columns.at(column).codes);
          },
          "column"_a)
      .def(
          "bins",
          [](const Table& table, std::size_t column, bool highest) {
            const Column& info = table.columns.at(column);
            std::vector<double> values(info.is_categorical ? 0 : info.n_codes());
            for (std::uint32_t code = 0; code < values.size(); ++code)
              values[code] = highest ? info.upper(code) : info.lower(code);
            return to_numpy(std::move(values));
          },
          "column"_a, "highest"_a, "The lowest or highest value of each code.");
  m.def("encode_table", &encode_table, "arrays"_a, "max_codes"_a, "n_threads"_a, "names"_a,
        "n_categories"_a, "bins"_a = std::vector<std::optional<Array1<double>>>(),
        "keeps_order"_a = false);
  m.def(
      "content_order",
      [](const Table& table, const Maybe<std::uint32_t>& rows, Array1<std::uint32_t> classes) {
        const std::vector<std::uint32_t> used = used_rows(table, rows);
        if (used.empty() || classes.shape(0) % used.size() != 0)
          refuse("y must have one class per row and output");
        Stop stop(raise_signals);
        return to_numpy(without_gil(
            [&] { return content_order(table, used, view(classes), stop.pause_of(0)); }));
      },
      "table"_a, "rows"_a, "classes"_a, "Positions of rows, sorted by their content.");
}

}  // namespace ramify
