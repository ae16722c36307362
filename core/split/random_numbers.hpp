// SPDX-License-Identifier: BSD-3-Clause
// The splitter of trees of numbers that draw their cuts: one pass over the values of the rows finds
// the ends of all columns, a second one what lies left of the cuts. Nothing is sorted or coded.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rows/near_rows.hpp"
#include "split/drawn_kernels.hpp"
#include "split/measured.hpp"
#include "split/twig.hpp"
#include "split/urn.hpp"
#include "util/parallel.hpp"

namespace ramify {

class RandomNumbers : public MeasuredSplitter {
 public:
  struct Waiting : MeasuredNode {
    std::uint32_t begin = 0, end = 0;
    int level = 0;  // of the copies that its members point to; see NearRows
    std::uint32_t n_rows() const { return end - begin; }
  };

  /// Does it grow such trees? One output, a criterion of sums, rows with a value in every column.
  static bool fits(const Table& table, const Target& target, const Plan& plan);

  RandomNumbers(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan, Pool& pool);

  /// Measures the node, too.
  Waiting root(Node& node);
  Split best(Waiting& node, std::span<const double> facts, Workers workers,
             const std::function<bool()>& must_stop);
  void part(Waiting& node, std::span<const double> facts, Split& split, Workers workers,
            std::vector<Waiting>& children);
  std::span<const double> facts(const Waiting& node, std::size_t, Workers workers);
  /// All that follows from a small node is grown at once (random_twigs.cpp).
  bool is_twig(const Waiting& node, std::span<const double>, Workers) const {
    return node.n_rows() <= Twig::most_rows;
  }
  const Twig& grow_twig(const Waiting& node, std::span<const double> facts, Workers workers);
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// A node of a twig.
  struct TwigWaiting : MeasuredNode {
    std::uint64_t rows = 0;
    std::uint32_t n_rows = 0;
  };
  /// The first of the best cuts.
  struct Choice {
    int column = -1;
    double score = minus_infinity;
  };
  struct TwigChoice : Choice {
    std::uint32_t n_left = 0;
    std::uint64_t left = 0;
    double threshold = 0;
  };
  /// The twig of a thread, and what its rows have by lane.
  struct TwigDesk {
    Twig twig{};
    TwigRows rows{};
    LiveColumns live{};
    std::vector<TwigWaiting> waiting{};
    std::vector<std::uint32_t> constant{};
    double number[Twig::most_rows], weight[Twig::most_rows], marks[Twig::most_rows];
    double found[Twig::most_rows];  // marks of the rows of a node, one after the other
  };
  /// What one thread needs.
  struct Desk {
    NearRows near;
    LiveColumns live{};
    Urn urn{};
    NumberBuffers numbers{};
    std::vector<Member> spare{};
    std::vector<double> least{}, most{}, threshold{};  // by column, floats or doubles
    std::vector<double> weight{}, sum{};               // by column, left of its cut
    std::vector<std::uint32_t> n_left{};
    std::vector<double> facts{};
    TwigDesk twig{};

    void make_room(std::size_t n_columns);
  };
  Desk& desk(Workers workers) { return *desks_[static_cast<std::size_t>(workers.first)]; }
  ValueRecords values(const Waiting& node, const Desk& mine) const;
  void move_near(Waiting& node, Desk& mine);
  void measure(Waiting& node, Desk& mine);
  Split best_of(const Waiting& node, std::span<const std::uint32_t> columns, Desk& mine);
  void split_twig(TwigWaiting node, Desk& mine);
  void best_in_twig(const TwigWaiting& node, std::span<const std::uint32_t> columns, Desk& mine,
                    TwigChoice& best);
  void measure_twig(TwigWaiting& node, Desk& mine);
  Choice choose(const MeasuredNode& node, std::uint32_t n_rows,
                std::span<const std::uint32_t> columns, const Desk& mine) const;

  ValueRecords records_;
  std::vector<Member> members_;  // by target and by record
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace ramify
