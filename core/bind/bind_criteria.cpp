// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "data/table.hpp"
#include "scan/sorted_scan.hpp"

namespace ramify {

namespace portable {
extern const Kernels table;
}

std::shared_ptr<const SetCriterion> find_criterion(const std::string& name,
                                                   const std::vector<double>& values,
                                                   const std::vector<double>& shares,
                                                   bool is_balanced) {
  const CriterionKernel* kernel = find_kernel(name);
  if (!kernel) refuse("criterion='" + name + "' is unknown");
  CriterionSettings settings = default_settings(*kernel->info);
  if (values.size() > max_parameters) refuse("too many parameters");
  std::ranges::copy(values, settings.values);
  settings.shares = shares;
  auto found = set_criterion(name, std::move(settings));
  if (!is_balanced) return found;
  if (found->counts || found->n_extra > 0)
    refuse("balanced() cannot be used with criterion='" + name + "'");
  return balanced(std::move(found));
}

namespace {

/// Replaces the functions of a criterion by the portable ones.
void set_portable(SetCriterion& criterion) {
  const auto replace = [&](const CriterionKernel& kernel) {
    if (std::string_view(kernel.info->name) != criterion.info->name || kernel.same_as) return;
    static_cast<CriterionKernel&>(criterion) = kernel;
  };
  std::ranges::for_each(portable::table.criteria, replace);
  std::ranges::for_each(*portable::table.families, replace);
}

/// Scores of single cuts: class weights of the node (K) and of the left side, class-major (K x m).
nb::ndarray<nb::numpy, double> score_cuts(const std::string& name, Array1<double> parent,
                                          Array1<double> left, bool tie_break,
                                          const std::vector<double>& values,
                                          const std::vector<double>& shares, bool is_balanced,
                                          const std::vector<std::uint32_t>& classes,
                                          bool use_tables, bool portable) {
  const auto set = find_criterion(name, values, shares, is_balanced);
  SetCriterion kernel = *set;
  if (portable && !is_balanced) set_portable(kernel);
  const Score score = tie_break ? kernel.tie_break : kernel.score;
  if (!score) refuse("criterion='" + name + "' has no tie-break");
  const int n_classes = static_cast<int>(parent.shape(0));
  if (n_classes < 2 || left.shape(0) % parent.shape(0) != 0)
    refuse("there must be at least two classes, and one weight per class and cut");
  const std::size_t n_cuts = left.shape(0) / parent.shape(0);
  // As in a fit, weights become integer multiples of a unit: differences of sums are exact then.
  std::vector<double> whole(parent.data(), parent.data() + n_classes);
  const auto is_integer = [](double x) { return x == std::trunc(x); };
  double unit = 1;
  if (!std::ranges::all_of(whole, is_integer) ||
      !std::all_of(left.data(), left.data() + left.shape(0), is_integer))
    unit = exact_unit(*std::ranges::max_element(whole), whole.size());
  for (double& weight : whole) weight = std::nearbyint(weight / unit);
  const double total = std::accumulate(whole.begin(), whole.end(), 0.0);
  if (!classes.empty() && classes.size() != parent.shape(0))
    refuse("there must be one place per class");
  for (const std::uint32_t place : classes)
    if (!shares.empty() && place >= shares.size()) refuse("there must be one share per class");
  if (!shares.empty() && shares.size() < parent.shape(0))
    refuse("there must be one share per class");
  std::vector<double> terms, totals;
  if (use_tables && kernel.fill_terms && unit == 1 && total <= 1 << 21) {
    const auto n = static_cast<int>(total) + 1;
    terms.resize(static_cast<std::size_t>(n) + RAMIFY_KERNELS::pack_width);
    totals.resize(terms.size());
    kernel.fill_terms(kernel.settings, n_classes, n, terms.data());
    kernel.fill_totals(kernel.settings, n_classes, n, totals.data());
  }
  ScoreCall call{whole.data(), total, n_classes, nullptr, 0, nullptr, unit, &kernel};
  if (!terms.empty()) call.tables = {terms.data(), totals.data(), n_classes};
  if (!classes.empty()) call.classes = classes.data();
  std::vector<double> scores(n_cuts), block(static_cast<std::size_t>(n_classes) * CutBlock::stride);
  double out[CutBlock::stride];
  for (std::size_t first = 0; first < n_cuts; first += CutBlock::capacity) {
    const int n = static_cast<int>(std::min<std::size_t>(CutBlock::capacity, n_cuts - first));
    for (int k = 0; k < n_classes; ++k)
      for (int i = 0; i < CutBlock::stride; ++i)
        block[static_cast<std::size_t>(k) * CutBlock::stride + i] = std::nearbyint(
            left.data()[static_cast<std::size_t>(k) * n_cuts + first + std::min(i, n - 1)] / unit);
    call.left = block.data();
    call.n_cuts = n;
    score(call, out);
    std::copy_n(out, n, scores.begin() + first);
  }
  return to_numpy(std::move(scores));
}

nb::dict to_python(const CriterionInfo& info) {
  nb::dict result;
  result["name"] = info.name;
  result["aliases"] = info.aliases;
  result["summary"] = info.summary;
  result["formula"] = info.formula;
  result["reference"] = info.reference;
  result["family"] = info.family;
  result["advice"] = info.advice;
  result["is_quasi_convex"] = info.is_quasi_convex;
  nb::list parameters;
  for (const Parameter& parameter : info.parameters) {
    if (!parameter.name) break;
    constexpr const char* kinds[] = {"number", "word", "flag", "shares"};
    nb::dict described;
    described["name"] = parameter.name;
    described["kind"] = kinds[static_cast<std::size_t>(parameter.kind)];
    described["default"] = parameter.otherwise;
    described["min"] = parameter.min;
    described["max"] = parameter.max;
    described["min_is_allowed"] = parameter.min_is_allowed;
    described["words"] = parameter.words;
    described["also"] = parameter.also;
    parameters.append(described);
  }
  result["parameters"] = parameters;
  return result;
}

/// Properties of a criterion with these parameters.
nb::dict criterion_info(const std::string& name, const std::vector<double>& values,
                        const std::vector<double>& shares) {
  const auto set = find_criterion(name, values, shares, false);
  nb::dict properties;
  properties["is_quasi_convex"] = set->quasi_convex;
  properties["is_quasi_convex_of_two"] = set->quasi_convex || set->info->is_quasi_convex_of_two;
  properties["counts"] = set->counts;
  properties["is_ordered"] = set->info->is_ordered;
  properties["is_multiway"] = set->score_branches != nullptr;
  properties["needs_treatment"] = set->n_extra > 0;
  properties["ignores_class_weights"] = set->ignores_class_weights_with
                                            ? set->ignores_class_weights_with(set->settings)
                                            : set->info->ignores_class_weights;
  return properties;
}

}  // namespace

void bind_criteria(nb::module_& m) {
  m.def("criteria", [] {
    nb::list all;
    each_criterion([&](const CriterionKernel& kernel) {
      nb::dict info = to_python(*kernel.info);
      info["is_multiway"] = kernel.score_branches != nullptr;
      info["needs_treatment"] = kernel.n_extra > 0;
      all.append(info);
    });
    return all;
  });
  m.def("regression_criteria", [] {
    nb::list all;
    for (const RegressionKernel& kernel : kernels().regression_criteria)
      all.append(to_python(*kernel.info));
    return all;
  });
  m.def("criterion_info", &criterion_info, "name"_a, "values"_a = std::vector<double>(),
        "shares"_a = std::vector<double>());
  m.def("score_cuts", &score_cuts, "name"_a, "parent"_a, "left"_a, "tie_break"_a = false,
        "values"_a = std::vector<double>(), "shares"_a = std::vector<double>(),
        "balanced"_a = false, "classes"_a = std::vector<std::uint32_t>(), "use_tables"_a = false,
        "portable"_a = false);
  m.def("processor", [] { return sorted_kernels().name; });
}

}  // namespace ramify
