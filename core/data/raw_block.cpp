// SPDX-License-Identifier: BSD-3-Clause
#include "data/raw_block.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ramify {

/// Returns how many of these columns, from the first on, a block can hold; at least one. Of long
/// columns of eight bytes four, half a line of the cache: read twice, but half the memory.
std::size_t RawBlock::n_together(std::span<const RawColumn> raw, std::size_t max) {
  constexpr std::uint32_t many_rows = 1 << 20;
  const bool is_long = raw[0].n_rows >= many_rows && width_of(raw[0]) == 8;
  max = std::min({raw.size(), max, is_long ? max_columns / 2 : max_columns});
  std::size_t n = 1;
  while (n < max && follows(raw[n - 1], raw[n])) ++n;
  return n;
}

std::vector<std::size_t> RawBlock::begins(std::span<const RawColumn> raw, int n_threads) {
  const std::size_t n = raw.size(), n_workers = n_threads;
  const std::size_t n_rounds = (n + n_workers * max_columns - 1) / (n_workers * max_columns);
  const std::size_t n_shares = n_workers * n_rounds;
  const std::size_t max = n_workers == 1 ? n : (n + n_shares - 1) / n_shares;
  std::vector<std::size_t> firsts;
  for (std::size_t j = 0; j < n; j += n_together(raw.subspan(j), max)) firsts.push_back(j);
  return firsts;
}

RawBlock::RawBlock(std::span<const RawColumn> raw, std::uint32_t* room)
    : columns_(raw.begin(), raw.end()) {
  if (raw.size() < 2) return;
  width_of(raw[0]) == 4 ? copy<std::uint32_t>(room) : copy<std::uint64_t>(nullptr);
}

template <class Word>
void RawBlock::copy(Word* room) {
  const std::size_t n_rows = columns_[0].n_rows, n = columns_.size();
  // Small blocks come in one piece from the common allocator, which then learns how much to keep
  // for the next fit.
  constexpr std::size_t few = std::size_t{1} << 23;
  const std::size_t n_words = (n_rows * sizeof(Word) + 7) / 8;
  if (!room && n * n_words * 8 < few) {
    together_.reset(new std::uint64_t[n * n_words]);
    room = reinterpret_cast<Word*>(together_.get());
  }
  Word* to[max_columns];
  for (std::size_t j = 0; j < n; ++j) {
    to[j] = room + j * n_rows;
    if (room) continue;
    copies_.push_back(big_array<std::uint64_t>(n_words));
    to[j] = reinterpret_cast<Word*>(copies_.back().get());
  }
  const auto* from = static_cast<const char*>(columns_[0].data);
  const std::ptrdiff_t stride = columns_[0].stride;
  const auto copy_rows = [&](auto n_columns) {  // a constant number unrolls the inner loop
    Word* own[n_columns];                       // local: the compiler knows they do not alias
    for (std::size_t j = 0; j < n_columns; ++j) own[j] = to[j];
    for (std::size_t row = 0; row < n_rows; ++row, from += stride)
      for (std::size_t j = 0; j < n_columns; ++j)
        std::memcpy(own[j] + row, from + j * sizeof(Word), sizeof(Word));
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((n == i + 2 ? copy_rows(std::integral_constant<std::size_t, i + 2>{}) : void()), ...);
  }(std::make_index_sequence<max_columns - 1>{});
  for (std::size_t j = 0; j < n; ++j) {
    columns_[j].data = to[j];
    columns_[j].stride = sizeof(Word);
  }
}

}  // namespace ramify
