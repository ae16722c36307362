// SPDX-License-Identifier: BSD-3-Clause
// The kernels for one instruction set.
#include "scan/plain_kernels.hpp"

#include <array>
#include <limits>

#include "criteria/regression.hpp"
#include "simd/pack.hpp"

namespace ramify::RAMIFY_KERNELS {
namespace {

template <bool is_counted>
int walk_cuts(const PlainWalk& walk, PlainCuts& cuts) {
  // Copies, since the compiler must think that what is written could be what is read.
  const std::uint64_t* const items = walk.items;
  const double* const quantised = walk.quantised;
  const std::uint64_t row_mask = (std::uint64_t{1} << walk.layout.row_bits) - 1;
  const int shift = walk.layout.code_shift();
  const std::uint32_t n = walk.n, min = walk.min_rows;
  double weight = 0, sum = 0;
  int m = 0;
  std::uint64_t item = items[0];
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint64_t row = item & row_mask, next = items[i];
    if constexpr (is_counted) {
      weight += 1;
      sum += quantised[row];
    } else {
      weight += quantised[2 * row];
      sum += quantised[2 * row + 1];
    }
    cuts.rows_left[m] = i;
    cuts.left[m] = weight;
    cuts.left[CutBlock::stride + m] = sum;
    m += ((item ^ next) >> shift != 0) & (i >= min) & (n - i >= min);
    item = next;
  }
  return m;
}

template <class C>
void walk_plain(const PlainWalk& walk, PlainCuts& cuts) {
  const int m = walk.is_counted ? walk_cuts<true>(walk, cuts) : walk_cuts<false>(walk, cuts);
  cuts.n = m;
  double *left = cuts.left, *sums = cuts.left + CutBlock::stride;
  if (m == 0) return;
  for (int i = m; i % pack_width; ++i) {  // packs read beyond the last cut
    left[i] = left[m - 1];
    sums[i] = sums[m - 1];
  }
  const double total = walk.call.parent[0], mean = walk.call.parent[1] / walk.call.parent[0],
               relative = walk.call.relative, factor = walk.call.factor;
  Pack top = spread<Pack>(-std::numeric_limits<double>::infinity());
  for (int i = 0; i < m; i += pack_width) {  // as score_numbers does
    const Pack own = load<Pack>(left + i);
    const Pack moved = load<Pack>(sums + i) - own * mean;
    const RegressionCut<Pack> cut{
        total, own, total - own, moved, relative, walk.call.mean, walk.call.values};
    const Pack score = C{}.gain(cut) * factor;
    store(cuts.scores + i, score);
    top = larger(score, top);
  }
  cuts.top = top[0];
  for (int lane = 1; lane < pack_width; ++lane)
    cuts.top = top[lane] > cuts.top ? top[lane] : cuts.top;
}

constexpr std::array plain_entries{
    PlainKernel{&SquaredError::info, walk_plain<SquaredError>},
    PlainKernel{&Poisson::info, walk_plain<Poisson>}, PlainKernel{&Gamma::info, walk_plain<Gamma>},
    PlainKernel{&Tweedie::info, walk_plain<Tweedie>},
    PlainKernel{&NegativeBinomial::info, walk_plain<NegativeBinomial>}};

}  // namespace

extern const std::span<const PlainKernel> plain_table;
const std::span<const PlainKernel> plain_table = plain_entries;

}  // namespace ramify::RAMIFY_KERNELS
