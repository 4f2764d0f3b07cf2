// eye_like: ones on the diagonal of a matrix of the same size.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/no_gradient.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_eye_like() {
  return {
      .name = "eye_like",
      .doc =
          "A matrix with the shape and the dtype of `like`: ones on the diagonal, zeros elsewhere.",
      .internal = true,
      .inputs = {{"like", "N M", "T=any"}},
      .outputs = {{"output", "N M", "T"}},
      .eval = write_eye,
      .grad = no_gradient,  // the result does not depend on the elements of `like`
      .batch = batch_made,
      .samples = samples_by_place,
      .spell = {{"jax", "jnp.eye(*{like.shape}, dtype={output.dtype})"},
                {"onnx", "EyeLike(expand(number(0), like.shape))"},
                {"torch", "aten::eye(output.shape[0], output.shape[1])"}},
  };
}

}  // namespace mithril
