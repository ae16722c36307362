// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/pilot_models.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ramify {
namespace {

/// Below this share of its largest possible value a denominator is rounding.
constexpr double negligible = 1e-10;

/// Sums over some rows: weight, x, x^2, residual, x times residual; x about a centre.
struct Sums {
  double w = 0, x = 0, xx = 0, r = 0, xr = 0;

  void add(double weight, double value, double residual) {
    w += weight;
    x += weight * value;
    xx += weight * value * value;
    r += residual;
    xr += value * residual;
  }
  Sums rest_of(const Sums& all) const {
    return {all.w - w, all.x - x, all.xx - xx, all.r - r, all.xr - xr};
  }
  /// About their own means: the spread of x, and what it has in common with the residuals.
  double spread() const { return w > 0 ? xx - x * x / w : 0; }
  double common() const { return w > 0 ? xr - x * r / w : 0; }
};

/// Values from -1 to 1 about their mean: neither large nor distant values cost digits.
struct Scaled {
  double middle = 0, reach = 1, mean = 0;
  std::vector<double> at{};  // of each run

  explicit Scaled(const Runs& runs) {
    if (runs.size() == 0) return;
    const double low = runs.value.front(), high = runs.value.back();
    middle = low / 2 + high / 2;
    reach = std::max(high / 2 - low / 2, 1e-300);
    at.resize(runs.size());
    double sum = 0, weight = 0;
    for (std::size_t j = 0; j < at.size(); ++j) {
      at[j] = (runs.value[j] - middle) / reach;
      sum += runs.weight[j] * at[j];
      weight += runs.weight[j];
    }
    mean = sum / weight;
    for (double& value : at) value -= mean;
  }
  double of(double x) const { return (x - middle) / reach - mean; }
  double value(double scaled) const { return middle + (scaled + mean) * reach; }
};

/// The sums of z = max(x - knot, 0), which is 0 on the left: from those of x on the right.
struct Hinge {
  double z = 0, zz = 0, xz = 0, zr = 0;

  Hinge(const Sums& right, double knot, double missing_weight, double missing_sum,
        bool missing_left)
      : z(right.x - knot * right.w),
        zz(right.xx - 2 * knot * right.x + knot * knot * right.w),
        xz(right.xx - knot * right.x),
        zr(right.xr - knot * right.r) {
    if (missing_left || missing_weight == 0) return;
    z -= knot * missing_weight;  // a missing value stands at the mean, which is 0
    zz += knot * knot * missing_weight;
    zr -= knot * missing_sum;
  }
};

}  // namespace

PilotSearch::PilotSearch(const ModelTreeRules& rules, double weight, double squares, double floor)
    : rules_(rules), weight_(weight), squares_(squares), floor_(floor) {
  best_.rss = squares;
  best_.bic = bic(squares, PilotModel::con);
}

double PilotSearch::bic(double rss, PilotModel model) const {
  constexpr double n_parameters[] = {1, 2, 5, 5, 7};
  const double k = 1 + rules_.alpha * (n_parameters[static_cast<int>(model)] - 1);
  return weight_ * std::log(std::max(rss, floor_) / weight_) + k * std::log(weight_);
}

/// Keeps the first of the best cuts.
void PilotSearch::keep(Cut& best, double gain, std::size_t last, bool missing_left) const {
  if (gain > best.gain + 1e-12 * squares_) best = {gain, last, missing_left};
}

bool PilotSearch::is_better(double gain, PilotModel model, double& rss, double& score) const {
  rss = std::max(squares_ - gain, 0.0);
  score = bic(rss, model);
  return score < best_.bic - 1e-9 * std::abs(best_.bic);
}

