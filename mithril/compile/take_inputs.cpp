// Checks the tensors that a user gives, and puts them in their places.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/compile/evaluating.hpp"

namespace mithril {
namespace {

// One of the user's two maps, and the other one.
struct Given {
  const char* map;   // "params"
  const char* what;  // "parameter"
  const TensorMap& tensors;
  const std::vector<NamedIndex>& expected;
  const std::vector<std::string>& spare;  // may be given, too
  bool takes_outputs = false;
};

bool is_spare(const Given& given, const std::string& key) {
  return std::find(given.spare.begin(), given.spare.end(), key) != given.spare.end();
}

// Advice for a parameter that the user named, which may be meant as data. Layers have paths.
std::string or_as_data(const Given& given, const std::string& key) {
  if (std::string_view(given.what) != "parameter" || key.find('.') != std::string::npos) return {};
  return ", or name " + quoted(key) + " in data_keys when compiling, if it is data";
}

void refuse_unexpected(const Given& given, const Given& other) {
  for (const auto& [key, tensor] : given.tensors) {
    if (contains(given.expected, key) || is_spare(given, key)) continue;
    if (contains(other.expected, key)) {
      raise({.kind = ErrorKind::input,
             .code = "E0806",
             .message = quoted(key) + " is in " + given.map + ", but is a " + other.what,
             .help = "give it in " + std::string(other.map) + or_as_data(other, key)});
    }
    // Other maps than data and params, such as validation data, are named.
    const std::string_view map = given.map;
    unknown_name(ErrorKind::input, "E0802", given.what, key,
                 map == "data" || map == "params" ? "" : map, names_of(given.expected));
  }
}

// The outputs that need the inputs, and those that need none of them.
struct Needs {
  std::vector<Fact> facts = {};
  std::vector<std::string> others = {};
};

Needs needs_of(const CompiledState& compiled, const std::vector<NamedIndex>& missing) {
  constexpr size_t most = 5;
  Needs needs;
  if (compiled.native_code_bytes) return needs;
  std::vector<std::vector<std::string>> readers(missing.size());
  for (const NamedIndex& output : compiled.outputs) {
    const std::vector<bool> needed = needed_inputs(compiled.source, {output.name});
    bool needs_none = true;
    for (size_t i = 0; i < missing.size(); ++i) {
      if (!needed[missing[i].index]) continue;
      needs_none = false;
      readers[i].push_back(output.name);
    }
    if (needs_none) needs.others.push_back(output.name);
  }
  for (size_t i = 0; i < std::min(most, missing.size()); ++i) {
    if (readers[i].empty()) continue;
    const std::string names = join(readers[i], ", ");
    needs.facts.push_back(
        {"needed for", missing.size() == 1 ? names : names + " (" + missing[i].name + ")", ""});
  }
  return needs;
}

[[noreturn]] void refuse_missing(const Given& given, const CompiledState& compiled) {
  std::vector<std::string> missing;
  std::vector<NamedIndex> absent;
  for (const NamedIndex& key : given.expected) {
    if (given.tensors.contains(key.name)) continue;
    missing.push_back(key.name);
    absent.push_back(key);
  }
  std::string help;
  for (const std::string& key : missing) {
    if (help.empty()) help = or_as_data(given, key);
  }
  if (!help.empty()) help = "give it in " + std::string(given.map) + help;
  Needs needs = needs_of(compiled, absent);
  if (given.takes_outputs && !needs.others.empty()) {
    help += (help.empty() ? "" : "; ") + ("to evaluate only the other outputs, give outputs=['" +
                                          join(needs.others, "', '") + "']");
  }
  std::vector<Fact> facts = {{"expected", names_or_none(names_of(given.expected))},
                             {"got", names_or_none(given.tensors.keys())}};
  facts.insert(facts.end(), needs.facts.begin(), needs.facts.end());
  raise({.kind = ErrorKind::input,
         .code = "E0801",
         .message = std::string(given.map) + " lacks " + join(missing, ", "),
         .facts = std::move(facts),
         .help = std::move(help)});
}

// How many of the tensors are not needed, but may be given.
size_t count_spare(const Given& given) {
  size_t count = 0;
  for (const std::string& key : given.spare) count += given.tensors.contains(key);
  return count;
}

void take(const CompiledState& compiled, const Given& given, const Given& other,
          const Signature& signature, std::vector<Tensor>& inputs) {
  bool complete = true;
  for (size_t i = 0; i < given.expected.size() && complete; ++i) {
    const Tensor* tensor = given.tensors.find(given.expected[i].name, i);
    complete = tensor != nullptr;
    const size_t at = given.expected[i].index;
    if (tensor) inputs[at] = signature.convert(at, *tensor);
  }
  const size_t size = given.tensors.size(), expected = given.expected.size();
  if (complete && (size == expected || size == expected + count_spare(given))) return;
  refuse_unexpected(given, other);
  refuse_unexpected(other, given);
  refuse_missing(given, compiled);
}

void take_state(const CompiledState& compiled, const State& state, const Signature& signature,
                std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < compiled.states.size(); ++i) {
    const auto& [key, at] = compiled.states[i];
    const Tensor* tensor = state.find(key, i);
    inputs[at] = signature.convert(at, tensor ? *tensor : compiled.initial.at(key));
  }
}

}  // namespace

std::string names_or_none(const std::vector<std::string>& names) {
  return names.empty() ? "none" : join(names, ", ");
}

void check_state(const CompiledState& compiled, const State& state, const char* call) {
  if (state.empty() && !compiled.required_states.empty()) {
    raise({.kind = ErrorKind::state,
           .code = "E0920",
           .message = std::string(call) + " needs the state of the model, and none was given",
           .facts = {{"state", join(compiled.required_states, ", ")}},
           .help =
               "begin with initial_state_dict, and give each call the state that the one before "
               "returned; TrainingStep keeps it, and infer reads it"});
  }
  size_t known = 0;
  for (size_t i = 0; i < compiled.state_keys.size(); ++i)
    known += state.find(compiled.state_keys[i], i) != nullptr;
  const auto is_given = [&](const std::string& key) { return state.contains(key); };
  const std::vector<std::string>& required = compiled.required_states;
  if (known == state.size() && (known == compiled.state_keys.size() ||
                                std::all_of(required.begin(), required.end(), is_given)))
    return;
  raise({.kind = ErrorKind::state,
         .code = "E0902",
         .message = "the state has other keys than the model",
         .facts = {{"expected", names_or_none(names_of(compiled.states))},
                   {"got", names_or_none(state.keys())}},
         .help = "begin with initial_state_dict()"});
}

void check_fits(const Signature& signature, const NamedIndex& key, const Tensor& state) {
  const std::string why = signature.mismatch(key.index, state);
  if (why.empty()) return;
  raise({.kind = ErrorKind::state,
         .code = "E0923",
         .message = "the state does not fit the model",
         .facts = {{"mismatched", key.name + " " + why}}});
}

void take_inputs(const CompiledState& compiled, const Signature& signature, const TensorMap& params,
                 const TensorMap& data, const State& state, std::vector<Tensor>& inputs,
                 const char* data_name, bool takes_outputs) {
  const Given given_params{
      "params", "parameter", params, compiled.parameters, compiled.spare_parameters, takes_outputs};
  const Given given_data{data_name,     "data input",        data,
                         compiled.data, compiled.spare_data, takes_outputs};
  take(compiled, given_params, given_data, signature, inputs);
  take(compiled, given_data, given_params, signature, inputs);
  take_state(compiled, state, signature, inputs);
}

}  // namespace mithril
