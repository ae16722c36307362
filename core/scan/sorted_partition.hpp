// SPDX-License-Identifier: BSD-3-Clause
// Stable partition of a sorted list, without branches: each item is written to both sides, and
// stays on one. An item that stays gets the flags of those that left between it and the one before.
#pragma once

#include <cstring>

#include "scan/sorted_scan.hpp"
#include "simd/item_lanes.hpp"

namespace ramify::RAMIFY_KERNELS {

class ListPartitioner {
 public:
  explicit ListPartitioner(const ListPartition& part)
      : part_(part), items_(part.items), spare_(part.spare), row_mask_(part.layout.row_mask()) {}

  void run() {
#ifdef RAMIFY_HAS_COMPRESS
    take_vectors();
#endif
    while (at_ < part_.n) take_some();
    if (part_.keep != Keep::left)
      std::memcpy(items_ + left_, spare_, (part_.n - left_) * sizeof *items_);
  }

 private:
  static constexpr std::uint32_t flag = FlagLayout::flag;

#ifdef RAMIFY_HAS_COMPRESS
  /// A carry runs from a flag through the lanes that leave to the next that stays.
  void take_vectors() {
    constexpr std::uint32_t all = ~0u >> (32 - n_lanes);
    const std::uint32_t turned = part_.marked_left ? 0 : all;
    std::uint32_t to_left = 0, to_right = 0;
    for (; at_ + n_lanes <= part_.n; at_ += n_lanes) {
      const auto own = load_lanes<IntegerLanes>(items_ + at_);
      const std::uint32_t flags = bits_of_lanes(own);
      const std::uint32_t is_left =
          look_up_bits(part_.moved, own & static_cast<std::int32_t>(row_mask_)) ^ turned;
      const std::uint32_t is_right = is_left ^ all;
      to_left += is_right + (flags & is_right);
      to_right += is_left + (flags & is_left);
      const auto kept = [&](std::uint32_t here, std::uint32_t carried) {
        const bool has_all = flags == all;
        return compress(
            has_all ? own : with_bits(own, carried | flags, static_cast<std::int32_t>(flag)), here);
      };
      // What is written lies below what was read.
      if (part_.keep != Keep::right) store_lanes(items_ + left_, kept(is_left, to_left));
      if (part_.keep != Keep::left) store_lanes(spare_ + (at_ - left_), kept(is_right, to_right));
      left_ += static_cast<std::uint32_t>(std::popcount(is_left));
      to_left >>= n_lanes;
      to_right >>= n_lanes;
    }
    to_left_ = to_left ? flag : 0;
    to_right_ = to_right ? flag : 0;
  }
#endif

  /// Up to eight items. Where all are flagged, as they are where values differ, no flag has to be
  /// handed on but the last.
  void take_some() {
    const std::uint32_t n = part_.n - at_ < 8 ? part_.n - at_ : 8;
    std::uint32_t all = flag;
    for (std::uint32_t j = 0; j < n; ++j) all &= items_[at_ + j];
    if (all) {
      std::uint32_t is_left = 0;
      for (std::uint32_t j = 0; j < n; ++j) is_left = put(items_[at_], 0, 0);
      to_left_ = is_left ? 0 : flag;
      to_right_ = is_left ? flag : 0;
      return;
    }
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t own = items_[at_] & flag;
      const std::uint32_t went_left = 0u - put(items_[at_], to_left_, to_right_);
      to_left_ = (to_left_ | own) & ~went_left;
      to_right_ = (to_right_ | own) & went_left;
    }
  }
  std::uint32_t put(std::uint32_t item, std::uint32_t for_left, std::uint32_t for_right) {
    const std::uint32_t row = item & row_mask_;
    const std::uint32_t is_left =
        (part_.moved[row >> 5] >> (row & 31) & 1) ^ (part_.marked_left ? 0 : 1);
    items_[left_] = item | for_left;
    spare_[at_++ - left_] = item | for_right;
    left_ += is_left;
    return is_left;
  }

  const ListPartition part_;
  std::uint32_t *items_, *spare_;
  std::uint32_t row_mask_, at_ = 0, left_ = 0;
  std::uint32_t to_left_ = 0, to_right_ = 0;  // flags of items that went to the other side
};

inline void partition_list(const ListPartition& part) { ListPartitioner(part).run(); }

}  // namespace ramify::RAMIFY_KERNELS
