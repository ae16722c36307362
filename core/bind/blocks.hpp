// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block, as Python passes them.
#pragma once

#include "bind/arrays.hpp"
#include "rows/block.hpp"

namespace ramify {

using ByteCodes = Array2<std::uint8_t>;
using IntCodes = Array2<std::uint32_t>;

/// Codes of rows, in the columns of a layout.
inline void check_codes(const Layout& layout, const ByteCodes& byte_codes,
                        const IntCodes& int_codes) {
  if (byte_codes.shape(1) != layout.n_byte_columns || int_codes.shape(1) != layout.n_int_columns ||
      int_codes.shape(0) != byte_codes.shape(0))
    refuse("the codes must have the columns of the layout, and all the same rows");
}

}  // namespace ramify
