// Broadcasting to the dims of another tensor, which may be symbolic and of unknown rank.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_expand_like() {
  return {
      .name = "expand_like",
      .doc = "Broadcasts the input to the shape of `like`.",
      .internal = true,
      .inputs = {{"input", "*s", "T=any"}, {"like", "*o", "any"}},
      .outputs = {{"output", "*o", "T"}},
      .shape_constraints = {"*o = broadcast(*s, *o)"},
      .eval = repeat_elements,
      .grad = [](GradContext& g) { g.flow("input", sum_to(g.out_grad(), g.in("input"))); },
      .batch = batch_expanded,
      .dtype_from = "input",
      .samples = samples_expanded,
      .linear = {"input"},
      .spell = {{"jax", "jnp.broadcast_to({input}, {like.shape})"},
                {"onnx", "expand(input, like.shape)"},
                {"torch", "aten::expand_as(input, like)"}},
  };
}

}  // namespace mithril
