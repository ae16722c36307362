// SPDX-License-Identifier: BSD-3-Clause
// Regression by squared error as SortedLayout learns it: one pass in floats finds the peak of
// every column, and exact sums are needed only for the cuts near the highest peak. Nodes of at most
// 16 rows are scored exactly at once.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rows/sorted_lists.hpp"
#include "splitters/few_rows.hpp"
#include "splitters/list_partition.hpp"
#include "splitters/measured.hpp"

namespace ramify {

class SortedRegression : public MeasuredSplitter {
 public:
  struct Waiting : ListSegment, MeasuredNode {
    bool is_few = false;  // its places are those of the few rows that its thread works at
  };
  /// Weights that floats tell apart one by one.
  static constexpr double max_weight = 1 << 24;

  std::span<const double> statistics(const Waiting& node, std::size_t, Workers workers);

 protected:
  SortedRegression(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                   const Plan& plan, Pool& pool);

  const SortedLists& lists() const { return lists_; }
  void measure_root(Node& node, Waiting& root);
  /// Small nodes number their rows anew.
  void start(Waiting& node, std::span<const double>, std::span<const std::uint32_t> columns,
             Workers workers);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns,
                std::span<std::uint8_t> is_constant, Workers workers);
  std::uint32_t row_at(const Waiting& node, std::uint32_t column, std::uint32_t place,
                       Workers workers);
  std::uint32_t n_left(const Waiting&, const Split& split) const {
    return static_cast<std::uint32_t>(split.rows_left);
  }
  /// Measures the children; whether the left and the right one go on.
  std::pair<bool, bool> measure(const Waiting& node, std::span<const double>, const Split& split,
                                std::span<Waiting> children, Workers workers);
  void partition_lists(const Waiting& node, const Split& split,
                       std::span<const std::uint32_t> columns, Keep keep, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    explicit Desk(std::size_t n_columns) : few(n_columns), peaks(n_columns), tops(n_columns) {}

    FewRows few;
    RegressionBuffers regression{};
    std::vector<float> peaks;  // of the columns that are looked at
    std::vector<double> tops;
    std::vector<float> shares{};          // by place; see SortedScan
    std::vector<std::uint32_t> places{};  // of cuts
    std::vector<double> scores{};
    double few_sums[FewRows::max] = {}, few_weight[FewRows::max] = {};
    double statistics[3];
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  /// How the squared error is scored; see RegressionCall.
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
  SortedScan count_steps(const Waiting& node, std::uint32_t column, const Scale& scale, Desk& mine);
  Split best_near_peaks(const Waiting& node, std::span<const std::uint32_t> columns,
                        std::span<std::uint8_t> is_constant, Workers workers);
  void score_near(const Waiting& node, std::uint32_t column, const SortedScan& scan,
                  const Scale& scale, float wanted, Desk& mine) const;
  Split best_of_few(const Waiting& node, std::span<const std::uint32_t> columns,
                    std::span<std::uint8_t> is_constant, Desk& mine);
  FewScan few_scan(const Waiting& node, std::uint32_t column, const Scale& scale, Desk& mine) const;

  Pool& pool_;
  bool has_weights_;
  double steps_per_unit_;
  SortedLists lists_;
  ListPartitions partitions_;
  std::vector<std::int32_t> steps_, weight_;           // by row
  std::vector<std::uint8_t> few_number_;               // by row
  double few_places_[FewRows::max + 1][FewRows::max];  // by rows of a node; see FewScan
  std::vector<std::unique_ptr<Desk>> desks_;           // by thread
};

}  // namespace ramify
