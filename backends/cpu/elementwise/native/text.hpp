// Elementwise programs as C++ source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/elementwise/program.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"

namespace mithril::cpu_backend {

// How one call of the function, for a run of elements, reads an input.
enum class Reading : uint8_t {
  dense,   // the elements of the output, in order
  single,  // one element for the whole output
  run,     // contiguous or repeated for the run, which ends where this input's run ends
  staged   // gathered into a block before the call, in the dtype of the program
};

struct NativeProgram {
  // The function without its name. It contains no sizes, indices or names of values, so that equal
  // programs have equal text.
  std::string text;
  std::vector<Reading> readings;  // per input
  // The operations of kernels, in the order of their numbers in calls: those, such as exp and tanh,
  // for which a compiler would not give the same bits.
  std::vector<Operation> calls;
};

// The bytes of a block, for staged inputs and calls of kernels. Blocks stay in the first-level
// cache.
inline constexpr int64_t native_block_bytes = 2048;
// The most staged inputs and outputs of a program.
inline constexpr size_t most_staged = 8;
// Whether outputs of the dtype are staged, and converted after the call.
inline bool is_converted_after(DType dtype) { return is_half(dtype) || is_integer(dtype); }

// The native form of a program. None if it needs too many staged values, or too many blocks for
// calls of kernels.
std::optional<NativeProgram> native_program(const ShapedGraph& shaped,
                                            const ElementwiseProgram& program);

// NativeFunction gets the first element of the run in each output (to) and input (from), where
// 16-bit values and integers are staged in the dtype of the program; the constants in this dtype;
// `call`, which runs kernel `which` in place on `count` elements; its context; and the number of
// elements.
using NativeCall = void (*)(const void* context, int64_t which, void* elements, int64_t count);
using NativeFunction = void (*)(void* const* to, const void* const* from, const void* constants,
                                NativeCall call, const void* context, int64_t count);
// The name of a function: "loop_3" for the program of index 3.
std::string native_name(size_t program);
// A source file of all functions, without includes. It defines the symbol `mark`, which identifies
// the library.
std::string native_source(std::span<const std::string> texts, const std::string& mark);

}  // namespace mithril::cpu_backend
