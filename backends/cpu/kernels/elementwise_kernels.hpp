// Operations on blocks of elements that stay in the first-level cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/instructions.hpp"

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

// The element i stands at at[i & mask]: all ones, or 0 for as many equal elements as a vector has.
template <typename T>
struct Source {
  const T* at;
  size_t mask;
};
inline constexpr size_t each_element = ~size_t{0};

template <typename T>
struct ElementwiseKernels {
  // Writes `count` elements, a multiple of `lanes`; `to` may be what is read.
  using Kernel = void (*)(T* to, const Source<T>* sources, size_t count);

  size_t lanes;
  std::array<Kernel, operation_count> run;  // null: there is none for this type
};

template <typename T>
const ElementwiseKernels<T>& elementwise_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
