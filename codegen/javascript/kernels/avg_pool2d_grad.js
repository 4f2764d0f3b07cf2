// The gradient of avg_pool2d.
import { Pooling } from "./pooling.js";

export function avg_pool2d_grad(output, grad, _like, kernel, stride, padding, dilation) {
  const pooling = new Pooling(output.dims, grad.dims, kernel, stride, padding, dilation);
  const [g, x] = [grad.data, output.data];
  x.fill(0);
  pooling.eachElement((from, to) => {
    x[from] += g[to] / pooling.taps;
  });
}
