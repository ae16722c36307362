// SPDX-License-Identifier: BSD-3-Clause
// How rows of lists are weighted: all alike, by class, or individually by a lookup.
#pragma once

#include <optional>
#include <vector>

#include "data/table.hpp"

namespace ramify {

struct Weighing {
  bool by_row = false;           // whether weights are looked up
  std::vector<double> of_class;  // weight of all rows of a class, in units; else empty

  bool by_class() const { return !of_class.empty(); }
  bool counts() const { return !by_row && !by_class(); }
};

/// By class if there are at most `max_classes`. Returns nothing if a row weighs 0.
std::optional<Weighing> weigh_rows(const Target& target, int max_classes);

}  // namespace ramify
