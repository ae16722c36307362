// SPDX-License-Identifier: BSD-3-Clause
// Which categories go left. Scores that are sums of rows have an order of the categories of which a
// prefix is best; the log-rank family and whole curves have none, and try all subsets of a few.
#pragma once

#include <cstdint>
#include <vector>

#include "survival/search.hpp"

namespace ramify {

class CategorySearch {
 public:
  CategorySearch(const SurvivalSearch& search, const WalkedList& list, std::uint32_t column,
                 const SurvivalSums& sums, SearchRoom& room);
  Split best();

 private:
  /// Rows of one category, or without a value.
  struct Category {
    std::uint32_t code = 0, begin = 0, end = 0;
    std::uint64_t weight = 0, events = 0;
    Wide u = 0;
    std::vector<std::int64_t> sums{};
    std::vector<std::uint64_t> at_risk{};  // by event time, in units
    std::vector<std::uint64_t> dead{};
    double expected = 0;

    std::uint32_t rows() const { return end - begin; }
  };
  struct Candidate {
    double score;
    std::vector<std::uint8_t> is_left;  // by category
    bool missing_left;
  };
  void measure(Category& category) const;
  std::vector<std::vector<double>> keys() const;
  void try_order(const std::vector<double>& key, std::vector<Candidate>& candidates);
  void try_all(std::vector<Candidate>& candidates);
  std::vector<Wide> kernel_sums(const std::vector<Category>& all) const;
  double score_subset(const std::vector<Category>& all, const std::vector<Wide>& kernel,
                      std::uint32_t left) const;
  double score_side(const Category& side) const;
  bool is_ordered() const;
  Split written(const Candidate& chosen, double top) const;

  const SurvivalSearch& search_;
  const WalkedList& list_;
  std::uint32_t column_;
  const SurvivalSums& sums_;
  SearchRoom& room_;
  std::vector<Category> categories_;
  Category missing_;
  bool is_limited_ = false;  // was some cut of an order refused?
};

}  // namespace ramify
