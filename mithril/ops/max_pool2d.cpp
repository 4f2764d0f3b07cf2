// The largest element of each window over the last two axes.
#include <limits>

#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/ops/support/window_spelling.hpp"

namespace mithril {
namespace {

bool solve_max_pool2d(Solver& s) {
  check_padding(s, 2);
  return solve_pool2d(s);
}

void eval_max_pool2d(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    const T nothing = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const auto x = c.read<T>("input");
    T* y = c.write<T>();
    for (const int64_t at : largest_of(pool_window(c, c.dims("input"), c.out().dims()), x)) {
      *y++ = at < 0 ? nothing : x[at];
    }
  });
}

std::string spell_max_pool2d(const SpellingContext& c) {
  return spell_pooling(c, "input", true, [&](const auto& window) {
    const std::string planes = spell_planes("input", c.dims("input"));
    return spell_whole(
        spell_call("aten::max_pool2d", {planes, window[0], window[1], window[2], "dilation"}),
        c.out());
  });
}

}  // namespace

OpDef define_max_pool2d() {
  return {
      .name = "max_pool2d",
      .doc =
          "The largest element of each window over the last two axes; the gradient goes to the "
          "first that is. "
          "Kernel, stride (None: the kernel) and dilation are an int or one for each axis; "
          "padding, never the "
          "largest, an int, one for each axis, or (before, after) for each axis, of at most half "
          "the window.",
      .inputs = pooling_inputs({{"input", "*lead H W", "T=number"}}, "int|tuple"),
      .outputs = {{"output", "*lead Ho Wo", "T"}},
      .solve = solve_max_pool2d,
      .eval = eval_max_pool2d,
      .grad =
          [](GradContext& g) {
            g.flow("input", pool(g, "max_pool2d_grad", {g.out_grad(), g.in("input")}));
          },
      .spell = {{"torch", "aten::max_pool2d of planes", spell_max_pool2d},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
