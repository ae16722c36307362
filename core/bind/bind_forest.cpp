// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <deque>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/tree_arrays.hpp"
#include "forest/jackknife.hpp"
#include "forest/leaf_rows.hpp"
#include "forest/quantiles.hpp"
#include "forest/variance.hpp"
#include "util/stop.hpp"

namespace ramify {
namespace {

auto jackknife(const Array2<double>& votes, const Array2<std::uint8_t>& unseen,
               const Array1<double>& error, const MaybeWeight& weight, double rank, int n_threads) {
  const std::size_t n = error.shape(0), n_trees = votes.shape(1);
  if (unseen.shape(0) != n_trees || unseen.shape(1) != n || (weight && weight->shape(0) != n))
    refuse("unseen must have a row per tree and a column per error, and weight as many");
  std::vector<double> ends(2 * votes.shape(0));
  without_gil([&] {
    Stop stop(raise_signals);
    const LeftOutRows rows{.n_trees = n_trees,
                           .unseen = {unseen.data(), unseen.size()},
                           .error = view(error),
                           .weight = view(weight),
                           .rank = rank};
    jackknife_plus(rows, {votes.data(), votes.size()}, ends.data(), n_threads, stop);
  });
  return to_numpy(std::move(ends), {votes.shape(0), 2});
}

auto variance(const Array2<double>& votes, const Array2<double>& drawn, int n_threads) {
  if (votes.shape(1) != drawn.shape(0)) refuse("votes needs a column per row of drawn");
  std::vector<double> found(votes.shape(0));
  without_gil([&] {
    Stop stop(raise_signals);
    jackknife_variance({drawn.data(), drawn.size()}, drawn.shape(0), {votes.data(), votes.size()},
                       found.data(), n_threads, stop);
  });
  return to_numpy(std::move(found));
}

RawMatrix rows_for(const Predictor& predictor, const AnyArray& X) {
  const RawMatrix matrix = raw_matrix(X);
  if (matrix.n_columns < predictor.n_columns()) refuse("X has fewer columns than the trees test");
  return matrix;
}

nb::tuple list_rows(const Predictor& predictor, std::size_t tree, const AnyArray& X,
                    bool has_missing, const Array1<double>& times,
                    const Array1<std::uint32_t>& order, const Array1<std::int64_t>& parent) {
  const RawMatrix matrix = rows_for(predictor, X);
  const auto n = static_cast<std::size_t>(matrix.n_rows);
  if (tree >= predictor.n_trees() || times.shape(0) != n ||
      parent.shape(0) != predictor.n_nodes(tree))
    refuse("times must have a number per row, and parent one per node");
  for (const std::uint32_t row : view(order))
    if (row >= n) refuse("order names a row that X does not have");
  MadeLeafRows made = without_gil([&] {
    return list_leaf_rows(predictor, tree, matrix, has_missing, view(times), view(order),
                          view(parent));
  });
  return to_tuple(std::move(made.begin), std::move(made.row), std::move(made.times));
}

/// The lists of all trees; it keeps the arrays of Python alive.
class LeafLists {
 public:
  LeafLists(const Predictor& predictor, const nb::list& trees, std::size_t n_rows)
      : forest_(predictor), n_rows_(n_rows) {
    if (trees.size() != predictor.n_trees()) refuse("every tree needs a list of rows");
    for (const nb::handle each : trees) append(nb::cast<nb::tuple>(each));
  }
  LeafLists(const LeafLists&) = delete;
  LeafLists& operator=(const LeafLists&) = delete;

  nb::ndarray<nb::numpy, double> quantiles(const AnyArray& X, bool has_missing,
                                           const std::vector<Array1<std::uint32_t>>& rank,
                                           const std::vector<Array1<double>>& value,
                                           const Array1<double>& levels, bool is_lower,
                                           const std::optional<Array2<std::uint8_t>>& skip,
                                           int n_threads) const {
    return asked(X, has_missing, rank, value, levels, skip, n_threads,
                 [&](const AskedRows& rows, const auto& targets, double* out, Stop& stop) {
                   forest_quantiles(forest_, rows, targets, view(levels), is_lower, out, stop);
                 });
  }

  nb::ndarray<nb::numpy, double> cdf(const AnyArray& X, bool has_missing,
                                     const std::vector<Array1<std::uint32_t>>& rank,
                                     const std::vector<Array1<double>>& value,
                                     const Array1<double>& points,
                                     const std::optional<Array2<std::uint8_t>>& skip,
                                     int n_threads) const {
    return asked(X, has_missing, rank, value, points, skip, n_threads,
                 [&](const AskedRows& rows, const auto& targets, double* out, Stop& stop) {
                   forest_cdf(forest_, rows, targets, view(points), out, stop);
                 });
  }

  nb::tuple weights(const AnyArray& X, bool has_missing,
                    const std::optional<Array2<std::uint8_t>>& skip, int n_threads) const {
    const RawMatrix matrix = rows_for(forest_.predictor(), X);
    const AskedRows rows{matrix, has_missing, skipped(skip, matrix), n_threads};
    SparseWeights found = without_gil([&] {
      Stop stop(raise_signals);
      return forest_weights(forest_, rows, stop);
    });
    return to_tuple(std::move(found.begin), std::move(found.row), std::move(found.weight));
  }

