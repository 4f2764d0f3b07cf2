// The product of the other elements for each element: the gradient of prod.
#include <algorithm>
#include <span>
#include <vector>

#include "mithril/ops/support/batching.hpp"
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

// The sums over i != k of grad[i] times the product of the elements but i and k. Two recurrences
// hold the sums over i < k and i > k, without a division, so that they are exact where elements are
// 0.
Expression grad_along(const Expression& x, const Expression& grad, int64_t axis) {
  const auto products = [&](bool reverse) {
    return call("cumprod", {x, Datum(axis), reverse, true});
  };
  const auto sums = [&](const Expression& of, bool reverse) {
    return call("linear_scan", {of, x, Datum(axis), reverse, true});
  };
  const Expression before = products(false), after = products(true);
  return sums(grad * before, false) * after + before * sums(grad * after, true);
}

// The others along several axes are those along the first axis times the others of the products
// along it, along the next axes.
Expression grad_along(const Expression& x, const Expression& grad, std::span<const int64_t> axes) {
  const int64_t axis = axes[0];
  if (axes.size() == 1) return grad_along(x, grad, axis);
  const std::span<const int64_t> rest = axes.subspan(1);
  const Expression others = call("prod_of_others", {x, Datum(axis)});
  const Expression products = call("prod", {x, Datum(axis), true});
  const Expression factor =
      call("prod_of_others", {products, Datum::ints({rest.begin(), rest.end()})});
  const Expression factor_grad = call("sum", {grad * others, Datum(axis), true});
  return grad_along(x, grad * factor, axis) + grad_along(products, factor_grad, rest) * others;
}

void grad_prod_of_others(GradContext& g) {
  const Expression x = g.in("input"), grad = g.out_grad();
  const Datum& axis = g.value("axis");
  if (axis.is_none()) {
    const Datum flat = Datum::ints({-1});
    const Expression of_all =
        grad_along(call("reshape", {x, flat}), call("reshape", {grad, flat}), 0);
    return g.flow("input", call("reshape_like", {of_all, x}));
  }
  std::vector<int64_t> axes;
  if (axis.kind() == kind::tuple) {
    for (const Datum& item : axis.tuple()) axes.push_back(item.integer());
  } else {
    axes.push_back(axis.integer());
  }
  if (!axes.empty()) g.flow("input", grad_along(x, grad, std::span<const int64_t>(axes)));
}

}  // namespace

OpDef define_prod_of_others() {
  return {
      .name = "prod_of_others",
      .doc =
          "For each element, the product of all other elements along an axis, several axes, or all "
          "of them (None).",
      .internal = true,
      .inputs = {{"input", "*s", "float"}, value("axis", "int|tuple|none", Datum())},
      .outputs = {{"output", "*s", "float"}},
      .solve = check_axes,
      .eval = eval_prod_of_others,
      .grad = grad_prod_of_others,
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .cast = CastPolicy::float32,
      .spell = {{"jax", "prod_of_others({input}, {axis})"},
                {"torch", "unsupported: two running products"}},
  };
}

}  // namespace mithril
