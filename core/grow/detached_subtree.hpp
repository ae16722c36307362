// SPDX-License-Identifier: BSD-3-Clause
// A part of a tree that is grown apart: what it inherits, what it gives, and how that travels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/fragment.hpp"

namespace ramify {

/// What a part of a tree inherits from what lies above it.
struct NodeContext {
  std::uint64_t key = 0;
  int depth = 0;
  double unit = 1;             // of weights
  double training_weight = 0;  // of the whole tree; 0 of the root, which is the whole tree
  std::uint64_t n_training_rows = 0;
  double lower = 0, upper = 1;
  std::vector<std::uint32_t> non_constant;  // columns that are not known to be constant
  std::uint64_t n_rows = 0;                 // of the node
};

/// A part of a tree that was grown apart.
struct DetachedSubtree {
  std::vector<Fragment> fragments;
};

/// Grows what follows from a node on the rows it has. Throws as `grow` does.
DetachedSubtree grow_detached(const Table& table, std::span<const std::uint32_t> rows,
                              const Target& target, const Plan& plan, const NodeContext& context);

std::vector<std::uint8_t> to_bytes(const DetachedSubtree& part);
/// Throws std::invalid_argument if the bytes are no part of a tree of that many columns and facts.
DetachedSubtree partition_from(std::span<const std::uint8_t> bytes, std::size_t n_columns,
                               std::size_t n_statistics);

class ByteWriter;
class ByteReader;
void write(ByteWriter& to, const std::vector<Recorded>& candidates);
std::vector<Recorded> read_candidates(ByteReader& from, std::size_t n_columns);
void write(ByteWriter& to, const Split& split);
Split read_split(ByteReader& from, std::size_t n_columns);

}  // namespace ramify
