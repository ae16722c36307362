// SPDX-License-Identifier: BSD-3-Clause
// Settings of the methods that propose directions.
#pragma once

#include <variant>
#include <vector>

namespace ramify {

/// Weighted oblique trees (Yang, Shen, Gao 2019): a sigmoid gives the fraction of a row that goes
/// right; the weighted entropy is minimised over the weights.
struct WodtRules {
  int n_restarts = 3;  // further starts where a child would be empty
  int max_iterations = 1000;
  int memory = 10;          // of L-BFGS
  double tolerance = 1e-5;  // of the largest entry of the gradient
  double penalty = 0;       // per row, times the sum of absolute weights; 0 = dense
  bool debias = true;       // after the penalty has chosen the columns, refit them without it
};

/// Hill climbing one coefficient at a time: OC1 (Murthy, Kasif, Salzberg 1994).
struct Oc1Rules {
  enum class Order { sequential, best_first, random };
  bool random_start = false;  // also for the first start (OC1r)
  int n_starts = 20;
  int n_kicks = 5;  // random directions tried at a local optimum
  Order order = Order::sequential;
  int n_random_steps = 50;  // in one round of Order::random
};

/// Linear combinations of CART (Breiman et al. 1984, chapter 5).
struct CartLcRules {
  bool random_start = false;  // CART-LCr
  bool standardize = true;
  double min_gain = 1e-4;  // of a cycle, to go on
  int max_cycles = 100;
  double deletion = 0;  // delete columns while the relative loss of gain is below this; 0 = never
};

/// Continuous optimisation of a bound (Norouzi et al. 2015): CO2.
struct Co2Rules {
  bool random_start = false;  // CO2r
  double nu = 4;              // the largest squared length of the weights
  double eta = 0.01;          // step
  int max_outer = 50;
  double tolerance = 1e-3;  // relative change of the bound
  bool decay = false;       // steps of eta / sqrt(t)
};

/// Weights of dGMML used together (Li, Chen 2022).
struct MdtRules {
  enum class Cut { gap, median, mean };
  Cut cut = Cut::gap;
  int n_gap_points = 10;
  bool is_signed = true;
};

/// Fisher's discriminant.
struct FisherRules {
  double ridge = 1e-6;
  bool one_vs_rest = false;  // the best of all classes against the rest, not two superclasses
};

/// Sparse random directions: Forest-RC (Breiman 2001), SPORF (Tomita et al. 2020).
struct RandomSparseRules {
  int n_directions = 0;   // 0 = as many as columns
  int n_terms = 3;        // columns of each; 0 = each column with probability `density`
  double density = 0;     // 0 = 1 / sqrt(columns)
  bool is_binary = true;  // weights -1 or 1, else uniform in [-1, 1]
};

/// Ridge regression of one class against the rest (Menze et al. 2011).
struct RidgeRules {
  double penalty = 1;
  bool own_cut = false;  // at 0, not where the criterion chooses; so in the rules below
};

/// Logistic regression of one class against the rest (Truong 2009).
struct LogisticRules {
  double penalty = 1;
  bool own_cut = false;
};

/// Support vector machine of one class against the rest (Montañana, Gámez, Puerta 2021).
struct SvmRules {
  double c = 1;  // penalty of the losses
  bool own_cut = false;
};

/// Multisurface proximal support vector machines (Manwani, Sastry 2012; Zhang, Suganthan 2015).
struct MpsvmRules {
  bool largest = false;  // the heaviest class against the rest, not two distant groups
  double delta = 0.01;   // added where a group has no width
  bool own_cut = false;
};

/// Reflected axes (Wickramarachchi et al. 2016).
struct HhcartRules {
  bool all_axes = false;  // of each class, not the main one only
};

/// Canonical correlation with the classes (Rainforth, Wood 2015).
struct CcaRules {
  bool bootstrap = false;  // on a bootstrap sample of the node's rows
};

/// Projection pursuit (Lee et al. 2013).
struct PptreeRules {
  double shrinkage = 0;  // of the products of different columns
  bool own_cut = false;
};

/// All hyperplanes through a few rows (Laack 2025).
struct CartElcRules {
  int n_points = 2;  // rows, and columns, of each
  int max_planes = 200'000;
};

using SingleRules = std::variant<WodtRules, Oc1Rules, CartLcRules, Co2Rules, MdtRules, FisherRules,
                                 RandomSparseRules, RidgeRules, LogisticRules, SvmRules, MpsvmRules,
                                 HhcartRules, CcaRules, PptreeRules, CartElcRules>;

/// Several methods propose, the best wins (after Katuwal, Suganthan, Zhang 2020).
struct HeterogeneousRules {
  std::vector<SingleRules> methods;
};

template <class... Rules>
std::variant<Rules..., HeterogeneousRules> and_heterogeneous(std::variant<Rules...>);
using ObliqueRules = decltype(and_heterogeneous(SingleRules()));

}  // namespace ramify
