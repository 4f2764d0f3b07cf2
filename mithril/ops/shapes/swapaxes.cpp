// swapaxes: two axes exchanged.
#include <numeric>
#include <utility>

#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_swapaxes(Solver& s) {
  const Datum *axis1 = s.value("axis1"), *axis2 = s.value("axis2");
  int64_t first = 0, second = 0;
  if (!axis1 || !axis2 || !s.number(axis1->dim(), first) || !s.number(axis2->dim(), second))
    return false;
  std::vector<Dim> dims;
  if (!s.shape("input", dims)) {
    if (!s.shape("output", dims)) return false;
    dims = fresh_dims(s, dims.size());
    s.set_shape("input", dims);
  }
  const size_t a = axis_of(s, first, dims.size()), b = axis_of(s, second, dims.size());
  std::swap(dims[a], dims[b]);
  s.set_shape("output", dims);
  return true;
}

void samples_of_swapaxes(SampleContext& c) {
  std::vector<size_t> order(c.out().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[axis_of(c.value("axis1").integer(), order.size())],
            order[axis_of(c.value("axis2").integer(), order.size())]);
  samples_permuted(c, order);
}

void batch_swapaxes(BatchContext& c) {
  const size_t rank = c.rank("input");
  c.become(call("swapaxes", {c.in("input"), batched_axis(c.value("axis1"), rank),
                             batched_axis(c.value("axis2"), rank)}));
}

}  // namespace

OpDef define_swapaxes() {
  return {
      .name = "swapaxes",
      .doc = "Swaps two axes.",
      .inputs = {{"input", "*s", "T=any"}, value("axis1", "int", 0), value("axis2", "int", 1)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_swapaxes,
      .eval =
          [](EvalContext& c) {
            Dims steps = strides(c.dims("input"));
            std::swap(steps[axis_of(c.integer("axis1"), steps.size())],
                      steps[axis_of(c.integer("axis2"), steps.size())]);
            copy_strided(c, steps, 0);
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("swapaxes", {g.out_grad(), g.value("axis1"), g.value("axis2")}));
          },
      .batch = batch_swapaxes,
      .samples = samples_of_swapaxes,
      .linear = {"input"},
      .spell = {{"jax", "jnp.swapaxes({input}, {axis1}, {axis2})"},
                {"onnx", "swapaxes(input, axis1, axis2)"},
                {"torch", "aten::transpose(input, axis1, axis2)"},
                {"cpu", "swapaxes(input, axis1, axis2)"}},
  };
}

}  // namespace mithril
