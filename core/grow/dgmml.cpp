// SPDX-License-Identifier: BSD-3-Clause
#include "grow/dgmml.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "grow/steps.hpp"
#include "split/dgmml.hpp"

namespace ramify {
namespace {

/// Threads share the columns of nodes above this size; smaller nodes go, with all that grows from
/// them, to one thread.
constexpr std::uint32_t min_shared_rows = 2048;

/// Nodes with more cells than this are worth waking the other threads for.
constexpr std::size_t parallel_cells = 40'000;

class DgmmlGrower {
 public:
  explicit DgmmlGrower(const DgmmlTask& task)
      : table_(task.table),
        target_(task.target),
        plan_(with_limits(task)),
        pool_(std::max(1, plan_.n_threads)),
        search_(task.table, task.rows, task.target, plan_,
                plan_.max_columns == 0 ? &block_.emplace(task.table, task.rows, pool_) : nullptr),
        members_(task.target.n_rows),
        scratch_(static_cast<std::size_t>(pool_.size())),
        recorder_{task.table, task.target, plan_.missing} {
    std::iota(members_.begin(), members_.end(), 0u);
  }

  void grow(Node root, std::vector<Fragment>& fragments) {
    fragments.resize(1);
    const std::uint32_t shared =
        pool_.size() == 1 ? 0
                          : std::max(min_shared_rows,
                                     target_.n_rows / (8u * static_cast<unsigned>(pool_.size())));
    Pending first{std::move(root), {}, 0};
    const std::vector<double> origin(block_ ? block_->stride() : 0);
    const auto centre = [&](std::uint32_t) { return origin.data(); };
    if (block_) sum_moments(first.node, centre, scratch_, first.moments);
    std::vector<Pending> subtrees;
    fragments[0] = grow_fragment(std::move(first), shared, scratch_, 0, &subtrees);
    // Big subtrees first, so that the threads finish together.
    std::ranges::stable_sort(subtrees, std::greater{},
                             [](const Pending& p) { return p.node.n_rows(); });
    fragments.resize(1 + subtrees.size());
    for (std::size_t i = 0; i < subtrees.size(); ++i)
      fragments[0].nodes[subtrees[i].place].continued_in = static_cast<int>(i) + 1;
    pool_.run(static_cast<int>(subtrees.size()), [&](int i, int worker) {
      subtrees[i].place = 0;
      fragments[i + 1] = grow_fragment(std::move(subtrees[i]), 0,
                                       std::span(scratch_).subspan(worker, 1), worker, nullptr);
    });
    if (stopped_) throw Stopped{};
  }

 private:
  struct Buffers {
    DgmmlScratch search;
    std::vector<std::uint32_t> spare;
    std::vector<const double*> centre;  // by channel
    std::vector<Moments> unused;        // room for the next
  };
  struct Pending {
    Node node;
    Moments moments;  // empty if columns are drawn at each node
    int place;        // in its fragment
  };

  static Plan with_limits(const DgmmlTask& task) {
    Plan plan = task.plan;
    plan.min_leaf_weight = plan.min_leaf_share * plan.training_weight / task.target.unit;
    return plan;
  }

  std::span<std::uint32_t> members(const Node& node) {
    return std::span(members_).subspan(node.begin, node.n_rows());
  }

