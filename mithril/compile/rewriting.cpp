// Rewrites the graph of a model: the passes, the gradient, and their cache entries.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/compile/compiled_state.hpp"
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

// Whether the inputs and outputs of `made` start with those of `given`.
bool extends(const Graph& made, const Graph& given) {
  if (made.inputs().size() < given.inputs().size()) return false;
  if (made.outputs().size() < given.outputs().size()) return false;
  for (size_t i = 0; i < given.inputs().size(); ++i) {
    const ValueId before = given.inputs()[i], now = made.inputs()[i];
    if (given.value(before).name != made.value(now).name || !are_similar(given, before, made, now))
      return false;
  }
  const auto is_same = [&](const Output& before, const Output& now) {
    return before.name == now.name &&
           given.value(before.value).dtype == made.value(now.value).dtype;
  };
  return std::equal(given.outputs().begin(), given.outputs().end(), made.outputs().begin(),
                    is_same);
}

ValueId output_of(const Graph& graph, const std::string& name) {
  const auto at = std::find_if(graph.outputs().begin(), graph.outputs().end(),
                               [&](const Output& output) { return output.name == name; });
  MITHRIL_CHECK(at != graph.outputs().end(), "there is no output " + name);
  return at->value;
}

// Whether `made` is the graph with an additional input for each incoming gradient and an additional
// output for each wanted gradient.
bool is_gradient_of(const Graph& made, const Graph& graph, const DifferentiateOptions& options) {
  const size_t inputs = graph.inputs().size(), outputs = graph.outputs().size();
  if (!extends(made, graph) || made.inputs().size() != inputs + options.outputs.size() ||
      made.outputs().size() != outputs + options.wanted.size())
    return false;
  for (size_t i = 0; i < options.outputs.size(); ++i) {
    const ValueId of = output_of(graph, options.outputs[i]);
    if (!are_similar(graph, of, made, made.inputs()[inputs + i])) return false;
  }
  for (size_t i = 0; i < options.wanted.size(); ++i) {
    const ValueId of = graph.id_of(options.wanted[i]);
    if (!are_similar(graph, of, made, made.outputs()[outputs + i].value)) return false;
  }
  return true;
}

}  // namespace

Graph CompiledState::passed(const Graph& given) const {
  const auto make = [&] { return run_passes(given, passes); };
  if (!cache) return make();
  const auto fits = [&](const Graph& made) {
    return extends(made, given) && made.inputs().size() == given.inputs().size() &&
           made.outputs().size() == given.outputs().size();
  };
  return cache->find_or_make(given, spelled(passes), make, fits);
}

Graph CompiledState::differentiated(const DifferentiateOptions& options) const {
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
  const auto fits = [&](const Graph& made) { return is_gradient_of(made, graph, options); };
  return cache->find_or_make(graph, how, make, fits);
}

namespace {

DifferentiateOptions options_of(const CompiledState& compiled, const std::vector<size_t>& of,
                                const std::vector<size_t>& wanted) {
  DifferentiateOptions options;
  for (const size_t i : of) options.outputs.push_back(compiled.outputs[i].name);
  for (const size_t i : wanted) options.wanted.push_back(compiled.inputs[i].path);
  return options;
}

}  // namespace

Graph CompiledState::gradient_graph(const std::vector<size_t>& of,
                                    const std::vector<size_t>& wanted) const {
  return differentiated(options_of(*this, of, wanted));
}

std::vector<bool> CompiledState::parameters_reached(const std::vector<size_t>& of) const {
  const std::lock_guard lock(*facts_mutex);
  return have_gradients(graph, options_of(*this, of, parameter_inputs()));
}

}  // namespace mithril
