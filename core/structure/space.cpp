// SPDX-License-Identifier: BSD-3-Clause
#include "structure/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linear_algebra/vectors.hpp"
#include "simd/prefetch.hpp"

namespace ramify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows along an order are scattered in memory: prefetch those this many positions ahead.
constexpr std::size_t far_ahead = 8;

}  // namespace

void fill_space(std::span<const double> values, int n_columns, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> label, std::span<const double> weight, int n_classes,
                NodeSpace& space) {
  const auto d = static_cast<std::size_t>(n_columns), k = static_cast<std::size_t>(n_classes);
  const auto row_at = [&](std::size_t i) { return values.data() + rows[i] * d; };
  space.n_classes = n_classes;
  space.is_exact = false;
  space.label.assign(label.begin(), label.end());
  space.weight.assign(weight.begin(), weight.end());
  space.class_weight.assign(k, 0);
  // Sums are relative to the first row, so that a large common offset costs no precision.
  const std::vector<double> origin(row_at(0), row_at(0) + d);
  std::vector<double> low(origin), high(origin), sum(k * d);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double own = space.weight_of(i);
    prefetch(row_at(std::min(i + far_ahead, rows.size() - 1)), d);
    space.class_weight[space.label[i]] += own;
    add_to_range(row_at(i), origin.data(), own, d, low.data(), high.data(),
                 sum.data() + space.label[i] * d);
  }
  std::vector<std::size_t> varies;
  for (std::size_t j = 0; j < d; ++j)
    if (high[j] > low[j]) varies.push_back(j);
  const std::size_t m = varies.size();
  space.n_columns = static_cast<int>(m);
  space.class_mean.assign(k * m, 0);
  std::vector<double> center(k * m), scale(m);  // of each class; of each column
  for (std::size_t j = 0; j < m; ++j) {
    const std::size_t from = varies[j];
    scale[j] = 1 / (high[from] - low[from]);
    for (std::size_t y = 0; y < k; ++y) {
      if (space.class_weight[y] <= 0) continue;
      center[y * m + j] = origin[from] + sum[y * d + from] / space.class_weight[y];
      space.class_mean[y * m + j] = (center[y * m + j] - low[from]) * scale[j];
    }
  }
  space.point.resize(rows.size() * m);
  space.square.resize(rows.size());
  const bool all_vary = m == d;
  std::vector<double> picked(m);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* x = row_at(i);
    if (!all_vary) {
      for (std::size_t j = 0; j < m; ++j) picked[j] = x[varies[j]];
      x = picked.data();
    }
    space.square[i] = scale_point(x, center.data() + space.label[i] * m, scale.data(), m,
                                  space.point.data() + i * m);
  }
}

PointSums::PointSums(const NodeSpace& space)
    : n_columns_(static_cast<std::size_t>(space.n_columns)),
      weight_(static_cast<std::size_t>(space.n_classes)),
      sum_(weight_.size() * n_columns_),
      squares_(weight_.size()),
      length_(weight_.size()) {}

PointSums::PointSums(std::size_t n_columns, std::vector<double> weight, std::vector<double> sum,
                     std::vector<double> squares)
    : n_columns_(n_columns),
      weight_(std::move(weight)),
      sum_(std::move(sum)),
      squares_(std::move(squares)) {
  for (std::size_t k = 0; k < weight_.size(); ++k) {
    const double* own = sum_.data() + k * n_columns_;
    length_.push_back(dot(own, own, n_columns_));
  }
}

PointSums PointSums::all(const NodeSpace& space) {
  PointSums sums(space);  // points of a class are centred: their sum is 0
  sums.weight_ = space.class_weight;
  for (std::size_t row = 0; row < space.n_rows(); ++row)
    sums.squares_[space.label[row]] += space.weight_of(row) * space.square[row];
  return sums;
}

void PointSums::add(const NodeSpace& space, std::size_t row) {
  const std::size_t k = space.label[row];
  const double weight = space.weight_of(row);
  weight_[k] += weight;
  squares_[k] += weight * space.square[row];
  length_[k] += grow_sum(sum_.data() + k * n_columns_, space.at(row), n_columns_, weight);
}

void PointSums::add(const NodeSpace& space, std::span<const std::uint32_t> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    prefetch(space.at(rows[std::min(i + far_ahead, rows.size() - 1)]), n_columns_);
    add(space, rows[i]);
  }
}

PointSums PointSums::without(const PointSums& part) const {
  PointSums rest = *this;
  for (std::size_t k = 0; k < weight_.size(); ++k) {
    rest.weight_[k] -= part.weight_[k];
    rest.squares_[k] -= part.squares_[k];
    double* sum = rest.sum_.data() + k * n_columns_;
    for (std::size_t j = 0; j < n_columns_; ++j) sum[j] -= part.sum_[k * n_columns_ + j];
    rest.length_[k] = dot(sum, sum, n_columns_);
  }
  return rest;
}

double PointSums::total() const { return std::accumulate(weight_.begin(), weight_.end(), 0.0); }

