#include "mithril/models/while.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/models/branch_parts.hpp"
#include "mithril/models/cond.hpp"
#include "mithril/models/nested_states.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/models/wrapping.hpp"

namespace mithril {
namespace {

void check_name(const std::vector<std::string>& keys, const std::string& key, const char* what) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    unknown_member(ErrorKind::name, "E0606", "While: the body", what, key, "", keys);
}

[[noreturn]] void refuse_while(std::string message, std::string got, std::string help) {
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = "While: " + std::move(message),
         .facts = {{"got", std::move(got), ""}},
         .help = std::move(help)});
}

void check_while(const Model& condition, const Model& body, const WhileOptions& options) {
  if (options.carry.empty())
    refuse_while("a loop without carries has no result", "carry={}",
                 "name the inputs of the body that a step passes to the next");
  std::vector<std::string> used;
  for (const auto& [carry, next] : options.carry) {
    check_name(body.input_keys(), carry, "input");
    check_name(body.output_keys(), next, "output");
    if (std::find(used.begin(), used.end(), carry) != used.end())
      refuse_while("an input is given twice", "'" + carry + "'", "an input is a carry once");
    used.push_back(carry);
  }
  if (options.max_steps && *options.max_steps < 0)
    refuse_while("max_steps is negative", std::to_string(*options.max_steps), "give 0 or more");
  check_condition(condition, "While");
}

std::vector<std::string> carry_keys(const WhileOptions& options) {
  std::vector<std::string> keys;
  for (const auto& [carry, next] : options.carry) keys.push_back(carry);
  return keys;
}

// Adds the part, whose named inputs are inputs of the model, or the carries.
void add_body(Model& model, const Model& body, const Bindings& carries,
              const Bindings& states = {}) {
  Bindings bindings = carries;
  bindings.insert(bindings.end(), states.begin(), states.end());
  for (const std::string& key : shared_inputs(body)) {
    const bool known = std::any_of(carries.begin(), carries.end(),
                                   [&](const auto& carry) { return carry.first == key; });
    if (!known) bindings.emplace_back(key, key);
  }
  model |= body(bindings);
}

// A key of a step that no input has.
std::string key_of_next(const std::string& carry, const Model& step) {
  std::string key = carry + "_next";
  const std::vector<std::string> inputs = step.input_keys();
  while (std::find(inputs.begin(), inputs.end(), key) != inputs.end()) key += "_";
  return key;
}

// The branches of one step: the body, and what keeps the carries. Both have an output for each.
struct StepBranches {
  Model step = wrapper_of_class("Step"), same = wrapper_of_class("Keep");
  std::vector<std::pair<std::string, std::string>> carry;  // with its output
};

StepBranches branches_of(const Model& body, const WhileOptions& options) {
  StepBranches branches;
  add_body(branches.step, body, {});
  std::vector<std::pair<std::string, Connection>> nexts, kept;
  for (const auto& [carry, next] : options.carry) {
    const std::string key = key_of_next(carry, branches.step);
    nexts.emplace_back(key, body.at(next));
    check_carry(carry, branches.step.at(carry), nexts.back().second);
    kept.emplace_back(key, apply("buffer", {branches.same[carry]}));
    branches.carry.emplace_back(carry, key);
  }
  branches.step.expose_keys(nexts);
  branches.same.expose_keys(kept);
  return branches;
}

// A scan whose steps keep the carries once the condition is false.
Model bounded_while(const Model& condition, const Model& body, const WhileOptions& options) {
  const StepBranches branches = branches_of(body, options);
  return Scan(Cond(condition, branches.step, branches.same),
              {.carry = branches.carry, .length = Binding(*options.max_steps)});
}

// A key that neither part has.
std::string key_of_flag(const Model& condition, const Model& body) {
  std::vector<std::string> taken;
  for (const Model* part : {&condition, &body}) {
    for (const std::string& key : part->input_keys()) taken.push_back(key);
    for (const std::string& key : part->output_keys()) taken.push_back(key);
  }
  std::string key = "goes_on";
  while (std::find(taken.begin(), taken.end(), key) != taken.end()) key += "_";
  return key;
}

// Each step evaluates the condition, so that it passes on its state, and then runs or keeps the
// carries. The flag, a carry, ends the loop after the step whose condition is false.
Model while_with_state(const Model& condition, const Model& body, WhileOptions options) {
  const std::string flag = key_of_flag(condition, body), goes_on = condition.output_keys().front();
  const StepBranches branches = branches_of(body, options);
  Model once = wrapper_of_class("Step");
  add_body(once, condition, {});
  const Connection chosen = condition.at(goes_on);
  const Model choice = Cond(flag, branches.step, branches.same);
  const std::vector<std::string> results = choice.output_keys();
  add_body(once, choice, {{flag, chosen}});
  const Connection still = apply("logical_and", {once[flag], chosen});
  std::vector<std::pair<std::string, Connection>> nexts{{flag + "_next", still}};
  for (const std::string& key : results) nexts.emplace_back(key, choice.at(key));
  once.expose_keys(nexts);
  Model is_set = wrapper_of_class("Flag");
  is_set.expose_keys({{"is_set", apply("buffer", {is_set[flag]})}});
  options.carry = branches.carry;
  options.carry.emplace_back(flag, flag + "_next");
  const Model loop = While(is_set, once, options);
  Model model = wrapper_of_class("While");
  add_body(model, loop, {{flag, Tensor::scalar(true)}});
  std::vector<std::pair<std::string, Connection>> lasts;
  std::vector<std::string> carries, keys;
  for (const auto& [carry, next] : branches.carry) {
    carries.push_back(carry);
    keys.push_back(carry + "_last");
    lasts.emplace_back(keys.back(), loop.at(keys.back()));
  }
  expose_results(model, lasts, "While");
  return model.set_cin(carries).set_cout(keys);
}

}  // namespace

Model While(const Model& condition, const Model& body, const WhileOptions& options) {
  check_while(condition, body, options);
  if (keeps_state(condition)) return while_with_state(condition, body, options);
  if (options.max_steps) return bounded_while(condition, body, options);
  Model model = wrapper_of_class("While");
  const Connection steps = Model::op("scan_steps").apply(Bindings{}).front();
  Bindings carries;
  for (const auto& [carry, next] : options.carry)
    carries.emplace_back(carry, apply("scan_carry", {model[carry], steps}));
  const Connection goes_on = add_condition(model, condition, carries);
  Bindings state_carries;
  const LoopStates states(model, body, steps, state_carries);
  add_body(model, body, carries, state_carries);
  std::vector<Binding> carried;
  for (size_t i = 0; i < carries.size(); ++i) {
    const Connection next = body.at(options.carry[i].second);
    check_carry(carries[i].first, std::get<Connection>(carries[i].second.held()), next);
    carried.push_back(carries[i].second);
    carried.emplace_back(next);
  }
  states.add_carries(carried);
  carried.emplace_back(goes_on);
  std::vector<std::pair<std::string, Connection>> outputs;
  std::vector<std::string> lasts;
  for (size_t i = 0; i < carries.size(); ++i) {
    const auto& [key, carry] = carries[i];
    keep_statements(model, key, std::get<Connection>(carry.held()), 0);
    lasts.push_back(key + "_last");
    outputs.emplace_back(lasts.back(),
                         apply("scan_last", {carry, carried[2 * i + 1], steps, Binding(carried)}));
  }
  expose_results(model, outputs, "While");
  states.bind_to_last(carried);
  return model.set_cin(carry_keys(options)).set_cout(lasts);
}

}  // namespace mithril
