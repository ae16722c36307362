// SPDX-License-Identifier: BSD-3-Clause
#include "explain/shap_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "explain/coalitions.hpp"
#include "util/parallel.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

bool is_same(double a, double b) { return a == b || (a != a && b != b); }

/// The child of a node that a row goes to.
template <class Value>
std::size_t child_of(const TreeView& tree, std::size_t node, Value value) {
  return child_at(tree, node, branch_of(tree, node, value));
}

std::size_t leaf_of(const ShapTree& shap, const double* x) {
  std::size_t node = 0;
  while (!shap.is_leaf(node)) node = child_of(shap.tree, node, x);
  return node;
}

/// Divides the coalitions of a pair of rows into pieces that reach one leaf each: walks down, and
/// where a column matters that belongs to neither row yet, assigns it to one and then to the other.
class Pieces {
 public:
  Pieces(std::size_t n_columns, std::size_t n_used, std::size_t max_values)
      : coalitions_(n_columns, n_used, max_values) {}

  /// Adds the values of one tree, times `factor`; returns false if there are more pieces than
  /// allowed.
  bool explain(const ShapTree& shap, const double* x, const double* b, std::size_t& n_left,
               double factor, std::size_t row, const ShapSums& sums) {
    shap_ = &shap, x_ = x, b_ = b, n_left_ = &n_left;
    is_over_ = false;
    const std::size_t n = shap.n_values;
    coalitions_.start(n, {}, factor, row, sums);
    double* values = coalitions_.values().data();
    for (const std::size_t column : shap.used) std::fill_n(values + column * n, n, 0.0);
    walk(0, coalitions_.result());
    if (is_over_) return false;
    for (const std::size_t column : shap.used) {
      double* sum = sums.of(row, column);
      for (std::size_t k = 0; k < n; ++k) sum[k] += factor * values[column * n + k];
    }
    return true;
  }

 private:
  /// A column that is not assigned to a row, and what either row adds to the sum of a plane.
  struct Open {
    std::size_t column;
    double with_x, with_b;
  };
  /// What is known of the sum of a plane: the decided part, and the range of the rest.
  struct Range {
    double settled, low, high;
  };
  /// A plane whose side is not decided yet.
  struct Frame {
    std::size_t node;
    double slack;            // more than the rounding error of any order of summation
    std::size_t begin, end;  // in `open_`
  };

  void walk(std::size_t node, double* result) {
    const TreeView& tree = shap_->tree;
    while (!shap_->is_leaf(node) && !is_over_) {
      if (tree.kind_of(node) == SplitKind::hyperplane) return settle(node, result);
      const auto column = static_cast<std::size_t>(tree.feature[node]);
      const std::size_t to_x = child_of(tree, node, x_), to_b = child_of(tree, node, b_);
      const Coalitions::Side side = coalitions_.side(column);
      if (to_x != to_b && side == Coalitions::none)
        return coalitions_.part(
            column, result, [&](double* below) { walk(to_x, below); },
            [&](double* below) { walk(to_b, below); });
      node = side == Coalitions::of_b ? to_b : to_x;
    }
    is_over_ = is_over_ || *n_left_ == 0;
    if (is_over_) return;
    --*n_left_;
    coalitions_.reach(shap_->value_of(node), result);
  }

  double value_of(std::size_t column) const {
    return coalitions_.side(column) == Coalitions::of_b ? b_[column] : x_[column];
  }

  void settle(std::size_t node, double* result) {
    const TreeView& tree = shap_->tree;
    const auto begin = static_cast<std::size_t>(tree.term_begin[node]),
               end = static_cast<std::size_t>(tree.term_begin[node + 1]);
    Frame frame{node, 0, open_.size(), open_.size()};
    Range range{0, 0, 0};
    double size = std::abs(tree.threshold[node]);
    for (std::size_t i = begin; i < end;) {
      Open own{static_cast<std::size_t>(tree.term_column[i]), 0, 0};
      for (; i < end && static_cast<std::size_t>(tree.term_column[i]) == own.column; ++i) {
        const Term term = tree.term(i);
        const double with_x = term.value(x_[own.column]), with_b = term.value(b_[own.column]);
        own.with_x += with_x;
        own.with_b += with_b;
        size += std::abs(with_x) + std::abs(with_b);
      }
      const Coalitions::Side side = coalitions_.side(own.column);
      if (side != Coalitions::none || own.with_x == own.with_b) {
        range.settled += side == Coalitions::of_b ? own.with_b : own.with_x;
        continue;
      }
      range.low += std::min(own.with_x, own.with_b);
      range.high += std::max(own.with_x, own.with_b);
      open_.push_back(own);
    }
    frame.end = open_.size();
    frame.slack =
        4 * static_cast<double>(end - begin + 2) * size * std::numeric_limits<double>::epsilon();
    std::sort(open_.begin() + frame.begin, open_.end(), [](const Open& a, const Open& b) {
      const double first = std::abs(a.with_x - a.with_b);
      const double second = std::abs(b.with_x - b.with_b);
      return first != second ? first > second : a.column < b.column;
    });
    settle(frame, frame.begin, range, result);
    open_.resize(frame.begin);
  }

