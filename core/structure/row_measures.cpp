// SPDX-License-Identifier: BSD-3-Clause
#include "structure/row_measures.hpp"

#include <cmath>
#include <map>

namespace ramify {
namespace {

/// Share of a column's variance that lies between the classes.
double validity(const CodedColumn& coded, const Column& column, const NodeRows& rows) {
  const auto k = static_cast<std::size_t>(rows.n_classes());
  std::vector<double> weight(k), mean(k);
  const double origin = column.lower(coded.code.front());  // keeps the values small
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

std::vector<double> validities(const CutsOfColumn& at) {
  return std::vector<double>(at.n_left.size(), validity(at.coded, at.info, at.rows));
}

/// Width of the gap at each cut, as a share of the column's range; 0 if a class is on both sides.
std::vector<double> gaps(const CutsOfColumn& at) {
  const NodeRows& rows = at.rows;
  const Column& column = at.info;
  const CodedColumn& coded = at.coded;
  const auto k = static_cast<std::size_t>(rows.n_classes());
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

std::vector<double> margins(const CutsOfColumn& at) {
  std::vector<double> found(at.n_left.size());
  MarginWalk(at.rows.space, at.rows.enemies, at.coded, at.places, margin_kind(at.step))
      .margins(at.n_left, found.data());
  return found;
}

CodeMatrix code_matrix(const ExpressionStep& step) {
  return step.first == 1   ? CodeMatrix::one_vs_one
         : step.first == 2 ? CodeMatrix::exhaustive
                           : CodeMatrix::one_vs_rest;
}

std::vector<double> separations(const CutsOfColumn& at) {
  std::vector<double> found(at.n_left.size());
  class_separations(at.rows.space, at.coded.row, at.n_left, code_matrix(at.step), found);
  return found;
}

/// Calls judge(order of the candidate's column, rows on its left) for each candidate.
template <class Judge>
std::vector<double> of_each(const CutsOfNode& at, Judge judge) {
  std::map<int, CodedColumn> coded;
  std::vector<double> found;
  for (const Candidate& candidate : at.candidates) {
    const auto [column, is_new] = coded.try_emplace(candidate.split.column);
    if (is_new) at.structure.read_column(at.node, candidate.split.column, column->second);
    found.push_back(judge(column->second, std::size_t{candidate.split.rows_left}));
  }
  return found;
}

/// From class weights by code, which do not depend on where the rows are stored.
std::vector<double> separations_by_code(const CutsOfNode& at) {
  const CodeMatrix matrix = code_matrix(at.step);
  const auto find = [&](const ClassCells& cells, auto left_of) {
    const SeparationByCode node(cells, cells.weight);
    std::vector<double> found;
    for (const Candidate& each : at.candidates) {
      const auto& left = left_of(each.split);
      found.push_back(left.empty()          ? 0  // not known yet
                      : at.step.second != 0 ? separation_of_children(cells, left, matrix)
                                            : node.of_cut(left, matrix));
    }
    return found;
  };
  if (RequestedCuts* requested = at.rows.elsewhere)
    return find(requested->cells(), [&](const Split& split) -> const std::vector<double>& {
      return requested->left_of({split.column, split.code});
    });
  const RowCells rows = at.structure.count_rows(at.node, at.rows, at.rows.n_classes());
  return find(rows.cells(),
              [&](const Split& split) { return rows.left_of(split.column, split.code); });
}

std::vector<double> separations_of_candidates(const CutsOfNode& at) {
  if (at.structure.counts_codes()) return separations_by_code(at);
  const NodeSpace& space = at.rows.space;
  const PointSums all = PointSums::all(space);
  return of_each(at, [&](const CodedColumn& order, std::size_t n_left) {
    // Sum the smaller side and subtract for the other.
    const std::size_t n_rows = order.row.size();
    const bool sum_left = n_left <= n_rows / 2;
    PointSums part(space);
    part.add(space, std::span(order.row).subspan(sum_left ? 0 : n_left,
                                                 sum_left ? n_left : n_rows - n_left));
    const PointSums rest = all.without(part);
    return class_separation(space, sum_left ? part : rest, sum_left ? rest : part,
                            code_matrix(at.step));
  });
}

/// Each child in its own unit cube.
std::vector<double> separations_of_children(const CutsOfNode& at) {
  if (at.structure.counts_codes()) return separations_by_code(at);
  return of_each(at, [&](const CodedColumn& order, std::size_t n_left) {
    std::vector<std::uint8_t> goes_left(at.rows.label.size());
    for (std::size_t j = 0; j < n_left; ++j) goes_left[order.row[j]] = 1;
    return class_separation_of_children(at.structure.values(), at.structure.n_columns(),
                                        at.rows.number, at.rows.space, goes_left,
                                        code_matrix(at.step));
  });
}

/// The value of a measure from the segments on both sides of a cut.
double value_of_segments(const ExpressionStep& step, std::uint32_t left, std::uint32_t right,
                         double share_left, std::size_t n_rows) {
  const auto [fewer, more] = std::minmax(left, right);
  const double mean = share_left * left + (1 - share_left) * right;
  if (step.measure == Measure::segment_ratio) return static_cast<double>(fewer) / more;
  if (step.measure == Measure::cluster_complexity)
    return 1 - (mean - 1) / (static_cast<double>(n_rows) - 1);
  return step.second != 0 ? mean : left + right;
}

bool has_cuts(std::span<const Candidate> cuts, int column) {
  return std::ranges::any_of(cuts, [&](const Candidate& c) { return c.split.column == column; });
}

/// The columns of a node, those of the cuts first: they have few segments, and other columns are
/// abandoned once they have no fewer.
std::vector<int> columns_by_cuts(const Node& node, std::span<const Candidate> cuts) {
  std::vector<int> columns(node.non_constant.begin(), node.non_constant.end());
  std::ranges::stable_partition(columns, [&](int column) { return has_cuts(cuts, column); });
  return columns;
}

/// Segments on both sides of some cuts: the minimum over all columns, or along the cut's own.
std::vector<double> segments_of(const CutsOfNode& at) {
  const auto& [step, structure, node, rows, candidates] = at;
  const bool own_column = step.measure != Measure::cluster_complexity && step.first != 0;
  const std::size_t n = candidates.size(), n_rows = rows.label.size();
  const int n_classes = rows.n_classes();
  double total = 0;
  for (std::size_t i = 0; i < n_rows; ++i) total += rows.weight_of(i);
  std::vector<double> found(n);
  // Columns are kept only if there are more cuts than one pass handles; otherwise the memory is not
  // worth it.
  const bool keeps_columns = n > segment_cuts_at_once;
  std::map<int, CodedColumn> read;
  const auto along = [&](int column) -> const CodedColumn& {
    const auto [order, is_new] = read.try_emplace(keeps_columns ? column : 0);
    if (is_new || !keeps_columns) structure.read_column(node, column, order->second);
    return order->second;
  };
  for (std::size_t begin = 0; begin < n; begin += segment_cuts_at_once) {
    const auto some = candidates.subspan(begin, std::min(segment_cuts_at_once, n - begin));
    std::vector<LabelledRow> labelled(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) labelled[i] = {0, rows.label[i]};
    std::vector<double> weight_left(some.size());
    const std::vector<int> columns = columns_by_cuts(node, some);
    const auto each_cut_of = [&](int column, auto visit) {
      for (std::size_t c = 0; c < some.size(); ++c)
        if (some[c].split.column == column) visit(c);
    };
    for (const int column : columns) {
      if (!has_cuts(some, column)) break;
      const CodedColumn& order = along(column);
      each_cut_of(column, [&](std::size_t c) {
        for (std::uint32_t j = 0; j < some[c].split.rows_left; ++j) {
          labelled[order.row[j]].goes_left |= 1u << c;
          weight_left[c] += rows.weight_of(order.row[j]);
        }
      });
    }
    FewestSegments fewest(some.size());
    for (const int column : columns) {
      if (own_column && !has_cuts(some, column)) break;
      const CodedColumn& order = along(column);
      // A constant column has as few segments as there are classes, which means nothing.
      if (order.code.front() == order.code.back()) continue;
      FewestSegments own(some.size());
      count_segments(order, labelled, n_classes, own_column ? own : fewest);
      if (own_column)
        each_cut_of(column, [&](std::size_t c) {
          fewest.left[c] = own.left[c];
          fewest.right[c] = own.right[c];
        });
    }
    for (std::size_t c = 0; c < some.size(); ++c)
      found[begin + c] =
          value_of_segments(step, fewest.left[c], fewest.right[c], weight_left[c] / total, n_rows);
  }
  return found;
}

}  // namespace

RowMeasure row_measure(const ExpressionStep& step) {
  switch (step.measure) {
    case Measure::separating_gap:
      return {.at_cuts = gaps};
    case Measure::cluster_validity:
      return {.at_cuts = validities};
    case Measure::bnm:
      return {.at_cuts = margins};
    case Measure::csn:
      if (step.second != 0) return {.at_candidates = separations_of_children};
      return {.at_cuts = separations, .at_candidates = separations_of_candidates};
    default:
      return {.at_candidates = segments_of};
  }
}

}  // namespace ramify
