// SPDX-License-Identifier: BSD-3-Clause
// Categorical columns, whose order means nothing: sums of each category that occurs in a node, and
// which of their subsets are worth trying.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "scan/kernels.hpp"
#include "select/admissible.hpp"

namespace ramify {

/// The sums of the rows of each category that occurs in the node, in the order of the codes.
/// Missing may be one of them, the last.
struct CategorySums {
  int n_channels = 0;
  std::vector<std::uint32_t> code;
  std::vector<std::uint64_t> rows;
  std::vector<double> sums;  // [category][channel]

  std::size_t size() const { return code.size(); }
  std::span<const double> of(std::size_t i) const {
    return std::span(sums).subspan(i * static_cast<std::size_t>(n_channels),
                                   static_cast<std::size_t>(n_channels));
  }
  void clear(int channels) {
    n_channels = channels;
    code.clear();
    rows.clear();
    sums.clear();
  }
  void pop() {
    code.pop_back();
    rows.pop_back();
    sums.resize(sums.size() - static_cast<std::size_t>(n_channels));
  }
  /// Merges the last category into another, if there is one.
  void join_last(std::size_t other) {
    if (size() > 1) {
      rows[other] += rows.back();
      for (int k = 0; k < n_channels; ++k)
        sums[other * static_cast<std::size_t>(n_channels) + static_cast<std::size_t>(k)] +=
            of(size() - 1)[static_cast<std::size_t>(k)];
    }
    pop();
  }
  /// Adds a category and returns its sums, which are zero.
  double* add(std::uint32_t new_code, std::uint64_t n_rows) {
    code.push_back(new_code);
    rows.push_back(n_rows);
    sums.resize(sums.size() + static_cast<std::size_t>(n_channels));
    return sums.data() + sums.size() - n_channels;
  }
};

/// What the search for a subset needs to know of a node besides its categories.
struct SubsetTask {
  std::span<const double> parent;       // by channel
  int n_classes;                        // channels of classes; the user-defined ones follow
  int first_output_classes;             // those of the first output among them
  bool is_single;                       // one output and no user-defined sums
  std::span<const double> always_left;  // sums of rows that go left with any subset; or empty
  std::uint64_t rows_always_left;
  bool is_limited;  // not every subset is admissible, or a side is more than its categories
  std::uint64_t seed;
  int n_stats = 0;         // regression: channels per output, the weight and the sum first
  LeafLimits limits = {};  // minimum size of the sides of admissible subsets
  bool has_fixed = false;  // a side has rows besides those of its categories
  /// Sides whose mean is not above this are rejected.
  double refused_mean = minus_infinity;
};

/// The subsets of the categories of one node that are tried, numbered in the order of trying. The
/// lowest category is always on the left.
///
/// Two classes: the prefixes of the order by the share of the second class; one of them is the best
/// subset if the criterion is quasi-convex (Breiman et al. 1984, theorem 4.5) and nothing limits
/// the choice, else all subsets of a few categories are tried besides. More classes: all subsets of
/// a few categories. Of many, those that are pure in the same class are merged; if few groups are
/// left all their subsets are tried, else the prefixes of the orders by the share of each class and
/// along the first principal component of the shares.
///
/// Where sides have a minimum size, prefixes that are too small are extended (repair.hpp), and the
/// subsets of a few more categories are tried exhaustively.
///
/// Regression: the prefixes of the order by the mean, one of which is best for squared error,
/// Poisson and gamma deviance (Fisher 1958; Chou 1991), if nothing limits the choice; for others
/// all subsets of a few categories besides. Several outputs: as several classes, by the mean of
/// each.
class Subsets {
 public:
  void start(const Plan& plan, const CategorySums& categories, const SubsetTask& task);

  /// Fills a block with the next subsets; an empty one means that there are no more. The number of
  /// a subset is the block's `code`.
  void next(CutBlock& block);

  /// Which categories the subset of that number puts on the left.
  std::vector<std::uint8_t> left_of(std::uint32_t number) const;

  bool is_optimal() const { return is_optimal_; }

  /// The order of the categories whose prefixes are the first subsets, if there is only one such
  /// order.
  std::span<const std::uint32_t> only_order() const {
    return orders_.size() == 1 ? std::span<const std::uint32_t>(orders_[0])
                               : std::span<const std::uint32_t>();
  }

 private:
  std::size_t n_channels() const { return static_cast<std::size_t>(categories_->n_channels); }
  std::size_t n_groups() const { return group_rows_.size(); }
  std::span<const double> group_sums(std::size_t group) const {
    return std::span(group_sums_).subspan(group * n_channels(), n_channels());
  }
  void make_groups(const SubsetTask& task, bool merge_pure);
  void try_orders(const SubsetTask& task);
  void try_random(std::uint64_t seed);
  bool try_repaired(const SubsetTask& task);
  bool repair_order(const SubsetTask& task, int channel, std::span<const std::uint32_t> order);
  double weight_of_group(const SubsetTask& task, std::size_t group) const;
  bool is_refused(const SubsetTask& task, std::size_t group) const;
  std::uint32_t max_exhaustive(const Plan& plan) const;
  void order_by(std::span<const double> key);
  std::vector<double> principal_component(const SubsetTask& task,
                                          std::span<const int> channels) const;

  std::uint64_t n_prefixes() const { return orders_.size() * (n_groups() - 1); }
  void note_prefix_masks();
  bool is_in_order(std::uint64_t mask) const;
  /// The groups of one side of a subset; `emit` finds out which side.
  std::vector<std::uint32_t> listed(std::uint64_t number) const;
  void emit(CutBlock& block, std::uint64_t number, std::uint32_t n_categories, bool has_first,
            std::span<const double> sums, std::uint64_t rows) const;

  const CategorySums* categories_ = nullptr;
  std::vector<double> known_;  // sums of all categories
  std::span<const double> always_left_;
  std::uint64_t rows_always_left_ = 0, known_rows_ = 0;
  std::uint32_t max_subset_ = 0;
  bool is_optimal_ = false;

  // Categories that stay together; the lowest category is in the first group.
  std::vector<std::uint32_t> group_of_, group_size_;
  std::vector<std::uint64_t> group_rows_;
  std::vector<double> group_sums_;

  // Subsets are numbered: the prefixes of each order, then single groups, then extended prefixes,
  // then all subsets.
  std::vector<std::vector<std::uint32_t>> orders_;
  std::uint32_t n_singles_ = 0;
  std::vector<std::vector<std::uint32_t>> repaired_;
  std::vector<std::uint64_t> prefix_masks_;  // of the only order, sorted
  std::uint64_t next_ = 0, end_ = 0;

  // The sums of the prefix that comes next.
  std::vector<double> running_;
  std::uint64_t running_rows_ = 0;
  std::uint32_t running_size_ = 0;
  bool running_has_first_ = false;
};

}  // namespace ramify
