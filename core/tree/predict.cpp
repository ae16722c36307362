// SPDX-License-Identifier: BSD-3-Clause
#include "tree/predict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tree/walk.hpp"

namespace ramify {
namespace {

/// Stores an index in a NaN, and reads it back; up to 2^22 in a float.
double hidden(std::size_t number) {
  return std::bit_cast<double>(std::uint64_t{0x7ff8} << 48 | number);
}
std::uint32_t found_in(double nan) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(nan));
}
float hidden_in_float(std::uint32_t number) { return std::bit_cast<float>(0x7fc00000u | number); }
std::uint32_t found_in(float nan) { return std::bit_cast<std::uint32_t>(nan) & 0x3fffffu; }

}  // namespace

void Predictor::append(const TreeView& tree) {
  if (tree.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a tree has more than 2^32 nodes");
  Rooted rooted{.begin = nodes_.size(),
                .leaf_begin = leaf_nodes_.size(),
                .small_begin = small_nodes_.size(),
                .share_begin = share_.size(),
                .n_nodes = static_cast<std::uint32_t>(tree.size()),
                .n_leaves = 0,
                .depth = 0,
                .is_small = false,
                .is_listed = false,
                .is_fractional = false};
  const std::size_t values_begin = split_value_.size(), terms_begin = terms_.size();
  split_value_.insert(split_value_.end(), tree.split_value.begin(), tree.split_value.end());
  split_branch_.insert(split_branch_.end(), tree.split_branch.begin(), tree.split_branch.end());
  for (std::size_t i = 0; i < tree.term_column.size(); ++i) {
    terms_.push_back(tree.term(i));
    n_columns_ = std::max(n_columns_, tree.term_column[i] + 1);
  }
  for (std::size_t node = 0; node < tree.size(); ++node)
    rooted.is_fractional |=
        tree.children_left[node] >= 0 && tree.missing_branch[node] == Tree::every_branch;
  std::vector<std::size_t> original{0};  // index in the tree of each node here
  original.reserve(tree.size());
  if (rooted.is_fractional) share_.push_back(1);
  std::size_t level_end = 1;
  for (std::size_t i = 0; i < original.size(); ++i) {  // grows as it goes: level by level
    if (i == level_end) {
      ++rooted.depth;
      level_end = original.size();
    }
    const std::size_t node = original[i];
    if (rooted.is_fractional) n_children_.push_back(0);
    if (tree.children_left[node] < 0) {
      nodes_.push_back({hidden(leaf_nodes_.size() - rooted.leaf_begin), missing_left_bit,
                        static_cast<std::uint32_t>(i)});
      leaf_nodes_.push_back(static_cast<std::uint32_t>(node));
      continue;
    }
    n_columns_ = std::max(n_columns_, tree.feature[node] + 1);
    if (tree.feature[node] > feature_mask)
      throw std::invalid_argument("a tree uses a column beyond 2^30");
    const auto other = static_cast<std::uint32_t>(tree.default_branch[node]);
    const std::uint32_t missing = tree.missing_branch[node] == Tree::every_branch
                                      ? other
                                      : static_cast<std::uint32_t>(tree.missing_branch[node]);
    Node packed{
        tree.threshold[node],
        static_cast<std::uint32_t>(tree.feature[node]) | (missing == 0 ? missing_left_bit : 0),
        static_cast<std::uint32_t>(original.size())};
    double weight = 0;
    tree.each_child(node, [&](std::size_t child, std::int64_t) { weight += tree.weight[child]; });
    tree.each_child(node, [&](std::size_t child, std::int64_t) {
      original.push_back(child);
      if (!rooted.is_fractional) return;
      share_.push_back(tree.weight[child] / weight);
      ++n_children_.back();
    });
    if (tree.kind_of(node) != SplitKind::threshold) {
      packed.threshold = hidden(listed_.size());
      packed.feature |= listed_bit;
      list(tree, node, missing, other, values_begin, terms_begin);
      rooted.is_listed = true;
    }
    nodes_.push_back(packed);
  }
  rooted.n_leaves = static_cast<std::uint32_t>(leaf_nodes_.size() - rooted.leaf_begin);
  rooted.is_small = !rooted.is_listed && make_small(rooted);
  largest_ = std::max(largest_, rooted.n_nodes);
  deepest_ = std::max(deepest_, rooted.depth);
  is_listed_ |= rooted.is_listed;
  trees_.push_back(rooted);
}

void Predictor::list(const TreeView& tree, std::size_t node, std::uint32_t missing,
                     std::uint32_t other, std::size_t values_begin, std::size_t terms_begin) {
  const SplitKind kind = tree.kind_of(node);
  const bool has_terms = kind == SplitKind::hyperplane;
  const auto& begin = has_terms ? tree.term_begin : tree.split_begin;
  const std::size_t before = has_terms ? terms_begin : values_begin;
  Listed split{.kind = kind,
               .begin = before + begin[node],
               .end = before + begin[node + 1],
               .missing = missing,
               .other = other,
               .threshold = tree.threshold[node]};
  // Codes of categories ascend. If all are small, branches are looked up in a table.
  constexpr double max_codes = 256;
  if (kind == SplitKind::categories && split.begin < split.end && split_value_[split.begin] >= 0 &&
      split_value_[split.end - 1] < max_codes) {
    split.branches = branch_of_code_.size();
    split.n_codes = static_cast<std::int32_t>(split_value_[split.end - 1]) + 1;
    bool fits = other < max_codes;
    std::vector<std::uint8_t> branch(split.n_codes, static_cast<std::uint8_t>(other));
    for (std::size_t k = split.begin; k < split.end; ++k) {
      fits &= split_branch_[k] < max_codes;
      branch[split_value_[k]] = static_cast<std::uint8_t>(split_branch_[k]);
    }
    if (fits)
      branch_of_code_.insert(branch_of_code_.end(), branch.begin(), branch.end());
    else
      split.n_codes = 0;
  }
  listed_.push_back(split);
}

bool Predictor::make_small(const Rooted& tree) {
  const std::span<const Node> nodes = std::span(nodes_).subspan(tree.begin);
  std::uint32_t highest_feature = 0;
  for (const Node& node : nodes)
    highest_feature = std::max(highest_feature, node.feature & feature_mask);
  if (nodes.size() >> (32 - feature_bits) || highest_feature >> feature_bits) return false;
  for (const Node& node : nodes) {
    if (std::isnan(node.threshold)) {
      small_nodes_.push_back(
          {hidden_in_float(found_in(node.threshold)), node.left << feature_bits});
      continue;
    }
    auto threshold = static_cast<float>(node.threshold);
    if (threshold > node.threshold)
      threshold = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
    small_nodes_.push_back({threshold, node.left << feature_bits | (node.feature & feature_mask)});
  }
  return true;
}

std::int64_t Predictor::rows_together() const {
  // Small trees leave space in the first-level cache for a few rows and their values.
  constexpr std::uint32_t small_tree = 1024;
  if (largest_ <= small_tree) return 8 * std::clamp<std::int64_t>(4096 / n_columns_, 8, 64);
  // Rows stream by, while a tree of a forest on 100k rows fills the second-level cache: the more
  // rows are predicted while it is there, the better. 64 k took two thirds of the time of 4 k.
  return 65'536;
}

// --- one step ------------------------------------------------------------------------------------

std::uint32_t Predictor::branch_of(const Listed& split, double x) const {
  if (std::isnan(x)) return split.missing;
  if (split.n_codes > 0) {
    if (!(x >= 0 && x < split.n_codes)) return split.other;
    const auto code = static_cast<std::int32_t>(x);
    return code == x ? branch_of_code_[split.branches + code] : split.other;
  }
  const double *begin = split_value_.data() + split.begin, *end = split_value_.data() + split.end;
  const double* found = std::lower_bound(begin, end, x);
  if (split.kind == SplitKind::categories && (found == end || *found != x)) return split.other;
  return split_branch_[found - split_value_.data()];
}

/// The child that a row goes to from a node with one column and two branches; a leaf stays.
template <class T, bool has_missing>
std::uint32_t Predictor::next_plain(const Node* nodes, const char* row, std::int64_t column_stride,
                                    std::uint32_t at) {
  const Node node = nodes[at];
  const auto column = static_cast<std::int64_t>(node.feature & feature_mask);
  const T x = value_at<T>(row, column * column_stride);
  std::uint32_t goes_right = x > node.threshold;
  if constexpr (has_missing)
    goes_right |= static_cast<std::uint32_t>(x != x) & (~node.feature >> 31);
  return node.left + goes_right;
}

/// The same for any kind of split.
template <class T>
std::uint32_t Predictor::next(const Node* nodes, const char* row, std::int64_t column_stride,
                              std::uint32_t at) const {
  const Node& node = nodes[at];
  if (!(node.feature & listed_bit)) return next_plain<T, true>(nodes, row, column_stride, at);
  const Listed& split = listed_[found_in(node.threshold)];
  if (split.kind == SplitKind::hyperplane) {
    double sum = 0;
    for (std::size_t i = split.begin; i < split.end; ++i)
      sum += terms_[i].value(value_at<T>(row, terms_[i].column * column_stride));
    return node.left + (sum > split.threshold);
  }
  const auto column = static_cast<std::int64_t>(node.feature & feature_mask);
  return node.left + branch_of(split, value_at<T>(row, column * column_stride));
}

// --- to the leaves -------------------------------------------------------------------------------

void Predictor::find_small(const Rooted& tree, const RawMatrix& X, std::uint32_t* leaves) const {
  const SmallNode* nodes = small_nodes_.data() + tree.small_begin;
  const std::int64_t row_stride = X.row_stride;
  const auto row_of = [first = X.row(0), row_stride](std::int64_t row) {
    return first + row * row_stride;
  };
  const auto step = [=](const char* row, std::uint32_t at) {
    const SmallNode node = nodes[at];
    const std::uint32_t left = node.where >> feature_bits,
                        feature = node.where & ((1u << feature_bits) - 1);
    return left + (value_at<float>(row, feature * std::int64_t{sizeof(float)}) > node.threshold);
  };
  walk(X.n_rows, tree.depth, row_of, step,
       [=](std::int64_t row, std::uint32_t at) { leaves[row] = found_in(nodes[at].threshold); });
}

template <class T>
void Predictor::find_leaves_as(const Rooted& tree, const RawMatrix& X, bool has_missing,
                               std::uint32_t* leaves) const {
  const Node* nodes = nodes_.data() + tree.begin;
  const std::int64_t row_stride = X.row_stride, column_stride = X.column_stride;
  const auto row_of = [first = X.row(0), row_stride](std::int64_t row) {
    return first + row * row_stride;
  };
  const auto arrive = [=](std::int64_t row, std::uint32_t at) {
    leaves[row] = found_in(nodes[at].threshold);
  };
  const auto walk_by = [&](auto step) { walk(X.n_rows, tree.depth, row_of, step, arrive); };
  if (tree.is_listed)
    walk_by([=, this](const char* row, std::uint32_t at) {
      return next<T>(nodes, row, column_stride, at);
    });
  else if (has_missing)
    walk_by([=](const char* row, std::uint32_t at) {
      return next_plain<T, true>(nodes, row, column_stride, at);
    });
  else
    walk_by([=](const char* row, std::uint32_t at) {
      return next_plain<T, false>(nodes, row, column_stride, at);
    });
}

void Predictor::find_leaves(std::size_t tree, const RawMatrix& X, bool has_missing,
                            std::uint32_t* leaves) const {
  const Rooted& rooted = trees_[tree];
  if (!X.is_float())
    find_leaves_as<double>(rooted, X, has_missing, leaves);
  else if (rooted.is_small && !has_missing && X.column_stride == sizeof(float))
    find_small(rooted, X, leaves);
  else
    find_leaves_as<float>(rooted, X, has_missing, leaves);
}

template <class T>
void Predictor::find_in_trees_as(const char* row, std::int64_t column_stride, bool has_missing,
                                 std::size_t first, std::size_t last, std::uint32_t* leaves) const {
  const Node* nodes = nodes_.data();
  const Rooted* trees = trees_.data() + first;
  const auto arrive = [=](std::int64_t tree, std::uint32_t at) {
    leaves[tree] = found_in(nodes[trees[tree].begin + at].threshold);
  };
  const auto nodes_of = [=](std::int64_t tree) { return nodes + trees[tree].begin; };
  const auto walk_by = [&](auto step) {
    walk(static_cast<std::int64_t>(last - first), deepest_, nodes_of, step, arrive);
  };
  if (is_listed_)
    walk_by([=, this](const Node* own, std::uint32_t at) {
      return next<T>(own, row, column_stride, at);
    });
  else if (has_missing)
    walk_by([=](const Node* own, std::uint32_t at) {
      return next_plain<T, true>(own, row, column_stride, at);
    });
  else
    walk_by([=](const Node* own, std::uint32_t at) {
      return next_plain<T, false>(own, row, column_stride, at);
    });
}

void Predictor::find_in_trees(const RawMatrix& X, std::int64_t row, bool has_missing,
                              std::size_t first, std::size_t last, std::uint32_t* leaves) const {
  X.is_float()
      ? find_in_trees_as<float>(X.row(row), X.column_stride, has_missing, first, last, leaves)
      : find_in_trees_as<double>(X.row(row), X.column_stride, has_missing, first, last, leaves);
}

template <class T>
std::vector<Predictor::Reached> Predictor::reached_as(const Rooted& tree, const RawMatrix& X,
                                                      std::int64_t row) const {
  struct OnTheWay {
    std::uint32_t at;
    double share;
  };
  const Node* nodes = nodes_.data() + tree.begin;
  std::vector<Reached> found;
  std::vector<OnTheWay> on_the_way{{0, 1.0}};
  while (!on_the_way.empty()) {
    const auto [at, share] = on_the_way.back();
    on_the_way.pop_back();
    const Node& node = nodes[at];
    if (node.left == at) {
      found.push_back({found_in(node.threshold), share});
      continue;
    }
    const auto column = static_cast<std::int64_t>(node.feature & feature_mask);
    const T x = value_at<T>(X.row(row), column * X.column_stride);
    const bool fills_in = (node.feature & listed_bit) &&  // a hyperplane fills in missing values
                          listed_[found_in(node.threshold)].kind == SplitKind::hyperplane;
    if (!tree.is_fractional || fills_in || x == x) {
      on_the_way.push_back({next<T>(nodes, X.row(row), X.column_stride, at), share});
      continue;
    }
    for (std::uint32_t i = n_children_[tree.share_begin + at]; i-- > 0;)
      on_the_way.push_back({node.left + i, share * share_[tree.share_begin + node.left + i]});
  }
  return found;
}
template std::vector<Predictor::Reached> Predictor::reached_as<float>(const Rooted&,
                                                                      const RawMatrix&,
                                                                      std::int64_t) const;
template std::vector<Predictor::Reached> Predictor::reached_as<double>(const Rooted&,
                                                                       const RawMatrix&,
                                                                       std::int64_t) const;

void Predictor::apply(const RawMatrix& X, bool has_missing, std::int64_t* leaves, int n_threads,
                      Stop& stop) const {
  const std::size_t n = n_trees();
  const int n_workers = std::max(1, n_threads);
  std::vector<RowBlock> blocks(n_workers);
  std::vector<std::vector<std::uint32_t>> found(n_workers);
  const std::int64_t max = n == 1 ? 4096 : rows_together();
  each_block(X.n_rows, max, n_threads, stop,
             [&](std::int64_t first, std::int64_t last, int worker) {
               const RawMatrix rows =  // one tree is not worth a copy of the rows
                   n == 1 ? X.some_rows(first, last) : blocks[worker].rows(X, first, last);
               std::vector<std::uint32_t>& mine = found[worker];
               mine.resize(rows.n_rows);
               std::int64_t* out = leaves + first * n;
               for (std::size_t t = 0; t < n && !stop.is_wanted(worker); ++t) {
                 find_leaves(t, rows, has_missing, mine.data());
                 const std::uint32_t* node = leaf_nodes(t).data();
                 for (std::size_t row = 0; row < mine.size(); ++row)
                   out[row * n + t] = node[mine[row]];
               }
             });
}

}  // namespace ramify
