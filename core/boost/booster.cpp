// SPDX-License-Identifier: BSD-3-Clause
#include "boost/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "util/rng.hpp"

namespace ramify {
namespace {

constexpr std::size_t chunk_rows = 8192;  // summed on their own: threads change nothing

/// The power of two that brings a sum close to `most_units`, not above.
double scale_for(double sum) {
  if (!(sum > 0)) return 1;
  return std::exp2(std::clamp(std::floor(std::log2(most_units / sum)), -1000.0, 1000.0));
}

bool are_whole(std::span<const double> weight) {
  const auto is_whole = [](double w) { return w == std::trunc(w); };
  return std::ranges::all_of(weight, is_whole) &&
         std::accumulate(weight.begin(), weight.end(), 0.0) <= most_units;
}

}  // namespace

Booster::Booster(const Table& table, BoostRows training, BoostRows held, const BoostPlan& plan,
                 std::uint64_t first_round)
    : plan_(plan),
      training_(std::move(training)),
      held_(std::move(held)),
      loss_rows_{plan.loss, plan.quantile, plan.n_scores, training_.target, training_.weight},
      pool_(plan.n_threads),
      binned_(bin(table, training_.rows, pool_)),
      held_binned_(bin(table, held_.rows, pool_)),
      scores_(std::move(training_.start)),
      held_scores_(std::move(held_.start)),
      gradients_(scores_.size()),
      hessians_(scores_.size()),
      sums_(plan.n_scores),
      scales_(plan.n_scores),
      pairs_(training_.target.size()),
      exact_weight_(training_.weight),
      round_(first_round) {
  if (!exact_weight_.empty()) {
    has_whole_weights_ = are_whole(exact_weight_);
    weight_unit_ = make_exact(exact_weight_);
  }
  total_weight_ = training_.weight.empty()
                      ? static_cast<double>(training_.target.size())
                      : std::accumulate(training_.weight.begin(), training_.weight.end(), 0.0);
  for (std::size_t j = 0; j < binned_.n_columns(); ++j)  // no threshold among the values of a row
    binned_.occurs[j] |= held_binned_.occurs[j];
  grower_ = std::make_unique<BoostedGrower>(binned_, plan_.limits, pool_);
  differentiate();
}

std::vector<Tree> Booster::step() {
  const std::size_t n = binned_.n_rows;
  std::vector<std::uint32_t> held_rows(held_binned_.n_rows);
  std::iota(held_rows.begin(), held_rows.end(), 0u);
  const bool draws = plan_.subsample < 1;
  const std::vector<std::uint32_t> rows = draws ? draw_rows(true) : std::vector<std::uint32_t>{};
  const std::vector<std::uint32_t> others = draws ? draw_rows(false) : std::vector<std::uint32_t>{};
  std::vector<Tree> trees;
  for (std::size_t k = 0; k < plan_.n_scores; ++k) {
    make_pairs(k);
    const std::vector<std::uint8_t> is_used = draw_columns(round_ * plan_.n_scores + k);
    BoostedGrower::LeafValue leaf_value;
    if (loss_rows_.fits_residuals())
      leaf_value = [&](std::span<const std::uint32_t> leaf) { return this->leaf_value(leaf); };
    grower_->grow({rows, pairs_, scales_[k], exact_weight_, weight_unit_, is_used},
                  scores_.data() + k * n, leaf_value);
    grower_->add_to(binned_, others, scores_.data() + k * n);
    grower_->add_to(held_binned_, held_rows, held_scores_.data() + k * held_rows.size());
    trees.push_back(grower_->tree());
  }
  ++round_;
  differentiate();
  return trees;
}

/// Finds the derivatives at the present scores, and the loss. Sums are taken chunk by chunk, in
/// order.
void Booster::differentiate() {
  const std::size_t n = binned_.n_rows, n_scores = plan_.n_scores;
  const auto n_chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
  std::vector<LossSums> sums(static_cast<std::size_t>(n_chunks) * n_scores);
  pool_.run(n_chunks, [&](int i, int) {
    const std::size_t first = static_cast<std::size_t>(i) * chunk_rows;
    loss_rows_.differentiate(scores_.data(), first, std::min(n, first + chunk_rows),
                             gradients_.data(), hessians_.data(), &sums[i * n_scores]);
  });
  std::ranges::fill(sums_, LossSums{});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums_[i % n_scores].gradient += sums[i].gradient;
    sums_[i % n_scores].hessian += sums[i].hessian;
    sums_[0].loss += sums[i].loss;
  }
  loss_ = sums_[0].loss / total_weight_;
}

