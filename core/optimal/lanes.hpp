// SPDX-License-Identifier: BSD-3-Clause
// Many cuts in one walk. A batch of cuts, of any columns, puts the rows of a set to its left or to
// its right; a word per row says to which of the two, a bit per cut. One walk over the sorted rows
// of every column then finds the best stump (a tree of one test) on either side of each of these
// cuts: a lane per cut keeps the sums of the rows seen so far on its own sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify::optimal {

/// The highest bit of an entry of `order`: the last row of a run of equal values.
inline constexpr std::uint32_t run_end = 0x80000000u;

/// What a walk knows of a row.
struct SignedRow {  // of two answers: what the second costs less than the first
  std::uint32_t word;
  std::int32_t value;
};
struct CountedRow {
  std::uint32_t word, class_code;
  std::int32_t value;
};
struct WeighedRow {
  std::uint32_t word, class_code;
  double value;
};
struct NumberRow {
  std::uint32_t word;
  double weight, sum;
};

struct CutWalk {
  std::uint32_t n_rows = 0, n_columns = 0;
  const std::uint32_t* order = nullptr;  // rows by value, column after column
  std::size_t stride = 0;
  const void* rows = nullptr;
  int n_classes = 0;
  const double* costs = nullptr;  // [class][answer], if errors cost differently
  const double* total[2];         // of the lanes: the most that their left or right side can lose
  double* leaf[2];                // what each side loses as a leaf
  double* stump[2];               // and after its best test, or as a leaf
  std::byte* room = nullptr;      // for what is kept at the end of runs; aligned to 64 bytes
};

/// Walks of one instruction set, by the loss and the type of the lanes.
struct LaneKernels {
  using Walk = void (*)(const CutWalk&);
  Walk two_16, two_32, two_64;              // two answers
  Walk classes_16, classes_32, classes_64;  // errors of several classes
  Walk costs_64;                            // errors that cost differently
  Walk numbers_64;                          // squared errors
};

/// The kernels for this processor.
const LaneKernels& lane_kernels();

/// Bytes of room that a walk needs.
inline std::size_t room_of_walk(std::size_t n_rows, int n_classes) {
  return 64 * (2 * (n_rows + 1) + 4 * static_cast<std::size_t>(n_classes) + 4);
}

}  // namespace ramify::optimal
