// SPDX-License-Identifier: BSD-3-Clause
// What measures that look at the rows of a node find at its cuts.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "split/each_block.hpp"

namespace ramify {

/// Looks up which expressions need the rows of a node or all their values, and gathers the values.
void Search::prepare_structure(std::span<const std::uint32_t> rows) {
  reads_rows_ = reads_rows(plan);
  each_expression(plan, [&](const Expression& expression) {
    reads_space_ = reads_space_ || has_step(expression, looks_at_space);
  });
  if (!reads_rows_) return;
  place_.resize(rows.size());
  n_values_ = static_cast<int>(table.columns.size());  // all are numeric: see check_structure()
  if (!reads_space_) return;
  values_.resize(rows.size() * table.columns.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    std::visit(
        [&](const auto& codes) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            values_[i * table.columns.size() + j] = table.columns[j].lower(codes[rows[i]]);
        },
        table.columns[j].codes);
}

/// The rows of a node: labels, weights, and if asked for all their values as points.
void Search::read_rows(const Node& node, const NodeChannels& channels, NodeRows& rows) const {
  const RecordView records = store.records(node.begin, node.end);
  rows.number.assign(records.rows, records.rows + records.n);
  rows.label.clear();
  rows.weight.clear();
  for (std::uint32_t i = 0; i < records.n; ++i) {
    place_[rows.number[i]] = i;
    rows.label.push_back(channels.channel[target.classes[rows.number[i]]]);
  }
  if (!target.weight.empty() || target.unit != 1)
    for (const std::uint32_t row : rows.number)
      rows.weight.push_back(target.weight_of(row) * target.unit);
  if (reads_space_)
    fill_space(values_, n_values_, rows.number, rows.label, rows.weight,
               channels.outputs[0].n_classes, rows.space);
}

/// The rows of a node in the order of a column.
void Search::read_column(const Node& node, int column, CodedColumn& coded) const {
  const std::uint32_t n = node.n_rows();
  coded.row.resize(n);
  coded.code.resize(n);
  if (!table.columns[column].is_narrow()) {
    const std::uint64_t* items = store.list(column) + node.begin;
    for (std::uint32_t i = 0; i < n; ++i) {
      coded.row[i] = place_[store.layout().row(items[i])];
      coded.code[i] = store.layout().code(items[i]);
    }
    return;
  }
  const RecordView records = store.records(node.begin, node.end);
  const std::uint8_t* codes = records.codes + store.record_offset(column);
  std::uint32_t start[CodeSums::max_codes + 1] = {};
  for (std::uint32_t i = 0; i < n; ++i) ++start[codes[i * records.stride] + 1];
  std::partial_sum(start, start + CodeSums::max_codes + 1, start);
  for (std::uint32_t i = 0; i < n; ++i) {  // records and `rows` are in the same order
    const std::uint8_t code = codes[i * records.stride];
    const std::uint32_t to = start[code]++;
    coded.row[to] = i;
    coded.code[to] = code;
  }
}

/// The same with the places of rows and cuts, from 0 at the lowest value of the node to 1 at the
/// highest.
void Search::place_column(const CodedColumn& coded, const NodeRows& rows, int column,
                          PlacedColumn& placed) const {
  const Column& info = table.columns[column];
  const std::size_t n = coded.row.size();
  const double low = info.lower(coded.code.front()), high = info.lower(coded.code.back());
  const double scale = 1 / (high - low);
  placed.clear();
  placed.row = coded.row;
  placed.label.resize(n);
  placed.place.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t code = coded.code[i];
    placed.label[i] = rows.label[coded.row[i]];
    placed.place[i] = (info.lower(code) - low) * scale;
    if (i + 1 == n || coded.code[i + 1] == code) continue;
    const double threshold =
        plan.threshold_is_value ? info.upper(code) : info.midpoint(code, coded.code[i + 1]);
    placed.cuts.push_back({static_cast<std::uint32_t>(i + 1), (threshold - low) * scale});
  }
}

