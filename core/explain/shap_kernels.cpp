// SPDX-License-Identifier: BSD-3-Clause
// Compiled several times; see CMakeLists.txt.
#include "explain/shap_kernels.hpp"

#include <algorithm>

#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

/// Walks `n_rows` rows in parallel. `fixed_packs` is the number of packs, or 0 if it is only known
/// at run time.
template <std::size_t fixed_packs, std::size_t n_rows>
void walk_rows(const ShapWalk& tree, const std::uint8_t* cases, double* work, double* values) {
  const std::size_t n_packs = fixed_packs ? fixed_packs : tree.n_packs;
  const std::size_t n_values = tree.n_values, n_points = n_packs * pack_width;
  const std::size_t factor_line = n_rows * n_points, sum_line = factor_line * n_values;
  double* const factor = work;                                    // [depth][row][point]
  double* const below = factor + (tree.depth + 1) * factor_line;  // [depth][row][k][point]
  double* const gathered = below + (tree.depth + 1) * sum_line;   // [column][row][k][point]
  for (std::size_t row = 0; row < n_rows; ++row)
    std::copy_n(tree.start, n_points, factor + row * n_points);
  std::fill_n(gathered, tree.n_columns * sum_line, 0.0);
  for (const ShapStep *step = tree.steps, *end = step + tree.n_steps; step != end; ++step) {
    const double* const table = tree.table + std::size_t{step->edge} * 6 * n_points;
    const std::uint8_t* const which = cases + std::size_t{step->edge} * shap_block;
    double* const own_factor = factor + step->depth * factor_line;
    const double* const upper_factor = own_factor - factor_line;
    double* const own = below + step->depth * sum_line;
    double* const upper = own - sum_line;
    double* const column = gathered + step->column * sum_line;
    if (step->kind == ShapStep::down) {
      for (std::size_t row = 0; row < n_rows; ++row) {
        const double* ratio = table + which[row] * 2 * n_points;
        for (std::size_t p = 0; p < n_points; p += pack_width)
          store(own_factor + row * n_points + p,
                load<Pack>(upper_factor + row * n_points + p) * load<Pack>(ratio + p));
      }
      std::fill_n(own, sum_line, 0.0);
    } else if (step->kind == ShapStep::leaf) {
      const double* const leaf = tree.value + std::size_t{step->number} * n_values;
      for (std::size_t row = 0; row < n_rows; ++row) {
        const double* ratio = table + which[row] * 2 * n_points;
        const double* change = ratio + n_points;
        for (std::size_t p = 0; p < n_points; p += pack_width) {
          const Pack reach = load<Pack>(upper_factor + row * n_points + p) * load<Pack>(ratio + p);
          const Pack changed = load<Pack>(change + p);
          for (std::size_t k = 0; k < n_values; ++k) {
            const std::size_t at = (row * n_values + k) * n_points + p;
            const Pack sum = reach * leaf[k];
            store(column + at, load<Pack>(column + at) + changed * sum);
            store(upper + at, load<Pack>(upper + at) + sum);
          }
        }
      }
    } else {
      for (std::size_t row = 0; row < n_rows; ++row) {
        const double* change = table + (which[row] * 2 + 1) * n_points;
        for (std::size_t p = 0; p < n_points; p += pack_width) {
          const Pack changed = load<Pack>(change + p);
          for (std::size_t k = 0; k < n_values; ++k) {
            const std::size_t at = (row * n_values + k) * n_points + p;
            const Pack sum = load<Pack>(own + at);
            store(column + at, load<Pack>(column + at) + changed * sum);
            store(upper + at, load<Pack>(upper + at) + sum);
          }
        }
      }
    }
  }
  for (std::size_t column = 0; column < tree.n_columns; ++column)
    for (std::size_t row = 0; row < n_rows; ++row)
      for (std::size_t k = 0; k < n_values; ++k) {
        const double* points = gathered + ((column * n_rows + row) * n_values + k) * n_points;
        double sum = 0;
        for (std::size_t p = 0; p < n_points; ++p) sum += points[p];
        values[(row * tree.n_columns + column) * n_values + k] = sum;
      }
}

template <std::size_t fixed_packs, std::size_t n_rows>
void walk_block(const ShapWalk& tree, const std::uint8_t* cases, double* work, double* values) {
  static_assert(shap_block % n_rows == 0);
  for (std::size_t row = 0; row < shap_block; row += n_rows)
    walk_rows<fixed_packs, n_rows>(tree, cases + row, work,
                                   values + row * tree.n_columns * tree.n_values);
}

/// Walks several rows together where the sums of one value stay in the first-level cache.
template <std::size_t fixed_packs>
void walk_any(const ShapWalk& tree, const std::uint8_t* cases, double* work, double* values) {
  if (tree.n_values == 1)
    walk_block<fixed_packs, 4>(tree, cases, work, values);
  else
    walk_block<fixed_packs, 1>(tree, cases, work, values);
}

void walk(const ShapWalk& tree, const std::uint8_t* cases, double* work, double* values) {
  switch (tree.n_packs) {
    case 1:
      return walk_any<1>(tree, cases, work, values);
    case 2:
      return walk_any<2>(tree, cases, work, values);
    case 3:
      return walk_any<3>(tree, cases, work, values);
    case 4:
      return walk_any<4>(tree, cases, work, values);
    default:
      return walk_any<0>(tree, cases, work, values);
  }
}

void compare(const double* x, double threshold, std::uint8_t missing_right, std::uint8_t* right) {
  for (std::size_t row = 0; row < shap_block; ++row)
    right[row] = static_cast<std::uint8_t>(x[row] > threshold) |
                 (static_cast<std::uint8_t>(x[row] != x[row]) & missing_right);
}

}  // namespace

extern const ShapKernels shap_table;
const ShapKernels shap_table{walk, compare};

}  // namespace ramify::RAMIFY_KERNELS
