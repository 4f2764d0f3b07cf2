// Facts that a user states about the ports of a model.
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/infer/distinct_names.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/completion.hpp"
#include "mithril/model/constraint.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"
#include "mithril/model/shapes.hpp"
#include "mithril/model/statements.hpp"
#include "mithril/model/undo.hpp"

namespace mithril {
namespace {

// States one fact per key, as one change.
template <typename Items, typename State>
void state_each(Composite& model, const std::string& call, const Items& items, State state) {
  Composition composition(model);
  const std::string before = call + "({\"";
  Statements statements(model, {before, "\": ", "})"});
  for (const auto& [key, fact] : items) (statements.*state)(key, wire_at(model, key), fact);
  composition.commit();
}

}  // namespace

Model& Model::set_shapes(const std::vector<std::pair<std::string, ShapeSpec>>& shapes) {
  state_each(open_model(changing()), "set_shapes", shapes, &Statements::shape);
  return *this;
}

Model& Model::set_types(const std::vector<std::pair<std::string, PortType>>& types) {
  state_each(open_model(changing()), "set_types", types, &Statements::type);
  return *this;
}

Model& Model::set_values(const std::vector<std::pair<std::string, Binding>>& values) {
  Composite& model = open_model(changing());
  Composition composition(model);
  Statements statements(model, {"set_values({\"", "\": ", "})"});
  for (const auto& [key, value] : values) {
    Wire* wire = wire_at(model, key);
    if (const auto* datum = std::get_if<Datum>(&value.held())) {
      statements.value(key, wire, *datum);
    } else if (const auto* tensor = std::get_if<Tensor>(&value.held())) {
      statements.tensor(key, wire, *tensor);
    } else {
      statements.joined(
          key, wire, [&, &value = value] { composition.join(wire, composition.wire_for(value)); });
    }
  }
  composition.commit();
  return *this;
}

Model& Model::set_differentiability(const std::vector<std::pair<std::string, bool>>& keys) {
  state_each(open_model(changing()), "set_differentiability", keys, &Statements::differentiable);
  return *this;
}

Model& Model::add_constraint(std::function<bool(Solver&)> constraint,
                             const std::vector<std::string>& keys) {
  state_constraint(open_model(changing()), std::move(constraint), keys);
  return *this;
}

Model& Model::set_initializer(const std::string& key, const Initializer& initializer) {
  Composite& model = open_model(changing());
  Wire* wire = wire_at(model, key);
  Wire* fan_of = initializer.fan_of.empty() ? nullptr : wire_at(model, initializer.fan_of);
  Composition composition(model);
  auto& distributions = model.more().distributions;
  Initializer kept = initializer;
  for (const WireDistribution& before : distributions) {
    if (kept.stacked == 0 && top(before.wire) == top(wire))
      kept.stacked = before.initializer.stacked;  // of the key, not of its values
  }
  take_back_growth(distributions);
  distributions.push_back({wire, fan_of, kept});
  model.note({wire, StatedDistribution{kept, fan_of}});
  composition.commit();
  return *this;
}

namespace {

std::string text_of(const InitialState& initial) {
  if (const auto* key = std::get_if<RandomKey>(&initial))
    return "RandomKey(" + std::to_string(key->seed) + ")";
  return dtype_and_dims(std::get<Tensor>(initial));
}

// A tensor with the kind of the state and, if its rank is not 0, with its shape.
Tensor example_of(const InitialState& initial) {
  const auto* tensor = std::get_if<Tensor>(&initial);
  return tensor ? *tensor : Tensor::scalar(std::int64_t{0});
}

// The shape of a state ends with the dims of its first value, and equals them unless more axes are
// known.
void state_last_dims(Facts& facts, const StoredShape& shape, const Tensor& example) {
  std::vector<Dim> dims;
  const auto rank = static_cast<size_t>(example.rank());
  if (!Facts::known(shape, dims) || dims.size() <= rank)
    return facts.unify(shape, shape_of(facts, example));
  for (size_t i = 0; i < rank; ++i)
    facts.unify(dims[dims.size() - rank + i], facts.fixed(example.dims()[i]));
}

}  // namespace

Model& Model::bind_state_keys(const std::string& input, const std::string& output,
                              InitialState initial) {
  Composite& model = open_model(changing());
  Wire* in = wire_at(model, input);
  Wire* out = wire_at(model, output);
  if (in->driver || is_valued(in) || !out->driver) {
    raise({.kind = ErrorKind::connection,
           .code = "E0111",
           .path = path(&model),
           .message = "state needs an open input and an output of an op",
           .facts = {{"input", input, in->driver || is_valued(in) ? "has a source" : ""},
                     {"output", output, out->driver ? "" : "nothing makes it"}}});
  }
  Composition composition(model);
  Facts& facts = composition.facts();
  facts.current = {nullptr, facts.note("bind_state_keys(" + in_quotes(input) + ", " +
                                       in_quotes(output) + ", " + text_of(initial) + ")")};
  const Tensor example = example_of(initial);
  try {
    facts.unify(in->type, out->type);
    facts.unify(in->shape, out->shape);
    facts.narrow(in->type, tensor_kind(example.dtype()));
    if (example.rank() > 0 || std::holds_alternative<RandomKey>(initial))
      state_last_dims(facts, in->shape, example);
    facts.settle();
  } catch (const Error& error) {
    raise_between(error, input, {input, in}, {output, out});
  }
  save(in->differentiable);
  in->differentiable = false;
  model.note({in, StatedState{out, initial}});
  auto& states = model.more().states;
  take_back_growth(states);
  states.push_back({in, out, std::move(initial)});
  composition.commit();
  return *this;
}

std::map<std::string, KnownShape> Model::get_shapes() const {
  const std::shared_ptr<Composite> model = composite();
  std::vector<std::string> keys = input_keys();
  for (std::string& key : output_keys()) keys.push_back(std::move(key));
  const Completed completed(*model);  // after the calls above, which complete the model themselves
  std::map<std::string, KnownShape> shapes;
  Facts facts;
  DistinctNames names(facts);
  UnknownNumbers unknowns;
  for (const std::string& key : keys) {
    Wire* wire = wire_at(*model, key);
    if (find(wire->type)->kinds & kind::tensor)
      shapes.emplace(key, to_known(names.copy(Facts::resolve(wire->shape)), unknowns));
  }
  return shapes;
}

KnownShape Model::shape(const std::string& key) const {
  const std::shared_ptr<Composite> model = composite();
  const Completed completed(*model);
  Wire* wire = wire_at(*model, key);
  if (!(find(wire->type)->kinds & kind::tensor)) {
    raise({.kind = ErrorKind::type,
           .code = "E0371",
           .message = in_quotes(key) + " holds a value, which has no shape"});
  }
  UnknownNumbers unknowns;
  return to_known(wire->shape, unknowns);
}

}  // namespace mithril
