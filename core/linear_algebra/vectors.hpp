// SPDX-License-Identifier: BSD-3-Clause
// Sums over the coordinates of points. The result does not depend on the width of the processor's
// vector unit: four partial sums, always.
#pragma once

#include <cstddef>

namespace ramify {

double dot(const double* a, const double* b, std::size_t n);

/// Adds a multiple of x to a sum. Returns the increase of the squared length of the sum.
double grow_sum(double* sum, const double* x, std::size_t n, double factor);

/// Adds a multiple of x to a sum.
void add_to_sum(double* sum, const double* x, std::size_t n, double factor);

/// Widens the ranges low .. high to hold x, and adds a multiple of x - origin to a sum.
void add_to_range(const double* x, const double* origin, double factor, std::size_t n, double* low,
                  double* high, double* sum);

/// (x - center) * scale, coordinate by coordinate. Returns the squared length.
double scale_point(const double* x, const double* center, const double* scale, std::size_t n,
                   double* scaled);

}  // namespace ramify
