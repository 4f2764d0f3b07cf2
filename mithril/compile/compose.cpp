#include "mithril/compile/compose.hpp"

#include <algorithm>
#include <set>

#include "mithril/compile/discard.hpp"
#include "mithril/compile/objectives.hpp"
#include "mithril/compile/overrides.hpp"
#include "mithril/compile/spelling_warnings.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/several_backends/several_backends.hpp"

namespace mithril {
namespace {

// Keeps these outputs, and drops the keys of inputs that are removed with the others.
void keep_in_composed(FlatComposition& composed, std::vector<std::string> outputs) {
  std::vector<StateNames> states;
  for (const FlatState& state : composed.states) states.push_back({state.input, state.output});
  KeptOutputs kept = keep_outputs(composed.graph, composed.outputs, outputs, states);
  composed.graph = std::move(kept.graph);
  composed.outputs = std::move(outputs);
  const std::vector<InputKey> before = composed.inputs;
  drop_missing(composed.inputs, composed.graph);
  for (const InputKey& input : before) {
    const auto is_it = [&](const InputKey& left) { return left.path == input.path; };
    if (std::none_of(composed.inputs.begin(), composed.inputs.end(), is_it))
      composed.spare.push_back(input);
  }
  size_t at = 0;
  std::erase_if(composed.states, [&](const FlatState&) { return !kept.has_state[at++]; });
}

// The outputs that the options ask for. One wire may be several outputs: then their names decide.
std::vector<NamedPort> requested_outputs(const std::vector<NamedPort>& outputs, const KeySets& sets,
                                         const CompileOptions& options) {
  std::set<std::string> names;
  for (const KeyRef& key : options.outputs) names.insert(key.name());
  std::set<const Wire*> named;
  for (const NamedPort& port : outputs) {
    if (names.contains(port.name)) named.insert(port.wire);
  }
  std::vector<NamedPort> result;
  for (const NamedPort& port : outputs) {
    const bool is_asked =
        options.outputs.empty()
            ? sets.of(port.wire) != KeySets::Set::discard
            : sets.is_asked(port.wire) && (names.contains(port.name) || !named.contains(port.wire));
    if (is_asked) result.push_back(port);
  }
  return result;
}

}  // namespace

FlatComposition compose(Composite& model, DType default_dtype, const CompileOptions& options,
                        SeveralBackends* several) {
  Composition composition(model);  // never committed: its destructor undoes the overrides
  complete(composition);
  const KeySets sets(model, options);
  state_overrides(model, options);
  const Model root(std::static_pointer_cast<Part>(model.shared_from_this()));
  FlatModel flat = flatten(root, default_dtype);
  if (several) several->place(model, flat);
  const std::vector<NamedPort> outputs = output_ports(model);
  sets.check_placed(flat, outputs);
  FlatComposition composed{.inputs = classify(model, flat, sets),
                           .warnings = spelling_warnings(model, options)};
  const auto names_in_graph = [&](const std::vector<NamedPort>& ports) {
    std::vector<std::string> names;
    for (const NamedPort& port : ports) {
      const auto is_it = [&](const Output& output) { return output.name == port.name; };
      const auto& all = flat.graph.outputs();
      if (std::any_of(all.begin(), all.end(), is_it)) names.push_back(port.name);
    }
    return names;
  };
  composed.outputs = names_in_graph(outputs);
  std::vector<std::string> wanted = names_in_graph(requested_outputs(outputs, sets, options));
  composed.graph = std::move(flat.graph);
  composed.states = std::move(flat.states);
  // With `outputs`, keys are the same as without, so that parameters fit.
  const bool shortens_first = !options.outputs.empty();
  if (options.use_short_namings && shortens_first)
    shorten(composed.inputs, composed.graph.outputs());
  if (wanted != composed.outputs) keep_in_composed(composed, std::move(wanted));
  if (options.outputs.empty())
    composed.objectives =
        objective_outputs(model, composed.graph, composed.inputs, composed.outputs);
  if (options.use_short_namings && !shortens_first)
    shorten(composed.inputs, composed.graph.outputs());
  freeze(composed.inputs, composed.spare, options.frozen);
  return composed;
}

}  // namespace mithril
