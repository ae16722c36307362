// SPDX-License-Identifier: BSD-3-Clause
// Sparse random directions, of which the one with the best cut wins: Forest-RC (Breiman 2001),
// SPORF (Tomita et al. 2020). Reads the matrix as doubles, by row or by column.
#include <algorithm>
#include <cmath>
#include <vector>

#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

struct SampledTerm {
  std::uint32_t column;
  double weight;
};
using Terms = std::vector<SampledTerm>;  // by column

/// Samples columns without replacement (Floyd): the j-th draw is among the first n - k + j + 1, and
/// takes the last of these if it meets a column that was drawn already.
void sample_columns(std::uint32_t n_columns, std::uint32_t n_terms, Rng& rng, Terms& terms) {
  for (std::uint32_t last = n_columns - n_terms; last < n_columns; ++last) {
    const std::uint32_t sampled = rng.below(last + 1);
    const bool is_new = std::ranges::find(terms, sampled, &SampledTerm::column) == terms.end();
    terms.push_back({is_new ? sampled : last, 0});
  }
  std::ranges::sort(terms, {}, &SampledTerm::column);
}

/// Includes each column with the same probability. Draws how many are skipped before the next.
void draw_by_density(std::uint32_t n_columns, double density, Rng& rng, Terms& terms) {
  const double log_out = std::log1p(-std::min(density, 1.0));
  const auto gap = [&] { return std::floor(std::log1p(-rng.uniform()) / log_out); };
  for (double at = gap(); at < n_columns; at += 1 + gap())
    terms.push_back({static_cast<std::uint32_t>(at), 0});
}

class RandomSparse {
 public:
  RandomSparse(const ObliqueProblem& problem, const RandomSparseRules& rules)
      : problem_(problem), rules_(rules) {
    for (std::size_t i = 0; i < problem.judges.size(); ++i) workers_.emplace_back(problem);
  }

  Proposal search() {
    const int n =
        rules_.n_directions > 0 ? rules_.n_directions : static_cast<int>(problem_.n_columns);
    const auto best = first_best(problem_, static_cast<std::size_t>(n),
                                 [&](int i, int worker) { return score(i, worker); });
    if (!best) return {};
    Terms terms;
    draw(static_cast<int>(*best), terms);
    Direction direction{std::vector<double>(problem_.n_columns), 0, false};
    for (const SampledTerm& term : terms) direction.weight[term.column] = term.weight;
    return direction;
  }

 private:
  struct Worker : LineBuffers {
    using LineBuffers::LineBuffers;
    Terms terms;
  };

  /// The terms of a direction depend on its index alone, whichever thread calls.
  void draw(int direction, Terms& terms) const {
    const auto n = static_cast<std::uint32_t>(problem_.n_columns);
    Rng rng(mix(problem_.key ^ 0x5ca77e2) + static_cast<std::uint64_t>(direction));
    terms.clear();
    if (rules_.n_terms > 0) {
      sample_columns(n, std::min(n, static_cast<std::uint32_t>(rules_.n_terms)), rng, terms);
    } else {
      draw_by_density(n, rules_.density > 0 ? rules_.density : 1 / std::sqrt(n), rng, terms);
      if (terms.empty()) terms.push_back({rng.below(n), 0});
    }
    for (SampledTerm& term : terms)
      term.weight = rules_.is_binary ? (rng.next() >> 63 ? 1 : -1) : 2 * rng.uniform() - 1;
  }

  double score(int direction, int worker) {
    Worker& mine = workers_[static_cast<std::size_t>(worker)];
    draw(direction, mine.terms);
    project(mine.terms, mine.place);
    return mine.scan.best(mine.place, *problem_.judges[static_cast<std::size_t>(worker)]).score;
  }

  void project(const Terms& terms, std::span<double> place) const {
    const std::size_t n = problem_.n_rows, d = problem_.n_columns;
    if (problem_.by_column) {
      std::ranges::fill(place, 0);
      for (const SampledTerm& term : terms) {
        const double* value = problem_.values + term.column * n;
        for (std::size_t row = 0; row < n; ++row) place[row] += term.weight * value[row];
      }
      return;
    }
    for (std::size_t row = 0; row < n; ++row) {
      double sum = 0;
      for (const SampledTerm& term : terms)
        sum += term.weight * problem_.values[row * d + term.column];
      place[row] = sum;
    }
  }

  const ObliqueProblem& problem_;
  const RandomSparseRules& rules_;
  std::vector<Worker> workers_;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const RandomSparseRules& rules) {
  return RandomSparse(problem, rules).search();
}

}  // namespace ramify
