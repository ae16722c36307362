// SPDX-License-Identifier: BSD-3-Clause
#include "grow/detached_subtree.hpp"

#include <stdexcept>
#include <utility>

#include "util/bytes.hpp"

namespace ramify {
namespace {

constexpr std::size_t grown_bytes = 90;  // a lower bound

void need(bool is_true) {
  if (!is_true) throw std::invalid_argument("the bytes are not a subtree with these columns");
}

/// Writes or reads the fields of a node.
template <class Bytes, class Node>
void transfer_node(Bytes& bytes, Node& node) {
  bytes(node.first_child, node.n_children, node.continued_in, node.column, node.threshold,
        node.gain, node.kind);
  bytes.wide(node.list_begin, node.list_end, node.missing_branch, node.default_branch);
  bytes(node.is_optimal);
  bytes.wide(node.n_rows);
  bytes(node.lower, node.upper);
}

template <class Bytes, class Part>
void transfer_subtree(Bytes& bytes, Part& part) {
  bytes.each(part.fragments, grown_bytes, [&](auto& fragment) {
    bytes.each(fragment.nodes, grown_bytes, [&](auto& node) { transfer_node(bytes, node); });
    bytes(fragment.sums, fragment.unit, fragment.listed, fragment.branches);
    bytes.wide(fragment.n_statistics);
    bytes.each(fragment.ledger, sizeof(int), [&](auto& entry) {
      bytes(entry.place);
      transfer(bytes, entry.candidates);
    });
  });
}

void check(SplitKind kind) { need(kind <= SplitKind::intervals); }

}  // namespace

void check_split(const Split& split, std::size_t n_columns) {
  check(split.kind);
  need(split.column >= -1 && std::cmp_less(split.column, n_columns));
  need(split.codes.size() == split.branches.size());
  for (const std::uint32_t branch : split.branches) need(branch < split.n_branches);
}

void check_candidates(std::span<const Recorded> candidates, std::size_t n_columns) {
  for (const Recorded& candidate : candidates) check_split(candidate.split, n_columns);
}

namespace {

/// Checks that a fragment refers only to existing nodes, lists and fragments.
void check(const DetachedSubtree& part, std::size_t index, std::size_t n_columns,
           std::size_t n_statistics) {
  const Fragment& fragment = part.fragments[index];
  const auto n_nodes = static_cast<std::int64_t>(fragment.nodes.size());
  need(n_nodes > 0 && fragment.n_statistics == n_statistics && fragment.unit > 0);
  need(fragment.sums.size() == fragment.nodes.size() * n_statistics);
  need(fragment.listed.size() == fragment.branches.size());
  std::vector<bool> is_child(fragment.nodes.size());  // of at most one node
  for (std::int64_t place = 0; place < n_nodes; ++place) {
    const Fragment::Grown& node = fragment.nodes[place];
    check(node.kind);
    if (node.continued_in >= 0)
      need(static_cast<std::size_t>(node.continued_in) > index &&
           static_cast<std::size_t>(node.continued_in) < part.fragments.size());
    if (node.n_children == 0) continue;
    need(node.n_children >= 2 && node.first_child > place &&
         std::int64_t{node.first_child} + node.n_children <= n_nodes);
    for (int i = 0; i < node.n_children; ++i) {
      const auto child = static_cast<std::size_t>(node.first_child + i);
      need(!is_child[child]);
      is_child[child] = true;
    }
    need(node.column >= 0 && static_cast<std::size_t>(node.column) < n_columns);
    need(node.list_begin <= node.list_end && node.list_end <= fragment.listed.size());
    need(node.default_branch >= 0 && node.default_branch < node.n_children &&
         node.missing_branch >= Tree::every_branch && node.missing_branch < node.n_children);
    for (std::size_t i = node.list_begin; i < node.list_end; ++i)
      need(fragment.branches[i] >= 0 && fragment.branches[i] < node.n_children);
  }
  for (const Fragment::Entry& entry : fragment.ledger) {
    need(entry.place >= 0 && entry.place < n_nodes);
    check_candidates(entry.candidates, n_columns);
  }
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const DetachedSubtree& part) {
  ByteWriter to;
  transfer_subtree(to, part);
  return to.take();
}

DetachedSubtree subtree_from(std::span<const std::uint8_t> bytes, std::size_t n_columns,
                             std::size_t n_statistics) {
  ByteReader from(bytes);
  DetachedSubtree part;
  transfer_subtree(from, part);
  need(from.is_at_end() && !part.fragments.empty());
  std::vector<bool> is_continued(part.fragments.size());
  for (std::size_t i = 0; i < part.fragments.size(); ++i) {
    check(part, i, n_columns, n_statistics);
    for (const Fragment::Grown& node : part.fragments[i].nodes) {
      if (node.continued_in < 0) continue;
      need(!is_continued[node.continued_in]);
      is_continued[node.continued_in] = true;
    }
  }
  return part;
}

}  // namespace ramify
