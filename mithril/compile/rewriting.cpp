// What becomes of a model's graph: the passes, the gradient, and how the cache knows them.
#include "mithril/compile/parts.hpp"
#include "mithril/passes/recompute.hpp"

namespace mithril {
namespace {

// Unlike for other lists, whatever the names are.
std::string spelled(const std::vector<std::string>& names) {
  std::string text = std::to_string(names.size());
  for (const std::string& name : names) text += " " + std::to_string(name.size()) + ":" + name;
  return text;
}

std::string spelled(const PipelineOptions& passes) {
  std::vector<std::string> names;
  for (const Pass& pass : passes.passes) names.emplace_back(pass.name);
  return "passes " + spelled(names);
}

}  // namespace

Graph CompiledParts::passed(const Graph& given) const {
  const auto make = [&] { return run_passes(given, passes); };
  return cache ? cache->find_or_make(given, spelled(passes), make) : make();
}

Graph CompiledParts::differentiated(const DifferentiateOptions& options) const {
  PipelineOptions after = passes;
  if (use_checkpointing) {
    after.passes.push_back({"recompute", [outputs = graph.outputs().size()](const Graph& whole) {
                              return recompute(whole, outputs);
                            }});
  }
  const auto make = [&] { return run_passes(differentiate(graph, options), after); };
  if (!cache) return make();
  const std::string how = "gradients of " + spelled(options.outputs) + " for " +
                          spelled(options.wanted) + ", " + spelled(after);
  return cache->find_or_make(graph, how, make);
}

}  // namespace mithril
