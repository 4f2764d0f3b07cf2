#include "mithril/compile/overrides.hpp"

#include "mithril/model/composition.hpp"
#include "mithril/model/statements.hpp"

namespace mithril {
namespace {

void state_constant(Statements& constants, const std::string& key, Wire* wire,
                    const Binding& value) {
  if (const auto* datum = std::get_if<Datum>(&value.held()))
    return constants.value(key, wire, *datum);
  if (const auto* tensor = std::get_if<Tensor>(&value.held()))
    return constants.tensor(key, wire, *tensor);
  raise({.kind = ErrorKind::type,
         .code = "E0384",
         .message = "constant_keys takes values and tensors, not names or connections"});
}

}  // namespace

void state_overrides(Composite& model, const CompileOptions& options) {
  Composition composition(model);
  Statements types(model, {"types={\"", "\": ", "}"});
  for (const auto& [key, type] : options.types) types.type(key.name(), key.wire(model), type);
  Statements shapes(model, {"shapes={\"", "\": ", "}"});
  for (const auto& [key, shape] : options.shapes) shapes.shape(key.name(), key.wire(model), shape);
  Statements constants(model, {"constant_keys={\"", "\": ", "}"});
  for (const auto& [key, value] : options.constant_keys) {
    state_constant(constants, key.name(), key.wire(model), value);
  }
  composition.commit();
}

}  // namespace mithril
