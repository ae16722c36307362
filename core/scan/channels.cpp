// SPDX-License-Identifier: BSD-3-Clause
#include "scan/channels.hpp"

namespace ramify {

ClassChannels::ClassChannels(const Target& target) : target_(target) {
  std::uint32_t at = 0;
  for (const int n_classes : target.n_classes) {
    first_class_.push_back(at);
    at += static_cast<std::uint32_t>(n_classes);
  }
}

NodeChannels ClassChannels::of(std::span<const double> sums, std::uint64_t n_rows,
                               bool present_only) const {
  NodeChannels result;
  result.n_rows = n_rows;
  const std::size_t n_classes = target_.n_all_classes();
  result.channel.resize(n_classes);
  result.parent.reserve(sums.size());
  std::size_t at = 0;
  for (const int n : target_.n_classes) {
    NodeChannels::Output output{static_cast<int>(result.parent.size())};
    output.first_class = at;
    output.n_known = static_cast<std::size_t>(n);
    for (int k = 0; k < n; ++k, ++at) {
      const double weight = sums[at];
      result.is_present.push_back(weight > 0);
      if (weight <= 0 && present_only) continue;
      result.channel[at] = static_cast<std::uint32_t>(result.parent.size());
      result.parent.push_back(weight);
      ++output.n_classes;
      output.n_present += weight > 0;
      output.total += weight;
    }
    result.outputs.push_back(output);
  }
  result.parent.insert(result.parent.end(), sums.begin() + static_cast<std::ptrdiff_t>(n_classes),
                       sums.end());
  Channels& c = result.channels;
  c.n_channels = static_cast<int>(result.parent.size());
  c.channel = result.channel.data();
  c.weight = target_.weight.empty() ? nullptr : target_.weight.data();
  c.times = target_.times.empty() ? nullptr : target_.times.data();
  c.is_general = !target_.is_plain();
  c.n_outputs = target_.n_outputs();
  c.classes = target_.classes.data();
  c.first_class = first_class_.data();
  c.n_extra = target_.n_extra;
  c.extra = target_.extra.data();
  return result;
}

void NodeChannels::list_classes(const Output& output, std::vector<std::uint32_t>& places) const {
  places.clear();
  for (std::size_t k = 0; k < output.n_known; ++k)
    if (is_present[output.first_class + k]) places.push_back(static_cast<std::uint32_t>(k));
}

}  // namespace ramify
