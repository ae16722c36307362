// SPDX-License-Identifier: BSD-3-Clause
// The splitter of dGMML trees: rows lie in a row-major block of values, a node knows the moments of
// its classes in all columns, and no list is kept in order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dgmml/moments.hpp"
#include "dgmml/search.hpp"
#include "splitters/splitter.hpp"
#include "util/parallel.hpp"

namespace ramify {

class DgmmlSplitter {
 public:
  struct Waiting {
    struct Body {
      Node node;
      Moments moments;  // empty if columns are sampled at each node
    };
    std::unique_ptr<Body> body;
    int place = 0;  // in its fragment
    std::uint32_t n_rows() const { return body->node.n_rows(); }
  };
  static constexpr unsigned nodes_per_request = 1;

  DgmmlSplitter(const Table& table, std::span<const std::uint32_t> rows, const Target& target,
                const Plan& plan, Pool& pool);

  Waiting root(Node node);
  double unit() const { return target_.unit; }
  std::uint32_t min_shared_rows() const { return 2048; }
  std::size_t expected_nodes(std::uint32_t) const { return 0; }
  bool is_leaf(const Waiting& waiting, std::span<const double>) const {
    return ramify::is_leaf(plan_, target_, waiting.body->node);
  }
  Split best(Waiting& waiting, std::span<const double> statistics, Workers workers,
             const std::function<bool()>& must_stop);
  bool is_worth(const Waiting& waiting, std::span<const double> statistics,
                const Split& split) const;
  double gain_unit(const Waiting&) const { return 1; }
  void partition(Waiting& waiting, std::span<const double> statistics, Split& split,
                 Workers workers, std::vector<Waiting>& children);
  std::span<const double> statistics(const Waiting& waiting, std::size_t, Workers) const {
    return waiting.body->node.sums;
  }
  Bounds bounds(const Waiting&) const { return {}; }
  void finish(Waiting& waiting, Workers) { waiting.body.reset(); }
  void hand_over(Waiting&) const {}
  void take_over(Waiting&, Workers) const {}

 private:
  using Body = Waiting::Body;
  /// What one thread needs.
  struct Buffers {
    DgmmlScratch search;
    std::vector<std::uint32_t> spare;
    std::vector<const double*> centre;  // by channel
  };

  std::span<std::uint32_t> members(const Node& node) {
    return std::span(row_indices_).subspan(node.begin, node.n_rows());
  }
  std::unique_ptr<Body> child_of(const Node& node, std::size_t branch) const;
  void partition_indices(const Node& node, const Split& split, Node& left, Node& right,
                         Buffers& mine);
  void part_moments(Body& parent, Body& left, Body& right, std::span<Buffers> scratch);
  template <class Centre>
  void sum_moments(const Node& node, Centre centre_of, std::span<Buffers> scratch,
                   Moments& moments);

  const Table& table_;
  const Target& target_;
  const Plan& plan_;
  Pool& pool_;
  std::optional<ValueBlock> block_;  // none if columns are sampled at each node
  DgmmlSearch search_;
  std::vector<std::uint32_t> row_indices_;  // training rows; those of a node are adjacent
  std::vector<Buffers> scratch_;            // by thread
};

}  // namespace ramify
