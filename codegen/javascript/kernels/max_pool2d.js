// The largest element of each window, and its index in the plane.
import { Pooling } from "./pooling.js";

export function max_pool2d(output, places, input, kernel, stride, padding, dilation) {
  const pooling = new Pooling(input.dims, output.dims, kernel, stride, padding, dilation);
  const best = pooling.largest(input);
  for (let to = 0; to < output.size; ++to) {
    output.data[to] = best[to] < 0 ? -Infinity : input.data[best[to]];
    places.data[to] = best[to] < 0 ? -1 : best[to] % pooling.inputs;
  }
}
