// SPDX-License-Identifier: BSD-3-Clause
// A criterion as the core holds it: its properties and a row of function pointers, called once per
// block of cuts. Their arguments are defined in core/scan.
#pragma once

#include <cstdint>

#include "criteria/criterion.hpp"

namespace ramify {

struct CutBlock;
struct ScoreCall;
struct BranchCall;
struct RegressionCall;
template <class Item>
struct SumWalkOf;
using SumWalk = SumWalkOf<std::uint64_t>;
using KeySumWalk = SumWalkOf<std::uint32_t>;

using Score = void (*)(const ScoreCall&, double* scores);
using WalkSums = void (*)(SumWalk&, CutBlock&, double* scores);
using WalkKeySums = void (*)(KeySumWalk&, CutBlock&, double* scores);
using ScoreBranches = double (*)(const BranchCall&);
/// Sums over classes of a block of cuts, from which scores are computed.
struct SumsBlock;
using CombineSums = void (*)(const SumsBlock&, double* scores);
/// Tabulates the term of the weights 0, 1, 2, ... n - 1; or of a total weight.
using FillTable = void (*)(const CriterionSettings&, int n_classes, int n, double* out);
using ScoreRegression = void (*)(const RegressionCall&, double* scores);

struct CriterionKernel {
  const CriterionInfo* info = nullptr;
  Score score = nullptr;
  WalkSums walk_sums = nullptr;            // null if the criterion is not a sum over classes
  WalkKeySums walk_key_sums = nullptr;     // the same
  Score tie_break = nullptr;               // or null
  ScoreBranches score_branches = nullptr;  // null if it judges two branches only
  ScoreBranches tie_break_branches = nullptr;
  DeviationBound bound = {};      // or none
  bool uses_logs = false;         // reads ScoreCall::log_table
  bool has_integer_sums = false;  // with integer weights; exact then, in any order
  bool splits_on_ties = false;    // a gain of zero suffices if the tie-break is above zero
  // For a criterion whose terms are read from a table:
  CombineSums combine = nullptr;
  FillTable fill_terms = nullptr, fill_totals = nullptr;
  bool totals_know_classes = false;  // the table of totals is for one number of classes only
  // Properties that depend on parameters; null: as in `info`.
  bool (*quasi_convex_with)(const CriterionSettings&) = nullptr;
  bool (*counts_with)(const CriterionSettings&) = nullptr;
  bool (*ignores_class_weights_with)(const CriterionSettings&) = nullptr;
  /// Returns the name of another criterion that is the same with these parameters, which it adapts;
  /// or null.
  const char* (*same_as)(CriterionSettings&) = nullptr;
  int n_extra = 0;  // sums of each row that it needs besides class weights
};

/// A criterion with its parameters.
struct SetCriterion : CriterionKernel {
  CriterionSettings settings;
  bool quasi_convex = false, counts = false;  // with these parameters
  bool is_balanced = false;                   // every class weighs 1 in the node

  /// Whether it matters which classes occur in a node, not only how often.
  bool knows_classes() const { return info->is_ordered || !settings.shares.empty(); }
};

/// What a leaf of a regression tree predicts, and the loss it minimises.
enum class RegressionLoss {
  squared,
  absolute,
  quantile,
  poisson,
  gamma,
  tweedie,
  negative_binomial,
  crps
};

struct RegressionKernel {
  const CriterionInfo* info = nullptr;
  RegressionLoss loss = RegressionLoss::squared;
  ScoreRegression score = nullptr;  // null: the loss is not a function of sums
};

}  // namespace ramify