  /// Grows all that follows from a node. Nodes of fewer than `shared` rows are left to others.
  Fragment grow_fragment(Pending first, std::uint32_t shared, std::span<Buffers> scratch,
                         int worker, std::vector<Pending>* subtrees) {
    Fragment fragment;
    fragment.unit = target_.unit;
    fragment.add(first.node, target_.n_all_classes());
    std::vector<Pending> stack;
    stack.push_back(std::move(first));
    while (!stack.empty()) {
      Pending pending = std::move(stack.back());
      stack.pop_back();
      if (must_stop(worker)) break;
      Node& node = pending.node;
      if (is_leaf(plan_, target_, node)) {
        finish(pending, scratch[0]);
        continue;
      }
      if (subtrees && node.n_rows() < shared) {
        subtrees->push_back(std::move(pending));
        continue;
      }
      const Split split = search_.best({node, members(node), block_ ? &pending.moments : nullptr},
                                       scratch[0].search);
      if (!is_worth(node, split)) {
        finish(pending, scratch[0]);
        continue;
      }
      std::vector<Node> children = children_of(node, 2);
      part_rows(node, split, children[0], children[1], scratch[0]);
      const int place = recorder_.record(fragment, pending.place, split, children);
      Pending left{std::move(children[0]), {}, place}, right{std::move(children[1]), {}, place + 1};
      if (block_) part_moments(pending, left, right, scratch);
      give_back(pending.moments, scratch[0]);
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
    if (stopped_ && worker == 0) throw Stopped{};
    return fragment;
  }

  bool is_worth(const Node& node, const Split& split) const {
    if (!split.exists()) return false;
    const double share = weight_of(target_, node.sums) * target_.unit / plan_.training_weight;
    return share * split.score + 1e-12 >= plan_.min_decrease;
  }

  /// Parts the rows of a node.
  void part_rows(const Node& node, const Split& split, Node& left, Node& right, Buffers& mine) {
    const std::span<std::uint32_t> rows = members(node);
    if (mine.search.column != split.column) search_.read_codes(rows, split.column, mine.search);
    const std::uint32_t n_codes = table_.columns[split.column].n_codes();
    if (mine.spare.size() < rows.size()) mine.spare.resize(rows.size());
    const auto partition = [&](auto goes_left) {  // in order, and without a branch to guess
      std::size_t n_left = 0, n_right = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t row = rows[i];
        const bool is_left = goes_left(mine.search.codes[i]);
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
          partition([=, highest = split.code, missing = split.missing_left](std::uint32_t code) {
            return code == n_codes ? missing : code <= highest;
          });
    else
      n_left = partition([&](std::uint32_t code) {
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

  /// Looks at the rows of the smaller child; the other is what is left of the parent.
  void part_moments(Pending& parent, Pending& left, Pending& right, std::span<Buffers> scratch) {
    const bool left_is_smaller = left.node.n_rows() <= right.node.n_rows();
    Pending& small = left_is_smaller ? left : right;
    Pending& large = left_is_smaller ? right : left;
    const bool needs_small = !is_leaf(plan_, target_, small.node);
    const bool needs_large = !is_leaf(plan_, target_, large.node);
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

  /// So many rows are added up sooner than the moments of their classes are subtracted.
  static std::size_t few_rows(const Moments& moments) { return 4 * moments.n_channels(); }

  /// The moments of a node from its rows, as deviations from centre_of(class). Threads share the
  /// columns, so that no sum depends on their number.
  template <class Centre>
  void sum_moments(const Node& node, Centre centre_of, std::span<Buffers> scratch,
                   Moments& moments) {
    const std::size_t n_columns = block_->stride();
    if (!scratch[0].unused.empty()) {
      moments = std::move(scratch[0].unused.back());
      scratch[0].unused.pop_back();
    }
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
      kernels().sum_moments({block_->values(), n_columns, members_.data() + node.begin,
                             node.n_rows(), target_.classes.data(), channel.data(),
                             target_.weight.empty() ? nullptr : target_.weight.data(),
                             centre.data(), begin, end, moments.mean.data(),
                             moments.deviation.data(),
                             moments.has_missing ? moments.weight.data() : nullptr});
    };
    const std::size_t n_parts = std::min(scratch.size(), n_columns);
    if (n_parts > 1 && node.n_rows() * n_columns > parallel_cells)
      pool_.run(static_cast<int>(n_parts), [&](int i, int) {
        const auto part = static_cast<std::size_t>(i);
        sum(part * n_columns / n_parts, (part + 1) * n_columns / n_parts);
      });
    else
      sum(0, n_columns);
    moments.finish(centre);
    // One row of each class: there are no deviations to be in doubt about.
    if (node.n_rows() == moments.n_channels()) std::ranges::fill(moments.scale, 0);
  }

  void finish(Pending& pending, Buffers& mine) {
    progress_.rows_done.fetch_add(pending.node.n_rows(), std::memory_order_relaxed);
    give_back(pending.moments, mine);
  }

  static void give_back(Moments& moments, Buffers& mine) {
    if (moments.n_columns > 0) mine.unused.push_back(std::move(moments));
    moments = {};
  }

  /// Only the caller's own thread asks the caller.
  bool must_stop(int worker) {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (worker == 0 && progress_.must_stop()) stopped_ = true;
    return stopped_;
  }

  const Table& table_;
  const Target& target_;
  const Plan plan_;
  Pool pool_;
  std::optional<ValueBlock> block_;  // none if columns are drawn at each node
  DgmmlSearch search_;
  std::vector<std::uint32_t> members_;  // training rows; those of a node side by side
  std::vector<Buffers> scratch_;
  Recorder recorder_;
  Progress progress_{plan_};
  std::atomic<bool> stopped_{false};
};

}  // namespace

void grow_dgmml(const DgmmlTask& task, Node root, std::vector<Fragment>& fragments) {
  DgmmlGrower(task).grow(std::move(root), fragments);
}

}  // namespace ramify
