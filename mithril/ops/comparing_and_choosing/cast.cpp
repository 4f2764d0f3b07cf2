// Another dtype.
#include <fmt/format.h>

#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/integer_range.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {
namespace {

// aten::to wraps floats that integers of 8 and 16 bits and unsigned ones cannot hold. Here they and
// NaN become the least integer, as those of int32 and int64.
std::string spell_cast(const SpellingContext& c) {
  const DType to = c.value("dtype").dtype();
  if (!is_stored_only(to) || is_low_bit(to)) return "aten::to(input, dtype)";
  const auto [least, above] = integer_range(to);
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  const std::string fits =
      spell_call("aten::logical_and", {spell_call("aten::gt", {"input", number(least - 1)}),
                                       spell_call("aten::lt", {"input", number(above)})});
  const std::string fitting = spell_call("aten::where", {fits, "input", number(least)});
  return "input.kind == \"float\" ? " + spell_call("aten::to", {fitting, "dtype"}) +
         " : aten::to(input, dtype)";
}

}  // namespace

OpDef define_cast() {
  return {
      .name = "cast",
      .doc =
          "The input converted to `dtype`, as numpy.ndarray.astype. To bool, nonzero elements "
          "become true; to an int, floats are rounded towards zero. A cast to float8 does not "
          "saturate: clamp first for that.",
      .inputs = {{"input", "*s", "any"}, value("dtype", "dtype")},
      .outputs = {{"output", "*s", "any"}},
      .solve =
          [](Solver& s) {
            const Datum* dtype = s.value("dtype");
            if (!dtype) return false;
            const DType to = dtype->dtype();
            s.narrow("output", is_floating(to)  ? kind::float_tensor
                               : is_integer(to) ? kind::int_tensor
                                                : kind::bool_tensor);
            return true;
          },
      .eval = copy_converted,
      .grad =
          [](GradContext& g) {
            const DType from = g.in("input").dtype();
            // Rounding to so few numbers has no useful derivative.
            if (is_low_bit(from) || is_low_bit(g.out().dtype())) return;
            const Datum back = from;
            g.flow("input", call("cast", {g.out_grad(), back}));
          },
      .dtype_from = "dtype",
      .linear = {"input"},
      .spell = {{"jax", "{input}.astype({dtype})"},
                {"onnx", "cast(input.raw, dtype)"},
                {"torch", "aten::to(input, dtype), of floats those that fit", spell_cast},
                {"c", "T({input})"}},
  };
}

}  // namespace mithril
