// SPDX-License-Identifier: BSD-3-Clause
#include "data/content_order.hpp"

#include <algorithm>
#include <numeric>

namespace ramify {
namespace {

/// Sorts by one column after the other, each time only the rows still tied.
class ContentSort {
 public:
  ContentSort(const Table& table, std::span<const std::uint32_t> rows,
              std::span<const std::uint32_t> classes, const std::function<void()>& pause)
      : table_(table), rows_(rows), classes_(classes), items_(rows.size()), pause_(pause) {
    std::iota(items_.begin(), items_.end(), std::uint64_t{0});
  }

  std::vector<std::uint32_t> order() {
    struct Tied {
      std::size_t begin, end, key;
    };
    const std::size_t n_outputs = classes_.size() / std::max<std::size_t>(1, rows_.size());
    const std::size_t n_keys = table_.columns.size() + n_outputs;
    std::vector<Tied> waiting{{0, items_.size(), 0}};
    while (!waiting.empty()) {
      const auto [begin, end, key] = waiting.back();
      waiting.pop_back();
      if (key == n_keys) continue;  // rows with equal content
      sort_by(key, n_outputs, begin, end);
      if (pause_ && end - begin > 1024) pause_();
      for (std::size_t i = begin; i < end;) {
        std::size_t next = i + 1;
        while (next < end && items_[next] >> 32 == items_[i] >> 32) ++next;
        if (next - i > 1) waiting.push_back({i, next, key + 1});
        i = next;
      }
    }
    std::vector<std::uint32_t> places;
    places.reserve(items_.size());
    for (const std::uint64_t item : items_) places.push_back(static_cast<std::uint32_t>(item));
    return places;
  }

 private:
  /// An item is a key, in the upper half, and the position of the row.
  void sort_by(std::size_t key, std::size_t n_outputs, std::size_t begin, std::size_t end) {
    const auto write = [&](auto value_of) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto place = static_cast<std::uint32_t>(items_[i]);
        items_[i] = static_cast<std::uint64_t>(value_of(place)) << 32 | place;
      }
    };
    if (key < table_.columns.size()) {
      const Column& column = table_.columns[key];
      std::visit(
          [&](const auto& codes) {
            write([&](std::uint32_t place) { return codes[rows_[place]]; });
          },
          column.codes);
      const std::size_t n_keys = column.n_codes() + std::size_t{1};  // one is "missing"
      if (n_keys <= end - begin)
        return count(std::span(items_).subspan(begin, end - begin), n_keys);
    } else {
      write([&](std::uint32_t place) {
        return classes_[place * n_outputs + key - table_.columns.size()];
      });
    }
    sort(std::span(items_).subspan(begin, end - begin));
  }

  /// Counting sort, for fewer keys than rows. It is stable: rows that are tied so far keep their
  /// order.
  void count(std::span<std::uint64_t> items, std::size_t n_keys) {
    starts_.assign(n_keys + 1, 0);
    for (const std::uint64_t item : items) ++starts_[(item >> 32) + 1];
    for (std::size_t key = 1; key < n_keys; ++key) starts_[key] += starts_[key - 1];
    if (spare_.size() < items.size()) spare_.resize(items.size());
    for (const std::uint64_t item : items) spare_[starts_[item >> 32]++] = item;
    std::copy_n(spare_.begin(), items.size(), items.begin());
  }

  /// Sorts chunks, then merges them pairwise, so that it can pause in between.
  void sort(std::span<std::uint64_t> items) {
    constexpr std::size_t part = 131'072;
    const std::size_t n = items.size();
    for (std::size_t begin = 0; begin < n; begin += part) {
      if (pause_ && n > part) pause_();
      std::sort(items.begin() + begin,
                items.begin() + static_cast<std::ptrdiff_t>(std::min(n, begin + part)));
    }
    for (std::size_t size = part; size < n; size *= 2) {
      if (spare_.size() < n) spare_.resize(n);
      for (std::size_t begin = 0; begin < n; begin += 2 * size) {
        if (pause_) pause_();
        const auto *first = items.data() + begin,
                   *middle = items.data() + std::min(n, begin + size),
                   *last = items.data() + std::min(n, begin + 2 * size);
        std::merge(first, middle, middle, last, spare_.data() + begin);
      }
      std::copy_n(spare_.begin(), n, items.begin());
    }
  }

  const Table& table_;
  std::span<const std::uint32_t> rows_, classes_;
  std::vector<std::uint64_t> items_, spare_;
  std::vector<std::uint32_t> starts_;  // by key
  const std::function<void()>& pause_;
};

}  // namespace

std::vector<std::uint32_t> content_order(const Table& table, std::span<const std::uint32_t> rows,
                                         std::span<const std::uint32_t> classes,
                                         const std::function<void()>& pause) {
  return ContentSort(table, rows, classes, pause).order();
}

}  // namespace ramify
