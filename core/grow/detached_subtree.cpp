// SPDX-License-Identifier: BSD-3-Clause
#include "grow/detached_subtree.hpp"

#include <stdexcept>
#include <utility>

#include "util/bytes.hpp"

namespace ramify {
namespace {

constexpr std::size_t split_bytes = 97, grown_bytes = 90;  // lower bounds

void need(bool is_true) {
  if (!is_true) throw std::invalid_argument("the bytes are not a subtree with these columns");
}

void write(ByteWriter& to, const Fragment::Grown& node) {
  for (const int number : {node.first_child, node.n_children, node.continued_in, node.column})
    to.add(number);
  to.add(node.threshold);
  to.add(node.gain);
  to.add(static_cast<std::uint8_t>(node.kind));
  to.add(static_cast<std::uint64_t>(node.list_begin));
  to.add(static_cast<std::uint64_t>(node.list_end));
  to.add(static_cast<std::int64_t>(node.missing_branch));
  to.add(static_cast<std::int64_t>(node.default_branch));
  to.add(static_cast<std::uint8_t>(node.is_optimal));
  to.add(static_cast<std::uint64_t>(node.n_rows));
  to.add(node.lower);
  to.add(node.upper);
}

SplitKind kind_from(ByteReader& from) {
  const auto kind = from.next<std::uint8_t>();
  need(kind != static_cast<std::uint8_t>(SplitKind::hyperplane) &&
       kind <= static_cast<std::uint8_t>(SplitKind::intervals));
  return static_cast<SplitKind>(kind);
}

/// Copies an eight-byte number into a field that may be smaller.
template <class Wide, class Field>
void take(Wide number, Field& field) {
  need(std::in_range<Field>(number));
  field = static_cast<Field>(number);
}

Fragment::Grown read_grown(ByteReader& from) {
  Fragment::Grown node;
  for (int* number : {&node.first_child, &node.n_children, &node.continued_in, &node.column})
    *number = from.next<int>();
  node.threshold = from.next<double>();
  node.gain = from.next<double>();
  node.kind = kind_from(from);
  take(from.next<std::uint64_t>(), node.list_begin);
  take(from.next<std::uint64_t>(), node.list_end);
  take(from.next<std::int64_t>(), node.missing_branch);
  take(from.next<std::int64_t>(), node.default_branch);
  node.is_optimal = from.next<std::uint8_t>() != 0;
  take(from.next<std::uint64_t>(), node.n_rows);
  node.lower = from.next<double>();
  node.upper = from.next<double>();
  return node;
}

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
    const Fragment::Grown& node = fragment.nodes[static_cast<std::size_t>(place)];
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
  for (const Fragment::Entry& entry : fragment.ledger)
    need(entry.place >= 0 && entry.place < n_nodes);
}

}  // namespace

void write(ByteWriter& to, const Split& split) {
  to.add(split.column);
  for (const double number : {split.score, split.tie_break, split.threshold, split.best,
                              split.share_left, split.branch_entropy})
    to.add(number);
  for (const std::uint32_t number : {split.code, split.next_code, split.n_branches, split.n_tried})
    to.add(number);
  to.add(static_cast<std::uint64_t>(split.rows_left));
  for (const bool flag : {split.missing_left, split.saw_missing, split.is_chosen, split.is_optimal})
    to.add(static_cast<std::uint8_t>(flag));
  to.add(static_cast<std::uint8_t>(split.kind));
  to.add(split.codes);
  to.add(split.branches);
}

Split read_split(ByteReader& from, std::size_t n_columns) {
  Split split;
  split.column = from.next<int>();
  for (double* number : {&split.score, &split.tie_break, &split.threshold, &split.best,
                         &split.share_left, &split.branch_entropy})
    *number = from.next<double>();
  for (std::uint32_t* number : {&split.code, &split.next_code, &split.n_branches, &split.n_tried})
    *number = from.next<std::uint32_t>();
  split.rows_left = static_cast<decltype(split.rows_left)>(from.next<std::uint64_t>());
  for (bool* flag : {&split.missing_left, &split.saw_missing, &split.is_chosen, &split.is_optimal})
    *flag = from.next<std::uint8_t>() != 0;
  split.kind = kind_from(from);
  split.codes = from.list<std::uint32_t>();
  split.branches = from.list<std::uint32_t>();
  need(split.column >= -1 && split.column < static_cast<std::int64_t>(n_columns));
  need(split.codes.size() == split.branches.size());
  for (const std::uint32_t branch : split.branches) need(branch < split.n_branches);
  return split;
}

void write(ByteWriter& to, const std::vector<Recorded>& candidates) {
  to.add(static_cast<std::uint64_t>(candidates.size()));
  for (const Recorded& candidate : candidates) {
    write(to, candidate.split);
    to.add(candidate.also);
  }
}

std::vector<Recorded> read_candidates(ByteReader& from, std::size_t n_columns) {
  std::vector<Recorded> candidates(from.length(split_bytes));
  for (Recorded& candidate : candidates) {
    candidate.split = read_split(from, n_columns);
    candidate.also = from.list<double>();
  }
  return candidates;
}

std::vector<std::uint8_t> to_bytes(const DetachedSubtree& part) {
  ByteWriter to;
  to.add(static_cast<std::uint64_t>(part.fragments.size()));
  for (const Fragment& fragment : part.fragments) {
    to.add(static_cast<std::uint64_t>(fragment.nodes.size()));
    for (const Fragment::Grown& node : fragment.nodes) write(to, node);
    to.add(fragment.sums);
    to.add(fragment.unit);
    to.add(fragment.listed);
    to.add(fragment.branches);
    to.add(static_cast<std::uint64_t>(fragment.n_statistics));
    to.add(static_cast<std::uint64_t>(fragment.ledger.size()));
    for (const Fragment::Entry& entry : fragment.ledger) {
      to.add(entry.place);
      write(to, entry.candidates);
    }
  }
  return to.take();
}

DetachedSubtree subtree_from(std::span<const std::uint8_t> bytes, std::size_t n_columns,
                             std::size_t n_statistics) {
  ByteReader from(bytes);
  DetachedSubtree part;
  part.fragments.resize(from.length(grown_bytes));
  for (Fragment& fragment : part.fragments) {
    fragment.nodes.resize(from.length(grown_bytes));
    for (Fragment::Grown& node : fragment.nodes) node = read_grown(from);
    fragment.sums = from.list<double>();
    fragment.unit = from.next<double>();
    fragment.listed = from.list<double>();
    fragment.branches = from.list<std::int64_t>();
    fragment.n_statistics = from.next<std::uint64_t>();
    fragment.ledger.resize(from.length(4));
    for (Fragment::Entry& entry : fragment.ledger) {
      entry.place = from.next<int>();
      entry.candidates = read_candidates(from, n_columns);
    }
  }
  need(from.is_at_end() && !part.fragments.empty());
  std::vector<bool> is_continued(part.fragments.size());
  for (std::size_t i = 0; i < part.fragments.size(); ++i) {
    check(part, i, n_columns, n_statistics);
    for (const Fragment::Grown& node : part.fragments[i].nodes) {
      if (node.continued_in < 0) continue;
      need(!is_continued[static_cast<std::size_t>(node.continued_in)]);
      is_continued[static_cast<std::size_t>(node.continued_in)] = true;
    }
  }
  return part;
}

}  // namespace ramify
