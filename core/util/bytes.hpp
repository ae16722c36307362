// SPDX-License-Identifier: BSD-3-Clause
// Serialises numbers to bytes and back, for messages and files. Input is never trusted: a length
// beyond the end is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace ramify {

class ByteWriter {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void add(T number) {
    append(&number, sizeof(T));
  }
  template <class T>
  void add(const std::vector<T>& numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    append(numbers.data(), numbers.size() * sizeof(T));
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  void append(const void* bytes, std::size_t n) {
    if (n == 0) return;
    const std::size_t before = bytes_.size();
    bytes_.resize(before + n);
    std::memcpy(bytes_.data() + before, bytes, n);
  }
  std::vector<std::uint8_t> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  T next() {
    T number;
    std::memcpy(&number, some(sizeof(T)), sizeof(T));
    return number;
  }
  template <class T>
  std::vector<T> list() {
    const std::size_t n = length(sizeof(T));
    std::vector<T> numbers(n);
    if (n > 0) std::memcpy(numbers.data(), some(n * sizeof(T)), n * sizeof(T));
    return numbers;
  }
  /// Reads how many items follow; each takes at least `min_bytes` bytes.
  std::size_t length(std::size_t min_bytes) {
    const auto n = next<std::uint64_t>();
    if (n > bytes_.size() / min_bytes) throw std::invalid_argument("the bytes end too early");
    return static_cast<std::size_t>(n);
  }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  const std::uint8_t* some(std::size_t n) {
    if (n > bytes_.size()) throw std::invalid_argument("the bytes end too early");
    const std::uint8_t* begin = bytes_.data();
    bytes_ = bytes_.subspan(n);
    return begin;
  }
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ramify
