// SPDX-License-Identifier: BSD-3-Clause
// Searches the sums of a leaf, and decides whether what was found is certain enough to split.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "online/rules.hpp"
#include "search/search.hpp"

namespace ramify::online {

/// Which cells of a column go to the left.
class Sides {
 public:
  bool is_left(std::uint8_t cell) const { return words_[cell / 64] >> (cell % 64) & 1; }
  void set(std::uint32_t cell, bool is_left) {
    const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
    words_[cell / 64] = is_left ? words_[cell / 64] | bit : words_[cell / 64] & ~bit;
  }
  std::array<std::uint64_t, 4>& words() { return words_; }

 private:
  std::array<std::uint64_t, 4> words_{};
};

/// A split that was found for a leaf, and how certain it is.
struct Verdict {
  bool is_certain = false;
  Split split;  // does not exist if none is admissible
  Sides sides;
  bool heavier_left = false;        // where unseen categories go
  std::vector<double> left, right;  // effective weights by class
  double information = 0, needed = 0;
};

/// What is known of a leaf that is judged.
struct Question {
  const LeafSums::Table& table;
  bool is_weighted;
  double attempt;
  int depth;
  std::uint64_t key;  // draws the columns of a forest
  const RecentRows& recent;
};

class SplitJudge {
 public:
  SplitJudge(const Rules& rules, const Columns& columns, std::size_t n_classes);
  SplitJudge(const SplitJudge&) = delete;

  /// Throws std::invalid_argument if a criterion needs more than class weights.
  void refuse_what_sums_cannot_show();
  /// The first criterion that is certain decides; else the verdict is that of the first.
  Verdict judge(const Question& question);
  /// Whether the best split of another column certainly beats a column, which has split a node.
  Verdict reconsider(const Question& question, std::uint32_t column);

  /// n times what one more row of each class, on the left and then on the right, adds to the score
  /// of the first criterion.
  std::vector<double> influences(std::vector<double> left, std::vector<double> right) {
    return influences(engine(0, false), {.left = std::move(left), .right = std::move(right)});
  }

 private:
  /// A search of one criterion, for counts or for weights.
  struct Engine {
    Target target;
    Plan plan;
    std::unique_ptr<Search> search;
    std::vector<Scratch> scratch{1};
  };
  /// The best split of some columns.
  struct Found {
    Split split;
    Sides sides;
    bool heavier_left = false;
    std::vector<double> left, right;
  };

  Engine& engine(std::size_t contest, bool is_weighted);
  std::vector<std::uint32_t> columns_of(std::uint64_t key) const;
  Found best(Engine& engine, const Question& question, std::vector<std::uint32_t> columns) const;
  double needed(const Question& question, const Found& found, double log_p) const;
  double log_p_of_cut(const Found& found, double log_p) const;
  double epsilon(const Contest& contest, Engine& engine, const Question& question,
                 const Found& first, const Found* second, double log_p) const;
  Verdict judge_one(std::size_t contest, const Question& question, double delta,
                    const std::vector<std::uint32_t>& columns);
  std::vector<double> influences(Engine& engine, const Found& found) const;
  double score(Engine& engine, std::span<const double> left, std::span<const double> right) const;
  double deviation(Engine& engine, const Question& question, const Found& first,
                   const Found* second) const;

  const Rules& rules_;
  const Columns& columns_;
  std::size_t n_classes_;
  Table table_;
  Store store_;
  Pool pool_{1};
  std::vector<std::array<std::unique_ptr<Engine>, 2>> engines_;
};

}  // namespace ramify::online
