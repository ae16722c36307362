// SPDX-License-Identifier: BSD-3-Clause
#include "optimal/depth_two.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "optimal/lanes.hpp"

namespace ramify::optimal {
namespace {

/// A row as the walks of a loss read it, without its word.
template <class Row>
Row row_of(const Problem& problem, std::uint32_t id) {
  Row row{};
  if constexpr (requires { row.class_code; })
    row.class_code = problem.class_code.empty() ? 0 : problem.class_code[id];
  if constexpr (requires { row.sum; }) {
    row.weight = problem.weight[id];
    row.sum = problem.value[id];
  } else {
    row.value = static_cast<decltype(row.value)>(problem.value.empty() ? 1 : problem.value[id]);
  }
  return row;
}

template <class Row>
void fill(std::vector<std::byte>& to, const RowSet& rows) {
  to.resize(rows.n_rows() * sizeof(Row));
  for (std::uint32_t i = 0; i < rows.n_rows(); ++i) {
    const Row row = row_of<Row>(rows.problem(), rows.id(i));
    std::memcpy(to.data() + i * sizeof(Row), &row, sizeof(Row));
  }
}

}  // namespace

void DepthTwo::choose_kernel(const RowSet& rows) {
  const LaneKernels& kernels = lane_kernels();
  const auto use = [&]<class Row>(LaneKernels::Walk walk, int n_lanes, Row) {
    walk_ = walk;
    n_lanes_ = n_lanes;
    row_size_ = sizeof(Row);
    fill<Row>(rows_, rows);
  };
  // Sums of both signs up to the width must fit into a lane.
  const bool fits_16 = rows.width() < 32'000, fits_32 = rows.width() < 2'147'000'000;
  switch (rows.problem().loss) {
    case Loss::two:
      if (fits_16) return use(kernels.two_16, 32, SignedRow{});
      if (fits_32) return use(kernels.two_32, 16, SignedRow{});
      return use(kernels.two_64, 8, WeighedRow{});
    case Loss::classes:
      if (fits_16) return use(kernels.classes_16, 32, CountedRow{});
      if (fits_32) return use(kernels.classes_32, 16, CountedRow{});
      return use(kernels.classes_64, 8, WeighedRow{});
    case Loss::costs:
      return use(kernels.costs_64, 8, WeighedRow{});
    case Loss::numbers:
      return use(kernels.numbers_64, 8, NumberRow{});
  }
}

/// The intervals with the lowest bounds get the lanes, evenly.
void DepthTwo::choose_lanes(const RowSet& rows, std::size_t n_lanes) {
  chosen_.resize(open_.size());
  std::iota(chosen_.begin(), chosen_.end(), 0u);
  if (chosen_.size() > n_lanes) {
    std::nth_element(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(n_lanes),
                     chosen_.end(), [&](std::uint32_t a, std::uint32_t b) {
                       const double x = open_[a].bound(), y = open_[b].bound();
                       return x != y ? x < y : a < b;
                     });
    chosen_.resize(n_lanes);
    std::ranges::sort(chosen_);  // the order of columns and of cuts
  }
  lanes_.clear();
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Interval& interval = open_[chosen_[i]];
    const std::size_t mine = (i + 1) * n_lanes / chosen_.size() - i * n_lanes / chosen_.size();
    std::uint32_t last = Cut::none;
    for (std::size_t k = 0; k < mine; ++k) {
      const double share = static_cast<double>(k + 1) / static_cast<double>(mine + 1);
      const std::uint32_t cut = interval.at_share(rows, share);
      if (cut == last) continue;
      lanes_.emplace_back().interval = chosen_[i];
      lanes_.back().cut = last = cut;
    }
  }
}

/// Writes into every row on which side of each cut it lies, and sums both sides.
void DepthTwo::write_words(const RowSet& rows, bool with_whole) {
  const Problem& problem = rows.problem();
  const std::uint32_t n = rows.n_rows(), whole_bit = 1u << lanes_.size();
  const auto word = [&](std::uint32_t row) -> std::uint32_t& {
    return *reinterpret_cast<std::uint32_t*>(rows_.data() + row * row_size_);
  };
  for (std::uint32_t row = 0; row < n; ++row) word(row) = with_whole ? whole_bit : 0;
  const bool squares = problem.loss == Loss::numbers;
  double all = rows.width();
  if (squares) {
    all = 0;
    for (const std::uint32_t id : rows.ids()) all += problem.square[id];
  }
  for (int i = 0; i < max_lanes; ++i) {
    total_[0][i] = all;
    total_[1][i] = 0;
  }
  for (std::size_t i = 0, stop; i < lanes_.size(); i = stop) {
    const std::uint32_t column = open_[lanes_[i].interval].column;
    const std::uint32_t* order = rows.order(column);
    std::uint32_t bits = 0;
    for (stop = i; stop < lanes_.size() && open_[lanes_[stop].interval].column == column; ++stop)
      bits |= 1u << stop;
    double sum = 0;
    for (std::uint32_t place = 0; i < stop; ++i) {
      for (const std::uint32_t end = rows.end(column, lanes_[i].cut); place <= end; ++place) {
        const std::uint32_t row = order[place] & ~run_end;
        word(row) |= bits;
        if (squares) sum += problem.square[rows.id(row)];
      }
      bits &= ~(1u << i);
      total_[0][i] = squares ? sum : rows.position(column, lanes_[i].cut);
      total_[1][i] = all - total_[0][i];
    }
  }
}

