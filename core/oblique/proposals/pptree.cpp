// SPDX-License-Identifier: BSD-3-Clause
// Projection pursuit (Lee, Cook, Park, Lee 2013): the best discriminant orders all classes, the
// largest gap divides them into two groups, and the discriminant of these is the direction. The
// original sends rows by their class; here the cut decides.
#include <algorithm>
#include <iterator>

#include "linear_algebra/vectors.hpp"
#include "oblique/class_means.hpp"
#include "oblique/methods.hpp"
#include "oblique/scan.hpp"
#include "oblique/scatter.hpp"

namespace ramify {
namespace {

class ProjectionPursuit {
 public:
  ProjectionPursuit(const ObliqueProblem& problem, const PptreeRules& rules)
      : problem_(problem), rules_(rules), d_(problem.n_columns), means_(class_means(problem)) {}

  Proposal search() {
    std::optional<Symmetric> within = scatter_within(problem_, means_);
    if (!within) return {};
    within_ = std::move(*within);
    const Groups classes{{problem_.class_weight.begin(), problem_.class_weight.end()}, means_};
    std::vector<double> direction = leading(within_, classes);
    if (direction.empty()) return {};
    std::vector<std::uint8_t> group = {0, 1};
    if (classes.size() > 2) {
      group = partitioned(direction);
      if (std::ranges::count(group, group[0]) == std::ssize(group)) return {};  // no gap at all
      direction = leading(within_two(group), group_classes(problem_, means_, group, 2));
      if (direction.empty()) return {};
    }
    const Groups two = group_classes(problem_, means_, group, 2);
    const double middle = (dot(direction.data(), two.mean.data(), d_) +
                           dot(direction.data(), two.mean.data() + d_, d_)) /
                          2;
    return best_of(problem_, {{std::move(direction), -middle, rules_.own_cut}});
  }

 private:
  /// The discriminant that separates some groups best.
  std::vector<double> leading(Symmetric within, const Groups& groups) const {
    for (std::size_t i = 0; i < d_ && rules_.shrinkage > 0; ++i)
      for (std::size_t j = 0; j < i; ++j) within.at(i, j) *= 1 - rules_.shrinkage;
    Discriminants found = discriminants(within, groups);
    return found.direction.empty() ? std::vector<double>() : std::move(found.direction[0]);
  }

  /// The scatter within two groups of classes, which includes that between the classes of a group.
  Symmetric within_two(std::span<const std::uint8_t> group) const {
    Symmetric sum = within_;
    Groups members[2];
    for (std::size_t k = 0; k < group.size(); ++k) {
      Groups& own = members[group[k]];
      own.weight.push_back(problem_.class_weight[k]);
      own.mean.insert(own.mean.end(), means_.data() + k * d_, means_.data() + (k + 1) * d_);
    }
    for (const Groups& own : members) add_between(sum, own);
    return sum;
  }

  /// Two groups of classes, divided at the largest gap of their means on a line.
  std::vector<std::uint8_t> partitioned(std::span<const double> direction) const {
    std::vector<double> place;
    for (std::size_t k = 0; k < problem_.class_weight.size(); ++k)
      place.push_back(dot(direction.data(), &means_[k * d_], d_));
    std::vector<double> sorted = place;
    std::ranges::sort(sorted);
    std::size_t widest = 1;
    for (std::size_t k = 2; k < sorted.size(); ++k)
      if (sorted[k] - sorted[k - 1] > sorted[widest] - sorted[widest - 1]) widest = k;
    std::vector<std::uint8_t> group;
    for (const double each : place) group.push_back(each >= sorted[widest]);
    return group;
  }

  const ObliqueProblem& problem_;
  const PptreeRules& rules_;
  std::size_t d_;
  std::vector<double> means_;
  Symmetric within_;
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const PptreeRules& rules) {
  return ProjectionPursuit(problem, rules).search();
}

}  // namespace ramify
