// same_shape: the input, checked to have the shape of another tensor.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

namespace {

void batch_same_shape(BatchContext& c) {
  if (c.is_batched("input"))
    return c.become(call("same_shape", {c.in("input"), c.batched("like")}));
  c.become_shared(call("same_shape", {c.in("input"), c.shaped_like("like")}));
}

}  // namespace

OpDef define_same_shape() {
  return {
      .name = "same_shape",
      .doc = "Returns the input. It is an error if its shape is not that of `like`.",
      .internal = true,
      .inputs = {{"input", "*s", "T=any"}, {"like", "*s", "any"}},
      .outputs = {{"output", "*s", "T"}},
      .eval = copy_elements,
      .grad = [](GradContext& g) { g.flow("input", g.out_grad()); },
      .batch = batch_same_shape,
      .dtype_from = "input",
      .keeps_elements = true,
      .spell = {{"jax", "same_shape({input}, {like.shape})"},
                {"onnx", "input"},
                {"torch", "input"}},
  };
}

}  // namespace mithril
