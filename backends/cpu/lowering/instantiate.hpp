// The steps of a plan, made of their descriptors, and what its runs read and return.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// The value that a run returns for one output of the graph: an input, a constant, a new tensor, or
// the tensor of an earlier output.
struct Result {
  enum class From : uint8_t { input, constant, buffer, result } from;
  size_t index = 0;
  // The dtype and dims of a new tensor.
  DType dtype = DType::float32;
  Dims dims = {};
};

// A constant that steps read in its own layout, or that a run returns; `base` is its buffer.
struct HeldConstant {
  size_t base;
  Tensor tensor;
};

struct PlannedStep {
  std::unique_ptr<Step> step;
  const RunsInParts* parts;  // the step; null: it only runs as a whole
  Traversal traversal;
  bool alternates_in_loops;
  bool pays_off_threads;      // more than one, or it is not known
  std::vector<size_t> nodes;  // of the graph that the step computes, for traces
  std::string kernel;         // for traces: "gemm + elementwise"
};

// Takes the steps out of their descriptors. Makes the elementwise ones, which depend on the planned
// memory, and builds the native code of the context first.
std::vector<PlannedStep> instantiate(const LoweringContext& context, LoweredGraph& lowered,
                                     const BufferRefs& refs);

// The constants that steps read in their own layout or that a run returns. The others are packed.
std::vector<HeldConstant> held_constants(const ShapedGraph& shaped, const LoweredGraph& lowered,
                                         const BufferRefs& refs, PackedWeights& packed);

// Per output of the graph.
std::vector<Result> results_of(const ShapedGraph& shaped, const BufferRefs& refs,
                               const std::vector<HeldConstant>& constants);

// A line for each step: the ops that it computes, and how it traverses its buffers. Then a line for
// each result.
std::string to_string(const std::vector<PlannedStep>& steps, const std::vector<Result>& results,
                      const ShapedGraph& shaped);

}  // namespace mithril::cpu_backend
