#include "mithril/models/nested_states.hpp"

#include "mithril/model/composite.hpp"
#include "mithril/model/share.hpp"

namespace mithril {
namespace {

// Calls `enter` for each state with its key in the model around the part. Binds the port of the
// state to the value whose name `enter` returns.
template <class F>
std::vector<NestedState> states_of(const Model& part, Bindings& bindings, const F& enter) {
  std::vector<NestedState> states;
  const std::shared_ptr<Composite> composite = part.composite();
  if (!composite->extras) return states;
  for (const StateChain& chain : state_chains(composite->extras->states)) {
    const std::string port = wire_name(top(chain.first->input));
    const std::string key = std::string(part.part()->label()) + "." + port;
    bindings.emplace_back(port, enter(key));
    states.push_back({key, chain.output, chain.first->initial});
  }
  return states;
}

Connection next_of(const Model& model, const NestedState& state) {
  return {model.composite(), state.next};
}

}  // namespace

LoopStates::LoopStates(Model& model, const Model& body, const Connection& steps, Bindings& bindings)
    : model_(model), steps_(steps) {
  states_ = states_of(body, bindings, [&](const std::string& key) {
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
  states_ = states_of(branch, bindings, [&](const std::string& key) {
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

}  // namespace mithril
