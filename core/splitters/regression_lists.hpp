// SPDX-License-Identifier: BSD-3-Clause
// The splitter of plain regression trees by their squared error, on sorted lists. One pass in
// floats finds the peak of every column; exact sums are needed only for the cuts near the highest
// peak.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rows/flagged.hpp"
#include "search/column_sampler.hpp"
#include "splitters/few_rows.hpp"
#include "splitters/measured.hpp"
#include "util/parallel.hpp"

namespace ramify {

class RegressionLists : public MeasuredSplitter {
 public:
  struct Waiting : FlaggedNode, MeasuredNode {
    bool is_few = false;  // its places are those of the few rows that its thread works at
  };

  /// Does it grow such trees? One output, numeric columns without missing values, and nothing that
  /// limits the cuts but the number of rows. Weights are whole numbers.
  static bool fits(const Table& table, const Target& target, const Plan& plan);

  RegressionLists(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                  const Plan& plan, Pool& pool);

  /// Measures the node, too.
  Waiting root(Node& node);
  Split best(Waiting& node, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  void partition(Waiting& node, std::span<const double> statistics, Split& split, Workers workers,
                 std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting& node, std::size_t, Workers workers);
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    Desk(std::size_t n_columns, std::uint32_t max_short)
        : few(n_columns, max_short), is_constant(n_columns), peaks(n_columns), tops(n_columns) {}

    FewRows few;
    NonConstantColumns non_constant{};
    ColumnSampler sampler{};
    RegressionBuffers regression{};
    std::vector<std::uint8_t> is_constant;  // of each column, in the node at hand
    std::vector<float> peaks;               // of the columns that are looked at
    std::vector<double> tops;
    std::vector<std::int32_t> short_steps{}, short_weight{};
    std::vector<float> shares{};          // by place; see StepScan
    std::vector<std::uint32_t> places{};  // of cuts
    std::vector<double> scores{};
    std::vector<std::uint32_t> moved{};  // a bit for each row of one side; else all are zero
    std::vector<std::uint32_t> spare{};
    std::uint32_t moved_short[64];
    double few_sums[FewRows::max] = {}, few_weight[FewRows::max] = {};
    double statistics[3];
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  /// How the squared error is scored; see NumberCall.
  struct Scale {
    double total, mean, factor;

    double score(double left, double sum) const {
      const double moved = sum - left * mean;
      return moved * moved / (left * (total - left)) * factor;
    }
  };
  Scale scale_of(const Waiting& node) const;
  std::uint32_t min_rows(std::uint32_t n) const;
  float near_peak(const Waiting& node, const Scale& scale, double peak) const;
  void come_near(Waiting& node, std::span<const std::uint32_t> non_constant, Desk& mine);
  StepScan count_steps(const Waiting& node, std::uint32_t column, const Scale& scale, Desk& mine);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns, Workers workers,
                Desk& mine);
  double top_of(const Waiting& node, std::uint32_t column, const StepScan& scan, const Scale& scale,
                float wanted, Desk& mine);
  Split best_of_few(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine);
  FewScan few_scan(const Waiting& node, const Scale& scale, Desk& mine) const;
  std::uint32_t row_at(const Waiting& node, int column, std::uint32_t place,
                       const Desk& mine) const;
  void partition_few(const Waiting& node, const Split& split, Desk& mine);
  void partition_lists(const Waiting& node, const Split& split, std::span<const Waiting> children,
                       Workers workers, Desk& mine);

  const Table& table_;
  Pool& pool_;
  bool has_weights_;
  double steps_per_unit_;
  FlaggedLists lists_;
  std::vector<std::int32_t> steps_, weight_;           // by row
  std::vector<std::uint8_t> few_number_;               // by row
  double few_places_[FewRows::max + 1][FewRows::max];  // by rows of a node; see FewScan
  std::vector<std::unique_ptr<Desk>> desks_;           // by thread
};

}  // namespace ramify
