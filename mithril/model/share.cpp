#include "mithril/model/share.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mithril/base/error.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

bool is_bound_in(const Bindings& bindings, std::string_view port) {
  return std::any_of(bindings.begin(), bindings.end(),
                     [&](const auto& binding) { return binding.first == port; });
}

std::shared_ptr<Composite> model_of(const Part& part, const Part& original) {
  if (original.owner) return root_of(static_cast<Composite*>(original.owner)->shared_from_this());
  raise({.kind = ErrorKind::connection,
         .code = "E0122",
         .path = path(&part),
         .message = "the part whose parameters this " + part.class_name() +
                    " shares is not in a model yet",
         .help = "add the part first, then what its shared() returns"});
}

// A state of the body of a loop, of a branch, or of one index of a vmap. The loop, the choice or
// the vmap has it as its own.
bool is_nested(const StatePair& state) {
  const Part* driver = top(state.input)->driver;
  return driver && (driver->op == &find_op("scan_carry") ||
                    driver->op == &find_op("branch_input") || driver->op == &find_op("row_of"));
}

// The last value of a state in one evaluation.
Wire* last_value(const Composite& root, Wire* input) {
  if (!root.extras) return input;
  for (const StateChain& chain : state_chains(root.extras->states)) {
    if (top(chain.first->input) == input) return top(chain.output);
  }
  return input;
}

void add_inputs_of_op(Part& part, Part& original, const std::shared_ptr<Composite>& root,
                      Bindings& bindings) {
  const std::vector<std::string> canonical = canonical_names(*part.op);
  for (const PortDef& port : part.op->inputs) {
    const bool is_canonical =
        std::find(canonical.begin(), canonical.end(), port.name) != canonical.end();
    if (is_canonical || port.list || is_bound_in(bindings, port.name)) continue;
    const auto slots = original.slots_of(port.name);
    Wire* wire = slots.empty() || !slots.front() ? nullptr : top(slots.front());
    // A value is an argument of the copy.
    if (wire && (find(wire->type)->kinds & kind::tensor))
      bindings.emplace_back(port.name, Connection(root, wire));
  }
}

void add_inputs_of_model(Composite& part, Composite& original,
                         const std::shared_ptr<Composite>& root, Bindings& bindings) {
  const std::vector<Wire*> canonical = open_inputs(part);
  std::vector<Wire*> given;
  for (const auto& [port, binding] : bindings) {
    if (Wire* wire = find_port(part, port)) given.push_back(top(wire));
  }
  const auto is_in = [](const std::vector<Wire*>& wires, Wire* wire) {
    return std::find(wires.begin(), wires.end(), top(wire)) != wires.end();
  };
  for (const NamedPort& port : input_ports(part, true)) {
    if (is_in(canonical, port.wire) || is_in(given, port.wire)) continue;
    Wire* wire = find_port(original, port.name);
    if (wire) bindings.emplace_back(port.name, Connection(root, last_value(*root, top(wire))));
  }
}

}  // namespace

std::vector<StateChain> state_chains(const std::vector<StatePair>& states) {
  std::unordered_map<const Wire*, const StatePair*> following;  // by what they read
  std::unordered_set<const Wire*> outputs;
  for (const StatePair& state : states) outputs.insert(top(state.output));
  const auto follows = [&](const StatePair& state) {
    const Wire* input = top(state.input);
    return input->driver && outputs.contains(input);
  };
  for (const StatePair& state : states) {
    if (follows(state)) following.emplace(top(state.input), &state);
  }
  std::vector<StateChain> chains;
  for (const StatePair& state : states) {
    if (follows(state) || is_nested(state)) continue;
    StateChain chain{&state, state.output};
    for (auto next = following.find(top(chain.output)); next != following.end();
         next = following.find(top(chain.output)))
      chain.output = next->second->output;
    chains.push_back(chain);
  }
  return chains;
}

Bindings with_shared_inputs(Part& part, const Bindings& given) {
  const std::shared_ptr<Part> original = part.original();
  if (!original) return given;
  const std::shared_ptr<Composite> root = model_of(part, *original);
  Bindings bindings = given;
  if (part.op) {
    add_inputs_of_op(part, *original, root, bindings);
  } else {
    add_inputs_of_model(static_cast<Composite&>(part), static_cast<Composite&>(*original), root,
                        bindings);
  }
  return bindings;
}

}  // namespace mithril
