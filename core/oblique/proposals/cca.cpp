// SPDX-License-Identifier: BSD-3-Clause
// Canonical correlation of the columns with the classes (Rainforth, Wood 2015). The canonical
// directions are the eigenvectors of (W + B)^+ B, and the squared correlations its eigenvalues: the
// products of one-hot labels with the columns depend on the class means only.
#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/scatter.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// A bootstrap sample of a node: as many rows, with replacement, as weights.
struct Redrawn {
  std::vector<std::uint32_t> label;
  std::vector<double> weight, class_weight;
  ObliqueProblem problem;

  explicit Redrawn(const ObliqueProblem& whole) : problem(whole) {
    std::vector<double> sampled(whole.n_rows), by_class(whole.class_weight.size());
    Rng rng(mix(whole.key ^ 0x636366));
    for (std::size_t i = 0; i < whole.n_rows; ++i)
      sampled[rng.below(static_cast<std::uint32_t>(whole.n_rows))] += 1;
    for (std::size_t i = 0; i < whole.n_rows; ++i) {
      weight.push_back(sampled[i] * whole.weight_of(i));
      by_class[whole.label[i]] += weight[i];
    }
    // Classes that were not sampled have no label; their rows have zero weight.
    std::vector<std::uint32_t> place(by_class.size());
    for (std::size_t k = 0; k < by_class.size(); ++k) {
      place[k] = by_class[k] > 0 ? static_cast<std::uint32_t>(class_weight.size()) : 0;
      if (by_class[k] > 0) class_weight.push_back(by_class[k]);
    }
    for (const std::uint32_t each : whole.label) label.push_back(place[each]);
    problem.label = label;
    problem.weight = weight;
    problem.class_weight = class_weight;
  }
  Redrawn(const Redrawn&) = delete;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const CcaRules& rules) {
  const auto directions = [](const ObliqueProblem& some) -> std::vector<std::vector<double>> {
    const std::size_t n_classes = some.class_weight.size();
    if (n_classes < 2) return {};
    const std::vector<double> means = class_means(some);
    const std::optional<Symmetric> within = scatter_within(some, means);
    if (!within) return {};
    return discriminants(*within, {{some.class_weight.begin(), some.class_weight.end()}, means})
        .direction;
  };
  std::vector<std::vector<double>> found;
  if (rules.bootstrap) found = directions(Redrawn(problem).problem);
  if (found.empty()) found = directions(problem);  // also if one class was sampled, or one row
  std::vector<Direction> candidates;
  for (std::vector<double>& each : found) candidates.push_back({std::move(each), 0, false});
  return best_of(problem, std::move(candidates));
}

}  // namespace ramify
