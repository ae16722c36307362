// SPDX-License-Identifier: BSD-3-Clause
// What one thread needs to search and part nodes, kept from node to node.
#pragma once

#include <cstdint>
#include <vector>

#include "categories/search.hpp"
#include "expressions/scorer.hpp"
#include "regression/ordered.hpp"
#include "scan/channels.hpp"
#include "select/top.hpp"

namespace ramify {

/// Room for walks that score as they go: see ClassSumSearch.
struct ClassSumBuffers {
  std::vector<std::uint32_t> counts;
  std::vector<double> terms;
};

struct Scratch {
  CutBuffers cuts;
  CodeSumsBuffers codes;
  CategoryBuffers categories;
  ClassSumBuffers class_sums;
  ScoreBuffers scores;
  RegressionBuffers regression;  // if numbers are learnt
  OrderBuffers order;            // and their order counts
  TopCandidates top;
  std::vector<Recorded> recorded;                       // of the node, by the thread that leads
  std::vector<std::uint64_t> list_spare, record_spare;  // while rows are partitioned
};

}  // namespace ramify
