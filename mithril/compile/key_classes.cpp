#include "mithril/compile/key_classes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "mithril/base/key_patterns.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/optim/parameter_group.hpp"

namespace mithril {
namespace {

const char* text(KeySets::Set set) {
  switch (set) {
    case KeySets::Set::none:
      break;
    case KeySets::Set::constant:
      return "constant_keys";
    case KeySets::Set::data:
      return "data_keys";
    case KeySets::Set::trainable:
      return "trainable_keys";
    case KeySets::Set::discard:
      return "discard_keys";
  }
  return "no set";
}

std::optional<Dims> fixed_dims(const Wire* wire) {
  std::vector<Dim> dims;
  if (!Facts::known(wire->shape, dims)) return std::nullopt;
  Dims sizes;
  for (const Dim& size : dims) {
    const Dim dim = resolve(size);
    if (!dim.is_constant()) return std::nullopt;
    sizes.push_back(dim.constant());
  }
  return sizes;
}

class InitialDistributions {
 public:
  explicit InitialDistributions(const Composite& model) {
    if (!model.extras) return;
    for (const WireDistribution& distribution : model.extras->distributions)
      distributions_[top(distribution.wire)] = &distribution;
    for (const Interval& interval : model.extras->intervals) {
      intervals_[top(interval.wire)] = &interval;
    }
  }

  InitialDistribution of(const Wire* wire) const {
    InitialDistribution initial;
    if (const auto at = distributions_.find(wire); at != distributions_.end()) {
      const WireDistribution& distribution = *at->second;
      initial.initializer = distribution.initializer;
      if (distribution.fan_of) {
        initial.own_fan = false;
        initial.fan_dims = fan_dims_of(top(distribution.fan_of));
      }
    }
    if (const auto at = intervals_.find(wire); at != intervals_.end()) {
      initial.interval = {at->second->low, at->second->high};
    }
    return initial;
  }

 private:
  // Without the axes that enumerate copies.
  std::optional<Dims> fan_dims_of(const Wire* wire) const {
    std::optional<Dims> dims = fixed_dims(wire);
    const auto at = distributions_.find(wire);
    if (!dims || at == distributions_.end()) return dims;
    const auto stacked = std::min(at->second->initializer.stacked, std::ssize(*dims));
    dims->erase(dims->begin(), dims->begin() + stacked);
    return dims;
  }

