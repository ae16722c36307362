// SPDX-License-Identifier: BSD-3-Clause
// A criterion as the engine holds it: its facts and a row of function pointers, called once per
// block of cuts. What they are called with is the business of the room `scan`.
#pragma once

#include <cstdint>

#include "criteria/criterion.hpp"

namespace ramify {

struct CutBlock;
struct ScoreCall;
struct CountCall;
struct BranchCall;
struct NumberCall;
template <class Item>
struct SumWalkOf;
using SumWalk = SumWalkOf<std::uint64_t>;
using KeySumWalk = SumWalkOf<std::uint32_t>;

using Score = void (*)(const ScoreCall&, double* scores);
using WalkSums = void (*)(SumWalk&, CutBlock&, double* scores);
using WalkKeySums = void (*)(KeySumWalk&, CutBlock&, double* scores);
using WalkCountSums = void (*)(const CountCall&, CutBlock&, double* scores);
using ScoreBranches = double (*)(const BranchCall&);
using ScoreNumbers = void (*)(const NumberCall&, double* scores);

struct CriterionKernel {
  const CriterionInfo* info = nullptr;
  Score score = nullptr;
  WalkSums walk_sums = nullptr;             // null if the criterion is no sum over classes
  WalkKeySums walk_key_sums = nullptr;      // the same
  WalkCountSums walk_count_sums = nullptr;  // only if it has whole sums
  Score tie_break = nullptr;                // or null
  ScoreBranches score_branches = nullptr;   // null if it judges two branches only
  ScoreBranches tie_break_branches = nullptr;
  DeviationBound bound;         // or none
  bool uses_logs = false;       // reads ScoreCall::log_table
  bool has_whole_sums = false;  // of whole weights; they are exact then, in any order
  bool splits_on_ties = false;  // a gain of zero is enough if the tie-break is above zero
};

/// What a leaf of numbers predicts, and how far it is from them.
enum class NumberLoss { squared, absolute, quantile, poisson, gamma };

struct NumberKernel {
  const CriterionInfo* info = nullptr;
  NumberLoss loss = NumberLoss::squared;
  ScoreNumbers score = nullptr;  // null: the loss is no function of sums
};

}  // namespace ramify
