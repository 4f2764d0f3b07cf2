// The gradient of log_softmax for its `result`.
import { viewAlong } from "./axes.js";

// grad - exp(result) * sum(grad)
export function log_softmax_grad(output, grad, result, axis) {
  const { outer, size, inner } = viewAlong(output.dims, axis);
  const [to, g, y] = [output.data, grad.data, result.data];
  for (let row = 0; row < outer * inner; ++row) {
    const first = Math.floor(row / inner) * size * inner + (row % inner);
    const end = first + size * inner;
    let sum = 0;
    for (let at = first; at < end; at += inner) sum += g[at];
    for (let at = first; at < end; at += inner) to[at] = g[at] - Math.exp(y[at]) * sum;
  }
}
