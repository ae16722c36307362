// SPDX-License-Identifier: BSD-3-Clause
// Codes of rows that arrive in chunks: which values are new, which bin a value belongs to, and a
// column whose codes are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"

namespace ramify {

/// Returns the non-missing values of a column that are not among the known ones, each once,
/// ascending. Stops as soon as known and new values together exceed `limit`.
std::vector<double> new_values(const RawColumn& raw, std::span<const double> known,
                               std::size_t limit);

struct KnownCodes {
  std::uint32_t n_missing = 0;
  std::int64_t infinite_row = -1;  // the first, where encoding stopped
};

/// Writes the code of each row, `stride` bytes apart: the last of at most 255 bins whose lower edge
/// is at most the value, or the first bin; "missing" is the code after the last. Widens the known
/// range of values of each code.
KnownCodes encode_into(const RawColumn& raw, std::span<const double> lowest, std::uint8_t* codes,
                       std::int64_t stride, std::span<double> low, std::span<double> high);

/// Sets the codes of a column from bytes `stride` apart, and counts the missing values. Returns
/// false if a code is not in the codebook.
bool take_codes(Column& column, const std::uint8_t* codes, std::size_t stride, std::uint32_t n);
bool take_codes(Column& column, const std::uint32_t* codes, std::size_t stride, std::uint32_t n);

}  // namespace ramify
