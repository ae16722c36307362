// SPDX-License-Identifier: BSD-3-Clause
// Lists of structs to and from bytes: one function of a struct lists its fields for both.
#pragma once

#include <type_traits>
#include <vector>

#include "util/bytes.hpp"

namespace ramify::online {

template <class Bytes, class T>
void transfer_all(Bytes& bytes, std::vector<T>& items) {
  if constexpr (std::is_same_v<Bytes, ByteReader>)
    items.resize(bytes.length(1));
  else
    bytes.wide(items.size());
  for (T& item : items) item.transfer(bytes);
}

}  // namespace ramify::online
