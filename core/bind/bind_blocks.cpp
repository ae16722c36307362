// SPDX-License-Identifier: BSD-3-Clause
// Trees from rows that lie in blocks: the seams that files and clusters use.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "data/known_codes.hpp"
#include "grow/asked.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

using Narrow = Array2<std::uint8_t>;
using Wide = Array2<std::uint32_t>;
using Bytes = Array1<std::uint8_t>;

/// Codebooks without rows: bins from low to high, or the number of categories where it is not below
/// zero.
Table codebooks(const std::vector<Array1<double>>& low, const std::vector<Array1<double>>& high,
                const std::vector<std::int64_t>& n_categories,
                const std::vector<bool>& has_missing) {
  const std::size_t n = n_categories.size();
  if (low.size() != n || high.size() != n || has_missing.size() != n)
    refuse("low, high, n_categories and has_missing must have one entry per column");
  Table table;
  table.columns.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    Column& column = table.columns[j];
    column.n_missing = has_missing[j];
    column.is_categorical = n_categories[j] >= 0;
    if (column.is_categorical) {
      column.n_categories = static_cast<std::uint32_t>(n_categories[j]);
      continue;
    }
    if (low[j].shape(0) != high[j].shape(0)) refuse("low and high must have one number per bin");
    column.lowest = Values(std::vector<double>(low[j].data(), low[j].data() + low[j].shape(0)));
    column.highest = Values(std::vector<double>(high[j].data(), high[j].data() + high[j].shape(0)));
  }
  return table;
}

Layout layout_of(std::vector<std::uint32_t> n_codes, std::vector<int> n_classes, bool is_weighted,
                 int n_stats, bool counts_classes) {
  if (n_stats != 0 && n_stats != 2 && n_stats != 3) refuse("numbers have two sums, or three");
  if (n_codes.empty() || n_classes.empty() ||
      std::ranges::any_of(n_classes, [](int n) { return n < 1; }))
    refuse("a layout needs a column and a class at least");
  if (std::ranges::any_of(n_codes, [](std::uint32_t n) { return n >= 1u << 31; }))
    refuse("a column has too many codes");
  return {std::move(n_codes), std::move(n_classes), is_weighted, n_stats, counts_classes};
}

Ways ways_of(const Layout& layout, Array1<std::int32_t> column, Array1<std::int32_t> first_child,
             Array1<std::uint32_t> highest, Array1<std::uint32_t> missing,
             Array1<std::int64_t> begin, Array1<std::uint32_t> branches) {
  const std::size_t n = column.shape(0);
  if (first_child.shape(0) != n || highest.shape(0) != n || missing.shape(0) != n ||
      begin.shape(0) != n)
    refuse("the ways must have one entry per node");
  Ways ways;
  ways.branches.assign(branches.data(), branches.data() + branches.shape(0));
  for (std::size_t i = 0; i < n; ++i) {
    const Way way{column.data()[i], first_child.data()[i], highest.data()[i], missing.data()[i],
                  begin.data()[i]};
    ways.of_node.push_back(way);
    if (way.column < 0) continue;
    const auto own = static_cast<std::size_t>(way.column);
    if (own >= layout.n_codes.size()) refuse("a way is by a column that is not there");
    std::uint32_t most = std::max(way.missing, 1u);
    if (way.begin >= 0) {
      const std::size_t first = static_cast<std::size_t>(way.begin);
      if (first + layout.n_codes[own] + 1 > ways.branches.size()) refuse("a way has no list");
      most = *std::max_element(ways.branches.begin() + way.begin,
                               ways.branches.begin() + way.begin + layout.n_codes[own] + 1);
    }
    if (way.first_child <= static_cast<std::int64_t>(i) ||
        static_cast<std::size_t>(way.first_child) + most >= n)
      refuse("a way leads to a node that is not there");
  }
  return ways;
}

