// SPDX-License-Identifier: BSD-3-Clause
// Many classes, but a criterion that sees them through one sum per side: the cuts of a sorted list
// are scored while walking.
#pragma once

#include "search/scratch.hpp"

namespace ramify {

class ClassSumSearch {
 public:
  ClassSumSearch(const Training& training, const ClassScores& scores)
      : training_(training), scores_(scores) {}

  /// May a column be searched so? It pays where a node has more than two classes.
  bool fits(int column) const;
  Split best(const NodeColumn& column, CutBuffers& cuts, ClassSumBuffers& buffers) const;

 private:
  SumWalkOf<std::uint64_t> start_walk(const ListView& list, const NodeChannels& channels,
                                      std::span<const double> missing, bool missing_left,
                                      ClassSumBuffers& buffers) const;

  Training training_;
  const ClassScores& scores_;
};

}  // namespace ramify
