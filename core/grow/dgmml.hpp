// SPDX-License-Identifier: BSD-3-Clause
// Grows trees by the rules of dGMML, without sorted lists.
#pragma once

#include <span>
#include <vector>

#include "grow/fragment.hpp"

namespace ramify {

struct DgmmlTask {
  const Table& table;
  std::span<const std::uint32_t> rows;  // of the table
  const Target& target;
  const Plan& plan;
};

/// Grows all that follows from a root. Throws Stopped.
void grow_dgmml(const DgmmlTask& task, Node root, std::vector<Fragment>& fragments);

}  // namespace ramify