nb::tuple arrays_of(const Ways& ways) {
  std::vector<std::int32_t> column, first_child;
  std::vector<std::uint32_t> highest, missing, branches = ways.branches;
  std::vector<std::int64_t> begin;
  for (const Way& way : ways.of_node) {
    column.push_back(way.column);
    first_child.push_back(way.first_child);
    highest.push_back(way.highest);
    missing.push_back(way.missing);
    begin.push_back(way.begin);
  }
  return nb::make_tuple(to_numpy(std::move(column)), to_numpy(std::move(first_child)),
                        to_numpy(std::move(highest)), to_numpy(std::move(missing)),
                        to_numpy(std::move(begin)), to_numpy(std::move(branches)));
}

Block block_of(const Layout& layout, const Narrow& narrow, const Wide& wide, const AnyArray& labels,
               const MaybeWeight& weight, double unit) {
  const std::size_t n = narrow.shape(0);
  const int bytes = (labels.dtype().bits + 7) / 8;
  const bool is_number = labels.dtype() == nb::dtype<double>();
  const bool is_unsigned =
      static_cast<nb::dlpack::dtype_code>(labels.dtype().code) == nb::dlpack::dtype_code::UInt;
  if (narrow.shape(1) != layout.n_narrow || wide.shape(1) != layout.n_wide || wide.shape(0) != n)
    refuse("the codes do not have the columns of the layout, or not the same rows");
  if ((layout.is_numeric() ? !is_number : !is_unsigned || bytes > 4) || labels.ndim() != 2 ||
      labels.shape(0) != n || labels.shape(1) != layout.n_classes.size() ||
      (n > 0 &&
       (labels.stride(1) != 1 || labels.stride(0) != static_cast<std::int64_t>(labels.shape(1)))))
    refuse(
        "the labels must be unsigned numbers, or doubles if numbers are learnt, (n_rows, "
        "n_outputs) in C order");
  if (weight.has_value() != layout.is_weighted || (weight && weight->shape(0) != n))
    refuse("weights must be given for all rows, or for none, as the layout says");
  return {n,           narrow.data(),
          wide.data(), labels.data(),
          bytes,       weight ? weight->data() : nullptr,
          unit,        is_number ? static_cast<const double*>(labels.data()) : nullptr};
}

/// Rows of: centre, units, whether weights are repeats, steps up and down.
std::vector<NumberScale> scales_of(const Array2<double>& given) {
  if (given.shape(0) > 0 && given.shape(1) != 5) refuse("a scale of numbers has five entries");
  std::vector<NumberScale> scales(given.shape(0));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double* own = given.data() + i * 5;
    scales[i].centre = own[0];
    scales[i].per_unit = own[1];
    scales[i].steps.repeats = own[2] != 0;
    scales[i].steps.up = own[3];
    scales[i].steps.down = own[4];
  }
  return scales;
}

nb::ndarray<nb::numpy, double> array_of(const std::vector<NumberScale>& scales) {
  std::vector<double> rows;
  for (const auto& [centre, per_unit, steps] : scales)
    rows.insert(rows.end(), {centre, per_unit, steps.repeats ? 1.0 : 0.0, steps.up, steps.down});
  const std::size_t n = scales.size();
  return to_numpy(std::move(rows), {n, 5});
}

using QuestionState = std::tuple<int, int, double, std::size_t, std::size_t, std::vector<double>,
                                 std::vector<std::tuple<bool, double, double, int>>>;

QuestionState state_of(const NumberQuestion& question) {
  std::vector<std::tuple<bool, double, double, int>> steps;
  for (const TermSteps& own : question.steps)
    steps.emplace_back(own.repeats, own.up, own.finer, own.exponent);
  return {static_cast<int>(question.kind),
          static_cast<int>(question.loss),
          question.parameter,
          question.n_slots,
          question.n_outputs,
          question.at,
          std::move(steps)};
}

