// SPDX-License-Identifier: BSD-3-Clause
// A subtree that is grown separately: what it inherits, what it returns, and how both are
// serialised.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
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

/// Writes or reads a split; `Bytes` is a ByteWriter or a ByteReader.
template <class Bytes, class AnySplit>
  requires std::is_same_v<std::remove_const_t<AnySplit>, Split>
void transfer(Bytes& bytes, AnySplit& split) {
  bytes(split.column, split.score, split.tie_break, split.threshold, split.best, split.share_left,
        split.branch_entropy, split.code, split.next_code, split.n_branches, split.n_tried);
  bytes.wide(split.rows_left);
  bytes(split.missing_left, split.saw_missing, split.is_chosen, split.is_optimal, split.kind,
        split.codes, split.branches);
}
/// The same for candidate splits.
template <class Bytes, class List>
  requires std::is_same_v<std::remove_const_t<List>, std::vector<Recorded>>
void transfer(Bytes& bytes, List& candidates) {
  constexpr std::size_t split_bytes = 97;  // a lower bound
  bytes.each(candidates, split_bytes, [&](auto& candidate) {
    transfer(bytes, candidate.split);
    bytes(candidate.also);
  });
}
/// Throws std::invalid_argument if splits that were read cannot be of a table.
void check_split(const Split& split, std::size_t n_columns);
void check_candidates(std::span<const Recorded> candidates, std::size_t n_columns);

}  // namespace ramify
