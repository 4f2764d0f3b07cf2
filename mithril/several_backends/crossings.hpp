// The values that cross between the backends of a graph that runs in segments, for the summary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/passes/partition.hpp"

namespace mithril {

// The backends of one model. The results of a graph are tensors of the main one.
struct BackendMembers {
  const std::vector<std::shared_ptr<Backend>>& all;
  size_t main;

  std::string name(size_t member) const;  // "cpu", or "cpu (2)" if several have the name
};

// A value that one backend makes, and another one reads or returns. It crosses once.
struct Crossing {
  size_t from, to;
  std::string name;  // of the output, if it is one
  Value value;
};

// The crossings in their order. Values that the caller gives are not among them.
std::vector<Crossing> crossings(const Graph& graph, const std::vector<GraphSegment>& segments,
                                size_t main);

// A line for each crossing.
std::vector<std::string> crossing_lines(const std::vector<Crossing>& crossings,
                                        const BackendMembers& members);

// "288 B", or "288 B and those of open sizes".
std::string bytes_text(const std::vector<Crossing>& crossings);

}  // namespace mithril
