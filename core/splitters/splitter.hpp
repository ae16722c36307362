// SPDX-License-Identifier: BSD-3-Clause
// What the growing loop asks of a splitter. A splitter owns the training rows in its own layout;
// the loop knows which node comes next and writes down what has grown.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "select/split.hpp"

namespace ramify {

/// Nodes with more cells (rows times columns) than this are worth waking the other threads for.
inline constexpr std::size_t shared_cells = 40'000;

/// The threads that may help with a node; the first of them leads.
struct Workers {
  int first = 0, n = 1;

  template <class T>
  std::span<T> of(std::vector<T>& all) const {
    return std::span(all).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
  }
};

/// `Waiting` is a node in the queue: small, its rows are a segment of the splitter's, and what a
/// leaf would predict from (`statistics`: class weights; or values, impurity and weight) lies in
/// the fragment.
template <class S>
concept Splitter = requires(S s, typename S::Waiting node, std::span<const double> statistics,
                            Workers workers, Split split, const std::function<bool()>& must_stop,
                            std::vector<typename S::Waiting>& children) {
  { node.place } -> std::same_as<int&>;
  { node.n_rows() } -> std::same_as<std::uint32_t>;
  { s.unit() } -> std::same_as<double>;  // what a weight of 1 is worth
  { s.min_shared_rows() } -> std::same_as<std::uint32_t>;
  { s.expected_nodes(std::uint32_t{}) } -> std::same_as<std::size_t>;
  { S::nodes_per_request } -> std::convertible_to<unsigned>;
  { s.is_leaf(node, statistics) } -> std::same_as<bool>;
  // The best split of a node, or one that does not exist; and whether it pays.
  { s.best(node, statistics, workers, must_stop) } -> std::same_as<Split>;
  { s.is_worth(node, statistics, split) } -> std::same_as<bool>;
  { s.gain_unit(node) } -> std::same_as<double>;  // what a score of one is worth
  // Parts the rows; no children if one would be too small and the node gives up then.
  s.partition(node, statistics, split, workers, children);
  {
    s.statistics(node, std::size_t{}, workers)
  } -> std::same_as<std::span<const double>>;  // of a child
  { s.bounds(node) } -> std::same_as<Bounds>;
  s.finish(node, workers);     // the node will not be asked about again
  s.hand_over(node);           // another thread will grow what follows from it
  s.take_over(node, workers);  // on that thread
};

}  // namespace ramify
