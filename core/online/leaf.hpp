// SPDX-License-Identifier: BSD-3-Clause
// A leaf of an online tree: sums for tests, and what it answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "online/naive_bayes.hpp"

namespace ramify::online {

/// One row as the trees of a model see it.
struct Row {
  BayesRow bayes;
  bool is_coded;  // whether cuts are known yet
  std::uint32_t label;
  double weight;
};

/// Sums by column, cell and class of the rows since a leaf was born, for tests. As long as they are
/// few, a list of the rows is smaller and faster.
class LeafSums {
 public:
  LeafSums() = default;
  explicit LeafSums(std::size_t n_classes) : by_class_(n_classes) {}

  void add(const Columns& columns, const Row& row);
  /// Writes the sums as a search reads them, [column][code][class] with "missing" last, and the
  /// rows of each cell as the last channel if weights differ. Weights become effective rows, in
  /// units of 1 / `per_row`.
  struct Table {
    std::vector<std::int64_t> cells;
    std::vector<std::size_t> first_cell;  // of each column
    std::vector<double> by_class;         // in the same units
    std::size_t n_counts = 0;
    std::uint64_t n_rows = 0;
    double unit = 1;
  };
  Table table(const Columns& columns) const;

  std::uint64_t n_rows() const { return n_rows_; }
  double weight() const { return weight_; }
  bool is_weighted() const { return is_weighted_; }
  const std::vector<double>& by_class() const { return by_class_; }
  /// By how much weights are multiplied to become effective rows.
  double effective() const { return is_weighted_ ? weight_ / squares_ : 1; }

  /// Makes room for more categories or classes.
  void rearrange(const Columns& columns, const Cells& old, std::size_t n_classes);
  std::size_t n_bytes() const;
  /// Whether everything has the size that it should have.
  bool fits(const Columns& columns, std::size_t n_classes) const;

  template <class Bytes>
  void transfer(Bytes& bytes) {
    bytes.wide(n_rows_);
    bytes(is_weighted_, is_table_, weight_, squares_, by_class_, cells_, labels_, weights_, counts_,
          sums_, rows_);
  }

  static constexpr double per_row = 1 << 20;

 private:
  std::size_t n_classes() const { return by_class_.size(); }
  void add_to_table(const Columns& columns, const std::uint8_t* cells, std::uint32_t label,
                    double weight);
  void become_table(const Columns& columns);
  void become_weighted();

  std::uint64_t n_rows_ = 0;
  bool is_weighted_ = false, is_table_ = false;
  double weight_ = 0, squares_ = 0;  // sums of weights and of their squares
  std::vector<double> by_class_;
  std::vector<std::uint8_t> cells_;    // of the rows, one after the other
  std::vector<std::uint16_t> labels_;  // of the rows
  std::vector<double> weights_;        // of the rows, if weighted
  std::vector<std::uint32_t> counts_;  // [cell][class], if not weighted
  std::vector<double> sums_;           // [cell][class], if weighted
  std::vector<std::uint32_t> rows_;    // [cell], if weighted
};

/// The last rows of a node, for the bound that looks at them.
struct RecentRows {
  static constexpr std::size_t most = 256;
  std::vector<std::uint8_t> cells;
  std::vector<std::uint16_t> labels;
  std::uint64_t n_seen = 0;

  void add(const Columns& columns, const Row& row);
  template <class Bytes>
  void transfer(Bytes& bytes) {
    bytes(cells, labels, n_seen);
  }
};

enum class Predictor : std::uint8_t { majority, naive_bayes, adaptive };

struct Leaf {
  LeafSums sums;
  std::uint32_t waiting = 0;  // rows since the last attempt
  std::uint64_t attempts = 0;
  double n_rows = 0, own_weight = 0;  // that it has learnt, also before cuts were known
  // For answers, with what was inherited:
  std::vector<double> class_weights;
  NaiveBayes bayes;
  double majority_right = 0, bayes_right = 0;
  bool prefers_bayes = true;  // where both were right equally often
  bool is_asleep = false;
  RecentRows recent;

  bool answers_by_bayes(Predictor predictor) const;
  std::uint32_t majority() const;
  double weight() const;
  double largest_share() const;
  std::size_t n_bytes() const;

  template <class Bytes>
  void transfer(Bytes& bytes) {
    sums.transfer(bytes);
    bayes.transfer(bytes);
    bytes.wide(waiting, attempts);
    recent.transfer(bytes);
    bytes(n_rows, own_weight, class_weights, majority_right, bayes_right, prefers_bayes, is_asleep);
  }
};

}  // namespace ramify::online
