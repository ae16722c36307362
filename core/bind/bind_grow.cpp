// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/criteria.hpp"
#include "grow/grove.hpp"
#include "grow/grow.hpp"

namespace ramify {
namespace {

/// A Python function judges batches of cuts: f(parent (K,), left (m, K), right (m, K)) -> scores
/// (m,). It gets arrays of its own, class after class in memory, so that sums over classes are
/// fast.
InterpretedCriterion interpret(nb::callable function) {
  // Shared, so that copies of a plan need no interpreter lock; the last one goes with the Plan of
  // Python.
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
    if (array.shape(0) != m)
      throw nb::value_error("the criterion returned the wrong number of scores");
    std::copy_n(array.data(), m, scores);
  };
}

/// A measure by its name, with its parameters.
ExpressionStep measure_step(const std::string& name, const nb::dict& given) {
  const auto* facts = std::ranges::find(measures, name, &MeasureFacts::name);
  if (facts == std::end(measures)) throw nb::value_error(("no measure is called " + name).c_str());
  const auto read = [&](const MeasureFacts::Parameter& parameter) {
    const std::string key(parameter.name);
    return given.contains(key.c_str()) ? nb::cast<double>(given[key.c_str()]) : parameter.otherwise;
  };
  ExpressionStep step;
  step.kind = ExpressionStep::Kind::measure;
  step.measure = facts->measure;
  if (!facts->first.name.empty()) step.first = read(facts->first);
  if (!facts->second.name.empty()) step.second = read(facts->second);
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
    throw nb::value_error(("no expression is called " + kind).c_str());
  }
  expression.push_back(std::move(step));
}

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
  // What is relative to all candidates can be calculated only when all are known.
  const auto is_relative = [](const ExpressionStep& step) { return step.kind == Kind::normalise; };
  if (has_step(composed.score, is_relative)) {
    ExpressionStep any;  // until then they are all as good
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

void set_weight(Target& target, const std::optional<Array1<double>>& weight) {
  if (!weight) return;
  if (weight->shape(0) != target.n_rows)
    throw nb::value_error("sample_weight must have one number per row");
  target.weight.assign(weight->data(), weight->data() + target.n_rows);
  target.unit = make_exact(target.weight);
}

Target make_target(Array1<std::uint32_t> classes, std::vector<int> n_classes,
                   const std::optional<Array1<double>>& weight,
                   const std::optional<Array1<double>>& extra, int n_extra) {
  Target target;
  target.n_classes = std::move(n_classes);
  if (target.n_classes.empty() || classes.shape(0) % target.n_classes.size() != 0)
    throw nb::value_error("y must have one class per row and output");
  target.n_rows = static_cast<std::uint32_t>(classes.shape(0) / target.n_classes.size());
  target.classes.assign(classes.data(), classes.data() + classes.shape(0));
  for (std::size_t i = 0; i < target.classes.size(); ++i)
    if (target.classes[i] >=
        static_cast<std::uint32_t>(target.n_classes[i % target.n_classes.size()]))
      throw nb::value_error("a class code is out of range");
  set_weight(target, weight);
  target.note_times();
  if (extra) {
    target.n_extra = n_extra;
    if (extra->shape(0) != std::size_t{target.n_rows} * n_extra)
      throw nb::value_error("criterion_data must have one row of numbers per row");
    target.extra.assign(extra->data(), extra->data() + extra->shape(0));
  }
  return target;
}

/// Numbers to be learnt, row by row.
Target make_target(Array1<double> numbers, int n_outputs,
                   const std::optional<Array1<double>>& weight) {
  Target target;
  if (n_outputs < 1 || numbers.shape(0) == 0 ||
      numbers.shape(0) % static_cast<std::size_t>(n_outputs) != 0)
    throw nb::value_error("y must have one number per row and output");
  target.n_classes.assign(static_cast<std::size_t>(n_outputs), 1);
  target.n_rows =
      static_cast<std::uint32_t>(numbers.shape(0) / static_cast<std::size_t>(n_outputs));
  target.numbers.assign(numbers.data(), numbers.data() + numbers.shape(0));
  for (const double number : target.numbers)
    if (!(std::abs(number) <= 1e150)) throw nb::value_error("a number to learn is too large");
  set_weight(target, weight);
  return target;
}

nb::dict to_python(Ledger&& ledger) {
  const std::size_t n = ledger.node.size();
  const std::size_t n_also = n > 0 ? ledger.also.size() / n : 0;
  nb::dict arrays;
  arrays["node"] = to_numpy(std::move(ledger.node));
  arrays["feature"] = to_numpy(std::move(ledger.feature));
  arrays["threshold"] = to_numpy(std::move(ledger.threshold));
  arrays["score"] = to_numpy(std::move(ledger.score));
  arrays["missing_left"] = to_numpy(std::move(ledger.missing_left));
  arrays["chosen"] = to_numpy(std::move(ledger.chosen));
  arrays["left_begin"] = to_numpy(std::move(ledger.left_begin));
  arrays["left_codes"] = to_numpy(std::move(ledger.left_codes));
  arrays["also"] = to_numpy(std::move(ledger.also), {n, n_also});
  return arrays;
}

}  // namespace

