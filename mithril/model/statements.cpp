#include "mithril/model/statements.hpp"

#include <algorithm>

#include "mithril/base/printable.hpp"
#include "mithril/infer/shape_window.hpp"
#include "mithril/model/shapes.hpp"

namespace mithril {
namespace {

Fact known_shape(Wire* wire) {
  const ShapeWindow window(top(wire)->shape);
  return {"known", to_string(window.shape()), origin_text(window.origin())};
}

Fact known_type(Wire* wire) {
  const Type* type = find(top(wire)->type);
  return {"known", to_string_kinds(type->kinds), origin_text(type->origin)};
}

Fact known_value(Wire* wire) {
  const DatumVariable* value = top(wire)->value ? find(top(wire)->value) : nullptr;
  if (value && value->known && !is_symbolic(value->datum)) {
    return {"known", to_string(value->datum), origin_text(value->origin)};
  }
  Fact known = known_type(wire);
  if (find(top(wire)->type)->kinds & kind::tensor) known.text += " " + known_shape(wire).text;
  return known;
}

std::string text_of(const Binding& binding) {
  if (const auto* datum = std::get_if<Datum>(&binding.held())) return to_string(*datum);
  if (const auto* tensor = std::get_if<Tensor>(&binding.held())) return dtype_and_dims(*tensor);
  return "a value";
}

// If the error already mentions a side, only adds its origin.
void add_side(ErrorDetails& details, const Fact& side) {
  const auto told = std::find_if(details.facts.begin(), details.facts.end(),
                                 [&](const Fact& fact) { return fact.text == side.text; });
  if (told == details.facts.end()) {
    details.facts.push_back(side);
  } else if (told->origin.empty()) {
    told->origin = side.origin;
  }
}

// The known fact to which an error of this kind refers.
Fact fact_of(const Side& side, ErrorKind kind) {
  Fact fact = kind == ErrorKind::shape  ? known_shape(side.wire)
              : kind == ErrorKind::type ? known_type(side.wire)
                                        : known_value(side.wire);
  return {side.label, fact.text, side.place};
}

ErrorDetails placed(const Error& error, const std::string& path) {
  ErrorDetails details = error.unnumbered();
  if (details.path.empty()) details.path = details.port = path;
  return details;
}

}  // namespace

void raise_at(const Error& error, const std::string& path) { raise(placed(error, path)); }

void raise_between(const Error& error, const std::string& path, const Side& a, const Side& b) {
  ErrorDetails details = placed(error, path);
  const ErrorKind kind = details.kind;
  if (kind == ErrorKind::shape || kind == ErrorKind::type || kind == ErrorKind::value) {
    details.facts.push_back(fact_of(a, kind));
    details.facts.push_back(fact_of(b, kind));
  }
  raise(std::move(details));
}

template <typename Text, typename Known, typename Action>
void Statements::state(const std::string& key, Wire* wire, Text text, Known known, Action action) {
  Facts& facts = composition_.facts();
  Composite& here = composition_.here();
  if (here.by_recipe) {  // no user wrote it
    const Key* named = here.find_key(key);
    facts.current = {&here, named ? named->name : facts.note(key)};
    return action();
  }
  const std::string said = text();
  const std::string call = std::string(wording_.before) + key + std::string(wording_.between) +
                           said + std::string(wording_.after);
  facts.current = {nullptr, facts.note(printable(call))};
  const Fact before = known(wire);
  try {
    action();
    facts.settle();
  } catch (const Error& error) {
    if (!error.path().empty()) throw;
    ErrorDetails details = placed(error, key);
    if (!details.facts.empty()) {  // otherwise the statement itself is wrong
      add_side(details, before);
      add_side(details, {"stated", said, "given by " + call});
    }
    raise(std::move(details));
  }
}

void Statements::shape(const std::string& key, Wire* wire, const ShapeSpec& shape) {
  state(
      key, wire, [&] { return to_string(shape); }, known_shape,
      [&] {
        composition_.facts().unify(top(wire)->shape, shape_of(composition_.here(), shape));
        composition_.here().note({wire, shape});
      });
}

void Statements::type(const std::string& key, Wire* wire, Kinds kinds) {
  state(
      key, wire, [&] { return to_string_kinds(kinds); }, known_type,
      [&] {
        composition_.facts().narrow(top(wire)->type, kinds);
        composition_.here().note({wire, kinds});
      });
}

void Statements::value(const std::string& key, Wire* wire, const Binding& value) {
  state(
      key, wire, [&] { return text_of(value); }, known_value,
      [&] {
        if (const auto* tensor = std::get_if<Tensor>(&value.held())) {
          composition_.set_tensor(wire, *tensor);
        } else if (const auto* datum = std::get_if<Datum>(&value.held())) {
          composition_.set_value(wire, *datum);
        } else {
          composition_.join(wire, composition_.wire_for(value));
        }
      });
}

void Statements::differentiable(const std::string& key, Wire* wire, bool flag) {
  state(
      key, wire, [&] { return std::string(flag ? "True" : "False"); }, known_type,
      [&] { composition_.declare(wire, flag); });
}

}  // namespace mithril
