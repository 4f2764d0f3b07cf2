#include "mithril/models/branch_parts.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/model/keys.hpp"

namespace mithril {

bool keeps_state(const Model& part) {
  const std::shared_ptr<Composite> composite = part.composite();
  return composite->extras && !composite->extras->states.empty();
}

std::vector<std::string> named_inputs(const Model& part) {
  std::vector<std::string> named;
  for (const std::string& key : part.input_keys()) {
    if (key.find('.') == std::string::npos) named.push_back(key);
  }
  return named;
}

std::vector<std::string> shared_inputs(const Model& part) {
  std::vector<std::string> keys = named_inputs(part);
  const std::shared_ptr<Composite> composite = part.composite();
  if (!composite->recipe) return keys;
  const std::vector<NamedPort> ports = input_ports(*composite);
  std::vector<const Wire*> wires;
  for (const NamedPort& port : ports) wires.push_back(top(port.wire));
  const std::vector<const Wire*> own = layer_parameters(*composite, wires);
  for (const NamedPort& port : ports) {
    if (std::find(own.begin(), own.end(), top(port.wire)) != own.end()) std::erase(keys, port.name);
  }
  return keys;
}

void check_condition(const Model& part, const std::string& who) {
  const std::vector<std::string> outputs = part.output_keys();
  if (outputs.size() != 1)
    raise({.kind = ErrorKind::connection,
           .code = "E0138",
           .path = who,
           .message = "the condition has one output, a scalar bool",
           .facts = {{"outputs", join(outputs, ", "), ""}},
           .help = "select it with expose_keys"});
  const Connection value = part.at(outputs.front());
  const auto refuse = [&](ErrorKind kind, const char* code, const char* what, Fact expected,
                          std::string got, const char* help) {
    raise({.kind = kind,
           .code = code,
           .path = who,
           .message = std::string("the condition is not a ") + what,
           .facts = {std::move(expected), {outputs.front(), std::move(got), "of the condition"}},
           .help = help});
  };
  const Kinds kinds = find(value.wire()->type)->kinds;
  if (!(kinds & kind::bool_tensor))
    refuse(ErrorKind::type, "E0402", "bool", {"expected", "bool tensor", ""},
           to_string_kinds(kinds), "compare it with a number: x > 0");
  const KnownShape shape = value.known_shape();
  if (shape.rank() && shape.rank() != 0)
    refuse(ErrorKind::shape, "E0206", "scalar", {"expected", "[]", ""}, to_string(shape),
           "compare one number: x.max() > 0");
}

void check_carry(const std::string& key, const Connection& carry, const Connection& next) {
  const Kinds one = find(carry.wire()->type)->kinds, other = find(next.wire()->type)->kinds;
  if (!(one & other))
    raise({.kind = ErrorKind::type,
           .code = "E0402",
           .path = key,
           .message = "a step changes the type of the carry '" + key + "'",
           .facts = {{key, to_string_kinds(one), ""}, {next.name(), to_string_kinds(other), ""}},
           .help = "every step must return a carry of the type that it reads: cast one of them"});
  const KnownShape before = carry.known_shape(), after = next.known_shape();
  if (!before.rank() || !after.rank()) return;
  bool differ = before.rank() != after.rank();
  for (size_t k = 0; !differ && k < *before.rank(); ++k) {
    const auto size = before.head()[k].number(), made = after.head()[k].number();
    differ = size && made && size != made;
  }
  if (!differ) return;
  raise({.kind = ErrorKind::shape,
         .code = "E0206",
         .path = key,
         .message = "a step changes the shape of the carry '" + key + "'",
         .facts = {{key, to_string(before), ""}, {next.name(), to_string(after), ""}},
         .help = "every step must return a carry of the shape that it reads"});
}

Connection add_condition(Model& model, const Model& part, const Bindings& given) {
  const std::string output = part.output_keys().front();  // of a part it is a path
  Bindings bindings;
  for (const std::string& key : shared_inputs(part)) {
    const auto bound = std::find_if(given.begin(), given.end(),
                                    [&](const auto& binding) { return binding.first == key; });
    bound == given.end() ? void(bindings.emplace_back(key, key)) : bindings.push_back(*bound);
  }
  model |= part(bindings);
  return apply("branch_condition", {part.at(output)});
}

}  // namespace mithril