nb::dict to_python(Tree&& tree) {
  const auto n = tree.size();
  const auto n_outputs = static_cast<std::size_t>(tree.n_outputs);
  const auto max_classes = static_cast<std::size_t>(tree.max_classes);
  nb::dict arrays;
  arrays["children_left"] = to_numpy(std::move(tree.children_left));
  arrays["children_right"] = to_numpy(std::move(tree.children_right));
  arrays["feature"] = to_numpy(std::move(tree.feature));
  arrays["threshold"] = to_numpy(std::move(tree.threshold));
  arrays["impurity"] = to_numpy(std::move(tree.impurity));
  arrays["n_node_samples"] = to_numpy(std::move(tree.n_node_samples));
  arrays["weighted_n_node_samples"] = to_numpy(std::move(tree.weighted_n_node_samples));
  arrays["gain"] = to_numpy(std::move(tree.gain));
  arrays["next_sibling"] = to_numpy(std::move(tree.next_sibling));
  arrays["kind"] = to_numpy(std::move(tree.kind));
  arrays["optimal"] = to_numpy(std::move(tree.optimal));
  arrays["missing_branch"] = to_numpy(std::move(tree.missing_branch));
  arrays["default_branch"] = to_numpy(std::move(tree.default_branch));
  arrays["split_begin"] = to_numpy(std::move(tree.split_begin));
  arrays["split_value"] = to_numpy(std::move(tree.split_value));
  arrays["split_branch"] = to_numpy(std::move(tree.split_branch));
  arrays["term_begin"] = to_numpy(std::move(tree.term_begin));
  arrays["term_column"] = to_numpy(std::move(tree.term_column));
  arrays["term_category"] = to_numpy(std::move(tree.term_category));
  arrays["term_weight"] = to_numpy(std::move(tree.term_weight));
  arrays["term_fill"] = to_numpy(std::move(tree.term_fill));
  arrays["term_share"] = to_numpy(std::move(tree.term_share));
  if (!tree.ledger.node.empty()) arrays["ledger"] = to_python(std::move(tree.ledger));
  arrays["value"] = to_numpy(std::move(tree.value), {n, n_outputs, max_classes});
  return arrays;
}

namespace {

/// Which rows of the table a target speaks of.
std::vector<std::uint32_t> rows_of(const Target& target, const Table& table,
                                   const std::optional<Array1<std::uint32_t>>& rows) {
  std::vector<std::uint32_t> used(target.n_rows);
  if (rows) {
    if (rows->shape(0) != target.n_rows)
      throw nb::value_error("X and y must have the same number of rows");
    used.assign(rows->data(), rows->data() + target.n_rows);
  } else {
    std::iota(used.begin(), used.end(), 0u);
  }
  for (const std::uint32_t row : used)
    if (row >= table.n_rows) throw nb::value_error("a row is not in the table");
  return used;
}

/// The same plan, which looks for signals now and then.
Plan interruptible(const Plan& plan, const std::optional<nb::callable>& progress) {
  Plan mine = plan;
  mine.should_stop = [&progress](double done) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(done);
    return false;
  };
  return mine;
}

nb::dict grow_on(const Target& target, const Table& table,
                 const std::optional<Array1<std::uint32_t>>& rows, const Plan& plan,
                 const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  Tree tree;
  {
    const nb::gil_scoped_release release;
    tree = grow(table, used, target, mine);
  }
  return to_python(std::move(tree));
}

