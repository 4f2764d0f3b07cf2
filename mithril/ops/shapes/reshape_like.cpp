// reshape_like: a reshape to a shape that need not be known before the graph runs, for gradients.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_reshape_like(Solver& s) {
  std::vector<Dim> in, like;
  const bool from = s.shape("input", in), to = s.shape("like", like);
  if (!from || !to) return false;
  same_count(s, in, like);
  return true;
}

}  // namespace

OpDef define_reshape_like() {
  return {
      .name = "reshape_like",
      .doc = "The elements of `input`, in row-major order, in the shape of `like`.",
      .internal = true,
      .inputs = {{"input", "*s", "T=any"}, {"like", "*o", "any"}},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_reshape_like,
      .eval = copy_elements,
      .grad = flow_reshaped,
      .batch = batch_reshaped,
      .keeps_elements = true,
      .spell = {{"jax", "jnp.reshape({input}, {like.shape})"},
                {"onnx", "reshape(input, like.shape)"},
                {"torch", "aten::reshape(input, like.shape)"}},
  };
}

}  // namespace mithril
