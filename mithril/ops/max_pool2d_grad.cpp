// The gradient of max_pool2d.
#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_max_pool2d_grad() {
  return {
      .name = "max_pool2d_grad",
      .doc =
          "Gives each element of `grad` to the first largest element of its window of `input`, and "
          "adds up.",
      .inputs = pooling_inputs(
          {{"grad", "*lead Ho Wo", "T=float"}, {"input", "*lead H W", "number"}}, "int|tuple"),
      .outputs = {{"output", "*lead H W", "T"}},
      .solve = solve_pool2d,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input"), dy = c.read<T>("grad");
              T* dx = c.write<T>();
              const T* next = dy.begin();
              for (const int64_t at :
                   largest_of(pool_window(c, c.dims("input"), c.dims("grad")), x)) {
                const T slope = *next++;
                if (at >= 0) dx[at] = static_cast<T>(dx[at] + slope);
              }
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("grad", pool(g, "max_pool2d_pick", {g.out_grad(), g.in("input")}));
          },
      .spell =
          {{"torch",
            "aten::max_pool2d_with_indices_backward(grad, input, kernel_size, stride, padding, "
            "dilation, False, "
            "aten::max_pool2d_with_indices(input, kernel_size, stride, padding, dilation)[1])"},
           {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
