// SPDX-License-Identifier: BSD-3-Clause
#include "categories/subsets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "categories/repair.hpp"
#include "linear_algebra/direction.hpp"
#include "util/rng.hpp"

namespace ramify {
namespace {

/// Maximum number of classes, the heaviest of the node, for orders and principal components.
constexpr std::size_t max_classes = 64;

/// Where sides have a minimum size, subsets of this many more categories are tried exhaustively: up
/// to 12, with 2,047 subsets.
constexpr std::uint32_t more_if_limited = 4;
/// Maximum number of row visits, for criteria that read all rows for each subset.
constexpr std::uint64_t max_row_looks = std::uint64_t{1} << 20;
/// Resolution of a minimum weight of the sides.
constexpr double weight_steps = 64;

double sum_of(std::span<const double> numbers, int n) {
  return std::accumulate(numbers.begin(), numbers.begin() + n, 0.0);
}

/// The only class with a positive sum, or -1.
int pure_class(std::span<const double> sums, int n_classes) {
  int found = -1;
  for (int k = 0; k < n_classes; ++k) {
    if (sums[k] <= 0) continue;
    if (found >= 0) return -1;
    found = k;
  }
  return found;
}

/// The channels of the classes by which categories are ordered: the heaviest of the node.
std::vector<int> ordering_channels(const SubsetTask& task) {
  std::vector<int> classes;
  if (task.n_stats > 0) {  // regression: the sum of each output
    for (int k = 1; k < task.n_classes; k += task.n_stats) classes.push_back(k);
    if (classes.size() > max_classes) classes.resize(max_classes);
    return classes;
  }
  for (int k = 0; k < task.n_classes; ++k)
    if (task.parent[k] > 0) classes.push_back(k);
  if (classes.size() > max_classes) {
    std::ranges::stable_sort(classes, std::greater{}, [&](int k) { return task.parent[k]; });
    classes.resize(max_classes);
    std::ranges::sort(classes);
  }
  return classes;
}

}  // namespace

void Subsets::start(const Plan& plan, const CategorySums& categories, const SubsetTask& task) {
  categories_ = &categories;
  always_left_ = task.always_left;
  rows_always_left_ = task.rows_always_left;
  max_subset_ = plan.max_subset;
  known_.assign(n_channels(), 0);
  for (std::size_t i = 0; i < categories.size(); ++i)
    for (std::size_t k = 0; k < n_channels(); ++k) known_[k] += categories.of(i)[k];
  known_rows_ = std::accumulate(categories.rows.begin(), categories.rows.end(), std::uint64_t{0});
  orders_.clear();
  repaired_.clear();
  n_singles_ = 0;
  next_ = 0;
  running_rows_ = 0;
  make_groups(task, false);
  if (plan.random_cuts) return try_random(task.seed);
  const auto m = static_cast<std::uint32_t>(categories.size());
  if (plan.categories == Categories::one_vs_rest) {
    n_singles_ = m == 2 ? 1 : m;
    end_ = n_singles_;
    is_optimal_ = m <= 3;
    return;
  }
  // Only then is the best prefix the best subset, and do pure categories belong together.
  bool has_refused = false;
  for (std::size_t g = 0; g < n_groups(); ++g) has_refused = has_refused || is_refused(task, g);
  const bool is_free =
      !task.is_limited && !has_refused && max_subset_ == 0 && plan.criterion.is_quasi_convex();
  const bool is_limited = task.is_limited || has_refused || max_subset_ > 0;
  const std::uint32_t max = max_exhaustive(plan);
  const auto all_subsets = [&] { return (std::uint64_t{1} << (n_groups() - 1)) - 1; };
  if (task.is_single && ordering_channels(task).size() <= 2) {
    try_orders(task);
    end_ = n_prefixes();
    is_optimal_ = is_free;
    if (is_free) return;
    if (m > plan.max_exhaustive && is_limited)
      is_optimal_ = try_repaired(task) && max_subset_ == 0 && plan.criterion.is_quasi_convex();
    if (max_subset_ > 0 && m > max) n_singles_ = m;
    end_ += n_singles_ + repaired_.size();
    if (is_optimal_ || m > (is_limited ? max : plan.max_exhaustive)) return;
    is_optimal_ = true;
    note_prefix_masks();
    end_ += all_subsets();
    return;
  }
  const std::uint32_t few = is_limited ? max : plan.max_exhaustive;
  is_optimal_ = m <= few;
  if (m > few && task.is_single) {
    make_groups(task, true);
    is_optimal_ = is_free && n_groups() <= plan.max_exhaustive;
  }
  if (n_groups() > few) {
    try_orders(task);
    if (is_limited) try_repaired(task);
    if (max_subset_ > 0) n_singles_ = static_cast<std::uint32_t>(n_groups());
    end_ = n_prefixes() + n_singles_ + repaired_.size();
  } else {
    end_ = all_subsets();
  }
}

/// Maximum number of categories whose subsets are tried exhaustively where something limits the
/// choice.
std::uint32_t Subsets::max_exhaustive(const Plan& plan) const {
  const auto m = static_cast<std::uint32_t>(categories_->size());
  if (plan.criterion.composed || m > plan.max_exhaustive + more_if_limited)
    return plan.max_exhaustive;
  if (plan.criterion.is_ordered() && (known_rows_ << (m - 1)) > max_row_looks)
    return plan.max_exhaustive;
  return plan.max_exhaustive + more_if_limited;
}

double Subsets::weight_of_group(const SubsetTask& task, std::size_t group) const {
  return sum_of(group_sums(group), task.first_output_classes);
}

/// Whether a side of this group alone would be rejected, whatever its size.
bool Subsets::is_refused(const SubsetTask& task, std::size_t group) const {
  return task.refused_mean > minus_infinity &&
         group_sums(group)[1] <= task.refused_mean * weight_of_group(task, group);
}

/// Adds replacements for the prefixes that are too small. Returns whether all subsets tried then
/// include the best one, for a quasi-convex criterion of two classes or of one regression output.
bool Subsets::try_repaired(const SubsetTask& task) {
  const auto channels = ordering_channels(task);
  if (task.is_single && channels.size() <= 2)
    return repair_order(task, channels.back(), orders_[0]) && !task.has_fixed;
  for (std::size_t i = 0; i < channels.size(); ++i) repair_order(task, channels[i], orders_[i]);
  return false;
}

/// The same for one order. Exact where leaf sizes are determined by the weights of the criterion,
/// for instance with equal weights; else a heuristic, by deviations from the mean.
bool Subsets::repair_order(const SubsetTask& task, int channel,
                           std::span<const std::uint32_t> order) {
  const double weight = sum_of(known_, task.first_output_classes),
               per_row = weight / static_cast<double>(known_rows_),
               mean = known_[static_cast<std::size_t>(channel)] / weight;
  std::vector<std::uint64_t> size(group_rows_);
  std::vector<double> sum(n_groups());
  std::vector<std::uint8_t> is_zero;
  bool is_exact = true, has_zero = false;
  for (std::size_t g = 0; g < n_groups(); ++g) {
    const double own = weight_of_group(task, g);
    is_exact = is_exact && own == per_row * static_cast<double>(group_rows_[g]);
    is_zero.push_back(is_refused(task, g));
    has_zero = has_zero || is_zero.back() != 0;
  }
  if (!has_zero) is_zero.clear();
  for (std::size_t g = 0; g < n_groups(); ++g)
    sum[g] = group_sums(g)[static_cast<std::size_t>(channel)] -
             (is_exact ? 0 : mean * weight_of_group(task, g));
  std::uint64_t min_size = task.limits.rows;
  if (is_exact) {
    min_size = std::max(min_size, static_cast<std::uint64_t>(task.limits.weight / per_row));
    while (!task.limits.allows(min_size, per_row * static_cast<double>(min_size))) ++min_size;
  } else if (min_size <= 1 && task.limits.weight > 0) {
    min_size = static_cast<std::uint64_t>(weight_steps);
    for (std::size_t g = 0; g < n_groups(); ++g)
      size[g] = static_cast<std::uint64_t>(
          std::min(weight_of_group(task, g) / task.limits.weight * weight_steps, 1e15));
  }
  RepairedSubsets found = repair_prefixes({size, sum, is_zero, order}, min_size);
  for (auto& groups : found.subsets) {
    std::ranges::sort(groups);
    if (std::ranges::find(repaired_, groups) == repaired_.end())
      repaired_.push_back(std::move(groups));
  }
  return is_exact && found.is_complete;
}

/// Makes every category a group, or merges categories that are pure in the same class.
void Subsets::make_groups(const SubsetTask& task, bool merge_pure) {
  const CategorySums& categories = *categories_;
  group_of_.assign(categories.size(), 0);
  group_rows_.clear();
  group_size_.clear();
  group_sums_.clear();
  std::vector<int> group_of_class(static_cast<std::size_t>(task.n_classes), -1);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    const int pure = merge_pure ? pure_class(categories.of(i), task.n_classes) : -1;
    int group = pure < 0 ? -1 : group_of_class[pure];
    if (group < 0) {
      group = static_cast<int>(n_groups());
      group_rows_.push_back(0);
      group_size_.push_back(0);
      group_sums_.resize(group_sums_.size() + n_channels());
      if (pure >= 0) group_of_class[pure] = group;
    }
    group_of_[i] = static_cast<std::uint32_t>(group);
    group_rows_[group] += categories.rows[i];
    ++group_size_[group];
    for (std::size_t k = 0; k < n_channels(); ++k)
      group_sums_[static_cast<std::size_t>(group) * n_channels() + k] += categories.of(i)[k];
  }
}

