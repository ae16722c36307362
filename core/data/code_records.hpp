// SPDX-License-Identifier: BSD-3-Clause
// Row-major codes and values as plain memory, for kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/pack.hpp"

namespace ramify {

/// Codes of all columns side by side, one record per row, in `width` bytes each.
struct CodeRecords {
  const void* codes = nullptr;
  std::size_t n_columns = 0;
  int width = 1;  // 1, 2 or 4
};

/// The same for values.
struct ValueRecords {
  const void* values = nullptr;  // null if there are none: see RowRecords
  std::size_t n_columns = 0;
  int width = 4;  // float; 8: double
};

namespace RAMIFY_KERNELS {

/// Calls use(codes) with the records as an array of their own type.
template <class Use>
auto with_codes(const CodeRecords& records, Use use) {
  if (records.width == 1) return use(static_cast<const std::uint8_t*>(records.codes));
  if (records.width == 2) return use(static_cast<const std::uint16_t*>(records.codes));
  return use(static_cast<const std::uint32_t*>(records.codes));
}

}  // namespace RAMIFY_KERNELS
}  // namespace ramify
