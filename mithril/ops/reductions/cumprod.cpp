// Cumulative products.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void cumulative_products(EvalContext& c) {
  const AxisView view = AxisView::along(c.dims("input"), c.integer("axis"));
  const bool reverse = c.flag("reverse"), exclusive = c.flag("exclusive");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        Total total = 1;
        for (int64_t k = 0; k < view.size; ++k) {
          const int64_t at = view.at(o, reverse ? view.size - 1 - k : k, i);
          if (exclusive) y[at] = static_cast<T>(total);
          total *= static_cast<Total>(x[at]);
          if (!exclusive) y[at] = static_cast<T>(total);
        }
      }
    }
  });
}

// A sum of products without the element, so that it is exact where elements are 0.
void grad_cumprod(GradContext& g) {
  const Expression x = g.in("input"), dy = g.out_grad();
  const Datum &axis = g.value("axis"), &reverse = g.value("reverse");
  const auto sums_after = [&](const Expression& of) {
    return call("linear_scan", {of, x, axis, !reverse.flag(), true});
  };
  if (g.value("exclusive").flag()) return g.flow("input", g.out() * sums_after(dy));
  const Expression before = call("cumprod", {x, axis, reverse, true});
  g.flow("input", before * (sums_after(x * dy) + dy));
}

std::string spell_cumprod(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  const bool reverse = c.value("reverse").flag(), exclusive = c.value("exclusive").flag();
  if (element_count(dims) == 0) return "input";
  if (dims.empty()) return exclusive ? "aten::ones_like(input)" : "input";
  const size_t axis = axis_of(c.integer("axis"), dims.size());
  const std::string at = "[" + std::to_string(axis) + "]";
  std::string x = "input";
  if (reverse) x = spell_call("aten::flip", {x, at});
  if (exclusive) {
    Dims widths(2 * (dims.size() - axis - 1));
    widths.insert(widths.end(), {1, -1});
    x = spell_call("aten::constant_pad_nd", {x, to_string(widths), "1"});
  }
  x = "aten::cumprod(" + x + ", " + std::to_string(axis) + ", dtype=output.dtype)";
  return reverse ? spell_call("aten::flip", {x, at}) : x;
}

}  // namespace

OpDef define_cumprod() {
  return {
      .name = "cumprod",
      .doc =
          "The cumulative product along an axis. reverse=True begins at the end. exclusive=True "
          "leaves out the element itself.",
      .inputs = {{"input", "*s", "T=number"},
                 value("axis", "int", Datum(-1)),
                 value("reverse", "bool", false),
                 value("exclusive", "bool", false)},
      .outputs = {{"output", "*s", "T"}},
      .solve = check_axes,
      .eval = cumulative_products,
      .grad = grad_cumprod,
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "cumprod({input}, {axis}, {reverse}, {exclusive})"},
                {"onnx", "cumprod(input, axis, reverse, exclusive)"},
                {"torch", "aten::cumprod, flipped for reverse, padded for exclusive",
                 spell_cumprod},
                {"cpu", "cumprod(input, axis, reverse, exclusive)"}},
  };
}

}  // namespace mithril
