// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/undecided_nodes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "distributed/sum_search.hpp"

namespace ramify {

PointWish UndecidedNodes::point_wish(std::size_t max_numbers) const {
  const auto d = static_cast<std::uint32_t>(layout_.n_codes.size());
  const std::size_t per_cell = layout_.n_classes_all * d;
  PointWish wish;
  for (const Undecided& each : all_) {
    const std::uint32_t known = each.cuts.n_columns_known();
    if (known == d) continue;
    if (!wish.nodes.empty()) {
      const std::size_t n = (wish.nodes.size() + 1) * layout_.n_cells * per_cell;
      if (wish.begin != 0 || wish.end != d || known != 0 || n > max_numbers) break;
      wish.nodes.push_back(each.id);
      continue;
    }
    wish = {{each.id}, known, known};
    std::size_t n = 0;
    do n += (layout_.n_codes[wish.end++] + std::size_t{1}) * per_cell;
    while (wish.end < d &&
           n + (layout_.n_codes[wish.end] + std::size_t{1}) * per_cell <= max_numbers);
  }
  return wish;
}

std::vector<double> UndecidedNodes::points(const PointWish& wish) const {
  const std::size_t size = layout_.n_cells * layout_.n_classes_all;
  std::vector<double> all(wish.nodes.size() * size);
  for (std::size_t i = 0; i < wish.nodes.size(); ++i)
    for (const Undecided& each : all_)
      if (each.id == wish.nodes[i])
        each.cuts.write_points(layout_, std::span(all).subspan(i * size, size));
  return all;
}

void UndecidedNodes::respond_points(const PointWish& wish, std::span<const double> sums) {
  const std::size_t d = layout_.n_codes.size();
  const std::size_t end = wish.end == d ? layout_.n_cells : layout_.first_cell[wish.end];
  const std::size_t size = (end - layout_.first_cell[wish.begin]) * layout_.n_classes_all * d;
  if (sums.size() != size * wish.nodes.size())
    throw std::invalid_argument("the sums of points are not those that were requested");
  for (std::size_t i = 0; i < wish.nodes.size(); ++i) {
    const auto found = std::ranges::find(all_, wish.nodes[i], &Undecided::id);
    if (found == all_.end() || found->cuts.n_columns_known() != wish.begin)
      throw std::invalid_argument("sums of points of node " + std::to_string(wish.nodes[i]) +
                                  " were not requested");
    found->cuts.respond_points(layout_, wish.end, sums.subspan(i * size, size));
    if (wish.end < d) continue;
    Undecided known = std::move(*found);
    all_.erase(found);
    add(std::move(known));
  }
}

std::vector<Trial> UndecidedNodes::trials(std::size_t max_slots) const {
  std::vector<Trial> wanted;
  for (const Undecided& each : all_)
    for (const auto& [column, code] : each.cuts.wanted()) {
      if (!wanted.empty() && wanted.size() >= max_slots) return wanted;
      wanted.push_back({each.id, column, code});
    }
  return wanted;
}

template <class Sum>
void UndecidedNodes::respond_trials(std::span<const Sum> supplied) {
  const std::size_t size = layout_.slot_size(), n = supplied.size() / size;
  if (supplied.size() % size != 0 || n == 0 || n > trials(n).size())
    throw std::invalid_argument("the sums of cuts are not those that were requested");
  std::size_t slot = 0;
  while (slot < n) {
    Undecided& first = all_.front();
    for (; slot < n && !first.cuts.wanted().empty(); ++slot) {
      const auto of_slot = supplied.subspan(slot * size, size);
      const std::vector<std::int64_t> sums(of_slot.begin(), of_slot.end());
      first.cuts.respond(node_sums(layout_, sums));
    }
    if (!first.cuts.wanted().empty()) break;
    Undecided known = std::move(first);
    all_.pop_front();
    add(std::move(known));
  }
}

template void UndecidedNodes::respond_trials(std::span<const std::uint32_t>);
template void UndecidedNodes::respond_trials(std::span<const std::int64_t>);

}  // namespace ramify
