// SPDX-License-Identifier: BSD-3-Clause
// A subtree that is grown separately: what it inherits, what it returns, and how both are
// serialised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/fragment.hpp"

namespace ramify {

/// What a subtree inherits from the tree above it.
struct NodeContext {
  std::uint64_t key = 0;
  int depth = 0;
  double unit = 1;             // of weights
  double training_weight = 0;  // of the whole tree; 0 at the root
  std::uint64_t n_training_rows = 0;
  double lower = 0, upper = 1;
  std::vector<std::uint32_t> non_constant;  // columns not known to be constant
  std::uint64_t n_rows = 0;                 // of the node
};

/// A subtree that was grown separately.
struct DetachedSubtree {
  std::vector<Fragment> fragments;
};

/// Grows the subtree of a node on its rows. Throws as `grow` does.
DetachedSubtree grow_detached(const Table& table, std::span<const std::uint32_t> rows,
                              const Target& target, const Plan& plan, const NodeContext& context);

std::vector<std::uint8_t> to_bytes(const DetachedSubtree& part);
/// Throws std::invalid_argument if the bytes are not a subtree with that many columns and
/// statistics.
DetachedSubtree subtree_from(std::span<const std::uint8_t> bytes, std::size_t n_columns,
                             std::size_t n_statistics);

class ByteWriter;
class ByteReader;
void write(ByteWriter& to, const std::vector<Recorded>& candidates);
std::vector<Recorded> read_candidates(ByteReader& from, std::size_t n_columns);
void write(ByteWriter& to, const Split& split);
Split read_split(ByteReader& from, std::size_t n_columns);

}  // namespace ramify
