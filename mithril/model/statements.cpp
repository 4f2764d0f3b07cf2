#include "mithril/model/statements.hpp"

#include <algorithm>
#include <vector>

#include "mithril/base/printable.hpp"
#include "mithril/infer/shape_window.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/shapes.hpp"
#include "mithril/model/undo.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

Fact known_shape(Wire* wire) {
  const ShapeWindow window(top(wire)->shape);
  return {"known", to_string(window.shape()), origin_text(window.origin())};
}

Fact known_type(Wire* wire) {
  const Type* type = find(top(wire)->type);
  if (const auto dtype = top(wire)->dtype)
    return {"known", to_string(PortType(*dtype)), origin_text(type->origin)};
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

// The op below the part that reads an element of the value in each step of a loop; null: none does.
// Without recursion: models may be nested very deep.
const Part* reader_in_steps(const Part& part, const Wire* wire) {
  std::vector<const Part*> open{&part};
  while (!open.empty()) {
    const Part& next = *open.back();
    open.pop_back();
    if (!next.op) {
      for (const auto& inner : static_cast<const Composite&>(next).parts)
        open.push_back(inner.get());
      continue;
    }
    for (Wire* read : next.slots_of("sequence")) {
      if (read && top(read) == wire) return &next;
    }
  }
  return nullptr;
}

// If the length of a sequence is a side of the error.
void advise_lengths(ErrorDetails& details, const Part& part, Wire* wire) {
  if (details.code != "E0202" || !details.help.empty()) return;
  const Part* reader = reader_in_steps(part, top(wire));
  if (!reader || !reader->dims) return;
  const std::vector<std::string>& names = reader->op->compiled.dims;
  const auto at = std::find(names.begin(), names.end(), "steps");
  if (at == names.end()) return;
  const std::string length = to_string(reader->dims[at - names.begin()]);
  if (std::any_of(details.facts.begin(), details.facts.end(),
                  [&](const Fact& fact) { return fact.text == length; }))
    details.help =
        "the sequences of a loop have one length: cut the longer ones, or pad the shorter ones and "
        "give Scan the lengths of the samples: lengths=";
}

void state_dtype(Wire* wire, DType dtype) {
  Wire* set = top(wire);
  if (set->dtype && set->dtype != dtype) {
    raise({.kind = ErrorKind::type,
           .code = "E1360",
           .path = wire_name(set),
           .message = "two dtypes are stated for one connection",
           .facts = {{"one side", std::string(name(*set->dtype)), ""},
                     {"other side", std::string(name(dtype)), ""}},
           .help = "cast between the two"});
  }
  save(set->dtype);
  set->dtype = dtype;
}

}  // namespace

void set_tensor(Composite& model, Wire* wire, const Tensor& tensor) {
  Facts& facts = *model.facts;
  wire = top(wire);
  if (wire->driver || wire->constant) {
    raise({.kind = ErrorKind::connection,
           .code = "E0101",
           .path = wire_name(wire),
           .message = "a tensor is given to a connection that has a source already"});
  }
  facts.narrow(wire->type, tensor_kind(tensor.dtype()));
  facts.unify(wire->shape, shape_of(facts, tensor));
  save(wire->constant);
  wire->constant = true;
  auto& literals = model.more().literals;
  take_back_growth(literals);
  literals.push_back({wire, tensor});
  model.note({wire, tensor});
}

void raise_at(const Error& error, const std::string& path) { raise(placed(error, path)); }

void raise_between(const Error& error, const std::string& path, const Side& a, const Side& b,
                   const Part* to) {
  ErrorDetails details = placed(error, path);
  const ErrorKind kind = details.kind;
  if (kind == ErrorKind::shape || kind == ErrorKind::type || kind == ErrorKind::value) {
    details.facts.push_back(fact_of(a, kind));
    details.facts.push_back(fact_of(b, kind));
  }
  if (to) advise_lengths(details, *to, a.wire);
  raise(std::move(details));
}

template <typename Text, typename Known, typename Action>
void Statements::state(const std::string& key, Wire* wire, Text text, Known known, Action action) {
  Facts& facts = *model_.facts;
  if (model_.by_recipe) {  // no user wrote it
    const Key* named = model_.find_key(key);
    facts.current = {&model_, named ? named->name : facts.note(key)};
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
      advise_lengths(details, model_, wire);
    }
    raise(std::move(details));
  }
}

void Statements::shape(const std::string& key, Wire* wire, const ShapeSpec& shape) {
  state(
      key, wire, [&] { return to_string(shape); }, known_shape,
      [&] {
        model_.facts->unify(top(wire)->shape, shape_of(model_, shape));
        model_.note({wire, shape});
      });
}

void Statements::type(const std::string& key, Wire* wire, const PortType& type) {
  state(
      key, wire, [&] { return to_string(type); }, known_type,
      [&] {
        model_.facts->narrow(top(wire)->type, type.kinds);
        if (type.dtype) state_dtype(wire, *type.dtype);
        model_.note({wire, type});
      });
}

void Statements::value(const std::string& key, Wire* wire, const Datum& value) {
  state(
      key, wire, [&] { return to_string(value); }, known_value,
      [&] {
        Wire* set = top(wire);
        model_.facts->narrow(set->type, value.kind());
        model_.facts->set(value_of(*model_.facts, set), value);
        model_.note({set, value});
      });
}

void Statements::tensor(const std::string& key, Wire* wire, const Tensor& tensor) {
  state(
      key, wire, [&] { return dtype_and_dims(tensor); }, known_value,
      [&] { set_tensor(model_, wire, tensor); });
}

void Statements::joined(const std::string& key, Wire* wire, const std::function<void()>& join) {
  state(
      key, wire, [] { return std::string("a value"); }, known_value, join);
}

void Statements::differentiable(const std::string& key, Wire* wire, bool flag) {
  state(
      key, wire, [&] { return std::string(flag ? "True" : "False"); }, known_type,
      [&] {
        Wire* set = top(wire);
        const Kinds kinds = find(set->type)->kinds;
        if (flag && !(kinds & kind::float_tensor)) {
          raise({.kind = ErrorKind::type,
                 .code = "E0303",
                 .path = wire_name(set),
                 .message = "only float tensors can be differentiable",
                 .facts = {{"type", to_string_kinds(kinds), ""}}});
        }
        save(set->differentiable);
        set->differentiable = flag;
        model_.note({set, flag});
      });
}

}  // namespace mithril
