#include "mithril/passes/placements/placed_graph.hpp"

#include <map>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/placements/buckets.hpp"
#include "mithril/passes/placements/expand_statistics.hpp"

namespace mithril {
namespace {

std::string path_of(const std::string& name, const std::string& rows) {
  if (name.starts_with(rows + ".")) return rows;
  const std::string prefix = std::string(statistics_prefix) + ".";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

const std::string& text_at(const Node& node, const char* port) {
  return std::get<Datum>(node.arguments[node.argument_index(port)]).text();
}

}  // namespace

std::vector<Collective> collectives_in(const Graph& graph, const std::string& rows) {
  const OpDef &start = find_op("all_reduce_start"), &wait = find_op("all_reduce_wait");
  std::map<ValueId, ValueId> whole;  // per started value
  for (const Node& node : graph.nodes()) {
    for (size_t i = 0; node.op == &wait && i < node.outputs.size(); ++i)
      whole.emplace(std::get<ValueId>(node.arguments[i]), node.outputs[i]);
  }
  std::vector<Collective> collectives;
  size_t bucket = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op != &start) continue;
    for (const ValueId started : node.outputs) {
      const auto known = whole.find(started);
      const Value& value = graph.value(known == whole.end() ? started : known->second);
      collectives.push_back({path_of(value.name, rows), text_at(node, "reduction"), value.dtype,
                             value.dims, bucket, known_bytes(value), text_at(node, "group")});
    }
    ++bucket;
  }
  return collectives;
}

}  // namespace mithril
