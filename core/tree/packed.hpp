// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a tree in the narrowest types that hold their values exactly, since forests have
// many trees.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tree/tree.hpp"

namespace ramify {

/// Values in the narrowest type that holds them; a single one if all are equal.
using CompactArray =
    std::variant<std::vector<std::int8_t>, std::vector<std::uint8_t>, std::vector<std::int16_t>,
                 std::vector<std::uint16_t>, std::vector<std::int32_t>, std::vector<std::uint32_t>,
                 std::vector<std::int64_t>, std::vector<double>>;

CompactArray narrowed(std::span<const double> cells);
CompactArray narrowed(std::span<const std::int64_t> cells);
CompactArray narrowed(std::span<const std::uint8_t> cells);

struct PackedArray {
  std::string_view name;
  CompactArray cells;
  std::vector<std::size_t> shape;  // of all values, even if a single one stands for them
};

struct PackedTree {
  std::vector<PackedArray> arrays;
  bool has_counts;  // `value` holds class weights, not shares
};

/// The class weights, if they yield the shares of nodes exactly; else nothing. `width` shares per
/// node.
std::vector<double> weights_of(std::span<const double> shares, std::span<const double> weight,
                               std::size_t width);

/// All arrays but the ledger.
PackedTree pack(const Tree& tree);

}  // namespace ramify
