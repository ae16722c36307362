// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums over ranks that change with every row: levels of groups of sixteen. Level 0 has the
// sums within each group, level 1 those of the groups before within a group of groups, and so on. A
// row is added to some lanes of one group per level, which vectors do at once; a sum is one load
// per level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simd/pack.hpp"
#include "survival/walk.hpp"

namespace ramify::RAMIFY_KERNELS {

/// All bits in the lanes from a place on.
template <class Lane>
struct LanesFrom {
  alignas(64) Lane mask[17][16];
  constexpr LanesFrom() : mask() {
    for (int from = 0; from < 17; ++from)
      for (int lane = 0; lane < 16; ++lane)
        mask[from][lane] = lane >= from ? static_cast<Lane>(-1) : Lane{0};
  }
};
inline constexpr LanesFrom<std::uint32_t> weight_lanes;
inline constexpr LanesFrom<std::uint64_t> product_lanes;

template <int depth>
class Levels {
 public:
  Levels(std::uint32_t n, PrefixRoom& room) {
    std::size_t size = 0, count = n;
    for (int level = 0; level < depth; ++level) {
      begin_[level] = size;
      count = (count + 15) / 16;
      size += count * 16;
    }
    room.weight.assign(size, 0);
    room.product.assign(size, 0);
    weight_ = room.weight.data();
    product_ = room.product.data();
  }

  /// The weights, and the products, of the ranks up to one, added to those given.
  void sum_up_to(std::uint32_t rank, std::uint64_t& weight, std::uint64_t& product) const {
    for (int level = 0; level < depth; ++level) {
      const std::size_t at = begin_[level] + (rank >> (4 * level));
      weight += weight_[at];
      product += product_[at];
    }
  }

  void add(std::uint32_t rank, std::uint32_t weight, std::uint64_t product) {
    for (int level = 0; level < depth; ++level) {
      const std::uint32_t at = rank >> (4 * level);
      const std::uint32_t from = (at & 15) + (level > 0);
      std::uint32_t* weights = weight_ + begin_[level] + (at & ~15u);
      std::uint64_t* products = product_ + begin_[level] + (at & ~15u);
      const std::uint32_t* weight_mask = weight_lanes.mask[from];
      const std::uint64_t* product_mask = product_lanes.mask[from];
      for (int lane = 0; lane < 16; ++lane) weights[lane] += weight & weight_mask[lane];
      for (int lane = 0; lane < 16; ++lane) products[lane] += product & product_mask[lane];
    }
  }

 private:
  std::size_t begin_[depth] = {};
  std::uint32_t* weight_;
  std::uint64_t* product_;
};

}  // namespace ramify::RAMIFY_KERNELS
