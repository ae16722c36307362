// SPDX-License-Identifier: BSD-3-Clause
// Boosted trees whose rows are elsewhere, block by block.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "boost/booster.hpp"
#include "boost/drawing.hpp"
#include "distributed/boost_block.hpp"
#include "distributed/level_booster.hpp"

namespace ramify {
namespace {

/// Columns of a codebook, and which codes occur.
struct BoostColumns : BinnedColumns {
  BoostColumns(const Table& books, Array2<bool> occur) {
    if (occur.shape(0) != books.columns.size() || occur.shape(1) != histogram_codes)
      refuse("occurs must have 256 codes for each column");
    table = &books;
    blocks = column_blocks(books.columns.size());
    for (std::size_t j = 0; j < books.columns.size(); ++j) {
      if (books.columns[j].n_codes() >= histogram_codes) refuse("a column has more than 255 codes");
      occurs.emplace_back();
      for (std::size_t code = 0; code < histogram_codes; ++code)
        occurs[j].set(code, occur.data()[j * histogram_codes + code]);
    }
  }
};

LossRows loss_rows_of(const BoostPlan& plan, const Array1<double>& target,
                      const MaybeWeight& weight, std::size_t n_scores) {
  const std::size_t n = target.shape(0);
  if ((weight && weight->shape(0) != n) || n_scores != n * plan.n_scores)
    refuse("target, weight and scores must have the same number of rows");
  if (plan.loss == Loss::multinomial)
    for (std::size_t i = 0; i < n; ++i)
      if (!(target.data()[i] >= 0 && target.data()[i] < plan.n_scores))
        refuse("a class code is out of range: there must be one score per class");
  return {plan.loss, plan.quantile, plan.n_scores, view(target), view(weight)};
}

/// Calls visit(rows, first, gradient, hessian) tile by tile, with memory for their derivatives that
/// stays in the cache.
template <class Visit>
void each_tile(const LossRows& rows, Visit visit) {
  constexpr std::size_t cache_local_rows = 2048;
  std::vector<double> gradient(cache_local_rows * rows.n_scores),
      hessian(cache_local_rows * rows.n_scores);
  for (std::size_t first = 0; first < rows.n_rows(); first += cache_local_rows)
    visit(rows.some(first, std::min(cache_local_rows, rows.n_rows() - first)), first,
          gradient.data(), hessian.data());
}

/// Adds the losses of rows, and the magnitudes of their derivatives, to digits of totals: gradient
/// and hessian of each score, then the loss.
void sum_slopes(const BoostPlan& plan, Array1<double> target, const MaybeWeight& weight,
                Array1<double> scores, Written<std::int64_t> digits) {
  const LossRows rows = loss_rows_of(plan, target, weight, scores.shape(0));
  if (digits.shape(0) != (2 * plan.n_scores + 1) * Total::n_digits)
    refuse("digits must have the length of the sums");
  const nb::gil_scoped_release release;
  LossSums sums(plan.n_scores);
  each_tile(rows, [&](const LossRows& some, std::size_t first, double* gradient, double* hessian) {
    some.differentiate(scores.data() + first, 0, some.n_rows(), gradient, hessian, &sums);
  });
  std::int64_t* to = digits.data();
  const auto add = [&](const Total& total) {
    for (const std::int64_t digit : total.digits) *to++ += digit;
  };
  for (const LossSums::Score& score : sums.of) {
    add(score.gradient);
    add(score.hessian);
  }
  add(sums.loss);
}

/// Writes the gradient pairs of rows, score by score.
void write_pairs(const BoostPlan& plan, Array1<double> target, const MaybeWeight& weight,
                 bool has_integer_weights, Array1<double> scores, Array2<double> scales,
                 Written<Pair> pairs) {
  const LossRows rows = loss_rows_of(plan, target, weight, scores.shape(0));
  if (pairs.shape(0) != scores.shape(0) || scales.shape(0) != plan.n_scores || scales.shape(1) != 2)
    refuse("there must be as many pairs and scales as scores");
  const nb::gil_scoped_release release;
  each_tile(rows, [&](const LossRows& some, std::size_t first, double* gradient, double* hessian) {
    some.differentiate(scores.data() + first, 0, some.n_rows(), gradient, hessian, nullptr);
    for (std::size_t k = 0; k < plan.n_scores; ++k)
      some.make_pairs(k, 0, some.n_rows(), gradient, hessian,
                      {scales.data()[2 * k], scales.data()[2 * k + 1]}, has_integer_weights,
                      pairs.data() + k * rows.n_rows() + first);
  });
}

using WayArrays = std::tuple<Array1<std::uint32_t>, Array1<std::int32_t>, Array1<std::uint8_t>>;

WaysView boost_ways_of(const WayArrays& given, std::size_t n_columns) {
  const auto& [column, first_child, goes] = given;
  const WaysView ways{view(column), view(first_child), view(goes)};
  const std::size_t n = ways.column.size();
  if (ways.first_child.size() != n || ways.goes.size() != n * BoostWays::goes_bytes)
    refuse("the arrays of ways must have one entry per node");
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t child = ways.first_child[i];
    const bool is_wrong = child >= 0 && (child <= static_cast<std::int64_t>(i) ||
                                         child + 1 >= static_cast<std::int64_t>(n));
    if (is_wrong || ways.column[i] >= n_columns) refuse("a node has an invalid column or child");
  }
  return ways;
}

/// Rows in the order of nodes: their indices, how many of them the tree is grown on, and the rows
/// of each node that go left.
using OrderArrays = std::tuple<Written<std::uint32_t>, std::size_t, Written<std::int32_t>>;

BoostOrder boost_order_of(const OrderArrays& given, const BoostCodes& codes, std::size_t n_nodes) {
  const auto& [rows, n_sampled, n_left] = given;
  const BoostOrder order{view(rows), n_sampled, view(n_left)};
  if (order.rows.size() != codes.n_rows || n_sampled > codes.n_rows ||
      order.n_left.size() != n_nodes)
    refuse("an order must have all rows and all nodes");
  std::uint32_t max = 0;
  for (const std::uint32_t row : order.rows) max = std::max(max, row);
  if (max >= std::max<std::size_t>(codes.n_rows, 1))
    refuse("an order has a row that does not exist");
  return order;
}

/// Checks that no more rows of a node go left than it has.
void check_parts(const WaysView& ways, const BoostOrder& order) {
  std::vector<std::int64_t> n_rows(ways.column.size());
  if (!n_rows.empty()) n_rows[0] = static_cast<std::int64_t>(order.n_sampled);
  for (std::size_t i = 0; i < n_rows.size(); ++i) {
    const std::int32_t child = ways.first_child[i], n_left = order.n_left[i];
    if (child < 0) continue;
    if (n_left > n_rows[i] || n_left < -1) refuse("more rows of a node go left than it has");
    n_rows[child] = n_left < 0 ? n_rows[i] : n_left;
    n_rows[child + 1] = n_left < 0 ? n_rows[i] : n_rows[i] - n_left;
  }
}

/// Routes rows down a tree, and counts those that it is grown on.
void count_boosted(Array2<std::uint8_t> codes, const WayArrays& given, const OrderArrays& placed,
                   Array1<std::int32_t> slots, std::size_t n_slots,
                   const std::optional<Array1<Pair>>& pairs, Written<Pair> sums,
                   std::optional<Written<std::uint32_t>> counts, Written<std::int64_t> n_rows,
                   const MaybeWeight& weight, double unit,
                   std::optional<Written<double>> node_weight) {
  const BoostCodes rows{codes.data(), codes.shape(0), codes.shape(1)};
  const WaysView ways = boost_ways_of(given, rows.n_columns);
  const std::size_t n_nodes = ways.column.size();
  const BoostOrder order = boost_order_of(placed, rows, n_nodes);
  check_parts(ways, order);
  const std::size_t size = n_slots * rows.n_columns * histogram_codes;
  if (slots.shape(0) != n_nodes || n_rows.shape(0) != n_nodes || sums.shape(0) != size ||
      (counts && counts->shape(0) != size) || (n_slots && !pairs) ||
      (pairs && pairs->shape(0) != rows.n_rows) ||
      (weight &&
       (weight->shape(0) != rows.n_rows || !node_weight || node_weight->shape(0) != n_nodes)))
    refuse("rows, nodes, slots and sums must have matching lengths");
  for (const std::int32_t slot : view(slots))
    if (slot >= static_cast<std::int64_t>(n_slots)) refuse("a slot is not in the sums");
  const BoostCount count{.slot_of_node = view(slots),
                         .pairs = pairs ? view(*pairs) : std::span<const Pair>{},
                         .sums = view(sums),
                         .counts = counts ? view(*counts) : std::span<std::uint32_t>{},
                         .n_rows = view(n_rows),
                         .weight = view(weight),
                         .unit = unit,
                         .node_weight = node_weight ? view(*node_weight) : std::span<double>{}};
  const nb::gil_scoped_release release;
  count_nodes(rows, ways, order, count);
}

/// Routes rows down a tree, and adds the leaf values to their scores.
void add_boosted(Array2<std::uint8_t> codes, const WayArrays& given, const OrderArrays& placed,
                 Array1<double> values, Written<double> scores) {
  const BoostCodes rows{codes.data(), codes.shape(0), codes.shape(1)};
  const WaysView ways = boost_ways_of(given, rows.n_columns);
  const BoostOrder order = boost_order_of(placed, rows, ways.column.size());
  check_parts(ways, order);
  if (values.shape(0) != ways.column.size() || scores.shape(0) != rows.n_rows)
    refuse("there must be one value per node and one score per row");
  const nb::gil_scoped_release release;
  add_values(rows, ways, order, view(values), view(scores));
}

LevelBooster request_boosted(const BoostColumns& columns, const BoostPlan& plan,
                             std::pair<double, double> scales, double unit, std::uint64_t tree,
                             std::size_t budget) {
  return {columns,
          plan,
          {scales.first, scales.second},
          unit,
          sample_columns(plan.seed, tree, static_cast<std::uint32_t>(columns.n_columns()),
                         plan.max_columns),
          budget};
}

void bind_level_grower(nb::module_& m) {
  nb::class_<BoostColumns>(m, "BoostColumns", "Columns of codes whose rows are stored elsewhere.")
      .def(nb::init<const Table&, Array2<bool>>(), nb::keep_alive<1, 2>(), "codebooks"_a,
           "occurs"_a);
  nb::class_<LevelBooster>(m, "LevelBooster", "Grows a boosted tree from sums that it requests.")
      .def(
          "__init__",
          [](LevelBooster* self, const BoostColumns& columns, const BoostPlan& plan,
             std::pair<double, double> scales, double unit, std::uint64_t tree,
             std::size_t budget) {
            new (self) LevelBooster(request_boosted(columns, plan, scales, unit, tree, budget));
          },
          nb::keep_alive<1, 2>(), "columns"_a, "plan"_a, "scales"_a, "unit"_a, "tree"_a, "budget"_a)
      .def("request", &LevelBooster::request, "max"_a)
      .def(
          "respond",
          [](LevelBooster& self, Array1<Pair> sums,
             const std::optional<Array1<std::uint32_t>>& counts, Array1<std::int64_t> n_rows,
             const MaybeWeight& weight) {
            const BoostResponse response{view(sums),
                                         counts ? view(*counts) : std::span<const std::uint32_t>{},
                                         view(n_rows), view(weight)};
            const nb::gil_scoped_release release;
            self.respond(response);
          },
          "sums"_a, "counts"_a, "n_rows"_a, "weight"_a)
      .def(
          "respond_rows",
          [](LevelBooster& self, Array1<std::int64_t> n_rows, const MaybeWeight& weight) {
            self.respond_rows(view(n_rows), view(weight));
          },
          "n_rows"_a, "weight"_a)
      .def_prop_ro("needs_counts", &LevelBooster::needs_counts)
      .def("ways",
           [](const LevelBooster& self) {
             BoostWays ways = self.ways();
             return to_tuple(std::move(ways.column), std::move(ways.first_child),
                             std::move(ways.goes));
           })
      .def("values", [](const LevelBooster& self) { return to_numpy(self.values()); })
      .def("tree", [](const LevelBooster& self) { return to_python(self.tree()); });
}

void bind_totals(nb::module_& m) {
  m.def("n_total_digits", [] { return Total::n_digits; });
  m.def(
      "add_exactly",
      [](Array1<double> numbers, const MaybeWeight& weight, Written<std::int64_t> digits) {
        if (digits.shape(0) != Total::n_digits || (weight && weight->shape(0) != numbers.shape(0)))
          refuse("values, weights and digits must have matching lengths");
        loss_kernels().add_exactly(numbers.data(), weight ? weight->data() : nullptr, false,
                                   numbers.shape(0), digits.data());
      },
      "numbers"_a, "weight"_a, "digits"_a,
      "Add values, times their weights, to the digits of an exact sum.");
  m.def(
      "exact_total",
      [](Array1<std::int64_t> digits) {
        Total total;
        if (digits.shape(0) != total.digits.size())
          refuse("digits must have the length of the sums");
        std::copy_n(digits.data(), total.digits.size(), total.digits.begin());
        return total.value();
      },
      "digits"_a, "Return the sum that digits stand for.");
  m.def("scale_for", &scale_for, "sum"_a);
}

}  // namespace

