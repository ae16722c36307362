// SPDX-License-Identifier: BSD-3-Clause
#include "dgmml/splitter.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dgmml/moment_kernels.hpp"

namespace ramify {
namespace {

/// Up to this many rows, adding them up is faster than subtracting the moments of their classes.
std::size_t few_rows(const Moments& moments) { return 4 * moments.n_channels(); }

}  // namespace

DgmmlSplitter::DgmmlSplitter(const Table& table, std::span<const std::uint32_t> rows,
                             const Target& target, const Plan& plan, Pool& pool)
    : table_(table),
      target_(target),
      plan_(plan),
      pool_(pool),
      search_(table, rows, target, plan,
              plan.max_columns == 0 ? &block_.emplace(table, rows, pool) : nullptr),
      row_indices_(target.n_rows),
      scratch_(static_cast<std::size_t>(pool.size())) {
  std::iota(row_indices_.begin(), row_indices_.end(), 0u);
}

DgmmlSplitter::Waiting DgmmlSplitter::root(Node node) {
  Waiting first{std::make_unique<Body>(Body{std::move(node), {}})};
  const std::vector<double> origin(block_ ? block_->stride() : 0);
  const auto centre = [&](std::uint32_t) { return origin.data(); };
  if (block_) sum_moments(first.body->node, centre, scratch_, first.body->moments);
  return first;
}

Split DgmmlSplitter::best(Waiting& waiting, std::span<const double>, Workers workers,
                          const std::function<bool()>&) {
  Body& body = *waiting.body;
  return search_.best({body.node, members(body.node), block_ ? &body.moments : nullptr},
                      workers.of(scratch_)[0].search);
}

bool DgmmlSplitter::is_worth(const Waiting&, std::span<const double> statistics,
                             const Split& split) const {
  return pays(plan_, target_, split, 1, weight_of(target_, statistics));
}

void DgmmlSplitter::partition(Waiting& waiting, std::span<const double>, Split& split,
                              Workers workers, std::vector<Waiting>& children) {
  const std::span<Buffers> scratch = workers.of(scratch_);
  const Node& node = waiting.body->node;
  children.clear();
  for (std::size_t i = 0; i < 2; ++i) children.push_back({child_of(node, i)});
  Body &left = *children[0].body, &right = *children[1].body;
  partition_indices(node, split, left.node, right.node, scratch[0]);
  if (block_) part_moments(*waiting.body, left, right, scratch);
}

std::unique_ptr<DgmmlSplitter::Body> DgmmlSplitter::child_of(const Node& node,
                                                             std::size_t branch) const {
  auto body = std::make_unique<Body>();
  body->node.sums.assign(node.sums.size(), 0);
  body->node.depth = node.depth + 1;
  body->node.key = child_key(node.key, branch);
  body->node.non_constant = node.non_constant;
  return body;
}

/// Partitions the rows of a node.
void DgmmlSplitter::partition_indices(const Node& node, const Split& split, Node& left, Node& right,
                                      Buffers& mine) {
  const std::span<std::uint32_t> rows = members(node);
  const std::span<const std::uint32_t> codes = search_.codes_of(rows, split.column, mine.search);
  const std::uint32_t n_codes = table_.columns[split.column].n_codes();
  if (mine.spare.size() < rows.size()) mine.spare.resize(rows.size());
  const auto partition_rows = [&](auto goes_left) {  // stable and branch-free
    std::size_t n_left = 0, n_right = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      const bool is_left = goes_left(codes[i]);
      rows[n_left] = row;
      mine.spare[n_right] = row;
      n_left += is_left;
      n_right += !is_left;
    }
    std::copy_n(mine.spare.begin(), n_right, rows.begin() + static_cast<std::ptrdiff_t>(n_left));
    return n_left;
  };
  std::size_t n_left = 0;
  if (split.kind == SplitKind::threshold)
    n_left =
        partition_rows([=, highest = split.code, missing = split.missing_left](std::uint32_t code) {
          return code == n_codes ? missing : code <= highest;
        });
  else
    n_left = partition_rows([&](std::uint32_t code) {
      const auto at = std::ranges::lower_bound(split.codes, code);
      if (at == split.codes.end() || *at != code) return split.missing_left;
      return split.branches[static_cast<std::size_t>(at - split.codes.begin())] == 0;
    });
  left.begin = node.begin;
  left.end = right.begin = node.begin + static_cast<std::uint32_t>(n_left);
  right.end = node.end;
  for (const std::uint32_t row : members(left))
    left.sums[target_.classes[row]] += target_.weight_of(row);
  for (std::size_t k = 0; k < node.sums.size(); ++k) right.sums[k] = node.sums[k] - left.sums[k];
}

