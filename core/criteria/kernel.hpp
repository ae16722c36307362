// SPDX-License-Identifier: BSD-3-Clause
// A criterion as the engine holds it: its facts and a row of function pointers, called once per
// block of cuts. What they are called with is the business of the room `scan`.
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
/// Sums over classes of a block of cuts, made into scores.
struct SumsBlock;
using CombineSums = void (*)(const SumsBlock&, double* scores);
/// The term of each of n weights 0, 1, 2, ...; or of a total weight.
using FillTable = void (*)(const CriterionSettings&, int n_classes, int n, double* out);
using ScoreRegression = void (*)(const RegressionCall&, double* scores);

struct CriterionKernel {
  const CriterionInfo* info = nullptr;
  Score score = nullptr;
  WalkSums walk_sums = nullptr;            // null if the criterion is no sum over classes
  WalkKeySums walk_key_sums = nullptr;     // the same
  Score tie_break = nullptr;               // or null
  ScoreBranches score_branches = nullptr;  // null if it judges two branches only
  ScoreBranches tie_break_branches = nullptr;
  DeviationBound bound = {};      // or none
  bool uses_logs = false;         // reads ScoreCall::log_table
  bool has_integer_sums = false;  // of whole weights; they are exact then, in any order
  bool splits_on_ties = false;    // a gain of zero is enough if the tie-break is above zero
  // Of a criterion whose terms are read from a table:
  CombineSums combine = nullptr;
  FillTable fill_terms = nullptr, fill_totals = nullptr;
  bool totals_know_classes = false;  // the table of totals is for nodes of so many classes only
  // Facts that depend on parameters; null: as `info` says.
  bool (*quasi_convex_with)(const CriterionSettings&) = nullptr;
  bool (*counts_with)(const CriterionSettings&) = nullptr;
  bool (*ignores_class_weights_with)(const CriterionSettings&) = nullptr;
  /// The name of another criterion that is the same with these parameters, which it changes; or
  /// null.
  const char* (*same_as)(CriterionSettings&) = nullptr;
  int n_extra = 0;  // sums of each row that it needs besides classes
};

/// A criterion with its parameters.
struct SetCriterion : CriterionKernel {
  CriterionSettings settings;
  bool quasi_convex = false, counts = false;  // with these parameters
  bool is_balanced = false;                   // every class weighs 1 in the node

  /// Does it matter which classes occur in a node, not only how often?
  bool knows_classes() const { return info->is_ordered || !settings.shares.empty(); }
};

/// What a leaf of numbers predicts, and how far it is from them.
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
  ScoreRegression score = nullptr;  // null: the loss is no function of sums
};

}  // namespace ramify
