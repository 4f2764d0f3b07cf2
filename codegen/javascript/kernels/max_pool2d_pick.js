// The elements at the indices of the largest elements of max_pool2d.
import { Pooling } from "./pooling.js";

export function max_pool2d_pick(output, values, input, kernel, stride, padding, dilation) {
  const pooling = new Pooling(input.dims, output.dims, kernel, stride, padding, dilation);
  const best = pooling.largest(input);
  for (let to = 0; to < output.size; ++to)
    output.data[to] = best[to] < 0 ? 0 : values.data[best[to]];
}
