// SPDX-License-Identifier: BSD-3-Clause
// Which columns vary in the nodes that wait, without a vector per node.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ramify {

/// Columns of the nodes that wait on one thread, depth first: those of a node are behind those of
/// its ancestors, or the same.
class NonConstantColumns {
 public:
  struct Range {
    std::uint32_t n = 0, begin = 0;
  };

  /// The columns of a node, to be looked at; `keep` takes what is left of them.
  std::vector<std::uint32_t>& take(Range part) {
    all_.resize(part.begin + part.n);  // what nodes below the last sibling noted
    columns_.assign(all_.begin() + part.begin, all_.end());
    return columns_;
  }
  void keep(Range& part) {
    if (columns_.size() == part.n) return;
    part = {static_cast<std::uint32_t>(columns_.size()), static_cast<std::uint32_t>(all_.size())};
    all_.insert(all_.end(), columns_.begin(), columns_.end());
  }

  std::span<const std::uint32_t> view(Range part) const {
    return std::span(all_).subspan(part.begin, part.n);
  }

  /// For a node that another thread will go on with.
  std::vector<std::uint32_t> of(Range part) const {
    const auto first = all_.begin() + part.begin;
    return {first, first + part.n};
  }
  void start(std::vector<std::uint32_t> columns) { all_ = std::move(columns); }

 private:
  std::vector<std::uint32_t> all_, columns_;
};

/// Columns of nodes that another thread will go on with; those of the root are the first.
class HandedOver {
 public:
  void begin(std::vector<std::uint32_t> columns) { all_.push_back(std::move(columns)); }
  void give(const NonConstantColumns& from, NonConstantColumns::Range& part) {
    begin(from.of(part));
    part.begin = static_cast<std::uint32_t>(all_.size() - 1);
  }
  void take(NonConstantColumns::Range& part, NonConstantColumns& to) const {
    to.start(all_[part.begin]);
    part.begin = 0;
  }

 private:
  std::vector<std::vector<std::uint32_t>> all_;
};

}  // namespace ramify
