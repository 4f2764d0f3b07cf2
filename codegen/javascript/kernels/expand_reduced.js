// Repeats the result of a reduction.
import { Reduction, reducedAxes } from "./reduction.js";

// With a correction, divides by the number of reduced elements minus the correction.
export function expand_reduced(output, input, _like, axis, _keepdim, correction) {
  const along = new Reduction(output.dims, reducedAxes(output.dims.length, axis));
  const scale = correction === null ? 1 : 1 / Math.max(along.count - correction, 0);
  const x = input.data;
  const y = output.data;
  const { length, step } = along;
  along.eachRow((to, from) => {
    for (let i = 0; i < length; ++i) y[to + i] = x[from + i * step] * scale;
  });
}
