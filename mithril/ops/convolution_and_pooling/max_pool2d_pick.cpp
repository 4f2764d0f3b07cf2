// max_pool2d_pick: the elements at the indices of max_pool2d, for the gradient of its gradient.
#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {

namespace {

std::string spell_max_pool2d_pick(const SpellingContext& c) {
  return spell_pooling(c, "input", true, [&](const auto& window) {
    const std::string input = spell_planes("input", c.dims("input"));
    const std::string places = spell_call("aten::max_pool2d_with_indices",
                                          {input, window[0], window[1], window[2], "dilation"}) +
                               "[1]";
    const auto flat = [](const std::string& text) {
      return spell_call("aten::flatten", {text, "-2", "-1"});
    };
    return spell_reshape(spell_call("aten::gather", {flat(spell_planes("values", c.dims("values"))),
                                                     "-1", flat(places)}),
                         c.out());
  });
}

}  // namespace

OpDef define_max_pool2d_pick() {
  return {
      .name = "max_pool2d_pick",
      .doc =
          "The element of `values` at the index of the first largest element of each window of "
          "`input`, or of the last NaN. It is 0 if the window contains only padding.",
      .internal = true,
      .inputs = pooling_inputs(
          {{"values", "*lead H W", "T=float"}, {"input", "*lead H W", "number"}}, "int|tuple"),
      .outputs = {{"output", "*lead Ho Wo", "T"}},
      .solve = solve_pool2d,
      .eval =
          [](EvalContext& c) {
            c.typed([&](auto zero) {
              using T = decltype(zero);
              const auto x = c.read<T>("input"), values = c.read<T>("values");
              auto y = c.write<T>();
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
      .separable = {"*lead"},
      .spell =
          {{"jax",
            "max_pool2d_pick({values}, {input}, {kernel_size}, {stride}, {padding}, {dilation})"},
           {"torch", "aten::gather where aten::max_pool2d_with_indices points to",
            spell_max_pool2d_pick}},
  };
}

}  // namespace mithril
