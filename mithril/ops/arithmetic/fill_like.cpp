// A tensor of one number.
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/tensor/convert.hpp"

namespace mithril {

OpDef define_fill_like() {
  return {
      .name = "fill_like",
      .doc = "A tensor filled with `number`, with the shape and the dtype of `like`.",
      .internal = true,
      .inputs = {{"like", "*s", "T=any"}, value("number", "float|int|bool")},
      .outputs = {{"output", "*s", "T"}},
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const T number = convert<T>(c.real("number"));
              auto y = c.write<T>();
              for (int64_t i = 0; i < c.out().size(); ++i) y[i] = number;
            });
          },
      .grad = no_gradient,  // the result does not depend on the elements of `like`
      .samples = samples_of_filled,
      .spell = {{"jax", "jnp.full({like.shape}, {number}, {output.dtype})"},
                {"onnx", "expand(number(number), like.shape)"},
                {"torch", "aten::full_like(like, number)"},
                {"c", "{number}"}},
  };
}

}  // namespace mithril
