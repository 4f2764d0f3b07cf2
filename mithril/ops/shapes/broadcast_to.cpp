// broadcast_to: repeated along new axes and along axes of size 1.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_broadcast_to(Solver& s) {
  const Datum* shape = s.value("shape");
  if (!shape) return false;
  s.set_shape("output", dims_of(s, *shape));
  return true;
}

}  // namespace

OpDef define_broadcast_to() {
  return {
      .name = "broadcast_to",
      .doc =
          "Broadcasts the input to `shape`: repeats it along new leading axes and along axes of "
          "size 1.",
      .inputs = {{"input", "*s", "T=any"}, value("shape", "tuple|int")},
      .outputs = {{"output", "*o", "T"}},
      .shape_constraints = {"*o = broadcast(*s, *o)"},
      .solve = solve_broadcast_to,
      .eval = repeat_elements,
      .grad = [](GradContext& g) { g.flow("input", sum_to(g.out_grad(), g.in("input"))); },
      .batch = batch_expanded,
      .samples = samples_expanded,
      .linear = {"input"},
      .spell = {{"jax", "jnp.broadcast_to({input}, {shape})"},
                {"onnx", "expand(input, output.shape)"},
                {"torch", "aten::expand(input, shape)"}},
  };
}

}  // namespace mithril
