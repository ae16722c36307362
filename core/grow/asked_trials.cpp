// SPDX-License-Identifier: BSD-3-Clause
// Nodes that a grower cannot decide by their sums alone: some of their cuts are looked at closer.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "grow/asked.hpp"

namespace ramify {

/// Decides a node if all is known of the cuts that matter. If not, what the search said is of no
/// worth, but it has noted which these are; which they are does not depend on what is found there.
bool AskedGrower::look_closer(Undecided& undecided) {
  const int id = undecided.id;
  const std::vector<std::uint32_t> live = item(id).node.live;
  Outcome outcome = decide(item(id), undecided.sums, &undecided.cuts);
  if (!undecided.cuts.wanted().empty()) {
    item(id).node.live = live;
    return false;
  }
  settle(id, std::move(outcome));
  keep_sums(id, std::move(undecided.sums));
  return true;
}

std::vector<Trial> AskedGrower::trials(std::size_t max_slots) const {
  std::vector<Trial> wanted;
  for (const Undecided& each : undecided_)
    for (const auto& [column, code] : each.cuts.wanted()) {
      if (!wanted.empty() && wanted.size() >= max_slots) return wanted;
      wanted.push_back({each.id, column, code});
    }
  return wanted;
}

bool AskedGrower::are_trials_narrow() const {
  return std::ranges::all_of(undecided_, [&](const Undecided& each) {
    return weight_of(target_, item(each.id).node.sums) < 0x1p32;
  });
}

template <class Sum>
void AskedGrower::tell_trials(std::span<const Sum> told) {
  const std::size_t size = layout_.slot_size(), n = told.size() / size;
  if (told.size() % size != 0 || n == 0 || n > trials(n).size())
    throw std::invalid_argument("these are not the sums of cuts that were asked for");
  std::size_t slot = 0;
  while (slot < n) {
    Undecided& first = undecided_.front();
    for (; slot < n && !first.cuts.wanted().empty(); ++slot) {
      const auto of_slot = told.subspan(slot * size, size);
      const std::vector<std::int64_t> sums(of_slot.begin(), of_slot.end());
      first.cuts.tell(view(sums, {}));
    }
    if (!first.cuts.wanted().empty()) break;
    Undecided known = std::move(first);
    undecided_.pop_front();
    if (!look_closer(known)) undecided_.push_back(std::move(known));
  }
  if (undecided_.empty()) go_on();
}

template void AskedGrower::tell_trials(std::span<const std::uint32_t>);
template void AskedGrower::tell_trials(std::span<const std::int64_t>);

}  // namespace ramify