  void settle(const Frame& frame, std::size_t i, Range range, double* result) {
    if (is_over_) return;
    const TreeView& tree = shap_->tree;
    const double threshold = tree.threshold[frame.node];
    const auto go = [&](bool above) { walk(child_at(tree, frame.node, above), result); };
    if (range.settled + range.high + frame.slack < threshold) return go(false);
    if (range.settled + range.low - frame.slack > threshold) return go(true);
    if (i == frame.end)
      return go(is_above(tree, frame.node, [&](std::size_t column) { return value_of(column); }));
    const Open own = open_[i];
    const double low = range.low - std::min(own.with_x, own.with_b);
    const double high = range.high - std::max(own.with_x, own.with_b);
    const auto with = [&](double settled) {
      return [&, settled](double* below) {
        settle(frame, i + 1, {range.settled + settled, low, high}, below);
      };
    };
    coalitions_.part(own.column, result, with(own.with_x), with(own.with_b));
  }

  const ShapTree* shap_ = nullptr;
  const double *x_ = nullptr, *b_ = nullptr;
  std::size_t* n_left_ = nullptr;
  bool is_over_ = false;
  std::vector<Open> open_;
  Coalitions coalitions_;
};

/// Samples orders in which columns of a row replace those of a background row. Each order is used
/// forwards and backwards, which makes errors cancel.
class SampledOrders {
 public:
  SampledOrders(std::span<const ShapTerm> parts, const RowMatrix& X, const RowMatrix& others,
                std::size_t n_outputs)
      : parts_(parts), others_(others), n_outputs_(n_outputs), users_(X.n_columns) {
    for (std::size_t t = 0; t < parts.size(); ++t)
      for (const std::size_t column : parts[t].tree->used) users_[column].push_back(t);
    base_.resize(n_outputs);
    score_of_.resize(others.n_rows * n_outputs);
    for (std::size_t i = 0; i < others.n_rows; ++i) {
      double* score = score_of_.data() + i * n_outputs;
      for (const ShapTerm& part : parts) add(part, others.row(i), 1, score);
      for (std::size_t k = 0; k < n_outputs; ++k)
        base_[k] += score[k] / static_cast<double>(others.n_rows);
    }
  }

