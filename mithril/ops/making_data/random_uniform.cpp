// random_uniform: numbers drawn from a key, the same wherever they are drawn.
#include "mithril/graph/scan_batching.hpp"
#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void batch_random_uniform(BatchContext& c) {
  if (c.is_batched("key")) return batch_with_keys(c);
  c.become(call("random_uniform", {c.in("like"), c.in("key")}));
}

}  // namespace

OpDef define_random_uniform() {
  return {
      .name = "random_uniform",
      .doc =
          "Random numbers with the shape of `like`, uniform in [0, 1). The same `key` gives the "
          "same numbers.",
      .inputs = {{"like", "*s", "float"}, {"key", "", "int"}},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const RandomBits bits(c.read<int64_t>("key")[0]);
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) {
                const uint64_t high = bits.at(i) >> 40;  // 24 bits: the precision of float32
                y[i] = static_cast<T>(static_cast<double>(high) * 0x1p-24);
              }
            });
          },
      .not_differentiable = "random numbers do not depend on what they are shaped like",
      .batch = batch_random_uniform,
      .samples = samples_of_filled,
      .rows_drawn_by = "random_uniform_rows",
      .cast = CastPolicy::float32,  // rounded to fewer bits they would favour some results
      .spell = {{"jax", "random_uniform({like.shape}, {key}, {output.dtype})"},
                {"torch", "mithril::random_uniform(key, output.shape, output.dtype)"}},
  };
}

}  // namespace mithril
