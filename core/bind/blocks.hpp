// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block, as Python passes them.
#pragma once

#include "bind/arrays.hpp"
#include "rows/block.hpp"

namespace ramify {

using Narrow = Array2<std::uint8_t>;
using Wide = Array2<std::uint32_t>;

/// Codes of rows, in the columns of a layout.
inline void check_codes(const Layout& layout, const Narrow& narrow, const Wide& wide) {
  if (narrow.shape(1) != layout.n_narrow || wide.shape(1) != layout.n_wide ||
      wide.shape(0) != narrow.shape(0))
    refuse("the codes must have the columns of the layout, and all the same rows");
}

}  // namespace ramify
