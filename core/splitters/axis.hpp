// SPDX-License-Identifier: BSD-3-Clause
// The splitter of most trees: rows lie in a store, as sorted lists and records. The best split is
// that of a column (or one by CHAID or QUEST), or a hyperplane where columns may be mixed.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/search.hpp"
#include "splitters/hyperplane.hpp"
#include "splitters/splitter.hpp"

namespace ramify {

class AxisSplitter {
 public:
  struct Waiting {
    std::unique_ptr<Node> node;
    int place = 0;  // in its fragment
    std::uint32_t n_rows() const { return node->n_rows(); }
  };
  static constexpr unsigned nodes_per_request = 1;

  AxisSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
               const Plan& plan, Pool& pool);

  Waiting root(Node node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return oblique_ ? 64 : 2048; }  // hyperplanes look often
  std::size_t expected_nodes(std::uint32_t n_rows) const;

  bool is_leaf(const Waiting& waiting, std::span<const double>) const {
    return is_leaf(*waiting.node);
  }
  Split best(Waiting& waiting, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting& waiting, std::span<const double> statistics,
                const Split& split) const;
  double gain_unit(const Waiting& waiting) const;
  void partition(Waiting& waiting, std::span<const double> statistics, Split& split,
                 Workers workers, std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting& waiting, std::size_t branch, Workers workers);
  Bounds bounds(const Waiting& waiting) const { return {waiting.node->lower, waiting.node->upper}; }
  void finish(Waiting&, Workers) const {}
  void hand_over(Waiting&) const {}
  void take_over(Waiting&, Workers) const {}
  /// The candidate splits of the node that was searched last.
  std::vector<Recorded>& recorded(Workers workers) { return workers.of(scratch_)[0].recorded; }

  /// Do the rows without a value go down every branch of this split?
  bool has_fractions(const Split& split) const {
    return goes_everywhere(plan_.missing) && split.saw_missing;
  }
  /// The children of a node, still without rows.
  std::vector<Node> children_of(const Node& node, const Split& split) const;
  void set_bounds(const Split& split, Node& left, Node& right) const;

  /// Calls visit(row, label, branch, is_missing) for the rows of a node.
  template <class Visit>
  void each_row(const Node& node, const Split& split, Visit visit) const;

 private:
  bool is_leaf(const Node& node) const { return ramify::is_leaf(plan_, target_, node); }
  void measure(Node& node, std::span<const std::uint32_t> rows, RegressionBuffers& buffers);
  template <class Use>
  void with_code_test(const Split& split, Use use) const;
  void quantise_two(const Node& node, const Split& split, std::span<Waiting> children,
                    RegressionBuffers& buffers);
  void quantise_many(const Node& node, const Split& split, std::span<Waiting> children);
  template <class Task>
  void rearrange(const Node& node, std::span<Scratch> scratch, int column_in_order, Task task);
  void partition_columns(const Node& node, const Split& split, Keep keep,
                         std::span<Scratch> scratch);
  void partition_records(const Node& node, const Split& split, Keep keep,
                         std::vector<std::uint64_t>& spare);
  void scatter(const Node& node, std::span<const Waiting> children, std::span<Scratch> scratch);

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  Store store_;
  std::unique_ptr<RegressionTarget> regression_;  // null if classes are learnt
  Search search_;
  std::optional<ObliqueSearch> oblique_;
  std::vector<Scratch> scratch_;
  std::vector<std::vector<double>> statistics_;  // by thread
  std::size_t n_classes_;                        // of all outputs
};

/// Calls use(branch_of), where branch_of(code) is the branch of a code of a low-cardinality column.
template <class Use>
void AxisSplitter::with_code_test(const Split& split, Use use) const {
  const std::uint32_t n_codes = table_.columns[split.column].n_codes();
  if (split.kind == SplitKind::threshold)
    return use([=, highest = split.code, missing_right = !split.missing_left](std::uint32_t code) {
      return static_cast<std::uint32_t>(code == n_codes ? missing_right : code > highest);
    });
  const std::vector<std::uint32_t> branch_of_code = branch_of_codes(split, n_codes);
  use([&](std::uint32_t code) { return branch_of_code[code]; });
}

template <class Visit>
void AxisSplitter::each_row(const Node& node, const Split& split, Visit visit) const {
  if (split.kind == SplitKind::hyperplane) {
    const RecordView records = store_.records(node.begin, node.end);
    const std::vector<double> sum = oblique_->project(node, split.terms);
    for (std::uint32_t i = 0; i < records.n; ++i)
      visit(records.rows[i], records.labels[i], sum[i] > split.threshold, false);
    return;
  }
  const Column& column = table_.columns[split.column];
  const std::uint32_t missing = missing_side(split.missing_left, split.n_branches);
  if (column.is_low_cardinality()) {
    const RecordView records = store_.records(node.begin, node.end);
    const std::uint8_t* codes = records.codes + store_.record_offset(split.column);
    return with_code_test(split, [&](auto branch_of) {
      for (std::uint32_t i = 0; i < records.n; ++i) {
        const std::uint8_t code = codes[i * records.stride];
        visit(records.rows[i], records.labels[i], branch_of(code), code == column.n_codes());
      }
    });
  }
  const std::uint64_t* items = store_.list(split.column) + node.begin;
  const ItemLayout layout = store_.layout();
  std::size_t at = 0;  // in the codes of the split, which ascend as those of the list do
  for (std::uint32_t i = 0; i < node.n_rows(); ++i) {
    std::uint32_t branch = 0;
    const std::uint64_t item = items[i];
    if (split.kind == SplitKind::threshold) {
      const bool is_valued = i < split.rows_left || layout.code(item) != column.n_codes();
      branch = is_valued ? i >= split.rows_left : missing;
      visit(layout.row(item), layout.label(item), branch, !is_valued);
      continue;
    }
    const std::uint32_t code = layout.code(item);
    while (at < split.codes.size() && split.codes[at] < code) ++at;
    branch = at < split.codes.size() ? split.branches[at] : missing;
    visit(layout.row(item), layout.label(item), branch, code == column.n_codes());
  }
}

}  // namespace ramify
