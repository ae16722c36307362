// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression of one class against the rest (Truong 2009).
#include <cmath>

#include "oblique/margin.hpp"

namespace ramify {
namespace {

struct LogisticLoss {
  static double value(double margin) {
    return std::log1p(std::exp(-std::abs(margin))) + (margin < 0 ? -margin : 0);
  }
  static double slope(double margin) { return -1 / (1 + std::exp(margin)); }
};

}  // namespace

Proposal propose(const ObliqueProblem& problem, const LogisticRules& rules) {
  return propose_by_margin<LogisticLoss>(problem, rules.penalty / problem.unit, rules.own_cut);
}

}  // namespace ramify
