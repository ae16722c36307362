// SPDX-License-Identifier: BSD-3-Clause
// Codes of rows that come some at a time: which values are new, which bin a value has, and a column
// whose codes are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"

namespace ramify {

/// The values of a column that are not among the known ones, each once, ascending; missing ones
/// left out. Stops as soon as there are more than `limit` of both together.
std::vector<double> new_values(const RawColumn& raw, std::span<const double> known,
                               std::size_t limit);

struct KnownCodes {
  std::uint32_t n_missing = 0;
  std::int64_t infinite_row = -1;  // the first, where encoding stopped
};

/// Writes the code of each row, `stride` bytes apart: the last of at most 255 bins that does not
/// begin above it, or the first; "missing" behind the last. Widens what is known of the least and
/// the largest value of each code.
KnownCodes encode_into(const RawColumn& raw, std::span<const double> lowest, std::uint8_t* codes,
                       std::int64_t stride, std::span<double> low, std::span<double> high);

/// Gives a column the codes of its rows, `stride` numbers apart, and counts the missing ones. False
/// if one is not in the codebook.
bool take_codes(Column& column, const std::uint8_t* codes, std::size_t stride, std::uint32_t n);
bool take_codes(Column& column, const std::uint32_t* codes, std::size_t stride, std::uint32_t n);

}  // namespace ramify
