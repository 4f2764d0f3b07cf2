// What stands where max_pool2d finds the largest elements: the gradient of its gradient.
#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_max_pool2d_pick() {
  return {
      .name = "max_pool2d_pick",
      .doc =
          "The element of `values` at the place of the first largest element of each window of "
          "`input`; 0 for a window of "
          "padding alone.",
      .inputs = pooling_inputs(
          {{"values", "*lead H W", "T=float"}, {"input", "*lead H W", "number"}}, "int|tuple"),
      .outputs = {{"output", "*lead Ho Wo", "T"}},
      .solve = solve_pool2d,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input"), values = c.read<T>("values");
              T* y = c.write<T>();
              for (const int64_t at :
                   largest_of(pool_window(c, c.dims("input"), c.out().dims()), x)) {
                *y++ = at < 0 ? T{} : values[at];
              }
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("values", pool(g, "max_pool2d_grad", {g.out_grad(), g.in("input")}));
          },
      .spell = {{"torch", "unsupported: only second derivatives need it"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
