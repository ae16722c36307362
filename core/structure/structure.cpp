// SPDX-License-Identifier: BSD-3-Clause
#include "structure/structure.hpp"

#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <variant>

#include "structure/row_measures.hpp"

namespace ramify {
namespace {

/// Whether a step that satisfies `is` occurs in some expression of a plan.
template <class Is>
bool occurs(const Plan& plan, Is is) {
  bool found = false;
  each_expression(plan, [&](const Expression& each) { found = found || has_step(each, is); });
  return found;
}

/// The same among the steps that are evaluated at all cuts.
template <class Is>
bool occurs_at_all_cuts(const Plan& plan, Is is) {
  const auto& composed = plan.criterion.composed;
  return composed && (has_step(composed->score, is) || has_step(composed->tie, is));
}

bool is_separation(const ExpressionStep& step) {
  return step.kind == ExpressionStep::Kind::measure && step.measure == Measure::csn;
}

/// Whether distances between rows of different classes are needed.
bool looks_at_enemies(const ExpressionStep& step) {
  return step.kind == ExpressionStep::Kind::measure && step.measure == Measure::bnm &&
         margin_kind(step).penalty == Penalty::euclidean;
}

/// Whether a plan needs the points of a node. Where codes are counted, the class separation of a
/// few cuts does not.
bool reads_points(const Plan& plan, bool counts_codes) {
  return occurs_at_all_cuts(plan, looks_at_space) || occurs(plan, [&](const ExpressionStep& step) {
           return looks_at_space(step) && !(counts_codes && is_separation(step));
         });
}

/// Below this number of rows times classes, margins are computed faster than their bounds.
constexpr std::uint64_t min_bounded = 1024;

/// Returns the step whose margin the score increases with, if no other step needs rows; else -1.
/// Then an upper bound of the margin yields one of the score, rounding included: sums, and products
/// with a non-negative number, are rounded monotonically.
int rising_step(const Expression& expression) {
  using Kind = ExpressionStep::Kind;
  struct Part {
    bool rises, is_factor;  // with the margin; a non-negative number
  };
  std::vector<Part> stack;
  int found = -1;
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    if (step.kind == Kind::compiled || step.kind == Kind::function || step.kind == Kind::normalise)
      return -1;
    if (step.kind == Kind::add || step.kind == Kind::multiply) {
      const Part b = stack.back();
      stack.pop_back();
      Part& a = stack.back();
      if (step.kind == Kind::multiply && ((a.rises && !b.is_factor) || (b.rises && !a.is_factor)))
        return -1;
      a = {a.rises || b.rises, a.is_factor && b.is_factor};
      continue;
    }
    const bool is_margin = step.kind == Kind::measure && step.measure == Measure::bnm;
    if (looks_at_rows(step) && (!is_margin || found >= 0)) return -1;
    if (is_margin) found = static_cast<int>(s);
    stack.push_back({is_margin, step.kind == Kind::number && step.number >= 0});
  }
  return found;
}

int bounded_step_of(const Plan& plan) {
  const auto& composed = plan.criterion.composed;
  if (!composed || plan.corrects_scores() || !composed->relative.empty() ||
      composed->top == ComposedCriterion::all || has_step(composed->tie, looks_at_rows))
    return -1;
  return rising_step(composed->score);
}

}  // namespace

Structure::Structure(const Training& training, std::span<const std::uint32_t> rows)
    : training_(training), reads_rows_(ramify::reads_rows(training.plan)) {
  bounded_step_ = bounded_step_of(training.plan);
  if (!reads_rows_) return;
  counts_codes_ = training.plan.is_binned && is_counted_by_code(training.table);
  reads_space_ = reads_points(training.plan, counts_codes_);
  reads_enemies_ = occurs(training.plan, looks_at_enemies);
  if (reads_enemies_ && rows.size() > max_enemy_rows)
    throw std::invalid_argument(
        "bnm(penalty='euclidean') compares rows in pairs and takes at most " +
        std::to_string(max_enemy_rows) + " rows, not " + std::to_string(rows.size()) +
        "; use penalty='abs'");
  sums_exactly_ = counts_codes_ && training.target.unit == 1 &&
                  !occurs_at_all_cuts(training.plan, is_separation);
  place_.resize(rows.size());
  if (!reads_space_) return;
  const auto& columns = training.table.columns;  // all are numeric: see check_structure()
  values_.resize(rows.size() * columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j)
    std::visit(
        [&](const auto& codes) {
          for (std::size_t i = 0; i < rows.size(); ++i)
            values_[i * columns.size() + j] = columns[j].lower(codes[rows[i]]);
        },
        columns[j].codes);
}

