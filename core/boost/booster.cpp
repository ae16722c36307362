// SPDX-License-Identifier: BSD-3-Clause
#include "boost/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "boost/drawing.hpp"

namespace ramify {
namespace {

constexpr std::size_t chunk_rows = 8192;

bool are_integers(std::span<const double> weight) {
  const auto is_integer = [](double w) { return w == std::trunc(w); };
  return std::ranges::all_of(weight, is_integer) &&
         std::accumulate(weight.begin(), weight.end(), 0.0) <= max_units;
}

double weight_of(const BoostRows& rows) {
  if (rows.weight.empty()) return static_cast<double>(rows.target.size());
  Total total;
  loss_kernels().add_exactly(rows.weight.data(), nullptr, false, rows.weight.size(),
                             total.digits.data());
  return total.value();
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
      scales_(plan.n_scores),
      pairs_(training_.target.size()),
      exact_weight_(training_.weight),
      round_(first_round) {
  if (!exact_weight_.empty()) {
    has_integer_weights_ = are_integers(exact_weight_);
    weight_unit_ = make_exact(exact_weight_);
  }
  total_weight_ = weight_of(training_);
  for (std::size_t j = 0; j < binned_.n_columns(); ++j)  // no threshold among the values of a row
    binned_.occurs[j] |= held_binned_.occurs[j];
  grower_ = std::make_unique<BoostedGrower>(binned_, plan_, pool_);
  differentiate();
}

std::vector<Tree> Booster::step() {
  const std::size_t n = binned_.n_rows;
  std::vector<std::uint32_t> held_rows(held_binned_.n_rows);
  std::iota(held_rows.begin(), held_rows.end(), 0u);
  std::vector<std::uint32_t> rows, others;  // sampled, and the rest; empty if all are
  if (plan_.subsample < 1) sample_rows(rows, others);
  std::vector<Tree> trees;
  for (std::size_t k = 0; k < plan_.n_scores; ++k) {
    make_pairs(k);
    const std::vector<std::uint8_t> is_used =
        sample_columns(plan_.seed, round_ * plan_.n_scores + k,
                       static_cast<std::uint32_t>(binned_.n_columns()), plan_.max_columns);
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

/// Computes the derivatives at the current scores, and the loss.
void Booster::differentiate() {
  const std::size_t n = binned_.n_rows;
  const auto n_chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
  std::vector<LossSums> sums(static_cast<std::size_t>(pool_.size()),
                             LossSums(plan_.n_scores, true));
  pool_.run(n_chunks, [&](int i, int thread) {
    const std::size_t first = static_cast<std::size_t>(i) * chunk_rows;
    loss_rows_.differentiate(scores_.data(), first, std::min(n, first + chunk_rows),
                             gradients_.data(), hessians_.data(), &sums[thread]);
  });
  for (std::size_t thread = 1; thread < sums.size(); ++thread) sums[0] += sums[thread];
  for (std::size_t k = 0; k < plan_.n_scores; ++k)
    scales_[k] = {scale_of(gradients_.data() + k * n, sums[0].of[k].rough_gradient),
                  scale_of(hessians_.data() + k * n, sums[0].of[k].rough_hessian)};
  loss_ = sums[0].loss.value() / total_weight_;
}

/// The scale for the exact sum of magnitudes. A rounded sum suffices to find it, unless the sum is
/// close to a power of two.
double Booster::scale_of(const double* derivative, double rough) const {
  constexpr double slack = 1e-6;  // much more than rounding of 2^30 terms can add
  const double scale = scale_for(rough * (1 - slack));
  if (scale == scale_for(rough * (1 + slack))) return scale;
  Total total;
  loss_kernels().add_exactly(derivative,
                             training_.weight.empty() ? nullptr : training_.weight.data(), true,
                             binned_.n_rows, total.digits.data());
  return scale_for(total.value());
}

/// Rounds the derivatives of one score to integer multiples of a unit.
void Booster::make_pairs(std::size_t score) {
  const std::size_t n = binned_.n_rows;
  const auto n_chunks = static_cast<int>((n + chunk_rows - 1) / chunk_rows);
  pool_.run(n_chunks, [&](int i, int) {
    const std::size_t first = static_cast<std::size_t>(i) * chunk_rows;
    loss_rows_.make_pairs(score, first, std::min(n, first + chunk_rows), gradients_.data(),
                          hessians_.data(), scales_[score], has_integer_weights_, pairs_.data());
  });
}

double Booster::held_loss() const {
  const LossRows rows{plan_.loss, plan_.quantile, plan_.n_scores, held_.target, held_.weight};
  const std::size_t n = held_.target.size();
  if (n == 0) return 0;
  std::vector<double> gradient(held_scores_.size()), hessian(held_scores_.size());
  LossSums sums(plan_.n_scores);
  rows.differentiate(held_scores_.data(), 0, n, gradient.data(), hessian.data(), &sums);
  return sums.loss.value() / weight_of(held_);
}

/// Divides the rows into those sampled for this round and the others.
void Booster::sample_rows(std::vector<std::uint32_t>& sampled,
                          std::vector<std::uint32_t>& others) const {
  RowDraw draw(plan_.seed, round_, plan_.subsample);
  std::uint64_t min = ~std::uint64_t{0};
  for (const std::uint32_t number : training_.numbers) min = std::min(min, draw.number(number));
  draw.take_one(min);
  for (std::uint32_t row = 0; row < training_.numbers.size(); ++row)
    (draw.has(training_.numbers[row]) ? sampled : others).push_back(row);
}

/// The weighted quantile of the residuals of a leaf: the midpoint if the quantile lies between two
/// residuals.
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
    if (below == q * total) return std::midpoint(rest[i].first, rest[i + 1].first);
  }
  return 0;
}

}  // namespace ramify
