// The product of elements.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

namespace {

// The reduced axes become one, the last, so that the product is rounded once.
std::string spell_prod(const SpellingContext& c) {
  const std::vector<bool> reduced = axis_set(c.value("axis"), c.dims("input").size());
  Dims order, flat;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (reduced[axis]) continue;
    order.push_back(static_cast<int64_t>(axis));
    flat.push_back(c.dims("input")[axis]);
  }
  int64_t count = 1;
  for (size_t axis = 0; axis < reduced.size(); ++axis) {
    if (!reduced[axis]) continue;
    order.push_back(static_cast<int64_t>(axis));
    count *= c.dims("input")[axis];
  }
  flat.push_back(count);
  const std::string last =
      spell_reshape(spell_call("aten::permute", {"input", to_string(order)}), flat);
  return spell_reshape(spell_call("aten::prod", {last, "-1"}), c.out());
}

}  // namespace

OpDef define_prod() {
  return {
      .name = "prod",
      .doc =
          "The product along an axis, several axes, or all of them (None). The product of no "
          "elements is 1.",
      .inputs = reduction_inputs("any"),
      .outputs = {{"output", "*o", "number"}},
      .solve = solve_counting,
      .eval = [](EvalContext& c) { fold_reduced(c, 1, [](auto& total, auto x) { total *= x; }); },
      .grad =
          [](GradContext& g) {
            const Expression others = call("prod_of_others", {g.in("input"), g.value("axis")});
            g.flow("input", expand_reduced(g, g.out_grad(), g.in("input")) * others);
          },
      .batch = batch_beside_axis,
      .samples = samples_of_reduction,
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "jnp.prod({input}, axis={axis}, keepdims={keepdim}, dtype={output.dtype})"},
                {"onnx", "reduce(\"ReduceProd\", input, axis, keepdim)"},
                {"torch", "aten::prod along one axis, which the others are joined to", spell_prod}},
  };
}

}  // namespace mithril
