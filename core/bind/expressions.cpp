// SPDX-License-Identifier: BSD-3-Clause
#include "bind/expressions.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/criteria.hpp"

namespace ramify {

InterpretedCriterion interpret(nb::callable function) {
  // Shared, so that copies of a plan need no interpreter lock; the last reference is released with
  // the Plan of Python.
  return [shared = std::make_shared<nb::callable>(std::move(function))](CutBatch&& batch,
                                                                        double* scores) {
    const nb::gil_scoped_acquire acquire;
    const nb::callable& function = *shared;
    const auto m = static_cast<std::size_t>(batch.n_cuts),
               k = static_cast<std::size_t>(batch.n_stats);
    const nb::object answer =
        function(to_numpy(std::move(batch.parent)),
                 to_numpy(std::move(batch.left), {m, k}, {1, static_cast<std::int64_t>(m)}),
                 to_numpy(std::move(batch.right), {m, k}, {1, static_cast<std::int64_t>(m)}));
    const auto array = nb::cast<Array1<double>>(answer);
    if (array.shape(0) != m) refuse("the criterion returned the wrong number of scores");
    std::copy_n(array.data(), m, scores);
  };
}

namespace {

/// A measure by its name, with its parameters.
ExpressionStep measure_step(const std::string& name, const nb::dict& given) {
  const auto* statistics = std::ranges::find(measures, name, &MeasureInfo::name);
  if (statistics == std::end(measures)) refuse("unknown measure: " + name);
  const auto read = [&](const MeasureInfo::Parameter& parameter) {
    const std::string key(parameter.name);
    return given.contains(key.c_str()) ? nb::cast<double>(given[key.c_str()]) : parameter.otherwise;
  };
  ExpressionStep step;
  step.kind = ExpressionStep::Kind::measure;
  step.measure = statistics->measure;
  if (!statistics->first.name.empty()) step.first = read(statistics->first);
  if (!statistics->second.name.empty()) step.second = read(statistics->second);
  if (given.contains("prior")) step.prior = nb::cast<std::vector<double>>(given["prior"]);
  return step;
}

/// Writes an expression, given as nested tuples, in postfix order.
void read_expression(const nb::tuple& node, Expression& expression) {
  using Kind = ExpressionStep::Kind;
  const auto kind = nb::cast<std::string>(node[0]);
  ExpressionStep step;
  if (kind == "criterion") {
    step.kind = Kind::criterion;
    const auto name = nb::cast<std::string>(node[1]);
    step.criterion = node.size() == 2 ? find_criterion(name)
                                      : find_criterion(name, nb::cast<std::vector<double>>(node[2]),
                                                       nb::cast<std::vector<double>>(node[3]),
                                                       nb::cast<bool>(node[4]));
  } else if (kind == "function") {
    step.kind = Kind::function;
    step.function = interpret(nb::cast<nb::callable>(node[1]));
  } else if (kind == "compiled") {
    step.kind = Kind::compiled;
    step.compiled = reinterpret_cast<CompiledCriterion>(nb::cast<std::uintptr_t>(node[1]));
    step.user_data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(node[2]));
  } else if (kind == "measure") {
    step = measure_step(nb::cast<std::string>(node[1]), nb::cast<nb::dict>(node[2]));
  } else if (kind == "number") {
    step.kind = Kind::number;
    step.number = nb::cast<double>(node[1]);
  } else if (kind == "add" || kind == "multiply") {
    step.kind = kind == "add" ? Kind::add : Kind::multiply;
    read_expression(nb::cast<nb::tuple>(node[1]), expression);
    read_expression(nb::cast<nb::tuple>(node[2]), expression);
  } else if (kind == "normalised") {
    step.kind = Kind::normalise;
    const auto how = nb::cast<std::string>(node[1]);
    step.how = how == "max"     ? Normalise::by_max
               : how == "range" ? Normalise::by_range
                                : Normalise::by_ratio;
    read_expression(nb::cast<nb::tuple>(node[2]), expression);
  } else {
    refuse("unknown expression: " + kind);
  }
  expression.push_back(std::move(step));
}

}  // namespace

Expression read_expression(const nb::tuple& node) {
  Expression expression;
  read_expression(node, expression);
  return expression;
}

ComposedCriterion compose(const nb::tuple& score, int top, const nb::list& then,
                          const std::optional<nb::tuple>& tie, bool gain_test) {
  using Kind = ExpressionStep::Kind;
  ComposedCriterion composed;
  composed.score = read_expression(score);
  composed.top = top;
  composed.gain_test = gain_test;
  if (tie) composed.tie = read_expression(*tie);
  for (const nb::handle each : then) {
    const auto pair = nb::cast<nb::tuple>(each);
    composed.then.push_back(
        {read_expression(nb::cast<nb::tuple>(pair[1])), nb::cast<bool>(pair[0])});
  }
  // Scores relative to all candidates can be computed only when all are known.
  const auto is_relative = [](const ExpressionStep& step) { return step.kind == Kind::normalise; };
  if (has_step(composed.score, is_relative)) {
    ExpressionStep any;  // until then all are equal
    any.number = 1;
    composed.relative = std::exchange(composed.score, {any});
  }
  const auto calls = [](const ExpressionStep& step) { return step.kind == Kind::function; };
  composed.calls_interpreter = has_step(composed.score, calls) || has_step(composed.tie, calls) ||
                               has_step(composed.relative, calls);
  for (const auto& choice : composed.then)
    composed.calls_interpreter = composed.calls_interpreter || has_step(choice.by, calls);
  return composed;
}

}  // namespace ramify
