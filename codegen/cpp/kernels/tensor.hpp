// Tensors: pointers to elements in row-major order, and sizes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace mithril::snippets {

template <size_t rank>
using Dims = std::array<int64_t, rank>;

template <typename T, size_t rank>
struct Tensor {
  T* data;
  Dims<rank> dims;

  T& operator[](int64_t i) const { return data[i]; }
  int64_t size() const {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    return count;
  }
};

template <typename T, typename... Sizes>
Tensor<T, sizeof...(Sizes)> tensor(T* data, Sizes... sizes) {
  return {data, {static_cast<int64_t>(sizes)...}};
}

// An argument that the model leaves out.
struct None {};
inline constexpr None none{};
inline constexpr int64_t absent = INT64_MIN;  // the same, in a list of numbers

template <typename... Numbers>
std::array<int64_t, sizeof...(Numbers)> ints(Numbers... numbers) {
  return {static_cast<int64_t>(numbers)...};
}

// The tensor at this offset of the workspace.
template <typename T>
T* at(char* workspace, int64_t offset) {
  return reinterpret_cast<T*>(workspace + offset);
}

// Thrown by kernels and caught inside the file.
struct Failure {
  const char* message;
};

// Without exceptions the program that contains the file reports errors.
#ifndef __cpp_exceptions
extern "C" [[noreturn]] void mithril_fail(const char* message);
#endif

[[noreturn]] inline void fail(const char* message) {
#ifdef __cpp_exceptions
  throw Failure{message};
#else
  mithril_fail(message);
#endif
}

}  // namespace mithril::snippets
