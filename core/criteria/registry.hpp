// SPDX-License-Identifier: BSD-3-Clause
// The list of all criteria. Each is one small struct, in a file per family; it sees class weights,
// or weights and sums of the regression target, of a node and of its sides, and nothing else of the
// core. A new criterion is a struct and a name here.
#pragma once

#include "criteria/codes.hpp"
#include "criteria/confidence.hpp"
#include "criteria/credal.hpp"
#include "criteria/distance.hpp"
#include "criteria/distinct.hpp"
#include "criteria/divergence.hpp"
#include "criteria/impurity.hpp"
#include "criteria/ordinal.hpp"
#include "criteria/power.hpp"
#include "criteria/prior.hpp"
#include "criteria/ratio.hpp"
#include "criteria/regression.hpp"
#include "criteria/uplift.hpp"
#include "criteria/where.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class... C>
struct List {};

/// A criterion made of x log x, looked up in a table where there is one.
template <template <class> class C>
struct WithLogs {};

using ClassCriteria =
    List<CartMeasure, ConfidenceEntropy, ConfidenceGini, ChiSquare, DistinctClasses,
         WithLogs<Entropy>, WithLogs<GainRatio>, Gini, Hellinger, InterNodeHellinger,
         WeightedInterNodeHellinger, Misclassification, Twoing>;

/// Criteria that are compiled once and not into each scan of a column: they read their terms from
/// tables, and are called once per block of cuts.
using FamilyCriteria =
    List<AlphaDivergence, Angle, AsymmetricEntropy, BalancedGainRatio, Bayes, CredalGain,
         CredalRatio, Dkm, ExactProbability, InformationValue, KolmogorovSmirnov, Mantaras, Mdl,
         MillerMadow, Mpi, OffCentredEntropy, OrdinalGini, Ort, RankingImpurity, ReliefGini, Renyi,
         SharmaMittal, StochasticComplexity, SymmetricTau, Tsallis, TsallisRatio, TwoPower,
         UnbiasedGini, Uplift, WeightedInformationGain>;

using RegressionCriteria =
    List<AbsoluteError, Crps, Gamma, NegativeBinomial, Poisson, Quantile, SquaredError, Tweedie>;

}  // namespace ramify::RAMIFY_KERNELS