void Subsets::try_orders(const SubsetTask& task) {
  std::vector<double> weight(n_groups()), key(n_groups());
  for (std::size_t g = 0; g < n_groups(); ++g)
    weight[g] = sum_of(group_sums(g), task.first_output_classes);
  const auto order_by_channel = [&](int channel) {
    for (std::size_t g = 0; g < n_groups(); ++g) key[g] = group_sums(g)[channel] / weight[g];
    order_by(key);
  };
  const auto classes = ordering_channels(task);
  if (task.is_single && classes.size() <= 2) return order_by_channel(classes.back());
  for (const int channel : classes) order_by_channel(channel);
  for (int k = task.n_classes; k < static_cast<int>(n_channels()); ++k) order_by_channel(k);
  order_by(principal_component(task, classes));
}

/// Adds the order of the groups by a key, ties by the lowest category.
void Subsets::order_by(std::span<const double> key) {
  std::vector<std::uint32_t> order(n_groups());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t group) { return key[group]; });
  orders_.push_back(std::move(order));
}

/// Each group's coordinate along the first principal component of the class shares.
std::vector<double> Subsets::principal_component(const SubsetTask& task,
                                                 std::span<const int> channels) const {
  const std::size_t n = channels.size();
  const double total = sum_of(known_, task.first_output_classes);
  std::vector<double> covariance(n * n), share(n);
  for (std::size_t g = 0; g < n_groups(); ++g) {
    const auto sums = group_sums(g);
    const double weight = sum_of(sums, task.first_output_classes);
    for (std::size_t k = 0; k < n; ++k)
      share[k] = sums[channels[k]] / weight - known_[channels[k]] / total;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k <= j; ++k) covariance[j * n + k] += weight * share[j] * share[k];
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k) covariance[k * n + j] = covariance[j * n + k];
  const auto direction = main_direction(covariance, n, 100, 1e-12);
  std::vector<double> coordinate(n_groups());
  for (std::size_t g = 0; g < n_groups(); ++g) {
    const auto sums = group_sums(g);
    const double weight = sum_of(sums, task.first_output_classes);
    for (std::size_t k = 0; k < n; ++k)
      coordinate[g] += direction[k] * (sums[channels[k]] / weight);
  }
  return coordinate;
}

