// The configuration of one executable, and the context of lowering: the graph and the analyses of
// one plan.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::cpu_backend {

// Receives the result of a pass as text.
using DumpSink = std::function<void(std::string_view pass, const std::string& text)>;

struct LoweringContext;
struct StepDescriptor;
// Lowers a node that contains graphs.
using NestedLowering = StepDescriptor(const LoweringContext& context, size_t node);

struct Config {
  std::shared_ptr<const Observer> observer = nullptr;  // null: no value is observed
  int threads = 1;                                     // the most threads that one step uses
  std::optional<int64_t> memory_limit = {};            // in bytes, of one run
  bool winograd = true;                                // convolutions may use Winograd's algorithm
  bool fuse = true;                                    // several nodes may become one step
  bool is_nested = false;                              // for a graph that a node contains
  bool native = false;  // elementwise programs are compiled to native code where possible
  std::vector<Donation> donations = {};
  std::string native_note = {};            // why native code is off although it was asked for
  std::optional<DType> weight_dtype = {};  // in which GEMMs hold constant weights; none: their own
  bool bfloat16_products = true;  // GEMMs use bfloat16 instructions if the processor has them
  DumpSink dump = {};             // null: no pass is dumped
  NestedLowering* lower_nested = nullptr;  // null: loops and branches run their `eval`
};

class NativeCode;

struct LoweringContext {
  const ShapedGraph& shaped;
  const Config& config;
  PackedWeights& packed;
  const std::vector<int>& use_counts;  // per value: see count_uses
  const std::vector<bool>& observed;   // per node: the observer wants its outputs; empty: none
  NativeCode* native = nullptr;        // null: elementwise programs are interpreted

  bool is_observed(size_t node) const { return !observed.empty() && observed[node]; }
};

}  // namespace mithril::cpu_backend
