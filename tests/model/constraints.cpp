// User constraints: when they run, the facts that they state, and their errors.
#include <doctest/doctest.h>

#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/op/solver.hpp"
#include "tests/errors/text_of_error.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

using tests::text_of_error;

Model two_parts() {
  Model model;
  model |= ml::Relu()({{"input", "a"}, {"output", "fa"}});
  model |= ml::Relu()({{"input", "b"}, {"output", "fb"}});
  return model;
}

bool twice_as_many_rows(Solver& s) {
  std::vector<Dim> a, b;
  if (!s.shape("a", a, 0) || !s.shape("b", b, 0)) return false;
  s.same(b[0], a[0] * Dim(2));
  return true;
}

}  // namespace

TEST_CASE("a constraint states facts as soon as its inputs are known") {
  Model model = two_parts();
  model.add_constraint(twice_as_many_rows, {"a", "b"});
  model.set_shapes({{"b", {any, 5}}});
  CHECK(to_string(model.shape("a")) == "[...]");
  model.set_shapes({{"a", {3, any}}});
  CHECK(to_string(model.shape("fb")) == "[6, 5]");
}

TEST_CASE("a constraint goes with its model into a parent") {
  Model model = two_parts(), parent;
  model.add_constraint(twice_as_many_rows, {"a", "b"});
  parent |= model({{"a", "x"}, {"b", "y"}, {"fb", "z"}});
  parent.set_shapes({{"x", {3, 4}}, {"y", {any, 5}}});
  CHECK(to_string(parent.shape("z")) == "[6, 5]");
}

TEST_CASE("a refusal by a constraint leaves the model as it was") {
  Model model = two_parts();
  model.add_constraint(
      [](Solver& s) {
        std::vector<Dim> a;
        int64_t rows = 0;
        if (!s.shape("a", a, 0) || !s.number(a[0], rows)) return false;
        if (rows % 2) s.reject("a has an odd number of rows", "an even number", to_string(a[0]));
        return true;
      },
      {"a"});
  CHECK(text_of_error([&] {
          model.set_shapes({{"a", {3, 4}}});
        }) ==
        "mithril.ValueError[E0402]: a: a has an odd number of rows\n"
        "  expected   : an even number\n"
        "  got        : 3\n"
        "  constraint : on a");
  CHECK(to_string(model.shape("a")) == "[...]");
  model.set_shapes({{"a", {4, 4}}});
  CHECK(to_string(model.shape("fa")) == "[4, 4]");
}

TEST_CASE("a constraint may compose models, which are gone when it is undone") {
  Model model = two_parts();
  const auto composes = [](Solver& s) {
    Model inner = two_parts(), outer;
    outer |= inner({{"a", "x"}, {"fa", "y"}});
    outer |= Connection("x") + Connection("z");
    outer.set_shapes({{"x", {2, 3}}});
    s.reject("never is right", "nothing", to_string(outer.shape("y")));
    return true;
  };
  CHECK(text_of_error([&] { model.add_constraint(composes, {"a"}); }) ==
        "mithril.ValueError[E0402]: a: never is right\n"
        "  expected   : nothing\n"
        "  got        : [2, 3]\n"
        "  constraint : on a");
  model.set_shapes({{"a", {4, 4}}});
  CHECK(to_string(model.shape("fa")) == "[4, 4]");
}

TEST_CASE("a constraint that contradicts at once is not added") {
  Model model = two_parts();
  model.set_shapes({{"a", {3}}, {"b", {3}}});
  CHECK_THROWS_AS(model.add_constraint(twice_as_many_rows, {"a", "b"}), ShapeError);
  CHECK(to_string(model.shape("b")) == "[3]");
}

TEST_CASE("a constraint reads only its keys") {
  Model model = two_parts();
  const auto reads_fa = [](Solver& s) { return s.value("fa", 0) != nullptr; };
  CHECK(text_of_error([&] {
          model.add_constraint(reads_fa, {"a", "b"});
        }) ==
        "mithril.NameError[E0606]: the constraint has no key 'fa'\n"
        "  known : a, b");
  CHECK_THROWS_AS(model.add_constraint(twice_as_many_rows, {"a", "c"}), NameError);
}

TEST_CASE("a constraint has no patterns") {
  Model model = two_parts();
  CHECK(text_of_error([&] {
          model.add_constraint([](Solver& s) { return s.dim("N").is_constant(); }, {"a"});
        }) ==
        "mithril.NameError[E0614]: there is no named dim in a constraint 'N'\n"
        "  known : none");
}

}  // namespace mithril
