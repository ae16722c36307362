// SPDX-License-Identifier: BSD-3-Clause
// Room `split`: the splitters. Each answers two questions about a node: what is your best split,
// and part the rows by it. This one walks each column, has the criterion score its cuts, and keeps
// the first of the best.
#pragma once

#include <span>
#include <vector>

#include "categories/subsets.hpp"
#include "choose/judge.hpp"
#include "choose/split.hpp"
#include "choose/top.hpp"
#include "compose/segments.hpp"
#include "compose/space.hpp"
#include "numbers/numbers.hpp"
#include "numbers/ordered.hpp"
#include "plan/plan.hpp"
#include "rows/node.hpp"
#include "rows/store.hpp"

namespace ramify {

/// Sums by code of one narrow column, with their memory.
struct CodeSumsBuffer {
  std::vector<std::uint32_t> counts, rows;
  std::vector<double> sums;
};

/// The rows of a node for measures that look at more than sums.
struct NodeRows {
  std::vector<std::uint32_t> number;  // among the training rows, ascending
  std::vector<std::uint32_t> label;   // of each row, among the classes that occur
  std::vector<double> weight;         // of each row; empty if all weigh one
  NodeSpace space;                    // if asked for

  double weight_of(std::size_t row) const { return weight.empty() ? 1 : weight[row]; }
  int n_classes() const { return 1 + static_cast<int>(std::ranges::max(label)); }
};

/// A column of a node, read twice over; kept by each thread for the next node.
struct ColumnBuffers {
  CodedColumn coded;
  PlacedColumn placed;
};

/// What steps of an expression found that look at rows: by step, then by cut. Empty for others.
using StepValues = std::vector<std::vector<double>>;

/// Buffers of one thread.
struct Scratch {
  CutBlock block{};
  std::vector<double> left, running, missing, packed, right, parent, terms;
  std::vector<std::uint32_t> class_counts;
  double scores[2][CutBlock::stride];  // missing rows on the right, on the left
  double ties[2][CutBlock::stride];
  double to_beat = 0;  // a column whose best score is below cannot win
  std::vector<CodeSumsBuffer> buffers;
  std::vector<CodeSums> sums;
  std::vector<std::uint64_t> list_spare, record_spare;
  const NodeSums* given = nullptr;  // the sums of the node, if they were counted elsewhere
  CategorySums categories;
  Subsets subsets;
  // For composed criteria:
  NodeRows own_rows;                    // of the node, by the thread that leads
  const NodeRows* node_rows = nullptr;  // for all threads
  ColumnBuffers column_buffers;
  StepValues score_values, tie_values;  // of the column at hand
  std::size_t n_cuts_before = 0;        // of the block, in the column
  TopCandidates top;
  std::vector<Recorded> recorded;  // of the node, by the thread that leads
  NumberBuffers numbers;           // if numbers are learnt
  OrderBuffers order;              // and their order counts
};

/// The sums of a node in the form that a criterion sees: classes that occur, output by output.
struct NodeChannels {
  struct Output {
    int first = 0, n_classes = 0;
    int n_present = 0;  // classes that occur: with less than two there is nothing to part
    double total = 0;
  };
  Channels channels;
  std::vector<std::uint32_t> channel;
  std::vector<Output> outputs;
  std::vector<double> parent;
  std::vector<std::uint8_t> is_present;  // of each class, outputs one after the other
  std::uint32_t n_rows = 0;
  bool known_only = false;               // of one column: rows without a value are left out
  const NodeNumbers* numbers = nullptr;  // if numbers are learnt

  int size() const { return channels.n_channels; }
  const Ruler& ruler_of(const Output& output) const {
    return numbers->outputs[static_cast<std::size_t>(&output - outputs.data())].ruler;
  }
};

class Search {
 public:
  Search(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
         const Plan& plan, const Store& store, Pool& pool, const Numbers* numbers = nullptr);

  /// The best split of a node, or one that does not exist. Removes from `node.live` what turns out
  /// constant.
  Split best(Node& node, std::span<Scratch> scratch) const;

  /// The classes that occur in a node, for those who part it in ways of their own, and the scores
  /// of such ways: left[channel * CutBlock::stride + way] is the weight of a class on the left.
  NodeChannels present_classes(const Node& node) const {
    return channels_of(node.sums, node.n_rows(), true);
  }
  void score_sides(const NodeChannels& channels, double* left, int n_ways, double* scores) const;

  const Table& table;
  const Target& target;
  const Plan& plan;
  const Store& store;
  const Numbers* const numbers;  // null if classes are learnt

