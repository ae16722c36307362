// SPDX-License-Identifier: BSD-3-Clause
// All choices of a fit.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "bind/expressions.hpp"
#include "plan/plan.hpp"

namespace ramify {

namespace {

void bind_words(nb::module_& m) {
  nb::enum_<Impurities>(m, "Impurity")
      .value("gini", Impurities::gini)
      .value("entropy", Impurities::entropy)
      .value("misclassification", Impurities::misclassification);
  nb::enum_<Missing>(m, "Missing")
      .value("both", Missing::both)
      .value("left", Missing::left)
      .value("right", Missing::right)
      .value("fractional", Missing::fractional);
  nb::enum_<Categories>(m, "Categories")
      .value("subset", Categories::subset)
      .value("one_vs_rest", Categories::one_vs_rest)
      .value("multiway", Categories::multiway);
}

void bind_limits(nb::class_<Plan>& plan) {
  plan.def(nb::init<>())
      .def_rw("impurity", &Plan::impurity)
      .def_rw("threshold_cost", &Plan::threshold_cost)
      .def_rw("max_depth", &Plan::max_depth)
      .def_rw("min_split_rows", &Plan::min_split_rows)
      .def_rw("min_leaf_rows", &Plan::min_leaf_rows)
      .def_rw("min_leaf_share", &Plan::min_leaf_share)
      .def_rw("max_purity", &Plan::max_purity)
      .def_rw("central_cuts", &Plan::central_cuts)
      .def_rw("min_decrease", &Plan::min_decrease)
      .def_rw("max_leaves", &Plan::max_leaves)
      .def_rw("max_columns", &Plan::max_columns)
      .def_rw("random_cuts", &Plan::random_cuts)
      .def_rw("seed", &Plan::seed)
      .def_rw("threshold_is_value", &Plan::threshold_is_value)
      .def_rw("monotonic", &Plan::monotonic)
      .def_rw("missing", &Plan::missing)
      .def_rw("categories", &Plan::categories)
      .def_rw("max_exhaustive", &Plan::max_exhaustive)
      .def_rw("max_subset", &Plan::max_subset)
      .def_rw("gives_up", &Plan::gives_up)
      .def_rw("splits_at_zero", &Plan::splits_at_zero)
      .def_rw("n_recorded", &Plan::n_recorded)
      .def_rw("n_threads", &Plan::n_threads);
}

/// What scores a split.
void bind_judges(nb::class_<Plan>& plan) {
  plan.def(
          "use_expression",
          [](Plan& plan, const nb::tuple& score, int top, const nb::list& then,
             const std::optional<nb::tuple>& tie, bool gain_test, const std::string& text) {
            ComposedCriterion composed = compose(score, top, then, tie, gain_test);
            composed.text = text;
            plan.criterion = {.composed =
                                  std::make_shared<const ComposedCriterion>(std::move(composed))};
          },
          "score"_a, "top"_a, "then"_a, "tie"_a, "gain_test"_a, "text"_a)
      .def(
          "also_score",
          [](Plan& plan, const nb::tuple& expression) {
            plan.also.push_back(read_expression(expression));
          },
          "expression"_a, "Score the recorded candidates by this, too.")
      .def(
          "use_builtin",
          [](Plan& plan, const std::string& name, const std::vector<double>& values,
             const std::vector<double>& shares, bool is_balanced) {
            auto found = find_criterion(name, values, shares, is_balanced);
            const bool splits_on_ties = found->splits_on_ties;
            plan.criterion = {.builtin = std::move(found), .splits_on_ties = splits_on_ties};
          },
          "name"_a, "values"_a = std::vector<double>(), "shares"_a = std::vector<double>(),
          "balanced"_a = false)
      .def(
          "use_numeric",
          [](Plan& plan, const std::string& name, const std::vector<double>& values) {
            for (const RegressionKernel& kernel : kernels().regression_criteria)
              if (name == kernel.info->name) {
                plan.criterion = {.numeric = &kernel};
                for (std::size_t i = 0; i < max_parameters; ++i)
                  plan.criterion.values[i] =
                      i < values.size() ? values[i] : kernel.info->parameters[i].otherwise;
                plan.criterion.splits_on_ties = plan.criterion.is_ordered();
                return;
              }
            refuse("criterion='" + name + "' is unknown");
          },
          "name"_a, "values"_a, "A regression criterion.")
      .def(
          "use_function",
          [](Plan& plan, nb::callable function, std::optional<nb::callable> tie_break,
             bool splits_on_ties, bool quasi_convex) {
            plan.criterion = {.declared_quasi_convex = quasi_convex,
                              .interpreted = interpret(std::move(function)),
                              .splits_on_ties = splits_on_ties};
            if (tie_break) plan.criterion.interpreted_tie_break = interpret(std::move(*tie_break));
          },
          "function"_a, "tie_break"_a, "splits_on_ties"_a, "convex"_a = false)
      .def(
          "use_compiled",
          [](Plan& plan, std::uintptr_t address, std::uintptr_t user_data, bool quasi_convex) {
            plan.criterion = {.compiled = reinterpret_cast<CompiledCriterion>(address),
                              .user_data = reinterpret_cast<void*>(user_data),
                              .declared_quasi_convex = quasi_convex};
          },
          "address"_a, "user_data"_a, "convex"_a = false);
}

/// Rules of published methods that choose splits in their own way.
void bind_methods(nb::class_<Plan>& plan) {
  plan.def(
          "use_c45_rules",
          [](Plan& plan, bool threshold_cost, bool average_gain, double min_branch) {
            plan.c45 = {threshold_cost, average_gain, min_branch};
          },
          "threshold_cost"_a, "average_gain"_a, "min_branch"_a)
      .def(
          "use_chaid",
          [](Plan& plan, double alpha_merge, double alpha_split, bool resplit, bool binary) {
            plan.by_test = ByTest::chaid;
            plan.chaid = {alpha_merge, alpha_split, resplit, binary};
          },
          "alpha_merge"_a, "alpha_split"_a, "resplit"_a, "binary"_a)
      .def(
          "use_quest",
          [](Plan& plan, double alpha) {
            plan.by_test = ByTest::quest;
            plan.quest_alpha = alpha;
          },
          "alpha"_a)
      .def(
          "use_ctree",
          [](Plan& plan, double alpha, double minprob, std::uint32_t splittry, double tol) {
            plan.by_test = ByTest::ctree;
            plan.ctree = {alpha, minprob, splittry, tol};
            // The same statistic chooses the cut of a column.
            if (!plan.criterion.numeric) plan.criterion = {.builtin = find_criterion("chi2")};
          },
          "alpha"_a, "minprob"_a, "splittry"_a, "tol"_a)
      .def(
          "use_guide",
          [](Plan& plan, bool interactions) {
            plan.by_test = ByTest::guide;
            plan.guide_interactions = interactions;
          },
          "interactions"_a)
      .def(
          "use_dgmml",
          [](Plan& plan, const std::string& split_point, std::uint32_t n_gap_points,
             const std::string& between, const std::optional<std::string>& fallback) {
            const SplitPoint point = split_point == "median" ? SplitPoint::median
                                     : split_point == "mean" ? SplitPoint::mean
                                                             : SplitPoint::gap;
            plan.dgmml = {point, n_gap_points, between == "scatter", fallback.has_value()};
          },
          "split_point"_a, "n_gap_points"_a, "between"_a, "fallback"_a)
      .def(
          "set_binned",
          [](Plan& plan, bool is_binned) {
            plan.is_binned = is_binned;
            if (plan.dgmml) plan.dgmml->by_code = is_binned;
          },
          "is_binned"_a)
      .def("use_oblique", &use_oblique, "method"_a, "params"_a, "scale"_a, "compare_axis"_a,
           "max_terms"_a, "groups"_a);
}

}  // namespace

void bind_plan(nb::module_& m) {
  bind_words(m);
  nb::class_<Plan> plan(m, "Plan", "All choices of a fit.");
  bind_limits(plan);
  bind_judges(plan);
  bind_methods(plan);
}

}  // namespace ramify
