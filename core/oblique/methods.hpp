// SPDX-License-Identifier: BSD-3-Clause
// Methods that propose directions, one per file. Each sees a node as a matrix with labels
// (problem.hpp) and proposes a hyperplane. Tables, codes and trees are unknown here; the criterion
// scores hyperplanes through a SideJudge.
#pragma once

#include "oblique/problem.hpp"
#include "plan/oblique_rules.hpp"

namespace ramify {

Proposal propose(const ObliqueProblem& problem, const WodtRules& rules);
Proposal propose(const ObliqueProblem& problem, const Oc1Rules& rules);
Proposal propose(const ObliqueProblem& problem, const CartLcRules& rules);
Proposal propose(const ObliqueProblem& problem, const Co2Rules& rules);
Proposal propose(const ObliqueProblem& problem, const MdtRules& rules);
Proposal propose(const ObliqueProblem& problem, const FisherRules& rules);
Proposal propose(const ObliqueProblem& problem, const RandomSparseRules& rules);
Proposal propose(const ObliqueProblem& problem, const RidgeRules& rules);
Proposal propose(const ObliqueProblem& problem, const LogisticRules& rules);
Proposal propose(const ObliqueProblem& problem, const SvmRules& rules);
Proposal propose(const ObliqueProblem& problem, const MpsvmRules& rules);
Proposal propose(const ObliqueProblem& problem, const HhcartRules& rules);
Proposal propose(const ObliqueProblem& problem, const CcaRules& rules);
Proposal propose(const ObliqueProblem& problem, const PptreeRules& rules);
Proposal propose(const ObliqueProblem& problem, const CartElcRules& rules);
Proposal propose(const ObliqueProblem& problem, const HeterogeneousRules& rules);

/// The same for numbers. Methods of classes see two groups of rows: numbers up to, and above, the
/// cut that lowers their variance most. Throws std::invalid_argument for a method without an
/// answer.
Proposal propose_for_numbers(const ObliqueProblem& problem, const ObliqueRules& rules);

/// Whether the method reads the matrix column by column.
inline bool reads_columns(const ObliqueRules& rules) {
  return std::holds_alternative<Oc1Rules>(rules) || std::holds_alternative<CartLcRules>(rules) ||
         std::holds_alternative<RandomSparseRules>(rules);
}

}  // namespace ramify
