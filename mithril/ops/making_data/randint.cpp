// randint: ints drawn from a key, the same wherever they are drawn.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_randint(Solver& s) {
  const bool filled = solve_filled(s, kind::int_tensor);
  const Datum *low = s.value("low"), *high = s.value("high");
  int64_t least = 0, past = 0;
  if (!low || !high || !s.number(low->dim(), least) || !s.number(high->dim(), past)) return false;
  if (least >= past)
    s.reject("there is no int to draw", "low below high",
             to_string(*low) + ", " + to_string(*high));
  return filled;
}

void eval_randint(EvalContext& c) {
  const int64_t low = c.integer("low"), high = c.integer("high");
  if (low >= high) reject(c, "there is no int to draw", "low below high", std::to_string(high));
  const RandomBits bits(c.read<int64_t>("key")[0]);
  const auto range = static_cast<double>(high - low);
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < c.out().size(); ++i)
      y[i] = static_cast<T>(low + static_cast<int64_t>(bits.uniform(i) * range));
  });
}

}  // namespace

OpDef define_randint() {
  return {
      .name = "randint",
      .doc =
          "Random ints of the given shape, uniform in [low, high). The same `key` gives the same "
          "numbers.",
      .inputs = {value("shape", "tuple|int"),
                 {"key", "", "int|value int"},
                 value("low", "int"),
                 value("high", "int"),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "*o", "int"}},
      .solve = solve_randint,
      .eval = eval_randint,
      .not_differentiable = "it has no float among its inputs",
      .batch = batch_with_keys,
      .dtype_from = "dtype",
      .samples = samples_of_filled,
      .spell = {{"jax", "randint({shape}, {key}, {low}, {high}, {output.dtype})"},
                {"torch", "unsupported: torch draws other numbers from a seed"}},
  };
}

}  // namespace mithril
