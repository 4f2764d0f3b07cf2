// Errors of inference: code, message, both sides and their origins.
#include <doctest/doctest.h>

#include <functional>
#include <limits>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

std::string origin_text(Origin origin) {
  return origin.what ? "given by " + std::string(*origin.what) : "";
}

void decorate(ErrorDetails& details, Origin, Origin left, Origin right) {
  if (details.facts.size() > 0) details.facts[0].origin = origin_text(left);
  if (details.facts.size() > 1) details.facts[1].origin = origin_text(right);
}

struct Speaker {
  Facts facts;
  Speaker() { facts.decorate = decorate; }
  void says(const char* what) { facts.current = {nullptr, facts.note(what)}; }
};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("two numbers for one dim are refused with the origin of each") {
  Speaker speaker;
  speaker.says("x");
  const Dim first = speaker.facts.fixed(128);
  speaker.says("weight");
  const Dim second = speaker.facts.fixed(100);
  const Dim n(speaker.facts.symbol("N"));
  speaker.facts.unify(n, first);
  CHECK(error_of([&] { speaker.facts.unify(n, second); }) ==
        "mithril.ShapeError[E0202]: two dims differ\n"
        "  one side   : 128   given by x\n"
        "  other side : 100   given by weight");
}

TEST_CASE("an equation without an integer solution is refused") {
  Speaker speaker;
  const Dim h(speaker.facts.symbol("h"));
  CHECK(error_of([&] { speaker.facts.unify(2 * h, 5); }) ==
        "mithril.ShapeError[E0202]: no integer makes two dims equal\n"
        "  one side   : 2*h\n"
        "  other side : 5");
}

TEST_CASE("shapes of different rank are refused") {
  Speaker speaker;
  const StoredShape shape{.run = speaker.facts.run()};
  speaker.says("x");
  speaker.facts.unify(shape, std::vector<Dim>{2, Dim(speaker.facts.symbol("N"))});
  CHECK(error_of([&] {
          speaker.facts.unify(shape, std::vector<Dim>{1, 2, 3});
        }) ==
        "mithril.ShapeError[E0201]: ranks differ\n"
        "  one side   : [2, N]   given by x\n"
        "  other side : [1, 2, 3]");
}

TEST_CASE("dims that do not broadcast are refused") {
  Speaker speaker;
  const StoredShape a = speaker.facts.store(std::vector<Dim>{3});
  const StoredShape b = speaker.facts.store(std::vector<Dim>{4});
  const StoredShape out{.run = speaker.facts.run()};
  CHECK(error_of([&] { speaker.facts.broadcast(a, b, out, {}); }) ==
        "mithril.ShapeError[E0203]: two dims do not broadcast\n"
        "  one side   : 3\n"
        "  other side : 4");
}

TEST_CASE("a dim that is known after the result is refused if it does not broadcast") {
  for (const bool flip : {false, true}) {
    for (const int late : {1, 2, 64, 0}) {
      Speaker speaker;
      Facts& facts = speaker.facts;
      const Dim open(facts.symbol());
      const StoredShape known = facts.store(std::vector<Dim>{64});
      const StoredShape other = facts.store(std::vector<Dim>{open});
      const StoredShape out{.run = facts.run()};
      facts.broadcast(flip ? other : known, flip ? known : other, out, {});
      facts.settle();
      CHECK(to_string(Facts::resolve(out)) == "[64]");
      const auto give_size = [&] {
        facts.unify(open, Dim(late));
        facts.settle();
      };
      CAPTURE(flip);
      CAPTURE(late);
      if (late == 1 || late == 64) {
        CHECK_NOTHROW(give_size());
      } else {
        CHECK_THROWS_WITH_AS(give_size(), doctest::Contains("two dims do not broadcast"),
                             ShapeError);
      }
    }
  }
}

