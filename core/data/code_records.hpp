// SPDX-License-Identifier: BSD-3-Clause
// Row-major codes as plain memory, for kernels.
#pragma once

#include <cstddef>

namespace ramify {

/// Codes of all columns side by side, one record per row, in `width` bytes each.
struct CodeRecords {
  const void* codes;
  std::size_t n_columns;
  int width;  // 1, 2 or 4
};

}  // namespace ramify
