#include "mithril/eval/size_sources.hpp"

#include <algorithm>

#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

const std::string& port_of(const Node& node, size_t argument) {
  size_t port = 0;
  for (size_t at = 0; port + 1 < node.op->inputs.size(); ++port) {
    at += node.op->inputs[port].list ? node.list_size() : 1;
    if (at > argument) break;
  }
  return node.op->inputs[port].name;
}

}  // namespace

SizeSources::SizeSources(const Graph& graph) : graph_(graph), stages_(1) {
  for (const ValueId id : graph.inputs()) observe(id);
  nodes_.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) add_node(node);
}

void SizeSources::observe(ValueId id) {
  const Value& value = graph_.value(id);
  if (!value.ranked) return;
  texts_.emplace_back(id, to_string(value.dims));
  for (size_t i = 0; i < value.dims.size(); ++i) {
    program().observe(value.dims[i]);
    stages_.back().observed.push_back({id, i});
  }
}

bool SizeSources::follows(const Value& value) const {
  const auto known = [&](const Dim& dim) { return stages_.back().program.follows(dim); };
  return value.ranked && std::all_of(value.dims.begin(), value.dims.end(), known);
}

void SizeSources::add_size(const Dim& dim, bool of_shape) {
  if (dim.is_constant()) {
    sizes_.push_back({dim.constant()});
    return;
  }
  MITHRIL_CHECK(program().follows(dim),
                "the size " + to_string(dim) + " is not known when it is needed");
  sizes_.push_back({0, of_shape ? program().add_size(dim) : program().add(dim)});
}

void SizeSources::add_node(const Node& node) {
  NodeSizeSources sized{.stage = static_cast<int32_t>(stages_.size()) - 1,
                        .first_size = sizes_.size()};
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    if (tensor_of(node.arguments[i])) continue;
    map_dims(std::get<Datum>(node.arguments[i]), [&](const Dim& dim) {
      if (!dim.is_constant() && !program().follows(dim)) refuse_unknown(node, port_of(node, i));
      add_size(dim, false);
      return dim;
    });
  }
  const auto known = [&](ValueId id) { return follows(graph_.value(id)); };
  sized.inferred = !std::all_of(node.outputs.begin(), node.outputs.end(), known);
  nodes_.push_back(sized);
  if (sized.inferred) {
    begin_stage(node);
    return;
  }
  for (const ValueId id : node.outputs) {
    for (const Dim& dim : graph_.value(id).dims) add_size(dim, true);
  }
}

void SizeSources::refuse_unknown(const Node& node, const std::string& port) const {
  if (node.op->outputs_from == port) {  // such as those of a loop
    const auto made = std::find_if(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId id) { return !follows(graph_.value(id)); });
    const Value& value = graph_.value(made == node.outputs.end() ? node.outputs.front() : *made);
    raise({.kind = ErrorKind::value,
           .code = "E0403",
           .path = value.name,
           .message = "the sizes of '" + value.name + "', " + to_string(value.dims) +
                      ", do not follow from those of inputs",
           .help = "give sizes that are equal one name: shapes={\"x\": [\"N\", 3], \"h\": "
                   "[\"N\", 3]}"});
  }
  raise({.kind = ErrorKind::value,
         .code = "E0403",
         .path = graph_.value(node.outputs.front()).name,
         .port = port,
         .message = node.op->name + ": the value of port '" + port + "' is not known",
         .help = "bind it to a value, or state one with set_values; a string in a binding is the "
                 "name of a key"});
}

// The sizes of the node's outputs are known from here on.
void SizeSources::begin_stage(const Node& node) {
  Stage next;
  for (const Observed& before : stages_.back().observed) {
    next.program.observe(graph_.value(before.value).dims[before.dim]);
  }
  next.observed = stages_.back().observed;
  const size_t observed = next.observed.size();
  stages_.push_back(std::move(next));
  for (const ValueId id : node.outputs) observe(id);
  if (stages_.back().observed.size() == observed) stages_.pop_back();
}

std::string SizeSources::text(ValueId id) const {
  const auto at = std::find_if(texts_.begin(), texts_.end(),
                               [&](const auto& text) { return text.first == id; });
  return at == texts_.end() ? "of any rank" : at->second;
}

}  // namespace mithril