NumberQuestion question_from(const QuestionState& state) {
  const auto& [kind, loss, parameter, n_slots, n_outputs, at, steps] = state;
  if (kind < 0 || kind > static_cast<int>(NumberQuestion::Kind::loss) || loss < 0 ||
      loss > static_cast<int>(NumberLoss::crps))
    refuse("this is no question about numbers");
  NumberQuestion question{static_cast<NumberQuestion::Kind>(kind),
                          static_cast<NumberLoss>(loss),
                          parameter,
                          n_slots,
                          n_outputs,
                          at,
                          {}};
  for (const auto& [repeats, up, finer, exponent] : steps) {
    TermSteps& own = question.steps.emplace_back();
    own.repeats = repeats;
    own.up = up;
    own.finer = finer;
    own.exponent = exponent;
  }
  const bool has_places =
      question.kind != NumberQuestion::Kind::weight && question.kind != NumberQuestion::Kind::range;
  const std::size_t n = has_places ? n_slots * n_outputs : 0;
  if (question.at.size() != n || question.steps.size() != n)
    refuse("a question about numbers says for each slot and output from where they are measured");
  return question;
}

/// Routes the rows of a block, and adds what they answer to a question about numbers.
void answer_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                  const AnyArray& labels, const MaybeWeight& weight, double unit,
                  Written<std::int32_t> nodes, Array1<std::int32_t> slots,
                  const NumberQuestion& question,
                  nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> sums) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  if (!layout.is_numeric() || question.n_outputs != layout.n_classes.size())
    refuse("a question about numbers needs numbers");
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  for (std::size_t i = 0; i < slots.shape(0); ++i)
    if (slots.data()[i] >= static_cast<std::int64_t>(question.n_slots))
      refuse("a slot is not in the question");
  const bool is_of_largest = question.is_of_largest();
  if (sums.shape(0) != question.n_slots * question.width() ||
      sums.dtype() != (is_of_largest ? nb::dtype<double>() : nb::dtype<std::int64_t>()))
    refuse("the answer has no room of the right kind");
  const std::span<std::int32_t> of_row{nodes.data(), block.n_rows};
  const nb::gil_scoped_release release;
  route(block, layout, ways, of_row);
  if (is_of_largest)
    answer(block, question, of_row, view(slots),
           std::span(static_cast<double*>(sums.data()), sums.shape(0)));
  else
    answer(block, question, of_row, view(slots),
           std::span(static_cast<std::int64_t*>(sums.data()), sums.shape(0)));
}

/// Routes the rows of a block, and counts those whose node has a slot; the number of them.
std::uint64_t count_block(const Layout& layout, const Ways& ways, const Narrow& narrow,
                          const Wide& wide, const AnyArray& labels, const MaybeWeight& weight,
                          double unit, Written<std::int32_t> nodes, Array1<std::int32_t> slots,
                          nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu> sums,
                          const std::optional<Array2<double>>& given) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  const std::vector<NumberScale> scales = given ? scales_of(*given) : std::vector<NumberScale>();
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  for (std::size_t i = 0; i < slots.shape(0); ++i) {
    if (layout.is_numeric() && slots.data()[i] >= 0 &&
        (static_cast<std::size_t>(slots.data()[i]) + 1) * layout.n_classes.size() > scales.size())
      refuse("the numbers of a slot have no scale");
    if (slots.data()[i] >= 0 &&
        (static_cast<std::size_t>(slots.data()[i]) + 1) * layout.slot_size() > sums.shape(0))
      refuse("a slot is not in the sums");
  }
  const bool is_narrow = sums.dtype() == nb::dtype<std::uint32_t>();
  if (!is_narrow && sums.dtype() != nb::dtype<std::int64_t>())
    refuse("sums must be uint32 or int64");
  if (is_narrow && layout.is_numeric()) refuse("sums of numbers must be int64");
  const Count what{layout, ways, view(slots), scales};
  const std::span<std::int32_t> of_row{nodes.data(), block.n_rows};
  const nb::gil_scoped_release release;
  if (is_narrow)
    return count(block, what, of_row,
                 std::span(static_cast<std::uint32_t*>(sums.data()), sums.shape(0)));
  return count(block, what, of_row,
               std::span(static_cast<std::int64_t*>(sums.data()), sums.shape(0)));
}

