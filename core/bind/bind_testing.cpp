// SPDX-License-Identifier: BSD-3-Clause
// What only tests call: the bounds that searches rely on, and statistical functions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/criteria.hpp"
#include "scan/hull.hpp"
#include "structure/margins.hpp"
#include "tree/counting.hpp"
#include "util/distributions.hpp"

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
    refuse("there must be one label and one weight per row, and the column must exist");
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
    for (const int closely : {0, 1})
      bounds.find(
          space, limits, kind, cuts, n_left.data() + begin,
          closely ? MarginBounds::few_of(static_cast<std::uint32_t>(n)) : 0,
          [&](std::uint32_t place) { return coded.row[place]; },
          found.data() + (1 + static_cast<std::size_t>(closely)) * n_cuts + begin);
  }
  return to_numpy(std::move(found), {3, n_cuts});
}

/// How far the deviations of single cuts exceed what these scores need, by the bound of a
/// criterion: never negative for a score that a cut reaches. Nothing if there is no bound.
std::optional<nb::ndarray<nb::numpy, double>> bound_slack(const std::string& name,
                                                          Array1<double> parent,
                                                          Array1<double> left,
                                                          Array1<double> scores,
                                                          const std::vector<double>& values) {
  const auto set = find_criterion(name, values, {}, false);
  const DeviationBound& bound = set->bound;
  if (!bound) return std::nullopt;
  const std::size_t n_classes = parent.shape(0), n_cuts = scores.shape(0);
  if (left.shape(0) != n_classes * n_cuts) refuse("there must be one weight per class and score");
  const double total = std::accumulate(parent.data(), parent.data() + n_classes, 0.0);
  BoundNode node{.parent = parent.data(),
                 .n_classes = static_cast<int>(n_classes),
                 .total = total,
                 .settings = &set->settings};
  std::vector<std::uint32_t> places(n_classes);
  std::iota(places.begin(), places.end(), 0u);
  node.classes = places.data();
  std::vector<double> slack(n_cuts), sides, needed(static_cast<std::size_t>(total) + 1);
  if (bound.fill_sides) {
    sides.resize(2 * needed.size());
    bound.fill_sides(set->settings, node.n_classes, static_cast<int>(needed.size()), sides.data());
    node.sides = sides.data();
    node.terms = sides.data() + needed.size();
  }
  if (bound.find_statistics) bound.find_statistics(node);
  for (std::size_t i = 0; i < n_cuts; ++i) {
    double n_left = 0, squares = 0, magnitudes = 0, largest = 0, up_to = 0, whole = 0;
    bool has_all = true;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double own = left.data()[k * n_cuts + i];
      n_left += own;
      has_all = has_all && own > 0 && own < parent.data()[k];
    }
    const double ratio = n_left / (total - n_left);
    for (std::size_t k = 0; k < n_classes; ++k) {
      const int own = static_cast<int>(k);
      up_to = (bound.is_cumulative ? up_to : 0) + left.data()[k * n_cuts + i];
      whole = (bound.is_cumulative ? whole : 0) + parent.data()[k];
      const double deviation = up_to - n_left * whole / total;
      const double bend = bound.bend ? bound.bend(node, own) : 0;
      double square = bound.factor(node, own) * deviation * deviation;
      square *= 1 + bend * std::max(deviation * ratio, -deviation / ratio) / parent.data()[k];
      squares += square;
      magnitudes += std::sqrt(square);
      largest = std::max(largest, square);
    }
    const double norm = bound.norm == DeviationNorm::magnitudes ? magnitudes * magnitudes
                        : bound.norm == DeviationNorm::largest  ? largest
                                                                : squares;
    const double pairs = n_left * (total - n_left);
    slack[i] = std::numeric_limits<double>::infinity();
    if (bound.of_all_classes && !has_all) continue;
    if (bound.min) slack[i] = norm / pairs - bound.min(node, scores.data()[i]);
    if (!bound.fill) continue;
    const int at = static_cast<int>(n_left);
    bound.fill(node, scores.data()[i], {at, at + 1}, needed.data());
    slack[i] = std::min(slack[i], (norm - needed[at]) / pairs);
  }
  return to_numpy(std::move(slack));
}

/// The highest score of the corners around each `chunk` consecutive cuts of a node of two classes;
/// see scan/hull.hpp.
nb::ndarray<nb::numpy, double> hull_tops(const std::string& name, Array1<double> parent,
                                         Array1<double> left, int chunk,
                                         const std::vector<double>& values) {
  const auto n_cuts = static_cast<int>(left.shape(0) / 2);
  if (parent.shape(0) != 2 || n_cuts < 1 || n_cuts > CutBlock::capacity || chunk < 8 ||
      chunk % RAMIFY_KERNELS::pack_width != 0)
    refuse("there must be two classes, up to 256 cuts, and a chunk of 8 or more");
  std::vector<double> block(2 * CutBlock::stride), corners(2 * CutBlock::stride);
  std::vector<double> scores(CutBlock::stride);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < CutBlock::stride; ++i)
      block[static_cast<std::size_t>(k * CutBlock::stride + i)] =
          left.data()[k * n_cuts + std::min(i, n_cuts - 1)];
  const HullCall hulls{block.data(), parent.data(), n_cuts, chunk, corners.data()};
  kernels().write_hulls(hulls);
  const auto set = find_criterion(name, values, {}, false);
  const ScoreCall call{parent.data(),
                       parent.data()[0] + parent.data()[1],
                       2,
                       corners.data(),
                       hulls.n_all_corners(),
                       nullptr,
                       1,
                       set.get()};
  set->score(call, scores.data());
  std::vector<double> tops;
  for (int i = 0; i < hulls.n_chunks(); ++i) {
    const double* corner = scores.data() + i * HullCall::n_corners;
    tops.push_back(*std::max_element(corner, corner + HullCall::n_corners + 1));
  }
  return to_numpy(std::move(tops));
}

}  // namespace

void bind_testing(nb::module_& m) {
  m.def("log_chi2_tail", &log_chi2_tail, "x"_a, "degrees"_a);
  m.def("log_f_tail", &log_f_tail, "x"_a, "degrees_above"_a, "degrees_below"_a);
  m.def("bound_slack", &bound_slack, "name"_a, "parent"_a, "left"_a, "scores"_a,
        "values"_a = std::vector<double>());
  m.def("hull_tops", &hull_tops, "name"_a, "parent"_a, "left"_a, "chunk"_a,
        "values"_a = std::vector<double>());
  m.def(
      "added_errors",
      [](double n, double errors, const std::string& bound, double cf) {
        return error_bound(bound, cf).added(n, errors);
      },
      "n"_a, "errors"_a, "bound"_a, "cf"_a);
  m.def("margin_bounds", &margin_bounds, "values"_a, "label"_a, "weight"_a, "column"_a);
}

}  // namespace ramify
