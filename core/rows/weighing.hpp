// SPDX-License-Identifier: BSD-3-Clause
// How the rows of lists are weighed: each as one, by its class, or by a weight that is looked up.
#pragma once

#include <optional>
#include <vector>

#include "data/table.hpp"

namespace ramify {

struct Weighing {
  bool by_row = false;           // are weights looked up?
  std::vector<double> of_class;  // what all rows of a class weigh, in units; else empty

  bool by_class() const { return !of_class.empty(); }
  bool counts() const { return !by_row && !by_class(); }
};

/// By class if there are at most so many of them. Nothing if a row weighs 0.
std::optional<Weighing> weigh_rows(const Target& target, int max_classes);

}  // namespace ramify
