// The gradient of max_pool2d.
import { Pooling } from "./pooling.js";

// `places`, if given, are the indices of the largest elements.
export function max_pool2d_grad(
  output, grad, input, kernel, stride, padding, dilation, places,
) {
  const pooling = new Pooling(input.dims, grad.dims, kernel, stride, padding, dilation);
  const best = places === null ? pooling.largest(input) : places.data;
  output.data.fill(0);
  for (let i = 0; i < grad.size; ++i) {
    if (best[i] < 0) continue;
    const first = places === null ? 0 : Math.floor(i / pooling.outputs) * pooling.inputs;
    output.data[first + best[i]] += grad.data[i];
  }
}
