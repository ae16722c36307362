// SPDX-License-Identifier: BSD-3-Clause
// What a plan asks for and a table or target cannot give.
#pragma once

#include <cstdint>
#include <span>

#include "data/table.hpp"
#include "plan/plan.hpp"

namespace ramify {

/// Throws std::invalid_argument where a plan cannot be followed on these rows.
void check_plan(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan);

}  // namespace ramify