namespace {

/// Squared distance between the means of two groups of the classes of a side; bit i of `group` is
/// set if class i of the list is in the first group.
double distance_of_groups(const NodeSpace& space, const PointSums& side,
                          std::span<const int> classes, std::uint64_t group) {
  const auto d = static_cast<std::size_t>(space.n_columns);
  double weight[2] = {0, 0};
  std::vector<double> mean[2] = {std::vector<double>(d), std::vector<double>(d)};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const int k = classes[i], which = group >> i & 1 ? 0 : 1;
    const double own = side.weight_of(k);
    const double* center = space.class_mean.data() + static_cast<std::size_t>(k) * d;
    weight[which] += own;
    for (std::size_t j = 0; j < d; ++j) mean[which][j] += own * center[j] + side.sum(k)[j];
  }
  double distance = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double apart = mean[0][j] / weight[0] - mean[1][j] / weight[1];
    distance += apart * apart;
  }
  return distance;
}

double distance_of_pair(const NodeSpace& space, const PointSums& side, int a, int b) {
  const auto d = static_cast<std::size_t>(space.n_columns);
  const double *center_a = space.class_mean.data() + static_cast<std::size_t>(a) * d,
               *center_b = space.class_mean.data() + static_cast<std::size_t>(b) * d;
  const double in_a = 1 / side.weight_of(a), in_b = 1 / side.weight_of(b);
  double distance = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double apart =
        (center_a[j] + side.sum(a)[j] * in_a) - (center_b[j] + side.sum(b)[j] * in_b);
    distance += apart * apart;
  }
  return distance;
}

double distance_of_classes(const NodeSpace& space, const PointSums& side, std::vector<int> classes,
                           CodeMatrix code) {
  if (classes.size() == 2) return distance_of_pair(space, side, classes[0], classes[1]);
  double distance = 0;
  if (code == CodeMatrix::one_vs_one) {
    for (std::size_t i = 0; i < classes.size(); ++i)
      for (std::size_t j = i + 1; j < classes.size(); ++j)
        distance += distance_of_pair(space, side, classes[i], classes[j]);
  } else if (code == CodeMatrix::exhaustive && classes.size() <= 6) {
    for (std::uint64_t group = 1; group < std::uint64_t{1} << (classes.size() - 1); ++group)
      distance += distance_of_groups(space, side, classes, group);
  } else {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      std::swap(classes[0], classes[i]);
      distance += distance_of_groups(space, side, classes, 1);
      std::swap(classes[0], classes[i]);
    }
  }
  return distance;
}

}  // namespace

double scatter_over_distance(const NodeSpace& space, const PointSums& side, CodeMatrix code) {
  std::vector<int> classes;
  double scatter = 0, squares = 0;
  for (int k = 0; k < space.n_classes; ++k) {
    if (side.weight_of(k) <= 0) continue;
    classes.push_back(k);
    scatter += side.squares(k) - side.length(k) / side.weight_of(k);
    squares += side.squares(k);
  }
  if (classes.size() < 2) return 0;
  // Rounding leaves a residue where points or means coincide.
  const double distance = distance_of_classes(space, side, std::move(classes), code);
  if (distance <= 1e-24 * space.n_columns) return infinity;
  return scatter <= 1e-14 * squares ? 0 : scatter / distance;
}

double class_separation(const NodeSpace& space, const PointSums& left, const PointSums& right,
                        CodeMatrix code) {
  const double share = left.total() / (left.total() + right.total());
  return share * scatter_over_distance(space, left, code) +
         (1 - share) * scatter_over_distance(space, right, code);
}

double class_separation_of_children(std::span<const double> values, int n_columns,
                                    std::span<const std::uint32_t> rows, const NodeSpace& space,
                                    std::span<const std::uint8_t> goes_left, CodeMatrix code) {
  double weight[2], separation[2];
  for (const int side : {0, 1}) {
    std::vector<std::uint32_t> own, labels;
    std::vector<double> weights;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (goes_left[i] != (side == 0)) continue;
      own.push_back(rows[i]);
      labels.push_back(space.label[i]);
      weights.push_back(space.weight_of(i));
    }
    NodeSpace child;
    fill_space(values, n_columns, own, labels, weights, space.n_classes, child);
    const PointSums sums = PointSums::all(child);
    weight[side] = sums.total();
    separation[side] = scatter_over_distance(child, sums, code);
  }
  const double share = weight[0] / (weight[0] + weight[1]);
  return share * separation[0] + (1 - share) * separation[1];
}

void class_separations(const NodeSpace& space, std::span<const std::uint32_t> rows,
                       std::span<const std::uint32_t> n_left, CodeMatrix code,
                       std::span<double> separations) {
  const PointSums all = PointSums::all(space);
  PointSums left(space);
  std::size_t n_added = 0;
  for (std::size_t cut = 0; cut < n_left.size(); ++cut) {
    left.add(space, rows.subspan(n_added, n_left[cut] - n_added));
    n_added = n_left[cut];
    separations[cut] = class_separation(space, left, all.without(left), code);
  }
}

}  // namespace ramify
