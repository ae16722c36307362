// SPDX-License-Identifier: BSD-3-Clause
// The splitter of trees whose nodes look at a few drawn columns, as those of forests do: rows lie
// as row-major codes, and a node is a list of members.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "choose/admissible.hpp"
#include "rows/near_rows.hpp"
#include "split/drawn.hpp"
#include "split/live_columns.hpp"
#include "split/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

template <class Key>
class DrawnSplitter {
 public:
  using Sum = typename Weigher<Key>::Sum;

  struct Waiting {
    std::uint32_t begin, end;
    int depth, place;
    std::uint64_t key;
    LiveColumns::Part live;
    std::uint64_t mask = 0;  // its rows, if they are bits; see MaskBlock
    int level = 0;           // of the copies that its members point to; see NearRows
    ItemRange items;         // its rows, if they lie in lists; see DrawnBlock
    std::uint32_t n_rows() const { return end - begin; }
  };
  static constexpr unsigned nodes_per_question = 32;  // to look at the clock takes time

  DrawnSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan, Pool& pool);

  Waiting root(const Node& node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t n_rows) const { return n_rows / 2; }
  bool is_leaf(const Waiting& node, std::span<const double> facts) const {
    return ramify::is_leaf(plan_, target_, node.depth, node.n_rows(), node.live.n > 0, facts);
  }
  Split best(Waiting& node, std::span<const double> facts, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting&, std::span<const double> facts, const Split& split) const {
    const double weight = plan_.min_decrease > 0 ? weight_of(target_, facts) : 0;  // else not asked
    return pays(plan_, target_, split, 1, weight);
  }
  double gain_unit(const Waiting&) const { return 1; }
  void part(Waiting& node, std::span<const double> facts, Split& split, Workers workers,
            std::vector<Waiting>& children);
  std::span<const double> facts(const Waiting&, std::size_t branch, Workers workers) const {
    return desks_[static_cast<std::size_t>(workers.first)]->facts[branch];
  }
  /// May all that follows from a node be grown at once?
  bool is_twig(const Waiting& node, std::span<const double> facts, Workers workers) const {
    if (node.n_rows() > Twig::most_rows || !desk(workers).search.may_grow_twigs()) return false;
    return rows_.layout().times_bits == 0 || weight_of(target_, facts) <= Twig::most_rows;
  }
  const Twig& grow_twig(const Waiting& node, std::span<const double> facts, Workers workers) {
    Desk& mine = desk(workers);
    return mine.search.grow_twig({rows_.members(node.begin, node.end), records(node, mine),
                                  values(node, mine), facts, node.key, 0},
                                 node.depth, mine.live.view(node.live));
  }
  Bounds bounds(const Waiting&) const { return {}; }
  void finish(Waiting&, Workers) const {}
  void hand_over(Waiting& node);
  void take_over(Waiting& node, Workers workers);

 private:
  /// What one thread needs.
  struct Desk {
    DrawnSearch<Key> search;
    std::vector<Member> spare;
    LiveColumns live;
    std::vector<std::uint32_t> branches;  // by code, where a threshold does not say it
    std::vector<Sum> counts;              // on its left, by class
    std::vector<double> facts[2];         // of its children
    NearRows near;
    std::uint32_t marks[64];  // a bit for each row of a block
  };
  CodeRecords records(const Waiting& node, const Desk& mine) const;
  ValueRecords values(const Waiting& node, const Desk& mine) const;
  void move_near(Waiting& node, Desk& mine);
  std::uint32_t part_masks(const Waiting& node, const Split& split, Desk& mine,
                           std::uint64_t& left);
  void start_block(Waiting& node, std::span<const double> facts,
                   std::span<const std::uint32_t> live, Desk& mine);
  void part_block(const Waiting& node, std::span<const double> facts, Split& split, Desk& mine,
                  std::vector<Waiting>& children);
  void part_lists(const Waiting& node, const Split& split, std::span<const Waiting> children,
                  bool is_left, Desk& mine);
  std::uint32_t mark(const Waiting& node, const Split& split, bool left, Desk& mine);
  std::uint32_t part_by_code(std::span<Member> members, const Waiting& node, const Split& split,
                             Desk& mine);
  std::uint32_t part_by_value(std::span<Member> members, const Waiting& node, const Split& split,
                              Desk& mine);
  std::uint32_t part_listed(std::span<Member> members, const Waiting& node, const Split& split,
                            Desk& mine);
  void count(std::span<const Member> members, Desk& mine) const {
    kernels().keys<Key>().count_members(members.data(), static_cast<std::uint32_t>(members.size()),
                                        {rows_.layout(), target_.weight.data()},
                                        static_cast<int>(n_classes_), mine.counts.data());
  }
  Desk& desk(Workers workers) const { return *desks_[static_cast<std::size_t>(workers.first)]; }

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  MemberRows rows_;
  std::vector<std::unique_ptr<Desk>> desks_;  // by thread
  HandedOver handed_over_;                    // live columns of nodes for other threads
  std::size_t n_classes_;
};

}  // namespace ramify