  /// Adds the values, and sets their standard errors, in the same layout.
  void explain(const double* x, std::size_t row, std::size_t n_samples, std::uint64_t seed,
               const ShapSums& sums, double* error, const std::function<void()>& poll) const {
    constexpr std::size_t fewest = 32, max = 8192, every = 16;
    std::vector<std::uint32_t> columns = differing(x);
    const std::size_t size = columns.size() * n_outputs_;
    std::vector<double> mean(size), spread(size), once(size), state(others_.n_columns);
    std::vector<std::size_t> place(others_.n_columns), turn(others_.n_rows);
    for (std::size_t i = 0; i < columns.size(); ++i) place[columns[i]] = i * n_outputs_;
    std::iota(turn.begin(), turn.end(), std::size_t{0});
    Rng rng(mix(seed) ^ row);
    const auto shuffle = [&rng](auto& items) {
      for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[rng.below(static_cast<std::uint32_t>(i))]);
    };
    std::size_t n = 0;
    while (n < (n_samples > 0 ? n_samples : max)) {
      if (n % others_.n_rows == 0) shuffle(turn);
      poll();
      const std::size_t other = turn[n % others_.n_rows];
      // The difference of this background row's prediction from their mean is divided among all
      // columns, so that the values add up.
      for (std::size_t i = 0; i < size; ++i)
        once[i] = (score_of_[other * n_outputs_ + i % n_outputs_] - base_[i % n_outputs_]) /
                  static_cast<double>(columns.size());
      shuffle(columns);
      for (int way = 0; way < 2; ++way) {
        std::copy_n(others_.row(other), others_.n_columns, state.begin());
        for (const std::uint32_t column : columns) replace(column, x, state, &once[place[column]]);
        std::reverse(columns.begin(), columns.end());
      }
      ++n;
      double largest = 0, largest_error = 0;
      for (std::size_t i = 0; i < size; ++i) {  // Welford's sums
        const double change = once[i] - mean[i];
        mean[i] += change / static_cast<double>(n);
        spread[i] += change * (once[i] - mean[i]);
        largest = std::max(largest, std::abs(mean[i]));
        largest_error = std::max(largest_error, standard_error(spread[i], n));
      }
      if (n_samples == 0 && n >= fewest && n % every == 0 && largest_error <= 0.01 * largest) break;
    }
    for (const std::uint32_t column : columns)
      for (std::size_t k = 0; k < n_outputs_; ++k) {
        sums.of(row, column)[k] += mean[place[column] + k];
        error[column * n_outputs_ + k] = standard_error(spread[place[column] + k], n);
      }
  }

 private:
  static double standard_error(double spread, std::size_t n) {
    const auto size = static_cast<double>(n);
    return n > 1 ? std::sqrt(spread / (size - 1) / size) : std::numeric_limits<double>::infinity();
  }
  void add(const ShapTerm& part, const double* x, double factor, double* score) const {
    const double* value = part.tree->value_of(leaf_of(*part.tree, x));
    for (std::size_t k = 0; k < part.tree->n_values; ++k)
      score[part.first + k] += factor * value[k];
  }
  /// Columns that some tree uses and in which x differs from some background row.
  std::vector<std::uint32_t> differing(const double* x) const {
    std::vector<std::uint32_t> found;
    for (std::size_t j = 0; j < users_.size(); ++j) {
      bool differs = false;
      for (std::size_t i = 0; !users_[j].empty() && !differs && i < others_.n_rows; ++i)
        differs = !is_same(x[j], others_.row(i)[j]);
      if (differs) found.push_back(static_cast<std::uint32_t>(j));
    }
    return found;
  }
  /// Replaces a value in a row by that of x; adds half of the resulting change.
  void replace(std::size_t column, const double* x, std::vector<double>& state,
               double* half) const {
    if (is_same(state[column], x[column])) return;
    for (const std::size_t t : users_[column]) add(parts_[t], state.data(), -0.5, half);
    state[column] = x[column];
    for (const std::size_t t : users_[column]) add(parts_[t], state.data(), 0.5, half);
  }

  std::span<const ShapTerm> parts_;
  const RowMatrix& others_;
  std::size_t n_outputs_;
  std::vector<std::vector<std::size_t>> users_;  // trees that use a column
  std::vector<double> base_, score_of_;
};

}  // namespace

PlaneReport explain_planes(std::span<const ShapTerm> parts, const RowMatrix& X,
                           const RowMatrix& others, const ShapSums& sums,
                           const PlaneOptions& planes, const ShapOptions& options) {
  std::size_t n_used = 0, max_values = 1;
  for (const ShapTerm& part : parts) {
    n_used = std::max(n_used, part.tree->used.size());
    max_values = std::max(max_values, part.tree->n_values);
  }
  const SampledOrders sampled(parts, X, others, sums.n_outputs);
  const std::size_t line = X.n_columns * sums.n_outputs;
  PlaneReport report{std::vector<std::uint8_t>(X.n_rows, 1), std::vector<double>(X.n_rows * line)};
  Pool pool(std::max(1, std::min(options.n_threads, static_cast<int>(X.n_rows))));
  std::vector<Pieces> pieces(static_cast<std::size_t>(pool.size()),
                             Pieces(X.n_columns, n_used, max_values));
  pool.run(static_cast<int>(X.n_rows), [&](int number, int worker) {
    const auto row = static_cast<std::size_t>(number);
    const double factor = 1 / static_cast<double>(others.n_rows);
    const auto poll = [&] {
      if (worker == 0) options.poll();
    };
    for (std::size_t i = 0; i < others.n_rows; ++i) {
      poll();
      std::size_t n_left = planes.max_pieces;
      for (const ShapTerm& part : parts) {
        ShapSums own = sums;
        own.first = part.first;
        if (pieces[worker].explain(*part.tree, X.row(row), others.row(i), n_left, factor, row, own))
          continue;
        if (sums.interactions)
          throw std::invalid_argument(
              "row " + std::to_string(row) +
              " needs more than max_pieces=" + std::to_string(planes.max_pieces) +
              " pieces, and interactions cannot be sampled; allow more, or set interactions=False");
        std::fill_n(sums.values + row * line, line, 0.0);
        report.is_exact[row] = 0;
        sampled.explain(X.row(row), row, planes.n_samples, planes.seed, sums,
                        report.error.data() + row * line, poll);
        return;
      }
    }
  });
  return report;
}

}  // namespace ramify
