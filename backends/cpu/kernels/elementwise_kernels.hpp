// Operations on blocks of elements that stay in the first-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Of floats; what is true is 1, what is false 0. The `choose_...` compare the first two of four.
enum class Operation : uint8_t {
  copy,
  negate,
  logical_not,
  abs,
  sqrt,
  floor,
  exp,
  log,
  log1p,
  tanh,
  erf,
  add,
  subtract,
  multiply,
  divide,
  maximum,  // fmax and fmin of C: of a number and NaN the number
  minimum,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  choose,  // the first is the condition
  choose_less,
  choose_less_equal,
  choose_equal,
  choose_not_equal,
};
inline constexpr size_t operation_count = 28;

// The element i stands at at[i & mask]: all ones, 0 for as many equal elements as a vector has, or
// that of a block which is written anew every so many elements.
template <typename T>
struct Source {
  const T* at;
  size_t mask;
};
inline constexpr size_t each_element = ~size_t{0};

// Of an operation: for so many vectors at once, which registers hand on. Their types are known
// only where vectors are; null: there is none for this type of elements.
struct LinkKernel {
  void (*eight)() = nullptr;
  void (*four)() = nullptr;
  void (*one)() = nullptr;
};

// An operation that follows another in registers; in a cache line of its own.
struct alignas(64) Link {
  LinkKernel kernel;
  std::array<int16_t, 4> from;  // slots; below 0: what the link before made
  int16_t to = -1;              // slot; below 0: it is not written
  bool last = true;
};

// Elements that are read soon, and are asked for while links run: of each of these those as far
// from it as the links have come.
template <typename T>
struct Prefetch {
  std::array<const T*, 8> from{};
  size_t count = 0;
};

template <typename T>
struct ElementwiseKernels {
  size_t lanes;
  std::array<LinkKernel, operation_count> links;
  // The elements from `begin` to `end`, both multiples of `lanes`, through all links to the last.
  // What is written may be what is read, at the same elements.
  void (*run)(const Link* chain, const Source<T>* slots, size_t begin, size_t end,
              const Prefetch<T>& prefetch);
};

template <typename T>
const ElementwiseKernels<T>& elementwise_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
