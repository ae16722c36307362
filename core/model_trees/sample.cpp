// SPDX-License-Identifier: BSD-3-Clause
#include "model_trees/sample.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <variant>

#include "util/exact_sum.hpp"

namespace ramify {
namespace {

std::uint32_t code_of(const Column& column, std::uint32_t row) {
  return std::visit([&](const auto& codes) { return static_cast<std::uint32_t>(codes[row]); },
                    column.codes);
}

}  // namespace

LineSample::LineSample(const Table& table, std::span<const std::uint32_t> rows,
                       const Target& target) {
  std::vector<std::uint32_t> place;  // in the target
  for (std::uint32_t i = 0; i < target.n_rows; ++i)
    if (target.weight_of(i) > 0) place.push_back(i);
  // By content: y decides nearly always, so that few columns are looked at.
  std::ranges::sort(place, [&](std::uint32_t a, std::uint32_t b) {
    if (target.values[a] != target.values[b]) return target.values[a] < target.values[b];
    for (const Column& column : table.columns) {
      const std::uint32_t left = code_of(column, rows[a]), right = code_of(column, rows[b]);
      if (left != right) return left < right;
    }
    return target.weight_of(a) < target.weight_of(b);
  });
  const std::size_t n = place.size();
  y.resize(n);
  weight.resize(n);
  times.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = target.values[place[i]];
    times[i] = target.weight_of(place[i]);
  }
  // Weights of 1 and 2 are once and twice, whatever unit the target counts in.
  std::uint64_t bits = 0;
  for (const double each : times) bits |= static_cast<std::uint64_t>(each);
  const double finest = bits > 0 ? power_of_two(std::countr_zero(bits)) : 1;
  unit = target.unit * finest;
  for (std::size_t i = 0; i < n; ++i) {
    times[i] /= finest;
    weight[i] = times[i] * unit;
  }
  y_low = n > 0 ? y.front() : 0;
  y_high = n > 0 ? y.back() : 0;
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0U);
  is_left_.resize(n);
  right_.resize(n);
  for (const Column& column : table.columns) {
    const std::uint32_t n_codes = column.n_codes();
    std::vector<std::uint32_t> code(n), begin(n_codes + std::size_t{2});
    std::vector<double> own(n);
    std::visit(
        [&](const auto& codes) {
          for (std::size_t i = 0; i < n; ++i) code[i] = codes[rows[place[i]]];
        },
        column.codes);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t own_code = std::min(code[i], n_codes);
      ++begin[own_code + 1];
      own[i] = own_code == n_codes     ? std::numeric_limits<double>::quiet_NaN()
               : column.is_categorical ? own_code
                                       : column.lower(own_code);
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> sorted(n);
    for (std::size_t i = 0; i < n; ++i)
      sorted[begin[std::min(code[i], n_codes)]++] = static_cast<std::uint32_t>(i);
    x.push_back(std::move(own));
    sorted_.push_back(std::move(sorted));
    n_categories.push_back(column.is_categorical ? std::max(1U, n_codes) : 0);
  }
}

double LineSample::weight_of(Segment node) const {
  double sum = 0;
  for (const std::uint32_t row : rows(node)) sum += weight[row];
  return sum;
}

std::uint32_t LineSample::divide(Segment node, const Division& division) {
  const std::vector<double>& values = x[division.column];
  for (const std::uint32_t row : rows(node)) is_left_[row] = division.goes_left(values[row]);
  std::uint32_t middle = node.begin;
  const auto divide_list = [&](std::vector<std::uint32_t>& list) {
    std::uint32_t* left = list.data() + node.begin;
    std::uint32_t n_right = 0;
    for (std::uint32_t i = node.begin; i < node.end; ++i) {  // branch-free: sides are unpredictable
      const std::uint32_t row = list[i];
      *left = row;
      right_[n_right] = row;
      left += is_left_[row];
      n_right += 1U - is_left_[row];
    }
    std::copy_n(right_.begin(), n_right, left);
    middle = node.end - n_right;
  };
  divide_list(order_);
  for (std::vector<std::uint32_t>& list : sorted_) divide_list(list);
  return middle;
}

}  // namespace ramify
