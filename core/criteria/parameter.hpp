// SPDX-License-Identifier: BSD-3-Clause
// Parameters of a criterion: what users may set, and what they have set.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ramify {

struct SetCriterion;

/// A parameter as users know it. Its value is a public field of the criterion's struct, at the same
/// index in `fields`; words and flags are stored as their index in the list.
struct Parameter {
  enum class Kind { number, word, flag, shares };  // shares: one per class of the data, or none
  const char* name = nullptr;                      // null: there is no further parameter
  Kind kind = Kind::number;
  double otherwise = 0;        // default value
  double min = 0, max = 0;     // range of a number
  bool min_is_allowed = true;  // else it must be larger
  const char* words = "";      // allowed words, separated by spaces
  double also = 0;             // one allowed number outside the range; none if it is within
};

inline constexpr std::size_t max_parameters = 4;
using Parameters = std::array<Parameter, max_parameters>;

/// The values that were set.
struct CriterionSettings {
  double values[max_parameters] = {};
  std::vector<double> shares;                           // one per class of the data; or none
  std::shared_ptr<const SetCriterion> inner = nullptr;  // of balanced(inner)
};

}  // namespace ramify