  std::unordered_map<const Wire*, const WireDistribution*> distributions_;
  std::unordered_map<const Wire*, const Interval*> intervals_;
};

[[noreturn]] void cannot_train(const std::string& key, const std::string& why) {
  raise({.kind = ErrorKind::gradient,
         .code = "E0506",
         .message = in_quotes(key) + " of trainable_keys cannot be a parameter",
         .facts = {{"reason", why}}});
}

// `of_layer`: whether it is a parameter of a layer.
KeyClass class_of(const Wire* wire, const Value& value, KeySets::Set set, bool canonical,
                  bool of_layer) {
  const bool declared_not = wire->differentiable == 0;
  if (set == KeySets::Set::trainable) {
    if (!is_floating(value.dtype)) cannot_train(value.name, "only tensors of floats are trained");
    if (is_low_bit(value.dtype))
      cannot_train(value.name, "no gradient flows to " + std::string(name(value.dtype)));
    if (declared_not) cannot_train(value.name, "it is declared not differentiable");
    return KeyClass::parameter;
  }
  if (set == KeySets::Set::data || !is_floating(value.dtype)) return KeyClass::data;
  if (declared_not && !of_layer) return KeyClass::data;
  const bool declared = wire->differentiable == 1;
  return canonical && !declared ? KeyClass::data : KeyClass::parameter;
}

// The parameters of layers that are declared not differentiable.
std::set<const Wire*> frozen_in_model(const Composite& model, const FlatModel& flat) {
  std::vector<const Wire*> declared;
  for (const Wire* wire : flat.inputs) {
    if (wire->differentiable == 0) declared.push_back(wire);
  }
  if (declared.empty()) return {};
  const std::vector<const Wire*> frozen = layer_parameters(model, declared);
  return {frozen.begin(), frozen.end()};
}

[[noreturn]] void refuse_frozen(const InputKey& input, const std::string& pattern) {
  const std::string in_set = in_quotes(input.key) + " is in " + text(input.stated);
  raise({.kind = ErrorKind::value,
         .code = "E0407",
         .message = in_set + (pattern == input.key ? " and in frozen"
                                                   : ", and the pattern " + in_quotes(pattern) +
                                                         " of frozen matches it"),
         .help = "name it in one of them"});
}

// A pattern with `*` or `?` passes over data.
bool is_refused(const InputKey& input, const std::string& pattern) {
  if (input.stated == KeySets::Set::trainable) return true;
  return input.stated == KeySets::Set::data && pattern == input.key;
}

std::string_view last_component(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace

std::string_view name(KeyClass key_class) {
  if (key_class == KeyClass::parameter) return "parameter";
  return key_class == KeyClass::data ? "data" : "state";
}

KeyRef::KeyRef(const char* name) : held_(std::string(name)) {}
KeyRef::KeyRef(std::string name) : held_(std::move(name)) {}
KeyRef::KeyRef(Connection connection) : held_(std::move(connection)) {}
KeyRef::KeyRef(const KeyRef& other) = default;
KeyRef::KeyRef(KeyRef&& other) noexcept = default;
KeyRef& KeyRef::operator=(const KeyRef& other) = default;
KeyRef& KeyRef::operator=(KeyRef&& other) noexcept = default;
KeyRef::~KeyRef() = default;

std::string KeyRef::name() const {
  if (const auto* name = std::get_if<std::string>(&held_)) return *name;
  return std::get<Connection>(held_).name();
}

Wire* KeyRef::wire(Composite& model) const {
  if (const auto* name = std::get_if<std::string>(&held_)) return wire_at(model, *name);
  const Connection& connection = std::get<Connection>(held_);
  const std::shared_ptr<Composite> root = root_of(connection.model());
  if (root.get() == &model) return top(connection.wire());
  if (Wire* copy = model.find_copy(root, connection.wire())) return copy;
  raise({.kind = ErrorKind::connection,
         .code = "E0107",
         .message = "connection " + in_quotes(connection.name()) + " belongs to another model",
         .help = "compile the model that it belongs to"});
}

namespace {

[[noreturn]] void refuse_output(const Composite& model, const std::string& key) {
  std::vector<std::string> names;
  for (const NamedPort& port : input_ports(model)) names.push_back(port.name);
  raise({.kind = ErrorKind::name,
         .code = "E0611",
         .message = in_quotes(key) + " of constant_keys is not an input of the model",
         .facts = {{"inputs", join(names, ", ")}}});
}

}  // namespace

KeySets::KeySets(Composite& model, const CompileOptions& options) {
  for (const auto& [key, value] : options.constant_keys) {
    Wire* wire = key.wire(model);
    if (top(wire)->driver) refuse_output(model, key.name());
    add(wire, Set::constant, key.name());
  }
  for (const KeyRef& key : options.data_keys) add(key.wire(model), Set::data, key.name());
  for (const KeyRef& key : options.trainable_keys) add(key.wire(model), Set::trainable, key.name());
  for (const KeyRef& key : options.discard_keys) add(key.wire(model), Set::discard, key.name());
  for (const KeyRef& key : options.outputs) ask(key.wire(model), key.name());
  refuse_states(model);
}

void KeySets::refuse_states(const Composite& model) const {
  if (!model.extras) return;
  for (const StatePair& pair : model.extras->states) {
    const auto at = members_.find(top(pair.input));
    if (at == members_.end()) continue;
    const Member& member = at->second;
    raise({.kind = ErrorKind::value,
           .code = "E0415",
           .message = in_quotes(member.name) + " of " + text(member.set) + " is a state",
           .help = "evaluate takes and gives states; see bind_state_keys"});
  }
}

void KeySets::add(Wire* wire, Set set, std::string name) {
  const auto [at, added] = members_.emplace(top(wire), Member{set, name});
  if (added || at->second.set == set) return;
  raise({.kind = ErrorKind::value,
         .code = "E0407",
         .message = in_quotes(name) + " is in " + text(at->second.set) + " and in " + text(set),
         .help = "name it in one of them"});
}

void KeySets::ask(Wire* wire, std::string name) {
  if (of(top(wire)) == Set::discard) {
    raise({.kind = ErrorKind::value,
           .code = "E0407",
           .message = in_quotes(name) + " is in discard_keys and in outputs",
           .help = "name it in one of them"});
  }
  asked_.emplace(top(wire), std::move(name));
}

KeySets::Set KeySets::of(const Wire* wire) const {
  const auto at = members_.find(wire);
  return at == members_.end() ? Set::none : at->second.set;
}

void KeySets::check_placed(const FlatModel& flat, const std::vector<NamedPort>& outputs) const {
  std::unordered_map<const Wire*, bool> is_input;
  for (const NamedPort& port : outputs) is_input.emplace(port.wire, false);
  for (const Wire* wire : flat.inputs) is_input[wire] = true;
  for (const auto& [wire, member] : members_) {
    if (member.set == Set::constant) continue;
    const bool input_wanted = member.set != Set::discard;
    const auto at = is_input.find(wire);
    if (at != is_input.end() && at->second == input_wanted) continue;
    std::vector<std::string> names;
    if (input_wanted) {
      for (const ValueId id : flat.graph.inputs()) names.push_back(flat.graph.value(id).name);
    } else {
      for (const NamedPort& port : outputs) names.push_back(port.name);
    }
    raise({.kind = ErrorKind::name,
           .code = "E0611",
           .message = in_quotes(member.name) + " of " + text(member.set) + " is not an " +
                      (input_wanted ? "input" : "output") + " of the model",
           .facts = {{input_wanted ? "inputs" : "outputs", join(names, ", ")}}});
  }
  for (const auto& [wire, name] : asked_) {
    const auto is_it = [&wire = wire](const NamedPort& port) { return port.wire == wire; };
    if (std::any_of(outputs.begin(), outputs.end(), is_it)) continue;
    std::vector<std::string> names;
    for (const NamedPort& port : outputs) names.push_back(port.name);
    raise({.kind = ErrorKind::name,
           .code = "E0611",
           .message = in_quotes(name) + " of outputs is not an output of the model",
           .facts = {{"outputs", join(names, ", ")}}});
  }
}

std::vector<InputKey> classify(const Composite& model, const FlatModel& flat, const KeySets& sets) {
  const std::vector<Wire*> open = open_inputs(model);
  const std::set<const Wire*> canonical(open.begin(), open.end());
  const InitialDistributions distributions(model);
  const std::set<const Wire*> frozen = frozen_in_model(model, flat);
  std::set<std::string_view> states;
  for (const FlatState& state : flat.states) states.insert(state.input);
  std::vector<InputKey> keys;
  for (size_t i = 0; i < flat.inputs.size(); ++i) {
    Wire* wire = flat.inputs[i];
    const Value& value = flat.graph.value(flat.graph.inputs()[i]);
    InputKey key{.key = value.name, .path = value.name};
    if (states.contains(value.name)) {
      key.key_class = KeyClass::state;
    } else {
      key.stated = sets.of(wire);
      key.key_class =
          class_of(wire, value, key.stated, canonical.contains(wire), frozen.contains(wire));
    }
    if (key.key_class == KeyClass::parameter) {
      key.initial = distributions.of(wire);
      key.frozen = frozen.contains(wire);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

void freeze(std::vector<InputKey>& inputs, std::vector<InputKey>& spare,
            const std::vector<std::string>& patterns) {
  std::vector<std::string> parameters;
  for (const auto* keys : {&inputs, &spare}) {
    for (const InputKey& input : *keys) {
      if (input.key_class == KeyClass::parameter) parameters.push_back(input.key);
    }
  }
  for (const std::string& pattern : patterns) {
    for (auto* keys : {&inputs, &spare}) {
      for (InputKey& input : *keys) {
        if (!matches(pattern, input.key)) continue;
        if (is_refused(input, pattern)) refuse_frozen(input, pattern);
        input.frozen = input.frozen || input.key_class == KeyClass::parameter;
      }
    }
    check_pattern(pattern, parameters);
  }
}

void shorten(std::vector<InputKey>& inputs, const std::vector<Output>& outputs) {
  std::set<std::string, std::less<>> taken;
  std::map<std::string_view, int> sharing;  // views of paths, which stay
  for (const Output& output : outputs) taken.insert(output.name);
  for (const InputKey& input : inputs) {
    const std::string_view last = last_component(input.path);
    if (last.size() == input.path.size())
      taken.insert(input.path);
    else
      ++sharing[last];
  }
  std::map<std::string_view, int> numbers;
  for (InputKey& input : inputs) {
    const std::string_view last = last_component(input.path);
    if (last.size() == input.path.size()) continue;
    std::string key(last);
    if (sharing[last] > 1 || taken.contains(key)) {
      do key = std::string(last) + "_" + std::to_string(numbers[last]++);
      while (taken.contains(key));
    }
    taken.insert(key);
    input.key = std::move(key);
  }
}

}  // namespace mithril
