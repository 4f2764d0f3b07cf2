// Threads that compose different models.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

std::string work(int rounds) {
  std::string text;
  for (int i = 0; i < rounds; ++i) {
    Facts facts;
    const Dim h(facts.symbol("h")), w(facts.symbol());
    const StoredShape out{.run = facts.run()};
    Attempt attempt(facts);
    facts.broadcast(facts.store(std::vector<Dim>{h, 1}),
                    facts.store(std::vector<Dim>{floor_divide(w + 1, 2)}), out, {});
    facts.settle();
    if (i % 2) facts.unify(h, w * w);
    if (i % 3 == 0) attempt.commit();
    text = to_string(Facts::resolve(out));
  }
  return text;
}

TEST_CASE("threads that compose different models do not disturb each other") {
  const std::string alone = work(101);
  std::array<std::string, 2> texts;
  std::thread one([&] { texts[0] = work(20001); }), other([&] { texts[1] = work(20001); });
  one.join();
  other.join();
  CHECK(texts[0] == alone);
  CHECK(texts[1] == alone);
}

}  // namespace
}  // namespace mithril
