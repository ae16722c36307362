// SPDX-License-Identifier: BSD-3-Clause
// Support vector machine of one class against the rest, as in STree (Montañana, Gámez, Puerta
// 2021), with the squared hinge loss, which is smooth.
#include "oblique/margin.hpp"

namespace ramify {
namespace {

struct SquaredHinge {
  static double value(double margin) { return margin < 1 ? (1 - margin) * (1 - margin) : 0; }
  static double slope(double margin) { return margin < 1 ? 2 * (margin - 1) : 0; }
};

}  // namespace

/// |w|^2 / 2 + C sum of losses, divided by C.
Proposal propose(const ObliqueProblem& problem, const SvmRules& rules) {
  return propose_by_margin<SquaredHinge>(problem, 1 / (rules.c * problem.unit), rules.own_cut);
}

}  // namespace ramify
