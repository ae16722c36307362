// SPDX-License-Identifier: BSD-3-Clause
// Splits by hyperplanes: a method proposes a direction, the criterion judges what it parts.
#pragma once

#include <functional>
#include <string_view>

#include "oblique/mixed.hpp"
#include "search/search.hpp"

namespace ramify {

/// Which of the forms that a walk can keep up to date a criterion has.
inline SideJudge::Form form_of(const SetCriterion& kernel) {
  if (kernel.is_balanced) return SideJudge::Form::any;
  const std::string_view name = kernel.info->name;
  if (name == "entropy") return SideJudge::Form::entropy;
  return name == "gini" ? SideJudge::Form::gini : SideJudge::Form::any;
}

class ObliqueSearch {
 public:
  /// `regression` is null if classes are learnt.
  ObliqueSearch(const Search& search, std::span<const std::uint32_t> rows, Pool& pool,
                const RegressionTarget* regression);

  /// The best split of a node, by a hyperplane or by one column. Long searches ask whether to stop.
  Split best(Node& node, std::span<Scratch> scratch, const std::function<bool()>& must_stop) const;

  /// The sum of the terms of a hyperplane for each row of a node.
  std::vector<double> project(const Node& node, std::span<const Term> terms) const;

 private:
  struct View;

  NodeChannels channels(const Node& node) const;
  double weighted_number(std::uint32_t row) const;
  bool starts_from_axis() const;
  Split best_of_categories(Node& node, std::span<Scratch> scratch) const;
  Split best_hyperplane(const Node& node, const Split& axis, std::span<Scratch> scratch,
                        const std::function<bool()>& must_stop) const;
  std::vector<std::uint32_t> draw(const Node& node, std::vector<std::uint32_t> columns) const;
  std::vector<MixedColumn> mixed_columns(const View& view,
                                         std::span<const std::uint32_t> columns) const;
  Proposal propose_on(const View& view, std::span<const MixedColumn> columns,
                      const Split& axis) const;
  Split of_columns(const View& view, std::span<const std::uint32_t> columns,
                   const Split& axis) const;
  Split judged(const View& view, std::span<const MixedColumn> columns,
               const Direction& direction) const;
  std::vector<double> project(const MixedRows& rows, std::span<const Term> terms) const;

  const Search& search_;
  const Plan& plan_;
  const Oblique& rules_;
  std::span<const std::uint32_t> rows_;  // of the table
  Pool& pool_;
  const RegressionTarget* regression_;
  std::vector<ValueRange> range_;  // of each column of numbers, over all training rows
  std::size_t min_rows_ = 0;       // nodes with no more rows are split by one column
};

}  // namespace ramify
