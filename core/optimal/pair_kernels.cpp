// SPDX-License-Identifier: BSD-3-Clause
// Counts of pairs for one instruction set.
#include <algorithm>
#include <bit>

#include "optimal/pairs.hpp"
#include "simd/pack.hpp"

namespace ramify::optimal::RAMIFY_KERNELS {
namespace {

std::uint32_t common(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t n) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
  return static_cast<std::uint32_t>(sum);
}

/// The largest class in each of the four parts that two columns make.
void count(const PairCount& task) {
  const std::size_t n_classes = task.n_classes;
  for (std::size_t i = 0; i < task.n_columns; ++i) {
    const std::uint64_t* const own = task.bits + i * task.n_words;
    const std::uint32_t* const left_i = task.left + i * n_classes;
    for (std::size_t j = i + 1; j < task.n_columns; ++j) {
      const std::uint64_t* const other = task.bits + j * task.n_words;
      const std::uint32_t* const left_j = task.left + j * n_classes;
      std::uint32_t both = 0, first = 0, second = 0, none = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const std::uint32_t begin = task.first_word[k];
        const std::uint32_t n = common(own + begin, other + begin, task.first_word[k + 1] - begin);
        both = std::max(both, n);
        first = std::max(first, left_i[k] - n);
        second = std::max(second, left_j[k] - n);
        none = std::max(none, task.total[k] - left_i[k] - left_j[k] + n);
      }
      task.best_left[i] = std::max(task.best_left[i], both + first);
      task.best_right[i] = std::max(task.best_right[i], second + none);
      task.best_left[j] = std::max(task.best_left[j], both + second);
      task.best_right[j] = std::max(task.best_right[j], first + none);
    }
  }
}

}  // namespace

extern const PairKernels pair_table;
const PairKernels pair_table{count};

}  // namespace ramify::optimal::RAMIFY_KERNELS