/// Turns the derivatives of one score into whole multiples of a unit.
void Booster::make_pairs(std::size_t score) {
  const std::size_t n = binned_.n_rows;
  const Scales scale{scale_for(sums_[score].gradient), scale_for(sums_[score].hessian)};
  scales_[score] = scale;
  double *gradient = gradients_.data() + score * n, *hessian = hessians_.data() + score * n;
  const double* weight = training_.weight.empty() ? nullptr : training_.weight.data();
  const auto n_chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
  pool_.run(n_chunks, [&](int i, int) {
    const std::size_t first = static_cast<std::size_t>(i) * chunk_rows;
    const std::size_t last = std::min(n, first + chunk_rows);
    if (weight && !has_whole_weights_)
      for (std::size_t row = first; row < last; ++row) {
        gradient[row] *= weight[row];
        hessian[row] *= weight[row];
      }
    boost_kernels().make_pairs(gradient + first, hessian + first,
                               has_whole_weights_ ? weight + first : nullptr, last - first,
                               scale.gradient, scale.hessian, pairs_.data() + first);
  });
}

double Booster::held_loss() const {
  const LossRows rows{plan_.loss, plan_.quantile, plan_.n_scores, held_.target, held_.weight};
  const std::size_t n = held_.target.size();
  if (n == 0) return 0;
  std::vector<double> gradient(held_scores_.size()), hessian(held_scores_.size());
  std::vector<LossSums> sums(plan_.n_scores);
  rows.differentiate(held_scores_.data(), 0, n, gradient.data(), hessian.data(), sums.data());
  const double total = held_.weight.empty()
                           ? static_cast<double>(n)
                           : std::accumulate(held_.weight.begin(), held_.weight.end(), 0.0);
  return sums[0].loss / total;
}

/// The rows of this round, or the others: as many as asked for, each set as likely (Knuth, The Art
/// of Computer Programming 3.4.2, algorithm S).
std::vector<std::uint32_t> Booster::draw_rows(bool are_drawn) const {
  const auto n = static_cast<std::uint32_t>(binned_.n_rows);
  auto wanted = std::max(1u, static_cast<std::uint32_t>(plan_.subsample * n));
  Rng rng(mix(plan_.seed) ^ mix(2 * round_));
  std::vector<std::uint32_t> rows;
  rows.reserve(are_drawn ? wanted : n - wanted);
  for (std::uint32_t row = 0; row < n; ++row) {
    const bool is_drawn = rng.below(n - row) < wanted;
    wanted -= is_drawn;
    if (is_drawn == are_drawn) rows.push_back(row);
  }
  return rows;
}

/// Marks the columns of a tree; empty for all.
std::vector<std::uint8_t> Booster::draw_columns(std::uint64_t tree) const {
  if (plan_.max_columns == 0) return {};
  const auto n = static_cast<std::uint32_t>(binned_.n_columns());
  Rng rng(mix(plan_.seed) ^ mix(2 * tree + 1));
  std::vector<std::uint8_t> is_used(n);
  std::uint32_t wanted = plan_.max_columns;
  for (std::uint32_t column = 0; column < n; ++column)
    if (rng.below(n - column) < wanted) {
      is_used[column] = 1;
      --wanted;
    }
  return is_used;
}

/// The weighted quantile of the residuals of a leaf: the middle of those on both sides if the
/// quantile lies between two.
double Booster::leaf_value(std::span<const std::uint32_t> rows) const {
  const double q = plan_.loss == Loss::absolute_error ? 0.5 : plan_.quantile;
  std::vector<std::pair<double, double>> rest;  // residual, weight
  double total = 0;
  for (const std::uint32_t row : rows) {
    const double weight = exact_weight_.empty() ? 1 : exact_weight_[row];
    rest.emplace_back(training_.target[row] - scores_[row], weight);
    total += weight;
  }
  std::ranges::sort(rest);
  double below = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    below += rest[i].second;
    if (below > q * total || i + 1 == rest.size()) return rest[i].first;
    if (below == q * total) return rest[i].first / 2 + rest[i + 1].first / 2;
  }
  return 0;
}

}  // namespace ramify