 private:
  NodeChannels channels_of(const Node& node) const {
    return numbers ? number_channels(node, node.sums, node.n_rows())
                   : channels_of(node.sums, node.n_rows());
  }
  NodeChannels number_channels(const Node& node, std::span<const double> sums,
                               std::uint32_t n_rows) const;
  NodeChannels channels_of(std::span<const double> sums, std::uint32_t n_rows) const {
    return channels_of(sums, n_rows, plan.criterion.sees_present_classes());
  }
  NodeChannels channels_of(std::span<const double> sums, std::uint32_t n_rows,
                           bool present_only) const;
  NodeChannels known_channels(const Node& node, int column) const;
  bool is_fractional(int column) const {
    return plan.missing == Missing::fractional && table.columns[column].n_missing > 0;
  }
  std::vector<Split> best_of_each(const Node& node, const NodeChannels& channels,
                                  std::span<const std::uint32_t> columns,
                                  std::span<Scratch> scratch) const;
  Split best_of_one(const Node& node, const NodeChannels& channels,
                    std::span<const std::uint32_t> column, Scratch& scratch) const;
  Split best_of_known(const Node& node, int column, Scratch& scratch) const;
  void sum_columns(const Node& node, const NodeChannels& channels,
                   std::span<const std::uint32_t> columns, Scratch& scratch) const;
  void take_sums(const NodeChannels& channels, std::span<const std::uint32_t> columns,
                 Scratch& scratch) const;
  struct ListView;
  ListView list_of(const Node& node, const NodeChannels& channels, int column) const;
  void start_block(const ListView& list, int column, CutBlock& block) const;
  Judge judge_of(const Node& node, const NodeChannels& channels, int column,
                 std::uint32_t first_code, std::uint32_t last_code, std::uint32_t n_missing,
                 std::span<const double> missing) const;
  void collect_categories(const Node& node, const NodeChannels& channels, int column,
                          CodeSums* sums, Scratch& scratch) const;
  bool is_forced(int column, const CategorySums& categories) const;
  bool start_subsets(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                     Scratch& scratch) const;
  Split best_multiway(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                      Scratch& scratch) const;
  Split best_by_chaid(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                      Scratch& scratch) const;
  bool quest_places(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                    Scratch& scratch, std::vector<double>& place) const;
  Split test_by_quest(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                      Scratch& scratch) const;
  void cut_by_quest(const Node& node, Split& split, Scratch& scratch) const;
  /// What a column that was chosen is looked at with once more: its channels and code sums.
  NodeChannels channels_for(const Node& node, int column) const {
    return is_fractional(column) ? known_channels(node, column) : channels_of(node);
  }
  CodeSums* sums_for(const Node& node, const NodeChannels& channels, int column,
                     Scratch& scratch) const;
  void list_codes(const Node& node, Split& split, Scratch& scratch) const;
  Split best_by_sums(const Node& node, const NodeChannels& channels, int column,
                     Scratch& scratch) const;
  template <class Start, class Visit>
  bool each_block(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                  Scratch& scratch, Start start, Visit visit) const;
  Split best_of_column(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                       Scratch& scratch) const;
  std::vector<Split> best_of_batch(const Node& node, const NodeChannels& channels,
                                   std::span<const std::uint32_t> columns, Scratch& scratch) const;
  template <class ScoreOutput>
  static void mean_of_outputs(const NodeChannels& channels, int n_cuts, double* mean,
                              ScoreOutput score_output);
  void score_builtin(Score function, const NodeChannels& channels, const double* left, int n_cuts,
                     double* scores) const;
  void score(const NodeChannels& channels, Scratch& scratch, double* scores) const;
  void score_numbers(ScoreNumbers function, const NodeChannels& channels, const double* left,
                     int n_cuts, double* scores) const;
  /// The sums of an output that a user's function sees.
  int n_stats_of(const NodeChannels::Output& output) const {
    return numbers ? numbers->n_stats() : output.n_classes + target.n_extra;
  }
  // Small nodes of numbers, which are most (number_search.cpp).
  static bool may_be_simple(const Table& table, const Plan& plan, const Numbers* numbers);
  bool is_simple(const Node& node) const {
    const bool is_small = node.n_rows() <= CutBlock::capacity;
    return has_simple_ && (is_small || (plan.random_cuts && pool_.size() == 1));
  }
  Split best_of_simple(Node& node, std::span<const std::uint32_t> columns, Scratch& scratch) const;
  Split best_of_random(Node& node,
                       std::span<const std::uint32_t> columns) const;  // random_cuts.cpp
  NumberCall number_call(const NodeNumbers& known, std::size_t output, const double* parent) const;
  // Losses that need the order of numbers (number_search.cpp).
  Split best_by_order(const Node& node, const NodeChannels& channels, int column, CodeSums* sums,
                      Scratch& scratch) const;
  Split best_categories_by_order(const Node& node, const NodeChannels& channels, int column,
                                 CodeSums* sums, Scratch& scratch) const;
  void list_rows(const Node& node, const NodeChannels& channels, int column,
                 OrderBuffers& order) const;
  void judge_order(const Node& node, const NodeChannels& channels, OrderBuffers& order) const;
  void judge_ties(const NodeChannels& channels, OrderBuffers& order) const;
  void judge_subset(const Node& node, const NodeChannels& channels,
                    std::span<const std::uint8_t> is_left, bool fixed_left,
                    const OrderBuffers& order, double& score, double& tie) const;
  template <class Visit>
  void each_code(const Node& node, int column, Visit visit) const;
  void score_ties(const NodeChannels& channels, Scratch& scratch, double* ties) const;
  void score_compiled(const NodeChannels& channels, const NodeChannels::Output& output,
                      Scratch& scratch, double* scores) const;

