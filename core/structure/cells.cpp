// SPDX-License-Identifier: BSD-3-Clause
#include "structure/cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "linear_algebra/vectors.hpp"

namespace ramify {
namespace {

constexpr std::size_t max_low_cardinality = 256;

/// Minimum number of binary digits of a rounded point; fewer would be too imprecise.
constexpr int min_digits = 16;

/// Sums of points by class and column, in the form that PointSums needs.
struct SideSums {
  SideSums(std::size_t n_classes, std::size_t n_columns)
      : weight(n_classes), sum(n_classes * n_columns), squares(n_classes) {}
  std::vector<double> weight, sum, squares;
  PointSums points(std::size_t n_columns) && {
    return {n_columns, std::move(weight), std::move(sum), std::move(squares)};
  }
};

}  // namespace

bool is_counted_by_code(const Table& table) {
  return std::ranges::all_of(table.columns, [](const Column& each) {
    return !each.is_categorical && each.is_low_cardinality();
  });
}

CodeCube::CodeCube(const ClassCells& node, std::span<const double> weight) {
  const auto k = static_cast<std::size_t>(node.n_classes);
  space.n_classes = node.n_classes;
  space.class_weight.assign(k, 0);
  for (std::size_t i = 0; i < node.first[1] * k; ++i) space.class_weight[i % k] += weight[i];
  const auto occurs = [&](std::size_t cell) {
    for (std::size_t y = 0; y < k; ++y)
      if (weight[node.at(cell) + y] > 0) return true;
    return false;
  };
  for (std::size_t j = 0; j < node.n_columns(); ++j) {
    std::size_t low = node.first[j], high = node.first[j + 1];
    while (low < high && !occurs(low)) ++low;
    while (low < high && !occurs(high - 1)) --high;
    if (low < high && node.value[high - 1] > node.value[low]) varies.push_back({low, high});
  }
  const std::size_t m = varies.size();
  space.n_columns = static_cast<int>(m);
  space.class_mean.assign(k * m, 0);
  point.resize(node.weight.size());
  std::vector<double> sum(k);
  for (std::size_t j = 0; j < m; ++j) {
    const auto [begin, end] = varies[j];
    const double low = node.value[begin], scale = 1 / (node.value[end - 1] - low);
    std::ranges::fill(sum, 0);
    for (std::size_t cell = begin; cell < end; ++cell)
      for (std::size_t y = 0; y < k; ++y)
        sum[y] += weight[node.at(cell) + y] * (node.value[cell] - low);
    for (std::size_t y = 0; y < k; ++y) {
      if (space.class_weight[y] <= 0) continue;
      const double mean = sum[y] / space.class_weight[y], center = low + mean;
      space.class_mean[y * m + j] = mean * scale;
      for (std::size_t cell = begin; cell < end; ++cell)
        point[node.at(cell) + y] = (node.value[cell] - center) * scale;
    }
  }
}

bool CodeCube::make_exact() {
  double total = 0;
  for (const double each : space.class_weight) total += each;
  const int digits = 52 - std::ilogb(total);  // no sum of points is longer than its weight
  if (digits < min_digits) return false;
  const double shift = std::ldexp(1.5, 52 - digits);  // added to a point, it keeps so many digits
  for (double& each : point) each = (each + shift) - shift;
  space.is_exact = true;
  return true;
}

double SeparationByCode::of_all(CodeMatrix code) const {
  const std::vector<double> none(weight_.size());
  return scatter_over_distance(cube_.space, sums_beside(none).second, code);
}

double SeparationByCode::of_cut(std::span<const double> left, CodeMatrix code) const {
  const auto [on_left, on_right] = sums_beside(left);
  return class_separation(cube_.space, on_left, on_right, code);
}

/// The sums of both sides, column by column in the order of codes.
std::pair<PointSums, PointSums> SeparationByCode::sums_beside(std::span<const double> left) const {
  const auto k = static_cast<std::size_t>(node_.n_classes);
  const std::size_t m = cube_.varies.size();
  SideSums sides[2] = {{k, m}, {k, m}};
  for (std::size_t i = 0; i < node_.first[1] * k; ++i) {
    sides[0].weight[i % k] += left[i];
    sides[1].weight[i % k] += weight_[i] - left[i];
  }
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t y = 0; y < k; ++y) {
      double sum[2] = {}, squares[2] = {};
      const std::size_t end = node_.at(cube_.varies[j].second);
      for (std::size_t i = node_.at(cube_.varies[j].first) + y; i < end; i += k) {
        const double on_left = left[i] * cube_.point[i],
                     on_right = (weight_[i] - left[i]) * cube_.point[i];
        sum[0] += on_left;
        sum[1] += on_right;
        squares[0] += on_left * cube_.point[i];
        squares[1] += on_right * cube_.point[i];
      }
      for (const int side : {0, 1}) {
        sides[side].sum[y * m + j] = sum[side];
        sides[side].squares[y] += squares[side];
      }
    }
  return {std::move(sides[0]).points(m), std::move(sides[1]).points(m)};
}

