// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of the scan, as plain functions over plain memory. A walk fills blocks of cuts
// with the sums on their left, by sorted list, by sorted keys or by code; a criterion scores a
// block. They are compiled once per instruction set (see CMakeLists.txt); `kernels()` gives the set
// for this processor (dispatch.cpp). Which cut wins is decided in `select`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "criteria/kernel.hpp"
#include "rows/layout.hpp"
#include "scan/key_kernels.hpp"

namespace ramify {

/// Up to 256 consecutive cuts of a column: the sums on the left of each.
struct CutBlock {
  static constexpr int capacity = 256;
  static constexpr int stride = capacity + 8;  // room to write one pack beyond the end

  double* left;  // channel-major: left[channel * stride + cut]; null if the rows alone say what
                 // lies left
  int n_cuts = 0;
  bool missing_moved = false;  // do the sums count the missing rows as left?
  std::uint32_t rows_left[stride];
  // The same where rows are only known by their sums, and may be many.
  bool is_supplied = false;
  std::uint64_t supplied_left[stride];
  // The highest code on the left and the lowest on the right, the code of "missing" at the last cut
  // of all. Either noted here, or to be read in the sorted list at the place of the cut.
  const std::uint64_t* items;  // null: noted here
  ItemLayout layout;
  std::uint32_t n_valued, missing_code;
  std::uint32_t code[stride], next_code[stride];

  std::uint64_t n_left(int i) const { return is_supplied ? supplied_left[i] : rows_left[i]; }
  std::uint32_t code_at(int i) const {
    return items ? layout.code(items[rows_left[i] - 1]) : code[i];
  }
  std::uint32_t next_code_at(int i) const {
    if (!items) return next_code[i];
    return rows_left[i] < n_valued ? layout.code(items[rows_left[i]]) : missing_code;
  }
};

/// Which channel of the sums a row adds to: one per class that occurs in the node (and per output),
/// then the user's.
struct Channels {
  int n_channels = 0;
  const std::uint32_t* channel = nullptr;  // of each class; outputs one after the other
  const double* weight = nullptr;          // by row; null if all rows weigh 1
  const std::uint8_t* times = nullptr;     // the same as bytes, if these hold all weights
  // Only if there are several outputs or sums of the user's:
  bool is_general = false;
  int n_outputs = 1;
  const std::uint32_t* classes = nullptr;      // row-major
  const std::uint32_t* first_class = nullptr;  // of each output, in `channel`
  int n_extra = 0;
  const double* extra = nullptr;
  // If numbers are learnt: what each row adds to all channels, or to the second of two if all rows
  // weigh one (`n_marks` = 1).
  const double* quantised = nullptr;
  int n_quantised = 0;
};

/// What a criterion that reads its terms reads: by the weight of a class, and by that of a side.
struct TermTables {
  const double *terms = nullptr, *totals = nullptr;
  int n_classes = 0;  // of the nodes that the totals are for, if that matters
};

/// Walks along a sorted list, one block of cuts after the other. Items that need not name their row
/// have 32 bits: keys.
template <class Item>
struct WalkOf {
  const Item* items;
  std::uint32_t n;     // rows with a value
  std::uint32_t next;  // the row to move next
  bool cut_at_end;     // rows without a value follow: part them from the rest
  ItemLayout layout;
  Channels channels;
  double* running;  // sums of what has moved to the left
};
using ListWalk = WalkOf<std::uint64_t>;

/// The same for criteria that are sums over classes, where rows count once or several times: see
/// walk_sums.
template <class Item>
struct SumWalkOf {
  const Item* items;
  std::uint32_t n, next;
  bool cut_at_end;
  ItemLayout layout;
  const std::uint32_t* channel;  // of each class
  int n_classes;
  const double* parent;
  double total;
  std::uint32_t rows_before;  // missing rows that count as left already
  const std::uint32_t* count_parent;
  std::uint32_t* count_left;
  double *term_left, *term_right;
  const double* log_table;
  const SetCriterion* criterion = nullptr;
  TermTables tables = {};
};

/// Sums by code of one narrow column: counts if weights are small whole numbers, else any weights;
/// and the rows besides, unless all weigh one.
struct CodeSums {
  static constexpr int max_codes = 256;  // the code of "missing" included
  static constexpr int columns_at_once = 16;
  std::uint32_t* counts;  // [code][channel]
  double* sums;           // [code][channel]
  std::uint32_t* rows;    // [code]
  std::uint64_t* supplied_rows =
      nullptr;  // [code], in place of these if sums were counted elsewhere
  std::uint64_t present[max_codes / 64];

  /// The rows of a code, which are forgotten.
  std::uint64_t take_rows(std::uint32_t code) {
    return supplied_rows ? std::exchange(supplied_rows[code], 0) : std::exchange(rows[code], 0u);
  }
};

/// The sums of a node by column, code and class, counted elsewhere. Where rows have weights, the
/// last number of each cell says how many rows it has.
struct NodeSums {
  const std::int64_t* cells = nullptr;      // [cell][channel]
  const std::size_t* first_cell = nullptr;  // of each column; the last of its cells is "missing"
  std::size_t n_classes = 0;                // of all outputs
  std::size_t n_first = 0;                  // of the first output
  std::size_t n_counts = 0;                 // channels of rows behind: none, one, or by class
  const double* unit = nullptr;  // of each channel, if numbers are learnt; else all are whole