  // Composed criteria (compose.cpp) and what they look at (structure.cpp).
  bool keeps_top() const {
    const auto& composed = plan.criterion.composed;
    return plan.n_recorded > 0 || (composed && (composed->top != 0 || !composed->relative.empty()));
  }
  void start_composed(const Node& node, const NodeChannels& channels,
                      std::span<Scratch> scratch) const;
  void start_column(const Node& node, int column, Scratch& scratch) const;
  void evaluate(const Expression& expression, const NodeChannels& channels, const double* left,
                std::size_t stride, std::size_t n_cuts, const StepValues& found, std::size_t first,
                double* out) const;
  std::vector<double> evaluate(const Expression& expression, const Node& node,
                               const NodeChannels& channels, const NodeRows& rows,
                               std::span<const Candidate> candidates) const;
  Split choose_among(const Node& node, const NodeChannels& channels,
                     const std::vector<Candidate>& kept, const NodeRows& rows) const;
  void evaluate_criterion(const ExpressionStep& step, const NodeChannels& channels,
                          const double* left, std::size_t stride, std::size_t n_cuts,
                          double* out) const;
  void ask_user(const ExpressionStep& step, const NodeChannels& channels,
                const NodeChannels::Output& output, const double* left, int n_cuts,
                double* scores) const;
  void keep_top(const Judge& judge, const CutBlock& block, int n_channels, bool missing_left,
                const double* scores, const double* ties, std::size_t first_cut,
                TopCandidates& top) const;
  Split choose_top(const Node& node, const NodeChannels& channels, Split best,
                   std::span<Scratch> scratch) const;
  void record_candidates(const Node& node, const Split& chosen, std::vector<Candidate> kept,
                         Scratch& scratch) const;
  void prepare_structure(std::span<const std::uint32_t> rows);
  void read_rows(const Node& node, const NodeChannels& channels, NodeRows& rows) const;
  void read_column(const Node& node, int column, CodedColumn& coded) const;
  void place_column(const CodedColumn& coded, const NodeRows& rows, int column,
                    PlacedColumn& placed) const;
  void find_values(const Expression& expression, const Node& node, const NodeRows& rows, int column,
                   ColumnBuffers& buffers, StepValues& values) const;
  StepValues values_of_candidates(const Expression& expression, const Node& node,
                                  const NodeRows& rows,
                                  std::span<const Candidate> candidates) const;
  std::vector<double> segments_of(const ExpressionStep& step, const Node& node,
                                  const NodeRows& rows,
                                  std::span<const Candidate> candidates) const;

  bool has_simple_;
  Pool& pool_;
  // By training row: its values in all columns; its place among the rows of its node.
  std::vector<double> values_;
  int n_values_ = 0;
  bool reads_rows_ = false, reads_space_ = false;  // does some expression?
  mutable std::vector<std::uint32_t> place_;
  const Kernels& kernels_ = kernels();
  std::vector<std::uint32_t> first_class_;
  std::vector<double> log_table_;
};

/// Turns weights, sums and sums of squares in a node's ruler into those of the numbers themselves.
/// The three are `stride` apart, each for n sides of cuts.
void leave_ruler(const Ruler& ruler, double* sums, std::size_t stride, std::size_t n);

/// x log2 x of all weights that a node may have, if the criteria of a plan read it and there are
/// not too many; else nothing.
std::vector<double> make_log_table(const Target& target, const Plan& plan);

/// Refuses scores of a compiled criterion that are no numbers.
void check_compiled(const double* scores, int n_cuts);

/// Among the best of each column: the first of the best, or what the rules of C4.5 say.
Split choose_by_quest(const Table& table, const Plan& plan, std::span<const Split> found);
Split choose(const Table& table, const Target& target, const Plan& plan, const Node& node,
             std::span<const Split> found);

}  // namespace ramify