/// Several trees; each is as `pack` gives it, with the shapes of the arrays.
nb::list grow_many(const Target& target, const Table& table,
                   const std::optional<Array1<std::uint32_t>>& rows,
                   const std::optional<Array2<double>>& weights, const Array1<std::uint64_t>& seeds,
                   const Plan& plan, const std::optional<nb::callable>& progress) {
  if (weights && (weights->shape(0) != seeds.shape(0) || weights->shape(1) != target.n_rows))
    throw nb::value_error("weights must have one line per tree and one number per row");
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  std::vector<PackedTree> trees;
  {
    const nb::gil_scoped_release release;
    trees =
        grow_grove({table, used, target, view(seeds), weights ? weights->data() : nullptr}, mine);
  }
  nb::list packed;
  for (PackedTree& tree : trees) packed.append(to_python(std::move(tree)));
  return packed;
}

nb::dict grow_tree(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                   Array1<std::uint32_t> classes, std::vector<int> n_classes,
                   const std::optional<Array1<double>>& weight,
                   const std::optional<Array1<double>>& extra, int n_extra, const Plan& plan,
                   const std::optional<nb::callable>& progress) {
  return grow_on(make_target(classes, std::move(n_classes), weight, extra, n_extra), table, rows,
                 plan, progress);
}

/// The same for numbers.
nb::dict grow_numbers(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                      Array1<double> numbers, int n_outputs,
                      const std::optional<Array1<double>>& weight, const Plan& plan,
                      const std::optional<nb::callable>& progress) {
  return grow_on(make_target(numbers, n_outputs, weight), table, rows, plan, progress);
}

nb::list grow_trees(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                    Array1<std::uint32_t> classes, std::vector<int> n_classes,
                    const std::optional<Array1<double>>& weight,
                    const std::optional<Array1<double>>& extra, int n_extra,
                    const std::optional<Array2<double>>& weights, Array1<std::uint64_t> seeds,
                    const Plan& plan, const std::optional<nb::callable>& progress) {
  return grow_many(make_target(classes, std::move(n_classes), weight, extra, n_extra), table, rows,
                   weights, seeds, plan, progress);
}

nb::list grow_number_trees(const Table& table, const std::optional<Array1<std::uint32_t>>& rows,
                           Array1<double> numbers, int n_outputs,
                           const std::optional<Array1<double>>& weight,
                           const std::optional<Array2<double>>& weights,
                           Array1<std::uint64_t> seeds, const Plan& plan,
                           const std::optional<nb::callable>& progress) {
  return grow_many(make_target(numbers, n_outputs, weight), table, rows, weights, seeds, plan,
                   progress);
}

}  // namespace

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

/// What judges a split.
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
          nb::arg("score"), nb::arg("top"), nb::arg("then"), nb::arg("tie").none(),
          nb::arg("gain_test"), nb::arg("text"))
      .def(
          "also_score",
          [](Plan& plan, const nb::tuple& expression) {
            plan.also.push_back(read_expression(expression));
          },
          nb::arg("expression"), "Scores the recorded candidates by this, too.")
      .def(
          "use_builtin",
          [](Plan& plan, const std::string& name, const std::vector<double>& values,
             const std::vector<double>& shares, bool is_balanced) {
            auto found = find_criterion(name, values, shares, is_balanced);
            const bool splits_on_ties = found->splits_on_ties;
            plan.criterion = {.builtin = std::move(found), .splits_on_ties = splits_on_ties};
          },
          nb::arg("name"), nb::arg("values") = std::vector<double>(),
          nb::arg("shares") = std::vector<double>(), nb::arg("balanced") = false)
      .def(
          "use_numeric",
          [](Plan& plan, const std::string& name, const std::vector<double>& values) {
            for (const NumberKernel& kernel : kernels().number_criteria)
              if (name == kernel.info->name) {
                plan.criterion = {.numeric = &kernel};
                for (std::size_t i = 0; i < most_parameters; ++i)
                  plan.criterion.values[i] =
                      i < values.size() ? values[i] : kernel.info->parameters[i].otherwise;
                plan.criterion.splits_on_ties = plan.criterion.is_ordered();
                return;
              }
            throw nb::value_error(("criterion='" + name + "' is unknown").c_str());
          },
          nb::arg("name"), nb::arg("values"), "A criterion for numbers.")
      .def(
          "use_function",
          [](Plan& plan, nb::callable function, std::optional<nb::callable> tie_break,
             bool splits_on_ties, bool convex) {
            plan.criterion = {.declared_convex = convex,
                              .interpreted = interpret(std::move(function)),
                              .splits_on_ties = splits_on_ties};
            if (tie_break) plan.criterion.interpreted_tie_break = interpret(std::move(*tie_break));
          },
          nb::arg("function"), nb::arg("tie_break").none(), nb::arg("splits_on_ties"),
          nb::arg("convex") = false)
      .def(
          "use_compiled",
          [](Plan& plan, std::uintptr_t address, std::uintptr_t user_data, bool convex) {
            plan.criterion = {.compiled = reinterpret_cast<CompiledCriterion>(address),
                              .user_data = reinterpret_cast<void*>(user_data),
                              .declared_convex = convex};
          },
          nb::arg("address"), nb::arg("user_data"), nb::arg("convex") = false);
}

