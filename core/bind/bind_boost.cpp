// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "boost/booster.hpp"

namespace ramify {
namespace {

/// Scores before the first round: [score][row], even if a single one for all rows was given.
std::vector<double> take_start(const Array1<double>& start, std::size_t n_scores, std::size_t n) {
  if (start.shape(0) != n_scores) return copy(start);
  std::vector<double> all;
  all.reserve(n_scores * n);
  for (std::size_t k = 0; k < n_scores; ++k) all.insert(all.end(), n, start.data()[k]);
  return all;
}

BoostRows take_rows(const Table& table, Array1<std::uint32_t> rows,
                    std::vector<std::uint32_t> numbers, Array1<double> target,
                    const MaybeWeight& weight, Array1<double> start, const BoostPlan& plan) {
  BoostRows taken{copy(rows), std::move(numbers), copy(target), copy(weight),
                  take_start(start, plan.n_scores, rows.shape(0))};
  const std::size_t n = taken.rows.size();
  if ((!taken.numbers.empty() && taken.numbers.size() != n) || taken.target.size() != n ||
      (weight && taken.weight.size() != n) || taken.start.size() != n * plan.n_scores)
    refuse("rows, target, weight and start must have the same number of rows");
  if (n > static_cast<std::size_t>(max_units)) refuse("boosting takes at most 2^30 rows");
  for (const std::uint32_t row : taken.rows)
    if (row >= table.n_rows) refuse("a row is not in the table");
  if (plan.loss == Loss::multinomial)
    for (const double k : taken.target)
      if (!(k >= 0 && k < plan.n_scores))
        refuse("a class code is out of range: there must be one score per class");
  return taken;
}

void check_codes(const Table& table) {
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (!std::holds_alternative<std::vector<std::uint8_t>>(table.columns[j].codes))
      refuse("column " + std::to_string(j) + " has more than 255 codes");
}

}  // namespace

void bind_boost(nb::module_& m) {
  nb::enum_<Loss>(m, "Loss")
      .value("log_loss", Loss::log_loss)
      .value("multinomial", Loss::multinomial)
      .value("squared_error", Loss::squared_error)
      .value("absolute_error", Loss::absolute_error)
      .value("quantile", Loss::quantile)
      .value("poisson", Loss::poisson)
      .value("gamma", Loss::gamma);
  nb::class_<BoostPlan>(m, "BoostPlan", "All choices of a boosted model.")
      .def(nb::init<>())
      .def_rw("loss", &BoostPlan::loss)
      .def_rw("quantile", &BoostPlan::quantile)
      .def_rw("n_scores", &BoostPlan::n_scores)
      .def_rw("subsample", &BoostPlan::subsample)
      .def_rw("max_columns", &BoostPlan::max_columns)
      .def_rw("seed", &BoostPlan::seed)
      .def_rw("n_threads", &BoostPlan::n_threads)
      .def_rw("max_depth", &BoostPlan::max_depth)
      .def_rw("max_leaves", &BoostPlan::max_leaves)
      .def_rw("min_leaf_rows", &BoostPlan::min_leaf_rows)
      .def_rw("min_child_weight", &BoostPlan::min_child_weight)
      .def_rw("l2", &BoostPlan::l2)
      .def_rw("min_gain", &BoostPlan::min_gain)
      .def_rw("learning_rate", &BoostPlan::learning_rate);

  nb::class_<Booster>(m, "Booster", "Grows the trees of a boosted model, round by round.")
      .def(
          "__init__",
          [](Booster* self, const Table& table, const BoostPlan& plan, Array1<std::uint32_t> rows,
             Array1<std::uint32_t> numbers, Array1<double> target, const MaybeWeight& weight,
             Array1<double> start, Array1<std::uint32_t> held_rows, Array1<double> held_target,
             const MaybeWeight& held_weight, Array1<double> held_start, std::uint64_t first_round) {
            check_codes(table);
            BoostRows training = take_rows(table, rows, copy(numbers), target, weight, start, plan);
            if (training.numbers.size() != training.rows.size())
              refuse("numbers must have one entry per training row");
            BoostRows held =
                take_rows(table, held_rows, {}, held_target, held_weight, held_start, plan);
            const nb::gil_scoped_release release;
            new (self) Booster(table, std::move(training), std::move(held), plan, first_round);
          },
          nb::keep_alive<1, 2>(), "table"_a, "plan"_a, "rows"_a, "numbers"_a, "target"_a,
          "weight"_a, "start"_a, "held_rows"_a, "held_target"_a, "held_weight"_a, "held_start"_a,
          "first_round"_a)
      .def(
          "step",
          [](Booster& self) {
            nb::list arrays;
            for (Tree& tree : without_gil([&] { return self.step(); }))
              arrays.append(to_python(std::move(tree)));
            return arrays;
          },
          "Grow the trees of the next round, one per score; return the arrays of each.")
      .def_prop_ro("training_loss", &Booster::training_loss)
      .def_prop_ro("held_loss", &Booster::held_loss);
}

}  // namespace ramify
