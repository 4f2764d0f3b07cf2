// random_uniform_rows: the part of random_uniform that belongs to some rows of a batch.
#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_random_uniform_rows() {
  return {
      .name = "random_uniform_rows",
      .doc =
          "The numbers that random_uniform draws from `key` for a larger tensor, from its element "
          "`first` on, with the shape of `like`.",
      .internal = true,
      .inputs = {{"like", "*s", "float"}, {"key", "", "int"}, {"first", "", "int"}},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const RandomBits bits(c.read<int64_t>("key")[0]);
            const int64_t first = c.read<int64_t>("first")[0];
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) {
                const uint64_t high = bits.at(first + i) >> 40;
                y[i] = static_cast<T>(static_cast<double>(high) * 0x1p-24);
              }
            });
          },
      .not_differentiable = "random numbers do not depend on what they are shaped like",
      .samples = samples_of_filled,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "unsupported: a group of processes does not run on JAX"},
                {"torch", "mithril::random_uniform_rows(key, first, output.shape, output.dtype)"}},
  };
}

}  // namespace mithril
