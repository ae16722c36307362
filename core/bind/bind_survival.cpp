// SPDX-License-Identifier: BSD-3-Clause
// Survival trees: the target, what is chosen for them, growing, and the curves of leaves.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/interrupts.hpp"
#include "data/table.hpp"
#include "survival/grow.hpp"
#include "survival/row_scores.hpp"

namespace ramify {
namespace {

constexpr std::pair<const char*, SurvivalCriterion> criteria_by_name[] = {
    {"logrank", SurvivalCriterion::logrank},
    {"gehan", SurvivalCriterion::gehan},
    {"tarone_ware", SurvivalCriterion::tarone_ware},
    {"peto_peto", SurvivalCriterion::peto_peto},
    {"fleming_harrington", SurvivalCriterion::fleming_harrington},
    {"logrank_score", SurvivalCriterion::logrank_score},
    {"maxstat", SurvivalCriterion::maxstat},
    {"ctree", SurvivalCriterion::ctree},
    {"harrell_c", SurvivalCriterion::harrell_c},
    {"gehan_score", SurvivalCriterion::gehan_score},
    {"martingale", SurvivalCriterion::martingale},
    {"rmst", SurvivalCriterion::rmst},
    {"brier", SurvivalCriterion::brier},
    {"user_scores", SurvivalCriterion::user_scores},
    {"approximate_logrank", SurvivalCriterion::approximate_logrank},
    {"poisson", SurvivalCriterion::poisson},
    {"exponential", SurvivalCriterion::exponential},
    {"full_likelihood", SurvivalCriterion::full_likelihood},
    {"l1", SurvivalCriterion::l1},
    {"rmst_difference", SurvivalCriterion::rmst_difference},
    {"concordance", SurvivalCriterion::concordance},
    {"user_cuts", SurvivalCriterion::user_cuts},
};

SurvivalCriterion criterion_named(const std::string& name) {
  for (const auto& [known, criterion] : criteria_by_name)
    if (name == known) return criterion;
  refuse("criterion='" + name + "' is unknown");
}

template <class T>
nb::ndarray<nb::numpy, T> copied(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

/// The numbers that a user's function returned, `size` of them, or a multiple if several columns
/// are allowed.
std::vector<double> numbers_from(const nb::object& answer, std::size_t size, const char* what,
                                 bool may_be_more) {
  using Answer = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
  const nb::object array =
      nb::module_::import_("numpy").attr("ascontiguousarray")(answer, "dtype"_a = "float64");
  const auto numbers = nb::cast<Answer>(array);
  const bool fits = may_be_more ? (size > 0 && numbers.ndim() >= 1 && numbers.shape(0) == size &&
                                   numbers.size() >= size)
                                : numbers.size() == size;
  if (!fits)
    refuse(std::string(what) + " returned an array of " + std::to_string(numbers.size()) +
           " numbers for " + std::to_string(size) + "; return one for each");
  std::vector<double> found(numbers.data(), numbers.data() + numbers.size());
  for (const double x : found)
    if (std::isnan(x) || x == std::numeric_limits<double>::infinity())
      refuse(std::string(what) + " returned " + (std::isnan(x) ? "NaN" : "+inf") +
             "; scores must be finite (-inf refuses a cut)");
  return found;
}

void use_scores(SurvivalRules& rules, nb::callable function) {
  rules.criterion = SurvivalCriterion::user_scores;
  rules.scores_of = [function = std::move(function)](const SurvivalRows& rows) {
    const nb::gil_scoped_acquire acquire;
    std::vector<double> found = numbers_from(
        function(
            copied(rows.time),
            nb::module_::import_("numpy").attr("asarray")(copied(rows.event), "dtype"_a = "bool"),
            copied(rows.weight)),
        rows.time.size(), "the function of SurvivalScores", true);
    for (const double x : found)
      if (std::isinf(x))
        refuse("the function of SurvivalScores returned -inf; scores must be finite");
    return found;
  };
}

void use_cuts(SurvivalRules& rules, nb::callable function) {
  rules.criterion = SurvivalCriterion::user_cuts;
  rules.score_cuts = [function = std::move(function)](const CurveCuts& cuts) {
    const nb::gil_scoped_acquire acquire;
    const std::size_t n_times = cuts.times.size();
    const auto block = [&](std::span<const double> cells) {
      return to_numpy(std::vector<double>(cells.begin(), cells.end()), {cuts.n_cuts, n_times});
    };
    return numbers_from(function(block(cuts.at_risk_left), block(cuts.events_left),
                                 copied(cuts.at_risk), copied(cuts.events), copied(cuts.times)),
                        cuts.n_cuts, "the function of SurvivalCuts", false);
  };
}

void bind_rules(nb::module_& m) {
  nb::class_<SurvivalRules>(m, "SurvivalRules", "What is chosen for survival trees alone.")
      .def(nb::init<>())
      .def(
          "use",
          [](SurvivalRules& r, const std::string& name) { r.criterion = criterion_named(name); },
          "name"_a)
      .def("use_scores", &use_scores, "function"_a)
      .def("use_cuts", &use_cuts, "function"_a)
      .def_rw("rho", &SurvivalRules::rho)
      .def_rw("gamma", &SurvivalRules::gamma)
      .def_rw("andersen", &SurvivalRules::andersen)
      .def_rw("hothorn_lausen", &SurvivalRules::hothorn_lausen)
      .def_rw("alpha", &SurvivalRules::alpha)
      .def_rw("minprop", &SurvivalRules::minprop)
      .def_rw("tau", &SurvivalRules::tau)
      .def_rw("times", &SurvivalRules::times)
      .def_rw("max_cuts", &SurvivalRules::max_cuts)
      .def_rw("min_events", &SurvivalRules::min_events)
      .def_rw("filters", &SurvivalRules::filters);
}

SurvivalTarget survival_target(Array1<double> times, Array1<std::uint32_t> place,
                               Array1<std::uint8_t> event, Array1<std::uint8_t> has_event,
                               const MaybeWeight& weight) {
  SurvivalTarget target{.times = copy(times),
                        .place = copy(place),
                        .event = copy(event),
                        .weight = copy(weight),
                        .has_event = copy(has_event)};
  if (target.place.empty() || target.event.size() != target.place.size() ||
      target.has_event.size() != target.times.size())
    refuse("times and events must have one entry per row");
  if (weight && target.weight.size() != target.place.size())
    refuse("sample_weight must have one value per row");
  for (const std::uint32_t at : target.place)
    if (at >= target.times.size()) refuse("the place of a time is out of range");
  return target;
}

std::vector<std::uint32_t> rows_of(const SurvivalTarget& target, const Table& table,
                                   const Maybe<std::uint32_t>& rows) {
  std::vector<std::uint32_t> used = used_rows(table, rows);
  if (used.size() != target.n_rows()) refuse("X and y must have the same number of rows");
  return used;
}

nb::tuple grow_one(const Table& table, const Maybe<std::uint32_t>& rows,
                   const SurvivalTarget& target, const Plan& plan, const SurvivalRules& rules,
                   const std::optional<nb::callable>& progress) {
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  const Plan mine = interruptible(plan, progress);
  GrownSurvival grown =
      without_gil([&] { return grow_survival(table, used, target, mine, rules); });
  nb::dict curves;
  curves["begin"] = to_numpy(std::move(grown.curves.begin));
  curves["time"] = to_numpy(std::move(grown.curves.time));
  curves["events"] = to_numpy(std::move(grown.curves.events));
  curves["others"] = to_numpy(std::move(grown.curves.others));
  return nb::make_tuple(to_python(std::move(grown.tree)), curves);
}

nb::list grow_many(const Table& table, const Maybe<std::uint32_t>& rows,
                   const SurvivalTarget& target, const std::optional<Array2<double>>& weights,
                   Array1<std::uint64_t> seeds, const Plan& plan, const SurvivalRules& rules,
                   const std::optional<nb::callable>& progress) {
  if (weights && (weights->shape(0) != seeds.shape(0) || weights->shape(1) != target.n_rows()))
    refuse("weights must have shape (n_trees, n_rows)");
  const std::vector<std::uint32_t> used = rows_of(target, table, rows);
  Plan mine = interruptible(plan, progress);
  std::vector<PackedSurvival> grown;
  without_gil([&] {
    SurvivalTarget own = target;
    for (std::size_t i = 0; i < seeds.shape(0); ++i) {
      mine.seed = seeds.data()[i];
      if (weights) {
        const double* first = weights->data() + i * target.n_rows();
        own.weight.assign(first, first + target.n_rows());
      }
      grown.push_back(pack(grow_survival(table, used, own, mine, rules)));
    }
    return 0;
  });
  nb::list trees;
  for (PackedSurvival& each : grown) {
    const PackedTree none{std::move(each.curves), false};
    trees.append(nb::make_tuple(to_python(std::move(each.tree)), to_python(PackedTree(none))));
  }
  return trees;
}

/// Expected events up to each distinct time, on rpart's scale.
nb::ndarray<nb::numpy, double> expected(const SurvivalTarget& target) {
  std::vector<std::uint32_t> rows(target.n_rows());
  std::iota(rows.begin(), rows.end(), 0u);
  const TimeOrder order(target, rows);
  std::iota(rows.begin(), rows.end(), 0u);
  rows.resize(order.n_rows());
  NodeTimes root;
  root.read(order, rows);
  return to_numpy(expected_events(order, root));
}

void sum_curves(Array1<std::int64_t> begin, Array1<std::int64_t> time, Array1<double> events,
                Array1<double> others, bool is_brief, const std::string& kind,
                Array1<std::int64_t> leaves, Array1<std::int64_t> places,
                nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums) {
  if (sums.shape(0) != leaves.shape(0) || sums.shape(1) != places.shape(0))
    refuse("sums must have shape (n_rows, n_times)");
  const CurveView curves{view(begin), view(time), view(events), view(others), is_brief};
  const auto n_leaves = static_cast<std::int64_t>(curves.begin.size()) - 1;
  const bool is_whole = n_leaves >= 0 && curves.begin[0] == 0 &&
                        curves.time.size() == curves.events.size() &&
                        curves.time.size() == curves.others.size() &&
                        curves.begin.back() == static_cast<std::int64_t>(curves.time.size());
  if (!is_whole) refuse("the arrays of the curves do not belong together");
  for (std::int64_t i = 0; i < n_leaves; ++i)
    if (curves.begin[i] > curves.begin[i + 1]) refuse("the curves of leaves must not overlap");
  for (const std::int64_t leaf : view(leaves))
    if (leaf < -1 || leaf >= n_leaves) refuse("the number of a leaf is out of range");
  const CurveKind own = kind == "survival" ? CurveKind::survival : CurveKind::hazard;
  without_gil([&] {
    add_curves(curves, own, view(leaves), view(places), {sums.data(), sums.size()});
    return 0;
  });
}

}  // namespace

void bind_survival(nb::module_& m) {
  bind_rules(m);
  nb::class_<SurvivalTarget>(m, "SurvivalTarget", "Times, and whether the event happened then.");
  m.def("survival_target", &survival_target, "times"_a, "place"_a, "event"_a, "has_event"_a,
        "weight"_a);
  m.def(
      "grow_survival", &grow_one, "table"_a, "rows"_a, "target"_a, "plan"_a, "rules"_a,
      "progress"_a,
      nb::sig("def grow_survival(table: Table, rows: numpy.ndarray | None, target: SurvivalTarget, "
              "plan: Plan, rules: SurvivalRules, progress: object | None) -> tuple[dict, dict]"),
      "Grow a tree; also return the curves of its leaves.");
  m.def("grow_survival_trees", &grow_many, "table"_a, "rows"_a, "target"_a, "weights"_a, "seeds"_a,
        "plan"_a, "rules"_a, "progress"_a,
        "Grow several trees, packed, with curves of event times only.");
  m.def("expected_events", &expected, "target"_a,
        "Expected events up to each distinct time: piecewise exponential, as in rpart.");
  m.def("add_curves", &sum_curves, "begin"_a, "time"_a, "events"_a, "others"_a, "is_brief"_a,
        "kind"_a, "leaves"_a, "places"_a, "sums"_a,
        "Add the curves of the leaves that rows reach, at the places of some times.");
}

}  // namespace ramify