TEST_CASE("a result of broadcasting with too few dims is refused") {
  Speaker speaker;
  const StoredShape a = speaker.facts.store(std::vector<Dim>{3, 4});
  const StoredShape out = speaker.facts.store(std::vector<Dim>{4});
  CHECK(error_of([&] { speaker.facts.broadcast(a, a, out, {}); }) ==
        "mithril.ShapeError[E0203]: the result of broadcasting has too few dims\n"
        "  one side   : [3, 4]\n"
        "  other side : [3, 4]");
}

TEST_CASE("a size that becomes negative is refused as soon as that is known") {
  Speaker speaker;
  const Dim h(speaker.facts.symbol("h")), out(speaker.facts.symbol("out"));
  speaker.says("kernel_size");
  speaker.facts.unify(out, h - 5);
  speaker.facts.unify(h, 3);
  CHECK(error_of([&] { speaker.facts.settle(); }) ==
        "mithril.ShapeError[E0204]: a dim would be negative\n"
        "  got : -2   given by kernel_size");
}

TEST_CASE("a dim beyond 64 bits is refused") {
  const Dim large(std::numeric_limits<int64_t>::max());
  CHECK(error_of([&] { large + 1; }) ==
        "mithril.ShapeError[E0205]: a dim is too large for 64 bits\n"
        "  got : 9223372036854775807 + 1");
  CHECK_THROWS_AS(large * large, ShapeError);
  CHECK_THROWS_AS(large * Dim(Facts().symbol()) * 2, ShapeError);
  CHECK_THROWS_AS(Dim(-2) - large, ShapeError);
  CHECK_THROWS_AS(floor_divide(Dim(std::numeric_limits<int64_t>::min()), -1), ShapeError);
}

TEST_CASE("division of a dim by zero is refused") {
  Facts facts;
  const Dim h(facts.symbol("h")), n(facts.symbol("n"));
  CHECK(error_of([&] { floor_divide(h + 1, 0); }) ==
        "mithril.ValueError[E0404]: a dim is divided by zero\n  got : h + 1 // 0");
  floor_divide(h, n);
  facts.unify(n, 0);
  CHECK_THROWS_AS(facts.settle(), ValueError);
}

TEST_CASE("types that exclude each other are refused") {
  Speaker speaker;
  speaker.says("x");
  Type* type = speaker.facts.type();
  speaker.facts.narrow(type, kind::float_tensor);
  speaker.says("axis");
  CHECK(error_of([&] { speaker.facts.narrow(type, kind::int_value | kind::none); }) ==
        "mithril.TypeError[E0301]: types differ\n"
        "  one side   : float tensor   given by x\n"
        "  other side : int or None    given by axis");
}

TEST_CASE("types that do not promote are refused") {
  Speaker speaker;
  Type *a = speaker.facts.type(kind::float_tensor), *b = speaker.facts.type(kind::int_tensor);
  speaker.facts.promote(a, b, speaker.facts.type(kind::int_tensor), {});
  CHECK(error_of([&] { speaker.facts.settle(); }) ==
        "mithril.TypeError[E0302]: types do not promote to int tensor\n"
        "  one side   : float tensor\n"
        "  other side : int tensor");
}

TEST_CASE("values that differ are refused") {
  Speaker speaker;
  DatumVariable* value = speaker.facts.make<DatumVariable>();
  speaker.says("padding=\"same\"");
  speaker.facts.set(value, "same");
  speaker.says("padding=1");
  CHECK(error_of([&] { speaker.facts.set(value, 1); }) ==
        "mithril.ValueError[E0401]: values differ\n"
        "  one side   : \"same\"   given by padding=\"same\"\n"
        "  other side : 1        given by padding=1");
}

TEST_CASE("a tuple that nests too deep is refused") {
  Datum datum;
  for (int i = 0; i < 1000; ++i) datum = Datum(Tuple{datum});
  CHECK(error_of([&] { datum = Datum(Tuple{datum}); }) ==
        "mithril.ValueError[E0405]: a tuple nests 1001 deep, expected at most 1000");
}

}  // namespace
}  // namespace mithril