/// Sums over the rows of the smaller child; the other is the difference to the parent.
void DgmmlSplitter::part_moments(Body& parent, Body& left, Body& right,
                                 std::span<Buffers> scratch) {
  const bool left_is_smaller = left.node.n_rows() <= right.node.n_rows();
  Body& small = left_is_smaller ? left : right;
  Body& large = left_is_smaller ? right : left;
  const bool needs_small = !ramify::is_leaf(plan_, target_, small.node);
  const bool needs_large = !ramify::is_leaf(plan_, target_, large.node);
  Moments& all = parent.moments;
  const auto centre = [&](std::uint32_t k) {
    const auto at = std::ranges::lower_bound(all.classes, k) - all.classes.begin();
    return all.mean.data() + static_cast<std::size_t>(at) * all.n_columns;
  };
  const auto is_small = [&](const Node& node) { return node.n_rows() <= few_rows(all); };
  if (needs_small || (needs_large && !is_small(large.node)))
    sum_moments(small.node, centre, scratch, small.moments);
  if (!needs_large) return;
  if (is_small(large.node)) return sum_moments(large.node, centre, scratch, large.moments);
  large.moments = std::exchange(all, {});
  large.moments.subtract(small.moments, large.node.sums);
}

/// The moments of a node from its rows, as deviations from centre_of(class). Threads share the
/// columns, so that no sum depends on their number.
template <class Centre>
void DgmmlSplitter::sum_moments(const Node& node, Centre centre_of, std::span<Buffers> scratch,
                                Moments& moments) {
  const std::size_t n_columns = block_->stride();
  moments.start(node.sums, n_columns, block_->has_missing());
  std::vector<std::uint32_t>& channel = scratch[0].search.channel_of;
  channel.resize(node.sums.size());
  std::vector<const double*>& centre = scratch[0].centre;
  centre.clear();
  for (std::uint32_t k = 0; k < moments.classes.size(); ++k) {
    channel[moments.classes[k]] = k;
    centre.push_back(centre_of(moments.classes[k]));
  }
  const auto sum = [&](std::size_t begin, std::size_t end) {
    moment_kernels().sum_moments(
        {.block = block_->values(),
         .stride = n_columns,
         .rows = row_indices_.data() + node.begin,
         .n = node.end - node.begin,
         .classes = target_.classes.data(),
         .channel = channel.data(),
         .weight = target_.weight.empty() ? nullptr : target_.weight.data(),
         .centre = centre.data(),
         .begin = begin,
         .end = end,
         .first = moments.mean.data(),
         .second = moments.deviation.data(),
         .known = moments.has_missing ? moments.weight.data() : nullptr});
  };
  const std::size_t n_parts = std::min(scratch.size(), n_columns);
  if (n_parts > 1 && node.n_rows() * n_columns > shared_cells)
    pool_.run(static_cast<int>(n_parts), [&](int i, int) {
      const auto partition = static_cast<std::size_t>(i);
      sum(partition * n_columns / n_parts, (partition + 1) * n_columns / n_parts);
    });
  else
    sum(0, n_columns);
  moments.finish(centre);
  // One row of each class: there are no deviations that could be doubtful.
  if (node.n_rows() == moments.n_channels()) std::ranges::fill(moments.scale, 0);
}

}  // namespace ramify
