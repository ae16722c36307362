// SPDX-License-Identifier: BSD-3-Clause
#include "compose/row_measures.hpp"

#include <cmath>
#include <map>

namespace ramify {
namespace {

/// Share of a column's variance that lies between the classes.
double validity(const CodedColumn& coded, const Column& column, const NodeRows& rows) {
  const auto k = static_cast<std::size_t>(rows.n_classes());
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

std::vector<double> validities(const CutsOfColumn& at) {
  return std::vector<double>(at.n_left.size(), validity(at.coded, at.info, at.rows));
}

/// Width of the gap at each cut that no class reaches across, as a share of the column's range.
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
  MarginWalk(at.rows.space, at.coded, at.places, margin_kind(at.step))
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

/// From class weights by code, which are the same wherever the rows lie.
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
  if (AskedCuts* asked = at.rows.elsewhere)
    return find(asked->cells(), [&](const Split& split) -> const std::vector<double>& {
      return asked->left_of({split.column, split.code});
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
    // The smaller side is summed, the other is the rest.
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

/// Each child in a cube of its own.
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

/// Segments on both sides of some cuts: the fewest along any column, or along the cut's own.
std::vector<double> segments_of(const CutsOfNode& at) {
  const auto& [step, structure, node, rows, candidates] = at;
  const bool own_column = step.measure == Measure::cluster_complexity ? false : step.first != 0;
  const std::size_t n = candidates.size();
  const int n_classes = rows.n_classes();
  std::map<int, CodedColumn> coded;
  for (const std::uint32_t column : node.live) {
    CodedColumn order;
    structure.read_column(node, static_cast<int>(column), order);
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
