// SPDX-License-Identifier: BSD-3-Clause
// Sums of many products: of long vectors, and of pairs of columns for a scatter matrix. The result
// does not depend on the width of the processor's vector unit.
#pragma once

#include <cstddef>

namespace ramify {

/// The same as `dot`, up to rounding, with sixteen partial sums: faster for long vectors, because
/// additions do not wait for each other.
double long_dot(const double* a, const double* b, std::size_t n);

/// Columns per panel; the values of a panel are row-major.
inline constexpr std::size_t panel_width = 8;

/// Adds the sum over rows of a[i] * b[j] to sums[i * stride + j], for all columns i and j of two
/// panels. Rows are added in order.
void add_products(const double* a, const double* b, std::size_t n_rows, double* sums,
                  std::size_t stride);

}  // namespace ramify