bool PilotSearch::consider_numbers(const Runs& runs, std::uint32_t column) {
  const std::size_t n = runs.size();
  if (n == 0) return false;
  const Scaled scaled(runs);
  Sums all;
  for (std::size_t j = 0; j < n; ++j) all.add(runs.weight[j], scaled.at[j], runs.sum[j]);
  const auto unique = static_cast<std::size_t>(rules_.min_unique);
  const bool has_line = n >= unique && all.xx > 0;
  const double slope = has_line ? all.xr / all.xx : 0, by_line = slope * all.xr;
  const MissingSides sides = sides_to_try(rules_.missing, runs.n_missing > 0);
  Cut pcon, blin, plin;
  const auto threshold_after = [&](std::size_t j) {
    return between(runs.value[j], runs.value[j + 1]);
  };

  bool admits = has_line && rules_.lin;
  Sums left;
  for (std::size_t j = 0; j < n; ++j) {
    left.add(runs.weight[j], scaled.at[j], runs.sum[j]);
    const bool is_last = j + 1 == n;  // all values against the missing ones
    if (is_last && (runs.n_missing == 0 || !sides.right)) break;
    const Sums right = left.rest_of(all);
    for (const bool missing_left : {true, false}) {
      if (!(missing_left ? sides.left : sides.right) || (is_last && missing_left)) continue;
      const double left_weight = left.w + (missing_left ? runs.missing_weight : 0);
      if (!has_room(left_weight)) continue;
      admits |= rules_.pcon;
      const double left_sum = left.r + (missing_left ? runs.missing_sum : 0);
      const double by_means =
          left_sum * left_sum * weight_ / (left_weight * (weight_ - left_weight));
      if (rules_.pcon) keep(pcon, by_means, j, missing_left);
      if (is_last || j + 1 < unique || n - j - 1 < unique) continue;
      const double left_spread = left.spread(), right_spread = right.spread();
      if (rules_.plin && left_spread >= negligible * all.xx &&
          right_spread >= negligible * all.xx) {
        const double a = left.common(), b = right.common();
        keep(plin, by_means + a * a / left_spread + b * b / right_spread, j, missing_left);
      }
      if (!rules_.blin || !has_line) continue;
      const Hinge hinge(right, scaled.of(threshold_after(j)), runs.missing_weight, runs.missing_sum,
                        missing_left);
      const double own = hinge.zz - hinge.z * hinge.z / weight_,
                   rest = own - hinge.xz * hinge.xz / all.xx, common = hinge.zr - hinge.xz * slope;
      if (rest >= negligible * own && rest > 0)
        keep(blin, by_line + common * common / rest, j, missing_left);
    }
  }

  double rss = 0, score = 0;
  const double slope_of_x = slope / scaled.reach, centre = scaled.value(0);
  const double low = runs.value.front(), high = runs.value.back();
  const PilotLine line{0, slope_of_x, centre, low, high};
  if (has_line && rules_.lin && is_better(by_line, PilotModel::lin, rss, score) &&
      std::isfinite(slope_of_x))
    best_ = {PilotModel::lin, column, rss, score, {}, line, line};
  const auto sums_up_to = [&](std::size_t last) {
    Sums sums;
    for (std::size_t j = 0; j <= last; ++j) sums.add(runs.weight[j], scaled.at[j], runs.sum[j]);
    return sums;
  };
  for (const auto& [cut, model] :
       {std::pair(pcon, PilotModel::pcon), std::pair(blin, PilotModel::blin),
        std::pair(plin, PilotModel::plin)}) {
    if (cut.gain < 0 || !is_better(cut.gain, model, rss, score)) continue;
    const bool is_last = cut.last + 1 == n;
    const double threshold = is_last ? HUGE_VAL : threshold_after(cut.last);
    const Sums on_left = sums_up_to(cut.last), on_right = on_left.rest_of(all);
    const double left_weight = on_left.w + (cut.missing_left ? runs.missing_weight : 0),
                 left_sum = on_left.r + (cut.missing_left ? runs.missing_sum : 0);
    PilotFit fit{model, column, rss, score, {}, {}, {}};
    fit.division = {.column = column, .threshold = threshold, .missing_left = cut.missing_left};
    // Without missing values in the node they go with the heavier side later on.
    if (runs.n_missing == 0)
      fit.division.missing_left = rules_.missing == ModelTreeRules::MissingSide::both
                                      ? 2 * left_weight >= weight_
                                      : rules_.missing == ModelTreeRules::MissingSide::left;
    fit.left.height = left_sum / left_weight;
    fit.right.height = -left_sum / (weight_ - left_weight);
    if (model == PilotModel::plin) {
      const auto side_line = [&](const Sums& side, double height, double least, double largest) {
        return PilotLine{height, side.common() / side.spread() / scaled.reach,
                         scaled.value(side.x / side.w), least, largest};
      };
      fit.left = side_line(on_left, fit.left.height, low, runs.value[cut.last]);
      fit.right = side_line(on_right, fit.right.height, runs.value[cut.last + 1], high);
    }
    if (model == PilotModel::blin) {
      const double knot = scaled.of(threshold);
      const Hinge hinge(on_right, knot, runs.missing_weight, runs.missing_sum, cut.missing_left);
      const double rest = hinge.zz - hinge.z * hinge.z / weight_ - hinge.xz * hinge.xz / all.xx;
      const double bend = (hinge.zr - hinge.xz * slope) / rest,
                   first = (all.xr - bend * hinge.xz) / all.xx, base = -bend * hinge.z / weight_;
      fit.left = {base, first / scaled.reach, centre, low, high};
      fit.right = {base - bend * knot, (first + bend) / scaled.reach, centre, low, high};
    }
    if (std::isfinite(fit.left.slope) && std::isfinite(fit.right.slope)) best_ = std::move(fit);
  }
  return admits;
}

