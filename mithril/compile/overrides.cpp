#include "mithril/compile/overrides.hpp"

#include "mithril/model/statements.hpp"

namespace mithril {
namespace {

const Binding& checked_constant(const Binding& value) {
  if (std::holds_alternative<Datum>(value.held())) return value;
  if (std::holds_alternative<Tensor>(value.held())) return value;
  raise({.kind = ErrorKind::type,
         .code = "E0384",
         .message = "constant_keys takes values and tensors, not names or connections"});
}

}  // namespace

void state_overrides(Composite& model, const CompileOptions& options) {
  Composition composition(model);
  Statements types(composition, {"types={\"", "\": ", "}"});
  for (const auto& [key, kinds] : options.types) types.type(key.name(), key.wire(model), kinds);
  Statements shapes(composition, {"shapes={\"", "\": ", "}"});
  for (const auto& [key, shape] : options.shapes) shapes.shape(key.name(), key.wire(model), shape);
  Statements constants(composition, {"constant_keys={\"", "\": ", "}"});
  for (const auto& [key, value] : options.constant_keys) {
    constants.value(key.name(), key.wire(model), checked_constant(value));
  }
  composition.commit();
}

}  // namespace mithril