/// Tries one subset in which the side of each category is random; the first and one other category
/// are on different sides.
void Subsets::try_random(std::uint64_t seed) {
  is_optimal_ = false;
  Rng rng(seed);
  const auto n = static_cast<std::uint32_t>(n_groups());
  const std::uint32_t apart = 1 + rng.below(n - 1);
  std::vector<std::uint32_t> left{0}, right;
  for (std::uint32_t g = 1; g < n; ++g) {
    const bool is_left = rng.uniform() < 0.5;
    (is_left && g != apart ? left : right).push_back(g);
  }
  next_ = left.size() - 1;
  end_ = left.size();
  left.insert(left.end(), right.begin(), right.end());
  running_.assign(n_channels(), 0);
  orders_.push_back(std::move(left));
}

std::vector<std::uint32_t> Subsets::listed(std::uint64_t number) const {
  std::vector<std::uint32_t> groups;
  if (number < n_prefixes()) {
    const auto& order = orders_[number / (n_groups() - 1)];
    const std::uint64_t length = number % (n_groups() - 1) + 1;
    groups.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(length));
    return groups;
  }
  number -= n_prefixes();
  if (number < n_singles_) return {static_cast<std::uint32_t>(number)};
  number -= n_singles_;
  if (number < repaired_.size()) return repaired_[number];
  number -= repaired_.size();
  groups.push_back(0);
  for (std::uint32_t g = 1; g < n_groups(); ++g)
    if (number >> (g - 1) & 1) groups.push_back(g);
  return groups;
}

