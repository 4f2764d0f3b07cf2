// A cache of transformed graphs on disk.
#pragma once

#include <functional>
#include <string>

#include "mithril/base/cache_files.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

class GraphCache {
 public:
  explicit GraphCache(CacheFiles files) : files_(std::move(files)) {}

  // Returns make(), or its cached result for an equal graph and the same `how`, which describes all
  // other inputs of make(). Entries serve only this build of Mithril, and graphs with ops that are
  // not Mithril's own are not cached. An entry that is not a valid graph, or that fits() refuses,
  // is made again.
  Graph find_or_make(const Graph& base, const std::string& how, const std::function<Graph()>& make,
                     const std::function<bool(const Graph&)>& fits) const;

 private:
  CacheFiles files_;
};

}  // namespace mithril
