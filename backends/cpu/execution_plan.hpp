// A graph for inputs of certain sizes: steps over one piece of memory, one after the other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/elementwise/native/library.hpp"
#include "backends/cpu/runtime/step.hpp"
#include "mithril/backend/backend.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

// What a run gives for an output of the graph: a tensor that it was given, one that it makes anew,
// for who evaluates keeps it, or the same as for an output before.
struct Result {
  enum class From : uint8_t { input, constant, buffer, result } from;
  size_t index = 0;
  // Of a buffer.
  DType dtype = DType::float32;
  Dims dims = {};
};

// A constant whose elements a run reads where they stand, at this base of the buffers, or gives.
struct HeldConstant {
  size_t base;
  Tensor tensor;
};

struct Program {
  Plan plan;                                    // what steps know of their nodes
  std::shared_ptr<const NativeLibrary> native;  // that steps run; null: none
  std::string native_note;                      // for the summary, where it was asked for
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Passing> passings;  // per step
  std::vector<Result> results;
  std::vector<HeldConstant> constants;
  int64_t arena_bytes = 0;
  int64_t buffer_bytes = 0;  // of what runs make anew

  // Of the frame: the arena, the inputs, the constants, the buffers: so many.
  size_t bases = 0;
  size_t untouched_steps = 0;  // so many run before one writes in the place of an input
};

struct ProgramOptions {
  PackedConstants& packed;
  int threads = 1;                           // that a step may use, at most
  const Observer* observer = nullptr;        // null: nobody looks
  const std::vector<bool>* shown = nullptr;  // per node, where somebody does: whether it is wanted
  std::optional<int64_t> memory_limit = {};  // in bytes
  bool winograd = true;                      // convolutions may use his algorithm
  bool fuse = true;                          // nodes may run together; else one by one
  std::span<const Donation> donations = {};
  bool native = false;                     // loops are compiled, where that can be
  std::optional<DType> weight_dtype = {};  // in which constant weights of products are held
  bool bfloat16_products = true;           // by the processor's instruction, where it has one
};

// Ops that keep the elements of their input make a view of them; what the observer wants to see is
// made as it stands. The graph and what the options refer to outlive the program. OutOfMemoryError
// E1101 where a run would need more than the limit, E1102 where it would need more than the machine
// has; both before anything is allocated.
Program make_program(const Graph& graph, Plan plan, const ProgramOptions& options);

}  // namespace mithril::cpu_backend
