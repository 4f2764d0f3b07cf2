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
// For graphs without gradients. Gradients are faster with the kept weights of attention.
const std::vector<Pass>& passes_with_fused_attention();

using Trace = std::function<void(const Pass&, const Graph& result)>;
Trace print_to(std::ostream& stream);  // the name and the whole graph; the stream outlives it

struct PipelineOptions {
  std::vector<Pass> passes = default_passes();
  std::vector<std::string> skip = {};  // names; one that is not among the passes: NameError E0612
  Trace trace = {};                    // called after each pass
  bool verify = true;                  // after each pass
};

// Adds the name of the pass and its input graph to exceptions: an Error keeps its kind; any other
// exception, and a result that does not verify, becomes an InternalError.
Graph run_passes(const Graph& graph, const PipelineOptions& options = {});

}  // namespace mithril
