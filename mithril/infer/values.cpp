// Types and values: narrowing, setting, making one of two.
#include <utility>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {

void Facts::narrow(Type* type, Kinds kinds) {
  type = find(type);
  const Kinds both = type->kinds & kinds;
  if (both == type->kinds) return;
  if (both == 0) {
    conflict(ErrorKind::type, "E0301", "types differ", to_string_kinds(type->kinds),
             to_string_kinds(kinds), type->origin, current);
  }
  save(*type);
  type->kinds = both;
  type->origin = current;
  wake(type);
}

void Facts::unify(Type* a, Type* b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  const Kinds both = a->kinds & b->kinds;
  if (both == 0) {
    conflict(ErrorKind::type, "E0301", "types differ", to_string_kinds(a->kinds),
             to_string_kinds(b->kinds), a->origin, b->origin);
  }
  // The side with less knowledge takes the facts and their origin from the other.
  if (a->kinds != both && b->kinds == both) std::swap(a, b);
  const Origin origin = a->origin;
  const bool certain = a->kinds == both;
  narrow(a, both);
  narrow(b, both);
  Type* root = merge(a, b);
  if (!certain) return;
  save(root->origin);
  root->origin = origin;
}

namespace {

struct Known {
  const Datum& datum;
  Origin origin;
};

void unify_ints(Facts& facts, const Known& a, const Known& b) {
  const Dim &left = a.datum.dim(), &right = b.datum.dim();
  const Dim now = resolve(left), other = resolve(right);
  if (now.is_constant() && other.is_constant() && now.constant() != other.constant()) {
    const auto fixed = [](const Known& known) {
      const Origin origin = origin_of(known.datum.dim());
      return origin.part || origin.what ? origin : known.origin;
    };
    facts.conflict(ErrorKind::value, "E0401", "values differ", to_string(now), to_string(other),
                   fixed(a), fixed(b));
  }
  facts.unify(left, right);
}

void unify_known(Facts& facts, const Known& a, const Known& b) {
  const auto differ = [&] {
    facts.conflict(ErrorKind::value, "E0401", "values differ", to_string(a.datum),
                   to_string(b.datum), a.origin, b.origin);
  };
  const auto parts = [&](const Datum& x, const Datum& y) {
    unify_known(facts, {x, a.origin}, {y, b.origin});
  };
  if (a.datum.kind() != b.datum.kind()) differ();
  if (a.datum.kind() == kind::int_value) return unify_ints(facts, a, b);
  if (a.datum.kind() == kind::tuple) {
    const Tuple &left = a.datum.tuple(), &right = b.datum.tuple();
    if (left.size() != right.size()) differ();
    for (size_t i = 0; i < left.size(); ++i) parts(left[i], right[i]);
    return;
  }
  if (a.datum.kind() == kind::slice) {
    const Slice &left = a.datum.slice(), &right = b.datum.slice();
    parts(left.start, right.start);
    parts(left.stop, right.stop);
    return parts(left.step, right.step);
  }
  if (!same(a.datum, b.datum)) differ();
}

}  // namespace

void Facts::unify(const Datum& a, const Datum& b) { unify_known(*this, {a, {}}, {b, {}}); }

void Facts::set(DatumVariable* variable, const Datum& datum) {
  variable = find(variable);
  if (variable->known) {
    return unify_known(*this, {variable->datum, variable->origin}, {datum, current});
  }
  save(variable->known);
  save(variable->origin);
  variable->known = true;
  variable->datum = datum;
  variable->origin = current;
  wake(variable);
}

void Facts::unify(DatumVariable* a, DatumVariable* b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  if (a->known && b->known) unify_known(*this, {a->datum, a->origin}, {b->datum, b->origin});
  if (!a->known && b->known) std::swap(a, b);
  if (a->known) {
    link(b, a);
  } else {
    merge(a, b);
  }
}

}  // namespace mithril
