// Kinds and values: narrowing, promotion, unifying, text.
#include <doctest/doctest.h>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

TEST_CASE("a type narrows to the kinds that all its facts allow") {
  Facts facts;
  Type *a = facts.type(), *b = facts.type(kind::tensor);
  facts.unify(a, b);
  facts.narrow(a, kind::float_tensor | kind::none);
  CHECK(find(b)->kinds == kind::float_tensor);
}

struct Promotion {
  Facts facts;
  Type *a = facts.type(kind::tensor | kind::number), *b = facts.type(kind::tensor | kind::number);
  Type* out = facts.type();
  Promotion() { facts.promote(a, b, out, {}); }
  Kinds result() {
    facts.settle();
    return find(out)->kinds;
  }
};

TEST_CASE("a tensor wins over a value, float over int over bool") {
  Promotion mixed, values;
  mixed.facts.narrow(mixed.a, kind::int_tensor);
  mixed.facts.narrow(mixed.b, kind::float_value);
  CHECK(mixed.result() == kind::float_tensor);
  values.facts.narrow(values.a, kind::bool_value);
  values.facts.narrow(values.b, kind::int_value);
  CHECK(values.result() == kind::int_value);
}

TEST_CASE("a result tells about its operands") {
  Promotion promotion;
  promotion.facts.narrow(promotion.out, kind::bool_tensor);
  promotion.facts.narrow(promotion.b, kind::value);
  promotion.facts.settle();
  CHECK(find(promotion.a)->kinds == kind::bool_tensor);
  CHECK(find(promotion.b)->kinds == kind::bool_value);
}

TEST_CASE("a result can be known before its operands are") {
  Promotion promotion;
  promotion.facts.narrow(promotion.a, kind::float_tensor);
  CHECK(promotion.result() == kind::float_tensor);
}

TEST_CASE("values of one variable are one, and ints in them are unified") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  DatumVariable *a = facts.make<DatumVariable>(), *b = facts.make<DatumVariable>();
  facts.set(a, Datum(Tuple{n, "valid"}));
  facts.set(b, Datum(Tuple{4, "valid"}));
  facts.unify(a, b);
  CHECK(to_string(n) == "4");
}

TEST_CASE("an unknown value takes the known value of its class") {
  Facts facts;
  DatumVariable *a = facts.make<DatumVariable>(), *b = facts.make<DatumVariable>();
  DatumVariable* c = facts.make<DatumVariable>();
  facts.unify(a, b);
  facts.set(a, Datum(true));
  facts.unify(c, b);
  CHECK(find(c)->datum.flag());
}

TEST_CASE("an int that is a size is never negative") {
  Facts facts;
  const Dim axis(facts.symbol("axis", false)), n(facts.symbol("N"));
  facts.unify(axis, n);
  CHECK(is_size(axis));
  CHECK_THROWS_AS(facts.unify(axis, -1), ShapeError);
}

TEST_CASE("values are written as Python prints them") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  CHECK(to_string(Datum()) == "None");
  CHECK(to_string(Datum(false)) == "False");
  CHECK(to_string(Datum(3)) == "3");
  CHECK(to_string(Datum(0.5)) == "0.5");
  CHECK(to_string(Datum(2.0)) == "2.0");
  CHECK(to_string(Datum(1e-7)) == "1e-07");
  CHECK(to_string(Datum("a \"b\"")) == "\"a \\\"b\\\"\"");
  CHECK(to_string(Datum(DType::float32)) == "float32");
  CHECK(to_string(Datum::ints({})) == "()");
  CHECK(to_string(Datum::ints({1})) == "(1,)");
  CHECK(to_string(Datum::dims({1, n + 1})) == "(1, N + 1)");
  CHECK(to_string(Datum(Slice{1, None{}, n})) == "slice(1, None, N)");
  CHECK(to_string(Datum(Ellipsis{})) == "...");
}

TEST_CASE("a value is symbolic while an int in it is unknown") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  const Datum datum(Tuple{1, Slice{0, n, None{}}});
  CHECK(is_symbolic(datum));
  facts.unify(n, 3);
  CHECK_FALSE(is_symbolic(datum));
  CHECK(same(datum, Datum(Tuple{1, Slice{0, 3, None{}}})));
  CHECK_FALSE(same(datum, Datum(Tuple{1, 3})));
  const Datum doubled = map_dims(datum, [](const Dim& dim) { return 2 * dim; });
  CHECK(to_string(doubled) == "(2, slice(0, 6, None))");
}

TEST_CASE("sets of kinds are written briefly") {
  CHECK(to_string_kinds(kind::float_tensor | kind::none) == "float tensor or None");
  CHECK(to_string_kinds(kind::tensor | kind::float_value) == "tensor or float");
  CHECK(to_string_kinds(kind::any) == "anything");
  CHECK(to_string_kinds(kind::string) == "str");
}

}  // namespace
}  // namespace mithril