 private:
  void append(const nb::tuple& lists) {
    if (lists.size() != 3) refuse("a tree's list is begin, row and times");
    const auto begin = nb::cast<Array1<std::uint32_t>>(lists[0]);
    const auto row = nb::cast<Array1<std::uint32_t>>(lists[1]);
    const std::size_t t = forest_.n_trees(), n = row.shape(0);
    LeafRows own{.begin = view(begin), .row = view(row), .kind = {}, .times = nullptr};
    if (own.begin.size() != forest_.predictor().n_nodes(t) + 1 || own.begin.front() != 0 ||
        own.begin.back() != n || !std::is_sorted(own.begin.begin(), own.begin.end()))
      refuse("begin must ascend from 0 to the number of listed rows, with one more than nodes");
    for (const std::uint32_t each : own.row)
      if (each >= n_rows_) refuse("a list names a row that is not there");
    for (const std::uint32_t leaf : forest_.predictor().leaf_nodes(t))
      if (own.begin[leaf] == own.begin[leaf + 1]) refuse("a leaf has no rows");
    const auto take = [&]<class T>(LeafRows::Times kind) {
      Array1<T> times;
      if (!nb::try_cast(lists[2], times, false)) return false;
      if (times.shape(0) != n) refuse("every listed row needs its times");
      for (std::size_t i = 0; i < n; ++i)
        if (!(times.data()[i] > 0)) refuse("times must be above 0");
      own.kind = kind;
      own.times = times.data();
      return true;
    };
    if (!take.template operator()<std::uint8_t>(LeafRows::Times::bytes) &&
        !take.template operator()<std::uint32_t>(LeafRows::Times::words) &&
        !take.template operator()<double>(LeafRows::Times::doubles))
      refuse("times must be uint8, uint32 or float64");
    kept_.emplace_back(lists);
    forest_.append(own);
  }

  std::vector<RankedTarget> targets_of(const std::vector<Array1<std::uint32_t>>& rank,
                                       const std::vector<Array1<double>>& value) const {
    std::vector<RankedTarget> targets;
    if (rank.size() != value.size()) refuse("every output needs ranks and numbers");
    for (std::size_t k = 0; k < rank.size(); ++k) {
      if (rank[k].shape(0) != n_rows_) refuse("every row needs a rank");
      for (const std::uint32_t each : view(rank[k]))
        if (each >= value[k].shape(0)) refuse("a rank has no number");
      targets.push_back({view(rank[k]), view(value[k])});
    }
    return targets;
  }

  static std::span<const std::uint8_t> skipped(const std::optional<Array2<std::uint8_t>>& skip,
                                               const RawMatrix& X) {
    if (!skip) return {};
    if (skip->shape(1) != static_cast<std::size_t>(X.n_rows)) refuse("skip needs a column per row");
    return {skip->data(), skip->size()};
  }

  template <class Work>
  nb::ndarray<nb::numpy, double> asked(const AnyArray& X, bool has_missing,
                                       const std::vector<Array1<std::uint32_t>>& rank,
                                       const std::vector<Array1<double>>& value,
                                       const Array1<double>& asked,
                                       const std::optional<Array2<std::uint8_t>>& skip,
                                       int n_threads, Work work) const {
    const RawMatrix matrix = rows_for(forest_.predictor(), X);
    if (skip && skip->shape(0) != forest_.n_trees()) refuse("skip needs a row per tree");
    const std::vector<RankedTarget> targets = targets_of(rank, value);
    const AskedRows rows{matrix, has_missing, skipped(skip, matrix), n_threads};
    const auto n_rows = static_cast<std::size_t>(matrix.n_rows);
    std::vector<double> out(n_rows * asked.shape(0) * targets.size());
    without_gil([&] {
      Stop stop(raise_signals);
      work(rows, targets, out.data(), stop);
    });
    return to_numpy(std::move(out), {n_rows, asked.shape(0), targets.size()});
  }

  ForestRows forest_;
  std::size_t n_rows_;
  std::deque<nb::tuple> kept_;
};

}  // namespace

void bind_forest(nb::module_& m) {
  m.def("jackknife_plus", &jackknife, "votes"_a, "unseen"_a, "error"_a, "weight"_a.none(), "rank"_a,
        "n_threads"_a = 1,
        "Return lower and upper end for each row of votes, by the trees that left out each "
        "training row.");
  m.def("jackknife_variance", &variance, "votes"_a, "drawn"_a, "n_threads"_a = 1,
        "Return how much the mean of the trees would vary with other training rows.");
  m.def("list_leaf_rows", &list_rows, "predictor"_a, "tree"_a, "X"_a, "has_missing"_a, "times"_a,
        "order"_a, "parent"_a,
        "List the training rows of each leaf: begin by node, rows, and their times.");
  nb::class_<LeafLists>(m, "LeafLists", "The training rows in the leaves of trees.")
      .def(nb::init<const Predictor&, const nb::list&, std::size_t>(), "predictor"_a, "trees"_a,
           "n_rows"_a, nb::keep_alive<1, 2>(),
           "From begin, row and times of each tree, as list_leaf_rows returns them.")
      .def("quantiles", &LeafLists::quantiles, "X"_a, "has_missing"_a, "rank"_a, "value"_a,
           "levels"_a, "is_lower"_a, "skip"_a.none(), "n_threads"_a,
           "Return the quantiles of each row: (n_rows, n_levels, n_outputs).")
      .def("cdf", &LeafLists::cdf, "X"_a, "has_missing"_a, "rank"_a, "value"_a, "points"_a,
           "skip"_a.none(), "n_threads"_a,
           "Return the weight up to each point: (n_rows, n_points, n_outputs).")
      .def("weights", &LeafLists::weights, "X"_a, "has_missing"_a, "skip"_a.none(), "n_threads"_a,
           "Return the weights of the training rows for each row, as begin, row and weight.");
}

}  // namespace ramify
