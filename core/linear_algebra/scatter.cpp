// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/scatter.hpp"

#include <algorithm>
#include <cmath>

#include "linear_algebra/products.hpp"

namespace ramify {
namespace {

/// Blocks with fewer products are not worth waking the other threads for.
constexpr std::size_t parallel_products = 200'000;

}  // namespace

bool Symmetric::is_finite() const {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (!std::isfinite(at(i, j))) return false;
  return true;
}

void in_turn(int n, const std::function<void(int, int)>& task) {
  for (int i = 0; i < n; ++i) task(i, 0);
}

Scatter::Scatter(std::size_t n_columns)
    : n_panels_((n_columns + panel_width - 1) / panel_width),
      block_(n_panels_ * panel_width * block_rows),
      sums_{n_columns, n_panels_ * panel_width, {}} {
  sums_.values.resize(sums_.stride * sums_.stride);
}

void Scatter::push(const double* x, const double* centre, double factor) {
  for (std::size_t begin = 0; begin < sums_.n; begin += panel_width) {
    double* place = block_.data() + begin * block_rows + n_rows_ * panel_width;
    const std::size_t end = std::min(begin + panel_width, sums_.n);
    for (std::size_t j = begin; j < end; ++j) place[j - begin] = (x[j] - centre[j]) * factor;
  }
  ++n_rows_;
}

void Scatter::flush(const RunTasks& run) {
  const auto panel = [&](std::size_t i) { return block_.data() + i * panel_width * block_rows; };
  const auto add = [&](int task, int) {
    const auto i = n_panels_ - 1 - static_cast<std::size_t>(task);  // the longest rows first
    for (std::size_t j = 0; j <= i; ++j)
      add_products(panel(i), panel(j), n_rows_, &sums_.at(i * panel_width, j * panel_width),
                   sums_.stride);
  };
  const bool is_small = n_rows_ * sums_.stride * sums_.stride < parallel_products;
  (is_small ? in_turn : run)(static_cast<int>(n_panels_), add);
  n_rows_ = 0;
}

}  // namespace ramify
