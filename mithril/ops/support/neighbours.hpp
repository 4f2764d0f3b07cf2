// The bells of t-SNE over squared distances between points, as graph.
#pragma once
#include "mithril/graph/grad_context.hpp"

namespace mithril {

struct Bells {
  Expression farther;        // [N, N]: how much farther than the nearest; 0 to itself
  Expression probabilities;  // [N, N]: rows with a sum of 1; 0 for itself
};

// 0 on the diagonal of a square matrix, 1 elsewhere.
inline Expression others(const Expression& like) { return -call("eye_like", {like}) + 1.0; }

// Of widths [N, 1]. The nearest distances [N, 1] only keep the exponents small.
inline Bells bells_over(const Expression& squares, const Expression& sigma,
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
