// The absolute value.
#include <cmath>
#include <optional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

std::optional<Datum> magnitude(Solver& s, const Datum& input) {
  if (is_float(input)) return Datum(std::abs(input.real()));
  const Dim dim = resolve(input.dim()), opposite = Dim(0) - dim;
  if (is_size(dim)) return Datum(dim);
  if (is_size(opposite)) return Datum(opposite);
  s.await(dim);
  return std::nullopt;
}

}  // namespace

OpDef define_abs() {
  return {
      .name = "abs",
      .doc = "|input|. The slope at 0 is 0.",
      .inputs = {{"input", "*s", "T=operand"}},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            return solve_operands<1>(s, {"input"}, number_kinds,
                                     [&](auto& input) { return magnitude(s, input); });
          },
      .eval =
          [](EvalContext& c) {
            map1(c, [](auto x) {
              if constexpr (std::is_floating_point_v<decltype(x)>) {
                return std::abs(x);
              } else {
                return x < decltype(x)() ? -wrapping(x) : wrapping(x);
              }
            });
          },
      .grad = [](GradContext& g) { g.flow("input", g.out_grad() * call("sign", {g.in("input")})); },
      .spell = {{"jax", "jnp.abs({input})"},
                {"onnx", "Abs(input)"},
                {"torch", "aten::abs(input)"},
                {"c", "abs({input})"}},
  };
}

}  // namespace mithril