/// The prefixes of the only order as bit masks of the groups after the first, which is always
/// included.
void Subsets::note_prefix_masks() {
  prefix_masks_.clear();
  if (orders_.size() != 1) return;
  const std::uint64_t all = (std::uint64_t{1} << n_groups()) - 1;
  std::uint64_t mask = 0;
  for (const std::uint32_t group : orders_[0]) {
    mask |= std::uint64_t{1} << group;
    prefix_masks_.push_back((mask & 1 ? mask : all ^ mask) >> 1);
  }
  std::ranges::sort(prefix_masks_);
}

/// Whether a subset, given as such a mask, is a prefix or a suffix of the only order.
bool Subsets::is_in_order(std::uint64_t mask) const {
  return orders_.size() == 1 && std::ranges::binary_search(prefix_masks_, mask);
}

std::vector<std::uint8_t> Subsets::left_of(std::uint32_t number) const {
  std::vector<std::uint8_t> is_listed(n_groups()), is_left(group_of_.size());
  for (const std::uint32_t group : listed(number)) is_listed[group] = 1;
  for (std::size_t i = 0; i < is_left.size(); ++i)
    is_left[i] = is_listed[group_of_[i]] == is_listed[0];
  return is_left;
}

/// Adds a subset to the block, the side of the lowest category on the left.
void Subsets::emit(CutBlock& block, std::uint64_t number, std::uint32_t n_categories,
                   bool has_first, std::span<const double> sums, std::uint64_t rows) const {
  const auto n_all = static_cast<std::uint32_t>(group_of_.size());
  if (max_subset_ > 0 && std::min(n_categories, n_all - n_categories) > max_subset_) return;
  const int i = block.n_cuts++;
  for (std::size_t k = 0; k < n_channels(); ++k) {
    const double always = always_left_.empty() ? 0 : always_left_[k];
    block.left[k * CutBlock::stride + static_cast<std::size_t>(i)] =
        (has_first ? sums[k] : known_[k] - sums[k]) + always;
  }
  block.supplied_left[i] = (has_first ? rows : known_rows_ - rows) + rows_always_left_;
  block.rows_left[i] = static_cast<std::uint32_t>(block.supplied_left[i]);
  block.code[i] = static_cast<std::uint32_t>(number);
  block.next_code[i] = 0;
}

void Subsets::next(CutBlock& block) {
  block.n_cuts = 0;
  block.is_supplied = true;
  std::vector<double> sums(n_channels());
  for (; next_ < end_ && block.n_cuts < CutBlock::capacity; ++next_) {
    if (next_ < n_prefixes()) {
      const auto& order = orders_[next_ / (n_groups() - 1)];
      const std::uint64_t place = next_ % (n_groups() - 1);
      if (place == 0 || running_rows_ == 0) {  // a new order; or one of which only this is tried
        running_.assign(n_channels(), 0);
        running_rows_ = 0;
        running_size_ = 0;
        running_has_first_ = false;
      }
      const std::uint64_t first = running_rows_ == 0 ? 0 : place;
      for (std::uint64_t i = first; i <= place; ++i) {
        const std::uint32_t group = order[i];
        for (std::size_t k = 0; k < n_channels(); ++k) running_[k] += group_sums(group)[k];
        running_rows_ += group_rows_[group];
        running_size_ += group_size_[group];
        running_has_first_ = running_has_first_ || group == 0;
      }
      emit(block, next_, running_size_, running_has_first_, running_, running_rows_);
      continue;
    }
    const std::uint64_t n_before = n_prefixes() + n_singles_ + repaired_.size();
    if (next_ >= n_before && is_in_order(next_ - n_before)) continue;  // tried before
    std::ranges::fill(sums, 0.0);
    std::uint64_t rows = 0;
    std::uint32_t size = 0;
    bool has_first = false;
    for (const std::uint32_t group : listed(next_)) {
      for (std::size_t k = 0; k < n_channels(); ++k) sums[k] += group_sums(group)[k];
      rows += group_rows_[group];
      size += group_size_[group];
      has_first = has_first || group == 0;
    }
    emit(block, next_, size, has_first, sums, rows);
  }
  // Packs read beyond the last cut: fill in harmless values.
  constexpr int pack = CutBlock::stride - CutBlock::capacity;
  for (std::size_t k = 0; block.n_cuts > 0 && k < n_channels(); ++k) {
    double* left = block.left + k * CutBlock::stride;
    std::fill_n(left + block.n_cuts, pack, left[block.n_cuts - 1]);
  }
}

}  // namespace ramify
