#include "mithril/compile/given.hpp"

#include "mithril/model/composition.hpp"
#include "mithril/model/shapes.hpp"

namespace mithril {
namespace {

std::string text_of(const Binding& value) {
  if (const auto* datum = std::get_if<Datum>(&value.held())) return to_string(*datum);
  if (const auto* tensor = std::get_if<Tensor>(&value.held())) return to_string(*tensor);
  raise({.kind = ErrorKind::type,
         .code = "E0384",
         .message = "constant_keys takes values and tensors, not names or connections"});
}

class Statements {
 public:
  explicit Statements(Composite& model) : model_(model), composition_(model) {}

  void state(const char* option, const KeyRef& key, Kinds kinds) {
    state(option, key, to_string_kinds(kinds),
          [&](Wire* wire) { composition_.facts().narrow(wire->type, kinds); });
  }

  void state(const char* option, const KeyRef& key, const ShapeSpec& shape) {
    state(option, key, to_string(shape),
          [&](Wire* wire) { composition_.facts().unify(wire->shape, shape_of(model_, shape)); });
  }

  void state(const char* option, const KeyRef& key, const Binding& value) {
    state(option, key, text_of(value), [&](Wire* wire) {
      if (const auto* tensor = std::get_if<Tensor>(&value.held())) {
        composition_.set_tensor(wire, *tensor);
      } else {
        composition_.join(wire, composition_.wire_for(value));
      }
    });
  }

  void settle() { composition_.commit(); }

 private:
  // What is fixed now is given by 'shapes={"proj_w": [256, 64]}'; an error that no part has a share
  // in tells the key.
  template <typename Action>
  void state(const char* option, const KeyRef& key, const std::string& text, Action action) {
    Wire* wire = top(key.wire(model_));
    Facts& facts = composition_.facts();
    facts.current = {nullptr,
                     facts.note(std::string(option) + "={\"" + key.name() + "\": " + text + "}")};
    try {
      action(wire);
    } catch (const Error& error) {
      ErrorDetails details = error.details();
      if (!details.path.empty()) throw;
      details.path = key.name();
      details.facts.push_back({"known", to_string(Facts::resolve(wire->shape))});
      raise(std::move(details));
    }
  }

  Composite& model_;
  Composition composition_;
};

}  // namespace

void state_given(Composite& model, const CompileOptions& options) {
  Statements statements(model);
  for (const auto& [key, kinds] : options.types) statements.state("types", key, kinds);
  for (const auto& [key, shape] : options.shapes) statements.state("shapes", key, shape);
  for (const auto& [key, value] : options.constant_keys) {
    statements.state("constant_keys", key, value);
  }
  statements.settle();
}

}  // namespace mithril
