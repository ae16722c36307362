// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "data/table.hpp"
#include "scan/hull.hpp"
#include "scan/sorted_scan.hpp"
#include "util/distributions.hpp"

namespace ramify {

namespace portable {
extern const Kernels table;
}

std::shared_ptr<const SetCriterion> find_criterion(const std::string& name,
                                                   const std::vector<double>& values,
                                                   const std::vector<double>& shares,
                                                   bool is_balanced) {
  const CriterionKernel* kernel = find_kernel(name);
  if (!kernel) throw nb::value_error(("criterion='" + name + "' is unknown").c_str());
  CriterionSettings settings = default_settings(*kernel->info);
  if (values.size() > max_parameters) throw nb::value_error("too many parameters");
  std::ranges::copy(values, settings.values);
  settings.shares = shares;
  auto found = set_criterion(name, std::move(settings));
  if (!is_balanced) return found;
  if (found->counts || found->n_extra > 0)
    throw nb::value_error(("balanced() cannot be used with criterion='" + name + "'").c_str());
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
  if (!score) throw nb::value_error(("criterion='" + name + "' has no tie-break").c_str());
  const int n_classes = static_cast<int>(parent.shape(0));
  if (n_classes < 2 || left.shape(0) % parent.shape(0) != 0)
    throw nb::value_error("there must be at least two classes, and one weight per class and cut");
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
    throw nb::value_error("there must be one place per class");
  for (const std::uint32_t place : classes)
    if (!shares.empty() && place >= shares.size())
      throw nb::value_error("there must be one share per class");
  if (!shares.empty() && shares.size() < parent.shape(0))
    throw nb::value_error("there must be one share per class");
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
    std::copy_n(out, n, scores.begin() + static_cast<std::ptrdiff_t>(first));
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
  result["is_convex"] = info.is_quasi_convex;
  nb::list parameters;
  for (const Parameter& parameter : info.parameters) {
    if (!parameter.name) break;
    constexpr const char* kinds[] = {"number", "word", "flag", "shares"};
    nb::dict statistics;
    statistics["name"] = parameter.name;
    statistics["kind"] = kinds[static_cast<std::size_t>(parameter.kind)];
    statistics["default"] = parameter.otherwise;
    statistics["least"] = parameter.min;
    statistics["most"] = parameter.max;
    statistics["least_is_allowed"] = parameter.min_is_allowed;
    statistics["words"] = parameter.words;
    statistics["also"] = parameter.also;
    parameters.append(statistics);
  }
  result["parameters"] = parameters;
  return result;
}

/// Properties of a criterion with these parameters.
nb::dict criterion_info(const std::string& name, const std::vector<double>& values,
                        const std::vector<double>& shares) {
  const auto set = find_criterion(name, values, shares, false);
  nb::dict statistics;
  statistics["is_convex"] = set->quasi_convex;
  statistics["is_convex_of_two"] = set->quasi_convex || set->info->is_quasi_convex_of_two;
  statistics["counts"] = set->counts;
  statistics["is_ordered"] = set->info->is_ordered;
  statistics["is_multiway"] = set->score_branches != nullptr;
  statistics["needs_treatment"] = set->n_extra > 0;
  statistics["ignores_class_weights"] = set->ignores_class_weights_with
                                            ? set->ignores_class_weights_with(set->settings)
                                            : set->info->ignores_class_weights;
  return statistics;
}

/// How far the deviations of single cuts exceed what these scores need, by the bound of a
/// criterion: never negative for a score that a cut reaches. Nothing if there is no bound.
std::optional<nb::ndarray<nb::numpy, double>> bound_slack(const std::string& name,
                                                          Array1<double> parent,
                                                          Array1<double> left,
                                                          Array1<double> scores,
                                                          const std::vector<double>& values) {
  const auto set = find_criterion(name, values, {}, false);
  const DeviationBound& bound = set->bound;
  if (!bound) return std::nullopt;
  const std::size_t n_classes = parent.shape(0), n_cuts = scores.shape(0);
  if (left.shape(0) != n_classes * n_cuts)
    throw nb::value_error("there must be one weight per class and score");
  const double total = std::accumulate(parent.data(), parent.data() + n_classes, 0.0);
  BoundNode node{.parent = parent.data(),
                 .n_classes = static_cast<int>(n_classes),
                 .total = total,
                 .settings = &set->settings};
  std::vector<std::uint32_t> places(n_classes);
  std::iota(places.begin(), places.end(), 0u);
  node.classes = places.data();
  std::vector<double> slack(n_cuts), sides, needed(static_cast<std::size_t>(total) + 1);
  if (bound.fill_sides) {
    sides.resize(2 * needed.size());
    bound.fill_sides(set->settings, node.n_classes, static_cast<int>(needed.size()), sides.data());
    node.sides = sides.data();
    node.terms = sides.data() + needed.size();
  }
  if (bound.find_statistics) bound.find_statistics(node);
  for (std::size_t i = 0; i < n_cuts; ++i) {
    double n_left = 0, squares = 0, magnitudes = 0, largest = 0, up_to = 0, whole = 0;
    bool has_all = true;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const double own = left.data()[k * n_cuts + i];
      n_left += own;
      has_all = has_all && own > 0 && own < parent.data()[k];
    }
    const double ratio = n_left / (total - n_left);
    const bool is_evidence = bound.norm == DeviationNorm::evidence;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const int own = static_cast<int>(k);
      up_to = (bound.is_cumulative ? up_to : 0) + left.data()[k * n_cuts + i];
      whole = (bound.is_cumulative ? whole : 0) + parent.data()[k];
      const double deviation = up_to - n_left * whole / total;
      const double bend = bound.bend ? bound.bend(node, own) : 0;
      double square = bound.factor(node, own) * deviation * deviation;
      if (is_evidence) {
        const double on_left = n_left / total * bend, on_right = bend - on_left;
        const double rest = n_left - up_to, all_rest = total - whole;
        const auto root = [&](double own, double other) {
          return std::sqrt(own * other / ((whole + bend) * (all_rest + bend)));
        };
        square *= 1 / root(up_to + on_left, rest + on_left) +
                  1 / root(whole - up_to + on_right, all_rest - rest + on_right);
      } else {
        square *= 1 + bend * std::max(deviation * ratio, -deviation / ratio) / parent.data()[k];
      }
      squares += square;
      magnitudes += std::sqrt(square);
      largest = std::max(largest, square);
    }
    const double norm = bound.norm == DeviationNorm::magnitudes ? magnitudes * magnitudes
                        : bound.norm == DeviationNorm::largest  ? largest
                                                                : squares;
    const double pairs = n_left * (total - n_left);
    slack[i] = std::numeric_limits<double>::infinity();
    if (bound.of_all_classes && !has_all) continue;
    if (bound.min) slack[i] = norm / pairs - bound.min(node, scores.data()[i]);
    if (!bound.fill) continue;
    const int at = static_cast<int>(n_left);
    bound.fill(node, scores.data()[i], {at, at + 1}, needed.data());
    slack[i] = std::min(slack[i], (norm - needed[static_cast<std::size_t>(at)]) / pairs);
  }
  return to_numpy(std::move(slack));
}

