// SPDX-License-Identifier: BSD-3-Clause
// Serialises numbers to bytes and back, for messages and files. Writer and reader are called alike,
// so that one function that lists the fields of a struct does for both. Input is never trusted: a
// length beyond the end is an error.
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
  /// Writes numbers, flags and lists of numbers, one after the other.
  template <class... T>
  void operator()(const T&... fields) {
    (add(fields), ...);
  }
  /// Writes integers of any type in eight bytes.
  template <class... T>
  void wide(const T&... numbers) {
    (add(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(
         numbers)),
     ...);
  }
  /// Writes how many items there are, and calls write(item) for each.
  template <class T, class Write>
  void each(const std::vector<T>& items, std::size_t /*min_bytes*/, Write write) {
    wide(items.size());
    for (const T& item : items) write(item);
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  template <class T>
  void add(const T& field) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>)
      append(static_cast<std::uint8_t>(field));
    else
      append(field);
  }
  template <class T>
  void add(const std::vector<T>& numbers) {
    wide(numbers.size());
    for (const T number : numbers) append(number);
  }
  template <class T>
  void append(T number) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&number);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
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
  template <class... T>
  void operator()(T&... fields) {
    (read(fields), ...);
  }
  /// Refuses an integer that its field cannot hold.
  template <class... T>
  void wide(T&... numbers) {
    (read_wide(numbers), ...);
  }
  /// Reads how many items follow, each of at least `min_bytes` bytes, and calls read(item) for
  /// each.
  template <class T, class Read>
  void each(std::vector<T>& items, std::size_t min_bytes, Read read) {
    items.resize(length(min_bytes));
    for (T& item : items) read(item);
  }
  std::size_t length(std::size_t min_bytes) {
    const auto n = next<std::uint64_t>();
    if (n > bytes_.size() / min_bytes) throw std::invalid_argument("the bytes end too early");
    return static_cast<std::size_t>(n);
  }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  template <class T>
  void read(T& field) {
    if constexpr (std::is_same_v<T, bool>)
      field = next<std::uint8_t>() != 0;
    else if constexpr (std::is_enum_v<T>)
      field = static_cast<T>(next<std::uint8_t>());
    else
      field = next<T>();
  }
  template <class T>
  void read(std::vector<T>& numbers) {
    numbers.resize(length(sizeof(T)));
    for (T& number : numbers) number = next<T>();
  }
  template <class T>
  void read_wide(T& number) {
    const auto all = next<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>();
    if (!std::in_range<T>(all)) throw std::invalid_argument("a number of the bytes is too large");
    number = static_cast<T>(all);
  }
  const std::uint8_t* some(std::size_t n) {
    if (n > bytes_.size()) throw std::invalid_argument("the bytes end too early");
    const std::uint8_t* begin = bytes_.data();
    bytes_ = bytes_.subspan(n);
    return begin;
  }
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ramify
