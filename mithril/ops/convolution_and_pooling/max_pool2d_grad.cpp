// The gradient of max_pool2d.
#include <utility>
#include <vector>

#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {

namespace {

std::string spell_max_pool2d_grad(const SpellingContext& c) {
  return spell_pooling(c, "input", true, [&](const auto& window) {
    const std::string grad = spell_planes("grad", c.dims("grad"));
    const std::string input = spell_planes("input", c.dims("input"));
    const std::string found = spell_call("aten::max_pool2d_with_indices",
                                         {input, window[0], window[1], window[2], "dilation"}) +
                              "[1]";
    const std::string places =
        "places == None ? " + found + " : " + spell_planes("places", c.dims("grad"));
    return spell_whole(
        spell_call("aten::max_pool2d_with_indices_backward",
                   {grad, input, window[0], window[1], window[2], "dilation", "False", places}),
        c.out());
  });
}

}  // namespace

OpDef define_max_pool2d_grad() {
  std::vector<PortDef> inputs = pooling_inputs(
      {{"grad", "*lead Ho Wo", "T=float"}, {"input", "*lead H W", "number"}}, "int|tuple");
  inputs.push_back(optional("places", "*lead Ho Wo", "int"));
  return {
      .name = "max_pool2d_grad",
      .doc =
          "The gradient of max_pool2d: adds each element of `grad` to the first largest element of "
          "its window of `input`, or to the last NaN. `places`, an output of max_pool2d, are the "
          "indices of these elements, if given.",
      .internal = true,
      .inputs = std::move(inputs),
      .outputs = {{"output", "*lead H W", "T"}},
      .solve = solve_pool2d,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input"), dy = c.read<T>("grad");
              auto dx = c.write<T>();
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
      .separable = {"*lead"},
      .spell = {{"jax",
                 "max_pool2d_grad({grad}, {input}, {places}, {kernel_size}, {stride}, {padding}, "
                 "{dilation})"},
                {"onnx", "max_pool2d_grad(grad, input, kernel_size, stride, padding, dilation)"},
                {"torch", "aten::max_pool2d_with_indices_backward of planes",
                 spell_max_pool2d_grad},
                {"cpu",
                 "max_pool_grad(grad, input, places, kernel_size, stride, padding, dilation)"}},
  };
}

}  // namespace mithril
