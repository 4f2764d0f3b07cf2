// Facts that a user states about the ports of a model.
#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/model/shapes.hpp"

namespace mithril {
namespace {

// Runs one statement per key as one change: `text` says what was written, for the provenance of
// what it fixes.
template <typename Items, typename State>
void state_each(const std::shared_ptr<Composite>& model, const Items& items,
                const std::string& call, State state) {
  Composite& here = open_model(model);
  Composition composition(here);
  for (const auto& [key, fact] : items) {
    Wire* wire = here.find_wire(key) ? here.find_wire(key) : wire_at(here, key);
    composition.facts().current = {
        nullptr, composition.facts().note(call + "({\"" + key + "\": " + state.text(fact) + "})")};
    state(composition, wire, fact);
  }
  composition.commit();
}

template <typename Text, typename Action>
struct Statement {
  Text text;
  Action action;
  template <typename Fact>
  void operator()(Composition& composition, Wire* wire, const Fact& fact) const {
    action(composition, wire, fact);
  }
};
template <typename Text, typename Action>
Statement(Text, Action) -> Statement<Text, Action>;

std::string binding_text(const Binding& binding) {
  if (const auto* datum = std::get_if<Datum>(&binding.held())) return to_string(*datum);
  if (const auto* tensor = std::get_if<Tensor>(&binding.held())) return to_string(*tensor);
  return "a value";
}

}  // namespace

Model& Model::set_shapes(const std::vector<std::pair<std::string, ShapeSpec>>& shapes) {
  const std::shared_ptr<Composite> model = changing();
  state_each(model, shapes, "set_shapes",
             Statement{[](const ShapeSpec& shape) { return to_string(shape); },
                       [&](Composition& composition, Wire* wire, const ShapeSpec& shape) {
                         composition.facts().unify(top(wire)->shape, shape_of(*model, shape));
                         composition.here().note({wire, shape});
                       }});
  return *this;
}

Model& Model::set_types(const std::vector<std::pair<std::string, Kinds>>& types) {
  state_each(changing(), types, "set_types",
             Statement{[](Kinds kinds) { return to_string_kinds(kinds); },
                       [](Composition& composition, Wire* wire, Kinds kinds) {
                         composition.facts().narrow(top(wire)->type, kinds);
                         composition.here().note({wire, kinds});
                       }});
  return *this;
}

Model& Model::set_values(const std::vector<std::pair<std::string, Binding>>& values) {
  state_each(
      changing(), values, "set_values",
      Statement{binding_text, [](Composition& composition, Wire* wire, const Binding& value) {
                  if (const auto* tensor = std::get_if<Tensor>(&value.held())) {
                    composition.set_tensor(wire, *tensor);
                  } else {
                    composition.join(wire, composition.wire_for(value));
                  }
                }});
  return *this;
}

Model& Model::set_differentiability(const std::vector<std::pair<std::string, bool>>& keys) {
  state_each(changing(), keys, "set_differentiability",
             Statement{[](bool flag) { return std::string(flag ? "True" : "False"); },
                       [](Composition& composition, Wire* wire, bool flag) {
                         composition.declare(wire, flag);
                       }});
  return *this;
}

Model& Model::set_initializer(const std::string& key, const Initializer& initializer) {
  Composite& model = open_model(changing());
  Wire* wire = wire_at(model, key);
  Wire* fan_of = initializer.fan_of.empty() ? nullptr : wire_at(model, initializer.fan_of);
  model.more().laws.push_back({wire, fan_of, initializer.law, initializer.a, initializer.b});
  model.note({wire, StatedLaw{initializer, fan_of}});
  return *this;
}

Model& Model::bind_state_keys(const std::string& input, const std::string& output, Tensor initial) {
  Composite& model = open_model(changing());
  Wire* in = wire_at(model, input);
  Wire* out = wire_at(model, output);
  if (in->driver || is_valued(in) || !out->driver) {
    raise({.kind = ErrorKind::connection,
           .code = "E0111",
           .path = path(&model),
           .message = "state needs an open input and an output that an op makes",
           .facts = {{"input", input, in->driver || is_valued(in) ? "has a source" : ""},
                     {"output", output, out->driver ? "" : "nothing makes it"}}});
  }
  Composition composition(model);
  composition.facts().current = {
      nullptr,
      composition.facts().note("bind_state_keys(" + quoted(input) + ", " + quoted(output) + ")")};
  Facts& facts = composition.facts();
  facts.unify(in->type, out->type);
  facts.unify(in->shape, out->shape);
  facts.narrow(in->type, tensor_kind(initial.dtype()));
  if (initial.rank() > 0) {
    std::vector<Dim> dims;
    for (const int64_t dim : initial.dims()) dims.push_back(facts.fixed(dim));
    facts.unify(in->shape, std::span<const Dim>(dims));
  }
  composition.commit();
  in->differentiable = false;
  model.note({in, StatedState{out, initial}});
  model.more().states.push_back({in, out, std::move(initial)});
  return *this;
}

std::map<std::string, std::string> Model::get_shapes() const {
  std::map<std::string, std::string> shapes;
  UnknownNumbers unknowns;
  for (const std::string& key : input_keys()) shapes[key] = unknowns.renumber(shape(key));
  for (const std::string& key : output_keys()) shapes[key] = unknowns.renumber(shape(key));
  return shapes;
}

std::string Model::shape(const std::string& key) const {
  Wire* wire = wire_at(*composite(), key);
  if (!(find(wire->type)->kinds & kind::tensor)) {
    const DatumVariable* value = wire->value ? find(wire->value) : nullptr;
    return value && value->known ? to_string(value->datum) : "unknown";
  }
  return UnknownNumbers().renumber(to_string(Facts::resolve(wire->shape)));
}

}  // namespace mithril
