// A graph of known sizes as a list of calls to torch's operators.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/torch/program/operators.hpp"
#include "backends/torch/recording/recorder.hpp"
#include "mithril/eval/describe_step.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

// Registers below the graph's number of values hold these values. The others hold intermediate
// results of a node.
struct OperatorCall {
  Call call;
  int first = 0;  // the register of the first result; the others follow
};

// A result of a node: its register, its item if that holds a list, and its expected dtype and dims.
struct Result {
  int from = 0;
  int item = -1;  // -1: the register holds the tensor itself
  ValueId value;
  c10::ScalarType dtype;
  bool converted = false;  // whether torch returns another dtype: known after the first run
};

struct FusedKernel;  // fused_kernel.hpp

// The part that a node has in a collective, which is not an operator of torch.
enum class ExchangePart : std::uint8_t { none, start, wait };
// The part of a spelled operation, "mithril::all_reduce_start". InternalError for another one.
ExchangePart exchange_part(const std::string& operation);

struct LoweredNode {
  std::vector<OperatorCall> calls = {};
  ExchangePart exchange = ExchangePart::none;
  std::shared_ptr<const FusedKernel> fused = nullptr;  // runs instead of the calls
  std::vector<Result> results = {};
  std::string spelling = {};  // for messages; empty: it runs on the host, as in the reference
};

class Script;  // script.hpp

// The target of a program.
struct Target {
  c10::Device device;
  bool channels_last = false;  // convolutions use the channels-last layout
};

struct TorchProgram {
  Plan plan;
  Target target;
  std::vector<LoweredNode> nodes;  // in the order of the plan
  size_t registers = 0;
  std::shared_ptr<const LazySteps> traced = std::make_shared<LazySteps>();  // copies share it
  std::shared_ptr<const Script> script = nullptr;  // runs instead of the nodes; null: the nodes run
  std::shared_ptr<Recorder> recorder = nullptr;    // replays the nodes; null: they run each time
};

// Whether a run overwrites donated inputs (mithril/backend/backend.hpp).
enum class Donated : std::uint8_t { ignored, in_place };

TorchProgram lower(const Graph& graph, Plan plan, const Target& target);
// Lowers one node, given the dims of its arguments (empty for values). Increases `registers` as
// needed.
LoweredNode lower(const Graph& graph, const PlannedNode& node, const std::vector<Dims>& arguments,
                  const Target& target, size_t& registers);

}  // namespace mithril::torch_backend
