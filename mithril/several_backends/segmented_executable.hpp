// A graph that runs in segments on several backends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mithril/backend/backend.hpp"
#include "mithril/passes/partition.hpp"

namespace mithril {

// `main`: the number of the backend whose tensors the results are. `notes`: the first lines of its
// notes.
std::unique_ptr<Executable> load_segments(const Graph& graph, std::vector<GraphSegment> segments,
                                          const std::vector<std::shared_ptr<Backend>>& members,
                                          size_t main, const LoadOptions& options,
                                          std::vector<std::string> notes);

}  // namespace mithril
