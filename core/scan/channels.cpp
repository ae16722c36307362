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
namespace {

/// From sums that were counted elsewhere.
void take_sums(const Table& table, const NodeChannels& channels,
               std::span<const std::uint32_t> columns, CodeSumsBuffers& buffers) {
  const auto n = static_cast<std::size_t>(channels.size());
  const NodeSums& given = *buffers.given;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    CodeSumsBuffers::OfColumn& own = buffers.columns[j];
    CodeSums& sums = buffers.sums[j];
    // Only the codes that there are: with many classes the others would take longer than the
    // search.
    const std::size_t n_cells = table.columns[columns[j]].n_codes() + std::size_t{1};
    own.sums.assign(n_cells * n, 0);
    own.supplied_rows.assign(n_cells, 0);
    sums.sums = own.sums.data();
    sums.supplied_rows = own.supplied_rows.data();
    for (std::uint64_t& word : sums.present) word = 0;
    for (std::size_t code = 0; code <= table.columns[columns[j]].n_codes(); ++code) {
      const std::int64_t* cell = given.cell(columns[j], code);
      const std::int64_t rows = given.rows(cell);
      if (rows == 0) continue;
      sums.present[code / 64] |= std::uint64_t{1} << (code % 64);
      sums.supplied_rows[code] = static_cast<std::uint64_t>(rows);
      for (std::size_t k = 0; k < given.n_classes; ++k)
        if (cell[k] != 0) sums.sums[code * n + channels.place(k)] = given.amount(cell, k);
    }
  }
}

}  // namespace

void sum_columns(const Training& training, const Node& node, const NodeChannels& channels,
                 std::span<const std::uint32_t> columns, CodeSumsBuffers& buffers) {
  const auto& [table, target, plan, store] = training;
  const std::size_t n = columns.size();
  if (buffers.columns.size() < n) {
    buffers.columns.resize(n);
    buffers.sums.resize(n);
  }
  if (buffers.given) return take_sums(table, channels, columns, buffers);
  // Losses that need the order of numbers look at rows; only categories are summed for them.
  if (plan.criterion.is_ordered() && !table.columns[columns[0]].is_categorical) return;
  const bool counted = target.is_counted(), whole = target.is_integer();
  const auto cells = static_cast<std::size_t>(CodeSums::max_codes) * channels.size();
  int offsets[CodeSums::columns_at_once];
  for (std::size_t j = 0; j < n; ++j) {
    // walk_codes leaves everything at zero: only growth needs care
    CodeSumsBuffers::OfColumn& own = buffers.columns[j];
    if (whole && own.counts.size() < cells) own.counts.resize(cells);
    if (!whole && own.sums.size() < cells) own.sums.resize(cells);
    if (!counted) own.rows.resize(CodeSums::max_codes);
    buffers.sums[j].counts = own.counts.data();
    buffers.sums[j].sums = own.sums.data();
    buffers.sums[j].rows = own.rows.data();
    offsets[j] = store.record_offset(static_cast<int>(columns[j]));
  }
  const RecordView records = store.records(node.begin, node.end);
  if (!whole)
    kernels().sum_codes(records, offsets[0], channels.channels, buffers.sums[0]);
  else
    kernels().count_codes(records, offsets, static_cast<int>(n), channels.channels,
                          buffers.sums.data());
}

NodeColumn summed_column(const Training& training, const Node& node, const NodeChannels& channels,
                         int column, CodeSumsBuffers& buffers) {
  const auto name = static_cast<std::uint32_t>(column);
  const bool is_low_cardinality = training.column(column).is_low_cardinality();
  if (is_low_cardinality) sum_columns(training, node, channels, std::span(&name, 1), buffers);
  return {node, channels, column, is_low_cardinality ? buffers.sums.data() : nullptr,
          buffers.given};
}

}  // namespace ramify
