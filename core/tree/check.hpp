// SPDX-License-Identifier: BSD-3-Clause
// Is a tree that came from a file well formed?
#pragma once

#include <string>

#include "tree/tree.hpp"

namespace ramify {

/// An empty text if the arrays describe one tree in preorder over `n_features` columns whose
/// splits can be walked, else what is wrong.
std::string what_is_wrong(const TreeView& tree, std::int64_t n_features);

}  // namespace ramify
