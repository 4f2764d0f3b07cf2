// Elementwise operations on blocks of elements that stay in the L1 cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Operations on floats. True is 1, false is 0.
enum class Operation : uint8_t {
#define MITHRIL_OPERATION(name, operands, vectors, text) name,
#include "backends/cpu/kernels/operations-inl.hpp"
};
inline constexpr size_t operation_count = static_cast<size_t>(Operation::choose_not_equal) + 1;

// An operand or a result. Its element i is at[i & mask]. The mask is all ones for an array, 0 for
// one vector of equal elements, and a power of two - 1 for a block that is reused.
template <typename T>
struct Source {
  const T* at;
  size_t mask;
};
inline constexpr size_t each_element = ~size_t{0};

// The code of an operation for 8, 4 or 1 vectors, which it passes on in registers. Only the kernels
// know the types of these functions. Null: the element type has no such operation.
struct OperationKernel {
  void (*eight)() = nullptr;
  void (*four)() = nullptr;
  void (*one)() = nullptr;
};

// An instruction as the kernels run it, in its own cache line.
struct alignas(64) EncodedInstruction {
  OperationKernel kernel;
  std::array<int16_t, 4> from;  // slots; below 0: the result of the previous instruction
  int16_t to = -1;              // slot; below 0: not stored
  bool last = true;
};

// Arrays to prefetch while instructions run: at element i, the kernels prefetch from[k][i].
template <typename T>
struct Prefetch {
  std::array<const T*, 8> from{};
  size_t count = 0;
};

template <typename T>
struct ElementwiseKernels {
  size_t lanes;
  std::array<OperationKernel, operation_count> operations;
  // Runs all instructions on the elements [begin, end), both multiples of `lanes`. An output may be
  // the same array as an input.
  void (*run)(const EncodedInstruction* code, const Source<T>* slots, size_t begin, size_t end,
              const Prefetch<T>& prefetch);
};

template <typename T>
const ElementwiseKernels<T>& elementwise_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
