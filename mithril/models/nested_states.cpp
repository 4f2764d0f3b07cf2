#include "mithril/models/nested_states.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>

#include "mithril/infer/kind.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/share.hpp"

namespace mithril {
namespace {

std::vector<StateChain> chains_of(const Model& part) {
  const std::shared_ptr<Composite> composite = part.composite();
  return composite->extras ? state_chains(composite->extras->states) : std::vector<StateChain>{};
}

// The name that a part gets as the next one of the model.
std::string name_of_next(const Model& model, const Model& part) {
  const std::string label(part.part()->label());
  std::string name = label;
  for (int number = 1; model.composite()->find_part(name); ++number)
    name = label + "_" + std::to_string(number);
  return name;
}

// Calls `enter` for each state with its key in the model. Binds the port of the state to the value
// whose name `enter` returns.
template <class F>
std::vector<NestedState> states_of(const Model& model, const Model& part,
                                   const std::vector<StateChain>& chains, Bindings& bindings,
                                   const F& enter) {
  std::vector<NestedState> states;
  const std::string name = name_of_next(model, part);
  for (const StateChain& chain : chains) {
    const std::string port = wire_name(top(chain.first->input));
    const std::string key = name + "." + port;
    bindings.emplace_back(port, enter(key));
    states.push_back({key, chain.output, chain.first->initial});
  }
  return states;
}

using Wires = std::unordered_set<const Wire*>;

bool is_among(const Wires& wires, Wire* wire) { return wire && wires.contains(top(wire)); }

// Adds the results of an op that depend on one of the wires. The end of a loop does not depend on
// all that is `carried`: pairs of a carry and its next value, and the condition, if there is one.
void add_results(const Part& part, Wires& wires) {
  const auto carried = part.slots_of("carried");
  const bool ends = carried.size() % 2 == 1 && is_among(wires, carried.back());
  for (size_t i = 0; i + 1 < carried.size(); i += 2) {
    if (ends || is_among(wires, carried[i + 1])) wires.insert(top(carried[i]));
  }
  const auto inputs = part.input_slots();
  const bool reads = std::any_of(inputs.begin(), inputs.end(), [&](Wire*& wire) {
    const bool is_carried = &wire >= carried.data() && &wire < carried.data() + carried.size();
    return !is_carried && is_among(wires, wire);
  });
  if (!reads) return;
  for (Wire* wire : part.output_slots()) {
    if (find(top(wire)->type)->kinds & kind::tensor) wires.insert(top(wire));
  }
}

void add_dependents(const Composite& model, Wires& wires) {
  const std::vector<Part*> parts = all_op_parts(model);
  for (size_t before = 0; before != wires.size();) {
    before = wires.size();
    for (const Part* part : parts) add_results(*part, wires);
  }
}

// The states whose next values depend on the wires, or on another such state.
std::vector<StateChain> states_of_rows(const Model& part, Wires wires) {
  const std::shared_ptr<Composite> composite = part.composite();
  std::vector<StateChain> others = chains_of(part), found;
  for (bool more = !others.empty(); more;) {
    add_dependents(*composite, wires);
    const auto depends = [&](const StateChain& chain) { return is_among(wires, chain.output); };
    const auto first = std::stable_partition(others.begin(), others.end(), std::not_fn(depends));
    more = first != others.end();
    for (auto chain = first; chain != others.end(); ++chain) {
      wires.insert(top(chain->first->input));
      found.push_back(*chain);
    }
    others.erase(first, others.end());
  }
  return found;
}

// The shape of a state with a new first axis; absent: its rank is not known.
std::optional<ShapeSpec> stacked_shape(const Wire* state) {
  std::vector<Dim> dims;
  if (!Facts::known(state->shape, dims)) return {};
  std::vector<DimSpec> sizes(dims.size() + 1, Any{});
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim size = resolve(dims[i]);
    if (size.is_constant()) sizes[i + 1] = size.constant();
  }
  return ShapeSpec(std::move(sizes));
}

Connection next_of(const Model& model, const NestedState& state) {
  return {model.composite(), state.next};
}

}  // namespace

LoopStates::LoopStates(Model& model, const Model& body, const Connection& steps, Bindings& bindings)
    : model_(model), steps_(steps) {
  states_ = states_of(model, body, chains_of(body), bindings, [&](const std::string& key) {
    model |=
        Model::op("scan_carry")({{"initial", key}, {"steps", steps}, {"output", key + ".carry"}});
    return key + ".carry";
  });
}

void LoopStates::add_carries(std::vector<Binding>& carried) const {
  for (const NestedState& state : states_) {
    carried.emplace_back(carry(state));
    carried.emplace_back(next(state));
  }
}

void LoopStates::bind_to_last(const std::vector<Binding>& carried) const {
  for (const NestedState& state : states_) {
    const Connection last =
        apply("scan_last", {carry(state), next(state), steps_, Binding(carried)});
    model_ |= last;
    model_.bind_state_keys(state.key, last.name(), state.initial);
  }
}

Connection LoopStates::carry(const NestedState& state) const {
  return model_.at(state.key + ".carry");
}

Connection LoopStates::next(const NestedState& state) const { return next_of(model_, state); }

BranchStates::BranchStates(Model& model, const Model& branch, const Connection& condition,
                           bool then, Bindings& bindings)
    : model_(model), condition_(condition), then_(then) {
  states_ = states_of(model, branch, chains_of(branch), bindings, [&](const std::string& key) {
    model |= Model::op("branch_input", {{"then", then}})(
        {{"input", key}, {"condition", condition}, {"output", key + ".given"}});
    return key + ".given";
  });
}

void BranchStates::bind() const {
  for (const NestedState& state : states_) {
    const Connection before = model_.at(state.key), after = next_of(model_, state);
    const Connection next =
        apply("branch_result", {then_ ? after : before, then_ ? before : after, condition_});
    model_ |= next;
    model_.bind_state_keys(state.key, next.name(), state.initial);
  }
}

RowStates::RowStates(Model& model, const Model& part, const std::vector<std::string>& mapped,
                     const Binding& size, Bindings& bindings)
    : model_(model) {
  Wires wires;
  for (const std::string& key : mapped) wires.insert(top(part.at(key).wire()));
  const std::vector<StateChain> chains = states_of_rows(part, std::move(wires));
  std::vector<std::optional<ShapeSpec>> shapes;
  for (const StateChain& chain : chains) shapes.push_back(stacked_shape(top(chain.first->input)));
  states_ = states_of(model, part, chains, bindings, [&](const std::string& key) {
    model |= Model::op("row_of")(
        {{"input", key}, {"axis", 0}, {"size", size}, {"output", key + ".row"}});
    return key + ".row";
  });
  for (size_t i = 0; i < states_.size(); ++i) {
    if (shapes[i]) model.set_shapes({{states_[i].key, *shapes[i]}});
  }
}

std::vector<Connection> RowStates::rows() const {
  std::vector<Connection> rows;
  for (const NestedState& state : states_) rows.push_back(model_.at(state.key + ".row"));
  return rows;
}

std::vector<Connection> RowStates::nexts() const {
  std::vector<Connection> nexts;
  for (const NestedState& state : states_) nexts.push_back(next_of(model_, state));
  return nexts;
}

void RowStates::bind(const std::vector<Connection>& nexts) const {
  for (size_t i = 0; i < states_.size(); ++i)
    model_.bind_state_keys(states_[i].key, nexts[i].name(), states_[i].initial);
}

}  // namespace mithril
