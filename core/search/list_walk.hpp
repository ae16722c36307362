// SPDX-License-Identifier: BSD-3-Clause
// Where a search of flagged lists is in a column.
#pragma once

#include <optional>

#include "search/list_search.hpp"

namespace ramify {

/// A column while it is searched.
struct ListSearch::Walk {
  std::uint32_t column;
  const Column& info;
  const void* items;
  std::uint32_t n, n_missing;
  std::uint32_t first;   // rows that had moved before the block
  FlagScan right, left;  // with the missing rows there
  std::optional<Judge> judge{};
};

}  // namespace ramify
