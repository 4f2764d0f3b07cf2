#include "mithril/passes/passes.hpp"

namespace mithril {

Graph prune(const Graph& graph) {
  Graph result = graph;
  result.drop_unread();
  return result;
}

}  // namespace mithril