namespace {

/// Share of a column's variance that lies between the classes.
double validity(const CodedColumn& coded, const Column& column, const NodeRows& rows,
                int n_classes) {
  const auto k = static_cast<std::size_t>(n_classes);
  std::vector<double> weight(k), mean(k);
  const double origin = column.lower(coded.code.front());  // keeps the numbers small
  double total = 0, all = 0, within = 0, between = 0;
  const auto each = [&](auto visit) {
    for (std::size_t i = 0; i < coded.row.size(); ++i)
      visit(rows.label[coded.row[i]], rows.weight_of(coded.row[i]),
            column.lower(coded.code[i]) - origin);
  };
  each([&](std::uint32_t y, double w, double x) {
    weight[y] += w;
    mean[y] += w * x;
    total += w;
    all += w * x;
  });
  all /= total;
  for (std::size_t y = 0; y < k; ++y) {
    if (weight[y] <= 0) continue;
    mean[y] /= weight[y];
    between += weight[y] * (mean[y] - all) * (mean[y] - all);
  }
  each([&](std::uint32_t y, double w, double x) { within += w * (x - mean[y]) * (x - mean[y]); });
  return between + within > 0 ? between / (between + within) : 0;
}

/// Width of the gap at each cut that no class reaches across, as a share of the column's range.
std::vector<double> gaps(const CodedColumn& coded, const Column& column, const NodeRows& rows,
                         int n_classes) {
  const auto k = static_cast<std::size_t>(n_classes);
  std::vector<std::uint32_t> n_left(k), n_all(k);
  for (const std::uint32_t y : rows.label) ++n_all[y];
  const double range = column.upper(coded.code.back()) - column.lower(coded.code.front());
  std::vector<double> found;
  std::size_t n_torn = 0;  // classes with rows on both sides
  for (std::size_t i = 0; i + 1 < coded.row.size(); ++i) {
    const std::uint32_t y = rows.label[coded.row[i]];
    n_torn += n_left[y] == 0;
    n_torn -= ++n_left[y] == n_all[y];
    if (coded.code[i] == coded.code[i + 1]) continue;
    found.push_back(
        n_torn > 0 ? 0 : (column.lower(coded.code[i + 1]) - column.upper(coded.code[i])) / range);
  }
  return found;
}

CodeMatrix code_matrix(const ExpressionStep& step) {
  return step.first == 1   ? CodeMatrix::one_vs_one
         : step.first == 2 ? CodeMatrix::exhaustive
                           : CodeMatrix::one_vs_rest;
}

}  // namespace

/// What the steps of an expression that look at rows find at all cuts of a column.
void Search::find_values(const Expression& expression, const Node& node, const NodeRows& rows,
                         int column, ColumnBuffers& buffers, StepValues& values) const {
  values.resize(expression.size());
  if (!has_step(expression, looks_at_rows)) return;
  auto& [coded, placed] = buffers;
  read_column(node, column, coded);
  if (coded.code.front() == coded.code.back()) return;
  const Column& info = table.columns[column];
  place_column(coded, rows, column, placed);
  const std::size_t n_cuts = placed.cuts.size();
  const int n_classes = rows.n_classes();
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    if (!looks_at_rows(step)) continue;
    switch (step.measure) {
      case Measure::separating_gap:
        values[s] = gaps(coded, info, rows, n_classes);
        break;
      case Measure::cluster_validity:
        values[s].assign(n_cuts, validity(coded, info, rows, n_classes));
        break;
      case Measure::bnm:
        values[s].resize(n_cuts);
        between_node_margins(rows.space, placed, step.first != 0, step.second != 0, values[s]);
        break;
      case Measure::csn:
        if (step.second == 0) {
          values[s].resize(n_cuts);
          class_separations(rows.space, placed, code_matrix(step), values[s]);
          break;
        }
        [[fallthrough]];
      default: {  // cut by cut
        std::vector<Candidate> cuts(n_cuts);
        for (std::size_t i = 0; i < n_cuts; ++i) {
          cuts[i].split.column = column;
          cuts[i].split.rows_left = placed.cuts[i].n_left;
          cuts[i].cut = i;
        }
        values[s] = values_of_candidates({step}, node, rows, cuts)[0];
      }
    }
  }
}

