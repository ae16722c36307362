// SPDX-License-Identifier: BSD-3-Clause
// Expressions of criteria, as Python passes them: nested tuples.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "plan/plan.hpp"

namespace ramify {

/// A Python function that scores batches of cuts: f(parent (K,), left (m, K), right (m, K)) ->
/// scores (m,). It gets its own arrays, class-major in memory, so that sums over classes are fast.
InterpretedCriterion interpret(nanobind::callable function);

Expression read_expression(const nanobind::tuple& node);

ComposedCriterion compose(const nanobind::tuple& score, int top, const nanobind::list& then,
                          const std::optional<nanobind::tuple>& tie, bool gain_test);

}  // namespace ramify
