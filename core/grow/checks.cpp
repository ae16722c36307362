// SPDX-License-Identifier: BSD-3-Clause
#include "grow/checks.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>

#include "scan/set_criterion.hpp"

namespace ramify {
namespace {

/// Measures that need rows require numeric columns without missing values.
void check_structure(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                     const Plan& plan) {
  if (!reads_rows(plan)) return;
  if (target.n_outputs() > 1) throw std::invalid_argument("a structure criterion needs one output");
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const Column& column = table.columns[j];
    if (column.is_categorical)
      throw std::invalid_argument("column " + std::to_string(j) +
                                  " is categorical; a structure criterion needs numeric columns");
    const bool has_gap =
        column.n_missing > 0 && std::visit(
                                    [&](const auto& codes) {
                                      return std::ranges::any_of(rows, [&](std::uint32_t row) {
                                        return codes[row] == column.n_codes();
                                      });
                                    },
                                    column.codes);
    if (has_gap)
      throw std::invalid_argument("column " + std::to_string(j) + " has missing values; a " +
                                  "structure criterion needs complete columns");
  }
}

/// Hyperplanes are judged by the sums on either side, nothing else.
void check_oblique(const Target& target, const Plan& plan) {
  if (!plan.oblique) return;
  if (target.n_outputs() > 1 || target.n_extra > 0)
    throw std::invalid_argument("an oblique tree needs one output and no criterion_data");
  if (target.is_numeric() && (!plan.criterion.numeric || plan.criterion.is_ordered()))
    throw std::invalid_argument(
        "an oblique tree of numbers needs a built-in criterion of sums on either side");
  const auto& composed = plan.criterion.composed;
  const auto is_measure = [](const ExpressionStep& step) {
    return step.kind == ExpressionStep::Kind::measure;
  };
  if (plan.c45.any() || plan.n_recorded > 0 ||
      (composed && (composed->top != 0 || !composed->relative.empty() || !composed->tie.empty() ||
                    has_step(composed->score, is_measure))))
    throw std::invalid_argument(
        "an oblique tree needs a criterion that depends only on the class weights on either side");
}

/// Criteria with a share for each class, or with user-defined sums, must receive them.
void check_settings(const Target& target, const Plan& plan) {
  const auto check = [&](const SetCriterion* criterion) {
    if (!criterion) return;
    const std::string name = criterion->info->name;
    const std::size_t n_shares = criterion->settings.shares.size();
    for (const int n_classes : target.n_classes)
      if (n_shares > 0 && n_shares != static_cast<std::size_t>(n_classes))
        throw std::invalid_argument("criterion='" + name + "' has " + std::to_string(n_shares) +
                                    " class shares, but y has " + std::to_string(n_classes) +
                                    " classes; give one per class");
    if (criterion->n_extra > 0 && (target.n_extra != criterion->n_extra ||
                                   target.n_outputs() != 1 || target.n_classes[0] > 2))
      throw std::invalid_argument("criterion='" + name +
                                  "' needs two classes, and which rows were treated");
  };
  check(plan.criterion.builtin.get());
  each_expression(plan, [&](const Expression& expression) {
    for (const ExpressionStep& step : expression) check(step.criterion.get());
  });
}

void check_branches(const Table& table, const Plan& plan) {
  const bool has_categories =
      std::ranges::any_of(table.columns, [](const Column& c) { return c.is_categorical; });
  if (plan.categories != Categories::multiway || !has_categories ||
      (plan.criterion.builtin && plan.criterion.builtin->score_branches))
    return;
  std::string able;
  each_criterion([&](const CriterionKernel& kernel) {
    if (kernel.score_branches) able += (able.empty() ? "" : ", ") + std::string(kernel.info->name);
  });
  const std::string name = plan.criterion.builtin    ? plan.criterion.builtin->info->name
                           : plan.criterion.composed ? "an expression"
                                                     : "a function";
  throw std::invalid_argument(
      "categories='multiway' needs a criterion for any number of branches (" + able + "), not " +
      name + "; use one of them, or categories='subset'");
}

}  // namespace

void check_plan(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan) {
  check_settings(target, plan);
  check_branches(table, plan);
  check_structure(table, rows, target, plan);
  check_oblique(target, plan);
}

}  // namespace ramify
