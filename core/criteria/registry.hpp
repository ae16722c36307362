// SPDX-License-Identifier: BSD-3-Clause
// Room `criteria`: how good is a split, from sums? One small struct per criterion, by family; they
// see class weights, or weights and sums of numbers, of a node and of its sides, and nothing else
// of the engine. This is the list of all: a new criterion is a struct and a name here.
#pragma once

#include "criteria/distance.hpp"
#include "criteria/distinct.hpp"
#include "criteria/impurity.hpp"
#include "criteria/numbers.hpp"
#include "criteria/ratio.hpp"

namespace ramify::RAMIFY_KERNELS {

template <class... C>
struct List {};

/// A criterion made of x log x, which is looked up in a table where there is one.
template <template <class> class C>
struct WithLogs {};

using ClassCriteria =
    List<CartMeasure, ConfidenceEntropy, ConfidenceGini, ChiSquare, DistinctClasses,
         WithLogs<Entropy>, WithLogs<GainRatio>, Gini, Hellinger, InterNodeHellinger,
         WeightedInterNodeHellinger, Misclassification, Twoing>;

using NumberCriteria = List<AbsoluteError, Gamma, Poisson, Quantile, SquaredError>;

}  // namespace ramify::RAMIFY_KERNELS
