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
    unknown_name(ErrorKind::name, "E0606", what, key, "", keys);
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

// A difference that is known already. Others are those of the branches of Cond.
void check_carry(const std::string& key, const Connection& carry, const Connection& next) {
  const KnownShape before = carry.known_shape(), after = next.known_shape();
  if (!before.rank() || !after.rank()) return;
  bool differ = before.rank() != after.rank();
  for (size_t k = 0; !differ && k < *before.rank(); ++k) {
    const auto one = before.head()[k].number(), other = after.head()[k].number();
    differ = one && other && one != other;
  }
  if (!differ) return;
  raise({.kind = ErrorKind::shape,
         .code = "E0206",
         .path = key,
         .message = "a step changes the shape of the carry '" + key + "'",
         .facts = {{key, to_string(before), ""}, {next.name(), to_string(after), ""}},
         .help = "every step must return a carry of the shape that it reads"});
}

// A key of a step that no input has.
std::string key_of_next(const std::string& carry, const Model& step) {
  std::string key = carry + "_next";
  const std::vector<std::string> inputs = step.input_keys();
  while (std::find(inputs.begin(), inputs.end(), key) != inputs.end()) key += "_";
  return key;
}

// A scan whose steps keep the carries once the condition is false.
Model bounded_while(const Model& condition, const Model& body, const WhileOptions& options) {
  Model step = wrapper_of_class("Step"), same = wrapper_of_class("Keep");
  add_body(step, body, {});
  std::vector<std::pair<std::string, Connection>> nexts, kept;
  ScanOptions scan{.length = Binding(*options.max_steps)};
  for (const auto& [carry, next] : options.carry) {
    const std::string key = key_of_next(carry, step);
    nexts.emplace_back(key, body.at(next));
    check_carry(carry, step.at(carry), nexts.back().second);
    kept.emplace_back(key, apply("buffer", {same[carry]}));
    scan.carry.emplace_back(carry, key);
  }
  step.expose_keys(nexts);
  same.expose_keys(kept);
  return Scan(Cond(condition, step, same), scan);
}

}  // namespace

Model While(const Model& condition, const Model& body, const WhileOptions& options) {
  check_while(condition, body, options);
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
    carried.push_back(carries[i].second);
    carried.emplace_back(body.at(options.carry[i].second));
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
