// SPDX-License-Identifier: BSD-3-Clause
// A tree or a forest with its columns: reads rows, learns the cuts, and lets every tree learn.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "online/tree.hpp"
#include "util/parallel.hpp"
#include "util/stop.hpp"

namespace ramify::online {

/// How the trees of a forest differ, and are replaced when they become worse (ARF; Gomes et al.
/// 2017).
struct ForestRules {
  int n_trees = 0;                       // 0: one tree that learns each row once
  double poisson = 6;                    // how often a tree learns a row, on average
  double warning = 0.01, drift = 0.001;  // of ADWIN; 0: no replacement
};

struct ModelRules {
  Rules tree;
  ForestRules forest;
  std::uint32_t max_bins = 64, warm_up = 500;
  std::uint64_t seed = 0;
};

/// Some rows: numbers, codes of categories, NaN where a value is missing; labels and weights.
struct Batch {
  std::span<const double> cells;  // row-major
  std::span<const std::uint32_t> labels;
  std::span<const double> weights;  // empty if all are one
  std::size_t n_rows = 0;
};

class Model {
 public:
  Model(ModelRules rules, std::vector<Column> columns, std::size_t n_classes);
  Model(const Model&) = delete;

  /// Learns the rows one after the other; `answers` are what it said before, unless empty. What
  /// throws changes nothing. A label beyond the classes is a new class.
  void learn(const Batch& batch, std::span<std::uint32_t> answers, int n_threads, Stop& stop);
  void predict(const Batch& batch, std::span<std::uint32_t> answers, Stop& stop);
  void predict_proba(const Batch& batch, std::span<double> probabilities, Stop& stop);
  /// Cuts that are known beforehand, by column: there is no warm-up then.
  void set_cuts(std::vector<std::vector<double>> cuts);

  std::size_t n_trees() const { return members_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  const OnlineTree& tree(std::size_t i) const { return members_.at(i).tree; }
  const Columns& columns() const { return columns_; }
  std::size_t n_bytes() const;
  std::uint64_t n_rows() const { return n_rows_; }
  bool has_cuts() const { return has_cuts_; }
  /// Rows at which trees of a forest were replaced.
  struct Swap {
    std::uint64_t row = 0;
    std::uint32_t tree = 0;
    std::uint32_t had_background = 0;
    template <class Bytes>
    void transfer(Bytes& bytes) {
      bytes(row, tree, had_background);
    }
  };
  const std::vector<Swap>& swaps() const { return swaps_; }

  std::vector<std::uint8_t> state();
  /// Throws std::invalid_argument if the bytes are damaged.
  void restore(std::span<const std::uint8_t> bytes);

 private:
  struct Member {
    OnlineTree tree;
    std::optional<OnlineTree> background;
    Adwin warning, drift;
    double right = 0, seen = 0;  // since it began
    std::uint64_t n_trees = 0;   // that had this place before
    std::uint32_t number = 0;
    std::vector<Swap> swaps;  // to be joined

    double accuracy() const { return seen > 0 ? right / seen : 1; }
  };
  /// All that learning changes.
  struct Saved {
    std::vector<OnlineTree::State> trees, backgrounds;
    std::vector<std::uint8_t> has_background;
    std::vector<Adwin> warnings, drifts;
    std::vector<double> right, seen;
    std::vector<std::uint64_t> n_trees;
    Columns columns;
    std::size_t n_classes = 0;
    bool has_cuts = false;
    std::uint64_t n_rows = 0;
    std::vector<double> kept;
    std::vector<Swap> swaps;

    template <class Bytes>
    void transfer(Bytes& bytes);
  };

  OnlineTree new_tree(std::uint32_t member, std::uint64_t number) const;
  void set_classes(std::size_t n_classes);
  void add_members();
  Saved save() const;
  void take(Saved saved);
  void check(const Saved& saved) const;
  void encode(const double* rows, std::size_t n);
  Row row(std::size_t i, const Batch& batch) const;
  bool note(const double* row);
  void keep(const double* row);
  void learn_stretch(const Batch& batch, std::size_t begin, std::size_t end,
                     std::span<std::uint32_t> answers, Pool& pool);
  void learn_member(Member& member, const Batch& batch, std::size_t begin, std::size_t end,
                    double* votes);
  void forest_probabilities(const Row& row, double* to, std::vector<double>& room);
  bool may_throw() const;

  ModelRules rules_;
  Columns columns_;
  std::size_t n_classes_;
  bool has_cuts_ = false;
  std::uint64_t n_rows_ = 0;
  std::vector<double> kept_;  // rows of the warm-up
  std::vector<Member> members_;
  std::vector<Swap> swaps_;
  // Of the rows at hand:
  std::size_t first_row_ = 0;  // of the batch
  std::vector<std::uint8_t> cells_, is_missing_;
  std::vector<double> numbers_;
};

}  // namespace ramify::online
