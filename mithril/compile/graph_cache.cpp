#include "mithril/compile/graph_cache.hpp"

#include <algorithm>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/base/version.hpp"
#include "mithril/compile/build_id.hpp"
#include "mithril/graph/graph_bytes.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// No other op can have these names.
constexpr std::string_view own_ops[] = {
#define MITHRIL_OP(name, model) #name,
#include "mithril/ops/list.inc"
#undef MITHRIL_OP
};

// A user's op may change without a change of the graph.
bool has_own_ops_only(const Graph& graph) {
  std::unordered_set<const OpDef*> ops;
  for (const Node& node : graph.nodes()) ops.insert(node.op);
  return std::all_of(ops.begin(), ops.end(), [](const OpDef* op) {
    const bool listed =
        std::find(std::begin(own_ops), std::end(own_ops), op->name) != std::end(own_ops);
    return listed && try_find_op(op->name) == op;
  });
}

// Graphs from the disk are untrusted.
bool is_valid(const Graph& graph) {
  try {
    verify(graph);
    return true;
  } catch (const InternalError&) {
    return false;
  }
}

}  // namespace

Graph GraphCache::find_or_make(const Graph& base, const std::string& how,
                               const std::function<Graph()>& make,
                               const std::function<bool(const Graph&)>& fits) const {
  if (build_id().empty() || !has_own_ops_only(base)) return make();
  const std::optional<GraphBytes> base_bytes = to_bytes(base);
  if (!base_bytes) return make();
  std::string key = std::string(version()) + '\n' + build_id() + '\n' + how + '\n';
  key += base_bytes->bytes;
  if (const std::optional<std::string> entry = files_.find(key)) {
    std::optional<Graph> graph = made_from_bytes(*entry, base, *base_bytes);
    if (graph && is_valid(*graph) && fits(*graph)) return *std::move(graph);
  }
  Graph graph = make();
  if (!has_own_ops_only(graph)) return graph;
  if (const auto entry = bytes_of_made(graph, base, *base_bytes)) files_.keep(key, *entry);
  return graph;
}

}  // namespace mithril
