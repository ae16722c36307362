// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "data/table.hpp"
#include "util/distributions.hpp"

namespace ramify {

const CriterionKernel& find_criterion(const std::string& name) {
  for (const CriterionKernel& kernel : kernels().criteria)
    if (name == kernel.info->name) return kernel;
  throw nb::value_error(("criterion='" + name + "' is unknown").c_str());
}

namespace {

/// Scores of single cuts: class weights of the node (K) and of the left side, class after class (K
/// x m).
nb::ndarray<nb::numpy, double> score_cuts(const std::string& name, Array1<double> parent,
                                          Array1<double> left, bool tie_break) {
  const CriterionKernel& kernel = find_criterion(name);
  const Score score = tie_break ? kernel.tie_break : kernel.score;
  if (!score) throw nb::value_error(("criterion='" + name + "' has no tie-break").c_str());
  const int n_classes = static_cast<int>(parent.shape(0));
  if (n_classes < 2 || left.shape(0) % parent.shape(0) != 0)
    throw nb::value_error("at least two classes are needed, and as many sums per class as cuts");
  const std::size_t n_cuts = left.shape(0) / parent.shape(0);
  // As in a fit, weights become whole multiples of a unit: differences of sums are exact then.
  std::vector<double> whole(parent.data(), parent.data() + n_classes);
  const auto is_whole = [](double x) { return x == std::trunc(x); };
  double unit = 1;
  if (!std::ranges::all_of(whole, is_whole) ||
      !std::all_of(left.data(), left.data() + left.shape(0), is_whole))
    unit = exact_unit(*std::ranges::max_element(whole), whole.size());
  for (double& weight : whole) weight = std::nearbyint(weight / unit);
  const double total = std::accumulate(whole.begin(), whole.end(), 0.0);
  std::vector<double> scores(n_cuts), block(static_cast<std::size_t>(n_classes) * CutBlock::stride);
  double out[CutBlock::stride];
  for (std::size_t first = 0; first < n_cuts; first += CutBlock::capacity) {
    const int n = static_cast<int>(std::min<std::size_t>(CutBlock::capacity, n_cuts - first));
    for (int k = 0; k < n_classes; ++k)
      for (int i = 0; i < CutBlock::stride; ++i)
        block[static_cast<std::size_t>(k) * CutBlock::stride + i] = std::nearbyint(
            left.data()[static_cast<std::size_t>(k) * n_cuts + first + std::min(i, n - 1)] / unit);
    score({whole.data(), total, n_classes, block.data(), n, nullptr, unit}, out);
    std::copy_n(out, n, scores.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return to_numpy(std::move(scores));
}

}  // namespace

void bind_criteria(nb::module_& m) {
  m.def("criteria", [] {
    nb::list all;
    for (const CriterionKernel& kernel : kernels().criteria) {
      nb::dict info;
      info["name"] = kernel.info->name;
      info["aliases"] = kernel.info->aliases;
      info["summary"] = kernel.info->summary;
      info["formula"] = kernel.info->formula;
      info["reference"] = kernel.info->reference;
      info["is_convex"] = kernel.info->is_convex;
      info["is_multiway"] = kernel.score_branches != nullptr;
      all.append(info);
    }
    return all;
  });
  m.def("number_criteria", [] {
    nb::list all;
    for (const NumberKernel& kernel : kernels().number_criteria) {
      nb::dict info;
      info["name"] = kernel.info->name;
      info["aliases"] = kernel.info->aliases;
      info["summary"] = kernel.info->summary;
      info["formula"] = kernel.info->formula;
      info["reference"] = kernel.info->reference;
      info["is_convex"] = kernel.info->is_convex;
      all.append(info);
    }
    return all;
  });
  m.def("log_chi2_tail", &log_chi2_tail, nb::arg("x"), nb::arg("degrees"));
  m.def("log_f_tail", &log_f_tail, nb::arg("x"), nb::arg("degrees_above"),
        nb::arg("degrees_below"));
  m.def("score_cuts", &score_cuts, nb::arg("name"), nb::arg("parent"), nb::arg("left"),
        nb::arg("tie_break") = false);
}

}  // namespace ramify
