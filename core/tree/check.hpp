// SPDX-License-Identifier: BSD-3-Clause
// Checks a tree that was read from a file.
#pragma once

#include <string>

#include "tree/tree.hpp"

namespace ramify {

/// Returns an empty text if the arrays describe one tree in preorder over `n_features` columns with
/// valid splits, else what is wrong.
std::string what_is_wrong(const TreeView& tree, std::int64_t n_features);

}  // namespace ramify
