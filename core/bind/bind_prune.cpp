// SPDX-License-Identifier: BSD-3-Clause
// Pruning: passes over the statistics of nodes, and those that route rows again.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/tree_arrays.hpp"
#include "tree/counting.hpp"
#include "tree/raise.hpp"
#include "tree/route.hpp"
#include "tree/weakest_link.hpp"

namespace ramify {

ErrorBound error_bound(const std::string& bound, double cf) {
  using Kind = ErrorBound::Kind;
  if (bound == "j48") return {Kind::j48, cf};
  if (bound == "c45") return {Kind::c45, cf};
  if (bound == "exact") return {Kind::exact, cf};
  refuse("unknown bound: " + bound);
}

namespace {

template <class T>
std::span<const T> per_node_of(const TreeArrays& arrays, const Array1<T>& values) {
  if (values.shape(0) != arrays.tree.size()) refuse("there must be one value per node");
  return view(values);
}
template <class T>
std::span<const T> per_node_of(const TreeArrays& arrays, const Maybe<T>& values) {
  return values ? per_node_of(arrays, *values) : std::span<const T>{};
}

RowMatrix rows_of(const TreeArrays& arrays, const Array2<double>& X) {
  for (const std::int64_t feature : arrays.tree.feature)
    if (feature >= static_cast<std::int64_t>(X.shape(1)))
      refuse("X has fewer columns than the tree uses");
  for (const std::int64_t column : arrays.tree.term_column)
    if (column >= static_cast<std::int64_t>(X.shape(1)))
      refuse("X has fewer columns than the tree uses");
  return {{X.data(), X.size()}, X.shape(0), X.shape(1)};
}

/// Rows with a code below `n_codes` and a weight each.
ClassRows class_rows(const TreeArrays& arrays, const Array2<double>& X,
                     const Array1<std::uint32_t>& codes, const Array1<double>& weight,
                     std::size_t n_codes) {
  const ClassRows rows{rows_of(arrays, X), view(codes), view(weight), n_codes};
  if (codes.shape(0) != rows.X.n_rows || weight.shape(0) != rows.X.n_rows)
    refuse("there must be one code and one weight per row");
  for (const std::uint32_t code : view(codes))
    if (code >= n_codes) refuse("a code is too large");
  return rows;
}

nb::tuple to_python(Judged&& judged) {
  return to_tuple(std::move(judged.is_leaf), std::move(judged.as_leaf),
                  std::move(judged.as_subtree), std::move(judged.allowance));
}

void bind_errors(nb::module_& m) {
  m.def(
      "weakest_links",
      [](const nb::dict& arrays, Array1<double> risk) {
        const TreeArrays tree(arrays);
        return to_numpy(weakest_links(tree.tree, per_node_of(tree, risk)));
      },
      "arrays"_a, "risk"_a, "The alpha at which each node collapses.");
  m.def(
      "prune_bottom_up",
      [](const nb::dict& arrays, Array1<double> as_leaf, Array1<double> allowance,
         const MaybeWeight& of_test, const MaybeWeight& of_size, const MaybeWeight& before,
         double per_node, bool averages, const Maybe<std::uint8_t>& is_leaf) {
        const TreeArrays tree(arrays);
        const NodeCosts costs{.as_leaf = per_node_of(tree, as_leaf),
                              .of_test = per_node_of(tree, of_test),
                              .allowance = per_node_of(tree, allowance),
                              .of_size = per_node_of(tree, of_size),
                              .before = per_node_of(tree, before),
                              .per_node = per_node,
                              .averages = averages};
        if (costs.of_size.size() != costs.before.size()) refuse("of_size and before go together");
        return to_python(prune_bottom_up(tree.tree, costs, per_node_of(tree, is_leaf)));
      },
      "arrays"_a, "as_leaf"_a, "allowance"_a, "of_test"_a = nb::none(), "of_size"_a = nb::none(),
      "before"_a = nb::none(), "per_node"_a = 0.0, "averages"_a = false, "is_leaf"_a = nb::none(),
      "Which nodes become leaves, and what each node costs as a leaf and with its subtree.");
  m.def(
      "estimated_errors",
      [](Array2<double> counts, const std::string& bound, double cf) {
        const ErrorBound limit = error_bound(bound, cf);
        std::vector<double> errors(counts.shape(0));
        for (std::size_t t = 0; t < errors.size(); ++t)
          errors[t] =
              estimated_errors(limit, {counts.data() + t * counts.shape(1), counts.shape(1)});
        return to_numpy(std::move(errors));
      },
      "counts"_a, "bound"_a, "cf"_a, "Errors of each node as a leaf, with its upper limit.");
}

void bind_routing(nb::module_& m) {
  m.def(
      "sums_by_node",
      [](const nb::dict& arrays, Array2<double> X, Array2<double> carried) {
        const TreeArrays tree(arrays);
        const RowMatrix rows = rows_of(tree, X);
        if (carried.shape(0) != rows.n_rows) refuse("there must be one entry per row");
        const std::size_t n_items = carried.shape(1);
        return to_numpy(sums_by_node(tree.tree, rows, {carried.data(), carried.size()}, n_items),
                        {tree.tree.size(), n_items});
      },
      "arrays"_a, "X"_a, "carried"_a, "Values of rows, summed in every node that they pass.");
  m.def(
      "tested_values",
      [](const nb::dict& arrays, Array2<double> X) {
        const TreeArrays tree(arrays);
        TestedValues found = tested_values(tree.tree, rows_of(tree, X));
        return to_tuple(std::move(found.n_distinct), std::move(found.n_missing));
      },
      "arrays"_a, "X"_a,
      "Number of distinct and of missing values of each node's rows in the tested column.");
  m.def(
      "prune_raising",
      [](const nb::dict& arrays, Array2<double> X, Array1<std::uint32_t> codes,
         Array1<double> weight, std::size_t n_classes, const std::string& bound, double cf,
         double slack, Array1<std::uint8_t> is_leaf) {
        const TreeArrays tree(arrays);
        const ClassRows rows = class_rows(tree, X, codes, weight, n_classes);
        const ErrorBound limit = error_bound(bound, cf);
        const auto leaves = per_node_of(tree, is_leaf);
        Raised found =
            without_gil([&] { return prune_raising(tree.tree, rows, limit, slack, leaves); });
        const std::size_t n = found.origin.size();
        nb::dict result;
        result["origin"] = to_numpy(std::move(found.origin));
        result["n_children"] = to_numpy(std::move(found.n_children));
        result["n_rows"] = to_numpy(std::move(found.n_rows));
        result["weight"] = to_numpy(std::move(found.weight), {n, rows.n_classes});
        result["as_leaf"] = to_numpy(std::move(found.as_leaf));
        result["as_subtree"] = to_numpy(std::move(found.as_subtree));
        result["as_branch"] = to_numpy(std::move(found.as_branch));
        result["decision"] = to_numpy(std::move(found.decision));
        return result;
      },
      "arrays"_a, "X"_a, "codes"_a, "weight"_a, "n_classes"_a, "bound"_a, "cf"_a, "slack"_a,
      "is_leaf"_a);
}

}  // namespace

void bind_prune(nb::module_& m) {
  bind_errors(m);
  bind_routing(m);
}

}  // namespace ramify
