// Rewrites the graph of a model: the passes, the gradient, and their cache entries.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/passes/divide_loops.hpp"
#include "mithril/passes/recompute.hpp"

namespace mithril {
namespace {

// Names are quoted, so that different lists have different texts.
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

// Whether both values have the same dtype and dims, which executables rely on.
bool are_similar(const Graph& a, ValueId left, const Graph& b, ValueId right) {
  const Value &x = a.value(left), &y = b.value(right);
  return x.dtype == y.dtype && x.ranked == y.ranked &&
         std::equal(x.dims.begin(), x.dims.end(), y.dims.begin(), y.dims.end(),
                    [](const Dim& one, const Dim& other) { return same(one, other); });
}

// Whether the inputs and outputs of `rewritten` start with those of `original`.
bool extends(const Graph& rewritten, const Graph& original) {
  if (rewritten.inputs().size() < original.inputs().size()) return false;
  if (rewritten.outputs().size() < original.outputs().size()) return false;
  for (size_t i = 0; i < original.inputs().size(); ++i) {
    const ValueId before = original.inputs()[i], now = rewritten.inputs()[i];
    if (original.value(before).name != rewritten.value(now).name ||
        !are_similar(original, before, rewritten, now))
      return false;
  }
  const auto is_same = [&](const Output& before, const Output& now) {
    return before.name == now.name &&
           original.value(before.value).dtype == rewritten.value(now.value).dtype;
  };
  return std::equal(original.outputs().begin(), original.outputs().end(),
                    rewritten.outputs().begin(), is_same);
}

ValueId output_of(const Graph& graph, const std::string& name) {
  const auto at = std::find_if(graph.outputs().begin(), graph.outputs().end(),
                               [&](const Output& output) { return output.name == name; });
  MITHRIL_CHECK(at != graph.outputs().end(), "there is no output " + name);
  return at->value;
}

// Whether `gradients` is the graph with an additional input for each incoming gradient and an
// additional output for each wanted gradient.
bool is_gradient_of(const Graph& gradients, const Graph& graph,
                    const DifferentiateOptions& options) {
  const size_t inputs = graph.inputs().size(), outputs = graph.outputs().size();
  if (!extends(gradients, graph) || gradients.inputs().size() != inputs + options.outputs.size() ||
      gradients.outputs().size() != outputs + options.wanted.size())
    return false;
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    const ValueId differentiated = output_of(graph, options.outputs[i]);
    if (!are_similar(graph, differentiated, gradients, gradients.inputs()[inputs + i]))
      return false;
  }
  for (size_t i = 0; i < options.wanted.size(); ++i) {
    const ValueId input = graph.id_of(options.wanted[i]);
    if (!are_similar(graph, input, gradients, gradients.outputs()[outputs + i].value)) return false;
  }
  return true;
}

}  // namespace

Graph CompiledState::passed(const Graph& original) const {
  const auto make = [&] { return run_passes(original, passes); };
  if (!cache) return make();
  const auto fits = [&](const Graph& rewritten) {
    return extends(rewritten, original) && rewritten.inputs().size() == original.inputs().size() &&
           rewritten.outputs().size() == original.outputs().size();
  };
  return cache->find_or_make(original, spelled(passes), make, fits);
}

Graph CompiledState::differentiated(const DifferentiateOptions& options) const {
  PipelineOptions after = passes;
  if (use_checkpointing) {
    after.passes.push_back({"recompute", [outputs = graph.outputs().size()](const Graph& whole) {
                              return recompute(whole, outputs);
                            }});
  }
  const auto make = [&] {
    const Graph forward = use_checkpointing ? divide_loops(graph) : graph;
    return run_passes(differentiate(forward, options), after);
  };
  if (!cache) return make();
  const std::string how = "gradients of " + spelled(options.outputs) + " for " +
                          spelled(options.wanted) + ", " + spelled(after);
  const auto fits = [&](const Graph& gradients) {
    return is_gradient_of(gradients, graph, options);
  };
  return cache->find_or_make(graph, how, make, fits);
}

namespace {

DifferentiateOptions options_of(const CompiledState& compiled,
                                const std::vector<size_t>& requested_outputs,
                                const std::vector<size_t>& wanted) {
  DifferentiateOptions options;
  for (const size_t i : requested_outputs) options.outputs.push_back(compiled.outputs[i].name);
  for (const size_t i : wanted) options.wanted.push_back(compiled.inputs[i].path);
  return options;
}

}  // namespace

Graph CompiledState::gradient_graph(const std::vector<size_t>& requested_outputs,
                                    const std::vector<size_t>& wanted) const {
  return differentiated(options_of(*this, requested_outputs, wanted));
}

std::vector<bool> CompiledState::parameters_reached(
    const std::vector<size_t>& requested_outputs) const {
  const std::lock_guard lock(*facts_mutex);
  return have_gradients(graph, options_of(*this, requested_outputs, trained_inputs()));
}

}  // namespace mithril
