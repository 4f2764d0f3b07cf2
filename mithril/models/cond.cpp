#include "mithril/models/cond.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/models/branch_parts.hpp"
#include "mithril/models/nested_states.hpp"
#include "mithril/models/wrapping.hpp"

namespace mithril {
namespace {

void check_outputs(const Model& then, const Model& otherwise) {
  std::vector<std::string> one = then.output_keys(), other = otherwise.output_keys();
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  if (one == other && !one.empty()) return;
  raise({.kind = ErrorKind::connection,
         .code = "E0137",
         .path = "Cond",
         .message = "both branches need the same outputs, at least one",
         .facts = {{"then", join(then.output_keys(), ", "), ""},
                   {"otherwise", join(otherwise.output_keys(), ", "), ""}},
         .help = "rename outputs with rename_key, or select them with expose_keys"});
}

// Adds a branch, which reads the inputs of the model if it runs.
void add_branch(Model& model, const Model& branch, const Connection& condition, bool then) {
  Bindings bindings;
  for (const std::string& key : shared_inputs(branch)) {
    const Bindings reads{{"input", model[key]}, {"condition", condition}};
    const Connection entered = Model::op("branch_input", {{"then", then}}).apply(reads).front();
    bindings.emplace_back(key, entered);
  }
  const Bindings inputs = bindings;
  const BranchStates states(model, branch, condition, then, bindings);
  model |= branch(bindings);
  states.bind();
  for (const auto& [key, entered] : inputs)
    keep_statements(model, key, std::get<Connection>(entered.held()), 0);
}

Model choice(Model model, const Connection& condition, const Model& then, const Model& otherwise) {
  const std::vector<std::string> keys = then.output_keys();  // of a part they are paths
  std::vector<std::string> inputs = shared_inputs(then);
  for (const std::string& key : shared_inputs(otherwise)) {
    if (std::find(inputs.begin(), inputs.end(), key) == inputs.end()) inputs.push_back(key);
  }
  add_branch(model, then, condition, true);
  add_branch(model, otherwise, condition, false);
  std::vector<std::pair<std::string, Connection>> outputs;
  for (const std::string& key : keys)
    outputs.emplace_back(key, apply("branch_result", {then.at(key), otherwise.at(key), condition}));
  expose_results(model, outputs, "Cond");
  return model.set_cin(inputs).set_cout(keys);
}

}  // namespace

Model Cond(const std::string& condition, const Model& then, const Model& otherwise) {
  check_outputs(then, otherwise);
  Model model = wrapper_of_class("Cond");
  const Connection chosen = apply("branch_condition", {model[condition]});
  return choice(std::move(model), chosen, then, otherwise);
}

Model Cond(const Model& condition, const Model& then, const Model& otherwise) {
  check_condition(condition, "Cond");
  check_outputs(then, otherwise);
  Model model = wrapper_of_class("Cond");
  const Connection chosen = add_condition(model, condition, {});
  return choice(std::move(model), chosen, then, otherwise);
}

}  // namespace mithril