  double amount(const std::int64_t* cell, std::size_t k) const {
    return static_cast<double>(cell[k]) * (unit ? unit[k] : 1);
  }
  const std::int64_t* cell(std::size_t column, std::size_t code) const {
    return cells + (first_cell[column] + code) * (n_classes + n_counts);
  }
  std::int64_t rows(const std::int64_t* cell) const {
    const std::int64_t* counts = n_counts > 0 ? cell + n_classes : cell;
    std::int64_t n = 0;
    for (std::size_t k = 0; k < (n_counts > 0 ? n_counts : n_first); ++k) n += counts[k];
    return n;
  }
  /// The rows of a class, where these are counted.
  std::int64_t rows(const std::int64_t* cell, std::size_t k) const {
    return cell[n_counts > 0 ? n_classes + k : k];
  }
};

struct ScoreCall {
  const double* parent;  // class weights of the node
  double total;
  int n_classes;
  const double* left;  // class-major with CutBlock::stride
  int n_cuts;
  const double* log_table;  // x log2 x for x = 0 .. total, or null
  double unit;              // what a weight of 1 is worth; see Target
  const SetCriterion* criterion = nullptr;
  TermTables tables = {};
  const std::uint32_t* classes = nullptr;  // the place of each class among those of the data
  const double *extra = nullptr, *extra_left = nullptr;  // see NodeStatistics
  /// Scores that are not above may be written as minus infinity.
  double wanted = -std::numeric_limits<double>::infinity();

  NodeStatistics statistics() const;
};

/// The sums of some cuts of a node, and where scores come from.
struct SumsBlock {
  NodeStatistics node;
  double parent;  // the sum of the node
  int n_cuts;
  const double *total_left, *left, *right;  // by cut, up to a whole pack
  // See ClassSums; null if the criterion shall compute them itself.
  const double *at_left, *at_right;
  double at_total;
};

/// One split into any number of branches.
struct BranchCall {
  const double* parent;
  double total;
  int n_classes;
  const double* sums;  // [branch][class], `stride` apart
  int stride;
  int n_branches;
  double* work;  // room for three numbers per branch
  double unit = 1;
  const SetCriterion* criterion = nullptr;
  const std::uint32_t* classes = nullptr;

  NodeStatistics statistics() const;
};

/// Cuts of a node's numbers, of one output: the channels are weight and sum in the node's
/// fixed-point units.
struct RegressionCall {
  const double* parent;
  const double* left;  // channel-major with CutBlock::stride
  int n_cuts;
  double relative;       // one unit as a share of the node's mean
  double factor;         // on all scores
  double mean;           // of the node's numbers
  const double* values;  // parameters of the criterion
};

struct HullCall;

struct Kernels {
  std::span<const CriterionKernel> criteria;
  const std::span<const CriterionKernel>* families;  // compiled apart
  std::span<const RegressionKernel> regression_criteria;
  void (*walk_list)(ListWalk&, CutBlock&);
  void (*sum_items)(const std::uint64_t* items, std::uint32_t n, ItemLayout, const Channels&,
                    double* sums);
  void (*sum_codes)(const RecordView&, int column, const Channels&, CodeSums&);
  void (*count_codes)(const RecordView&, const int* columns, int n_columns, const Channels&,
                      CodeSums*);
  void (*walk_codes)(CodeSums&, int n_codes, const Channels&, bool has_missing, CutBlock&,
                     double* missing);
  void (*partition_list)(std::uint64_t* items, std::uint32_t n, ItemLayout,
                         const std::uint8_t* goes_left, Keep, std::uint64_t* spare);
  double (*largest)(const double* x, int n);
  void (*order_few)(const double* x, int n, std::uint8_t* order);
  KeyKernels<CountKey> count_keys;
  KeyKernels<RowKey> row_keys;
  std::uint32_t (*partition_rows)(const PartitionCall&);
  void (*write_hulls)(const HullCall&);

  template <class Key>
  const KeyKernels<Key>& keys() const {
    if constexpr (Weigher<Key>::counts)
      return count_keys;
    else
      return row_keys;
  }
};

const Kernels& kernels();

inline NodeStatistics ScoreCall::statistics() const {
  return {.parent = parent,
          .total = total,
          .n_classes = n_classes,
          .unit = unit,
          .classes = classes,
          .settings = &criterion->settings,
          .extra = extra,
          .extra_left = extra_left,
          .left = left,
          .terms = tables.terms,
          .totals = tables.totals,
          .table_classes = tables.n_classes};
}
inline NodeStatistics BranchCall::statistics() const {
  return {.parent = parent,
          .total = total,
          .n_classes = n_classes,
          .unit = unit,
          .classes = classes,
          .settings = &criterion->settings};
}

}  // namespace ramify
