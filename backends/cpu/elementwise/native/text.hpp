// Loops over elements as C++ for the system's compiler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// How elements of an input are read by a call of the function, which treats a run of them.
enum class Reading : uint8_t {
  dense,   // they are those of what is made, in their order
  single,  // there is one for all
  run,     // one, or as many as the run has: it ends where those of this input do
  staged   // they are gathered before, as elements of the program's dtype
};

struct NativeLoop {
  // Of a function, after its name. It says nothing of sizes, numbers or names: loops that do the
  // same have the same text.
  std::string text;
  std::vector<Reading> readings;  // per input
  // What it asks of kernels, by the number that it calls them by: exp, tanh and their like, whose
  // bits a compiler would not give.
  std::vector<Operation> calls;
};

// What a function works on at a time where it calls kernels, and what is gathered: so many bytes of
// each value, so that they stay in the first-level cache.
inline constexpr int64_t native_block_bytes = 2048;
// So many inputs that are gathered, and outputs of 16 bits, which are rounded after the call.
inline constexpr size_t most_staged = 8;

// Nothing where there is no room on the way: too much to gather or to round, or too many values
// that stand beside calls of kernels.
std::optional<NativeLoop> native_program(const ShapedGraph& shaped,
                                         const ElementwiseProgram& program);

// to, from: per output and input, where the run's elements stand (of 16 bits: in the loop's dtype);
// the loop's constants in its dtype; what calls the kernel `which` with `count` elements, in place,
// and what it is given; how many elements.
using NativeCall = void (*)(const void* context, int64_t which, void* elements, int64_t count);
using NativeFunction = void (*)(void* const* to, const void* const* from, const void* constants,
                                NativeCall call, const void* context, int64_t count);
// "loop_3", of the fourth text.
std::string native_name(size_t program);
// A file that needs no other. It defines `mark`, so that a library can be told from all others.
std::string native_source(std::span<const std::string> texts, const std::string& mark);

}  // namespace mithril::cpu_backend