void Structure::read_rows(const Node& node, const NodeChannels& channels, NodeRows& rows) const {
  const Target& target = training_.target;
  const RecordView records = training_.store.records(node.begin, node.end);
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
  rows.limits.classes.clear();
  if (!reads_space_) return;
  const int n_classes = channels.outputs[0].n_classes;
  if (!sums_exactly_ || !count_rows(node, rows, n_classes).fill_exact(rows.space))
    fill_space(values_, n_columns(), rows.number, rows.label, rows.weight, n_classes, rows.space);
  if (reads_enemies_)
    rows.enemies = find_enemies(values_, n_columns(), rows.number, rows.label, n_classes);
  if (bounded_step_ >= 0 && node.n_rows() * static_cast<std::uint64_t>(n_classes) >= min_bounded)
    find_limits(rows.space, rows.limits);
}

RowCells Structure::count_rows(const Node& node, const NodeRows& rows, int n_classes) const {
  const Store& store = training_.store;
  std::vector<int> offsets;
  for (int j = 0; j < n_columns(); ++j) offsets.push_back(store.record_offset(j));
  return {training_.table,    store.records(node.begin, node.end),
          std::move(offsets), rows.label,
          rows.weight,        n_classes};
}

void Structure::read_column(const Node& node, int column, CodedColumn& coded) const {
  const Store& store = training_.store;
  const std::uint32_t n = node.n_rows();
  coded.row.resize(n);
  coded.code.resize(n);
  if (!training_.column(column).is_low_cardinality()) {
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

void Structure::at_cuts(const Expression& expression, const Node& node, const NodeRows& rows,
                        int column, ColumnBuffers& buffers, StepValues& values) const {
  values.resize(expression.size());
  if (!has_step(expression, looks_at_rows)) return;
  if (rows.elsewhere) {
    for (std::size_t s = 0; s < expression.size(); ++s)
      if (looks_at_rows(expression[s])) values[s] = rows.elsewhere->margins(expression[s], column);
    return;
  }
  CodedColumn& coded = buffers.coded;
  std::vector<std::uint32_t>& n_left = buffers.n_left;
  read_column(node, column, coded);
  if (coded.code.front() == coded.code.back()) return;
  n_left.clear();
  for (std::uint32_t i = 1; i < coded.code.size(); ++i)
    if (coded.code[i - 1] != coded.code[i]) n_left.push_back(i);
  const std::size_t n_cuts = n_left.size();
  const ColumnPlaces places(training_.column(column), coded, training_.plan.threshold_is_value);
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    if (!looks_at_rows(step)) continue;
    if (const auto at_cuts_of = row_measure(step).at_cuts) {
      values[s] = at_cuts_of({step, rows, training_.column(column), coded, n_left, places});
      continue;
    }
    std::vector<Candidate> cuts(n_cuts);
    for (std::size_t i = 0; i < n_cuts; ++i) {
      cuts[i].split.column = column;
      cuts[i].split.rows_left = n_left[i];
      cuts[i].split.code = coded.code[n_left[i] - 1];
      cuts[i].cut = i;
    }
    values[s] = at_candidates({step}, node, rows, cuts)[0];
  }
}

void Structure::start_margins(const ExpressionStep& step, const Node& node, const NodeRows& rows,
                              int column, ColumnBuffers& buffers) const {
  read_column(node, column, buffers.coded);
  const ColumnPlaces places(training_.column(column), buffers.coded,
                            training_.plan.threshold_is_value);
  buffers.margins.emplace(rows.space, rows.enemies, buffers.coded, places, margin_kind(step));
}

StepValues Structure::at_candidates(const Expression& expression, const Node& node,
                                    const NodeRows& rows,
                                    std::span<const Candidate> candidates) const {
  StepValues values(expression.size());
  for (std::size_t s = 0; s < expression.size(); ++s) {
    const ExpressionStep& step = expression[s];
    if (!looks_at_rows(step)) continue;
    if (const auto at_candidates_of = row_measure(step).at_candidates) {
      values[s] = at_candidates_of({step, *this, node, rows, candidates});
      continue;
    }
    if (rows.elsewhere) {
      for (const auto& [split, left, cut] : candidates)
        values[s].push_back(rows.elsewhere->margin_of(step, {split.column, split.code}));
      continue;
    }
    std::map<int, std::vector<double>> of_column;
    values[s].resize(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const int column = candidates[i].split.column;
      if (!of_column.contains(column)) {
        ColumnBuffers buffers;
        StepValues found;
        at_cuts({step}, node, rows, column, buffers, found);
        of_column[column] = std::move(found[0]);
      }
      values[s][i] = of_column[column][candidates[i].cut];
    }
  }
  return values;
}

}  // namespace ramify
