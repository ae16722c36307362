// SPDX-License-Identifier: BSD-3-Clause
// Orders rows by their content instead of their position.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace ramify {

/// Returns the positions 0 .. n - 1 of some rows, sorted by the codes of all columns, from the
/// first to the last, and by class; entry i of `target` belongs to rows[i]. Rows with equal content
/// are adjacent. Sampling rows in this order gives the same sample, whatever the order of rows in
/// the table. Calls `pause` now and then, which may throw to interrupt.
std::vector<std::uint32_t> content_order(const Table& table, std::span<const std::uint32_t> rows,
                                         std::span<const std::uint32_t> classes,
                                         const std::function<void()>& pause = {});

}  // namespace ramify
