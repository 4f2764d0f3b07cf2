// The Gaussian affinities of t-SNE for squared distances between points, as graph nodes.
#pragma once
#include "mithril/graph/grad_context.hpp"

namespace mithril {

struct GaussianAffinities {
  Expression farther;        // [N, N]: minus the least distance; 0 on the diagonal
  Expression probabilities;  // [N, N]: each row has the sum 1; 0 on the diagonal
};

// 0 on the diagonal of a square matrix, 1 elsewhere.
inline Expression others(const Expression& like) { return -call("eye_like", {like}) + 1.0; }

// `sigma`: the bandwidths [N, 1]. The least distances [N, 1] keep the exponents small.
inline GaussianAffinities gaussian_affinities(const Expression& squares, const Expression& sigma,
                                              const Expression& nearest) {
  const Expression other = others(squares);
  const Expression least = call("stop_gradient", {nearest});
  const Expression farther = call("where", {call("greater", {other, 0.5}), squares - least, 0.0});
  const double least_width = squares.dtype() == DType::float16 ? 1e-4 : 1e-37;
  const Expression width = call("maximum", {call("square", {sigma}) * 2.0, least_width});
  const Expression heights = call("exp", {-farther / width}) * other;
  return {farther, heights / call("sum", {heights, 1, true})};
}

}  // namespace mithril
