// SPDX-License-Identifier: BSD-3-Clause
#include "data/raw_block.hpp"

#include <cstring>
#include <type_traits>

namespace ramify {

RawBlock::RawBlock(std::span<const RawColumn> raw) : columns_(raw.begin(), raw.end()) {
  if (raw.size() < 2) return;
  width_of(raw[0]) == 4 ? copy<std::uint32_t>() : copy<std::uint64_t>();
}

template <class Word>
void RawBlock::copy() {
  const std::size_t n_rows = columns_[0].n_rows, n = columns_.size();
  numbers_.reset(new std::uint64_t[(n * n_rows * sizeof(Word) + 7) / 8]);
  auto* to = reinterpret_cast<Word*>(numbers_.get());
  const auto* from = static_cast<const char*>(columns_[0].data);
  const std::ptrdiff_t stride = columns_[0].stride;
  const auto copy_rows = [&](auto n_columns) {  // a number known here makes the inner loop none
    for (std::size_t row = 0; row < n_rows; ++row, from += stride)
      for (std::size_t j = 0; j < n_columns; ++j)
        std::memcpy(to + j * n_rows + row, from + j * sizeof(Word), sizeof(Word));
  };
  if (n == most_columns)
    copy_rows(std::integral_constant<std::size_t, most_columns>{});
  else
    copy_rows(n);
  for (std::size_t j = 0; j < n; ++j) {
    columns_[j].data = to + j * n_rows;
    columns_[j].stride = sizeof(Word);
  }
}

}  // namespace ramify
