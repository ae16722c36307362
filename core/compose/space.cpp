// SPDX-License-Identifier: BSD-3-Clause
#include "compose/space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "util/vectors.hpp"

namespace ramify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rows along an order lie anywhere in memory: those so many places ahead are asked for in advance.
constexpr std::size_t far_ahead = 8;

}  // namespace

void fill_space(std::span<const double> values, int n_columns, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> label, std::span<const double> weight, int n_classes,
                NodeSpace& space) {
  const auto d = static_cast<std::size_t>(n_columns), k = static_cast<std::size_t>(n_classes);
  const auto row_at = [&](std::size_t i) { return values.data() + rows[i] * d; };
  space.n_classes = n_classes;
  space.label.assign(label.begin(), label.end());
  space.weight.assign(weight.begin(), weight.end());
  space.class_weight.assign(k, 0);
  // Sums are taken from the first row on, so that a large common offset costs no digits.
  const std::vector<double> origin(row_at(0), row_at(0) + d);
  std::vector<double> low(origin), high(origin), sum(k * d);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double own = space.weight_of(i);
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
  PointSums sums(space);  // points of a class are centred: their sum is nothing
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
    fetch(space.at(rows[std::min(i + far_ahead, rows.size() - 1)]), n_columns_);
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

/// Squared distance between the means of two groups of the classes of a side; bit i of `group` says
/// that class i of the list is in the first.
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
  // Rounding leaves a trace where points or means coincide.
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

namespace {

/// Mean over the classes of a child of the distance to the cut of the class and of the nearest
/// other class; nothing if the child is of one class. Negative: the class is not there.
double closeness(std::span<const double> distance) {
  double nearest = infinity, second = infinity, sum = 0;
  int n = 0;
  for (const double x : distance) {
    if (x < 0) continue;
    ++n;
    sum += x;
    second = std::min(second, std::max(x, nearest));
    nearest = std::min(nearest, x);
  }
  // Each class has the nearest beside it; the nearest itself has the second.
  return n < 2 ? 0 : (sum + (n - 1) * nearest + second) / n;
}

}  // namespace

namespace {

/// What is on the left of some cuts, class by class: numbers side by side for the calculation that
/// follows, of so few cuts that they stay in cache.
struct SpaceSums {
  static constexpr std::size_t capacity = 256;
  explicit SpaceSums(std::size_t n_classes)
      : weight(n_classes * capacity),
        length(weight.size()),
        last(weight.size()),
        next(weight.size()) {}
  std::vector<double> weight, length;  // [class][cut]
  std::vector<double> last, next;      // [class][cut]: the places nearest to the cut on both sides
};

/// Goes along a column and sums up what is on the left of its cuts.
class CutWalk {
 public:
  CutWalk(const NodeSpace& space, const PlacedColumn& column)
      : space_(space),
        column_(column),
        d_(static_cast<std::size_t>(space.n_columns)),
        sum_(static_cast<std::size_t>(space.n_classes) * d_),
        length_(static_cast<std::size_t>(space.n_classes)),
        weight_(length_),
        last_(length_),
        next_(length_.size()) {}

  /// The sums at cuts begin to end, which must follow those asked for before.
  void sums_at(std::size_t begin, std::size_t end, SpaceSums& found) {
    for (std::size_t cut = begin; cut < end; ++cut) {
      const std::size_t n_left = column_.cuts[cut].n_left;
      for (; i_ < n_left; ++i_) move();
      for (std::size_t k = 0; k < length_.size(); ++k) {
        while (next_[k] < column_.row.size() && (next_[k] < n_left || column_.label[next_[k]] != k))
          ++next_[k];
        const std::size_t at = k * SpaceSums::capacity + (cut - begin);
        found.weight[at] = weight_[k];
        found.length[at] = length_[k];
        found.last[at] = last_[k];
        found.next[at] = next_[k] < column_.row.size() ? column_.place[next_[k]] : 0;
      }
    }
  }

 private:
  void move() {
    const std::uint32_t row = column_.row[i_], k = column_.label[i_];
    const double own = space_.weight_of(row);
    fetch(space_.at(column_.row[std::min(i_ + far_ahead, column_.row.size() - 1)]), d_);
    weight_[k] += own;
    length_[k] += grow_sum(sum_.data() + k * d_, space_.at(row), d_, own);
    last_[k] = column_.place[i_];
  }

  const NodeSpace& space_;
  const PlacedColumn& column_;
  std::size_t d_, i_ = 0;
  std::vector<double> sum_, length_, weight_, last_;
  std::vector<std::size_t> next_;  // of each class: where its next row is
};

/// Two classes, by far the most frequent case: plain arithmetic over many cuts, which becomes
/// vector code. The two distances of a mixed child add up to its penalty.
void margins_of_two(const NodeSpace& space, std::span<const CutPlace> cuts, const SpaceSums& sums,
                    double penalty, double factor, double* margins) {
  constexpr std::size_t stride = SpaceSums::capacity;
  const double *weight_a = sums.weight.data(), *weight_b = weight_a + stride;
  const double *length_a = sums.length.data(), *length_b = length_a + stride;
  const double *last_a = sums.last.data(), *last_b = last_a + stride;
  const double *next_a = sums.next.data(), *next_b = next_a + stride;
  const double all_a = space.class_weight[0], all_b = space.class_weight[1];
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const double wa = weight_a[i], wb = weight_b[i], ra = all_a - wa, rb = all_b - wb;
    const double threshold = cuts[i].threshold;
    const double inner_a = wa * ra, inner_b = wb * rb;  // zero if the class is not torn
    const double fa = all_a / (inner_a > 0 ? inner_a : 1), fb = all_b / (inner_b > 0 ? inner_b : 1);
    const double margin_a = inner_a > 0 ? length_a[i] * fa * fa : 0;
    const double margin_b = inner_b > 0 ? length_b[i] * fb * fb : 0;
    const double half = inner_a > 0 && inner_b > 0 ? 0.5 : 1;
    const double left = wa > 0 && wb > 0 ? 2 * threshold - last_a[i] - last_b[i] : 0;
    const double right = ra > 0 && rb > 0 ? next_a[i] + next_b[i] - 2 * threshold : 0;
    margins[i] = (margin_a + margin_b) * half * factor - penalty * (left + right);
  }
}

void margins_of_many(const NodeSpace& space, std::span<const CutPlace> cuts, const SpaceSums& sums,
                     bool penalty, double factor, double* margins) {
  const auto n_classes = static_cast<std::size_t>(space.n_classes);
  std::vector<double> to_left(n_classes), to_right(n_classes);
  for (std::size_t cut = 0; cut < cuts.size(); ++cut) {
    double margin = 0;
    int n_torn = 0;
    const double threshold = cuts[cut].threshold;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const std::size_t at = k * SpaceSums::capacity + cut;
      const double left = sums.weight[at], right = space.class_weight[k] - left;
      to_left[k] = left > 0 ? threshold - sums.last[at] : -1;
      to_right[k] = right > 0 ? sums.next[at] - threshold : -1;
      if (left <= 0 || right <= 0) continue;
      const double times = space.class_weight[k] / (left * right);
      margin += sums.length[at] * times * times;
      ++n_torn;
    }
    margins[cut] = (n_torn > 0 ? margin / n_torn : 0) * factor;
    if (penalty) margins[cut] -= closeness(to_left) + closeness(to_right);
  }
}

}  // namespace

