#include "mithril/passes/passes.hpp"

namespace mithril {

Graph eliminate_dead_nodes(const Graph& graph) {
  Graph result = graph;
  result.drop_unread();
  return result;
}

}  // namespace mithril
