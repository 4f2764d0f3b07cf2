// Long chains: no walk over them recurses, and none costs more than its length.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

TEST_CASE("a hundred thousand nested quotients are renamed, evaluated and solved") {
  Facts facts, others;
  const Dim h(facts.symbol("h"));
  Dim dim = h;
  for (int i = 0; i < 100000; ++i) dim = floor_divide(dim + 1, 2) + 1;
  Renaming memo;
  const Dim renamed = rename(dim, memo, [&](Symbol* s) { return Dim(others.symbol(*s->name())); });
  Sizes sizes{{memo.at(h.symbol()).symbol(), 64}};
  CHECK(evaluate(renamed, sizes) == 3);
  CHECK(to_string(dim).size() < 300);
  facts.unify(h, 64);
  facts.settle();
  CHECK(same(dim, 3));
}

TEST_CASE("a million symbols are one class, whatever the order of merging") {
  for (const bool backwards : {false, true}) {
    Facts facts;
    std::vector<Dim> chain;
    for (int i = 0; i < 1000000; ++i) chain.push_back(Dim(facts.symbol()));
    for (size_t i = 1; i < chain.size(); ++i) {
      const size_t at = backwards ? chain.size() - i : i;
      facts.unify(chain[at - 1], chain[at]);
    }
    facts.unify(chain.back(), 7);
    CHECK(same(chain.front(), 7));
    CHECK(same(chain[500000], 7));
  }
}

TEST_CASE("a million dims, each one more than the last, are solved") {
  for (const bool backwards : {false, true}) {
    Facts facts;
    std::vector<Dim> chain;
    for (int i = 0; i < 1000000; ++i) chain.push_back(Dim(facts.symbol({}, false)));
    for (size_t i = 1; i < chain.size(); ++i) {
      const size_t at = backwards ? chain.size() - i : i;
      facts.unify(chain[at], chain[at - 1] + 1);
    }
    facts.unify(chain.front(), 5);
    facts.settle();
    CHECK(same(chain.back(), 1000004));
  }
}

TEST_CASE("a hundred thousand nested facts are adopted") {
  std::vector<std::unique_ptr<Facts>> nested;
  Dim deepest;
  for (int i = 0; i < 100000; ++i) {
    nested.push_back(std::make_unique<Facts>());
    const Dim own(nested.back()->symbol());
    if (i == 0) deepest = own;
    if (i > 0) nested.back()->adopt(*nested[nested.size() - 2]);
  }
  const Dim product = deepest * deepest;
  nested.back()->unify(deepest, 3);
  nested.back()->settle();
  CHECK(same(product, 9));
}

TEST_CASE("a chain of shapes is resolved from either end") {
  Facts facts;
  std::vector<StoredShape> chain;
  for (int i = 0; i < 100000; ++i) {
    chain.push_back({.run = facts.run()});
    if (i == 0) continue;
    const StoredShape bias = facts.store(std::vector<Dim>{3});
    facts.broadcast(chain[chain.size() - 2], bias, chain.back(), {});
  }
  facts.settle();
  facts.unify(chain.front(), std::vector<Dim>{2, 3});
  facts.settle();
  CHECK(to_string(Facts::resolve(chain.back())) == "[2, 3]");
  CHECK(facts.steps < 4 * 100000);
}

}  // namespace
}  // namespace mithril
