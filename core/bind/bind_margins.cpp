// SPDX-License-Identifier: BSD-3-Clause
// Margins of the cuts of a column, and their bounds; for tests.
#include <algorithm>
#include <numeric>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "structure/margins.hpp"

namespace ramify {
namespace {

/// The rows along a column, and its values by code.
CodedColumn coded_column(const Array2<double>& values, std::size_t column, Column& info) {
  const std::size_t n = values.shape(0);
  const auto value = [&](std::uint32_t row) { return values(row, column); };
  CodedColumn coded{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
  std::iota(coded.row.begin(), coded.row.end(), 0u);
  std::ranges::stable_sort(coded.row, {}, value);
  std::vector<double> lowest;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = value(coded.row[i]);
    if (lowest.empty() || lowest.back() != x) lowest.push_back(x);
    coded.code[i] = static_cast<std::uint32_t>(lowest.size() - 1);
  }
  info.lowest = Values(std::move(lowest));
  return coded;
}

/// For every cut of a column: its margin without penalty, a bound of it, and a tighter one.
nb::ndarray<nb::numpy, double> margin_bounds(const Array2<double>& values,
                                             const Array1<std::uint32_t>& label,
                                             const Array1<double>& weight, std::uint32_t column) {
  const std::size_t n = values.shape(0), d = values.shape(1);
  if (n == 0 || column >= d || label.shape(0) != n || weight.shape(0) != n)
    throw nb::value_error(
        "there must be one label and one weight per row, and the column must exist");
  const int n_classes = 1 + static_cast<int>(std::ranges::max(view(label)));
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  NodeSpace space;
  fill_space({values.data(), n * d}, static_cast<int>(d), rows, view(label), view(weight),
             n_classes, space);
  MarginLimits limits;
  find_limits(space, limits);
  Column info;
  const CodedColumn coded = coded_column(values, column, info);
  std::vector<std::uint32_t> n_left;
  for (std::uint32_t i = 1; i < n; ++i)
    if (coded.code[i - 1] != coded.code[i]) n_left.push_back(i);
  const std::size_t n_cuts = n_left.size(), k = static_cast<std::size_t>(n_classes);
  std::vector<double> left(k * n_cuts), running(k), found(3 * n_cuts);
  for (std::size_t i = 0, cut = 0; cut < n_cuts; ++cut) {
    for (; i < n_left[cut]; ++i) running[label(coded.row[i])] += weight(coded.row[i]);
    for (std::size_t y = 0; y < k; ++y) left[y * n_cuts + cut] = running[y];
  }
  const MarginKind kind{.penalty = Penalty::none};
  MarginWalk(space, {}, coded, ColumnPlaces(info, coded, true), kind).margins(n_left, found.data());
  MarginBounds bounds;
  for (std::size_t begin = 0; begin < n_cuts; begin += SpaceSums::capacity) {
    const std::size_t m = std::min(SpaceSums::capacity, n_cuts - begin);
    const WeighedCuts cuts{left.data() + begin, n_cuts, m, 1};
    bounds.find(space, limits, kind, cuts, found.data() + n_cuts + begin);
    bounds.find_closely(
        space, limits, kind, cuts, n_left.data() + begin,
        [&](std::uint32_t place) { return coded.row[place]; }, found.data() + 2 * n_cuts + begin);
  }
  return to_numpy(std::move(found), {3, n_cuts});
}

}  // namespace

void bind_margins(nb::module_& m) {
  m.def("margin_bounds", &margin_bounds, nb::arg("values"), nb::arg("label"), nb::arg("weight"),
        nb::arg("column"));
}

}  // namespace ramify
