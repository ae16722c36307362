// SPDX-License-Identifier: BSD-3-Clause
// Weight, mean and squared deviations of every column, class by class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// The moments of some rows. Those of two disjoint sets of rows give those of their union, and
/// those of the union and of one set give those of the other (Chan, Golub, LeVeque 1979), so that
/// only the smaller child of a node has to be looked at.
struct Moments {
  std::vector<std::uint32_t> classes;  // those that occur, ascending: the channels
  std::size_t n_columns = 0;
  bool has_missing = false;             // then weights are of the rows with a value, by column
  std::vector<double> weight;           // [channel], or [channel][column]
  std::vector<double> mean, deviation;  // [channel][column]; sums of squared deviations
  // [column]: the sums of squares that the deviations are differences of. Their rounding error is
  // about 1e-16 of it.
  std::vector<double> scale;

  std::size_t n_channels() const { return classes.size(); }
  double weight_at(std::size_t k, std::size_t j) const {
    return has_missing ? weight[k * n_columns + j] : weight[k];
  }
  /// Calls use(weight_of), where weight_of(j) is the weight of a channel in column j.
  template <class Use>
  void with_weight(std::size_t k, Use use) const {
    if (has_missing)
      use([own = weight.data() + k * n_columns](std::size_t j) { return own[j]; });
    else
      use([own = weight[k]](std::size_t) { return own; });
  }

  /// Room for sums over rows of the classes that weigh something.
  void start(std::span<const double> class_weight, std::size_t columns, bool missing) {
    n_columns = columns;
    has_missing = missing;
    classes.clear();
    for (std::uint32_t k = 0; k < class_weight.size(); ++k)
      if (class_weight[k] > 0) classes.push_back(k);
    const std::size_t n = classes.size() * columns;
    mean.assign(n, 0);
    deviation.assign(n, 0);
    weight.assign(missing ? n : classes.size(), 0);
    if (!missing)
      for (std::size_t k = 0; k < classes.size(); ++k) weight[k] = class_weight[classes[k]];
    scale.assign(columns, 0);
  }

  /// From sums of x - centre and of its square, held in `mean` and `deviation`, to moments.
  void finish(std::span<const double* const> centre) {
    for (std::size_t k = 0; k < n_channels(); ++k) {
      double* first = mean.data() + k * n_columns;
      double* second = deviation.data() + k * n_columns;
      const auto column = [&](std::size_t j, double n) {
        const double shift = n > 0 ? first[j] / n : 0;
        scale[j] += second[j];
        second[j] = std::max(0.0, second[j] - first[j] * shift);
        first[j] = centre[k][j] + shift;
      };
      with_weight(k, [&](auto weight_of) {
        for (std::size_t j = 0; j < n_columns; ++j) column(j, weight_of(j));
      });
    }
  }

  /// Takes away some of the rows; `class_weight` is what is left of each class.
  void subtract(const Moments& part, std::span<const double> class_weight) {
    std::size_t to = 0, other = 0;
    for (std::size_t k = 0; k < n_channels(); ++k) {
      while (other < part.n_channels() && part.classes[other] < classes[k]) ++other;
      if (class_weight[classes[k]] <= 0) continue;
      move_channel(k, to);
      if (other < part.n_channels() && part.classes[other] == classes[to])
        subtract_channel(to, part, other);
      ++to;
    }
    classes.resize(to);
    for (std::size_t j = 0; j < n_columns; ++j) scale[j] += part.scale[j];
  }

 private:
  void move_channel(std::size_t from, std::size_t to) {
    if (from == to) return;
    classes[to] = classes[from];
    const auto move = [&](std::vector<double>& numbers, std::size_t n) {
      std::copy_n(numbers.data() + from * n, n, numbers.data() + to * n);
    };
    move(mean, n_columns);
    move(deviation, n_columns);
    move(weight, has_missing ? n_columns : 1);
  }

  void subtract_channel(std::size_t k, const Moments& part, std::size_t other) {
    double* own_mean = mean.data() + k * n_columns;
    double* own_deviation = deviation.data() + k * n_columns;
    const double* its_mean = part.mean.data() + other * n_columns;
    const double* its_deviation = part.deviation.data() + other * n_columns;
    const auto column = [&](std::size_t j, double all, double taken) {
      const double left = all - taken;
      const double ratio = left > 0 ? taken / left : 0;
      const double apart = own_mean[j] - its_mean[j];
      own_deviation[j] =
          std::max(0.0, own_deviation[j] - its_deviation[j] - apart * apart * (all * ratio));
      own_mean[j] += apart * ratio;
    };
    if (!has_missing) {
      const double all = weight[k], taken = part.weight[other];
      for (std::size_t j = 0; j < n_columns; ++j) column(j, all, taken);
      weight[k] -= taken;
      return;
    }
    double* own_weight = weight.data() + k * n_columns;
    for (std::size_t j = 0; j < n_columns; ++j) {
      const double taken = part.weight[other * n_columns + j];
      column(j, own_weight[j], taken);
      own_weight[j] -= taken;
    }
  }
};

}  // namespace ramify
