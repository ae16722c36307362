// SPDX-License-Identifier: BSD-3-Clause
// Criteria composed of others: sums, products, the best few by one criterion compared by another.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "criteria/kernel.hpp"
#include "plan/measures.hpp"

namespace ramify {

/// A user's compiled criterion; the C signature of src/ramify/include/ramify/criterion.h.
using CompiledCriterion = void (*)(std::int64_t n_cuts, std::int64_t n_stats, const double* parent,
                                   const double* left, const double* right, double* scores,
                                   void* user_data);

/// A batch of cuts for a user's interpreted criterion: class-major, n_cuts values per class.
struct CutBatch {
  std::vector<double> parent, left, right;
  int n_stats = 0;
  int n_cuts = 0;
};
using InterpretedCriterion = std::function<void(CutBatch&&, double* scores)>;

enum class Normalise { by_max, by_range, by_ratio };

/// A step of a calculation in postfix order.
struct ExpressionStep {
  enum class Kind { criterion, compiled, function, measure, number, add, multiply, normalise };
  Kind kind = Kind::number;
  std::shared_ptr<const SetCriterion> criterion = nullptr;
  CompiledCriterion compiled = nullptr;
  void* user_data = nullptr;
  InterpretedCriterion function = nullptr;
  Measure measure = Measure::imbalance;
  double first = 0, second = 0;  // parameters of the measure
  std::vector<double> prior;     // of prior_accuracy, by class; empty: as in the node
  double number = 0;
  Normalise how = Normalise::by_max;
};
using Expression = std::vector<ExpressionStep>;

/// Whether a step needs the rows of a node.
inline bool looks_at_rows(const ExpressionStep& step) {
  return step.kind == ExpressionStep::Kind::measure && about(step.measure).sees != Sees::sums;
}
/// Whether a step needs all columns of the rows at once.
inline bool looks_at_space(const ExpressionStep& step) {
  return step.kind == ExpressionStep::Kind::measure && about(step.measure).sees == Sees::space;
}

/// Whether an expression has a step that passes the test.
template <class Test>
bool has_step(const Expression& expression, Test test) {
  for (const ExpressionStep& step : expression)
    if (test(step)) return true;
  return false;
}

/// A criterion composed of others.
struct ComposedCriterion {
  struct Choice {
    Expression by;
    bool is_largest;
  };
  static constexpr int all = -1;

  Expression score;
  Expression relative;       // the score, if it is known only once all candidates are
  Expression tie;            // breaks ties of the score; or empty
  int top = 0;               // number of candidates kept, best by score, or `all`; 0: the best wins
  std::vector<Choice> then;  // chooses among those kept, in turn
  bool gain_test = true;     // a split must have a score above zero
  bool calls_interpreter = false;
  std::string text;  // as the user would write it
};

}  // namespace ramify
