// The order of the passes, and the runner that checks, shows and names them.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

struct Pass {
  const char* name;
  std::function<Graph(const Graph&)> run;
};

const std::vector<Pass>& default_passes();
// For graphs that no gradient is to be made of: it is quicker with what was kept on the way.
const std::vector<Pass>& passes_with_fused_attention();

using Trace = std::function<void(const Pass&, const Graph& result)>;
Trace print_to(std::ostream& stream);  // the name and the whole graph; the stream outlives it

struct PipelineOptions {
  std::vector<Pass> passes = default_passes();
  std::vector<std::string> skip = {};  // names; one that is not among the passes: NameError E0612
  Trace trace = {};                    // called after each pass
  bool verify = true;                  // after each pass
};

// What a pass throws goes on with the name of the pass and the graph that it was given: an Error as
// an Error of its kind, anything else, and a result that does not verify, as an InternalError.
Graph run_passes(const Graph& graph, const PipelineOptions& options = {});

}  // namespace mithril
