// SPDX-License-Identifier: BSD-3-Clause
// Expressions of criteria, as Python passes them: nested tuples.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "bind/bind.hpp"
#include "plan/plan.hpp"

namespace ramify {

/// A Python function that scores batches of cuts: f(parent (K,), left (m, K), right (m, K)) ->
/// scores (m,). It gets its own arrays, class-major in memory, so that sums over classes are fast.
InterpretedCriterion interpret(nb::callable function);

Expression read_expression(const nb::tuple& node);

ComposedCriterion compose(const nb::tuple& score, int top, const nb::list& then,
                          const std::optional<nb::tuple>& tie, bool gain_test);

}  // namespace ramify
