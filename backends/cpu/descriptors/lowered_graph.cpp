#include "backends/cpu/descriptors/lowered_graph.hpp"

#include <fmt/format.h>

#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::cpu_backend {
namespace {

std::string joined_names(const std::vector<ValueId>& ids, const ShapedGraph& shaped) {
  std::vector<std::string_view> names;
  for (const ValueId id : ids) names.push_back(shaped.graph().value(id).name);
  return join(names, ", ");
}

}  // namespace

void LoweredGraph::add(Storage storage) {
  storage_of[index(storage.made)] = storages.size();
  storages.push_back(storage);
}

void LoweredGraph::find_live_ranges() {
  for (Storage& at : storages) at.first = at.last = 0;
  for (size_t step = 0; step < steps.size(); ++step) {
    const auto at = static_cast<int32_t>(step);
    for (const ValueId id : steps[step].writes) storage(id).first = storage(id).last = at;
    for (const ValueId id : steps[step].reads) storage(id).last = at;
  }
}

std::string joined_ops(const std::vector<size_t>& nodes, const ShapedGraph& shaped) {
  std::vector<std::string_view> ops;
  for (const size_t node : nodes) ops.push_back(shaped.node(node).op->name);
  return join(ops, "+");
}

std::string to_string(const LoweredGraph& lowered, const ShapedGraph& shaped) {
  std::string text;
  for (size_t i = 0; i < lowered.steps.size(); ++i) {
    const StepDescriptor& step = lowered.steps[i];
    text += fmt::format("step {}: {}: {} -> {}", i, joined_ops(step.nodes, shaped),
                        joined_names(step.reads, shaped), joined_names(step.writes, shaped));
    if (const int64_t bytes = step.scratch_bytes(); bytes > 0) {
      text += fmt::format("; scratch {} bytes", bytes);
    }
    for (const InPlacePair& pair : step.in_place_pairs) {
      text += fmt::format("; {} may overwrite {}", shaped.graph().value(pair.write).name,
                          shaped.graph().value(pair.read).name);
    }
    text += '\n';
  }
  return text;
}

}  // namespace mithril::cpu_backend
