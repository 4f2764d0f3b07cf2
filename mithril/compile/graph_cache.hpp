// Graphs that were made before, in this process or another.
#pragma once

#include <functional>
#include <string>

#include "mithril/base/cache_files.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

class GraphCache {
 public:
  explicit GraphCache(CacheFiles files) : files_(std::move(files)) {}

  // make(), or what it gave before for an equal graph and the same `how`, which says all else that
  // decides the result. Only this build of Mithril reads what it has kept, and graphs with ops that
  // are not Mithril's own are made each time, as is what is no valid graph, or not one that
  // fits(graph) accepts.
  Graph find_or_make(const Graph& base, const std::string& how, const std::function<Graph()>& make,
                     const std::function<bool(const Graph&)>& fits) const;

 private:
  CacheFiles files_;
};

}  // namespace mithril
