#include "mithril/compile/given.hpp"

#include "mithril/model/composition.hpp"
#include "mithril/model/shapes.hpp"

namespace mithril {
namespace {

// Who is speaking from now on: 'shapes={"proj_w": [256, 64]}'.
void speak(Facts& facts, const char* option, const KeyRef& key, const std::string& text) {
  facts.current = {nullptr,
                   facts.note(std::string(option) + "={\"" + key.name() + "\": " + text + "}")};
}

std::string text_of(const Binding& value) {
  if (const auto* datum = std::get_if<Datum>(&value.held())) return to_string(*datum);
  if (const auto* tensor = std::get_if<Tensor>(&value.held())) return to_string(*tensor);
  raise({.kind = ErrorKind::type,
         .code = "E0384",
         .message = "constant_keys takes values and tensors, not names or connections"});
}

}  // namespace

void state_given(Composite& model, const CompileOptions& options) {
  Composition composition(model);
  Facts& facts = composition.facts();
  for (const auto& [key, kinds] : options.types) {
    speak(facts, "types", key, to_string_kinds(kinds));
    facts.narrow(top(key.wire(model))->type, kinds);
  }
  for (const auto& [key, shape] : options.shapes) {
    speak(facts, "shapes", key, to_string(shape));
    facts.unify(top(key.wire(model))->shape, shape_of(model, shape));
  }
  for (const auto& [key, value] : options.constant_keys) {
    speak(facts, "constant_keys", key, text_of(value));
    Wire* wire = top(key.wire(model));
    if (const auto* tensor = std::get_if<Tensor>(&value.held())) {
      composition.set_tensor(wire, *tensor);
    } else {
      composition.join(wire, composition.wire_for(value));
    }
  }
  composition.commit();
}

}  // namespace mithril
