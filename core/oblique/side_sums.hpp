// SPDX-License-Identifier: BSD-3-Clause
// Criteria that are sums over classes, updated while rows change sides. The merit of a cut grows
// with its score: score = (merit - merit of the undivided node) / weight of the node.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace ramify {

/// Entropy with unit weights, in units of the table.
struct CountedEntropy {
  using Sum = std::uint32_t;
  using Term = std::int64_t;
  using Merit = std::int64_t;
  const std::int64_t* table;  // x log2 x

  Term term(Sum rows) const { return table[rows]; }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return (left - table[n_left]) + (right - table[n_right]);
  }
  /// The highest merit if further rows, of that weight, are added on either side: merging two sets
  /// never makes them purer.
  static Merit bound(Merit merit, Sum) { return merit; }
};

struct EntropyOfWeights {
  using Sum = double;
  using Term = double;
  using Merit = double;

  Term term(Sum weight) const { return weight > 0 ? weight * std::log2(weight) : 0; }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return (left - term(n_left)) + (right - term(n_right));
  }
  static Merit bound(Merit merit, Sum) { return merit; }
};

template <class S, class T>
struct SquareSums {
  using Sum = S;
  using Term = T;
  using Merit = double;

  Term term(Sum weight) const { return static_cast<Term>(weight) * static_cast<Term>(weight); }
  Merit merit(Term left, Sum n_left, Term right, Sum n_right) const {
    return part(left, n_left) + part(right, n_right);
  }
  /// Here a pure set has its weight as merit.
  static Merit bound(Merit merit, Sum further) { return merit + static_cast<double>(further); }

 private:
  static double part(Term sum, Sum total) {
    return total > 0 ? static_cast<double>(sum) / static_cast<double>(total) : 0;
  }
};
using CountedGini = SquareSums<std::uint32_t, std::int64_t>;
using WeightedGini = SquareSums<double, double>;

/// Class sums of both sides.
template <class Form>
struct SideSums {
  using Sum = typename Form::Sum;
  using Term = typename Form::Term;
  struct Class {
    Sum left, right;
    Term left_term, right_term;
  };

  Form form;
  std::vector<Class> classes;
  Sum left = 0, right = 0;
  Term left_term = 0, right_term = 0;
  std::uint32_t rows_left = 0;

  void set(std::span<const Sum> in_left, std::span<const Sum> in_node, std::uint32_t rows) {
    classes.resize(in_left.size());
    left = right = 0;
    left_term = right_term = 0;
    rows_left = rows;
    for (std::size_t k = 0; k < in_left.size(); ++k) {
      const Sum in_right = in_node[k] - in_left[k];
      classes[k] = {in_left[k], in_right, form.term(in_left[k]), form.term(in_right)};
      left += in_left[k];
      right += in_right;
      left_term += classes[k].left_term;
      right_term += classes[k].right_term;
    }
  }
  /// Moves one row.
  void flip(std::size_t k, Sum weight, bool to_left) {
    const Sum moved = to_left ? weight : Sum{0} - weight;  // counts wrap around, and back again
    move(moved);
    rows_left += to_left ? 1u : ~0u;
    change(k, moved);
  }
  /// Moves some weight of a class to the left; `move` updates the totals.
  void change(std::size_t k, Sum moved) {
    const Sum in_left = classes[k].left + moved, in_right = classes[k].right - moved;
    const Class now{in_left, in_right, form.term(in_left), form.term(in_right)};
    left_term += now.left_term - classes[k].left_term;
    right_term += now.right_term - classes[k].right_term;
    classes[k] = now;
  }
  void move(Sum moved) {
    left += moved;
    right -= moved;
  }
  auto merit() const { return form.merit(left_term, left, right_term, right); }
};

}  // namespace ramify
