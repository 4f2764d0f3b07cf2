// Keeps one of several loops with equal arguments and nodes.
#include <algorithm>
#include <optional>
#include <utility>

#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

struct Loop {
  size_t node;
  ScanLoop scan;
  Graph nodes;                             // the body without stacks
  std::optional<size_t> merged_with = {};  // an earlier loop
  std::vector<ValueId> stacks = {};        // values of the body
};

std::vector<Loop> loops_of(const Graph& graph) {
  std::vector<Loop> loops;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    if (!is_scan(graph.nodes()[n])) continue;
    ScanLoop scan = scan_of(graph.nodes()[n]);
    Graph nodes = scan.body;
    nodes.keep_outputs(scan.carries);
    Loop loop{.node = n, .scan = std::move(scan), .nodes = std::move(nodes)};
    for (size_t k = loop.scan.carries; k < loop.scan.body.outputs().size(); ++k)
      loop.stacks.push_back(loop.scan.body.outputs()[k].value);
    loops.push_back(std::move(loop));
  }
  return loops;
}

bool can_merge(const Loop& a, const Loop& b) {
  return a.scan.arguments == b.scan.arguments && a.scan.carries == b.scan.carries &&
         a.scan.sequences == b.scan.sequences && a.scan.reverse == b.scan.reverse &&
         same(a.scan.length, b.scan.length) && same(a.scan.numbers, b.scan.numbers) &&
         a.nodes == b.nodes;
}

// Where an output of a loop is among those of the merged one.
size_t place(const Loop& loop, size_t output, const std::vector<ValueId>& stacks) {
  if (output < loop.scan.carries) return output;
  const ValueId id = loop.stacks[output - loop.scan.carries];
  const auto at = std::find(stacks.begin(), stacks.end(), id);
  return loop.scan.carries + static_cast<size_t>(at - stacks.begin());
}

}  // namespace

Graph merge_loops(const Graph& graph) {
  std::vector<Loop> loops = loops_of(graph);
  bool merges = false;
  for (size_t i = 0; i < loops.size(); ++i) {
    for (size_t j = 0; j < i && !loops[i].merged_with; ++j) {
      if (loops[j].merged_with || !can_merge(loops[j], loops[i])) continue;
      loops[i].merged_with = j;
      merges = true;
    }
  }
  if (!merges) return graph;
  Rebuilder rebuilder(graph);
  size_t next = 0;
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    if (!is_scan(node)) {
      rebuilder.keep(node);
      continue;
    }
    const size_t at = next++;
    const Loop& loop = loops[at];
    if (loop.merged_with) continue;
    std::vector<const Loop*> members;
    std::vector<ValueId> stacks;
    for (size_t k = at; k < loops.size(); ++k) {
      if (k != at && loops[k].merged_with != at) continue;
      members.push_back(&loops[k]);
      for (const ValueId id : loops[k].stacks) {
        if (std::find(stacks.begin(), stacks.end(), id) == stacks.end()) stacks.push_back(id);
      }
    }
    if (members.size() == 1) {
      rebuilder.keep(node);
      continue;
    }
    ScanLoop scan = loop.scan;
    scan.body = loop.nodes;
    for (const ValueId id : stacks)
      scan.body.add_output("stack_" + std::to_string(scan.body.outputs().size()), id);
    for (ValueId& id : scan.arguments) id = rebuilder.map(id);
    const std::string& name = graph.value(node.outputs.front()).name;
    const auto made = add_scan(rebuilder.graph(), scan, name + ".merged");
    for (const Loop* member : members) {
      const auto& outputs = graph.nodes()[member->node].outputs;
      for (size_t k = 0; k < outputs.size(); ++k)
        rebuilder.become(outputs[k], made[place(*member, k, stacks)]);
    }
  }
  return rebuilder.finish();
}

}  // namespace mithril