void bind_boost_blocks(nb::module_& m) {
  bind_totals(m);
  bind_level_grower(m);
  nb::class_<RowDraw>(m, "RowDraw", "The rows of a round, each sampled independently.")
      .def(nb::init<std::uint64_t, std::uint64_t, double>(), "seed"_a, "round"_a, "share"_a)
      .def("take_one", &RowDraw::take_one, "min"_a)
      .def(
          "min",
          [](const RowDraw& self, Array1<std::uint64_t> rows) {
            std::uint64_t min = ~std::uint64_t{0};
            for (const std::uint64_t row : view(rows)) min = std::min(min, self.number(row));
            return min;
          },
          "rows"_a)
      .def(
          "start",
          [](const RowDraw& self, Array1<std::uint64_t> rows, Written<std::uint32_t> order) {
            const std::size_t n = rows.shape(0);
            if (order.shape(0) != n) refuse("the order must have one entry per row");
            std::size_t n_sampled = 0, at = n;
            for (std::size_t i = n; i-- > 0;)
              if (!self.has(rows.data()[i])) order.data()[--at] = static_cast<std::uint32_t>(i);
            for (std::size_t i = 0; i < n; ++i)
              if (self.has(rows.data()[i]))
                order.data()[n_sampled++] = static_cast<std::uint32_t>(i);
            return n_sampled;
          },
          "rows"_a, "order"_a, "Move sampled rows to the front; return their number.");
  m.def("sum_slopes", &sum_slopes, "plan"_a, "target"_a, "weight"_a, "scores"_a, "digits"_a);
  m.def("write_pairs", &write_pairs, "plan"_a, "target"_a, "weight"_a, "has_integer_weights"_a,
        "scores"_a, "scales"_a, "pairs"_a);
  m.def("count_boosted", &count_boosted, "codes"_a, "ways"_a, "order"_a, "slots"_a, "n_slots"_a,
        "pairs"_a, "sums"_a, "counts"_a, "n_rows"_a, "weight"_a, "unit"_a, "node_weight"_a);
  m.def("add_boosted", &add_boosted, "codes"_a, "ways"_a, "order"_a, "values"_a, "scores"_a);
}

}  // namespace ramify
