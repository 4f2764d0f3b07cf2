// Attempts: a failed one leaves everything as it was.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

// A few variables of every kind and random calls that state something about them.
class World {
 public:
  World() {
    for (int i = 0; i < 6; ++i) {
      dims_.push_back(Dim(facts.symbol(i % 2 ? std::string_view("n") : std::string_view(), i > 1)));
      shapes_.push_back({.run = facts.run()});
      types_.push_back(facts.type(kind::tensor | kind::number));
      values_.push_back(facts.make<DatumVariable>());
    }
  }

  void state(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](size_t below) { return random() % below; };
    const auto dim = [&]() -> Dim {
      const Dim a = dims_[pick(6)], b = dims_[pick(6)];
      switch (pick(6)) {
        case 0:
          return a + b;
        case 1:
          return a * b;
        case 2:
          return floor_divide(a + 1, 2);
        case 3:
          return Dim(static_cast<int64_t>(1 + pick(4)));
        default:
          return a;
      }
    };
    const auto shape = [&] { return shapes_[pick(6)]; };
    for (int i = 0; i < 4; ++i) {
      switch (pick(7)) {
        case 0:
          facts.unify(dim(), dim());
          break;
        case 1:
          facts.unify(shape(), std::vector<Dim>{dim(), dim()});
          break;
        case 2:
          facts.unify(shape(), shape());
          break;
        case 3:
          facts.broadcast(shape(), shape(), shape(), {});
          break;
        case 4:
          facts.promote(types_[pick(6)], types_[pick(6)], types_[pick(6)], {});
          facts.narrow(types_[pick(6)], pick(2) ? kind::tensor : kind::float_tensor);
          break;
        case 5:
          facts.unify(values_[pick(6)], values_[pick(6)]);
          break;
        default:
          facts.set(values_[pick(6)], pick(2) ? Datum(Tuple{dim()}) : Datum(dim()));
      }
    }
    facts.settle();
  }

  // Returns whether the attempt succeeded.
  bool attempt(unsigned seed, bool commit) {
    Attempt attempt(facts);
    try {
      state(seed);
    } catch (const Error&) {
      return false;
    }
    if (commit) attempt.commit();
    return true;
  }

  std::string text() const {
    std::string text;
    for (const Dim& dim : dims_) text += to_string(dim) + (is_size(dim) ? "! " : " ");
    for (const StoredShape& shape : shapes_) text += to_string(Facts::resolve(shape)) + " ";
    for (Type* type : types_) text += to_string_kinds(find(type)->kinds) + ", ";
    for (DatumVariable* value : values_) {
      text += find(value)->known ? to_string(find(value)->datum) + " " : "? ";
    }
    return text;
  }

  Facts facts;

 private:
  std::vector<Dim> dims_;
  std::vector<StoredShape> shapes_;
  std::vector<Type*> types_;
  std::vector<DatumVariable*> values_;
};

TEST_CASE("failed attempts leave no trace in the facts") {
  int undone = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    World tried, spared;
    for (unsigned step = 0; step < 12; ++step) {
      const std::string before = tried.text();
      for (unsigned other = 0; other < 3; ++other) {
        tried.attempt(1000 * seed + 100 * other + step, false);
        ++undone;
        INFO("seed ", seed, ", step ", step, ", attempt ", other);
        REQUIRE(tried.text() == before);
      }
      const bool went_well = tried.attempt(77 * seed + step, true);
      INFO("seed ", seed, ", step ", step);
      REQUIRE(spared.attempt(77 * seed + step, true) == went_well);
      REQUIRE(tried.text() == spared.text());
      REQUIRE(tried.facts.steps >= spared.facts.steps);
    }
  }
  CHECK(undone == 10800);
}

TEST_CASE("an attempt inside another is undone with it") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  {
    Attempt outer(facts);
    {
      Attempt inner(facts);
      facts.unify(n, 4);
      inner.commit();
    }
    CHECK(to_string(n) == "4");
  }
  CHECK(to_string(n) == "N");
}

TEST_CASE("a failed attempt keeps the relations that were queued before it") {
  Facts facts;
  const StoredShape a = facts.store(std::vector<Dim>{3}), out{.run = facts.run()};
  facts.broadcast(a, a, out, {});
  { Attempt attempt(facts); }
  facts.settle();
  CHECK(to_string(Facts::resolve(out)) == "[3]");
}

TEST_CASE("an attempt restores the current origin, after success and after failure") {
  Facts facts;
  const Note before = facts.note("before");
  for (const bool succeed : {false, true}) {
    facts.current = {nullptr, before};
    {
      Attempt attempt(facts);
      facts.current = {};
      if (succeed) attempt.commit();
    }
    CHECK(*facts.current.what == *before);
  }
}

TEST_CASE("facts adopted in an attempt stay their own when it fails") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  Facts other;
  const Dim m(other.symbol("M"));
  {
    Attempt attempt(facts);
    facts.unify(n, m);
    facts.adopt(other);
    CHECK(same(n, m));
  }
  CHECK_FALSE(same(n, m));
  other.unify(m, 3);
  CHECK(to_string(m) == "3");
  CHECK(to_string(n) == "N");
  {
    Attempt attempt(facts);
    facts.unify(n, m);
    facts.adopt(other);
    attempt.commit();
  }
  CHECK(other.arena().bytes() == 0);
  CHECK(to_string(n) == "3");
}

TEST_CASE("facts may be destroyed during an attempt that changed them") {
  Facts facts;
  const Dim n(facts.symbol("N"));
  {
    Attempt attempt(facts);
    Facts other;
    const Dim m(other.symbol("M"));
    other.unify(m, 3);
    facts.unify(n, m);
  }
  CHECK(to_string(n) == "N");
}

TEST_CASE("dims renamed into other facts keep their definitions when the attempt is undone") {
  Facts facts, other;
  const Dim n(facts.symbol("N"));
  Dim copy;
  {
    Attempt attempt(facts);
    Renaming memo;
    copy = rename(floor_divide(n * n, 2), memo,
                  [&](Symbol* symbol) { return Dim(other.symbol(*symbol->name())); });
  }
  CHECK(to_string(copy) == "N*N//2");
}

TEST_CASE("saved variables are restored when an attempt fails") {
  Facts facts;
  std::vector<int> list{1};
  int number = 1;
  {
    Attempt attempt(facts);
    save(list);
    save(number);
    list.push_back(2);
    number = 2;
  }
  CHECK(list == std::vector<int>{1});
  CHECK(number == 1);
}

}  // namespace
}  // namespace mithril