void DepthTwo::walk(const RowSet& rows, bool with_whole) {
  write_words(rows, with_whole);
  const Problem& problem = rows.problem();
  CutWalk walk{.n_rows = rows.n_rows(),
               .n_columns = rows.n_columns(),
               .order = rows.order(0),
               .stride = rows.stride(),
               .rows = rows_.data(),
               .n_classes = problem.n_classes,
               .costs = problem.costs.data(),
               .total = {total_[0], total_[1]},
               .leaf = {leaf_[0], leaf_[1]},
               .stump = {stump_[0], stump_[1]},
               .room = nullptr};
  room_.resize(room_of_walk(rows.n_rows(), problem.n_classes) + 64);
  const auto place = reinterpret_cast<std::uintptr_t>(room_.data());
  walk.room = room_.data() + (64 - place % 64) % 64;
  walk_(walk);
  const auto read = [&](Lane& lane, std::size_t i) {
    for (int side = 0; side < 2; ++side) {
      lane.leaf[side] = leaf_[side][i];
      lane.stump[side] = stump_[side][i];
    }
  };
  for (std::size_t i = 0; i < lanes_.size(); ++i) read(lanes_[i], i);
  if (with_whole) read(whole_, lanes_.size());
}

/// What a cut costs if leaves need so many rows, by looking again: infinity if a side has too few.
double DepthTwo::limited_cost(const RowSet& rows, const Lane& lane) {
  const Problem& problem = rows.problem();
  const std::uint32_t column = open_[lane.interval].column, n_rows = rows.n_rows(),
                      n_left = rows.end(column, lane.cut) + 1;
  if (std::min(n_left, n_rows - n_left) < problem.min_rows)
    return std::numeric_limits<double>::infinity();
  ids_.clear();
  for (std::uint32_t i = 0; i < n_rows; ++i)
    ids_.push_back(rows.id(rows.order(column)[i] & ~run_end));
  const std::span<const std::uint32_t> all(ids_);
  return stump(problem, all.first(n_left)).cost + stump(problem, all.subspan(n_left)).cost +
         problem.penalty;
}

Found DepthTwo::solve(const RowSet& rows, double limit, std::uint64_t& n_cuts) {
  const Problem& problem = rows.problem();
  const double penalty = problem.penalty, tolerance = problem.tolerance;
  Found found;
  found.cost = found.floor = rows.leaf();
  const bool is_limited = problem.min_rows > 1;
  double seen = found.cost;  // without the limit
  // Any split costs a penalty.
  if (rows.n_columns() == 0 || found.cost <= penalty + tolerance) return found;
  choose_kernel(rows);
  open_.clear();
  for (std::uint32_t j = 0; j < rows.n_columns(); ++j) {
    Interval all{.column = j, .first = 0, .last = rows.n_cuts(j), .below = {}, .above = {}};
    all.above.position = rows.width();
    open_.push_back(all);
  }
  bool is_first = true;
  // Without a penalty several trees may reach zero; then nothing can be saved.
  while (!open_.empty() && found.cost > penalty + tolerance) {
    choose_lanes(rows, static_cast<std::size_t>(n_lanes_) - is_first);
    walk(rows, is_first);
    n_cuts += lanes_.size();
    const auto side_cost = [&](const Lane& lane, int side) {
      return std::min(lane.leaf[side], lane.stump[side] + penalty);
    };
    if (is_first) {
      const double free = side_cost(whole_, 0);
      seen = std::min(seen, free);
      double best = free;
      if (is_limited && free < found.cost - tolerance) best = stump(problem, rows.ids()).cost;
      if (best < found.cost - tolerance) {
        found.cost = best;
        found.depth = 1;
      }
      for (Interval& each : open_) {  // one side has all rows
        each.below.right = std::min(rows.leaf(), free);
        each.above.left = each.below.right;
      }
      is_first = false;
    }
    for (const Lane& lane : lanes_) {
      double cost = side_cost(lane, 0) + side_cost(lane, 1) + penalty;
      seen = std::min(seen, cost);
      if (!(cost < found.cost - tolerance)) continue;
      if (is_limited) cost = limited_cost(rows, lane);
      if (!(cost < found.cost - tolerance)) continue;
      found.cost = cost;
      found.depth = 2;
      found.cut = {open_[lane.interval].column, lane.cut};
    }
    const double wanted = std::min(found.cost - tolerance, limit) - penalty;
    next_.clear();
    const auto keep = [&](Interval part) {
      part.shrink(rows, wanted);
      if (!part.is_empty()) next_.push_back(part);
    };
    for (std::size_t i = 0, at = 0; i < open_.size(); ++i) {
      Interval rest = open_[i];
      for (; at < lanes_.size() && lanes_[at].interval == i; ++at) {
        const Lane& lane = lanes_[at];
        Interval part = rest;
        part.last = lane.cut;
        part.above = {rows.position(rest.column, lane.cut), side_cost(lane, 0), side_cost(lane, 1)};
        rest.first = lane.cut + 1;
        rest.below = part.above;
        keep(part);
      }
      keep(rest);
    }
    std::swap(open_, next_);
  }
  if (found.depth == 2) found.cut = rows.cut(found.cut.column, found.cut.code);
  if (!(found.cost < limit)) {
    found.cost = limit;
    found.is_exact = false;
  }
  // What was not scored costs as much as the best or as the limit, or at least a split.
  found.floor =
      std::min(seen, found.cost <= penalty + tolerance ? penalty : found.cost) - tolerance;
  return found;
}

}  // namespace ramify::optimal
