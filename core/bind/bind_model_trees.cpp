// SPDX-License-Identifier: BSD-3-Clause
// Model trees: their rules by name, and the tree with its lines.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <span>
#include <vector>

#include "bind/arrays.hpp"
#include "data/table.hpp"
#include "model_trees/fifth_root.hpp"
#include "model_trees/grow.hpp"
#include "model_trees/ridge_line.hpp"

namespace ramify {
namespace {

ModelTreeRules rules_of(const nb::dict& given) {
  ModelTreeRules rules;
  const auto number = [&](const char* name, auto& field) {
    if (given.contains(name))
      field = nb::cast<std::remove_reference_t<decltype(field)>>(given[name]);
  };
  if (given.contains("method"))
    rules.method = nb::cast<std::string>(given["method"]) == "pilot" ? ModelTreeRules::Method::pilot
                                                                     : ModelTreeRules::Method::m5;
  if (given.contains("missing")) {
    const auto side = nb::cast<std::string>(given["missing"]);
    rules.missing = side == "left"    ? ModelTreeRules::MissingSide::left
                    : side == "right" ? ModelTreeRules::MissingSide::right
                                      : ModelTreeRules::MissingSide::both;
  }
  number("max_depth", rules.max_depth);
  number("min_split", rules.min_split);
  number("min_leaf", rules.min_leaf);
  number("max_columns", rules.max_columns);
  number("seed", rules.seed);
  number("one_vs_rest", rules.one_vs_rest);
  number("alpha", rules.alpha);
  number("rel_tol", rules.rel_tol);
  number("min_unique", rules.min_unique);
  number("lin", rules.lin);
  number("pcon", rules.pcon);
  number("blin", rules.blin);
  number("plin", rules.plin);
  number("smoothing", rules.smoothing);
  number("penalty", rules.penalty);
  number("factor", rules.factor);
  number("stop", rules.stop);
  number("share", rules.share);
  number("prune", rules.prune);
  number("y_low", rules.y_low);
  number("y_high", rules.y_high);
  return rules;
}

nb::dict to_python(TreeLines&& lines) {
  nb::dict found;
  found["begin"] = to_numpy(std::move(lines.begin));
  found["column"] = to_numpy(std::move(lines.column));
  found["slope"] = to_numpy(std::move(lines.slope));
  found["low"] = to_numpy(std::move(lines.low));
  found["high"] = to_numpy(std::move(lines.high));
  found["fill"] = to_numpy(std::move(lines.fill));
  found["mean"] = to_numpy(std::move(lines.mean));
  found["gain"] = to_numpy(std::move(lines.gain));
  found["y_low"] = lines.y_low;
  found["y_high"] = lines.y_high;
  return found;
}

nb::tuple grow_of_lines(const Table& table, const Maybe<std::uint32_t>& rows, const Target& target,
                        const nb::dict& given, const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = used_rows(table, rows);
  if (used.size() != target.n_rows) refuse("X and y must have the same number of rows");
  if (!target.is_numeric() || target.n_outputs() != 1)
    refuse("a model tree needs one number a row");
  if (!(target.total_weight() > 0)) refuse("no row has weight");
  for (const Column& column : table.columns)
    if (column.highest.size() > 0) refuse("a model tree needs all values, not bins");
  ModelTreeRules rules = rules_of(given);
  rules.pause = [&progress] {
    raise_signals();
    if (!progress) return;
    const nb::gil_scoped_acquire acquire;
    (*progress)(0.0);
  };
  ModelTree grown = without_gil([&] { return grow_model_tree(table, used, target, rules); });
  return nb::make_tuple(to_python(std::move(grown.tree)), to_python(std::move(grown.lines)));
}

}  // namespace

void bind_model_trees(nb::module_& m) {
  m.def("grow_model_tree", &grow_of_lines, "table"_a, "rows"_a, "target"_a, "rules"_a, "progress"_a,
        nb::sig("def grow_model_tree(table: Table, rows: numpy.ndarray | None, target: Target, "
                "rules: dict, progress: collections.abc.Callable | None) -> tuple[dict, dict]"),
        "Grow a model tree: its arrays, and its lines by name.");
  m.def(
      "fifth_root_score",
      [](std::vector<double> left, std::vector<double> right) {
        const auto sums = [](const std::vector<double>& y) {
          FifthRootSums found;
          for (const double value : y) found = found + FifthRootSums{1, value, value * value};
          return found;
        };
        return fifth_root_score(sums(left), sums(right));
      },
      "left"_a, "right"_a, "What M5' says of a cut, from the numbers on either side.");
}

}  // namespace ramify
