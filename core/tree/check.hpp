// SPDX-License-Identifier: BSD-3-Clause
// Is a tree that came from a file well formed?
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ramify {

/// An empty text if the arrays describe one tree in preorder over `n_features` columns, else what
/// is wrong.
std::string what_is_wrong(std::span<const std::int64_t> children_left,
                          std::span<const std::int64_t> children_right,
                          std::span<const std::int64_t> feature, std::int64_t n_features);

}  // namespace ramify
