// SPDX-License-Identifier: BSD-3-Clause
#include "online/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ramify::online {

void LeafSums::add(const Columns& columns, const Row& row) {
  if (row.weight != 1 && !is_weighted_) become_weighted();
  ++n_rows_;
  weight_ += row.weight;
  squares_ += row.weight * row.weight;
  by_class_[row.label] += row.weight;
  if (is_table_) return add_to_table(columns, row.bayes.cells, row.label, row.weight);
  cells_.insert(cells_.end(), row.bayes.cells, row.bayes.cells + columns.size());
  labels_.push_back(static_cast<std::uint16_t>(row.label));
  if (is_weighted_) weights_.push_back(row.weight);
  const std::size_t bytes_of_row = columns.size() + 2 + (is_weighted_ ? 8 : 0);
  const std::size_t bytes_of_cell = is_weighted_ ? 8 * n_classes() + 4 : 4 * n_classes();
  if (n_rows_ * bytes_of_row >= columns.cells.n_cells * bytes_of_cell) become_table(columns);
}

void LeafSums::add_to_table(const Columns& columns, const std::uint8_t* cells, std::uint32_t label,
                            double weight) {
  const std::size_t n = n_classes();
  if (!is_weighted_) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      ++counts_[(columns.cells.first[j] + cells[j]) * n + label];
    return;
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::size_t cell = columns.cells.first[j] + cells[j];
    sums_[cell * n + label] += weight;
    ++rows_[cell];
  }
}

void LeafSums::become_table(const Columns& columns) {
  is_table_ = true;
  const std::size_t n_cells = columns.cells.n_cells;
  if (is_weighted_) {
    sums_.assign(n_cells * n_classes(), 0);
    rows_.assign(n_cells, 0);
  } else {
    counts_.assign(n_cells * n_classes(), 0);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i)
    add_to_table(columns, cells_.data() + i * columns.size(), labels_[i],
                 is_weighted_ ? weights_[i] : 1);
  cells_ = {};
  labels_ = {};
  weights_ = {};
}

void LeafSums::become_weighted() {
  is_weighted_ = true;
  weights_.assign(labels_.size(), 1);
  if (!is_table_) return;
  const std::size_t n = n_classes();
  sums_.assign(counts_.begin(), counts_.end());
  rows_.assign(counts_.size() / n, 0);
  for (std::size_t cell = 0; cell < rows_.size(); ++cell)
    rows_[cell] =
        std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(cell * n),
                        counts_.begin() + static_cast<std::ptrdiff_t>((cell + 1) * n), 0u);
  counts_ = {};
}

LeafSums::Table LeafSums::table(const Columns& columns) const {
  if (!is_table_) {  // the rows are few: count them aside
    LeafSums counted = *this;
    counted.become_table(columns);
    return counted.table(columns);
  }
  Table table;
  const std::size_t n = n_classes();
  const double factor = effective() * per_row;
  table.n_counts = is_weighted_ ? 1 : 0;
  table.n_rows = n_rows_;
  table.unit = is_weighted_ ? 1 / per_row : 1;
  for (const double weight : by_class_)
    table.by_class.push_back(is_weighted_ ? std::nearbyint(weight * factor) : weight);
  const std::size_t width = n + table.n_counts;
  std::size_t n_cells = 0;
  for (const Column& column : columns.all) {
    table.first_cell.push_back(n_cells);
    n_cells += column.n_codes() + 1;
  }
  table.cells.resize(n_cells * width);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::uint32_t n_codes = columns.all[j].n_codes();
    std::int64_t* to = table.cells.data() + table.first_cell[j] * width;
    const auto from = [&](std::uint32_t code) {  // "missing" is the first here, the last there
      return std::size_t{columns.cells.first[j]} + (code == n_codes ? 0 : code + 1);
    };
    if (!is_weighted_) {
      for (std::uint32_t code = 0; code <= n_codes; ++code)
        std::copy_n(counts_.data() + from(code) * n, n, to + code * width);
      continue;
    }
    // Rounded so that the cells of each column add up to the same sums.
    for (std::size_t k = 0; k < n; ++k) {
      double running = 0;
      std::int64_t before = 0, last = -1;
      const auto total = static_cast<std::int64_t>(table.by_class[k]);
      for (std::uint32_t code = 0; code <= n_codes; ++code) {
        const double sum = sums_[from(code) * n + k];
        if (!(sum > 0)) continue;
        running += sum;
        const auto upto =
            std::min(static_cast<std::int64_t>(std::nearbyint(running * factor)), total);
        to[code * width + k] = upto - before;
        before = upto;
        last = code;
      }
      if (last >= 0) to[static_cast<std::size_t>(last) * width + k] += total - before;
    }
    for (std::uint32_t code = 0; code <= n_codes; ++code) to[code * width + n] = rows_[from(code)];
  }
  return table;
}