double separation_of_children(const ClassCells& node, std::span<const double> left,
                              CodeMatrix code) {
  std::vector<double> right(node.weight);
  double of_left = 0, total = 0;
  for (std::size_t i = 0; i < right.size(); ++i) right[i] -= left[i];
  for (std::size_t i = 0; i < node.at(node.first[1]); ++i) {
    of_left += left[i];
    total += node.weight[i];
  }
  const double share = of_left / total;
  return share * SeparationByCode(node, left).of_all(code) +
         (1 - share) * SeparationByCode(node, right).of_all(code);
}

// --- rows in memory -----------------------------------------------------------------------------

RowCells::RowCells(const Table& table, const RecordView& records, std::vector<int> offsets,
                   std::span<const std::uint32_t> label, std::span<const double> weight,
                   int n_classes)
    : records_(records), offsets_(std::move(offsets)), label_(label), weight_(weight) {
  const std::size_t d = table.columns.size();
  cell_of_ = std::make_unique_for_overwrite<std::uint32_t[]>(d * max_low_cardinality);
  cells_.first.reserve(d + 1);
  cells_.n_classes = n_classes;
  for (std::size_t j = 0; j < d; ++j) {
    cells_.first.push_back(cells_.value.size());
    std::uint64_t occurs[max_low_cardinality / 64] = {};
    for (std::size_t i = 0; i < records_.n; ++i) {
      const std::size_t code = code_of(i, j);
      occurs[code / 64] |= std::uint64_t{1} << code % 64;
    }
    for (std::size_t word = 0; word < std::size(occurs); ++word)
      for (std::uint64_t rest = occurs[word]; rest != 0; rest &= rest - 1) {
        const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        cell_of_[j * max_low_cardinality + code] = static_cast<std::uint32_t>(cells_.value.size());
        cells_.value.push_back(table.columns[j].lower(static_cast<std::uint32_t>(code)));
      }
  }
  cells_.first.push_back(cells_.value.size());
  cells_.weight.resize(cells_.at(cells_.value.size()));
  add([](std::size_t) { return true; }, cells_.weight);
}

template <class Takes>
void RowCells::add(Takes takes, std::vector<double>& weight) const {
  const auto k = static_cast<std::size_t>(cells_.n_classes);
  const std::size_t d = offsets_.size();
  for (std::size_t i = 0; i < records_.n; ++i) {
    if (!takes(i)) continue;
    double* of_class = weight.data() + label_[i];
    const double own = weight_.empty() ? 1 : weight_[i];
    for (std::size_t j = 0; j < d; ++j)
      of_class[cell_of_[j * max_low_cardinality + code_of(i, j)] * k] += own;
  }
}

std::vector<double> RowCells::left_of(int column, std::uint32_t code) const {
  const auto j = static_cast<std::size_t>(column);
  const auto is_left = [&](std::size_t i) { return code_of(i, j) <= code; };
  std::size_t n_left = 0;
  for (std::size_t i = 0; i < records_.n; ++i) n_left += is_left(i);
  std::vector<double> found(cells_.weight.size());
  if (n_left <= records_.n / 2) {  // count the smaller side and subtract for the other
    add(is_left, found);
    return found;
  }
  add([&](std::size_t i) { return !is_left(i); }, found);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = cells_.weight[i] - found[i];
  return found;
}

bool RowCells::fill_exact(NodeSpace& space) const {
  CodeCube cube(cells_, cells_.weight);
  if (!cube.make_exact()) return false;
  const auto k = static_cast<std::size_t>(cells_.n_classes);
  std::vector<std::size_t> columns;  // those that vary
  for (const auto& [begin, end] : cube.varies)
    columns.push_back(static_cast<std::size_t>(std::ranges::upper_bound(cells_.first, begin) -
                                               cells_.first.begin() - 1));
  const std::size_t m = columns.size();
  space = std::move(cube.space);
  space.label.assign(label_.begin(), label_.end());
  space.weight.assign(weight_.begin(), weight_.end());
  space.point.resize(records_.n * m);
  space.square.resize(records_.n);
  for (std::size_t i = 0; i < records_.n; ++i) {
    double* point = space.point.data() + i * m;
    for (std::size_t j = 0; j < m; ++j)
      point[j] =
          cube.point[cell_of_[columns[j] * max_low_cardinality + code_of(i, columns[j])] * k +
                     label_[i]];
    space.square[i] = dot(point, point, m);
  }
  return true;
}

}  // namespace ramify
