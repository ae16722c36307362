// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums over ranks that change with every row: levels of groups of sixteen. Level 0 has the
// sums within each group, level 1 those of the groups before within a group of groups, and so on. A
// row is added to some lanes of one group per level, which vectors do at once; a sum is one load
// per level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

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

/// Adds a number to the sixteen lanes of a group, from a place on.
template <class Lane>
inline void add_from(std::uint32_t from, Lane number, const LanesFrom<Lane>& lanes, Lane* group) {
#if defined(__GNUC__)
  // As vectors, since the compiler cannot know that group and mask do not overlap.
  typedef Lane Group __attribute__((vector_size(16 * sizeof(Lane))));
  Group sums, mask;
  std::memcpy(&sums, group, sizeof(sums));
  std::memcpy(&mask, lanes.mask[from], sizeof(mask));
  sums += mask & number;
  std::memcpy(group, &sums, sizeof(sums));
#else
  for (int lane = 0; lane < 16; ++lane) group[lane] += number & lanes.mask[from][lane];
#endif
}

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

  /// Starts with these weights by rank; b_of(i) is what each is multiplied by.
  template <class BOf>
  void fill(std::uint32_t n, const std::uint32_t* weights, BOf b_of) {
    std::uint32_t own_weight = 0;
    std::uint64_t own_product = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i % 16 == 0) own_weight = 0, own_product = 0;
      weight_[i] = own_weight += weights[i];
      product_[i] = own_product += weights[i] * b_of(i);
    }
    for (std::uint32_t i = n; i % 16 != 0; ++i) {
      weight_[i] = own_weight;
      product_[i] = own_product;
    }
    // The sums of groups are the last of each, and behind them those of the groups before.
    std::vector<std::uint32_t> total_weight;
    std::vector<std::uint64_t> total_product;
    for (std::uint32_t group = 0; group * 16 < n; ++group) {
      total_weight.push_back(weight_[group * 16 + 15]);
      total_product.push_back(product_[group * 16 + 15]);
    }
    for (int level = 1; level < depth; ++level) {
      std::uint32_t n_groups = 0;
      std::uint32_t* own = weight_ + begin_[level];
      std::uint64_t* products = product_ + begin_[level];
      const auto size = static_cast<std::uint32_t>(total_weight.size());
      for (std::uint32_t i = 0; i < size; ++i) {
        if (i % 16 == 0) own_weight = 0, own_product = 0;
        own[i] = own_weight;
        products[i] = own_product;
        own_weight += total_weight[i];
        own_product += total_product[i];
        if (i % 16 == 15 || i + 1 == size) {
          for (std::uint32_t j = i + 1; j % 16 != 0; ++j) {
            own[j] = own_weight;
            products[j] = own_product;
          }
          total_weight[n_groups] = own_weight;
          total_product[n_groups++] = own_product;
        }
      }
      total_weight.resize(n_groups);
      total_product.resize(n_groups);
    }
  }

  void add(std::uint32_t rank, std::uint32_t weight, std::uint64_t product) {
    for (int level = 0; level < depth; ++level) {
      const std::uint32_t at = rank >> (4 * level);
      const std::uint32_t from = (at & 15) + (level > 0);
      const std::size_t group = begin_[level] + (at & ~15u);
      add_from(from, weight, weight_lanes, weight_ + group);
      add_from(from, product, product_lanes, product_ + group);
    }
  }

 private:
  std::size_t begin_[depth] = {};
  std::uint32_t* weight_;
  std::uint64_t* product_;
};

}  // namespace ramify::RAMIFY_KERNELS
