// Checks the tensors that a user gives, and puts them in their places.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/compile/evaluate.hpp"

namespace mithril {
namespace {

// One of the user's two maps, and the other one.
struct InputArguments {
  const char* map;   // "params"
  const char* what;  // "parameter"
  const TensorMap& tensors;
  const std::vector<NamedIndex>& expected;
  const std::vector<std::string>& spare;  // may be given, too
  bool takes_outputs = false;
};

bool is_spare(const InputArguments& arguments, const std::string& key) {
  return std::find(arguments.spare.begin(), arguments.spare.end(), key) != arguments.spare.end();
}

// Advice for a parameter that the user named, which may be meant as data. Layers have paths.
std::string or_as_data(const InputArguments& arguments, const std::string& key) {
  if (std::string_view(arguments.what) != "parameter" || key.find('.') != std::string::npos)
    return {};
  return ", or name " + in_quotes(key) + " in data_keys when compiling, if it is data";
}

void refuse_unexpected(const InputArguments& arguments, const InputArguments& other) {
  for (const auto& [key, tensor] : arguments.tensors) {
    if (contains(arguments.expected, key) || is_spare(arguments, key)) continue;
    if (contains(other.expected, key)) {
      raise({.kind = ErrorKind::input,
             .code = "E0806",
             .message = in_quotes(key) + " is in " + arguments.map + ", but is a " + other.what,
             .help = "give it in " + std::string(other.map) + or_as_data(other, key)});
    }
    // Other maps than data and params, such as validation data, are named.
    const std::string_view map = arguments.map;
    unknown_name(ErrorKind::input, "E0802", arguments.what, key,
                 map == "data" || map == "params" ? "" : map, names_of(arguments.expected));
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

[[noreturn]] void refuse_missing(const InputArguments& arguments, const CompiledState& compiled) {
  std::vector<std::string> missing;
  std::vector<NamedIndex> absent;
  for (const NamedIndex& key : arguments.expected) {
    if (arguments.tensors.contains(key.name)) continue;
    missing.push_back(key.name);
    absent.push_back(key);
  }
  std::string help;
  for (const std::string& key : missing) {
    if (help.empty()) help = or_as_data(arguments, key);
  }
  if (!help.empty()) help = "give it in " + std::string(arguments.map) + help;
  Needs needs = needs_of(compiled, absent);
  if (arguments.takes_outputs && !needs.others.empty()) {
    help += (help.empty() ? "" : "; ") + ("to evaluate only the other outputs, give outputs=['" +
                                          join(needs.others, "', '") + "']");
  }
  std::vector<Fact> facts = {{"expected", names_or_none(names_of(arguments.expected))},
                             {"got", names_or_none(arguments.tensors.keys())}};
  facts.insert(facts.end(), needs.facts.begin(), needs.facts.end());
  raise({.kind = ErrorKind::input,
         .code = "E0801",
         .message = std::string(arguments.map) + " lacks " + join(missing, ", "),
         .facts = std::move(facts),
         .help = std::move(help)});
}

// How many of the tensors are not needed, but may be given.
size_t count_spare(const InputArguments& arguments) {
  size_t count = 0;
  for (const std::string& key : arguments.spare) count += arguments.tensors.contains(key);
  return count;
}

void take(const CompiledState& compiled, const InputArguments& arguments,
          const InputArguments& other, const Signature& signature, std::vector<Tensor>& inputs) {
  bool complete = true;
  for (size_t i = 0; i < arguments.expected.size() && complete; ++i) {
    const Tensor* tensor = arguments.tensors.find(arguments.expected[i].name, i);
    complete = tensor != nullptr;
    const size_t at = arguments.expected[i].index;
    if (tensor) inputs[at] = signature.convert(at, *tensor);
  }
  const size_t size = arguments.tensors.size(), expected = arguments.expected.size();
  if (complete && (size == expected || size == expected + count_spare(arguments))) return;
  refuse_unexpected(arguments, other);
  refuse_unexpected(other, arguments);
  refuse_missing(arguments, compiled);
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
  const InputArguments param_arguments{
      "params", "parameter", params, compiled.parameters, compiled.spare_parameters, takes_outputs};
  const InputArguments data_arguments{data_name,     "data input",        data,
                                      compiled.data, compiled.spare_data, takes_outputs};
  take(compiled, param_arguments, data_arguments, signature, inputs);
  take(compiled, data_arguments, param_arguments, signature, inputs);
  take_state(compiled, state, signature, inputs);
}

}  // namespace mithril