/// Routes the rows of a block, and adds the points of those whose node has a slot.
void add_point_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                     const AnyArray& labels, const MaybeWeight& weight, double unit,
                     Written<std::int32_t> nodes, Array1<std::int32_t> slots, Array1<double> points,
                     std::uint32_t begin, std::uint32_t end, Written<double> sums) {
  const Block block = block_of(layout, narrow, wide, labels, weight, unit);
  if (layout.is_numeric() || layout.n_wide > 0 || layout.n_classes.size() != 1)
    refuse("sums of points need columns of few codes, and one output of classes");
  if (begin >= end || end > layout.n_codes.size()) refuse("these are no columns");
  const PointCount what{layout, ways, view(slots), view(points), begin, end};
  if (nodes.shape(0) != block.n_rows) refuse("nodes must have one entry per row");
  if (slots.shape(0) < ways.of_node.size()) refuse("slots must have one entry per node");
  const std::size_t size = layout.n_cells * layout.n_classes_all, n_slots = points.shape(0) / size;
  for (std::size_t i = 0; i < slots.shape(0); ++i)
    if (slots.data()[i] >= static_cast<std::int64_t>(n_slots)) refuse("a slot has no points");
  if (points.shape(0) != n_slots * size || sums.shape(0) != n_slots * what.slot_size())
    refuse("points and sums do not fit the slots");
  const nb::gil_scoped_release release;
  add_points(block, what, {nodes.data(), block.n_rows}, {sums.data(), sums.shape(0)});
}

void route_block(const Layout& layout, const Ways& ways, const Narrow& narrow, const Wide& wide,
                 Written<std::int32_t> nodes) {
  if (narrow.shape(1) != layout.n_narrow || wide.shape(1) != layout.n_wide ||
      wide.shape(0) != narrow.shape(0) || nodes.shape(0) != narrow.shape(0))
    refuse("the codes do not have the columns of the layout, or not the same rows");
  const Block block{narrow.shape(0), narrow.data(), wide.data()};
  const nb::gil_scoped_release release;
  route(block, layout, ways, {nodes.data(), nodes.shape(0)});
}

/// A table of rows whose codes are known.
Table table_of(const Table& books, const Layout& layout, const Narrow& narrow, const Wide& wide) {
  if (books.columns.size() != layout.n_codes.size() || narrow.shape(1) != layout.n_narrow ||
      wide.shape(1) != layout.n_wide || wide.shape(0) != narrow.shape(0))
    refuse("the codes do not have the columns of the layout, or not the same rows");
  if (narrow.shape(0) >= std::size_t{1} << 31) refuse("a table has at most 2^31 - 1 rows");
  Table table;
  table.columns = books.columns;
  table.n_rows = static_cast<std::uint32_t>(narrow.shape(0));
  const nb::gil_scoped_release release;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    Column& column = table.columns[j];
    const bool fits =
        layout.is_narrow(j)
            ? take_codes(column, narrow.data() + layout.place[j], layout.n_narrow, table.n_rows)
            : take_codes(column, wide.data() + layout.place[j], layout.n_wide, table.n_rows);
    if (!fits) throw std::invalid_argument("a code is not in its codebook");
  }
  return table;
}

/// What the rows of a node have to be learnt from.
template <class Label>
Target part_target(const Table& table, const Array2<Label>& labels,
                   const std::vector<int>& n_classes, const MaybeWeight& weight, double unit) {
  Target target;
  target.n_rows = table.n_rows;
  target.n_classes = n_classes;
  target.unit = unit;
  if (labels.shape(0) != target.n_rows || (weight && weight->shape(0) != target.n_rows) ||
      labels.shape(1) != n_classes.size() || target.n_rows == 0)
    refuse("labels and weights must have one entry per row");
  if (weight) target.weight.assign(weight->data(), weight->data() + target.n_rows);
  if constexpr (std::is_same_v<Label, double>) {
    target.numbers.assign(labels.data(), labels.data() + labels.size());
    if (std::ranges::any_of(n_classes, [](int n) { return n != 1; }))
      refuse("an output of numbers has one class");
  } else {
    target.classes.assign(labels.data(), labels.data() + labels.size());
    for (std::size_t i = 0; i < target.classes.size(); ++i)
      if (target.classes[i] >= static_cast<std::uint32_t>(n_classes[i % n_classes.size()]))
        refuse("a class code is out of range");
    target.note_times();
  }
  return target;
}