/// Rules of published methods that choose in ways of their own.
void bind_methods(nb::class_<Plan>& plan) {
  plan.def(
          "use_c45_rules",
          [](Plan& plan, bool threshold_cost, bool average_gain, double min_branch) {
            plan.c45 = {threshold_cost, average_gain, min_branch};
          },
          nb::arg("threshold_cost"), nb::arg("average_gain"), nb::arg("min_branch"))
      .def(
          "use_chaid",
          [](Plan& plan, double alpha_merge, double alpha_split, bool resplit, bool binary) {
            plan.by_test = ByTest::chaid;
            plan.chaid = {alpha_merge, alpha_split, resplit, binary};
          },
          nb::arg("alpha_merge"), nb::arg("alpha_split"), nb::arg("resplit"), nb::arg("binary"))
      .def(
          "use_quest",
          [](Plan& plan, double alpha) {
            plan.by_test = ByTest::quest;
            plan.quest_alpha = alpha;
          },
          nb::arg("alpha"))
      .def(
          "use_ctree",
          [](Plan& plan, double alpha) {
            plan.by_test = ByTest::ctree;
            plan.ctree_alpha = alpha;
            // The cut of a column is that of the same statistic.
            if (!plan.criterion.numeric) plan.criterion = {.builtin = find_criterion("chi2")};
          },
          nb::arg("alpha"))
      .def(
          "use_guide",
          [](Plan& plan, bool interactions) {
            plan.by_test = ByTest::guide;
            plan.guide_interactions = interactions;
          },
          nb::arg("interactions"))
      .def(
          "use_dgmml",
          [](Plan& plan, const std::string& split_point, std::uint32_t n_gap_points,
             const std::string& between, const std::optional<std::string>& fallback) {
            const SplitPoint point = split_point == "median" ? SplitPoint::median
                                     : split_point == "mean" ? SplitPoint::mean
                                                             : SplitPoint::gap;
            plan.dgmml = {point, n_gap_points, between == "scatter", fallback.has_value()};
          },
          nb::arg("split_point"), nb::arg("n_gap_points"), nb::arg("between"),
          nb::arg("fallback").none())
      .def(
          "set_binned",
          [](Plan& plan, bool is_binned) {
            plan.is_binned = is_binned;
            if (plan.dgmml) plan.dgmml->by_code = is_binned;
          },
          nb::arg("is_binned"))
      .def("use_oblique", &use_oblique, nb::arg("method"), nb::arg("params"),
           nb::arg("scale").none(), nb::arg("compare_axis"), nb::arg("max_terms"),
           nb::arg("groups"));
}

}  // namespace

void bind_grow(nb::module_& m) {
  bind_words(m);
  nb::class_<Plan> plan(m, "Plan", "All choices of a fit.");
  bind_limits(plan);
  bind_judges(plan);
  bind_methods(plan);
  m.def("grow", &grow_tree, nb::arg("table"), nb::arg("rows").none(), nb::arg("classes"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("extra").none(), nb::arg("n_extra"),
        nb::arg("plan"), nb::arg("progress").none());
  m.def("grow_numbers", &grow_numbers, nb::arg("table"), nb::arg("rows").none(), nb::arg("numbers"),
        nb::arg("n_outputs"), nb::arg("weight").none(), nb::arg("plan"),
        nb::arg("progress").none());
  m.def("grow_trees", &grow_trees, nb::arg("table"), nb::arg("rows").none(), nb::arg("classes"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("extra").none(), nb::arg("n_extra"),
        nb::arg("weights").none(), nb::arg("seeds"), nb::arg("plan"), nb::arg("progress").none(),
        "Grow several trees that differ in seed and, if `weights` are given, in the weights of "
        "rows. Each is given as `pack` does, with the shapes of its arrays.");
  m.def("grow_number_trees", &grow_number_trees, nb::arg("table"), nb::arg("rows").none(),
        nb::arg("numbers"), nb::arg("n_outputs"), nb::arg("weight").none(),
        nb::arg("weights").none(), nb::arg("seeds"), nb::arg("plan"), nb::arg("progress").none());
}

}  // namespace ramify