bool PilotSearch::consider_categories(Runs& runs, std::uint32_t column,
                                      std::uint32_t n_categories) {
  if (!rules_.pcon || runs.size() == 0) return false;
  if (!rules_.one_vs_rest) runs.sort_by_mean();
  const MissingSides sides = sides_to_try(rules_.missing, runs.n_missing > 0);
  Cut best;
  bool admits = false;
  double left_weight = 0, left_sum = 0;
  for (std::size_t j = 0; j < runs.size(); ++j) {
    left_weight = runs.weight[j] + (rules_.one_vs_rest ? 0 : left_weight);
    left_sum = runs.sum[j] + (rules_.one_vs_rest ? 0 : left_sum);
    const bool takes_all = rules_.one_vs_rest ? runs.size() == 1 : j + 1 == runs.size();
    if (takes_all && (runs.n_missing == 0 || !sides.right)) break;
    for (const bool missing_left : {true, false}) {
      if (!(missing_left ? sides.left : sides.right) || (takes_all && missing_left)) continue;
      const double weight = left_weight + (missing_left ? runs.missing_weight : 0),
                   sum = left_sum + (missing_left ? runs.missing_sum : 0);
      if (!has_room(weight)) continue;
      admits = true;
      keep(best, sum * sum * weight_ / (weight * (weight_ - weight)), j, missing_left);
    }
  }
  double rss = 0, score = 0;
  if (best.gain < 0 || !is_better(best.gain, PilotModel::pcon, rss, score)) return admits;
  PilotFit fit{PilotModel::pcon, column, rss, score, {}, {}, {}};
  fit.division = {.column = column, .by_category = true};
  fit.division.is_left.assign(n_categories, 0);
  double weight = best.missing_left ? runs.missing_weight : 0,
         sum = best.missing_left ? runs.missing_sum : 0;
  for (std::size_t j = rules_.one_vs_rest ? best.last : 0; j <= best.last; ++j) {
    fit.division.is_left[static_cast<std::size_t>(runs.value[j])] = 1;
    weight += runs.weight[j];
    sum += runs.sum[j];
  }
  fit.division.missing_left = runs.n_missing > 0 ? best.missing_left
                              : rules_.missing == ModelTreeRules::MissingSide::both
                                  ? 2 * weight >= weight_
                                  : rules_.missing == ModelTreeRules::MissingSide::left;
  fit.left.height = sum / weight;
  fit.right.height = -sum / (weight_ - weight);
  best_ = std::move(fit);
  return admits;
}

}  // namespace ramify
