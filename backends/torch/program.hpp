// A graph of known sizes as a list of calls to torch's operators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/torch/operators.hpp"
#include "backends/torch/recording.hpp"
#include "mithril/eval/plan.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::torch_backend {

// Registers below the graph's number of values hold the graph's values; those above hold what a
// node needs on its way.
struct Step {
  Call call;
  int first = 0;  // register of the first result; the others follow
};

// What a node makes: the register where it stands, of a list which item, and what it has to be.
struct Result {
  int from = 0;
  int item = -1;  // -1: the register holds the tensor itself
  ValueId value;
  c10::ScalarType dtype;
  bool converted = false;  // whether torch makes another dtype: known once the program has run
};

struct LoweredNode {
  std::vector<Step> steps = {};
  std::vector<Result> results = {};
  std::string spelling = {};  // for messages; empty: runs as the reference does, on the host
};

class Script;  // script.hpp

// What a program is made for.
struct Target {
  c10::Device device;
  bool channels_last = false;  // convolutions see their channels last in memory
};

struct Program {
  Plan plan;
  Target target;
  std::vector<LoweredNode> nodes;  // as the plan's
  size_t registers = 0;
  std::shared_ptr<const Script> script = nullptr;  // runs in place of the nodes; null: they run
  std::shared_ptr<Recorder> recorder = nullptr;    // replays the nodes; null: they run each time
};

Program lower(const Graph& graph, Plan plan, const Target& target);
// One node, given the dims of its arguments (of values none). `registers` grows to what it needs.
LoweredNode lower(const Graph& graph, const PlannedNode& node, const std::vector<Dims>& arguments,
                  const Target& target, size_t& registers);

}  // namespace mithril::torch_backend
