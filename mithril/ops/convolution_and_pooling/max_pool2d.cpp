// The largest element of each window over the last two axes.
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

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
    const PoolWindow window = pool_window(c, c.dims("input"), c.out().dims());
    auto y = c.write<T>();
    // Ints of a graph have one width.
    using Place = std::conditional_t<std::is_same_v<T, int32_t>, int32_t, int64_t>;
    auto place = c.write<Place>(1);
    for (const int64_t at : largest_of(window, x)) {
      *y++ = at < 0 ? nothing : x[at];
      *place++ = static_cast<Place>(at < 0 ? -1 : at % window.inputs());
    }
  });
}

std::string spell_max_pool2d(const SpellingContext& c) {
  return spell_pooling(c, "input", true, [&](const auto& window) {
    const std::string planes = spell_planes("input", c.dims("input"));
    const std::string both = spell_call("aten::max_pool2d_with_indices",
                                        {planes, window[0], window[1], window[2], "dilation"});
    if (is_pooled_whole(c.out())) return both;
    return "[" + spell_whole(both + "[0]", c.out()) + ", " + spell_whole(both + "[1]", c.out()) +
           "]";
  });
}

}  // namespace

OpDef define_max_pool2d() {
  return {
      .name = "max_pool2d",
      .doc =
          "The largest element of each window over the last two axes; NaN if the window contains "
          "NaN. `places` are the indices of these elements in their flattened planes. The gradient "
          "goes to the first largest element, or to the last NaN. `kernel_size`, `stride` (None: "
          "the kernel size) and `dilation` are an int or one per axis. `padding` is an int, one "
          "per axis, or (before, after) per axis, and at most half the window; it is never the "
          "largest element.",
      .inputs = pooling_inputs({{"input", "*lead H W", "T=number"}}, "int|tuple"),
      .outputs = {{"output", "*lead Ho Wo", "T"}, {"places", "*lead Ho Wo", "int"}},
      .solve = solve_max_pool2d,
      .eval = eval_max_pool2d,
      .grad =
          [](GradContext& g) {
            std::vector<Operand> operands = {g.out_grad(), g.in("input")};
            for (const char* port : {"kernel_size", "stride", "padding", "dilation"})
              operands.emplace_back(g.value(port));
            operands.emplace_back(g.out(1));
            g.flow("input", call("max_pool2d_grad", std::move(operands)));
          },
      .separable = {"*lead"},
      .spell =
          {{"jax",
            "max_pool2d({input}, {kernel_size}, {stride}, {padding}, {dilation}, {places.dtype})"},
           {"onnx", "max_pool2d(input, kernel_size, stride, padding, dilation)"},
           {"torch", "aten::max_pool2d_with_indices of planes", spell_max_pool2d},
           {"cpu", "max_pool(input, kernel_size, stride, padding, dilation)"}},
  };
}

}  // namespace mithril