void LeafSums::rearrange(const Columns& columns, const Cells& old, std::size_t n_classes) {
  const std::size_t n = this->n_classes();
  const auto moved = [&](auto& values, std::size_t from_width, std::size_t to_width) {
    if (values.empty()) return;
    std::remove_reference_t<decltype(values)> wider(columns.cells.n_cells * to_width);
    for (std::size_t j = 0; j < old.first.size(); ++j)
      for (std::size_t cell = 0; cell < old.capacity[j]; ++cell)
        std::copy_n(
            values.begin() + static_cast<std::ptrdiff_t>((old.first[j] + cell) * from_width),
            from_width,
            wider.begin() +
                static_cast<std::ptrdiff_t>((columns.cells.first[j] + cell) * to_width));
    values = std::move(wider);
  };
  moved(counts_, n, n_classes);
  moved(sums_, n, n_classes);
  moved(rows_, 1, 1);
  by_class_.resize(n_classes);
}

bool LeafSums::fits(const Columns& columns, std::size_t n_classes) const {
  if (by_class_.empty() && n_rows_ == 0) return true;  // of a node that keeps none
  const std::size_t cells = columns.cells.n_cells, n_listed = is_table_ ? 0 : n_rows_;
  const bool has_counts = is_table_ && !is_weighted_, has_sums = is_table_ && is_weighted_;
  const auto is_cell = [&](std::size_t i) {
    return cells_[i] < columns.cells.capacity[i % columns.size()];
  };
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (!is_cell(i)) return false;
  return by_class_.size() == n_classes && labels_.size() == n_listed &&
         cells_.size() == n_listed * columns.size() &&
         weights_.size() == (is_weighted_ ? n_listed : 0) &&
         std::ranges::all_of(labels_, [&](auto label) { return label < n_classes; }) &&
         counts_.size() == (has_counts ? cells * n_classes : 0) &&
         sums_.size() == (has_sums ? cells * n_classes : 0) &&
         rows_.size() == (has_sums ? cells : 0);
}

std::size_t LeafSums::n_bytes() const {
  return cells_.size() + 2 * labels_.size() + 8 * weights_.size() + 4 * counts_.size() +
         8 * sums_.size() + 4 * rows_.size();
}

void RecentRows::add(const Columns& columns, const Row& row) {
  const std::size_t d = columns.size(), place = n_seen++ % most;
  if (labels.size() < most) {
    cells.insert(cells.end(), row.bayes.cells, row.bayes.cells + d);
    labels.push_back(static_cast<std::uint16_t>(row.label));
    return;
  }
  std::copy_n(row.bayes.cells, d, cells.begin() + static_cast<std::ptrdiff_t>(place * d));
  labels[place] = static_cast<std::uint16_t>(row.label);
}

bool Leaf::answers_by_bayes(Predictor predictor) const {
  if (predictor == Predictor::majority || bayes.empty()) return false;
  if (predictor == Predictor::naive_bayes) return true;
  return prefers_bayes ? bayes_right >= majority_right : bayes_right > majority_right;
}

std::uint32_t Leaf::majority() const {
  return static_cast<std::uint32_t>(std::ranges::max_element(class_weights) -
                                    class_weights.begin());
}

double Leaf::weight() const {
  return std::accumulate(class_weights.begin(), class_weights.end(), 0.0);
}

double Leaf::largest_share() const {
  const double largest = *std::ranges::max_element(sums.by_class());
  return sums.weight() > 0 ? largest / sums.weight() : 1;
}

std::size_t Leaf::n_bytes() const {
  return sizeof(*this) + sums.n_bytes() + bayes.n_bytes() + recent.cells.size() +
         2 * recent.labels.size();
}

}  // namespace ramify::online
