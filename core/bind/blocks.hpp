// SPDX-License-Identifier: BSD-3-Clause
// The rows of a block, as Python passes them.
#pragma once

#include "bind/arrays.hpp"
#include "rows/block.hpp"

namespace ramify {

using Narrow = Array2<std::uint8_t>;
using Wide = Array2<std::uint32_t>;

/// Throws ValueError if the arrays do not fit the layout.
Block block_of(const Layout& layout, const Narrow& narrow, const Wide& wide, const AnyArray& labels,
               const MaybeWeight& weight, double unit);

}  // namespace ramify