/// The highest score of the corners around each `chunk` consecutive cuts of a node of two classes;
/// see scan/hull.hpp.
nb::ndarray<nb::numpy, double> hull_tops(const std::string& name, Array1<double> parent,
                                         Array1<double> left, int chunk,
                                         const std::vector<double>& values) {
  const auto n_cuts = static_cast<int>(left.shape(0) / 2);
  if (parent.shape(0) != 2 || n_cuts < 1 || n_cuts > CutBlock::capacity || chunk < 8 ||
      chunk % RAMIFY_KERNELS::pack_width != 0)
    throw nb::value_error("there must be two classes, up to 256 cuts, and a chunk of 8 or more");
  std::vector<double> block(2 * CutBlock::stride), corners(2 * CutBlock::stride);
  std::vector<double> scores(CutBlock::stride);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < CutBlock::stride; ++i)
      block[static_cast<std::size_t>(k * CutBlock::stride + i)] =
          left.data()[k * n_cuts + std::min(i, n_cuts - 1)];
  const HullCall hulls{block.data(), parent.data(), n_cuts, chunk, corners.data()};
  kernels().write_hulls(hulls);
  const auto set = find_criterion(name, values, {}, false);
  const ScoreCall call{parent.data(),
                       parent.data()[0] + parent.data()[1],
                       2,
                       corners.data(),
                       hulls.n_all_corners(),
                       nullptr,
                       1,
                       set.get()};
  set->score(call, scores.data());
  std::vector<double> tops;
  for (int i = 0; i < hulls.n_chunks(); ++i) {
    const double* corner = scores.data() + i * HullCall::n_corners;
    tops.push_back(*std::max_element(corner, corner + HullCall::n_corners + 1));
  }
  return to_numpy(std::move(tops));
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
  m.def("criterion_info", &criterion_info, nb::arg("name"),
        nb::arg("values") = std::vector<double>(), nb::arg("shares") = std::vector<double>());
  m.def("log_chi2_tail", &log_chi2_tail, nb::arg("x"), nb::arg("degrees"));
  m.def("log_f_tail", &log_f_tail, nb::arg("x"), nb::arg("degrees_above"),
        nb::arg("degrees_below"));
  m.def("score_cuts", &score_cuts, nb::arg("name"), nb::arg("parent"), nb::arg("left"),
        nb::arg("tie_break") = false, nb::arg("values") = std::vector<double>(),
        nb::arg("shares") = std::vector<double>(), nb::arg("balanced") = false,
        nb::arg("classes") = std::vector<std::uint32_t>(), nb::arg("use_tables") = false,
        nb::arg("portable") = false);
  m.def("bound_slack", &bound_slack, nb::arg("name"), nb::arg("parent"), nb::arg("left"),
        nb::arg("scores"), nb::arg("values") = std::vector<double>());
  m.def("hull_tops", &hull_tops, nb::arg("name"), nb::arg("parent"), nb::arg("left"),
        nb::arg("chunk"), nb::arg("values") = std::vector<double>());
  m.def("processor", [] { return sorted_kernels().name; });
}

}  // namespace ramify
