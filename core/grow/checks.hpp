// SPDX-License-Identifier: BSD-3-Clause
// Checks a plan against a table and a target.
#pragma once

#include <cstdint>
#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"

namespace ramify {

/// Throws std::invalid_argument if a plan cannot be carried out on these rows.
void check_plan(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan);

}  // namespace ramify
