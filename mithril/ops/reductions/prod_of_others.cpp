// The product of the other elements for each element: the gradient of prod.
#include <algorithm>

#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_prod_of_others(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    std::vector<size_t> group(static_cast<size_t>(x.size()));
    size_t groups = 0;
    each_reduced(c.dims("input"), c.value("axis"), [&](int64_t from, int64_t to) {
      group[static_cast<size_t>(from)] = static_cast<size_t>(to);
      groups = std::max(groups, static_cast<size_t>(to) + 1);
    });
    using Total = Accumulator<T>;
    std::vector<Total> others(group.size()), before(groups, Total{1}), after(groups, Total{1});
    for (size_t i = 0; i < group.size(); ++i) {
      others[i] = before[group[i]];
      before[group[i]] *= static_cast<Total>(x[static_cast<int64_t>(i)]);
    }
    for (size_t i = group.size(); i-- > 0;) {
      y[i] = static_cast<T>(others[i] * after[group[i]]);
      after[group[i]] *= static_cast<Total>(x[static_cast<int64_t>(i)]);
    }
  });
}

}  // namespace

OpDef define_prod_of_others() {
  return {
      .name = "prod_of_others",
      .doc =
          "For each element, the product of all other elements along an axis, several axes, or all "
          "of them (None). The gradient divides by the element, so it is not finite where an "
          "element is 0.",
      .internal = true,
      .inputs = {{"input", "*s", "float"}, value("axis", "int|tuple|none", Datum())},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval = eval_prod_of_others,
      .grad =
          [](GradContext& g) {
            const Expression x = g.in("input"), each = g.out_grad() * g.out();
            const Expression all = call("sum", {each, g.value("axis")});
            g.flow("input", (call("expand_reduced", {all, x, g.value("axis")}) - each) / x);
          },
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "prod_of_others({input}, {axis})"},
                {"torch", "unsupported: two running products"}},
  };
}

}  // namespace mithril