/// What they find at some cuts of any columns.
StepValues Search::values_of_candidates(const Expression& expression, const Node& node,
                                        const NodeRows& rows,
                                        std::span<const Candidate> candidates) const {
  StepValues values(expression.size());
  std::map<int, CodedColumn> coded;
  const auto column_of = [&](int column) -> const CodedColumn& {
    const auto found = coded.find(column);
    if (found != coded.end()) return found->second;
    read_column(node, column, coded[column]);
    return coded[column];
  };
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    if (!looks_at_rows(step)) continue;
    values[s].resize(candidates.size());
    if (step.measure == Measure::csn) {
      const PointSums all = PointSums::all(rows.space);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const CodedColumn& order = column_of(candidates[i].split.column);
        const std::size_t n_left = candidates[i].split.rows_left, n_rows = order.row.size();
        if (step.second != 0) {
          std::vector<std::uint8_t> goes_left(rows.label.size());
          for (std::size_t j = 0; j < n_left; ++j) goes_left[order.row[j]] = 1;
          values[s][i] = class_separation_of_children(values_, n_values_, rows.number, rows.space,
                                                      goes_left, code_matrix(step));
          continue;
        }
        // The smaller side is summed, the other is the rest.
        const bool sum_left = n_left <= n_rows / 2;
        PointSums part(rows.space);
        part.add(rows.space, std::span(order.row).subspan(sum_left ? 0 : n_left,
                                                          sum_left ? n_left : n_rows - n_left));
        const PointSums rest = all.without(part);
        values[s][i] = class_separation(rows.space, sum_left ? part : rest, sum_left ? rest : part,
                                        code_matrix(step));
      }
    } else if (step.measure >= Measure::segments && step.measure <= Measure::cluster_complexity) {
      values[s] = segments_of(step, node, rows, candidates);
    } else {
      std::map<int, std::vector<double>> of_column;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const int column = candidates[i].split.column;
        if (!of_column.contains(column)) {
          ColumnBuffers buffers;
          StepValues found;
          find_values({step}, node, rows, column, buffers, found);
          of_column[column] = std::move(found[0]);
        }
        values[s][i] = of_column[column][candidates[i].cut];
      }
    }
  }
  return values;
}

/// Segments on both sides of some cuts: the fewest along any column, or along the cut's own.
std::vector<double> Search::segments_of(const ExpressionStep& step, const Node& node,
                                        const NodeRows& rows,
                                        std::span<const Candidate> candidates) const {
  const bool own_column = step.measure == Measure::cluster_complexity ? false : step.first != 0;
  const std::size_t n = candidates.size();
  const int n_classes = rows.n_classes();
  std::map<int, CodedColumn> coded;
  for (const std::uint32_t column : node.live) {
    CodedColumn order;
    read_column(node, static_cast<int>(column), order);
    // A column that does not vary has as few segments as there are classes: that says nothing.
    if (order.code.front() != order.code.back())
      coded.emplace(static_cast<int>(column), std::move(order));
  }
  double total = 0;
  for (std::size_t i = 0; i < rows.label.size(); ++i) total += rows.weight_of(i);
  std::vector<double> found(n);
  for (std::size_t begin = 0; begin < n; begin += segment_cuts_at_once) {
    const std::size_t m = std::min(segment_cuts_at_once, n - begin);
    std::vector<std::uint32_t> goes_left(rows.label.size()), left(m, UINT32_MAX),
        right(m, UINT32_MAX);
    std::vector<double> weight_left(m);
    for (std::size_t c = 0; c < m; ++c) {
      const Split& split = candidates[begin + c].split;
      const CodedColumn& order = coded.at(split.column);
      for (std::uint32_t j = 0; j < split.rows_left; ++j) {
        goes_left[order.row[j]] |= 1u << c;
        weight_left[c] += rows.weight_of(order.row[j]);
      }
    }
    for (const auto& [column, order] : coded) {
      const SegmentCounts counts = count_segments(order, rows.label, n_classes, goes_left, m);
      for (std::size_t c = 0; c < m; ++c) {
        if (own_column && column != candidates[begin + c].split.column) continue;
        left[c] = std::min(left[c], counts.left[c]);
        right[c] = std::min(right[c], counts.right[c]);
      }
    }
    for (std::size_t c = 0; c < m; ++c) {
      const double share = weight_left[c] / total;
      const double mean = share * left[c] + (1 - share) * right[c];
      const auto [fewer, more] = std::minmax(left[c], right[c]);
      double& value = found[begin + c];
      if (step.measure == Measure::segment_ratio)
        value = static_cast<double>(fewer) / more;
      else if (step.measure == Measure::cluster_complexity)
        value = 1 - (mean - 1) / (static_cast<double>(rows.label.size()) - 1);
      else
        value = step.second != 0 ? mean : left[c] + right[c];
    }
  }
  return found;
}

}  // namespace ramify