void between_node_margins(const NodeSpace& space, const PlacedColumn& column, bool penalty,
                          bool mean_of_columns, std::span<double> margins) {
  const double factor = mean_of_columns && space.n_columns > 0 ? 1.0 / space.n_columns : 1;
  SpaceSums sums(static_cast<std::size_t>(space.n_classes));
  CutWalk walk(space, column);
  for (std::size_t begin = 0; begin < column.cuts.size(); begin += SpaceSums::capacity) {
    const std::size_t end = std::min(begin + SpaceSums::capacity, column.cuts.size());
    walk.sums_at(begin, end, sums);
    const auto cuts = std::span(column.cuts).subspan(begin, end - begin);
    if (space.n_classes == 2)
      margins_of_two(space, cuts, sums, penalty ? 1 : 0, factor, margins.data() + begin);
    else
      margins_of_many(space, cuts, sums, penalty, factor, margins.data() + begin);
  }
}

void class_separations(const NodeSpace& space, const PlacedColumn& column, CodeMatrix code,
                       std::span<double> separations) {
  const PointSums all = PointSums::all(space);
  PointSums left(space);
  std::size_t n_left = 0;
  for (std::size_t cut = 0; cut < column.cuts.size(); ++cut) {
    const std::size_t n = column.cuts[cut].n_left;
    left.add(space, std::span(column.row).subspan(n_left, n - n_left));
    n_left = n;
    separations[cut] = class_separation(space, left, all.without(left), code);
  }
}

}  // namespace ramify
