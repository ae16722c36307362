// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "forest/jackknife.hpp"
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

}  // namespace

void bind_forest(nb::module_& m) {
  m.def("jackknife_plus", &jackknife, "votes"_a, "unseen"_a, "error"_a, "weight"_a.none(), "rank"_a,
        "n_threads"_a = 1,
        "Return lower and upper end for each row of votes, by the trees that left out each "
        "training row.");
}

}  // namespace ramify
