// SPDX-License-Identifier: BSD-3-Clause
// Codes of rows that arrive in blocks, and how often rows are sampled.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind/blocks.hpp"
#include "data/known_codes.hpp"
#include "data/table.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// Codebooks without rows: bins from low to high, or the number of categories where it is not
/// negative.
Table codebooks(const std::vector<Array1<double>>& low, const std::vector<Array1<double>>& high,
                const std::vector<std::int64_t>& n_categories,
                const std::vector<bool>& has_missing) {
  const std::size_t n = n_categories.size();
  if (low.size() != n || high.size() != n || has_missing.size() != n)
    refuse("low, high, n_categories and has_missing must have one entry per column");
  Table table;
  table.columns.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    Column& column = table.columns[j];
    column.n_missing = has_missing[j];
    column.is_categorical = n_categories[j] >= 0;
    if (column.is_categorical) {
      column.n_categories = static_cast<std::uint32_t>(n_categories[j]);
      continue;
    }
    if (low[j].shape(0) != high[j].shape(0)) refuse("low and high must have one value per bin");
    column.lowest = Values(copy(low[j]));
    column.highest = Values(copy(high[j]));
  }
  return table;
}

/// A table of rows whose codes are known.
Table table_of(const Table& books, const Layout& layout, const ByteCodes& byte_codes,
               const IntCodes& int_codes) {
  if (books.columns.size() != layout.n_codes.size()) refuse("a layout must have all columns");
  check_codes(layout, byte_codes, int_codes);
  if (byte_codes.shape(0) >= std::size_t{1} << 31) refuse("a table has at most 2^31 - 1 rows");
  Table table;
  table.columns = books.columns;
  table.n_rows = static_cast<std::uint32_t>(byte_codes.shape(0));
  const nb::gil_scoped_release release;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    Column& column = table.columns[j];
    const bool fits = layout.is_low_cardinality(j)
                          ? take_codes(column, byte_codes.data() + layout.place[j],
                                       layout.n_byte_columns, table.n_rows)
                          : take_codes(column, int_codes.data() + layout.place[j],
                                       layout.n_int_columns, table.n_rows);
    if (!fits) throw std::invalid_argument("a code is not in its codebook");
  }
  return table;
}

/// How often each row is sampled for a tree: a Poisson number from seed, tree and row, by
/// inversion.
nb::ndarray<nb::numpy, double> poisson_times(Array1<std::uint64_t> rows, std::uint64_t seed,
                                             std::uint64_t tree, Array1<std::uint64_t> bounds) {
  const std::uint64_t key = mix(mix(seed) ^ tree);
  std::vector<double> times(rows.shape(0));
  const std::span<const std::uint64_t> all = view(bounds);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::uint64_t hash = mix(key ^ rows.data()[i]);
    std::size_t n = 0;
    while (n < all.size() && hash >= all[n]) ++n;
    times[i] = static_cast<double>(n);
  }
  return to_numpy(std::move(times));
}

}  // namespace

void bind_codes(nb::module_& m) {
  m.def("codebooks", &codebooks, "low"_a, "high"_a, "n_categories"_a, "has_missing"_a);
  m.def(
      "learn_bins",
      [](Array1<double> values, std::uint32_t max_codes) {
        return to_numpy(learn_bins(copy(values), max_codes));
      },
      "values"_a, "max_codes"_a);
  m.def("table_of_codes", &table_of, "codebooks"_a, "layout"_a, "byte_codes"_a, "int_codes"_a);
  m.def("poisson_times", &poisson_times, "rows"_a, "seed"_a, "tree"_a, "bounds"_a);
  m.def("exact_unit", &exact_unit, "largest"_a, "n"_a,
        "The unit in which n weights, none above the largest, are counted.");
  m.def(
      "new_values",
      [](const AnyArray& values, Array1<double> known, std::size_t limit) {
        const auto raw = raw_columns({values});
        return to_numpy(new_values(raw.at(0), view(known), limit));
      },
      "values"_a, "known"_a, "limit"_a,
      "Values that are not among the known ones, ascending; stops above `limit` values in all.");
  m.def(
      "encode_numbers",
      [](const AnyArray& values, Array1<double> lowest,
         nb::ndarray<std::uint8_t, nb::ndim<1>, nb::device::cpu> codes, Written<double> low,
         Written<double> high) {
        const auto raw = raw_columns({values});
        const std::size_t n = lowest.shape(0);
        if (raw.size() != 1 || codes.shape(0) != raw[0].n_rows || n == 0 || n > 255 ||
            low.shape(0) != n || high.shape(0) != n)
          refuse("codes must have one entry per row, low and high one per bin");
        const nb::gil_scoped_release release;
        const KnownCodes found = encode_into(raw[0], view(lowest), codes.data(), codes.stride(0),
                                             {low.data(), n}, {high.data(), n});
        return std::tuple(found.n_missing, found.infinite_row);
      },
      "values"_a, "lowest"_a, "codes"_a, "low"_a, "high"_a,
      "Write codes; return the number of missing values, and the first infinite row or -1.");
}

}  // namespace ramify
