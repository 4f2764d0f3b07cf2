// Means of windows.
import { Pooling } from "./pooling.js";

export function avg_pool2d(output, input, kernel, stride, padding, dilation) {
  const pooling = new Pooling(input.dims, output.dims, kernel, stride, padding, dilation);
  const [x, y] = [input.data, output.data];
  y.fill(0);
  pooling.eachElement((from, to) => {
    y[to] += x[from];
  });
  for (let i = 0; i < output.size; ++i) y[i] /= pooling.taps;
}
