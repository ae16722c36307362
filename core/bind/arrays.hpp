// SPDX-License-Identifier: BSD-3-Clause
// Arrays from and to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "data/raw.hpp"
#include "tree/matrix.hpp"

namespace ramify {

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
/// An array that is written to.
template <class T>
using Written = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Maybe = std::optional<Array1<T>>;
using MaybeWeight = Maybe<double>;

template <class T>
std::span<const T> view(const Array1<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::span<T> view(const Written<T>& array) {
  return {array.data(), array.shape(0)};
}
/// Empty if there is no array.
template <class Array>
auto view(const std::optional<Array>& array) {
  return array ? view(*array) : decltype(view(*array)){};
}
template <class T>
std::vector<T> copy(const Array1<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}
template <class T>
std::vector<T> copy(const Maybe<T>& array) {
  return array ? copy(*array) : std::vector<T>{};
}

inline std::span<const std::uint8_t> view(const nb::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline nb::bytes bytes_of(const std::vector<std::uint8_t>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

/// Calls a function that needs no Python, while other threads may run it.
template <class Work>
auto without_gil(Work work) {
  const nb::gil_scoped_release release;
  return work();
}

/// Hands a vector over to NumPy without copying it.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::span<const std::size_t> shape,
                                   std::span<const std::int64_t> strides = {}) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner,
                                   strides.empty() ? nullptr : strides.data());
}
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values,
                                   std::initializer_list<std::size_t> shape,
                                   std::initializer_list<std::int64_t> strides = {}) {
  return to_numpy(std::move(values), std::span(shape.begin(), shape.size()),
                  std::span(strides.begin(), strides.size()));
}
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  return to_numpy(std::move(values), {values.size()});
}
/// Several arrays, as a tuple.
template <class... T>
nb::tuple to_tuple(std::vector<T>&&... values) {
  return nb::make_tuple(to_numpy(std::move(values))...);
}

/// The rows of a table that are used: some, or all.
std::vector<std::uint32_t> used_rows(const Table& table, const Maybe<std::uint32_t>& rows);

inline RawColumn::Type type_of(const nb::dlpack::dtype& type) {
  using Type = RawColumn::Type;
  if (static_cast<nb::dlpack::dtype_code>(type.code) == nb::dlpack::dtype_code::Bool)
    return Type::boolean;
  for (const Type known : {Type::f32, Type::f64, Type::i8, Type::i16, Type::i32, Type::i64,
                           Type::u8, Type::u16, Type::u32, Type::u64})
    if (with_type(known, []<class T>(T) { return nb::dtype<T>(); }) == type) return known;
  throw nb::type_error("X must be an array of real numbers (float32, float64, integers or bool)");
}

/// One column per array, or per column of the only array.
inline std::vector<RawColumn> raw_columns(const std::vector<AnyArray>& arrays) {
  std::vector<RawColumn> columns;
  const auto add = [&](const AnyArray& array, std::int64_t offset) {
    const std::int64_t item = (array.dtype().bits + 7) / 8;
    if (array.shape(0) >= std::size_t{1} << 31)
      refuse("X has 2^31 rows or more; the maximum is 2^31 - 1");
    columns.push_back({static_cast<const char*>(array.data()) + offset * item,
                       array.stride(0) * item, static_cast<std::uint32_t>(array.shape(0)),
                       type_of(array.dtype())});
  };
  for (const AnyArray& array : arrays) {
    if (array.ndim() == 1)
      add(array, 0);
    else if (array.ndim() == 2)
      for (std::size_t j = 0; j < array.shape(1); ++j)
        add(array, static_cast<std::int64_t>(j) * array.stride(1));
    else
      refuse("X must have one or two dimensions");
  }
  return columns;
}

inline RawMatrix raw_matrix(const AnyArray& X) {
  if (X.ndim() != 2) refuse("X must have two dimensions");
  const std::int64_t item = (X.dtype().bits + 7) / 8;
  RawMatrix matrix{X.data(),
                   static_cast<std::int64_t>(X.shape(0)),
                   static_cast<std::int64_t>(X.shape(1)),
                   X.stride(0) * item,
                   X.stride(1) * item,
                   type_of(X.dtype())};
  if (matrix.type != RawColumn::Type::f32 && matrix.type != RawColumn::Type::f64)
    throw nb::type_error("X must be float32 or float64");
  return matrix;
}

}  // namespace ramify
