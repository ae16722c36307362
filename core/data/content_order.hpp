// SPDX-License-Identifier: BSD-3-Clause
// Rows by what they hold, not by where they stand.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace ramify {

/// The places 0 .. n - 1 of some rows, sorted by the codes of all columns, from the first to the
/// last, and by class; `target` speaks of rows[0], rows[1] ... in that order. Rows that hold the
/// same stand side by side. So whoever draws rows in this order draws the same, whatever the order
/// in the table. Calls `pause` now and then, which may throw to end it.
std::vector<std::uint32_t> content_order(const Table& table, std::span<const std::uint32_t> rows,
                                         std::span<const std::uint32_t> classes,
                                         const std::function<void()>& pause = {});

}  // namespace ramify
