// random_uniform_rows: the part of random_uniform that belongs to some rows of a batch.
#include "mithril/ops/shared/random_bits.hpp"
#include "mithril/ops/shared/row_blocks.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_random_uniform_rows() {
  return {
      .name = "random_uniform_rows",
      .doc =
          "The numbers that random_uniform draws from `key` for a larger tensor, whose `axis` has "
          "`total` indices. The output has the shape of `like`, and begins at index `first` of "
          "that axis.",
      .internal = true,
      .inputs = {{"like", "*s", "float"},
                 {"key", "", "int"},
                 {"first", "", "int"},
                 {"total", "", "int"},
                 value("axis", "int")},
      .outputs = {{"output", "*s", "float"}},
      .eval =
          [](EvalContext& c) {
            const RandomBits bits(c.read<int64_t>("key")[0]);
            const Dims& dims = c.out().dims();
            const RowBlocks blocks(dims, axis_of(c.integer("axis"), dims.size()),
                                   c.read<int64_t>("first")[0], c.read<int64_t>("total")[0]);
            c.typed([&](auto zero) {
              using T = decltype(zero);
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) {
                const uint64_t high = bits.at(blocks.index_in_whole(i)) >> 40;
                y[i] = static_cast<T>(static_cast<double>(high) * 0x1p-24);
              }
            });
          },
      .not_differentiable = "random numbers do not depend on what they are shaped like",
      .samples = samples_of_filled,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "unsupported: a group of processes does not run on JAX"},
                {"torch",
                 "mithril::random_uniform_rows(key, first, total, axis, output.shape, "
                 "output.dtype)"}},
  };
}

}  // namespace mithril