/// Grows the rows of a node, all of a table; their weights in units of the context.
template <class Label>
nb::bytes part_of(const Table& table, const Array2<Label>& labels,
                  const std::vector<int>& n_classes, const MaybeWeight& weight, const Plan& plan,
                  const NodeContext& context) {
  const Target target = part_target(table, labels, n_classes, weight, context.unit);
  for (const std::uint32_t column : context.live)
    if (column >= table.columns.size()) refuse("a live column is not in the table");
  std::vector<std::uint32_t> rows(target.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  Plan mine = plan;
  mine.should_stop = [](double) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return false;
  };
  std::vector<std::uint8_t> bytes;
  {
    const nb::gil_scoped_release release;
    bytes = to_bytes(grow_part(table, rows, target, mine, context));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes bytes_of(const std::vector<std::uint8_t>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}
std::span<const std::uint8_t> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

using ContextState = std::tuple<std::uint64_t, int, double, double, std::uint64_t, double, double,
                                std::vector<std::uint32_t>, std::uint64_t>;

void bind_parts(nb::module_& m) {
  nb::class_<NodeContext>(m, "NodeContext", "What a part of a tree inherits.")
      .def(nb::init<>())
      .def("__getstate__",
           [](const NodeContext& c) -> ContextState {
             return {c.key,   c.depth, c.unit, c.training_weight, c.n_training_rows,
                     c.lower, c.upper, c.live, c.n_rows};
           })
      .def("__setstate__",
           [](NodeContext& c, const ContextState& s) {
             new (&c) NodeContext{std::get<0>(s), std::get<1>(s), std::get<2>(s),
                                  std::get<3>(s), std::get<4>(s), std::get<5>(s),
                                  std::get<6>(s), std::get<7>(s), std::get<8>(s)};
           })
      .def_rw("key", &NodeContext::key)
      .def_rw("depth", &NodeContext::depth)
      .def_rw("unit", &NodeContext::unit)
      .def_rw("training_weight", &NodeContext::training_weight)
      .def_rw("n_training_rows", &NodeContext::n_training_rows)
      .def_rw("lower", &NodeContext::lower)
      .def_rw("upper", &NodeContext::upper)
      .def_rw("live", &NodeContext::live)
      .def_rw("n_rows", &NodeContext::n_rows);
  m.def("grow_part", &part_of<std::uint32_t>, nb::arg("table"), nb::arg("labels"),
        nb::arg("n_classes"), nb::arg("weight").none(), nb::arg("plan"), nb::arg("context"));
  m.def("grow_part", &part_of<double>, nb::arg("table"), nb::arg("numbers"), nb::arg("n_classes"),
        nb::arg("weight").none(), nb::arg("plan"), nb::arg("context"));
  m.def("table_of_codes", &table_of, nb::arg("codebooks"), nb::arg("layout"), nb::arg("narrow"),
        nb::arg("wide"));
}

/// How often each row is drawn for a tree: a Poisson number of seed, tree and row, by inversion.
nb::ndarray<nb::numpy, double> poisson_times(Array1<std::uint64_t> rows, std::uint64_t seed,
                                             std::uint64_t tree, Array1<std::uint64_t> bounds) {
  const std::uint64_t key = mix(mix(seed) ^ tree);
  std::vector<double> times(rows.shape(0));
  const std::span<const std::uint64_t> all = view(bounds);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::uint64_t hash = mix(key ^ rows.data()[i]);
    std::size_t n = 0;
    while (n < all.size() && hash >= all[n]) ++n;
    times[i] = static_cast<double>(n);
  }
  return to_numpy(std::move(times));
}

void bind_codes(nb::module_& m) {
  m.def("codebooks", &codebooks, nb::arg("low"), nb::arg("high"), nb::arg("n_categories"),
        nb::arg("has_missing"));
  m.def(
      "learn_bins",
      [](Array1<double> values, std::uint32_t max_codes) {
        return to_numpy(learn_bins({values.data(), values.data() + values.shape(0)}, max_codes));
      },
      nb::arg("values"), nb::arg("max_codes"));
  m.def("poisson_times", &poisson_times, nb::arg("rows"), nb::arg("seed"), nb::arg("tree"),
        nb::arg("bounds"));
  m.def("exact_unit", &exact_unit, nb::arg("largest"), nb::arg("n"),
        "The unit in which n weights, none above the largest, are counted.");
  m.def(
      "new_values",
      [](const AnyArray& values, Array1<double> known, std::size_t limit) {
        const auto raw = raw_columns({values});
        return to_numpy(new_values(raw.at(0), view(known), limit));
      },
      nb::arg("values"), nb::arg("known"), nb::arg("limit"),
      "Numbers that are not among the known ones, ascending; more than limit in all: stops.");
  m.def(
      "encode_numbers",
      [](const AnyArray& values, Array1<double> lowest,
         nb::ndarray<std::uint8_t, nb::ndim<1>, nb::device::cpu> codes, Written<double> low,
         Written<double> high) {
        const auto raw = raw_columns({values});
        const std::size_t n = lowest.shape(0);
        if (raw.size() != 1 || codes.shape(0) != raw[0].n_rows || n == 0 || n > 255 ||
            low.shape(0) != n || high.shape(0) != n)
          refuse("codes, low and high do not fit the values and bins");
        const nb::gil_scoped_release release;
        const KnownCodes found = encode_into(raw[0], view(lowest), codes.data(), codes.stride(0),
                                             {low.data(), n}, {high.data(), n});
        return std::tuple(found.n_missing, found.infinite_row);
      },
      nb::arg("values"), nb::arg("lowest"), nb::arg("codes"), nb::arg("low"), nb::arg("high"),
      "Write codes; give the number of missing values, and the first infinite row or -1.");
}

/// One of the arrays of some batches, class after class, with a row for each cut.
template <class Put>
nb::object joined(std::span<const CutBatch> batches, std::size_t m, std::size_t k, Put put) {
  std::vector<double> all(m * k);
  double* to = all.data();
  for (std::size_t stat = 0; stat < k; ++stat)
    for (const CutBatch& batch : batches) to = put(batch, stat, to);
  return nb::cast(to_numpy(std::move(all), {m, k}, {1, static_cast<std::int64_t>(m)}));
}

void ask_together(AskedGrower& grower, nb::callable function) {
  grower.ask_together([shared = std::make_shared<nb::callable>(std::move(function))](
                          std::span<const CutBatch> batches) {
    const nb::gil_scoped_acquire acquire;
    std::size_t m = 0;
    for (const CutBatch& batch : batches) m += static_cast<std::size_t>(batch.n_cuts);
    const auto k = static_cast<std::size_t>(batches[0].n_stats);
    const auto side = [&](std::vector<double> CutBatch::* sums) {
      return joined(batches, m, k, [=](const CutBatch& batch, std::size_t stat, double* to) {
        const auto n = static_cast<std::size_t>(batch.n_cuts);
        return std::copy_n((batch.*sums).begin() + static_cast<std::ptrdiff_t>(stat * n), n, to);
      });
    };
    const nb::object parent =
        joined(batches, m, k, [](const CutBatch& batch, std::size_t stat, double* to) {
          return std::fill_n(to, batch.n_cuts, batch.parent[stat]);
        });
    const nb::object answer = (*shared)(parent, side(&CutBatch::left), side(&CutBatch::right));
    const auto scores = nb::cast<Array1<double>>(answer);
    if (scores.shape(0) != m) refuse("the criterion returned the wrong number of scores");
    return std::vector<double>(scores.data(), scores.data() + m);
  });
}

void bind_grower(nb::module_& m) {
  nb::class_<AskedGrower>(m, "AskedGrower", "Grows a tree from sums that it asks for.")
      .def(nb::init<Table, Layout, double, const Plan&, std::uint64_t, std::size_t>(),
           nb::arg("codebooks"), nb::arg("layout"), nb::arg("unit"), nb::arg("plan"),
           nb::arg("n_rows"), nb::arg("budget"))
      .def("open",
           [](const AskedGrower& grower) {
             std::vector<std::tuple<int, int, std::uint64_t>> all;
             for (const auto& [node, depth, n_rows] : grower.open())
               all.emplace_back(node, depth, n_rows);
             return all;
           })
      .def("ask_together", &ask_together, nb::arg("function"),
           "Ask a function f(parent, left, right) about the cuts of many nodes at once; each of "
           "the three is (m, K).")
      .def("set_aside", &AskedGrower::set_aside, nb::arg("node"))
      .def("ask", &AskedGrower::ask, nb::arg("max_slots"))
      .def("to_learn", &AskedGrower::to_learn)
      .def_prop_ro("question", &AskedGrower::question)
      .def(
          "tell_numbers",
          [](AskedGrower& grower, Array1<double> answer) { grower.tell_numbers(view(answer)); },
          nb::arg("answer"))
      .def(
          "tell_numbers",
          [](AskedGrower& grower, Array1<std::int64_t> answer) {
            grower.tell_numbers(view(answer));
          },
          nb::arg("answer"))
      .def("scales", [](const AskedGrower& grower) { return array_of(grower.scales()); })
      .def_prop_ro("is_narrow", &AskedGrower::is_narrow)
      .def_prop_ro("progress", &AskedGrower::progress)
      .def_prop_ro("ways", [](const AskedGrower& grower) { return arrays_of(grower.ways()); })
      .def(
          "tell", [](AskedGrower& grower, Array1<std::uint32_t> sums) { grower.tell(view(sums)); },
          nb::arg("sums"))
      .def(
          "tell", [](AskedGrower& grower, Array1<std::int64_t> sums) { grower.tell(view(sums)); },
          nb::arg("sums"))
      .def(
          "point_wish",
          [](const AskedGrower& grower, std::size_t max_numbers) {
            PointWish wish = grower.point_wish(max_numbers);
            auto points = to_numpy(grower.points(wish));
            return std::tuple(std::move(wish.nodes), wish.begin, wish.end, std::move(points));
          },
          nb::arg("max_numbers"),
          "Nodes whose sums of points are wanted, the columns by whose codes, and the points.")
      .def(
          "tell_points",
          [](AskedGrower& grower, std::vector<int> nodes, std::uint32_t begin, std::uint32_t end,
             Array1<double> sums) {
            if (nodes.empty() || begin >= end || end > grower.layout().n_codes.size())
              refuse("these are no sums of points");
            grower.tell_points({std::move(nodes), begin, end}, view(sums));
          },
          nb::arg("nodes"), nb::arg("begin"), nb::arg("end"), nb::arg("sums"))
      .def(
          "trials",
          [](const AskedGrower& grower, std::size_t max_slots) {
            std::vector<std::int32_t> rows;
            for (const auto& [node, column, code] : grower.trials(max_slots))
              rows.insert(rows.end(), {node, column, static_cast<std::int32_t>(code)});
            const std::size_t n = rows.size() / 3;
            return to_numpy(std::move(rows), {n, 3});
          },
          nb::arg("max_slots"),
          "Cuts whose left sides are wanted: node, column, highest code on the left.")
      .def_prop_ro("are_trials_narrow", &AskedGrower::are_trials_narrow)
      .def(
          "tell_trials",
          [](AskedGrower& grower, Array1<std::uint32_t> sums) { grower.tell_trials(view(sums)); },
          nb::arg("sums"))
      .def(
          "tell_trials",
          [](AskedGrower& grower, Array1<std::int64_t> sums) { grower.tell_trials(view(sums)); },
          nb::arg("sums"))
      .def(
          "tell_part",
          [](AskedGrower& grower, int node, const nb::bytes& part) {
            const Layout& layout = grower.layout();
            grower.tell(node, part_from(span_of(part), layout.n_codes.size(), grower.n_facts()));
          },
          nb::arg("node"), nb::arg("part"))
      .def("state", [](const AskedGrower& grower) { return bytes_of(grower.state()); })
      .def(
          "restore",
          [](AskedGrower& grower, const nb::bytes& state) { grower.restore(span_of(state)); },
          nb::arg("state"))
      .def("tree", [](const AskedGrower& grower) { return to_python(grower.tree()); });
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::class_<Layout>(m, "Layout", "How codes lie in a block, and sums in a slot.")
      .def(nb::new_(&layout_of), nb::arg("n_codes"), nb::arg("n_classes"), nb::arg("is_weighted"),
           nb::arg("n_stats") = 0, nb::arg("counts_classes") = false)
      .def_ro("n_narrow", &Layout::n_narrow)
      .def_ro("n_wide", &Layout::n_wide)
      .def_ro("n_cells", &Layout::n_cells)
      .def_ro("n_codes", &Layout::n_codes)
      .def_ro("n_classes", &Layout::n_classes)
      .def_ro("is_weighted", &Layout::is_weighted)
      .def_ro("place", &Layout::place)
      .def_prop_ro("n_channels", &Layout::n_channels)
      .def_prop_ro("slot_size", &Layout::slot_size);
  nb::class_<Ways>(m, "Ways", "Where the rows of nodes go that were split.")
      .def(nb::new_(&ways_of), nb::arg("layout"), nb::arg("column"), nb::arg("first_child"),
           nb::arg("highest"), nb::arg("missing"), nb::arg("begin"), nb::arg("branches"));
  m.def("count_block", &count_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("sums"), nb::arg("scales").none() = nb::none(),
        "Route rows, count those whose node has a slot; of a block that was checked.");
  nb::class_<NumberQuestion>(m, "NumberQuestion", "What is to be known of the numbers of nodes.")
      .def(nb::init<>())
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](NumberQuestion& question, const QuestionState& state) {
             new (&question) NumberQuestion(question_from(state));
           })
      .def_ro("n_slots", &NumberQuestion::n_slots)
      .def_prop_ro("width", &NumberQuestion::width)
      .def_prop_ro("is_of_largest", &NumberQuestion::is_of_largest);
  m.def("answer_block", &answer_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("question"), nb::arg("answer"),
        "Route rows, add what they answer; of a block that was checked.");
  m.def("add_points", &add_point_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("labels"), nb::arg("weight").none(), nb::arg("unit"),
        nb::arg("nodes"), nb::arg("slots"), nb::arg("points"), nb::arg("begin"), nb::arg("end"),
        nb::arg("sums"), "Route rows, add the points of those whose node has a slot.");
  m.def(
      "check_block",
      [](const Layout& layout, const Narrow& narrow, const Wide& wide, const AnyArray& labels,
         const MaybeWeight& weight) {
        if (!is_within(block_of(layout, narrow, wide, labels, weight, 1), layout))
          refuse("a code or a label of a block is out of range");
      },
      nb::arg("layout"), nb::arg("narrow"), nb::arg("wide"), nb::arg("labels"),
      nb::arg("weight").none());
  m.def("route_block", &route_block, nb::arg("layout"), nb::arg("ways"), nb::arg("narrow"),
        nb::arg("wide"), nb::arg("nodes"));
  bind_grower(m);
  bind_parts(m);
  bind_codes(m);
}

}  // namespace ramify
